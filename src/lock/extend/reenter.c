/*
 * Re-entrance: what is held goes a level deeper, and a share that is asked for exclusively becomes
 * exclusive.
 */
#include "reenter.h"
#include "take_back.h"
#include "../owner/change.h"

/*
 * Asks for it. RL_INTERRUPTED: nobody wants it any more, and it is taken back; or it is another
 * process's.
 */
static enum rl_status ask_upgrade(struct rl_owner *owner, struct rl_lease *lease,
	int64_t lease_ms, rl_time deadline, struct rl_error *error)
{
	struct rl_step step = { RL_STEP_UPGRADE, .lease = lease, .lease_ms = lease_ms };
	struct rl_batch_item item = { .step = &step };
	struct rl_take_back back = { .copy = NULL };
	enum rl_status status;

	if (rl_stack_lets_others_run()) {
		rl_take_back_begin(&back, lease);
		item.instead = back.copy ? &back.step : NULL;
	}
	status = rl_mode_ask(owner, &item, deadline, error);
	if (item.is_unwanted && status != RL_CHANGED
		&& rl_lease_is_own(lease)) {
		rl_take_back_run(&back, owner, lease, &item, status, deadline);
	}
	if (item.is_unwanted || !rl_lease_is_own(lease)) {
		status = rl_fail_unwanted(error);
	} else if (status != RL_CHANGED) {
		status = rl_mode_upgraded(owner, lease, &step, status, &item.outcome, deadline, error);
	}
	rl_take_back_end(&back);
	return status;
}

/* It was granted, and others may have used the owner before we are asked for it. */
static enum rl_status become_ours(struct rl_owner *owner, struct rl_lease *lease,
	struct rl_change *change, rl_time deadline, struct rl_error *error)
{
	struct rl_tenure was = lease->tenure;
	enum rl_wanted wanted = rl_change_end(change);
	bool is_there = wanted != RL_DROPPED && rl_owner_has(owner, lease)
		&& (rl_watch_sync(lease), rl_tenure_is_alike(&was, &lease->tenure));

	if (wanted == RL_UNWANTED && is_there) {
		rl_take_back_granted(owner, lease);
	}
	if (wanted != RL_WANTED) {
		return rl_fail_unwanted(error);
	}
	return is_there ? rl_prolongate_came_in_time(owner, lease, deadline, error) : RL_CHANGED;
}

/*
 * A share becomes exclusive, at all levels and a level deeper, with the longer of what is left and
 * `lease_ms`. RL_NO: it is not the only share. After a verdict, and after a failure with
 * error->unanswered, it has ended.
 */
static enum rl_status upgrade(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms,
	rl_time deadline, struct rl_error *error)
{
	struct rl_change change;
	enum rl_status status;

	rl_change_begin(&change, owner, lease);
	status = ask_upgrade(owner, lease, lease_ms, deadline, error);
	if (status == RL_OK) {
		status = become_ours(owner, lease, &change, deadline, error);
	}
	RL_LIST_REMOVE(&change, link);
	if (status == RL_OK) {
		lease->depth++;
		owner->stats.acquired++;
	}
	return status;
}

enum rl_status rl_reenter(struct rl_owner *owner, struct rl_lease *held, bool wants_share,
	int64_t lease_ms, rl_time deadline, struct rl_error *error)
{
	enum rl_status status;

	rl_lease_pin(held);
	status = held->tenure.is_share && !wants_share
		? upgrade(owner, held, lease_ms, deadline, error)
		: rl_prolongate_reenter(owner, held, lease_ms, deadline, error);
	rl_lease_unpin(held);
	return status;
}
