/*
 * The system as POSIX and its dialects have it: Linux, the BSDs, macOS.
 *
 * Assumes that a child is made by fork(), which runs the handlers of pthread_atfork(), and not
 * by a bare clone(2).
 */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* CLOCK_BOOTTIME, getentropy */
#endif

#include "system.h"
#include "descriptor.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
# include <sys/random.h> /* getentropy */
#endif

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

/* --- randomness --- */

#define POOL_SIZE 256 /* the most that getentropy() gives at once */

/* Random bytes in stock, since every lock needs some and a system call costs more than they do. */
struct pool {
	unsigned char bytes[POOL_SIZE];
	size_t left;         /* unused, at the end of `bytes` */
	uint64_t generation; /* a child must not repeat its parent's */
};

static RL_THREAD_LOCAL struct pool pool;

static bool pool_fill(void)
{
	pool.left = 0;
	/* The device is for kernels and sandboxes without the system call. */
	if (getentropy(pool.bytes, POOL_SIZE) != 0
		&& rl_descriptor_read_file("/dev/urandom", pool.bytes, POOL_SIZE) != POOL_SIZE) {
		return false;
	}
	pool.left = POOL_SIZE;
	pool.generation = rl_system_generation();
	return true;
}

bool rl_system_random(void *buffer, size_t size)
{
	unsigned char *out = buffer;

	while (size > 0) {
		unsigned char *from;
		size_t take;

		if ((pool.left == 0 || pool.generation != rl_system_generation()) && !pool_fill()) {
			return false;
		}
		take = size < pool.left ? size : pool.left;
		from = pool.bytes + POOL_SIZE - pool.left;
		memcpy(out, from, take);
		memset(from, 0, take);
		pool.left -= take;
		out += take;
		size -= take;
	}
	return true;
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
