/*
 * Idle connections: of one server, or of all that a cache has, so that a process keeps few of
 * them however many servers, databases and logins it talks to.
 *
 * Whatever is put in or taken out, those that nobody has used for a while are closed, and of more
 * than the most the one that was used least recently. An answer that is owed on such a connection is read
 * if it has come.
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

/* Takes it over; it was used just now. */
void rl_idle_put(struct rl_idle *idle, struct rl_connection *connection);
/* The newest to this address, now the caller's; NULL: none. `owing`: one that owes answers, if there is. */
struct rl_connection *rl_idle_take(struct rl_idle *idle, const struct rl_address *address, bool owing);
/* This very one. False: it is not there. */
bool rl_idle_take_this(struct rl_idle *idle, struct rl_connection *connection);
/* Closes what was not used for too long. */
void rl_idle_tidy(struct rl_idle *idle, rl_time now);

#endif
