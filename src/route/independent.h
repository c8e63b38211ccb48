/*
 * The route to several independent masters, none of which answers for the others: a majority of
 * them decides.
 */
#ifndef RL_INDEPENDENT_H
#define RL_INDEPENDENT_H

#include "route.h"

/*
 * `count` servers, 2 to RL_NODES_MAX; a NULL among them stands for one that there was no memory
 * for. Copies the array, and takes the caller's references over, also on failure. NULL: out of
 * memory.
 */
struct rl_route *rl_independent_route(
	struct rl_server *const *servers, size_t count, rl_time connect_timeout, rl_time timeout);

/*
 * RL_MISUSE if two of such a route's servers have turned out to be one, which would have two votes.
 */
enum rl_status rl_independent_check(const struct rl_route *route, struct rl_error *error);

#endif
