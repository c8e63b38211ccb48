/*
 * The route to one server, whatever the key: the one that the address names.
 */
#ifndef RL_DIRECT_H
#define RL_DIRECT_H

#include "route.h"

/* Takes the caller's reference to the server over, also on failure. NULL: out of memory. */
struct rl_route *rl_direct_route(
	struct rl_server *server, rl_time connect_timeout, rl_time timeout);

#endif
