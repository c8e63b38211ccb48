#include "hook.h"
#include "stack.h"

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

enum rl_wanted rl_polls_wait(struct rl_polls *polls)
{
	struct rl_stack *stack = rl_stack_current();

	return stack ? rl_stack_wait(stack, polls) : rl_hook_wait(polls);
}

enum rl_wanted rl_polls_pause(rl_time until)
{
	struct rl_polls polls;

	rl_polls_begin(&polls);
	rl_polls_until(&polls, until);
	return rl_polls_wait(&polls);
}
