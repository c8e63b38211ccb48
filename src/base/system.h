/*
 * What differs between operating systems and their compilers: the clock, fork and names. Sockets
 * are in socket.h, waiting for them in poll.h, threads in thread.h, a thread's sleep in sleeper.h,
 * randomness in random.h, paths in path.h.
 *
 * Each has one .c file per family of systems (system_posix.c, system_windows.c). Nothing else in
 * the project calls these parts of the system. rl_time and rl_now() bear no prefix of a file: every
 * layer lives by them.
 */
#ifndef RL_SYSTEM_H
#define RL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef _MSC_VER
# define RL_THREAD_LOCAL __declspec(thread)
# define RL_CHECK_FORMAT(format_at, arguments_at)
# define RL_MUST_USE
#else
# define RL_THREAD_LOCAL _Thread_local
# define RL_MUST_USE     __attribute__((warn_unused_result))
# if defined(__MINGW32__) && !defined(__clang__)
#  define RL_FORMAT gnu_printf /* `printf` is that of a C library older than C99 */
# else
#  define RL_FORMAT printf
# endif
# define RL_CHECK_FORMAT(format_at, arguments_at) \
  __attribute__((format(RL_FORMAT, format_at, arguments_at)))
#endif

/* A moment or a duration in nanoseconds. */
typedef int64_t rl_time;

#define RL_MICROSECOND ((rl_time)1000)
#define RL_MILLISECOND ((rl_time)1000000)
#define RL_SECOND      ((rl_time)1000000000)
#define RL_FOREVER     INT64_MAX

/* The lesser, or the greater, of two moments or durations. */
static inline rl_time rl_time_earlier(rl_time a, rl_time b)
{
	return a < b ? a : b;
}

static inline rl_time rl_time_later(rl_time a, rl_time b)
{
	return a > b ? a : b;
}

/* The deadline of a first step that leaves half of the time to what follows. */
static inline rl_time rl_time_half_way(rl_time now, rl_time deadline)
{
	return now + (deadline - now) / 2;
}

/*
 * Where a deadline moves if what has come by now leads further, though it has passed: nobody had
 * looked since `looked_at`, so what was left then counts from now. But for no longer than this look
 * is late: who waits for the deadline itself comes only a little after it, and had all of the time.
 */
static inline rl_time rl_time_moved(rl_time deadline, rl_time looked_at, rl_time now)
{
	return now + rl_time_earlier(deadline - looked_at, now - deadline);
}

/*
 * Now, on a clock that never steps and that runs on while the machine is suspended
 * (CLOCK_BOOTTIME where it exists). By a clock that stops in suspend, a lease that ran out
 * meanwhile would look alive.
 */
rl_time rl_now(void);

/*
 * Rises by one in a child after fork(). What another generation made (a lease, a socket) is
 * the parent's: a child never uses it, and closes it without sending anything.
 */
uint64_t rl_system_generation(void);

/*
 * Registers functions that run around every fork(), unless `*done` says that they are: what threads
 * share must be whole when it is copied. Each may be NULL. There is no way to take them back. What
 * is registered last runs `before` first: a mutex that is locked while another is comes after it.
 * False: the system refused.
 */
bool rl_system_at_fork(
	bool *done, void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* Once per process, before anything else of this library. False: the system refused. */
bool rl_system_start(void);

long rl_system_pid(void);
/* Writes the host's name, always terminated; "unknown" if the system does not say. */
void rl_system_hostname(char *buffer, size_t size);
/* Overwrites what held a secret, also where a compiler sees that nobody reads it again. */
void rl_system_wipe(void *secret, size_t size);

#endif
