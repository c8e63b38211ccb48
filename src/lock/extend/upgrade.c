#include "upgrade.h"
#include "mode.h"
#include "../owner/change.h"
#include "../../base/stack.h"

#include <stdlib.h>

/* --- its undo --- */

/* A downgrade. */
struct undo {
	struct rl_lease *copy; /* under no fence, since the upgrade raises that; or NULL */
	struct rl_step step;
};

/*
 * Prepares what is sent behind the upgrade, where it may come to that. Without memory the upgrade
 * is given up like any other request.
 */
static void begin_undo(struct undo *undo, struct rl_lease *held)
{
	undo->copy = rl_keys_share(&held->keys) ? rl_lease_copy(held) : NULL;
	if (undo->copy) {
		undo->copy->tenure.fence = 0;
		undo->copy->generation = held->generation;
		undo->step = (struct rl_step){
			RL_STEP_DOWNGRADE, .lease = undo->copy, .for_nobody = true
		};
	}
}

static void end_undo(struct undo *undo)
{
	free(undo->copy); /* one piece */
}

static void undo_granted(struct rl_owner *owner, struct rl_lease *lease)
{
	struct rl_error error;

	rl_stack_serve_others();
	rl_mode_downgrade(owner, lease, true, rl_owner_deadline(owner, rl_now()), &error);
}

/*
 * There was silence until the time was over in which the upgrade, or what undoes it behind it, may
 * be run: so it is undone once more, and that is heard.
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

static void run_undo(struct undo *undo, struct rl_owner *owner, struct rl_lease *lease,
	const struct rl_batch_item *item, enum rl_status status, rl_time deadline)
{
	struct rl_outcome outcome = item->outcome;
	struct rl_error error;

	if (is_to_be_asked_again(item, status, deadline)) {
		undo->step.doubt = (struct rl_doubt){ false };
		status = rl_owner_run(
			owner, &undo->step, rl_owner_deadline(owner, rl_now()), &outcome, &error);
	} else if (item->followed_until) {
		status = judge_blind(owner, lease, &undo->step, status, &error);
	} else {
		status = rl_mode_upgraded(owner, lease, item->step, status, &outcome, deadline, &error);
		if (status == RL_OK) {
			undo_granted(owner, lease);
		}
		return;
	}
	rl_mode_downgraded(owner, lease, &undo->step, status, &outcome, 0, &error);
}

/* --- the upgrade --- */

static enum rl_status ask_upgrade(struct rl_owner *owner, struct rl_lease *lease,
	int64_t lease_ms, rl_time deadline, struct rl_error *error)
{
	struct rl_step step = { RL_STEP_UPGRADE, .lease = lease, .lease_ms = lease_ms };
	struct rl_batch_item item = { .step = &step };
	struct undo undo = { .copy = NULL };
	enum rl_status status;

	if (rl_stack_lets_others_run()) {
		begin_undo(&undo, lease);
		item.instead = undo.copy ? &undo.step : NULL;
	}
	status = rl_mode_ask(owner, &item, deadline, error);
	if (item.is_unwanted && status != RL_AGAIN && rl_lease_is_own(lease)) {
		run_undo(&undo, owner, lease, &item, status, deadline);
	}
	if (item.is_unwanted || !rl_lease_is_own(lease)) {
		status = rl_fail_unwanted(error);
	} else if (status != RL_AGAIN) {
		status = rl_mode_upgraded(owner, lease, &step, status, &item.outcome, deadline, error);
	}
	end_undo(&undo);
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
		undo_granted(owner, lease);
	}
	if (wanted != RL_WANTED) {
		return rl_fail_unwanted(error);
	}
	return is_there ? rl_prolongate_came_in_time(owner, lease, deadline, error) : RL_AGAIN;
}

enum rl_status rl_upgrade(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms,
	rl_time deadline, struct rl_error *error)
{
	struct rl_change change;
	enum rl_status status;

	rl_change_begin(&change, owner, lease, "made exclusive");
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
