/*
 * A sleep that a timer ends, or a byte in a pipe. Where the system has such a timer it runs on in
 * suspend, and while the process is stopped: ppoll(2) sleeps on then for what was left.
 */
#include "sleeper.h"
#include "descriptor.h"
#include "poll.h"

#include <unistd.h>
#ifdef __linux__
# include <sys/timerfd.h>
# include <time.h>
#endif

#ifdef __linux__

static int open_timer(void)
{
	return rl_descriptor_keep(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
}

static bool set_timer(int timer, rl_time moment)
{
	struct itimerspec at = { .it_interval = { 0 } };

	at.it_value.tv_sec = (time_t)(moment / RL_SECOND);
	at.it_value.tv_nsec = (long)(moment % RL_SECOND) + (moment == 0); /* 0 would be never */
	return timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL) == 0;
}

#else

static int open_timer(void)
{
	return -1;
}

static bool set_timer(int timer, rl_time moment)
{
	return false;
}

#endif

bool rl_sleeper_open(struct rl_sleeper *sleeper)
{
	int ends[2];

	if (!rl_descriptor_pipe(ends)) {
		return false;
	}
	sleeper->wake[0] = rl_descriptor_note(ends[0]);
	sleeper->wake[1] = rl_descriptor_note(ends[1]);
	sleeper->timer = open_timer();
	return true;
}

/* The timer goes along: what closes it closes the others. */
bool rl_sleeper_is_whole(const struct rl_sleeper *sleeper)
{
	return rl_descriptor_is_ours(&sleeper->wake[0]) && rl_descriptor_is_ours(&sleeper->wake[1]);
}

void rl_sleeper_close(struct rl_sleeper *sleeper)
{
	if (!rl_sleeper_is_whole(sleeper)) {
		return;
	}
	if (sleeper->timer >= 0) {
		close(sleeper->timer);
	}
	close(sleeper->wake[0].fd);
	close(sleeper->wake[1].fd);
}

void rl_sleeper_sleep(struct rl_sleeper *sleeper, rl_time moment)
{
	struct rl_pollfd fds[] = {
		{ .fd = sleeper->wake[0].fd, .want_read = true },
		{ .fd = sleeper->timer, .want_read = true },
	};
	rl_time latest = rl_now() + RL_SLEEPER_LONGEST;
	bool timed = sleeper->timer >= 0 && set_timer(sleeper->timer, moment);
	char drained[64];

	rl_poll(fds, timed ? 2 : 1, rl_time_earlier(moment, latest));
	/* The timer is set anew before it is looked at again. */
	while (fds[0].ready && rl_sleeper_is_whole(sleeper)
		&& read(sleeper->wake[0].fd, drained, sizeof drained) == (ssize_t)sizeof drained) {
	}
}

void rl_sleeper_wake(struct rl_sleeper *sleeper)
{
	/* If it is full, somebody has done so already. */
	if (rl_sleeper_is_whole(sleeper) && write(sleeper->wake[1].fd, "", 1) < 0) {
		return;
	}
}
