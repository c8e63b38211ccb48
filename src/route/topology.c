#include "topology.h"

#include <stdlib.h>

/*
 * Longer than Sentinel takes with its own settings: 30 s until it counts a master as down, and some
 * for the election.
 */
#define FAILOVER_PATIENCE (60 * RL_SECOND)

struct route {
	struct rl_route route;
	struct rl_topology *topology;
};

static void free_topology(struct rl_cached *shared)
{
	struct rl_topology *topology = (struct rl_topology *)shared;

	topology->kind->end(topology);
	rl_seed_addresses_free(topology->addresses);
	free(topology);
}

/* Takes the addresses over. */
static struct rl_topology *find_or_make(const struct rl_topology_kind *kind,
	struct rl_seed_addresses *addresses, struct rl_cache *cache)
{
	struct rl_topology *topology = cache
		? (struct rl_topology *)rl_cache_find(cache, addresses->identity)
		: NULL;

	if (topology || !(topology = calloc(1, kind->size))) {
		rl_seed_addresses_free(addresses);
		return topology;
	}
	topology->shared = (struct rl_cached){
		.identity = addresses->identity, .references = 1, .free = free_topology
	};
	topology->addresses = addresses;
	topology->cache = cache;
	topology->kind = kind;
	if (kind->begin && !kind->begin(topology)) {
		rl_cache_release(&topology->shared);
		return NULL;
	}
	if (cache) {
		rl_cache_add(cache, &topology->shared);
	}
	return topology;
}

struct rl_topology *rl_topology_of(const struct rl_route *route)
{
	return ((const struct route *)route)->topology;
}

struct rl_route *rl_topology_duplicate(const struct rl_route *route)
{
	const struct rl_topology *topology = rl_topology_of(route);
	struct rl_seed_addresses *addresses = rl_seed_addresses_copy(topology->addresses);

	if (!addresses) {
		return NULL;
	}
	addresses->login->connect_timeout = route->connect_timeout;
	addresses->login->timeout = route->timeout;
	return rl_topology_route(topology->kind, addresses, NULL);
}

void rl_topology_free(struct rl_route *route)
{
	rl_cache_release(&rl_topology_of(route)->shared);
	free(route);
}

struct rl_route *rl_topology_route(const struct rl_topology_kind *kind,
	struct rl_seed_addresses *addresses, struct rl_cache *cache)
{
	rl_time connect_timeout = addresses->login->connect_timeout,
			timeout = addresses->login->timeout;
	struct route *made = calloc(1, sizeof *made);

	if (!made) {
		rl_seed_addresses_free(addresses);
		return NULL;
	}
	made->topology = find_or_make(kind, addresses, cache);
	if (!made->topology) {
		free(made);
		return NULL;
	}
	addresses = made->topology->addresses;
	made->route = (struct rl_route){
		.kind = &kind->route,
		.identity = addresses->identity,
		.name = addresses->name,
		.connect_timeout = connect_timeout,
		.timeout = timeout,
		.patience = rl_time_later(timeout, FAILOVER_PATIENCE),
	};
	return &made->route;
}
