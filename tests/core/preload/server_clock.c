/*
 * Loaded into a redis-server by LD_PRELOAD: a wall clock that a test can set. The file that
 * RLOCK_SERVER_CLOCK names holds by how many microseconds it is ahead, as an int64.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static const volatile int64_t *ahead;

__attribute__((constructor)) static void open_clock(void)
{
	const char *path = getenv("RLOCK_SERVER_CLOCK");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, fd, 0);

	ahead = at == MAP_FAILED ? NULL : at;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	static int (*real)(clockid_t, struct timespec *);
	int result;

	if (!real) {
		*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	}
	result = real(clock, time);
	if (ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
		int64_t us = *ahead + (int64_t)time->tv_sec * 1000000 + time->tv_nsec / 1000;

		time->tv_sec = us / 1000000;
		time->tv_nsec = us % 1000000 * 1000;
	}
	return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	*time = (struct timeval){ .tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000 };
	return 0;
}

time_t time(time_t *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (out) {
		*out = now.tv_sec;
	}
	return now.tv_sec;
}
