/*
 * What an owner holds: as it knows by itself, as the server says, and, for check(), as the server
 * says only where that cannot be told without it.
 */
#include "held.h"
#include "../owner/regrant.h"
#include "../owner/detached_grant.h"
#include "../shown_name.h"

static struct rl_lease_view view_of(struct rl_lease *lease)
{
	rl_time found_at;
	bool is_ours = rl_watch_found(lease, &found_at) == RL_ANSWER_OURS;
	rl_time left = is_ours ? lease->tenure.safe_until - rl_now() : 0;
	struct rl_lease_view view = {
		.token = rl_token_text(&lease->token),
		.metadata = rl_token_metadata(&lease->token),
		.fence = lease->tenure.fence,
		.depth = lease->depth,
		.left = rl_time_later(left, 0),
		.waited = lease->waited,
		.is_shared = lease->tenure.is_share,
		.failure = rl_lease_failure(lease),
		.failed_at = lease->failed_at,
	};
	return view;
}

enum rl_status rl_owner_lease(struct rl_owner *owner, struct rl_text key,
	struct rl_lease_view *out, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_status status = rl_owner_find(owner, key, &lease, error);

	if (status != RL_OK) {
		return status;
	}
	*out = view_of(lease);
	return RL_OK;
}

bool rl_owner_leases(struct rl_owner *owner,
	bool (*held)(void *context, struct rl_text key, const struct rl_lease_view *view),
	void *context)
{
	for (size_t i = 0; i < owner->leases.size; i++) {
		for (struct rl_table_entry *entry = owner->leases.buckets[i]; entry; entry = entry->next) {
			struct rl_lease *lease = (struct rl_lease *)entry;
			struct rl_lease_view view = view_of(lease);

			if (rl_lease_is_own(lease) && !held(context, entry->key, &view)) {
				return false;
			}
		}
	}
	return true;
}

/* What was found out last counts: if it is not ours, check() asks what the verdict is. */
static enum rl_status note(struct rl_lease *lease, enum rl_answer answer)
{
	lease->is_missed = answer != RL_ANSWER_OURS;
	return lease->is_missed ? RL_NO : RL_OK;
}

enum rl_status rl_held_verify(struct rl_owner *owner, struct rl_lease *lease, rl_time deadline,
	int64_t *left_ms, struct rl_error *error)
{
	struct rl_outcome outcome;
	struct rl_step step = { RL_STEP_EXTEND, .lease = lease, .how = RL_EXTEND_LONGER };
	enum rl_answer answer;
	enum rl_status status = rl_regrant_confirm(owner, lease, deadline, &answer, error);

	if (status != RL_OK || answer != RL_ANSWER_OURS) {
		return status == RL_OK ? note(lease, answer) : status;
	}
	status = rl_owner_run_about(owner, &step, deadline, &outcome, error);
	if (status == RL_OK) {
		status = note(lease, outcome.answer);
	}
	if (status == RL_OK && left_ms) {
		*left_ms = outcome.left_ms;
	}
	return status;
}

enum rl_status rl_owner_is_locking(struct rl_owner *owner, struct rl_text key,
	int64_t *left_ms, struct rl_error *error)
{
	struct rl_lease *lease;
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	enum rl_status status;

	do {
		status = rl_owner_finish_changes(owner, key, error);
		if (status == RL_OK) {
			status = rl_owner_find(owner, key, &lease, error);
		}
		if (status == RL_OK) {
			status = rl_held_verify(owner, lease, deadline, left_ms, error);
		}
	} while (status == RL_AGAIN);
	return status;
}

/* RL_NO: it is not held. */
static enum rl_status check_held(struct rl_owner *owner, struct rl_text key, struct rl_error *error)
{
	struct rl_lease *lease;
	rl_time now = rl_now(), deadline = rl_owner_deadline(owner, now);
	enum rl_status status = rl_owner_use(owner, key, deadline, &lease, error);

	if (status == RL_NO) {
		return rl_detached_grant_check(owner, key, deadline, error);
	}
	if (status != RL_OK || (now < lease->tenure.safe_until && !lease->is_missed)) {
		return status;
	}
	do {
		status = rl_owner_use_alone(owner, key, deadline, &lease, error);
		if (status == RL_OK) {
			status = rl_owner_end_late(owner, lease, deadline, error);
		}
	} while (status == RL_AGAIN);
	return status;
}

enum rl_status rl_owner_check(struct rl_owner *owner, struct rl_text key, struct rl_error *error)
{
	const struct rl_past_verdict *verdict;
	char name[RL_NAME_SIZE];
	enum rl_status status = check_held(owner, key, error);

	if (status != RL_NO) {
		return status;
	}
	rl_shown_name(name, sizeof name, key);
	verdict = rl_past_verdicts_find(&owner->past_verdicts, key);
	if (!verdict) {
		return rl_fail(error, RL_MISUSE, "The lock \"%s\" is not held", name);
	}
	if (verdict->status == RL_TIMED_OUT) {
		rl_fail(error, RL_TIMED_OUT,
			"The lease of \"%s\" on Redis at %s ran out, as was said before; nobody else had the lock when that was found out",
			name, owner->route->name);
	} else {
		rl_fail(error, RL_LOST,
			"The lock \"%s\" on Redis at %s was lost: stop, and take it anew",
			name, owner->route->name);
	}
	error->late_by = verdict->late_by;
	error->unanswered = true; /* this call has asked nobody, and so it stays */
	return verdict->status;
}
