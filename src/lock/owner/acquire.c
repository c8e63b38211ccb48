/*
 * Taking a lock: asking once, waiting if it is taken, and keeping what was granted.
 */
#include "detached.h"
#include "kind.h"
#include "../baton.h"
#include "../wait.h"

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

/* Whether owners of this very thread hold it and renew it without an end: nobody could ever give it back. */
static bool waits_for_ourselves(struct rl_attempt *attempt)
{
	struct rl_lease held = { .keys = attempt->lease->keys };
	int64_t shares = attempt->lease->is_share ? attempt->lease->limit : 1;
	struct rl_error ignored;
	bool ours;

	if (rl_watch_is_endless(attempt->owner->route, &held.keys, shares, &held.token) != RL_OK) {
		return false;
	}
	ours = rl_owner_inspect(attempt->owner, &held, NULL, &ignored) == RL_OK;
	rl_token_free(&held.token);
	return ours;
}

/* A call that may give up at once is answered that the lock is busy; and a retry strategy could release the lock. */
static bool would_only_wait(const struct rl_attempt *attempt, bool may_wait)
{
	return may_wait && !attempt->retry && (attempt->policy == RL_POLICY_WAIT || attempt->until == RL_FOREVER);
}

static enum rl_status refuse_vain_wait(struct rl_attempt *attempt, struct rl_session *session, struct rl_error *error)
{
	char name[RL_NAME_SIZE];

	rl_session_end(session);
	if (attempt->grant.is_first) {
		rl_baton_leave(attempt);
	}
	return rl_fail(error, RL_MISUSE,
		"Waiting for the lock \"%s\" is in vain: an RLock of this thread holds it and renews it without maxHold",
		rl_lease_name(attempt->lease, name, sizeof name));
}

/* Where servers replace each other, the next one is waited for; and replicas until they are back. */
static bool rides_out(const struct rl_attempt *attempt, enum rl_status failure)
{
	const struct rl_route *route = attempt->owner->route;

	return (attempt->too_few || route->patience > route->timeout) && rl_attempt_may_retry(attempt, failure);
}

/* One ask, and what can be done at once if that finds the lock taken. */
static enum rl_status ask(struct rl_attempt *attempt, bool may_wait, rl_time deadline, struct rl_session *session,
	struct rl_error *error)
{
	/* A call that may give up at once must not announce a wait: the flag makes a release wait for a claim. */
	bool announce = may_wait && attempt->policy == RL_POLICY_WAIT;
	int64_t flag_ms = announce ? RL_FLAG_MS : 0;
	enum rl_status status = attempt->owner->backend->ask(attempt, flag_ms, deadline, session, error);

	if (status == RL_OK && !attempt->grant.ours) {
		status = rl_attempt_release_own(attempt, flag_ms, deadline, session, error);
	}
	if (status != RL_OK) {
		return status;
	}
	if (!may_wait) {
		rl_session_end(session); /* nobody parks there, and what follows has the use of the connection */
	}
	status = rl_detached_join(attempt, error);
	if (status != RL_OK) {
		rl_session_end(session);
	}
	return status;
}

static enum rl_status keep(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_lease *lease = attempt->lease;
	enum rl_status status;

	if (attempt->grant.fence) {
		rl_lease_set_fence(lease, attempt->grant.fence);
	}
	lease->waited = rl_now() - attempt->began;
	status = rl_token_is_detached(&lease->token)
		? rl_detached_keep(attempt->owner, lease, attempt->asked_at, attempt->lease_ms, error)
		: rl_owner_keep(attempt->owner, lease, attempt->asked_at, attempt->lease_ms, error);
	attempt->maybe_held = status != RL_OK; /* granted, and not kept */
	return status;
}

static enum rl_status take(struct rl_attempt *attempt, bool may_wait, rl_time deadline, struct rl_error *error)
{
	struct rl_session session;
	enum rl_status status = ask(attempt, may_wait, deadline, &session, error);

	if (status != RL_OK && !(may_wait && rides_out(attempt, status))) {
		return status;
	}
	may_wait = may_wait && !attempt->is_refused;
	if (!attempt->grant.ours && would_only_wait(attempt, may_wait) && waits_for_ourselves(attempt)) {
		return refuse_vain_wait(attempt, &session, error);
	}
	if (!attempt->grant.ours && may_wait) {
		status = wait_counted(attempt, &session, status, error);
	} else {
		rl_session_end(&session);
		status = attempt->grant.ours ? RL_OK : RL_NO;
	}
	return status == RL_OK ? keep(attempt, error) : status;
}

