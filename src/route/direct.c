#include "direct.h"

#include <stdlib.h>

struct direct {
	struct rl_route route;
	struct rl_server *server;
};

static enum rl_status locate(struct rl_route *route, struct rl_text key, rl_time *deadline,
	struct rl_server **server, struct rl_error *error)
{
	*server = ((struct direct *)route)->server;
	return RL_OK;
}

static struct rl_route *duplicate(const struct rl_route *route)
{
	const struct direct *direct = (const struct direct *)route;
	struct rl_address *address = rl_address_copy(rl_server_address(direct->server));
	struct rl_server *server = address ? rl_server_new(address) : NULL;

	return server ? rl_direct_route(server, route->connect_timeout, route->timeout) : NULL;
}

static void free_route(struct rl_route *route)
{
	rl_server_unref(((struct direct *)route)->server);
	free(route);
}

#define A_CLUSTER_NODE "it is a node of a Redis Cluster, whose address begins with cluster://"

static const struct rl_advice advice[] = {
	{ "READONLY",
		"it is a replica, and for the whole call its address led to no master: if a failover is under way, "
		"that passes; if not, give an address that leads to the master, or sentinels (sentinel://), "
		"which know it" },
	{ "MOVED", A_CLUSTER_NODE }, { "ASK", A_CLUSTER_NODE }, { "TRYAGAIN", A_CLUSTER_NODE },
	{ "CLUSTERDOWN", A_CLUSTER_NODE }, { NULL, NULL }
};

static const struct rl_route_kind kind = {
	.locate = locate,
	.duplicate = duplicate,
	.free = free_route,
	.advice = advice,
};

struct rl_route *rl_direct_route(struct rl_server *server, rl_time connect_timeout, rl_time timeout)
{
	struct direct *direct = calloc(1, sizeof *direct);

	if (!direct) {
		rl_server_unref(server);
		return NULL;
	}
	direct->route = (struct rl_route){
		.kind = &kind,
		.identity = rl_server_address(server)->identity,
		.name = rl_server_address(server)->name,
		.connect_timeout = connect_timeout,
		.timeout = timeout,
		.patience = timeout,
	};
	direct->server = server;
	return &direct->route;
}
