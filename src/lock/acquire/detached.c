#include "detached.h"
#include "../inspect/holder.h"
#include "../extend/mode.h"
#include "../owner/detached_grant.h"

/* --- at the server --- */

struct looking {
	struct rl_lease *lease;
	int64_t left_ms;
	bool found;
};

static bool note_share(void *context, const struct rl_share *share)
{
	struct looking *looking = context;

	looking->found = rl_text_is(share->token, rl_token_head(&looking->lease->token));
	if (looking->found) {
		looking->lease->tenure.is_share = true;
		looking->lease->tenure.fence = share->holder.fence;
		looking->left_ms = share->holder.left_ms;
	}
	return !looking->found;
}

static enum rl_status look_for_share(
	struct rl_owner *owner, struct looking *looking, rl_time deadline, struct rl_error *error)
{
	struct rl_share_reader reader = { .tell = note_share, .context = looking };

	return rl_keys_share(&looking->lease->keys)
		? rl_holder_find_shares(owner, &looking->lease->keys, deadline, &reader, error)
		: rl_fail_for_memory(error);
}

static enum rl_status look_for(
	struct rl_owner *owner, struct looking *looking, rl_time deadline, struct rl_error *error)
{
	struct rl_lease *lease = looking->lease;
	struct rl_lock_state state;
	enum rl_status status = rl_owner_inspect(owner, &lease->keys, true, deadline, &state, error);

	if (status != RL_OK) {
		return status;
	}
	looking->left_ms = state.left_ms;
	if (rl_lock_state_shows(&state, rl_token_head(&lease->token))) {
		looking->found = true;
		rl_lock_state_note(&state, lease);
	} else if (owner->backend->can_share
		&& rl_text_equals(rl_lock_state_value(&state), "+shared")) {
		status = look_for_share(owner, looking, deadline, error);
	}
	rl_lock_state_clear(&state);
	return status == RL_OK && !looking->found ? RL_NO : status;
}

/* RL_OK: the grant that the name has, which is the caller's, and what is left of it; RL_NO. */
static enum rl_status look(struct rl_owner *owner, const struct rl_detached *detached,
	rl_time deadline, struct rl_lease **out, int64_t *left_ms, struct rl_error *error)
{
	struct rl_lease_terms terms = {
		.prefix = owner->prefix, .name = detached->key, .holder = detached->name
	};
	struct looking looking = { .found = false };
	enum rl_status status = rl_lease_new(&terms, &looking.lease, error);

	if (status != RL_OK) {
		return status;
	}
	status = look_for(owner, &looking, deadline, error);
	if (status != RL_OK) {
		rl_lease_free(looking.lease);
		return status;
	}
	*out = looking.lease;
	*left_ms = looking.left_ms;
	return RL_OK;
}

/* --- using it --- */

/*
 * A change of the name's grant: of the one that is remembered, and if that is over, of whichever
 * the server has. RL_NO: it was over. `lease` is the change's to keep or to end. If it was renewed
 * here, it still is after the change, unless that has ended it.
 */
struct change {
	enum rl_status (*apply)(struct rl_owner *owner, struct change *change, struct rl_lease *lease,
		struct rl_error *error);
	struct rl_detached *detached;
	int64_t ms; /* of the lease, or the delay */
	rl_time deadline;
	rl_time renew_until;   /* 0: it is not */
	struct rl_doubt doubt; /* of the releases: a copy may have been what ended it */
	bool has_looked;       /* the lease is as the server has just told */
	bool is_vain;          /* nothing is to be changed */
};

static enum rl_status run(struct rl_owner *owner, struct change *change, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_status status = RL_NO;
	int64_t left_ms;

	change->deadline = rl_owner_deadline(owner, rl_now());
	lease = rl_detached_grant_take(change->detached, &change->renew_until);
	if (lease) {
		status = change->apply(owner, change, lease, error);
	}
	while (status == RL_NO && !change->is_vain) {
		status = look(owner, change->detached, change->deadline, &lease, &left_ms, error);
		if (status != RL_OK) {
			break;
		}
		change->has_looked = true;
		change->renew_until = 0; /* it is another grant */
		status = change->apply(owner, change, lease, error);
		if (status == RL_NO && !change->is_vain && rl_now() >= change->deadline) {
			return rl_fail(error, RL_UNREACHABLE,
				"Redis at %s: the lock changed hands after each look at it, until the deadline",
				owner->route->name);
		}
	}
	return status == RL_NO && change->doubt.copy_out ? RL_OK : status;
}

