/*
 * Taking a lock: asking once, waiting if it is taken, and keeping what was granted.
 */
#include "acquire.h"
#include "detached.h"
#include "../extend/mode.h"
#include "../inspect/held.h"
#include "wait.h"

#include <stdlib.h>

static enum rl_status wait_counted(
	struct rl_wait *wait, enum rl_status asked, struct rl_error *error)
{
	struct rl_stats *stats = &wait->attempt.owner->stats;
	rl_time began = rl_now();
	enum rl_status status = rl_wait(wait, asked, error);

	stats->waits++;
	stats->waited += rl_now() - began;
	return status;
}

/*
 * Whether owners of this very thread hold it and renew it without an end: nobody could ever give it
 * back.
 */
static bool waits_for_ourselves(struct rl_attempt *attempt)
{
	int64_t shares = attempt->lease->tenure.is_share ? attempt->lease->limit : 1;
	struct rl_lease *held = rl_watch_find_endless(
		attempt->owner->route, &attempt->lease->keys, shares);
	struct rl_error ignored;
	bool ours = held
		&& rl_held_ask(attempt->owner, held, attempt->deadline, NULL, &ignored) == RL_OK;

	free(held);
	return ours;
}

/*
 * A call that may give up at once is answered that the lock is busy; and a retry strategy could
 * release the lock.
 */
static bool would_only_wait(const struct rl_attempt *attempt, bool may_wait)
{
	return may_wait && !attempt->retry
		&& (attempt->policy == RL_POLICY_WAIT || attempt->until == RL_FOREVER);
}

static enum rl_status refuse_endless_wait(struct rl_attempt *attempt, struct rl_error *error)
{
	char name[RL_NAME_SIZE];

	if (rl_attempt_is_first(attempt)) {
		rl_errand_run(
			&attempt->asking->errand, rl_attempt_leave_turnstile(attempt), error);
	}
	return rl_fail(error, RL_MISUSE,
		"Waiting for the lock \"%s\" would never end: an RLock of this thread holds it and renews it without maxHold",
		rl_lease_name(attempt->lease, name, sizeof name));
}

/*
 * A refusal that passes by itself is waited out; and so is, where servers replace each other, the
 * next one, and a server that only closes connections on which it was asked.
 */
static bool rides_out(
	const struct rl_attempt *attempt, enum rl_status failure, const struct rl_error *error)
{
	const struct rl_route *route = attempt->owner->route;
	bool was_served = rl_error_is_closed(error) && attempt->was_lost;

	return (failure == RL_REFUSED || was_served || route->patience > route->timeout)
		&& rl_attempt_may_retry(attempt, failure);
}

/*
 * A call that may give up at once must not announce a wait: the flag makes a release wait for a
 * claim.
 */
static enum rl_status ask(struct rl_attempt *attempt, bool may_wait, struct rl_error *error)
{
	bool announces = may_wait && attempt->policy == RL_POLICY_WAIT;
	struct rl_ask how = { .flag_ms = announces ? rl_attempt_flag_ms(attempt) : 0,
		.deadline = attempt->deadline,
		.undoes = true };

	return rl_errand_run(
		&attempt->asking->errand, rl_attempt_ask(attempt, &how, error), error);
}

static enum rl_status keep(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_lease *lease = attempt->lease;
	int64_t lease_ms = rl_lease_told(attempt->grant.left_ms);
	enum rl_status status;

	lease->tenure.fence = attempt->grant.fence;
	lease->tenure.is_share = lease->tenure.is_share && !attempt->grant.is_exclusive;
	lease->waited = rl_now() - attempt->began;
	status = attempt->detached
		? rl_detached_keep(attempt, error)
		: rl_owner_keep(attempt->owner, lease, attempt->asked_at, lease_ms, error);
	attempt->maybe_held = status != RL_OK; /* granted, and not kept */
	return status;
}

/*
 * Asks for the first time, and keeps what is granted. If the system refuses the thread that is to
 * look after it, nothing is sent.
 */
static enum rl_status ask_and_keep(
	struct rl_attempt *attempt, bool may_wait, struct rl_error *error)
{
	const struct rl_watch *watch = &attempt->owner->watch;
	enum rl_status status = attempt->detached ? RL_OK : rl_watch_expect(watch, error);

	if (status != RL_OK) {
		return status;
	}
	status = ask(attempt, may_wait, error);
	if (status == RL_OK && attempt->grant.ours) {
		rl_errand_end(&attempt->asking->errand); /* what follows has the use of the connection */
		status = keep(attempt, error);
	}
	if (!attempt->detached) {
		rl_watch_expect_no_more(watch);
	}
	return status;
}

static enum rl_status take(struct rl_wait *wait, bool may_wait, struct rl_error *error)
{
	struct rl_attempt *attempt = &wait->attempt;
	enum rl_status status = ask_and_keep(attempt, may_wait, error);

