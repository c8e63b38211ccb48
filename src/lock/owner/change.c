#include "change.h"
#include "../shown_name.h"
#include "../../base/machine.h"

void rl_change_begin(struct rl_change *change, struct rl_owner *owner,
	const struct rl_lease *lease, const char *what)
{
	*change = (struct rl_change){ .key = lease->entry.key,
		.stack = rl_stack_current(),
		.generation = rl_system_generation(),
		.what = what };
	if (rl_stack_lets_others_run()) {
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
	char name[RL_NAME_SIZE];

	if (change && !change->stack) {
		return rl_fail(error, RL_MISUSE,
			"The lock \"%s\" is being %s by the very call in which this one is made",
			rl_shown_name(name, sizeof name, change->key),
			change->what);
	}
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

enum rl_status rl_owner_finish_changes(
	struct rl_owner *owner, struct rl_text key, struct rl_error *error)
{
	struct finishing finishing = { .owner = owner, .key = key };

	return rl_machine_run(go_on, &finishing, error);
}
