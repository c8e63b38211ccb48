/*
 * A place where one thread sleeps until a moment has come or another thread wakes it.
 */
#ifndef RL_SLEEPER_H
#define RL_SLEEPER_H

#include "system.h"

#ifdef _WIN32
# include "socket.h" /* before windows.h */
# include <windows.h>
#else
# include "descriptor.h"
#endif

struct rl_sleeper {
#ifdef _WIN32
	HANDLE event;
#else
	int timer;                    /* -1: the system has none that runs on in suspend */
	struct rl_descriptor wake[2]; /* a pipe */
#endif
};

/* False: the system refused. */
bool rl_sleeper_open(struct rl_sleeper *sleeper);
/* False: the program has closed what this needs. Nothing of it is touched then. */
bool rl_sleeper_is_whole(const struct rl_sleeper *sleeper);
void rl_sleeper_close(struct rl_sleeper *sleeper);
/*
 * A sleep lasts so long at most: the system's clock for it may stand still in suspend, and a
 * program that closes all descriptors may have others under their numbers at once, which nobody
 * would wake.
 */
#define RL_SLEEPER_LONGEST RL_SECOND

/*
 * Sleeps until `moment`, which may pass while the machine is suspended, or until a wake-up that
 * came after the last sleep. A sleep may also end early, so callers look at the clock again.
 */
void rl_sleeper_sleep(struct rl_sleeper *sleeper, rl_time moment);
/* May be called from any thread. */
void rl_sleeper_wake(struct rl_sleeper *sleeper);

#endif
