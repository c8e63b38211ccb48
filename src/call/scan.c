#include "scan.h"
#include "call.h"
#include "query.h"

#include <stdlib.h>
#include <string.h>

/*
 * Keys that one step looks at, which takes a server some ten microseconds, and that its answer may
 * have: a step ends a little later than it should.
 */
static const struct rl_text COUNT = { "100", 3 };
#define KEYS_MAX (64 * 1024)
/* Steps on one server. That makes a billion keys: a server that has more never comes to an end. */
#define STEPS_MAX (10 * 1024 * 1024)

#define CURSOR_SIZE 24 /* 64 bits, as digits */

struct rl_scan {
	struct rl_route *route;
	struct rl_server_list done;   /* those that have told all of their keys */
	struct rl_server_list failed; /* of independent nodes */
	size_t needed, spare;         /* of these: how many have to tell theirs, and may fail; or 0 */
	struct rl_error failure;      /* what all of those have said */
	bool unreachable;             /* one of those said nothing */
	/* which is being asked, with a reference; NULL: another is to be chosen */
	struct rl_server *server;
	char cursor[CURSOR_SIZE]; /* where it goes on */
	size_t steps;
	bool reconnected; /* its connection broke once */
	bool (*found)(void *context, struct rl_text key);
	void *context;
	struct rl_text pattern;
	char copy[];
};

struct rl_scan *rl_scan_new(struct rl_route *route, struct rl_text pattern)
{
	struct rl_scan *scan = calloc(1, sizeof *scan + pattern.length);
	size_t nodes = route->node_count;

	if (scan) {
		scan->route = route;
		scan->needed = nodes ? rl_route_majority_of(nodes) : 0;
		scan->spare = nodes - scan->needed;
		scan->pattern = (struct rl_text){ scan->copy, pattern.length };
		memcpy(scan->copy, pattern.data, pattern.length);
	}
	return scan;
}

static void leave_server(struct rl_scan *scan)
{
	if (scan->server) {
		rl_server_unref(scan->server);
		scan->server = NULL;
	}
}

void rl_scan_free(struct rl_scan *scan)
{
	leave_server(scan);
	rl_server_list_clear(&scan->done);
	rl_server_list_clear(&scan->failed);
	free(scan);
}

/* --- one server --- */

static void begin_anew(struct rl_scan *scan)
{
	memcpy(scan->cursor, "0", sizeof "0");
}

static bool is_at_end(const struct rl_scan *scan)
{
	return strcmp(scan->cursor, "0") == 0;
}

static enum rl_status nonsense(struct rl_connection *connection, struct rl_error *error)
{
	connection->broken = true;
	return rl_fail(error, RL_UNREACHABLE, "Redis at %s: the answer is not one that SCAN gives",
		connection->address->name);
}

/* [cursor, [key, ...]] */
static bool is_answer(const struct rl_reply *reply)
{
	const struct rl_reply *part = reply->elements;

	return reply->type == RL_REPLY_ARRAY && reply->count == 2 && part[0].type == RL_REPLY_STRING
		&& part[0].length > 0 && part[0].length < CURSOR_SIZE
		&& strspn(part[0].text, "0123456789") == part[0].length && part[1].type == RL_REPLY_ARRAY;
}

static enum rl_status read_answer(void *context, struct rl_connection *connection,
	const struct rl_reply *reply, struct rl_error *error)
{
	struct rl_scan *scan = context;
	const struct rl_reply *keys;

	if (!is_answer(reply)) {
		return nonsense(connection, error);
	}
	memcpy(scan->cursor, reply->elements[0].text, reply->elements[0].length + 1);
	keys = &reply->elements[1];
	for (size_t i = 0; i < keys->count; i++) {
		const struct rl_reply *key = &keys->elements[i];

		if (key->type != RL_REPLY_STRING) {
			return nonsense(connection, error);
		}
		if (!scan->found(scan->context, (struct rl_text){ key->text, key->length })) {
			return rl_fail_for_memory(error);
		}
	}
	return RL_OK;
}

static enum rl_status try_once(struct rl_scan *scan, rl_time deadline, struct rl_error *error)
{
	const struct rl_text words[] = { { "SCAN", 4 }, rl_text_of(scan->cursor), { "MATCH", 5 },
		scan->pattern, { "COUNT", 5 }, COUNT };
	struct rl_query query = { .words = words,
		.count = sizeof words / sizeof words[0],
		.reply_nodes = KEYS_MAX,
		.asks_later = true,
		.read = read_answer,
		.context = scan };
	enum rl_status status = rl_query_run(&query, scan->route, scan->server, deadline, error);

	if (status == RL_UNREACHABLE && query.was_connected && !scan->reconnected
		&& rl_now() < deadline) {
		/* The cursor of a server that was restarted means nothing to it. */
		scan->reconnected = true;
		scan->route->reconnects++;
		begin_anew(scan);
		return RL_NO;
	}
	return status;
}

