/*
 * What was asked for in steps is in the way of other calls that ask for the same: while it is
 * wanted, they are refused; once it is not any more, it goes on until its stack is over.
 */
#include "pending.h"
#include "../shown_name.h"
#include "../../base/machine.h"

#include <stdlib.h>

/* --- wanted --- */

enum rl_status rl_pending_refuse(
	const struct rl_owner *owner, struct rl_text key, struct rl_error *error)
{
	const struct rl_pending *pending = owner->pendings;
	char name[RL_NAME_SIZE];

	while (pending
		&& (!rl_text_is(pending->terms.key, key) || pending->generation != rl_system_generation()
			|| pending->stack == rl_stack_current())) {
		pending = pending->link.next;
	}
	return pending ? rl_fail(error, RL_MISUSE,
			   "This RLock waits for the lock \"%s\" already, by requestLock(): poll that, or cancel it",
			   rl_shown_name(name, sizeof name, key))
				   : RL_OK;
}

/* --- not wanted any more --- */

/* Those of this thread. */
static RL_THREAD_LOCAL struct rl_pending *unwanted;

void rl_pending_add_unwanted(struct rl_pending *pending)
{
	RL_LIST_ADD(&unwanted, pending, beside);
}

void rl_pending_free(struct rl_pending *pending)
{
	rl_stack_free(pending->stack);
	free(pending->error);
	free(pending);
}

/* Resuming one may end others, but frees none. */
void rl_pending_tidy(void)
{
	struct rl_pending *next;

	for (struct rl_pending *pending = unwanted; pending; pending = next) {
		if (!pending->stack->is_over) {
			rl_stack_resume(pending->stack);
		}
		next = pending->beside.next;
		if (pending->stack->is_over) {
			RL_LIST_REMOVE(pending, beside);
			if (pending->is_ended) {
				rl_pending_free(pending);
			}
		}
	}
}

/* NULL, and without data: any. */
static struct rl_pending *find_unwanted(const struct rl_owner *owner, struct rl_text key)
{
	struct rl_pending *pending = unwanted;

	while (pending
		&& (pending->stack->is_over || (owner && pending->owner != owner)
			|| (key.data && !rl_text_is(pending->terms.key, key)))) {
		pending = pending->beside.next;
	}
	return pending;
}

/* What all of them wait for. */
static void await(struct rl_polls *polls)
{
	for (const struct rl_pending *pending = unwanted; pending; pending = pending->beside.next) {
		const struct rl_polls *its = pending->stack->polls;

		for (size_t i = 0; its && i < its->count; i++) {
			rl_polls_add(polls, its->fds[i].fd, its->fds[i].want_read, its->fds[i].want_write);
		}
		rl_polls_until(polls, its ? its->until : RL_FOREVER);
	}
}

struct finishing {
	const struct rl_owner *owner;
	struct rl_text key;
	rl_time deadline;
};

static enum rl_status go_on(void *machine, struct rl_polls *polls, struct rl_error *error)
{
	const struct finishing *finishing = machine;

	rl_pending_tidy();
	if (!find_unwanted(finishing->owner, finishing->key) || rl_now() >= finishing->deadline) {
		return RL_OK;
	}
	rl_polls_until(polls, finishing->deadline);
	await(polls);
	return RL_NO;
}

enum rl_status rl_pending_settle(
	struct rl_owner *owner, struct rl_text key, rl_time deadline, struct rl_error *error)
{
	struct finishing finishing = { owner, key, deadline };

	return find_unwanted(owner, key) ? rl_machine_run(go_on, &finishing, error) : RL_OK;
}

void rl_pending_finish(struct rl_owner *owner, rl_time deadline)
{
	const struct rl_text any = { NULL, 0 };
	struct finishing finishing = { owner, any, deadline };
	struct rl_pending *pending;
	struct rl_error ignored;

	rl_machine_run(go_on, &finishing, &ignored);
	while ((pending = find_unwanted(owner, any))) {
		pending->stack->wanted = RL_DROPPED;
		rl_stack_resume(pending->stack);
	}
	rl_pending_tidy();
}
