#include "server.h"
#include "environment.h"
#include "handshake.h"
#include "refusal.h"
#include "../base/random.h"

#include <stdlib.h>
#include <string.h>

/* For how long nothing is tried on a server that did not answer. */
#define REST RL_SECOND
/*
 * From the second connection in a row on that the server ends, or on which it takes no writes, the
 * next one is opened only after a pause, which doubles each time. A connection that was of use
 * begins a new row, and so does one that has lived for as long as the longest pause.
 */
#define FIRST_PAUSE   (10 * RL_MILLISECOND)
#define LONGEST_PAUSE RL_SECOND
/* At most this many answers that nobody waits for may be out on a connection. */
#define MAX_OWED 512

struct rl_server {
	struct rl_cached shared;
	struct rl_address *address;
	struct rl_cache *cache; /* where it, or what it says, is found; or NULL */
	struct rl_idle *idle;   /* the cache's, or */
	struct rl_idle own;     /* its own */
	bool is_sentinel;
	bool known; /* a later connection need not ask for its facts */
	struct rl_facts facts;
	struct rl_handshake *opening; /* a connection that is being opened for the next, or NULL */
	uint64_t generation;          /* of the process that opens it */
	rl_time rests_until;          /* it failed, as `failure` says */
	enum rl_status failed;
	struct rl_error failure;
	unsigned breaks;  /* connections in a row that it ended soon and unused */
	rl_time opens_at; /* before that, no other one is opened */
};

/* --- idle connections --- */

static void unlink_idle(struct rl_idle *idle, struct rl_connection *connection)
{
	*(connection->newer ? &connection->newer->older : &idle->newest) = connection->older;
	*(connection->older ? &connection->older->newer : &idle->oldest) = connection->newer;
	idle->count--;
}

static void close_oldest(struct rl_idle *idle)
{
	struct rl_connection *oldest = idle->oldest;

	unlink_idle(idle, oldest);
	rl_connection_read_deferred(oldest);
	rl_connection_close(oldest);
}

static void tidy_idle(struct rl_idle *idle, rl_time now)
{
	while (idle->oldest && now - idle->oldest->used_at > RL_IDLE_FOR) {
		close_oldest(idle);
	}
}

/* Takes over a connection that was used just now. */
static void put_idle(struct rl_idle *idle, struct rl_connection *connection)
{
	connection->used_at = rl_now();
	connection->newer = NULL;
	connection->older = idle->newest;
	*(idle->newest ? &idle->newest->newer : &idle->oldest) = connection;
	idle->newest = connection;
	idle->count++;
	tidy_idle(idle, connection->used_at);
	if (idle->count > RL_IDLE_MAX) {
		close_oldest(idle);
	}
}

/*
 * The one to this address that was used last, which is the caller's from now on; NULL: none.
 * `owing`: one that owes answers, if there is any, and rather `behind` than another.
 */
static struct rl_connection *take_idle(struct rl_idle *idle, const struct rl_address *address,
	bool owing, const struct rl_connection *behind)
{
	struct rl_connection *chosen = NULL;

	for (struct rl_connection *connection = idle->newest; connection;
		 connection = connection->older) {
		bool owes_first = owing && connection->deferred && chosen && !chosen->deferred;

		if (connection->address == address
			&& (!chosen || owes_first || connection == behind)) {
			chosen = connection;
			if (!owing || connection == behind) {
				break;
			}
		}
	}
	if (chosen) {
		unlink_idle(idle, chosen);
	}
	return chosen;
}

/* --- servers --- */

static void end_opening(struct rl_handshake *opening)
{
	if (opening) {
		rl_handshake_end(opening);
		free(opening);
	}
}

static void part_from_idle(struct rl_server *server)
{
	struct rl_connection *connection;

	while ((connection = take_idle(server->idle, server->address, false, NULL))) {
		rl_connection_drain(connection, server->address->timeout);
	}
}

static void free_server(struct rl_cached *shared)
{
	struct rl_server *server = (struct rl_server *)shared;

	part_from_idle(server);
	end_opening(server->opening);
	rl_address_free(server->address);
	free(server);
}

