/*
 * Taking a lock: asking once, waiting if it is taken, and keeping what was granted.
 */
#include "majority.h"
#include "../base/number.h"

static enum rl_status ask(struct rl_attempt *attempt, int64_t flag_ms, rl_time deadline,
	struct rl_session *session, struct rl_error *error)
{
	struct rl_lease *lease = attempt->lease;
	const struct rl_reply *reply;
	struct rl_step ask, undo;
	enum rl_status status;

	if (attempt->owner->route->node_count) {
		session->connection = NULL;
		return rl_majority_ask(attempt, deadline, error);
	}
	rl_step_acquire(&ask, lease, attempt->lease_ms, flag_ms, attempt->turn);
	rl_step_release(&undo, lease, 0);
	ask.call.undo = &undo.call;
	status = rl_call_run(attempt->owner->route, &ask.call, deadline, session, &reply, error);
	attempt->doubtful |= ask.call.maybe_done;
	if (ask.call.unanswered) {
		lease->copies_until = deadline;
	}
	attempt->may_pass = ask.call.is_transient;
	attempt->too_few = ask.call.too_few;
	if (status != RL_OK) {
		return status;
	}
	attempt->asked_at = ask.call.sent_at;
	attempt->answered_at = rl_now();
	status = rl_read_grant(session, reply, &attempt->grant, error);
	if (status != RL_OK) {
		attempt->doubtful = true;
		rl_session_end(session);
	}
	return status;
}

enum rl_status rl_attempt_renew_token(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_owner *owner = attempt->owner;
	struct rl_lease *old = attempt->lease;
	struct rl_text metadata = rl_token_metadata(&old->token);
	enum rl_status status = rl_lease_new(owner->prefix, owner->prefix_length, old->entry.key.data, old->entry.key.length,
		metadata.data, metadata.length, false, &attempt->lease, error);

	if (status == RL_OK) {
		rl_owner_discard(owner, old, true);
		attempt->doubtful = false;
	}
	return status;
}

enum rl_status rl_attempt_ask(struct rl_attempt *attempt, int64_t flag_ms, rl_time deadline,
	struct rl_session *session, struct rl_error *error)
{
	struct rl_owner *owner = attempt->owner;
	enum rl_status status = ask(attempt, flag_ms, deadline, session, error);

	if (status == RL_OK && !attempt->grant.ours && rl_owner_undoes(owner, attempt->lease)) {
		/* Taken by ourselves: what was to end that was lost, as asking has brought to light, or could not be done before. */
		rl_session_end(session);
		rl_owner_undo(owner, &attempt->lease->keys, deadline);
		status = ask(attempt, flag_ms, deadline, session, error);
	}
	if (status == RL_OK && !attempt->grant.ours && !attempt->lease->shares && attempt->lease->copies_until) {
		status = rl_attempt_renew_token(attempt, error);
		if (status != RL_OK) {
			rl_session_end(session);
		}
	}
	return status;
}

/* A wait hook may have taken the same key meanwhile; that lease must have ended, since we have it now. */
static void end_overtaken(struct rl_owner *owner, const struct rl_lease *successor)
{
	struct rl_lease *lease = (struct rl_lease *)rl_table_find(&owner->leases, successor->entry.key);
	struct rl_error ignored;

	if (lease) {
		rl_owner_detach(owner, lease);
		rl_owner_judge(owner, lease, RL_ANSWER_TAKEN, rl_now(), &ignored);
		rl_owner_discard(owner, lease, lease->shares != NULL);
	}
}

enum rl_status rl_owner_keep(struct rl_owner *owner, struct rl_lease *lease, rl_time asked_at, int64_t lease_ms,
	struct rl_error *error)
{
	char seconds[RL_NUMBER_SECONDS_SIZE];
	enum rl_status status;

	lease->length_ms = lease_ms;
	if (!lease->claim) {
		lease->safe_until = rl_safe_until(asked_at, lease_ms);
	}
	if (rl_now() >= lease->safe_until) {
		return rl_fail(error, RL_UNREACHABLE,
			"Redis at %s granted it, but the lease of %s s had run out when the "
			"answer came; take a longer ttl",
			owner->route->name, rl_number_put_seconds(seconds, lease_ms));
	}
	end_overtaken(owner, lease);
	if (!rl_table_reserve(&owner->leases)) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	status = rl_watch_begin(&owner->watch, owner->route, lease, asked_at, error);
	if (status != RL_OK) {
		return status;
	}
	rl_table_add(&owner->leases, &lease->entry);
	rl_losses_forget(&owner->losses, lease->entry.key.data, lease->entry.key.length);
	owner->stats.acquired++;
	return RL_OK;
}

static enum rl_status wait_counted(struct rl_attempt *attempt, struct rl_session *session, enum rl_status asked,
	struct rl_error *error)
{
	struct rl_stats *stats = &attempt->owner->stats;
	rl_time began = rl_now();
	enum rl_status status = rl_wait(attempt, session, asked, error);

	stats->waits++;
	stats->waited += rl_now() - began;
	return status;
}

