/*
 * A machine, run to its end.
 *
 * What talks to servers is stepped from outside: a step goes on as far as that can be done without
 * waiting, and says what it waits for (poll.h), so that somebody who waits for several can drive
 * them together. Whoever waits for one alone runs it by this; who waits for more than one has a
 * loop of his own (dev/check-waits lists them).
 */
#ifndef RL_MACHINE_H
#define RL_MACHINE_H

#include "error.h"
#include "poll.h"

/*
 * A step. `polls` is empty. RL_NO: the machine is under way, and what it waits for is added.
 * Otherwise it is over.
 */
typedef enum rl_status rl_machine_go_on(
	void *machine, struct rl_polls *polls, struct rl_error *error);

/* RL_INTERRUPTED: nobody wants the end any more (rl_stack_wanted()), and it is still under way. */
enum rl_status rl_machine_run(rl_machine_go_on *go_on, void *machine, struct rl_error *error);

#endif