/* What is held already. RL_NO: an exclusive lock is asked for, and ours is not the only share. */
static enum rl_status reenter(struct rl_owner *owner, struct rl_lease *held, const struct rl_acquire *request,
	struct rl_error *error)
{
	return held->is_share && !request->is_shared
		? rl_kind_upgrade(owner, held, request->lease_ms, error)
		: rl_prolongate_reenter(owner, held, request->lease_ms, error);
}

/* Begins the call, and takes what is held already. RL_NO and not `is_held`: it is not. */
static enum rl_status begin(struct rl_owner *owner, const struct rl_acquire *request, struct rl_text holder, bool *is_held,
	struct rl_error *error)
{
	struct rl_lease *held;
	enum rl_status status = request->is_shared ? rl_kind_can_share(owner, error) : RL_OK;

	*is_held = false;
	if (status != RL_OK) {
		return status;
	}

	if (holder.data) {
		rl_owner_begin(owner);
		return rl_detached_reenter(owner, request, holder, is_held, error);
	}
	status = rl_owner_use(owner, request->key, &held, error);
	*is_held = status == RL_OK;
	return status == RL_OK ? reenter(owner, held, request, error) : status;
}

static enum rl_status new_lease(struct rl_owner *owner, const struct rl_acquire *request, struct rl_text holder,
	struct rl_lease **out, struct rl_error *error)
{
	enum rl_status status = holder.data
		? rl_lease_new_detached(owner->prefix, request->key, holder, request->metadata, out, error)
		: rl_lease_new(owner->prefix, request->key, request->metadata, false, out, error);

	if (status != RL_OK || !request->is_shared) {
		return status;
	}
	(*out)->is_share = true;
	(*out)->limit = request->limit;
	status = rl_lease_use_turnstile(*out, error);
	if (status != RL_OK) {
		rl_lease_free(*out);
	}
	return status;
}

/* Busy with ourselves, if the wait's hook has taken it meanwhile. */
static enum rl_status stayed_busy(struct rl_owner *owner, const struct rl_acquire *request, struct rl_text holder,
	struct rl_error *error)
{
	struct rl_lease *held = (struct rl_lease *)rl_table_find(&owner->leases, request->key);
	enum rl_status status = RL_NO;
	bool refused;

	if (holder.data) {
		status = rl_detached_reenter(owner, request, holder, &refused, error);
	} else if (held) {
		return reenter(owner, held, request, error);
	}
	owner->stats.busy += status == RL_NO;
	return status;
}

enum rl_status rl_owner_acquire(struct rl_owner *owner, const struct rl_acquire *request, struct rl_error *error)
{
	struct rl_attempt attempt = {
		.owner = owner,
		.lease_ms = request->lease_ms,
		.policy = request->policy,
		.retry = request->retry,
	};
	char hex[RL_HOLDER_HEX];
	struct rl_text holder = rl_token_encode_holder(hex, request->holder);
	bool is_held;
	enum rl_status status = begin(owner, request, holder, &is_held, error);
	rl_time now, deadline;

	if (status != RL_NO || is_held) {
		return status;
	}
	now = rl_now();
	deadline = rl_owner_deadline(owner);
	status = new_lease(owner, request, holder, &attempt.lease, error);
	if (status != RL_OK) {
		return status;
	}
	owner->backend->repeat(owner, &attempt.lease->keys, deadline);
	attempt.began = now;
	attempt.until = request->wait < RL_FOREVER - now ? now + request->wait : RL_FOREVER;
	status = take(&attempt, request->wait > 0, deadline, error);
	if (status != RL_OK) {
		owner->backend->discard(owner, attempt.lease, attempt.maybe_held);
		if (attempt.grant.ours || (attempt.maybe_held && status == RL_REFUSED)) {
			owner->backend->repeat_last(owner, rl_owner_deadline(owner));
		}
	}
	if (attempt.is_refused) {
		owner->stats.busy += status == RL_NO;
		return status;
	}
	return status == RL_NO ? stayed_busy(owner, request, holder, error) : status;
}
