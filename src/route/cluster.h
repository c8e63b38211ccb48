/*
 * The route into a Redis Cluster: each key to the node that has its slot.
 *
 * The map of slots is asked for at the first use, of any node that answers, each for a share of
 * the time. Where it turns out wrong, the node that was asked says where the slot is (MOVED), or
 * that this once another is to be asked (ASK). After such news, and when a node cannot be reached
 * or says that the cluster is down, the map is asked for again, though not with every call.
 */
#ifndef RL_CLUSTER_H
#define RL_CLUSTER_H

#include "route.h"
#include "../redis/address_list.h"

/*
 * Takes the addresses over, also on failure. What is found out lives in `cache` if it is
 * persistent; NULL: in the route alone. NULL: out of memory.
 */
struct rl_route *rl_cluster_route(struct rl_address_list *addresses, struct rl_cache *cache);

#endif
