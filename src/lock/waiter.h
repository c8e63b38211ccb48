/*
 * Who waits for which lock, as the server can tell it: in the name of a connection that is parked,
 * rlock:HOST:PID:HASH:SINCE, with :shared behind it where a share is wanted. HASH stands for the
 * lock's key, so that the list of clients does not tell what locks are called. It keeps no secret
 * from those who can guess that.
 */
#ifndef RL_WAITER_H
#define RL_WAITER_H

#include "../base/process_name.h"

#define RL_WAITER_HASH      16 /* digits */
#define RL_WAITER_NAME_SIZE (RL_PROCESS_NAME_SIZE + 64)

struct rl_waiter {
	struct rl_text process;    /* HOST:PID; points into the name that was read */
	char hash[RL_WAITER_HASH]; /* of the lock's key, prefix included */
	int64_t since_ms;          /* since 1970 by the server's clock; 0: not known */
	bool is_shared;            /* it wants a share */
};

/* The same in all versions of rlock. */
void rl_waiter_hash(char hash[RL_WAITER_HASH], struct rl_text key);
/* For a waiter of this process. Returns the length. */
size_t rl_waiter_put_name(char buffer[RL_WAITER_NAME_SIZE], const struct rl_waiter *waiter);
/* False: it is no waiter's name. */
bool rl_waiter_read_name(struct rl_text name, struct rl_waiter *waiter);

#endif
