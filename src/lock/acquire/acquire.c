/*
 * Taking a lock: asking once, waiting if it is taken, and keeping what was granted.
 */
#include "detached.h"
#include "../extend/mode.h"
#include "../extend/upgrade.h"
#include "../inspect/held.h"
#include "pending.h"
#include "wait.h"
#include "../shown_name.h"
#include "../../base/stack.h"

#include <stdlib.h>

/* --- what an attempt begins and ends with --- */

/* RL_OK: nothing has been asked yet. */
static enum rl_status prepare(struct rl_owner *owner, const struct rl_acquire *terms,
	rl_time deadline, struct rl_attempt **out, struct rl_error *error)
{
	struct rl_lease_terms lease_terms = {
		.prefix = owner->prefix,
		.name = terms->key,
		.metadata = terms->metadata,
		.is_share = terms->is_shared,
		.limit = terms->limit,
		.guarded = terms->guarded ? terms->guarded->key : (struct rl_text){ NULL, 0 },
	};
	rl_time now = rl_now();
	/* not on the stack: PHP's fatal errors leave that in the midst of a wait */
	struct rl_attempt *attempt = malloc(sizeof *attempt + sizeof *attempt->asked);
	enum rl_status status;

	*out = attempt;
	if (!attempt) {
		return rl_fail_for_memory(error);
	}
	*attempt = (struct rl_attempt){
		.owner = owner,
		.detached = terms->detached,
		.renewed_for = terms->renewed_for,
		.guarded = terms->guarded,
		.leaves_free = terms->until_free,
		.lease_ms = terms->lease_ms,
		.policy = terms->policy,
		.retry = terms->retry,
		.deadline = deadline,
		.began = now,
		.until = terms->wait < RL_FOREVER - now ? now + terms->wait : RL_FOREVER,
		.asked = (struct rl_asked *)(attempt + 1),
	};
	if (terms->detached) {
		lease_terms.holder = terms->detached->name;
	}
	status = rl_lease_new(&lease_terms, &attempt->lease, error);
	if (status != RL_OK) {
		free(attempt);
	}
	return status;
}

/*
 * Whoever waits longest is told, and the lock is not kept for that one: our caller may be the first
 * to take it.
 */
static void leave_free(struct rl_attempt *attempt)
{
	struct rl_owner *owner = attempt->owner;
	struct rl_step step = { RL_STEP_LEAVE_FREE, .lease = attempt->lease };
	struct rl_outcome outcome;
	struct rl_error ignored;
	bool is_left = owner->backend->passes_batons
		&& rl_owner_run(owner, &step, rl_owner_deadline(owner, rl_now()), &outcome, &ignored)
			== RL_OK;
	bool maybe_held = !is_left || rl_doubt_any(&attempt->doubt);

	owner->backend->discard(owner, attempt->lease, maybe_held);
}

/*
 * What was granted is the owner's, or the name's, from now on: no server is asked. A call that only
 * waits until the lock is free gives it back.
 */
static enum rl_status keep_granted(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_lease *lease = attempt->lease;
	int64_t lease_ms = rl_lease_told(attempt->grant.left_ms);
	enum rl_status status;

	if (attempt->leaves_free) {
		leave_free(attempt);
		return RL_OK;
	}
	lease->tenure.fence = attempt->grant.fence;
	lease->tenure.is_share = lease->tenure.is_share && !attempt->grant.is_exclusive;
	lease->waited = attempt->answered_at - attempt->began;
	status = attempt->detached
		? rl_detached_keep(attempt, error)
		: rl_owner_keep(attempt->owner, lease, attempt->asked_at, lease_ms, error);
	attempt->doubt.fate_unknown = status != RL_OK; /* granted, and not kept */
	return status;
}

/* RL_AGAIN: it is to be asked for, with another token; RL_NO: its time is up. */
static enum rl_status start_over(struct rl_attempt *attempt, struct rl_error *error)
{
	enum rl_status status = RL_NO;

	attempt->grant.ours = false;
	attempt->doubt.fate_unknown = true;
	if (rl_now() < attempt->until) {
		rl_attempt_reset_deadline(attempt);
		status = rl_ask_replace_token(attempt, error);
	}
	return status == RL_OK ? RL_AGAIN : status;
}

/*
 * What is granted on a stack of its own may run out before anybody has come to be told of it: then
 * it is asked for anew.
 */
static enum rl_status keep(struct rl_attempt *attempt, struct rl_error *error)
{
	enum rl_status status;

	rl_ask_end(attempt); /* what follows has the use of the connection */
	status = keep_granted(attempt, error);
	return status == RL_UNREACHABLE && rl_stack_current() ? start_over(attempt, error) : status;
}

/* A child of the process has a copy of what its parent asks for. */
static bool is_of_this_process(const struct rl_attempt *attempt)
{
	return rl_lease_is_own(attempt->lease);
}

/*
 * After some failures nobody may ever make another call: where nobody wanted the lock any more, or
 * it was granted and not kept, or a server refused what it may have done. A server that does not
 * answer would only be waited for once more. A wait may have discarded the token that was granted,
 * to ask with another one.
 */
