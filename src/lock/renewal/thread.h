/*
 * The renewal thread: it runs while there are tasks, and renews those that are due. How long it
 * pauses, by chance, before it tries again is here, too; when a task is due is in task.h. renewal.h
 * has the functions that end the thread; callers of the two below have locked the mutex of task.h.
 */
#ifndef RL_RENEWAL_THREAD_H
#define RL_RENEWAL_THREAD_H

#include "task.h"

/* One that has talked to a server ends by itself this long after the last task. */
#define RL_RENEWAL_LINGER (20 * RL_MILLISECOND)
/*
 * One that has not ends this long after it: to look once a second so often costs about as much as
 * to start another.
 */
#define RL_RENEWAL_SLUMBER (10 * RL_SECOND)

/* Starts the thread if it does not run, before a task is linked. False: the system refuses. */
bool rl_renewal_start(void);
/* It looks at all tasks by then, and not later. */
void rl_renewal_wake_by(rl_time moment);
/* There may be no task any more. */
void rl_renewal_idle(void);

#endif