/* Takes the address over. */
static struct rl_server *make_server(struct rl_address *address, struct rl_cache *cache)
{
	struct rl_server *server = calloc(1, sizeof *server);

	if (!server) {
		rl_address_free(address);
		return NULL;
	}
	server->shared = (struct rl_cached){
		.identity = address->identity, .references = 1, .free = free_server
	};
	server->address = address;
	server->facts.clock_ahead = RL_CLOCK_UNKNOWN;
	server->cache = cache;
	server->idle = cache ? &cache->idle : &server->own;
	return server;
}

struct rl_server *rl_server_new(struct rl_address *address)
{
	return make_server(address, NULL);
}

struct rl_server *rl_server_of_sentinel(struct rl_cache *cache, struct rl_address *address)
{
	struct rl_server *server = make_server(address, cache);

	if (server) {
		server->is_sentinel = true;
		server->idle = &server->own;
	}
	return server;
}

struct rl_server *rl_server_cached(struct rl_cache *cache, struct rl_address *address)
{
	struct rl_server *server;

	if (!cache) {
		return rl_server_new(address);
	}
	server = (struct rl_server *)rl_cache_find(cache, address->identity);
	if (server) {
		rl_address_free(address);
		return server;
	}
	server = make_server(address, cache);
	if (server) {
		rl_cache_add(cache, &server->shared);
	}
	return server;
}

struct rl_server *rl_server_ref(struct rl_server *server)
{
	server->shared.references++;
	return server;
}

void rl_server_unref(struct rl_server *server)
{
	rl_cache_release(&server->shared);
}

const struct rl_address *rl_server_address(const struct rl_server *server)
{
	return server->address;
}

const struct rl_facts *rl_server_facts(const struct rl_server *server)
{
	return &server->facts;
}

void rl_server_drop_idle(struct rl_server *server)
{
	struct rl_connection *connection;

	server->known = false; /* the next connection may lead elsewhere */
	while ((connection = take_idle(server->idle, server->address, false, NULL))) {
		rl_connection_close(connection);
	}
}

/*
 * A connection that was opened at that moment has ended. Jitter parts clients that were cut off
 * together.
 */
static void note_break(struct rl_server *server, rl_time opened_at, bool had_served)
{
	rl_time now = rl_now(), pause = FIRST_PAUSE;
	uint32_t random = 0;

	server->breaks = had_served || now - opened_at >= LONGEST_PAUSE ? 1 : server->breaks + 1;
	if (server->breaks == 1) {
		return;
	}
	for (unsigned i = 2; i < server->breaks && pause < LONGEST_PAUSE; i++) {
		pause *= 2;
	}
	pause = rl_time_earlier(pause, LONGEST_PAUSE);
	rl_random_fill(&random, sizeof random);
	server->opens_at = now + pause / 2 + (rl_time)((double)(pause / 2) * random / UINT32_MAX);
}

/* It was given back, and all that was asked by then was answered, as far as anybody knows. */
static bool has_served(const struct rl_connection *connection)
{
	return connection->used_at && !connection->deferred;
}

/* Closes a connection. Others to a server that takes no writes lead there as well. */
static void end_connection(struct rl_server *server, struct rl_connection *connection)
{
	bool misplaced = connection->misplaced;

	if (connection->cut_off || misplaced) {
		note_break(server, connection->opened_at, has_served(connection));
	}
	rl_connection_close(connection);
	if (misplaced) {
		rl_server_drop_idle(server);
	}
}

/*
 * The first connection, also after a failure, finds out what the server is, for those that follow.
 */
static void share_facts(struct rl_server *server, struct rl_connection *connection)
{
	if (server->known) {
		connection->facts = server->facts;
	} else {
		server->facts = connection->facts;
		server->known = true;
	}
}

/* The server owes too many answers to be sent more commands. */
static bool is_behind(const struct rl_connection *connection)
{
	return connection->deferred_count >= MAX_OWED;
}

/* The server has owed an answer for too long. */
static bool is_silent(const struct rl_connection *connection, rl_time timeout)
{
	return connection->deferred && rl_now() - connection->owed_since > timeout;
}

