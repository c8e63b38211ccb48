/*
 * Threads, as far as POSIX and Windows differ in them: what one background thread needs.
 *
 * One .c file per family has it (thread_posix.c, thread_windows.c).
 */
#ifndef RL_THREAD_H
#define RL_THREAD_H

#include "system.h"

#ifdef _WIN32
# include "socket.h" /* before windows.h */
# include <windows.h>
typedef SRWLOCK rl_mutex;
# define RL_MUTEX_INIT SRWLOCK_INIT
typedef HANDLE rl_thread_handle;
#else
# include <pthread.h>
typedef pthread_mutex_t rl_mutex;
# define RL_MUTEX_INIT PTHREAD_MUTEX_INITIALIZER
typedef pthread_t rl_thread_handle;
#endif

void rl_mutex_lock(rl_mutex *mutex);
void rl_mutex_unlock(rl_mutex *mutex);

struct rl_thread {
	rl_thread_handle handle;
	void (*run)(void);
};

/*
 * Starts a thread to which no signal is delivered: they are the program's. `thread` stays where
 * it is until it was joined. False: the system refused.
 */
bool rl_thread_start(struct rl_thread *thread, void (*run)(void));
void rl_thread_join(struct rl_thread *thread);
/* Tells the running threads apart. */
uintptr_t rl_thread_id(void);

/*
 * Called around every fork(): what threads share must be whole when it is copied. There is no
 * going back. False: the system refused.
 */
bool rl_thread_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* Where one thread sleeps and others wake it. */
struct rl_sleeper {
#ifdef _WIN32
	HANDLE event;
#else
	int timer;   /* -1: the system has none that goes on in suspend */
	int wake[2]; /* read from the first, write to the second, which may be the same */
#endif
};

bool rl_sleeper_open(struct rl_sleeper *sleeper);
void rl_sleeper_close(struct rl_sleeper *sleeper);
/* Until `moment`, which may have passed in suspend, or until it was woken since the last sleep; or less. */
void rl_sleeper_sleep(struct rl_sleeper *sleeper, rl_time moment);
void rl_sleeper_wake(struct rl_sleeper *sleeper);

#endif