static enum rl_status step_on(struct rl_scan *scan, rl_time deadline, struct rl_error *error)
{
	enum rl_status status;

	if (++scan->steps > STEPS_MAX) {
		return rl_fail(error, RL_UNREACHABLE, "Redis at %s: SCAN does not come to an end",
			rl_server_address(scan->server)->name);
	}
	do {
		status = try_once(scan, deadline, error);
	} while (status == RL_NO);
	return status;
}

/* --- all of them --- */

static bool is_to_ask(const struct rl_scan *scan, const struct rl_server *server)
{
	return !rl_server_list_has(&scan->done, server) && !rl_server_list_has(&scan->failed, server);
}

/* What a majority has is on one of these. */
static bool has_majority(const struct rl_scan *scan)
{
	return scan->needed > 0 && scan->done.count >= scan->needed;
}

/* Nodes that do not answer have one call's time between them. */
static rl_time part_of(const struct rl_scan *scan, rl_time deadline)
{
	rl_time now = rl_now();

	return now + (deadline - now) / (rl_time)(scan->spare + 1);
}

static void begin_on(struct rl_scan *scan, struct rl_server *server)
{
	scan->server = rl_server_ref(server);
	scan->steps = 0;
	scan->reconnected = false;
	begin_anew(scan);
}

/* RL_NO: there is none that is still to be asked. */
static enum rl_status choose_server(struct rl_scan *scan, rl_time deadline, struct rl_error *error)
{
	struct rl_server_list servers = { .servers = NULL };
	enum rl_status status = rl_route_list(scan->route, deadline, &servers, error);

	for (size_t i = 0; status == RL_OK && !scan->server && i < servers.count; i++) {
		if (is_to_ask(scan, servers.servers[i])) {
			begin_on(scan, servers.servers[i]);
		}
	}
	rl_server_list_clear(&servers);
	return status == RL_OK && !scan->server ? RL_NO : status;
}

/* A node has failed. RL_OK: a majority can do without it. */
static enum rl_status do_without(
	struct rl_scan *scan, enum rl_status status, struct rl_error *error)
{
	struct rl_error *all = &scan->failure;

	scan->unreachable |= status == RL_UNREACHABLE;
	rl_fail(all, status, "%s; %s", all->message, error->message);
	memcpy(all->code, error->code, sizeof all->code);
	if (scan->spare > 0) {
		scan->spare--;
		return rl_server_list_add(&scan->failed, scan->server) ? RL_OK : rl_fail_for_memory(error);
	}
	status = scan->unreachable ? RL_UNREACHABLE : RL_REFUSED;
	rl_fail(error, status, "%zu of %zu servers %s, so there is no majority%s",
		scan->failed.count + 1, scan->failed.count + scan->needed,
		status == RL_REFUSED ? "refuse it" : "cannot be asked", all->message);
	if (status == RL_REFUSED) {
		memcpy(error->code, all->code, sizeof error->code);
	}
	return status;
}

/* True: another server may be worth asking. */
static bool consult_route(
	struct rl_scan *scan, enum rl_status status, rl_time deadline, const struct rl_error *error)
{
	struct rl_route *route = scan->route;
	struct rl_failure failure = { .status = status, .error = error, .server = scan->server };

	return rl_route_tell(route, (struct rl_text){ "", 0 }, failure) != RL_LESSON_NONE
		&& rl_call_pause(RL_CALL_SEARCH_PAUSE, deadline);
}

static enum rl_status try_step(struct rl_scan *scan, rl_time deadline, struct rl_error *error)
{
	enum rl_status status = scan->server ? RL_OK : choose_server(scan, deadline, error);

	if (status == RL_OK) {
		status = step_on(scan, part_of(scan, deadline), error);
	}
	if (status == RL_OK && is_at_end(scan)) {
		if (!rl_server_list_add(&scan->done, scan->server)) {
			return rl_fail_for_memory(error);
		}
		leave_server(scan);
	}
	return status;
}

enum rl_status rl_scan_next(struct rl_scan *scan, bool (*found)(void *context, struct rl_text key),
	void *context, struct rl_error *error)
{
	rl_time deadline = rl_now() + scan->route->timeout;
	enum rl_status status = has_majority(scan) ? RL_NO : RL_OK;
	bool again = status == RL_OK;

	scan->found = found;
	scan->context = context;
	while (again) {
		status = try_step(scan, deadline, error);
		again = status == RL_UNREACHABLE || status == RL_REFUSED;
		if (again && scan->needed) {
			status = do_without(scan, status, error);
			again = status == RL_OK;
		} else if (again) {
			again = consult_route(scan, status, deadline, error);
		}
		if (again) {
			leave_server(scan);
		}
	}
	if (status == RL_REFUSED) {
		rl_advice_add(scan->route->kind->advice, error);
	}
	return status;
}