/* Reads and sends as far as possible without waiting. A parent's connection is not touched. */
static void catch_up(struct rl_connection *connection)
{
	struct rl_error ignored;

	if (rl_connection_is_usable(connection)) {
		rl_connection_read_deferred(connection);
		rl_connection_try_flush(connection, &ignored);
	}
}

static enum rl_status fail(
	struct rl_server *server, enum rl_status status, const struct rl_error *error)
{
	server->known = false;
	server->failed = status;
	server->failure = *error;
	server->rests_until = rl_now() + REST;
	return status;
}

/* --- opening --- */

static rl_time pauses_until(const struct rl_server *server, const struct rl_loan *loan)
{
	return rl_time_earlier(server->opens_at, loan->opens_by);
}

/* True: it is to wait. */
static bool has_to_pause(const struct rl_server *server, struct rl_loan *loan, rl_time now)
{
	bool has_paused = loan->opens_by != 0;

	if (!has_paused) {
		loan->opens_by = now + (loan->deadline - now) / 2;
	} else if (now >= loan->deadline) {
		loan->deadline += now - pauses_until(server, loan); /* nobody had looked since */
		loan->has_moved = true;
	}
	if (now >= pauses_until(server, loan)) {
		loan->opens_by = 0; /* what follows is no late look at the end of a pause */
		return false;
	}
	return true;
}

/* What is opened belongs elsewhere than where it is found, if the environment is another by now. */
static void note_environment(struct rl_server *server)
{
	if (server->cache && !server->cache->astray) {
		server->cache->astray = !rl_environment_is(server->address->environment);
	}
}

static enum rl_status begin_opening(struct rl_server *server, struct rl_loan *loan, rl_time now,
	struct rl_polls *polls, struct rl_error *error)
{
	rl_time deadline = loan->side_by_side ? now + loan->timeout : loan->deadline;

	note_environment(server);
	loan->opening = malloc(sizeof *loan->opening);
	return loan->opening ? rl_handshake_begin(loan->opening, server->address,
			   server->known || server->is_sentinel,
			   loan->connect_timeout, deadline, polls, error)
						 : rl_fail_for_memory(error);
}

static enum rl_status go_on_opening(
	struct rl_loan *loan, struct rl_polls *polls, struct rl_error *error)
{
	rl_time deadline = loan->opening->deadline;
	enum rl_status status = rl_handshake_go_on(loan->opening, polls, error);

	loan->has_moved |= loan->opening->deadline > deadline;
	if (loan->has_moved) {
		loan->deadline = rl_time_later(loan->deadline, loan->opening->deadline);
	}
	return status;
}

/* Takes over what another loan has left; a parent's is of no use. */
static void take_over_opening(struct rl_server *server, struct rl_loan *loan)
{
	if (server->opening && server->generation == rl_system_generation()) {
		loan->opening = server->opening;
	} else {
		end_opening(server->opening);
	}
	server->opening = NULL;
}

static enum rl_status open_one(struct rl_server *server, struct rl_loan *loan, rl_time now,
	struct rl_polls *polls, struct rl_error *error)
{
	enum rl_status status;

	if (loan->side_by_side && !loan->opening) {
		take_over_opening(server, loan);
	}
	if (loan->opening) {
		status = go_on_opening(loan, polls, error);
	} else if (has_to_pause(server, loan, now)) {
		rl_polls_until(polls, pauses_until(server, loan));
		return RL_NO;
	} else {
		status = begin_opening(server, loan, now, polls, error);
	}
	if (status == RL_NO) {
		return RL_NO;
	}
	note_environment(server);
	if (status == RL_OK) {
		loan->connection = rl_handshake_take(loan->opening);
		share_facts(server, loan->connection);
	} else if (rl_refusal_passes_soon(error)) {
		/* it turns us away */
		note_break(server, loan->opening ? loan->opening->began : now, false);
	}
	end_opening(loan->opening);
	loan->opening = NULL;
	return status == RL_OK ? RL_OK : fail(server, status, error);
}

