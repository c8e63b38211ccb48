#include "server.h"
#include "opening.h"

#include <stdlib.h>

/* A wait has one connection and borrows a second; more at once come only from waits inside of wait hooks. */
#define MAX_IDLE 4

struct rl_server {
	struct rl_shared shared;
	struct rl_address *address;
	struct rl_connection *idle;
	size_t idle_count;
	bool known;     /* its version was found new enough */
	bool may_evict; /* and it may evict locks, which nobody has been told */
};

static void free_server(struct rl_shared *shared)
{
	struct rl_server *server = (struct rl_server *)shared;

	rl_server_drop_idle(server);
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
	if (status == RL_OK && !server->known) {
		server->known = true;
		server->may_evict = (*connection)->may_evict;
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
	connection->next = server->idle;
	server->idle = connection;
	server->idle_count++;
}
