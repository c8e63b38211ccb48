/*
 * Routes to servers that are found by asking some of them: what was found out about a deployment
 * is shared by all routes with the same addresses, and outlives them in a cache.
 *
 * The kinds (sentinel.c, cluster.c) say what that is, and what a route does with it.
 */
#ifndef RL_TOPOLOGY_H
#define RL_TOPOLOGY_H

#include "route.h"
#include "../redis/address_list.h"

struct rl_topology_kind;

/* The first member of what a kind finds out. */
struct rl_topology {
	struct rl_cached shared;
	struct rl_address_list *addresses;
	struct rl_cache *cache; /* of its servers, or NULL */
	const struct rl_topology_kind *kind;
};

struct rl_topology_kind {
	const struct rl_advice *advice;              /* as in its routes */
	size_t size;                                 /* of what it finds out; all zeros before begin() */
	bool (*begin)(struct rl_topology *topology); /* false: out of memory, and end() cleans up; or NULL */
	void (*end)(struct rl_topology *topology);
	enum rl_status (*locate)(struct rl_route *route, struct rl_text key, rl_time deadline,
		struct rl_server **server, struct rl_error *error);
	bool (*apart)(const struct rl_route *route, struct rl_text one, struct rl_text other); /* or NULL */
	enum rl_lesson (*learn)(struct rl_route *route, struct rl_text key, struct rl_failure *failure);
};

/*
 * Takes the addresses over, also on failure. What is found out lives in `cache`; NULL: in the
 * route alone. NULL: out of memory.
 */
struct rl_route *rl_topology_route(const struct rl_topology_kind *kind, struct rl_address_list *addresses, struct rl_cache *cache);
/* What such a route leads by. */
struct rl_topology *rl_topology_of(const struct rl_route *route);

/*
 * By when one server that is asked where to go must have answered: a third of the time that is left, and no longer
 * than a connection may take, so that others can be asked after it.
 */
rl_time rl_topology_answer_by(const struct rl_route *route, rl_time deadline);

#endif
