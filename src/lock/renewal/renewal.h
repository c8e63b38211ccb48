/*
 * The renewal thread: it runs while there are records, and renews those that are due. How long it pauses, by chance, before
 * it tries again is here, too; when a record is due is in record.h. owner.h has the functions that end the thread; callers of
 * the two below have locked the mutex of record.h.
 */
#ifndef RL_RENEWAL_H
#define RL_RENEWAL_H

#include "record.h"

/* It ends by itself this long after the last record: the next one may come soon. */
#define RL_RENEWAL_LINGER (20 * RL_MILLISECOND)

/* Starts the thread if it does not run, before a record is linked. False: the system refuses. */
bool rl_renewal_start(void);
/* It looks at all records by then, and not later. */
void rl_renewal_wake_by(rl_time moment);

#endif
