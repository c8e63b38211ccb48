/*
 * The seam to where a script is sent: one server, or the one that Sentinel or a cluster's slot
 * map names. What runs scripts asks the route for the server of a key, and tells it of
 * refusals from which it can learn that the server was the wrong one.
 */
#ifndef RL_ROUTE_H
#define RL_ROUTE_H

#include "server.h"

struct rl_route {
	/* The server that answers for `key` now; valid until the route's next call, or while a connection of it is lent. */
	enum rl_status (*locate)(struct rl_route *route, struct rl_text key, rl_time deadline,
		struct rl_server **server, struct rl_error *error);
	/* `refusal` came from there. True: the map has changed, locate again and repeat. */
	bool (*learn)(struct rl_route *route, struct rl_text key, const struct rl_error *refusal);
	/* A route to the same servers that shares nothing with this one, for another thread. Does no I/O. NULL: out of memory. */
	struct rl_route *(*duplicate)(const struct rl_route *route);
	void (*free)(struct rl_route *route);
	const char *identity;          /* the same for all routes to the same servers with the same settings; holds secrets */
	const char *name;              /* for messages */
	rl_time timeout;               /* one call's whole deadline */
	const char *evicting;          /* a server that may evict locks, to be told once by who resets it; or NULL */
	uint64_t requests, reconnects; /* counted by what sends */
};

/* The route to one server, whatever the key. Takes a reference over, also on failure. NULL: out of memory. */
struct rl_route *rl_route_single(struct rl_server *server);

#endif
