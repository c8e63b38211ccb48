/*
 * The renewal thread: it runs while there are records, and looks after them. owner.h has the functions that end it;
 * callers of the two below have locked the mutex of record.h.
 */
#ifndef RL_RENEWAL_THREAD_H
#define RL_RENEWAL_THREAD_H

#include "record.h"

/* It ends by itself this long after the last record: the next one may come soon. */
#define RL_RENEWAL_LINGER (20 * RL_MILLISECOND)

/* Starts the thread if it does not run, before a record is linked. False: the system refuses. */
bool rl_renewal_start(void);
/* It looks at all records by then, and not later. */
void rl_renewal_wake_by(rl_time moment);

#endif