	if (attempt->grant.ours
		|| (status != RL_OK && !(may_wait && rides_out(attempt, status, error)))) {
		return status;
	}
	may_wait = may_wait && !attempt->is_refused;
	if (would_only_wait(attempt, may_wait) && waits_for_ourselves(attempt)) {
		return refuse_endless_wait(attempt, error);
	}
	if (!may_wait) {
		return RL_NO;
	}
	status = wait_counted(wait, status, error);
	return status == RL_OK ? keep(attempt, error) : status;
}

/* What is held already. RL_NO: an exclusive lock is asked for, and ours is not the only share. */
static enum rl_status reenter(struct rl_owner *owner, struct rl_lease *held,
	const struct rl_acquire *request, rl_time deadline, struct rl_error *error)
{
	return held->tenure.is_share && !request->is_shared
		? rl_mode_upgrade(owner, held, request->lease_ms, deadline, error)
		: rl_prolongate_reenter(owner, held, request->lease_ms, deadline, error);
}

/* Begins the call, and takes what is held already. RL_NO and not `is_held`: it is not. */
static enum rl_status begin(struct rl_owner *owner, const struct rl_acquire *request,
	rl_time deadline, bool *is_held, struct rl_error *error)
{
	struct rl_lease *held;
	enum rl_status status = request->is_shared ? rl_mode_can_share(owner, error) : RL_OK;

	*is_held = false;
	if (status != RL_OK || request->detached) {
		return status == RL_OK ? RL_NO : status;
	}
	status = rl_owner_use(owner, request->key, deadline, &held, error);
	*is_held = status == RL_OK;
	return status == RL_OK ? reenter(owner, held, request, deadline, error) : status;
}

/* Busy with ourselves, if the wait's hook has taken it meanwhile. */
static enum rl_status stayed_busy(struct rl_owner *owner, const struct rl_acquire *request,
	rl_time deadline, struct rl_error *error)
{
	struct rl_lease *held = (struct rl_lease *)rl_table_find(&owner->leases, request->key);

	if (held && !request->detached) {
		return reenter(owner, held, request, deadline, error);
	}
	owner->stats.busy++;
	return RL_NO;
}

/* RL_OK: the caller frees the wait. */
static enum rl_status prepare(struct rl_owner *owner, const struct rl_acquire *request,
	rl_time deadline, struct rl_wait **out, struct rl_error *error)
{
	struct rl_lease_terms terms = {
		.prefix = owner->prefix,
		.name = request->key,
		.metadata = request->metadata,
		.is_share = request->is_shared,
		.limit = request->limit,
		.is_guarded = request->guarded != NULL,
	};
	rl_time now = rl_now();
	struct rl_wait *wait = malloc(sizeof *wait);
	enum rl_status status;

	if (!wait) {
		return rl_fail_for_memory(error);
	}
	wait->attempt = (struct rl_attempt){
		.owner = owner,
		.detached = request->detached,
		.guarded = request->guarded,
		.lease_ms = request->lease_ms,
		.policy = request->policy,
		.retry = request->retry,
		.deadline = deadline,
		.began = now,
		.until = request->wait < RL_FOREVER - now ? now + request->wait : RL_FOREVER,
	};
	rl_attempt_begin(&wait->attempt, &wait->asking);
	if (request->detached) {
		terms.holder = request->detached->name;
	}
	status = rl_lease_new(&terms, &wait->attempt.lease, error);
	if (status != RL_OK) {
		free(wait);
	}
	*out = wait;
	return status;
}

static enum rl_status take_new(struct rl_owner *owner, const struct rl_acquire *request,
	rl_time *deadline, struct rl_error *error)
{
	struct rl_wait *wait = NULL;
	struct rl_attempt *attempt;
	enum rl_status status = prepare(owner, request, *deadline, &wait, error);

	if (status != RL_OK) {
		return status;
	}
	attempt = &wait->attempt;
	status = take(wait, request->wait > 0, error);
	rl_attempt_give_up(attempt);
	*deadline = attempt->deadline;
	if (status != RL_OK) {
		rl_lease_forget_fences(attempt->lease);
		owner->backend->discard(owner, attempt->lease, attempt->maybe_held || attempt->was_lost);
		if (attempt->grant.ours || (attempt->maybe_held && status == RL_REFUSED)) {
			rl_owner_take_back(owner, attempt->deadline);
		}
	}
	free(wait);
	return status;
}

enum rl_status rl_acquire_within(struct rl_owner *owner, const struct rl_acquire *request,
	rl_time *deadline, struct rl_error *error)
{
	bool is_held;
	enum rl_status status = begin(owner, request, *deadline, &is_held, error);

	if (status != RL_NO || is_held) {
		return status;
	}
	status = take_new(owner, request, deadline, error);
	return status == RL_NO ? stayed_busy(owner, request, *deadline, error) : status;
}

enum rl_status rl_owner_acquire(
	struct rl_owner *owner, const struct rl_acquire *request, struct rl_error *error)
{
	rl_time deadline = rl_owner_deadline(owner, rl_now());

	return rl_acquire_within(owner, request, &deadline, error);
}
