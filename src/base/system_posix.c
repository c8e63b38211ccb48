/*
 * The system as POSIX and its dialects have it: Linux, the BSDs, macOS.
 *
 * Assumes that a child is made by fork(), which runs the handlers of pthread_atfork(), and not
 * by a bare clone(2).
 */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* CLOCK_BOOTTIME */
#endif

#include "system.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- the clock --- */

/*
 * Chosen once: moments of two clocks must never meet. macOS's CLOCK_MONOTONIC runs on in suspend.
 */
static clockid_t the_clock = CLOCK_MONOTONIC;

static bool clock_start(void)
{
	struct timespec ts;

#ifdef CLOCK_BOOTTIME
	if (clock_gettime(CLOCK_BOOTTIME, &ts) == 0) {
		the_clock = CLOCK_BOOTTIME;
		return true;
	}
#endif
	return clock_gettime(the_clock, &ts) == 0;
}

rl_time rl_now(void)
{
	struct timespec ts;

	clock_gettime(the_clock, &ts); /* cannot fail: rl_system_start() has tried it */
	return (rl_time)ts.tv_sec * RL_SECOND + ts.tv_nsec;
}

/* --- processes --- */

static uint64_t generation;

static void in_child(void)
{
	generation++;
}

uint64_t rl_system_generation(void)
{
	return generation;
}

bool rl_system_at_fork(
	bool *done, void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
	*done = *done || pthread_atfork(before, in_parent, in_child) == 0;
	return *done;
}

bool rl_system_start(void)
{
	static bool started;

	return started || (clock_start() && rl_system_at_fork(&started, NULL, NULL, in_child));
}

long rl_system_pid(void)
{
	return (long)getpid();
}

void rl_system_hostname(char *buffer, size_t size)
{
	char name[256]; /* more than any system allows: systems differ in what they do on a cut */

	if (gethostname(name, sizeof(name)) != 0) {
		name[0] = '\0';
	}
	name[sizeof(name) - 1] = '\0';
	snprintf(buffer, size, "%s", name[0] != '\0' ? name : "unknown");
}

/* --- secrets --- */

void rl_system_wipe(void *secret, size_t size)
{
	if (size > 0) {
		memset(secret, 0, size);
		/* To the compiler, somebody reads it here. */
		__asm__ __volatile__(""
							 :
							 : "r"(secret)
							 : "memory");
	}
}
