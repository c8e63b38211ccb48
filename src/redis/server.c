#include "server.h"
#include "opening.h"

#include <stdlib.h>

/* A wait has one connection and borrows a second; more at once come only from waits inside of wait hooks. */
#define MAX_IDLE 4

/* How long a server is left alone that did not answer. */
#define REST RL_SECOND
/* So many answers may be out on a connection that nobody waits for. */
#define MAX_OWED 512

struct rl_server {
	struct rl_shared shared;
	struct rl_address *address;
	struct rl_connection *idle;
	size_t idle_count;
	bool known;                 /* its version was found new enough */
	rl_time clock_ahead;        /* as its connections have found it */
	bool may_evict;             /* and it may evict locks, which nobody has been told */
	struct rl_opening *opening; /* a connection that is being opened, or NULL */
	uint64_t generation;        /* of the process that opens it */
	rl_time rests_until;        /* it failed, as `failure` says */
	enum rl_status failed;
	struct rl_error failure;
};

static void end_opening(struct rl_server *server)
{
	if (server->opening) {
		rl_opening_end(server->opening);
		free(server->opening);
		server->opening = NULL;
	}
}

static void free_server(struct rl_shared *shared)
{
	struct rl_server *server = (struct rl_server *)shared;

	rl_server_drop_idle(server);
	end_opening(server);
	rl_address_free(server->address);
	free(server);
}

struct rl_server *rl_server_new(struct rl_address *address)
{
	struct rl_server *server = calloc(1, sizeof *server);

	if (!server) {
		rl_address_free(address);
		return NULL;
	}
	server->shared = (struct rl_shared){ .identity = address->identity, .references = 1, .free = free_server };
	server->address = address;
	server->clock_ahead = RL_CLOCK_UNKNOWN;
	return server;
}

struct rl_server *rl_registry_server(struct rl_registry *registry, struct rl_address *address)
{
	struct rl_server *server = (struct rl_server *)rl_registry_find(registry, address->identity);

	if (server) {
		rl_address_free(address);
		return server;
	}
	server = rl_server_new(address);
	if (server) {
		rl_registry_add(registry, &server->shared);
	}
	return server;
}

struct rl_server *rl_server_hold(struct rl_server *server)
{
	server->shared.references++;
	return server;
}

void rl_server_release(struct rl_server *server)
{
	rl_shared_release(&server->shared);
}

const struct rl_address *rl_server_address(const struct rl_server *server)
{
	return server->address;
}

static struct rl_connection *take_idle(struct rl_server *server)
{
	struct rl_connection *connection = server->idle;

	server->idle = connection->next;
	server->idle_count--;
	return connection;
}

void rl_server_drop_idle(struct rl_server *server)
{
	while (server->idle) {
		rl_connection_close(take_idle(server));
	}
}

/* Only the first connection asks the server for what it is; the others are told. */
static void learn(struct rl_server *server, struct rl_connection *connection)
{
	if (server->known) {
		connection->clock_ahead = server->clock_ahead;
		return;
	}
	server->known = true;
	server->may_evict = connection->may_evict;
	server->clock_ahead = connection->clock_ahead;
}

enum rl_status rl_server_borrow(struct rl_server *server, rl_time deadline,
	struct rl_connection **connection, bool *reconnected, struct rl_error *error)
{
	enum rl_status status;

	*connection = NULL;
	*reconnected = false;
	while (server->idle) {
		struct rl_connection *idle = take_idle(server);

		if (rl_connection_is_still_usable(idle)) {
			*connection = idle;
			return RL_OK;
		}
		/* Or it is a parent's, after a fork. */
		*reconnected |= idle->generation == rl_generation();
		rl_connection_close(idle);
	}
	status = rl_connection_open(server->address, server->known, deadline, connection, error);
	if (status == RL_OK) {
		learn(server, *connection);
	}
	return status;
}

bool rl_server_borrow_this(struct rl_server *server, struct rl_connection *connection)
{
	struct rl_connection **link = &server->idle;

	while (*link && *link != connection) {
		link = &(*link)->next;
	}
	if (!*link || !rl_connection_is_still_usable(connection)) {
		return false;
	}
	*link = connection->next;
	server->idle_count--;
	return true;
}

/* So many answers are owed that no more questions are asked. */
static bool is_behind(const struct rl_connection *connection)
{
	return connection->deferred_count >= MAX_OWED || rl_connection_has_unsent(connection);
}

/* One of them for too long. */
static bool is_silent(const struct rl_server *server, const struct rl_connection *connection)
{
	return connection->deferred && rl_now() - connection->owed_since > server->address->timeout;
}

