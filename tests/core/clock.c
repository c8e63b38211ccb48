#include "clock.h"
#include "waits.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/sleeper.h"

rl_time __real_rl_now(void);
rl_time __wrap_rl_now(void);
enum rl_poll_result __real_rl_poll(struct rl_pollfd *fds, size_t count, rl_time deadline);
enum rl_poll_result __wrap_rl_poll(struct rl_pollfd *fds, size_t count, rl_time deadline);

bool __real_rl_sleeper_open(struct rl_sleeper *sleeper);
bool __wrap_rl_sleeper_open(struct rl_sleeper *sleeper);
void __real_rl_sleeper_close(struct rl_sleeper *sleeper);
void __wrap_rl_sleeper_close(struct rl_sleeper *sleeper);
void __real_rl_sleeper_sleep(struct rl_sleeper *sleeper, rl_time moment);
void __wrap_rl_sleeper_sleep(struct rl_sleeper *sleeper, rl_time moment);

/* Also read by a thread of the core's. */
static _Atomic bool stopped;
static _Atomic rl_time stopped_at, ahead;
static _Atomic long readings_left = -1;
static rl_time jump;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

/* In rl_poll(), which waits in real time, and reads the clock itself. */
static _Thread_local bool polls;
static _Atomic int pollers;

/* The core has one sleeper at a time, which it does not close while it is woken. */
static struct rl_sleeper *current;
static pthread_mutex_t waking = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool sleeps;
static _Atomic unsigned long sleep_count;

rl_time __wrap_rl_now(void)
{
	if (polls) {
		return __real_rl_now();
	}
	if (readings_left >= 0 && readings_left-- == 0) {
		clock_advance(jump);
	}
	if (!stopped) {
		return __real_rl_now() + ahead;
	}
	pthread_mutex_lock(&held);
	pthread_mutex_unlock(&held);
	return stopped_at;
}

enum rl_poll_result __wrap_rl_poll(struct rl_pollfd *fds, size_t count, rl_time deadline)
{
	enum rl_poll_result result;
	rl_time real_deadline, until;

	waits_begin();
	if (deadline == RL_FOREVER) {
		return __real_rl_poll(fds, count, RL_FOREVER);
	}
	real_deadline = __real_rl_now() + (deadline - __wrap_rl_now());
	polls = true;
	pollers++;
	do {
		until = stopped ? rl_time_earlier(real_deadline, __real_rl_now() + RL_MILLISECOND)
						: real_deadline;
		result = __real_rl_poll(fds, count, until);
	} while (result == RL_POLL_DEADLINE && until < real_deadline && stopped_at < deadline);
	polls = false;
	pollers--;
	if (result == RL_POLL_DEADLINE && stopped && stopped_at < deadline) {
		stopped_at = deadline;
	}
	return result;
}

bool __wrap_rl_sleeper_open(struct rl_sleeper *sleeper)
{
	bool opened = __real_rl_sleeper_open(sleeper);

	pthread_mutex_lock(&waking);
	current = opened ? sleeper : NULL;
	pthread_mutex_unlock(&waking);
	sleeps = false;
	return opened;
}

void __wrap_rl_sleeper_close(struct rl_sleeper *sleeper)
{
	pthread_mutex_lock(&waking);
	current = NULL;
	pthread_mutex_unlock(&waking);
	__real_rl_sleeper_close(sleeper);
}

void __wrap_rl_sleeper_sleep(struct rl_sleeper *sleeper, rl_time moment)
{
	sleep_count++;
	sleeps = true;
	__real_rl_sleeper_sleep(sleeper, stopped || moment == RL_FOREVER ? RL_FOREVER : moment - ahead);
	sleeps = false;
}

bool clock_is_waited_by(void)
{
	return pollers > 0;
}

bool clock_sleeper_sleeps(void)
{
	return sleeps;
}

unsigned long clock_sleeps(void)
{
	return sleep_count;
}

void clock_advance(rl_time by)
{
	if (stopped) {
		stopped_at += by;
	} else {
		ahead += by;
	}
	pthread_mutex_lock(&waking);
	if (current) {
		rl_sleeper_wake(current); /* as a timer that ran out in suspend */
	}
	pthread_mutex_unlock(&waking);
}

void clock_advance_at(long reading, rl_time by)
{
	readings_left = reading;
	jump = by;
}

bool clock_has_advanced(void)
{
	return readings_left < 0;
}

void clock_stop(rl_time at)
{
	stopped = true;
	stopped_at = at;
}

void clock_hold(void)
{
	pthread_mutex_lock(&held);
}

void clock_let_go(void)
{
	pthread_mutex_unlock(&held);
}

void clock_reset(void)
{
	stopped = false;
	ahead = 0;
	readings_left = -1;
}

rl_time clock_real(void)
{
	return __real_rl_now();
}
