#include "clock.h"

rl_time __real_rl_now(void);
rl_time __wrap_rl_now(void);
enum rl_poll_result __real_rl_poll(struct rl_pollfd *fds, size_t count, rl_time deadline);
enum rl_poll_result __wrap_rl_poll(struct rl_pollfd *fds, size_t count, rl_time deadline);

static bool stopped;
static rl_time stopped_at, ahead;
static long readings_left = -1;
static rl_time jump;

rl_time __wrap_rl_now(void)
{
	if (readings_left >= 0 && readings_left-- == 0) {
		clock_advance(jump);
	}
	return stopped ? stopped_at : __real_rl_now() + ahead;
}

enum rl_poll_result __wrap_rl_poll(struct rl_pollfd *fds, size_t count, rl_time deadline)
{
	enum rl_poll_result result;

	if (deadline == RL_FOREVER) {
		return __real_rl_poll(fds, count, RL_FOREVER);
	}
	result = __real_rl_poll(fds, count, __real_rl_now() + (deadline - __wrap_rl_now()));
	if (result == RL_POLL_DEADLINE && stopped && stopped_at < deadline) {
		stopped_at = deadline;
	}
	return result;
}

void clock_advance(rl_time by)
{
	if (stopped) {
		stopped_at += by;
	} else {
		ahead += by;
	}
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
