#include "take_back.h"
#include "../../base/stack.h"

#include <stdlib.h>

/* Without memory the upgrade is given up like any other request. */
void rl_take_back_begin(struct rl_take_back *back, struct rl_lease *held)
{
	back->copy = rl_keys_share(&held->keys) ? rl_lease_copy(held) : NULL;
	if (back->copy) {
		back->copy->tenure.fence = 0;
		back->copy->generation = held->generation;
		back->step = (struct rl_step){
			RL_STEP_DOWNGRADE, .lease = back->copy, .for_nobody = true
		};
	}
}

void rl_take_back_end(struct rl_take_back *back)
{
	free(back->copy); /* one piece */
}

/* Nobody else says that a lease was given up: check() does. */
static void note_loss(struct rl_owner *owner, const struct rl_lease *lease, enum rl_status status)
{
	if (status != RL_OK && !rl_owner_has(owner, lease)) {
		rl_past_verdicts_add(&owner->past_verdicts, lease->entry.key, RL_LOST, 0);
	}
}

void rl_take_back_granted(struct rl_owner *owner, struct rl_lease *lease)
{
	struct rl_error error;

	rl_stack_serve_others();
	note_loss(owner, lease,
		rl_mode_downgrade_for_nobody(owner, lease, rl_owner_deadline(owner, rl_now()), &error));
}

/*
 * There was silence until the time was over in which the upgrade, or what takes it back behind it,
 * may be run: so it is taken back once more, and that is heard.
 */
static bool is_to_be_asked_again(
	const struct rl_batch_item *item, enum rl_status status, rl_time deadline)
{
	rl_time until = item->followed_until ? item->followed_until : deadline;

	return status == RL_UNREACHABLE && rl_now() >= until;
}

/*
 * On one connection it comes behind the upgrade, whatever becomes of that. Where it is not so, or
 * may come once more, nobody knows what the upgrade will find: then the lease is given up. This may
 * make it a share once its undo as a share has gone by: so it is undone as one once more, last.
 */
static enum rl_status judge_blind(struct rl_owner *owner, const struct rl_lease *lease,
	struct rl_step *step, enum rl_status status, struct rl_error *error)
{
	if (status == RL_OK && step->doubt.copy_out) {
		status = rl_fail(error, RL_UNREACHABLE,
			"Redis at %s: the connection broke while a lock was made a share again",
			owner->route->name);
	}
	if (status != RL_OK) {
		step->doubt.fate_unknown = true;
		rl_owner_discard_as(owner, lease, true);
	}
	return status;
}

void rl_take_back_run(struct rl_take_back *back, struct rl_owner *owner, struct rl_lease *lease,
	const struct rl_batch_item *item, enum rl_status status, rl_time deadline)
{
	struct rl_outcome outcome = item->outcome;
	struct rl_error error;

	if (is_to_be_asked_again(item, status, deadline)) {
		back->step.doubt = (struct rl_doubt){ false };
		status = rl_owner_run(
			owner, &back->step, rl_owner_deadline(owner, rl_now()), &outcome, &error);
	} else if (item->followed_until) {
		status = judge_blind(owner, lease, &back->step, status, &error);
	} else {
		status = rl_mode_upgraded(owner, lease, item->step, status, &outcome, deadline, &error);
		if (status == RL_OK) {
			rl_take_back_granted(owner, lease);
		} else {
			note_loss(owner, lease, status);
		}
		return;
	}
	note_loss(owner, lease,
		rl_mode_downgraded(owner, lease, &back->step, status, &outcome, 0, &error));
}
