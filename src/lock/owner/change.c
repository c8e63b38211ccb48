#include "change.h"

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

bool rl_owner_finish_changes(struct rl_owner *owner, struct rl_text key)
{
	struct rl_change *change;
	struct rl_polls polls;

	while ((change = find(owner, key))) {
		change->is_hurried = true;
		polls = *change->stack->polls;
		if (rl_polls_wait(&polls) != RL_WANTED) {
			return false;
		}
		/* it may have been stepped meanwhile */
		if (find(owner, key) == change) {
			rl_stack_resume(change->stack);
		}
	}
	return true;
}
