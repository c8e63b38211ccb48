#include "change.h"
#include "../../base/run.h"

void rl_change_begin(
	struct rl_change *change, struct rl_owner *owner, const struct rl_lease *lease)
{
	*change = (struct rl_change){ .key = lease->entry.key,
		.stack = rl_stack_current(),
		.generation = rl_system_generation() };
	if (change->stack) {
		RL_LIST_ADD(&owner->changes, change, link);
	}
}

enum rl_wanted rl_change_end(struct rl_change *change)
{
	RL_LIST_REMOVE(change, link);
	return change->is_hurried ? rl_polls_pause(0) : rl_stack_wanted();
}

/* NULL: there is none. A child of the process has the parent's. */
static struct rl_change *find(const struct rl_owner *owner, struct rl_text key)
{
	struct rl_change *change = owner->changes;

	while (change
		&& ((key.data && !rl_text_is(change->key, key))
			|| change->generation != rl_system_generation())) {
		change = change->link.next;
	}
	return change;
}

struct finishing {
	struct rl_owner *owner;
	struct rl_text key;
	struct rl_change *change; /* whose stack is waited for */
};

/* While that is waited for, others may have stepped it. */
static enum rl_status go_on(void *machine, struct rl_polls *polls, struct rl_error *error)
{
	struct finishing *finishing = machine;
	struct rl_change *change = find(finishing->owner, finishing->key);

	if (change && change == finishing->change) {
		rl_stack_resume(change->stack);
		change = find(finishing->owner, finishing->key);
	}
	finishing->change = change;
	if (!change) {
		return RL_OK;
	}
	change->is_hurried = true;
	*polls = *change->stack->polls;
	return RL_NO;
}

bool rl_owner_finish_changes(struct rl_owner *owner, struct rl_text key)
{
	struct finishing finishing = { .owner = owner, .key = key };
	struct rl_error ignored;

	return rl_run(go_on, &finishing, &ignored) == RL_OK;
}
