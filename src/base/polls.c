#include "poll.h"

/* What does not fit is looked at soon. */
void rl_polls_add(struct rl_polls *polls, int fd, bool to_read, bool to_write)
{
	if (!polls) {
		return;
	}
	if (polls->count == RL_POLL_MAX) {
		rl_polls_until(polls, rl_now() + RL_MILLISECOND);
		return;
	}
	polls->fds[polls->count++] = (struct rl_pollfd){
		.fd = fd, .want_read = to_read, .want_write = to_write
	};
}

void rl_polls_wait(struct rl_polls *polls)
{
	while (rl_poll(polls->fds, polls->count, polls->until) == RL_POLL_SIGNAL) {
	}
}