/* Another owner of this very thread has it and renews it without an end: nobody could ever give it back. */
static bool waits_for_ourselves(struct rl_attempt *attempt)
{
	struct rl_lease held = { .keys = attempt->lease->keys };
	struct rl_error ignored;
	bool ours;

	if (rl_renewal_is_endless(attempt->owner->route, &held.keys, &held.token) != RL_OK) {
		return false;
	}
	ours = rl_lease_ask(attempt->owner, &held, NULL, &ignored) == RL_OK;
	rl_token_free(&held.token);
	return ours;
}

/* Who may give up at once is answered so; and a strategy may be there to give it back. */
static bool would_only_wait(const struct rl_attempt *attempt, bool may_wait)
{
	return may_wait && !attempt->retry && (attempt->policy == RL_POLICY_WAIT || attempt->until == RL_FOREVER);
}

static enum rl_status refuse_vain_wait(const struct rl_attempt *attempt, struct rl_session *session,
	struct rl_error *error)
{
	char name[RL_NAME_SIZE];

	rl_session_end(session);
	return rl_fail(error, RL_MISUSE,
		"Waiting for the lock \"%s\" is in vain: another RLock of this thread holds it and renews it without maxHold",
		rl_owner_name(attempt->lease, name));
}

/* Of servers that replace each other the next one is waited for, and replicas until they are there again. */
static bool rides_out(const struct rl_attempt *attempt, enum rl_status failure)
{
	const struct rl_route *route = attempt->owner->route;

	return (attempt->too_few || route->patience > route->timeout) && rl_attempt_may_pass(attempt, failure);
}

static enum rl_status try_to_take(struct rl_attempt *attempt, bool may_wait, rl_time deadline, struct rl_error *error)
{
	/* Who may give up at once must not announce a wait: the flag makes a release wait for a claim. */
	bool announce = may_wait && attempt->policy == RL_POLICY_WAIT;
	struct rl_session session;
	enum rl_status status = rl_attempt_ask(attempt, announce ? RL_FLAG_MS : 0, deadline, &session, error);

	if (status != RL_OK && !(may_wait && rides_out(attempt, status))) {
		return status;
	}
	if (!attempt->grant.ours && would_only_wait(attempt, may_wait) && waits_for_ourselves(attempt)) {
		return refuse_vain_wait(attempt, &session, error);
	}
	if (!attempt->grant.ours && may_wait) {
		status = wait_counted(attempt, &session, status, error);
	} else {
		rl_session_end(&session);
		status = attempt->grant.ours ? RL_OK : RL_NO;
	}
	if (status == RL_OK) {
		rl_lease_set_fence(attempt->lease, attempt->grant.fence);
		status = rl_owner_keep(attempt->owner, attempt->lease, attempt->asked_at, attempt->lease_ms, error);
		attempt->doubtful = status != RL_OK; /* granted, and not kept */
	}
	return status;
}

/* Busy with ourselves, if the wait's hook has taken it meanwhile. */
static enum rl_status stayed_busy(struct rl_owner *owner, const struct rl_acquire *request, struct rl_error *error)
{
	struct rl_lease *held = (struct rl_lease *)rl_table_find(&owner->leases, (struct rl_text){ request->key, request->key_length });

	if (held) {
		return rl_reenter(owner, held, request->lease_ms, error);
	}
	owner->stats.busy++;
	return RL_NO;
}

enum rl_status rl_acquire_hooked(struct rl_owner *owner, const struct rl_acquire *request, struct rl_wait_hook hook,
	struct rl_error *error)
{
	struct rl_attempt attempt = {
		.owner = owner,
		.hook = hook,
		.lease_ms = request->lease_ms,
		.policy = request->policy,
		.retry = request->retry,
	};
	enum rl_status status = rl_owner_use(owner, request->key, request->key_length, &attempt.lease, error);
	rl_time now = rl_now(), deadline = rl_owner_deadline(owner);

	if (status == RL_OK) {
		return rl_reenter(owner, attempt.lease, request->lease_ms, error);
	}
	if (status != RL_NO) {
		return status;
	}
	status = rl_lease_new(owner->prefix, owner->prefix_length, request->key, request->key_length,
		request->metadata, request->metadata_length, false, &attempt.lease, error);
	if (status != RL_OK) {
		return status;
	}
	rl_owner_undo(owner, &attempt.lease->keys, deadline);
	attempt.began = now;
	attempt.until = request->wait < RL_FOREVER - now ? now + request->wait : RL_FOREVER;
	status = try_to_take(&attempt, request->wait > 0, deadline, error);
	if (status != RL_OK) {
		rl_owner_discard(owner, attempt.lease, attempt.doubtful);
		if (attempt.grant.ours || (attempt.doubtful && status == RL_REFUSED)) {
			rl_owner_undo_last(owner);
		}
	}
	return status == RL_NO ? stayed_busy(owner, request, error) : status;
}

enum rl_status rl_owner_acquire(struct rl_owner *owner, const struct rl_acquire *request, struct rl_error *error)
{
	return rl_acquire_hooked(owner, request, owner->hook, error);
}
