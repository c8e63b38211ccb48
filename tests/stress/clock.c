/*
 * A server's clock that can be set: LD_PRELOAD=clock.so RLOCK_CLOCK=FILE redis-server ...
 *
 * FILE has one int64, microseconds that are added to the time of day. Who writes it sets the clock.
 * Clocks that never step (CLOCK_MONOTONIC) are left alone, as they are where NTP or an operator
 * sets the clock.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset;

__attribute__((constructor)) static void open_offset(void)
{
	const char *name = getenv("RLOCK_CLOCK");
	int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	void *map = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(*offset), PROT_READ, MAP_SHARED, file, 0);
	if (map == MAP_FAILED) {
		abort();
	}
	offset = map;
}

static void add(int64_t *seconds, int64_t *fraction, int64_t second, int64_t offset_in_fractions)
{
	int64_t sum = *fraction + offset_in_fractions % second;
	*seconds += offset_in_fractions / second + (sum < 0 ? -1 : sum / second);
	*fraction = sum < 0 ? sum + second : sum % second;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	int status = syscall(SYS_clock_gettime, clock, time);
	if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
		int64_t seconds = time->tv_sec, nanoseconds = time->tv_nsec;
		add(&seconds, &nanoseconds, 1000000000, *offset * 1000);
		*time = (struct timespec){ seconds, nanoseconds };
	}
	return status;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	(void)zone;
	struct timespec precise;
	int status = clock_gettime(CLOCK_REALTIME, &precise);
	*time = (struct timeval){ precise.tv_sec, precise.tv_nsec / 1000 };
	return status;
}

time_t time(time_t *result)
{
	struct timespec precise;
	clock_gettime(CLOCK_REALTIME, &precise);
	return result ? *result = precise.tv_sec : precise.tv_sec;
}