static bool is_to_take_back(const struct rl_attempt *attempt, enum rl_status status)
{
	return attempt->grant.ours || status == RL_INTERRUPTED
		|| (attempt->doubt.fate_unknown && status == RL_REFUSED);
}

/* The lease is released at the next contact, if it may be held. */
static void discard(struct rl_attempt *attempt, enum rl_status status)
{
	struct rl_owner *owner = attempt->owner;
	bool maybe_held = rl_doubt_any(&attempt->doubt) || attempt->grant.ours;

	if (!is_of_this_process(attempt)) {
		rl_lease_free(attempt->lease);
		return;
	}
	rl_lease_forget_fences(attempt->lease);
	owner->backend->discard(owner, attempt->lease, maybe_held);
	if (maybe_held && is_to_take_back(attempt, status)) {
		rl_owner_release_discarded(owner, attempt->deadline);
	}
}

/* --- taking --- */

static enum rl_status wait_counted(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_stats *stats = &attempt->owner->stats;
	rl_time began = rl_now();
	enum rl_status status = rl_wait(attempt, error);

	stats->waits++;
	stats->waited += rl_now() - began;
	return status;
}

/*
 * Whether owners of this very thread hold it and renew it without an end: nobody but a hook could
 * ever give it back.
 */
static bool waits_for_ourselves(struct rl_attempt *attempt)
{
	int64_t shares = attempt->lease->tenure.is_share ? attempt->lease->limit : 1;
	struct rl_lease *held = rl_watch_find_endless(
		attempt->owner->route, &attempt->lease->keys, shares);
	struct rl_error ignored;
	bool ours = held
		&& rl_held_verify(attempt->owner, held, attempt->deadline, NULL, &ignored) == RL_OK;

	free(held);
	return ours;
}

/*
 * A call that may give up at once (RL_POLICY_FAIL_FAST) is answered that the lock is busy; and a
 * retry strategy could release the lock, or whoever steps this meanwhile.
 */
static bool would_only_wait(const struct rl_attempt *attempt, bool may_wait)
{
	return may_wait && !attempt->retry && !rl_stack_current()
		&& (attempt->policy == RL_POLICY_WAIT || attempt->until == RL_FOREVER);
}

static void leave_turnstile(struct rl_attempt *attempt)
{
	rl_ask_end(attempt);
	if (rl_attempt_is_first(attempt)) {
		rl_ask_leave_turnstile(attempt);
	}
}

static enum rl_status refuse_endless_wait(struct rl_attempt *attempt, struct rl_error *error)
{
	char name[RL_NAME_SIZE];

	leave_turnstile(attempt);
	return rl_fail(error, RL_MISUSE,
		"Waiting for the lock \"%s\" would never end: an RLock of this thread holds it and renews it without maxHold",
		rl_lease_name(attempt->lease, name, sizeof name));
}

/*
 * Asks for the first time, and keeps what is granted. If the system refuses the thread that is to
 * look after it, nothing is sent. A call that may give up at once (RL_POLICY_FAIL_FAST) must not
 * announce a wait: the flag makes a release wait for a claim.
 */
static enum rl_status ask_and_keep(
	struct rl_attempt *attempt, bool may_wait, struct rl_error *error)
{
	bool announces = may_wait && attempt->policy == RL_POLICY_WAIT;
	struct rl_ask_terms how = { .flag_ms = announces ? rl_attempt_flag_ms(attempt) : 0,
		.deadline = attempt->deadline,
		.releases = true };
	const struct rl_watch *watch = &attempt->owner->watch;
	bool renews = attempt->detached ? attempt->renewed_for > 0 : watch->renew;
	bool is_watched = (!attempt->detached || renews) && !attempt->leaves_free;
	enum rl_status status = is_watched ? rl_watch_expect(watch, renews, error) : RL_OK;

	if (status != RL_OK) {
		return status;
	}
	status = rl_ask(attempt, &how, error);
	if (status == RL_INTERRUPTED && rl_stack_wanted() == RL_UNWANTED) {
		rl_stack_serve_others();
		leave_turnstile(attempt); /* by now we may have it */
	} else if (status == RL_OK && attempt->grant.ours) {
		status = keep(attempt, error);
	}
	if (is_watched && is_of_this_process(attempt)) {
		rl_watch_expect_no_more(watch, renews);
	}
	return status;
}

/* RL_AGAIN: as start_over(). */
static enum rl_status take(struct rl_attempt *attempt, bool may_wait, struct rl_error *error)
{
	enum rl_status status = ask_and_keep(attempt, may_wait, error);

	if (attempt->grant.ours || status != RL_OK) {
		return status;
	}
	may_wait = may_wait && !attempt->is_refused;
	if (would_only_wait(attempt, may_wait) && waits_for_ourselves(attempt)) {
		return refuse_endless_wait(attempt, error);
	}
	if (!may_wait) {
		return RL_NO;
	}
	status = wait_counted(attempt, error);
	return status == RL_OK ? keep(attempt, error) : status;
}

/*
 * Takes what is held a level deeper, as a share or exclusively. RL_NO: an exclusive lock is asked
 * for, and ours is not the only share. RL_AGAIN: what is held is to be looked for again.
 */
