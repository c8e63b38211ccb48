/*
 * Taking a lock: asking once, waiting if it is taken, and keeping what was granted.
 */
#include "acquire.h"
#include "../extend/reenter.h"
#include "../inspect/held.h"
#include "pending.h"
#include "taking.h"
#include "../shown_name.h"
#include "../../base/stack.h"

#include <stdlib.h>

static enum rl_status wait_counted(struct rl_wait *wait, struct rl_error *error)
{
	struct rl_stats *stats = &wait->attempt.owner->stats;
	rl_time began = rl_now();
	enum rl_status status = rl_wait(wait, error);

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
 * release the lock, or whoever steps this meanwhile.
 */
static bool would_only_wait(const struct rl_attempt *attempt, bool may_wait)
{
	return may_wait && !attempt->retry && !rl_stack_current()
		&& (attempt->policy == RL_POLICY_WAIT || attempt->until == RL_FOREVER);
}

static void leave_turnstile(struct rl_attempt *attempt)
{
	struct rl_error ignored;

	if (rl_attempt_is_first(attempt)) {
		rl_errand_run(&attempt->asking->errand, rl_attempt_leave_turnstile(attempt), &ignored);
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
 * A call that may give up at once must not announce a wait: the flag makes a release wait for a
 * claim.
 */
static enum rl_status ask(struct rl_attempt *attempt, bool may_wait, struct rl_error *error)
{
	bool announces = may_wait && attempt->policy == RL_POLICY_WAIT;
	struct rl_ask how = { .flag_ms = announces ? rl_attempt_flag_ms(attempt) : 0,
		.deadline = attempt->deadline,
		.undoes = true };

	enum rl_status status = rl_errand_run(
		&attempt->asking->errand, rl_attempt_ask(attempt, &how, error), error);

	if (status == RL_INTERRUPTED && rl_stack_wanted() == RL_UNWANTED) {
		rl_attempt_give_up(attempt);
		rl_stack_serve_others();
		leave_turnstile(attempt); /* by now we may have it */
	}
	return status;
}

/* A child of the process has a copy of what its parent asks for. */
static bool is_ours(const struct rl_attempt *attempt)
{
	return attempt->lease->generation == rl_system_generation();
}

/* RL_CHANGED: it is to be asked for, with another token; RL_NO: its time is up. */
static enum rl_status ask_anew(struct rl_attempt *attempt, struct rl_error *error)
{
	enum rl_status status = RL_NO;

	attempt->grant.ours = false;
	attempt->doubt.fate_unknown = true;
	if (rl_now() < attempt->until) {
		rl_attempt_begin_step(attempt);
		status = rl_attempt_renew_token(attempt, error);
	}
	return status == RL_OK ? RL_CHANGED : status;
}

/* What is stepped may be granted, and run out before anybody has come to be told of it. */
static enum rl_status keep(struct rl_attempt *attempt, struct rl_error *error)
{
	enum rl_status status = rl_taking_keep(attempt, error);

	return status == RL_UNREACHABLE && rl_stack_current() ? ask_anew(attempt, error) : status;
}

/*
 * Asks for the first time, and keeps what is granted. If the system refuses the thread that is to
 * look after it, nothing is sent.
 */
static enum rl_status ask_and_keep(
	struct rl_attempt *attempt, bool may_wait, struct rl_error *error)
{
	const struct rl_watch *watch = &attempt->owner->watch;
	bool renews = attempt->detached ? attempt->renewed_for > 0 : watch->renew;
	bool is_watched = (!attempt->detached || renews) && !attempt->leaves_free;
	enum rl_status status = is_watched ? rl_watch_expect(watch, renews, error) : RL_OK;

	if (status != RL_OK) {
		return status;
	}
	status = ask(attempt, may_wait, error);
	if (status == RL_OK && attempt->grant.ours) {
		rl_errand_end(&attempt->asking->errand); /* what follows has the use of the connection */
		status = keep(attempt, error);
	}
	if (is_watched && is_ours(attempt)) {
		rl_watch_expect_no_more(watch, renews);
	}
	return status;
}

/* RL_CHANGED: as ask_anew(). */
static enum rl_status take_once(struct rl_wait *wait, bool may_wait, struct rl_error *error)
{
	struct rl_attempt *attempt = &wait->attempt;
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
	status = wait_counted(wait, error);
	return status == RL_OK ? keep(attempt, error) : status;
}

static enum rl_status take(struct rl_wait *wait, bool may_wait, struct rl_error *error)
{
	enum rl_status status;

	do {
		status = take_once(wait, may_wait, error);
	} while (status == RL_CHANGED);
	return status;
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
	status = rl_pending_refuse(owner, request->key, error);
	if (status != RL_OK) {
		return status;
	}
	do {
		status = rl_owner_use_alone(owner, request->key, deadline, &held, error);
		*is_held = status == RL_OK;
		if (status == RL_OK) {
			status = rl_reenter(
				owner, held, request->is_shared, request->lease_ms, deadline, error);
		}
	} while (status == RL_CHANGED);
	return status;
}

/* Busy with ourselves, if the wait's hook has taken it meanwhile. */
static enum rl_status stayed_busy(struct rl_owner *owner, const struct rl_acquire *request,
	rl_time deadline, struct rl_error *error)
{
	struct rl_lease *held;
	enum rl_status status = RL_CHANGED;

	while (status == RL_CHANGED && !request->detached && !request->until_free
		&& (held = (struct rl_lease *)rl_table_find(&owner->leases, request->key))) {
		status = rl_reenter(
			owner, held, request->is_shared, request->lease_ms, deadline, error);
	}
	if (status == RL_CHANGED) {
		owner->stats.busy++;
		status = RL_NO;
	}
	return status;
}

/*
 * Whoever hears that, or an exception of its own, may never make another call. A server that does
 * not answer would only be waited for once more. A wait may have discarded the token that was
 * granted, to ask with another one.
 */
static bool is_to_take_back(const struct rl_attempt *attempt, enum rl_status status)
{
	return attempt->grant.ours || status == RL_INTERRUPTED
		|| (attempt->doubt.fate_unknown && status == RL_REFUSED);
}

/* What was not kept is given back, where it may have been granted. */
static void let_go(struct rl_attempt *attempt, enum rl_status status)
{
	struct rl_owner *owner = attempt->owner;

	if (status == RL_INTERRUPTED && rl_stack_current()) {
		rl_attempt_drop(attempt);
		return;
	}
	rl_taking_discard(attempt);
	if (is_to_take_back(attempt, status)) {
		rl_owner_take_back(owner, attempt->deadline);
	}
}

static enum rl_status take_new(struct rl_owner *owner, const struct rl_acquire *request,
	rl_time *deadline, struct rl_error *error)
{
	struct rl_wait *wait = NULL;
	struct rl_attempt *attempt;
	enum rl_status status = rl_taking_prepare(owner, request, *deadline, &wait, error);

	if (status != RL_OK) {
		return status;
	}
	attempt = &wait->attempt;
	status = take(wait, request->wait > 0, error);
	if (status == RL_OK && request->until_free) {
		*deadline = attempt->deadline;
		free(wait); /* and the lease is gone */
		return RL_OK;
	}
	rl_attempt_give_up(attempt);
	*deadline = attempt->deadline;
	if (status != RL_OK) {
		let_go(attempt, status);
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
	const struct rl_acquire request = { .key = key,
		.until_free = true,
		.lease_ms = HAD_FOR_MS,
		.wait = wait,
		.policy = RL_POLICY_WAIT,
		.retry = retry };
	rl_time deadline = rl_owner_deadline(owner, rl_now());
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
	return wait > 0 ? rl_acquire_within(owner, &request, &deadline, error) : RL_NO;
}
