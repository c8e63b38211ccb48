/*
 * The route to the master that Sentinel names.
 *
 * Asked are the sentinels in turn, first the one that answered last, each for a share of the
 * time, so that a dead or frozen one does not cost all of it. What one names must say itself
 * that it is a master: a sentinel that was cut off names the one before. Once found, the master
 * is asked straight away, until it cannot be reached or refuses what a master does not refuse;
 * then the sentinels are asked again, at each try that there is time for.
 */
#ifndef RL_SENTINEL_H
#define RL_SENTINEL_H

#include "route.h"
#include "../redis/address_list.h"

/*
 * Takes the addresses over, also on failure. What is found out lives in `cache` if it is
 * persistent; NULL: in the route alone. NULL: out of memory.
 */
struct rl_route *rl_sentinel_route(struct rl_address_list *addresses, struct rl_cache *cache);

#endif