static enum rl_status reenter(struct rl_owner *owner, struct rl_lease *held,
	const struct rl_acquire *terms, rl_time deadline, struct rl_error *error)
{
	enum rl_status status;

	rl_lease_pin(held);
	status = held->tenure.is_share && !terms->is_shared
		? rl_upgrade(owner, held, terms->lease_ms, deadline, error)
		: rl_prolongate_reenter(owner, held, terms->lease_ms, deadline, error);
	rl_lease_unpin(held);
	return status;
}

/* Begins the call, and takes what is held already. RL_NO and not `is_held`: it is not. */
static enum rl_status begin(struct rl_owner *owner, const struct rl_acquire *terms,
	rl_time deadline, bool *is_held, struct rl_error *error)
{
	struct rl_lease *held;
	enum rl_status status = terms->is_shared ? rl_mode_can_share(owner, error) : RL_OK;

	*is_held = false;
	if (status != RL_OK || terms->detached) {
		return status == RL_OK ? RL_NO : status;
	}
	status = rl_pending_refuse(owner, terms->key, error);
	if (status == RL_OK) {
		status = rl_pending_settle(
			owner, terms->key, rl_time_half_way(rl_now(), deadline), error);
	}
	if (status != RL_OK) {
		return status;
	}
	if (terms->until_free) {
		return RL_NO; /* a hook may have taken it meanwhile */
	}
	do {
		status = rl_owner_use_alone(owner, terms->key, deadline, &held, error);
		*is_held = status == RL_OK;
		if (status == RL_OK) {
			status = reenter(owner, held, terms, deadline, error);
		}
	} while (status == RL_AGAIN);
	return status;
}

/*
 * It is re-entered, if it is busy with ourselves: the wait's hook or strategy has taken it, or
 * whoever steps this.
 */
static enum rl_status stayed_busy(struct rl_owner *owner, const struct rl_acquire *terms,
	rl_time deadline, struct rl_error *error)
{
	struct rl_lease *held;
	enum rl_status status = RL_AGAIN;

	if (rl_stack_current()) {
		deadline = rl_owner_deadline(owner, rl_now()); /* whoever steps it may come late */
	}
	while (status == RL_AGAIN && !terms->detached && !terms->until_free
		&& (held = (struct rl_lease *)rl_table_find(&owner->leases, terms->key))) {
		status = reenter(owner, held, terms, deadline, error);
	}
	if (status == RL_AGAIN) {
		owner->stats.busy++;
		status = RL_NO;
	}
	return status;
}

/* A wait comes on top of the deadline, and then that is the one of its last part. */
enum rl_status rl_owner_acquire(
	struct rl_owner *owner, const struct rl_acquire *terms, struct rl_error *error)
{
	rl_time own = rl_owner_deadline(owner, rl_now());
	rl_time *deadline = terms->deadline ? terms->deadline : &own;
	struct rl_attempt *attempt;
	bool is_held;
	enum rl_status status = begin(owner, terms, *deadline, &is_held, error);

	if (status != RL_NO || is_held) {
		return status;
	}
	status = prepare(owner, terms, *deadline, &attempt, error);
	if (status != RL_OK) {
		return status;
	}
	do {
		status = take(attempt, terms->wait > 0, error);
	} while (status == RL_AGAIN);
	rl_ask_end(attempt);
	*deadline = attempt->deadline;
	if (status != RL_OK) {
		discard(attempt, status);
	}
	free(attempt);
	return status == RL_NO ? stayed_busy(owner, terms, *deadline, error) : status;
}

/* --- until it is free --- */

/* It is had for a moment by the one whose turn in the queue it is. */
#define HAD_FOR_MS 1000

static enum rl_status refuse_own(
	struct rl_owner *owner, struct rl_text key, struct rl_error *error)
{
	char name[RL_NAME_SIZE];
	struct rl_lease *held;
	enum rl_status status = rl_owner_find(owner, key, &held, error);

	return status == RL_OK ? rl_fail(error, RL_MISUSE,
			   "This RLock holds the lock \"%s\" itself: waiting until it is free would never end",
			   rl_shown_name(name, sizeof name, key))
						   : status;
}

enum rl_status rl_owner_wait_until_free(struct rl_owner *owner, struct rl_text key, rl_time wait,
	const struct rl_retry *retry, struct rl_error *error)
{
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	const struct rl_acquire terms = { .key = key,
		.until_free = true,
		.deadline = &deadline,
		.lease_ms = HAD_FOR_MS,
		.wait = wait,
		.policy = RL_POLICY_WAIT,
		.retry = retry };
	struct rl_holder holder;
	enum rl_status status = refuse_own(owner, key, error);

	if (status == RL_NO) {
		status = rl_owner_holder_now(owner, key, deadline, &holder, error);
		if (status == RL_NO) {
			return RL_OK;
		}
	}
	if (status != RL_OK) {
		return status;
	}
	rl_owner_holder_clear(&holder);
	return wait > 0 ? rl_owner_acquire(owner, &terms, error) : RL_NO;
}
