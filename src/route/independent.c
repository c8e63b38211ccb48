#include "independent.h"

#include "../base/text.h"

#include <stdlib.h>
#include <string.h>

struct independent {
	struct rl_route route;
	char *identity, *name;
	struct rl_server *nodes[];
};

static enum rl_status list(struct rl_route *route, rl_time deadline, struct rl_server_list *servers,
	struct rl_error *error)
{
	for (size_t i = 0; i < route->node_count; i++) {
		if (!rl_server_list_add(servers, route->nodes[i])) {
			return rl_fail_for_memory(error);
		}
	}
	return RL_OK;
}

static void release_all(struct rl_server *const *servers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (servers[i]) {
			rl_server_unref(servers[i]);
		}
	}
}

static void free_route(struct rl_route *route)
{
	struct independent *independent = (struct independent *)route;

	release_all(independent->nodes, route->node_count);
	rl_text_wipe(independent->identity);
	free(independent->name);
	free(independent);
}

static struct rl_route *duplicate(const struct rl_route *route)
{
	struct rl_server *servers[RL_NODES_MAX];

	for (size_t i = 0; i < route->node_count; i++) {
		struct rl_address *address = rl_address_copy(rl_server_address(route->nodes[i]));

		servers[i] = address ? rl_server_new(address) : NULL;
	}
	return rl_independent_route(servers, route->node_count, route->connect_timeout, route->timeout);
}

static const char *identity_of(const struct rl_server *server)
{
	return rl_server_address(server)->identity;
}

static const char *name_of(const struct rl_server *server)
{
	return rl_server_address(server)->name;
}

/* "a, b, c"; NULL: out of memory. */
static char *join(struct rl_server *const *servers, size_t count,
	const char *(*text)(const struct rl_server *server))
{
	size_t length = 0;
	char *joined;

	for (size_t i = 0; i < count; i++) {
		length += strlen(text(servers[i])) + 2;
	}
	joined = malloc(length + 1);
	if (joined) {
		joined[0] = '\0';
		for (size_t i = 0; i < count; i++) {
			strcat(strcat(joined, i ? ", " : ""), text(servers[i]));
		}
	}
	return joined;
}

enum rl_status rl_independent_check(const struct rl_route *route, struct rl_error *error)
{
	for (size_t i = 1; i < route->node_count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (rl_server_is_same(route->nodes[i], route->nodes[j])) {
				return rl_fail(error, RL_MISUSE,
					"Redis at %s and at %s is one server, which would have two votes; a majority is one of different servers",
					name_of(route->nodes[j]), name_of(route->nodes[i]));
			}
		}
	}
	return RL_OK;
}

static bool all_there(struct rl_server *const *servers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!servers[i]) {
			return false;
		}
	}
	return true;
}

static const struct rl_route_kind kind = {
	.list = list,
	.duplicate = duplicate,
	.free = free_route,
};

struct rl_route *rl_independent_route(
	struct rl_server *const *servers, size_t count, rl_time connect_timeout, rl_time timeout)
{
	bool complete = all_there(servers, count);
	struct independent *independent = complete
		? calloc(1, sizeof *independent + count * sizeof independent->nodes[0])
		: NULL;
	char *identity = complete ? join(servers, count, identity_of) : NULL;
	char *name = complete ? join(servers, count, name_of) : NULL;

	if (!independent || !identity || !name) {
		release_all(servers, count);
		free(independent);
		rl_text_wipe(identity);
		free(name);
		return NULL;
	}
	independent->identity = identity;
	independent->name = name;
	memcpy(independent->nodes, servers, count * sizeof independent->nodes[0]);
	independent->route = (struct rl_route){
		.kind = &kind,
		.node_count = count,
		.nodes = independent->nodes,
		.identity = identity,
		.name = name,
		.connect_timeout = connect_timeout,
		.timeout = timeout,
		.patience = timeout,
	};
	return &independent->route;
}
