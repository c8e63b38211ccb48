#include "machine.h"
#include "socket.h"
#include "stack.h"

/*
 * In the way that is fastest, for so short a time that no hook need run; on a stack of its own
 * nothing may hold the thread up.
 */
static enum rl_wanted wait(struct rl_polls *polls)
{
	if (polls->receive && polls->count == 1 && !rl_stack_current()
		&& polls->until - rl_now() > RL_SOCKET_PATIENCE) {
		polls->receive(polls->receiver);
		polls->fds[0].ready = true;
		return RL_WANTED;
	}
	return rl_polls_wait(polls);
}

enum rl_status rl_machine_run(rl_machine_go_on *go_on, void *machine, struct rl_error *error)
{
	struct rl_polls polls;
	enum rl_status status;

	do {
		rl_polls_begin(&polls);
		status = go_on(machine, &polls, error);
		if (status != RL_NO) {
			return status;
		}
	} while (wait(&polls) == RL_WANTED);
	return rl_fail_unwanted(error);
}
