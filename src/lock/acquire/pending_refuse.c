/*
 * What an owner asks for in steps, it does not ask for in another way.
 */
#include "pending.h"
#include "../shown_name.h"

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
