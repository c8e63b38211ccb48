/*
 * Idle connections, either those of one server or those of all servers in a cache, so that a
 * process keeps few of them however many servers, databases and logins it talks to.
 *
 * Connections that nobody has used for RL_IDLE_FOR are closed, and of more than RL_IDLE_MAX the one
 * that was used least recently. Deferred answers that have come are read first.
 */
#ifndef RL_IDLE_H
#define RL_IDLE_H

#include "connection.h"

#define RL_IDLE_MAX 64
#define RL_IDLE_FOR (60 * RL_SECOND)

struct rl_idle {
	struct rl_connection *newest, *oldest;
	size_t count;
};

/* Takes over a connection that was used just now. */
void rl_idle_put(struct rl_idle *idle, struct rl_connection *connection);
/*
 * The one to this address that was used last, which is the caller's from now on; NULL: none.
 * `owing`: one that owes answers, if there is any, and rather `behind` than another.
 */
struct rl_connection *rl_idle_take(struct rl_idle *idle, const struct rl_address *address,
	bool owing, const struct rl_connection *behind);
/* Closes connections that nobody has used for RL_IDLE_FOR. */
void rl_idle_tidy(struct rl_idle *idle, rl_time now);

#endif
