/*
 * The route into a Redis Cluster: each key to the node that has its slot.
 *
 * At the first use the route asks one node after the other for the map of slots, until one answers;
 * each gets a part of the time. Where the map is wrong, the node that was asked says which node has
 * the slot (MOVED), or which one to ask this once (ASK). After such an answer, and when a node
 * cannot be reached or says that the cluster is down, the route asks for a new map, though not with
 * every call.
 */
#ifndef RL_CLUSTER_H
#define RL_CLUSTER_H

#include "route.h"
#include "../redis/address.h"

/*
 * Takes the addresses over, also on failure. The map is shared through `cache`; without a cache it
 * belongs to the route alone. NULL: out of memory.
 */
struct rl_route *rl_cluster_route(struct rl_seed_addresses *addresses, struct rl_cache *cache);

#endif
