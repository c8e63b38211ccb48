#include "server.h"

#include <stdlib.h>
#include <string.h>

/* A wait has one connection and borrows a second; more at once come only from waits inside of wait hooks. */
#define MAX_IDLE 4

struct rl_server {
	struct rl_address *address;
	struct rl_connection *idle;
	size_t idle_count;
	size_t references;
	struct rl_server *next; /* in the registry */
};

struct rl_server *rl_server_new(struct rl_address *address)
{
	struct rl_server *server = calloc(1, sizeof *server);

	if (!server) {
		rl_address_free(address);
		return NULL;
	}
	server->address = address;
	server->references = 1;
	return server;
}

struct rl_server *rl_registry_server(struct rl_registry *registry, struct rl_address *address)
{
	struct rl_server *server = registry->first;

	while (server && strcmp(server->address->identity, address->identity) != 0) {
		server = server->next;
	}
	if (server) {
		rl_address_free(address);
	} else {
		server = rl_server_new(address);
		if (!server) {
			return NULL;
		}
		server->next = registry->first;
		registry->first = server;
	}
	server->references++;
	return server;
}

void rl_registry_clear(struct rl_registry *registry)
{
	while (registry->first) {
		struct rl_server *server = registry->first;

		registry->first = server->next;
		rl_server_release(server);
	}
}

void rl_server_release(struct rl_server *server)
{
	if (--server->references == 0) {
		rl_server_drop_idle(server);
		rl_address_free(server->address);
		free(server);
	}
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
	struct rl_connection **connection, struct rl_error *error)
{
	while (server->idle) {
		*connection = take_idle(server);
		/* After a fork it is the parent's. */
		if (rl_connection_is_usable(*connection)) {
			return RL_OK;
		}
		rl_connection_close(*connection);
	}
	return rl_connection_open(server->address, deadline, connection, error);
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