void rl_server_end_loan(struct rl_server *server, struct rl_loan *loan)
{
	if (loan->side_by_side && loan->opening && !server->opening) {
		note_environment(server); /* in which its name is looked up */
		server->opening = loan->opening;
		server->generation = rl_system_generation();
	} else {
		end_opening(loan->opening);
	}
	loan->opening = NULL;
}

/* --- lending --- */

/*
 * RL_OK: it may be lent. RL_NO: it is of no use any more. Otherwise the server owes too much, and
 * the connection is gone.
 */
static enum rl_status check_idle(struct rl_server *server, struct rl_connection *idle,
	const struct rl_loan *loan, rl_time now, struct rl_error *error)
{
	rl_connection_catch_up(idle);
	if (loan->side_by_side && (is_silent(idle, loan->timeout) || is_behind(idle))) {
		catch_up(idle);
		if (rl_connection_is_usable(idle) && is_silent(idle, loan->timeout)) {
			rl_connection_too_late(idle, error);
			end_connection(server, idle);
			rl_server_drop_idle(server);
			return fail(server, RL_UNREACHABLE, error);
		}
		if (rl_connection_is_usable(idle) && is_behind(idle)) {
			rl_server_return(server, idle);
			return rl_fail(
				error, RL_UNREACHABLE, "Redis at %s owes too many answers", server->address->name);
		}
	}
	return rl_connection_is_still_usable(idle, now) ? RL_OK : RL_NO;
}

/* RL_NO: there is none. */
static enum rl_status lend_idle(
	struct rl_server *server, struct rl_loan *loan, rl_time now, struct rl_error *error)
{
	struct rl_connection *idle;

	tidy_idle(server->idle, now);
	/* Side by side, one that owes answers comes first: what is sent may have to go behind. */
	while ((idle = take_idle(server->idle, server->address, loan->side_by_side, loan->behind))) {
		enum rl_status status = check_idle(server, idle, loan, now, error);

		if (status == RL_OK) {
			loan->connection = idle;
			loan->is_reused = !rl_connection_was_just_used(idle, now);
		}
		if (status != RL_NO) {
			return status;
		}
		/* Or it is a parent's, after a fork. */
		loan->reconnected += idle->generation == rl_system_generation();
		server->known = server->known && !idle->cut_off; /* it may have been restarted */
		end_connection(server, idle);
	}
	return RL_NO;
}

enum rl_status rl_server_borrow(struct rl_server *server, struct rl_loan *loan,
	struct rl_polls *polls, struct rl_error *error)
{
	rl_time now = rl_now();
	enum rl_status status = loan->opening ? RL_NO : lend_idle(server, loan, now, error);

	if (status != RL_NO) {
		return status;
	}
	if (loan->only_idle) {
		return RL_UNREACHABLE;
	}
	if (loan->side_by_side && !loan->opening && !loan->insist && now < server->rests_until) {
		*error = server->failure;
		return server->failed;
	}
	return open_one(server, loan, now, polls, error);
}

bool rl_server_is_same(const struct rl_server *server, const struct rl_server *other)
{
	return server->known && other->known && server->facts.run_id[0]
		&& strcmp(server->facts.run_id, other->facts.run_id) == 0;
}

void rl_server_return(struct rl_server *server, struct rl_connection *connection)
{
	server->facts.clock_ahead = connection->facts.clock_ahead;
	if (rl_connection_is_usable(connection) && !server->is_sentinel) {
		put_idle(server->idle, connection);
	} else {
		end_connection(server, connection);
	}
}

/* --- lists --- */

bool rl_server_list_add(struct rl_server_list *list, struct rl_server *server)
{
	struct rl_server **servers = realloc(list->servers, (list->count + 1) * sizeof *servers);

	if (!servers) {
		return false;
	}
	list->servers = servers;
	servers[list->count++] = rl_server_ref(server);
	return true;
}

bool rl_server_list_has(const struct rl_server_list *list, const struct rl_server *server)
{
	size_t i = 0;

	while (i < list->count && list->servers[i] != server) {
		i++;
	}
	return i < list->count;
}

void rl_server_list_clear(struct rl_server_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		rl_server_unref(list->servers[i]);
	}
	free(list->servers);
	*list = (struct rl_server_list){ .servers = NULL };
}
