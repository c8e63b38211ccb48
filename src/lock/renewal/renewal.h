/*
 * Renewal as the glue sees it: on which terms a thread looks after an owner's leases, and when that
 * thread ends. owner.h includes this.
 */
#ifndef RL_RENEWAL_H
#define RL_RENEWAL_H

#include "../../base/system.h"

/*
 * Raised by the process's renewal thread, on that thread, when it finds a lease of the owner lost
 * or past its deadline. The function may set atomic flags and must do nothing else. It is not
 * called any more once the owner has been freed.
 */
struct rl_alarm {
	void (*raise)(void *context);
	void *context;
};

/*
 * How an owner's leases are looked after. With `renew` or an alarm, there is a thread while the
 * owner holds a lease.
 */
struct rl_renewal_terms {
	bool renew;       /* extend leases in the background */
	rl_time max_hold; /* until this long after the lock was taken; RL_FOREVER */
	/* without a function: none; after one, rl_owner_alarm() says what happened */
	struct rl_alarm alarm;
};

/*
 * At a request's end nothing is left of its renewal but a thread that sleeps, and knows nothing of
 * it. A thread that has talked to a server has connections: rl_renewal_rest() ends it, unless a
 * lease still needs it, and waits for that for 0.1 s at most. One that has not is left asleep.
 * rl_renewal_stop() ends it in any case and returns when it has ended: before this code may be
 * unloaded. Without a thread, both do nothing.
 */
void rl_renewal_rest(void);
void rl_renewal_stop(void);

#endif
