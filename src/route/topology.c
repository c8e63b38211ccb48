#include "topology.h"

#include <stdlib.h>

struct known_route {
	struct rl_route route;
	struct rl_topology *known;
};

static void free_known(struct rl_cached *shared)
{
	struct rl_topology *known = (struct rl_topology *)shared;

	known->kind->end(known);
	rl_address_list_free(known->addresses);
	free(known);
}

/* Takes the addresses over. */
static struct rl_topology *know(const struct rl_topology_kind *kind, struct rl_address_list *addresses, struct rl_cache *cache)
{
	struct rl_topology *known = cache ? (struct rl_topology *)rl_cache_find(cache, addresses->identity) : NULL;

	if (known || !(known = calloc(1, kind->size))) {
		rl_address_list_free(addresses);
		return known;
	}
	known->shared = (struct rl_cached){ .identity = addresses->identity, .references = 1, .free = free_known };
	known->addresses = addresses;
	known->cache = cache;
	known->kind = kind;
	if (kind->begin && !kind->begin(known)) {
		rl_cache_release(&known->shared);
		return NULL;
	}
	if (cache) {
		rl_cache_add(cache, &known->shared);
	}
	return known;
}

struct rl_topology *rl_topology_of(const struct rl_route *route)
{
	return ((const struct known_route *)route)->known;
}

static struct rl_route *duplicate(const struct rl_route *route)
{
	const struct rl_topology *known = rl_topology_of(route);
	struct rl_address_list *addresses = rl_address_list_copy(known->addresses);

	if (!addresses) {
		return NULL;
	}
	addresses->login->connect_timeout = route->connect_timeout;
	addresses->login->timeout = route->timeout;
	return rl_topology_route(known->kind, addresses, NULL);
}

static void free_route(struct rl_route *route)
{
	rl_cache_release(&rl_topology_of(route)->shared);
	free(route);
}

struct rl_route *rl_topology_route(const struct rl_topology_kind *kind, struct rl_address_list *addresses, struct rl_cache *cache)
{
	rl_time connect_timeout = addresses->login->connect_timeout, timeout = addresses->login->timeout;
	struct known_route *made = calloc(1, sizeof *made);

	if (!made) {
		rl_address_list_free(addresses);
		return NULL;
	}
	made->known = know(kind, addresses, cache);
	if (!made->known) {
		free(made);
		return NULL;
	}
	addresses = made->known->addresses;
	made->route = (struct rl_route){
		.locate = kind->locate,
		.apart = kind->apart,
		.learn = kind->learn,
		.duplicate = duplicate,
		.free = free_route,
		.identity = addresses->identity,
		.name = addresses->name,
		.advice = kind->advice,
		.connect_timeout = connect_timeout,
		.timeout = timeout,
		.patience = rl_failover_patience(timeout),
	};
	return &made->route;
}