static enum rl_status give_back(
	struct rl_owner *owner, struct change *change, struct rl_lease *lease, struct rl_error *error)
{
	struct rl_release release;
	enum rl_answer answer;
	enum rl_status status;

	rl_release_begin(&release, lease, change->ms);
	status = rl_release_run(owner, &release, change->deadline, &answer, error);
	if (status == RL_OK && answer != RL_ANSWER_OURS) {
		rl_doubt_add(&change->doubt, &release.step.doubt);
		status = RL_NO;
	}
	owner->backend->discard(owner, lease, rl_release_is_unconfirmed(&release, status));
	return status;
}

enum rl_status rl_owner_detached_release(
	struct rl_owner *owner, struct rl_detached *detached, int64_t delay_ms, struct rl_error *error)
{
	struct change change = { .apply = give_back, .detached = detached, .ms = delay_ms };

	return run(owner, &change, error);
}

/* Returns `status`, or why it cannot be renewed any more; what comes late is not. */
static enum rl_status keep(struct rl_owner *owner, struct change *change, struct rl_lease *lease,
	rl_time asked_at, enum rl_status status, struct rl_error *error)
{
	rl_time until = status == RL_OK ? change->renew_until : 0;
	enum rl_status renewed = rl_detached_grant_renew(
		owner, change->detached, lease, asked_at, until, error);

	if (renewed != RL_OK) {
		rl_detached_grant_remember(change->detached, lease);
		return renewed;
	}
	return status;
}

/*
 * After a failure nobody knows the grant's fence. The answer that it had been done before proves
 * nothing here: another process of the same name may have prolonged the grant.
 */
static enum rl_status prolong(
	struct rl_owner *owner, struct change *change, struct rl_lease *lease, struct rl_error *error)
{
	struct rl_step step = {
		RL_STEP_EXTEND, .lease = lease, .lease_ms = change->ms, .how = RL_EXTEND_ANEW
	};
	struct rl_outcome outcome;
	enum rl_status status = rl_owner_run(owner, &step, change->deadline, &outcome, error);

	if (status == RL_OK && outcome.answer == RL_ANSWER_OURS && !outcome.was_over) {
		rl_lease_note_grant(lease, outcome.fence, outcome.nodes);
		rl_lease_begin(lease, step.sent_at, rl_lease_told(outcome.left_ms));
		status = rl_owner_came_in_time(owner, lease, error);
		return keep(owner, change, lease, step.sent_at, status, error);
	}
	rl_lease_free(lease);
	return status == RL_OK ? RL_NO : status;
}

enum rl_status rl_owner_detached_prolongate(
	struct rl_owner *owner, struct rl_detached *detached, int64_t lease_ms, struct rl_error *error)
{
	struct change change = { .apply = prolong, .detached = detached, .ms = lease_ms };

	return run(owner, &change, error);
}

static enum rl_status downgrade(
	struct rl_owner *owner, struct change *change, struct rl_lease *lease, struct rl_error *error)
{
	struct rl_step step = { RL_STEP_DOWNGRADE, .lease = lease };
	enum rl_answer answer = RL_ANSWER_OTHER;
	enum rl_status status = RL_OK;
	rl_time began;

	if (lease->tenure.is_share) {
		change->is_vain = change->has_looked;
	} else {
		status = rl_mode_ask_downgrade(owner, &step, change->deadline, &answer, error);
	}
	if (status == RL_OK && answer == RL_ANSWER_OURS) {
		began = lease->tenure.safe_until - lease->length_ms * RL_MILLISECOND;
		return keep(owner, change, lease, began, RL_OK, error);
	}
	rl_lease_free(lease);
	return status == RL_OK ? RL_NO : status;
}

