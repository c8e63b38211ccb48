/*
 * The topology of a deployment, found out by asking some of its servers: Sentinel's master, or a
 * cluster's map of slots. All routes with the same addresses share it, and in a cache it outlives
 * them.
 *
 * The kinds (sentinel.c, cluster.c) have a topology of their own, and say what a route does with
 * it.
 */
#ifndef RL_TOPOLOGY_H
#define RL_TOPOLOGY_H

#include "route.h"
#include "../redis/address.h"

struct rl_topology_kind;

/* The first member of what a kind finds out. */
struct rl_topology {
	struct rl_cached shared;
	struct rl_seed_addresses *addresses;
	struct rl_cache *cache; /* where its servers are, too; or NULL */
	const struct rl_topology_kind *kind;
	unsigned told; /* how often it was found out */
};

struct rl_topology_kind {
	/* of its routes; duplicate() and free() are those below */
	struct rl_route_kind route;
	/* of what it finds out; all zeros before begin() */
	size_t size;
	/* false: out of memory, and end() is called; or NULL */
	bool (*begin)(struct rl_topology *topology);
	void (*end)(struct rl_topology *topology);
};

/*
 * Makes a route by the cache's topology for these addresses, or by a new one, which goes into the
 * cache if there is one. Takes the addresses over, also on failure. NULL: out of memory.
 */
struct rl_route *rl_topology_route(const struct rl_topology_kind *kind,
	struct rl_seed_addresses *addresses, struct rl_cache *cache);
struct rl_route *rl_topology_duplicate(const struct rl_route *route);
void rl_topology_free(struct rl_route *route);
/* The topology of such a route. */
struct rl_topology *rl_topology_of(const struct rl_route *route);

#endif