/* As far as it can be done now: a parent's connection is not touched. */
static void catch_up(struct rl_connection *connection)
{
	struct rl_error ignored;

	if (rl_connection_is_usable(connection)) {
		rl_connection_settle(connection, 0);
		rl_connection_try_flush(connection, &ignored);
	}
}

static enum rl_status fail(struct rl_server *server, enum rl_status status, const struct rl_error *error)
{
	server->failed = status;
	server->failure = *error;
	server->rests_until = rl_now() + REST;
	return status;
}

/* An idle one, if there is; first of all one that owes answers: what is sent next may have to go behind. */
static struct rl_connection *choose_idle(struct rl_server *server)
{
	struct rl_connection **chosen = &server->idle, *connection;

	for (struct rl_connection **link = &server->idle; *link; link = &(*link)->next) {
		if ((*link)->deferred) {
			chosen = link;
			break;
		}
	}
	connection = *chosen;
	if (connection) {
		*chosen = connection->next;
		server->idle_count--;
	}
	return connection;
}

static enum rl_status begin_opening(struct rl_server *server, struct rl_error *error)
{
	server->opening = malloc(sizeof *server->opening);
	if (!server->opening) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	server->generation = rl_generation();
	return rl_opening_begin(server->opening, server->address, server->known, error);
}

static enum rl_status go_on_opening(struct rl_server *server, struct rl_error *error)
{
	struct rl_pollfd awaited = rl_opening_awaits(server->opening);
	enum rl_status status = RL_NO;

	if (awaited.fd < 0 || rl_now() >= rl_opening_look_at(server->opening) || rl_poll(&awaited, 1, 0) == RL_POLL_READY) {
		status = rl_opening_go_on(server->opening, error);
	}
	if (status == RL_NO
		&& rl_now() >= rl_opening_until(server->opening, server->opening->began + server->address->timeout)) {
		status = rl_opening_too_late(server->opening, error);
	}
	return status;
}

static enum rl_status open_stepwise(struct rl_server *server, struct rl_connection **connection, struct rl_error *error)
{
	enum rl_status status;

	if (server->opening && server->generation != rl_generation()) {
		end_opening(server); /* a parent's */
	}
	status = server->opening ? go_on_opening(server, error) : begin_opening(server, error);
	if (status == RL_NO) {
		return RL_NO;
	}
	if (status == RL_OK) {
		*connection = rl_opening_take(server->opening);
		learn(server, *connection);
	}
	end_opening(server);
	return status == RL_OK ? RL_OK : fail(server, status, error);
}

enum rl_status rl_server_try_borrow(struct rl_server *server, bool insist,
	struct rl_connection **connection, bool *reconnected, struct rl_error *error)
{
	struct rl_connection *idle;

	*connection = NULL;
	*reconnected = false;
	while ((idle = choose_idle(server))) {
		if (is_silent(server, idle) || is_behind(idle)) {
			catch_up(idle);
		}
		if (!rl_connection_is_usable(idle)) {
			*reconnected |= idle->generation == rl_generation();
			rl_connection_close(idle);
		} else if (is_silent(server, idle)) {
			rl_connection_too_late(idle, error);
			rl_server_give_up(server, idle);
			return fail(server, RL_UNREACHABLE, error);
		} else if (is_behind(idle)) {
			rl_server_give_back(server, idle);
			return rl_fail(error, RL_UNREACHABLE, "Redis at %s owes too many answers", server->address->name);
		} else {
			*connection = idle;
			return RL_OK;
		}
	}
	if (!insist && rl_now() < server->rests_until) {
		*error = server->failure;
		return server->failed;
	}
	return open_stepwise(server, connection, error);
}

struct rl_pollfd rl_server_awaits(const struct rl_server *server)
{
	return rl_opening_awaits(server->opening);
}

void rl_server_give_up(struct rl_server *server, struct rl_connection *connection)
{
	rl_connection_close(connection);
	rl_server_drop_idle(server);
}

bool rl_server_may_evict_once(struct rl_server *server)
{
	bool may_evict = server->may_evict;

	server->may_evict = false;
	return may_evict;
}

void rl_server_give_back(struct rl_server *server, struct rl_connection *connection)
{
	if (!rl_connection_is_usable(connection) || server->idle_count >= MAX_IDLE) {
		rl_connection_close(connection);
		return;
	}
	server->clock_ahead = connection->clock_ahead;
	connection->used_at = rl_now();
	connection->next = server->idle;
	server->idle = connection;
	server->idle_count++;
}
