/*
 * The route to the master that Sentinel names.
 *
 * The route asks the sentinels in turn, beginning with the one that answered last. Each gets a part
 * of the time, so that a dead or frozen one does not cost all of it. The server that a sentinel
 * names must itself say that it is a master, because a sentinel that was cut off still names the
 * previous one. Once found, the master is used without asking, until it cannot be reached or
 * refuses what a master does not refuse. Then the sentinels are asked again, at each try that there
 * is time for.
 */
#ifndef RL_SENTINEL_H
#define RL_SENTINEL_H

#include "route.h"
#include "../redis/address.h"

/*
 * Takes the addresses over, also on failure. The master is shared through `cache`; without a cache
 * it belongs to the route alone. NULL: out of memory.
 */
struct rl_route *rl_sentinel_route(struct rl_seed_addresses *addresses, struct rl_cache *cache);
/* Its sentinels, and the name of its master. NULL: it is a route of another kind. */
const struct rl_seed_addresses *rl_sentinel_addresses(const struct rl_route *route);

#endif
