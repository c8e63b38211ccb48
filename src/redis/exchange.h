/*
 * Questions to a server about itself: for who has to find the server that a script is for.
 */
#ifndef RL_EXCHANGE_H
#define RL_EXCHANGE_H

#include "connection.h"

/* A command that is no script, and its answer: RL_OK, RL_REFUSED, RL_UNREACHABLE or RL_NO_MEMORY. */
enum rl_status rl_connection_exchange(struct rl_connection *connection, const struct rl_text *words, size_t count,
	rl_time deadline, const struct rl_reply **reply, struct rl_error *error);

/* A part of the time that is left, at most `longest`, so that others can be asked after it: the moment when it ends. */
rl_time rl_share_of(rl_time deadline, rl_time longest);

#endif
