/*
 * A sleep that a byte in a pipe ends.
 */
#include "sleeper.h"
#include "descriptor.h"
#include "poll.h"

#include <unistd.h>

bool rl_sleeper_open(struct rl_sleeper *sleeper)
{
	int ends[2];

	if (!rl_descriptor_pipe(ends)) {
		return false;
	}
	sleeper->wake[0] = rl_descriptor_note(ends[0]);
	sleeper->wake[1] = rl_descriptor_note(ends[1]);
	return true;
}

bool rl_sleeper_is_whole(const struct rl_sleeper *sleeper)
{
	return rl_descriptor_is_ours(&sleeper->wake[0]) && rl_descriptor_is_ours(&sleeper->wake[1]);
}

void rl_sleeper_close(struct rl_sleeper *sleeper)
{
	if (!rl_sleeper_is_whole(sleeper)) {
		return;
	}
	close(sleeper->wake[0].fd);
	close(sleeper->wake[1].fd);
}

void rl_sleeper_sleep(struct rl_sleeper *sleeper, rl_time moment)
{
	struct rl_pollfd woken = { .fd = sleeper->wake[0].fd, .want_read = true };
	char drained[64];

	rl_poll(&woken, 1, moment);
	while (woken.ready && rl_sleeper_is_whole(sleeper)
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