enum rl_status rl_owner_detached_downgrade(
	struct rl_owner *owner, struct rl_detached *detached, struct rl_error *error)
{
	struct change change = { .apply = downgrade, .detached = detached };
	enum rl_status status;

	status = rl_mode_can_share(owner, error);
	return status == RL_OK ? run(owner, &change, error) : status;
}

enum rl_status rl_owner_detached_look(struct rl_owner *owner, struct rl_detached *detached,
	struct rl_detached_view *out, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_status status;

	status = look(
		owner, detached, rl_owner_deadline(owner, rl_now()), &lease, &out->left_ms, error);
	if (status != RL_OK) {
		return status;
	}
	out->fence = lease->tenure.fence;
	if (rl_detached_grant_is_renewed(detached)) {
		rl_lease_free(lease); /* its own grant is renewed, and the thread finds out if it is over */
	} else {
		rl_detached_grant_remember(detached, lease);
	}
	return RL_OK;
}

/* --- for acquire and wait --- */

/* RL_NO: it has ended since. */
static enum rl_status find_share(
	struct rl_attempt *attempt, rl_time deadline, int64_t *fence, struct rl_error *error)
{
	struct rl_lease *lease = attempt->lease;
	struct looking looking = { .lease = lease };
	enum rl_status status = look_for_share(attempt->owner, &looking, deadline, error);

	*fence = lease->tenure.fence;
	lease->tenure.fence = 0;
	lease->tenure.is_share = false; /* it asks for the lock exclusively */
	return status == RL_OK && !looking.found ? RL_NO : status;
}

static enum rl_status upgrade(struct rl_attempt *attempt, int64_t fence, rl_time deadline,
	struct rl_outcome *outcome, struct rl_error *error)
{
	struct rl_step step = {
		RL_STEP_UPGRADE, .lease = attempt->lease, .lease_ms = attempt->lease_ms
	};
	enum rl_status status;

	attempt->lease->tenure.fence = fence;
	status = rl_owner_run(attempt->owner, &step, deadline, outcome, error);
	attempt->lease->tenure.fence = 0;
	if (status == RL_OK && outcome->answer == RL_ANSWER_OURS) {
		attempt->asked_at = step.sent_at;
		attempt->grant = (struct rl_grant){
			.ours = true, .fence = outcome->fence, .left_ms = outcome->left_ms
		};
	}
	return status;
}

enum rl_status rl_detached_upgrade(
	struct rl_attempt *attempt, struct rl_ask_terms *how, struct rl_error *error)
{
	struct rl_outcome outcome = { .answer = RL_ANSWER_TAKEN };
	enum rl_status status;
	int64_t fence;

	do {
		rl_ask_extend_deadline(attempt, how);
		status = find_share(attempt, how->deadline, &fence, error);
		if (status == RL_OK) {
			rl_ask_extend_deadline(attempt, how);
			status = upgrade(attempt, fence, how->deadline, &outcome, error);
		}
		/* TAKEN: another process of the name has changed the share since it was seen */
	} while (status == RL_OK && outcome.answer == RL_ANSWER_TAKEN && rl_now() < how->deadline);
	attempt->is_refused = outcome.answer == RL_ANSWER_OTHER;
	return status == RL_NO ? RL_OK : status;
}

enum rl_status rl_detached_keep(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_lease *lease = attempt->lease;
	rl_time asked_at = attempt->asked_at, renewed_for = attempt->renewed_for;
	rl_time until = renewed_for && renewed_for < RL_FOREVER - asked_at ? asked_at + renewed_for
																	   : renewed_for;
	enum rl_status status;

	rl_lease_begin(lease, asked_at, rl_lease_told(attempt->grant.left_ms));
	status = rl_owner_came_in_time(attempt->owner, lease, error);
	if (status == RL_OK) {
		status = rl_detached_grant_renew(
			attempt->owner, attempt->detached, lease, asked_at, until, error);
	}
	if (status == RL_OK) {
		attempt->owner->stats.acquired++;
	}
	return status;
}
