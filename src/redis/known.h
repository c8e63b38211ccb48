/*
 * Routes to servers that are found by asking some of them: what was found out about a deployment
 * is shared by all routes with the same seeds, and outlives them in a registry.
 *
 * The kinds (sentinel.c, cluster.c) say what is known, and what a route does with it.
 */
#ifndef RL_KNOWN_H
#define RL_KNOWN_H

#include "route.h"
#include "seeds.h"

struct rl_known_kind;

/* The first member of what a kind knows. */
struct rl_known {
	struct rl_shared shared;
	struct rl_seeds *seeds;
	struct rl_registry *registry; /* of its servers, or NULL */
	const struct rl_known_kind *kind;
};

struct rl_known_kind {
	const struct rl_advice *advice;        /* as in its routes */
	size_t size;                           /* of what it knows; all zeros before begin() */
	bool (*begin)(struct rl_known *known); /* false: out of memory, and end() cleans up; or NULL */
	void (*end)(struct rl_known *known);
	enum rl_status (*locate)(struct rl_route *route, struct rl_text key, rl_time deadline,
		struct rl_server **server, struct rl_error *error);
	bool (*apart)(const struct rl_route *route, struct rl_text one, struct rl_text other); /* or NULL */
	enum rl_lesson (*learn)(struct rl_route *route, struct rl_text key, struct rl_failure *failure);
};

/*
 * Takes the seeds over, also on failure. What is found out lives in `registry`; NULL: in the
 * route alone. NULL: out of memory.
 */
struct rl_route *rl_route_known(const struct rl_known_kind *kind, struct rl_seeds *seeds, struct rl_registry *registry);
/* What such a route leads by. */
struct rl_known *rl_known_of(const struct rl_route *route);

#endif
