/*
 * Waiting for a lock that is taken.
 *
 * We park in a BLPOP on the lock's wake list. A release pushes one baton, which Redis gives to
 * whoever is parked longest; the baton is ours to claim. What may go wrong with that (a holder
 * or a grantee that died, a flag that was evicted, a foreign client) is caught by a safety net:
 * at the end of the present lease, and every second if nobody has parked behind us, we ask again, on
 * a second connection so that the first keeps its place in the queue. The others ask in turns.
 *
 * While parked, the owner's hook runs; it may use the owner, so nothing here points into it.
 *
 * A server that is away for a moment, or is being replaced, does not end the wait: the waiter keeps
 * asking for as long as the route is patient.
 */
#include "wait.h"
#include "baton.h"
#include "owner/detached.h"
#include "owner/detached_cache.h"
#include "parking.h"
#include "../base/thread.h"
#include "../redis/refusal.h"

#include <stdlib.h>
#include <string.h>

#define NET              RL_SECOND /* until the next ask of a waiter whom the server gives no other moment */
#define NET_JITTER       (100 * RL_MILLISECOND)
#define NAP              (10 * RL_SECOND)       /* longest sleep: its clock may stand still in suspend */
#define TICK             (100 * RL_MILLISECOND) /* between two runs of the hook where no signal may tell that it is due */
#define EXPIRY_JITTER    (3 * RL_MILLISECOND)   /* many may wait for the same lease to end */
#define POLL_INTERVAL    (50 * RL_MILLISECOND)  /* between asks where parking is not allowed */
#define SPLIT_JITTER     (4 * RL_MILLISECOND)   /* longest pause after the first such ask; doubled for each more */
#define SPLITS_MAX       5
#define RECONNECT_PAUSE  (20 * RL_MILLISECOND)
#define TURN             (RL_TURN_MS * RL_MILLISECOND)
#define TRUST            (5 * RL_SECOND / 2)    /* the first place is left alone for this long */
#define ALIKE            (100 * RL_MILLISECOND) /* two moments that differ by more are not the same */
#define PARTING          (100 * RL_MILLISECOND) /* longest wait for the server to see that we leave */
#define UNBLOCK_DELAY    (1 * RL_MILLISECOND)   /* after it the server knows that BLPOP's time is up */
#define UNBLOCK_PATIENCE (100 * RL_MILLISECOND) /* longest wait for it to end the BLPOP then */

struct rl_wait {
	struct rl_attempt *attempt;
	struct rl_parking parking;
	struct rl_parking elder; /* the one before, if it may lead nowhere; otherwise without a connection */
	bool parked;             /* `parking` has a BLPOP out */
	bool may_park;           /* the server allows blocking commands */
	bool over;
	rl_time trust;      /* for how long a place is left alone */
	rl_time ask_at;     /* the safety net's next ask */
	rl_time flag_until; /* until then the waiting flag is to stay up, by what has been told */
	rl_time retry_at;   /* the retry strategy's */
	unsigned retries;
	char turn[RL_BATON_SIZE];      /* the name of a cooldown after which we come next; or "" */
	rl_time free_at;               /* when that is over, as far as an ask has told; otherwise RL_FOREVER */
	unsigned splits;               /* asks in a row after which nobody had a majority */
	const struct rl_lease *former; /* a detached lock's, remembered when the wait began, and not read: it may be gone; or NULL */

	/* The owner may have to end the wait when the stack of its call is gone, with a fiber: so all of it is here. */
	struct rl_attempt own; /* what `attempt` points to */
	struct rl_wait *next, **from;
};

static rl_time jitter(rl_time most)
{
	uint32_t random = 0;

	rl_system_random(&random, sizeof random);
	return (rl_time)((double)most * random / UINT32_MAX);
}

/*
 * Waiters have split the nodes of a majority, and each takes back what it got: somebody who comes
 * back alone has it. The more often it happens, the more of them there must be.
 */
static void schedule_after_split(struct rl_wait *wait)
{
	wait->ask_at = wait->attempt->answered_at + jitter(SPLIT_JITTER << wait->splits);
	wait->splits += wait->splits < SPLITS_MAX;
}

/* Where a slot is moving away from, or to, there is no parking. */
static bool can_park(const struct rl_wait *wait)
{
	return wait->may_park && wait->parking.session.connection && !wait->parking.session.asking;
}

/* We come next: a little before the others, and before the delay is over; not so much that a short lease suffers. */
static rl_time turn_at(const struct rl_wait *wait)
{
	return wait->free_at - rl_time_earlier(TURN, wait->attempt->lease_ms * RL_MILLISECOND / 4);
}

static bool is_our_turn(const struct rl_wait *wait)
{
	return wait->turn[0] && rl_now() >= turn_at(wait);
}

/* When the last answer says to ask again. */
static void schedule_ask(struct rl_wait *wait)
{
	const struct rl_attempt *attempt = wait->attempt;
	rl_time busy = attempt->grant.busy_ms < 0 ? RL_FOREVER : attempt->grant.busy_ms * RL_MILLISECOND;

	if (busy == 0 && !attempt->owner->backend->passes_batons) {
		schedule_after_split(wait);
		return;
	}
	wait->splits = 0;
	wait->ask_at = attempt->answered_at + (attempt->grant.look_ms > 0 ? attempt->grant.look_ms * RL_MILLISECOND : NET) + jitter(NET_JITTER);
	if (busy < wait->ask_at - attempt->answered_at) {
		wait->ask_at = attempt->answered_at + busy + UNBLOCK_DELAY + jitter(EXPIRY_JITTER);
	}
	if (wait->turn[0] && busy != RL_FOREVER) {
		wait->free_at = attempt->answered_at + busy + UNBLOCK_DELAY;
		wait->ask_at = rl_time_earlier(wait->ask_at, turn_at(wait));
	}
	if (!can_park(wait) && !wait->parked && wait->ask_at > attempt->answered_at + POLL_INTERVAL * 2) {
		wait->ask_at = attempt->answered_at + POLL_INTERVAL + jitter(POLL_INTERVAL);
	}
}

static bool lease_outlasts_wait(const struct rl_attempt *attempt)
{
	int64_t left_ms = (attempt->until - attempt->answered_at) / RL_MILLISECOND;

	return attempt->until != RL_FOREVER && (attempt->grant.busy_ms < 0 || attempt->grant.busy_ms > left_ms);
}

static enum rl_status finish(struct rl_wait *wait, enum rl_status status)
{
	wait->over = true;
	return status;
}

/*
 * When a wait gives up that fails: after the route's patience, and no later than its own end, but not before one
 * call's deadline. A server that lacks replicas does answer: that wait lasts to its end, as for a lock that is busy.
 */
static rl_time give_up_at(const struct rl_attempt *attempt)
{
	const struct rl_route *route = attempt->owner->route;
	rl_time patient = attempt->failed_at + route->patience, call = attempt->failed_at + route->timeout;
	rl_time end = rl_time_later(attempt->until, call);

	if (attempt->too_few) {
		return attempt->until;
	}
	return rl_time_earlier(patient, end);
}

/* An ask or a claim that began at `began` has failed. RL_OK: another ask is due soon; otherwise the wait is over. */
static enum rl_status ride_out(struct rl_wait *wait, enum rl_status failure, rl_time began, struct rl_error *error)
{
	struct rl_attempt *attempt = wait->attempt;
	enum rl_status status = RL_OK;

	if (!attempt->failed_at || attempt->too_few) {
		attempt->failed_at = began;
	}
	wait->ask_at = rl_now() + RECONNECT_PAUSE;
	if (!rl_attempt_may_retry(attempt, failure) || wait->ask_at >= give_up_at(attempt)) {
		return finish(wait, failure);
	}
	if (attempt->maybe_held) {
		status = rl_attempt_renew_token(attempt, error);
	}
	if (attempt->retry) {
		wait->retry_at = wait->ask_at;
	}
	return status == RL_OK ? RL_OK : finish(wait, status);
}

/*
 * A server that has no room, or cannot write to its disk, keeps us from taking what is free, and not from being handed it:
 * that is no end of a wait. At its end it is what the last ask came to.
 */
static bool starves(enum rl_status failure, const struct rl_error *error)
{
	return failure == RL_REFUSED && rl_refusal_of(error) == RL_REFUSAL_STARVES;
}

static enum rl_status wait_for_memory(struct rl_wait *wait, struct rl_error *error)
{
	struct rl_attempt *attempt = wait->attempt;
	enum rl_status status = attempt->maybe_held ? rl_attempt_renew_token(attempt, error) : RL_OK;

	if (status != RL_OK || rl_now() >= attempt->until) {
		return finish(wait, status == RL_OK ? RL_REFUSED : status);
	}
	attempt->failed_at = 0;
	attempt->answered_at = rl_now();
	attempt->grant = (struct rl_grant){ .busy_ms = -1 };
	schedule_ask(wait);
	return RL_OK;
}

/*
 * The deadline of an ask, before which is undone what is to be undone after a failure. When the wait is over, that is the
 * last ask once more: then the deadline stays what it was, also for what follows.
 */
static rl_time ask_deadline(struct rl_attempt *attempt)
{
	bool once_more = attempt->failed_at && rl_now() >= attempt->until;
	rl_time deadline = once_more ? rl_owner_deadline(attempt->owner) : rl_owner_deadline_anew(attempt->owner);

	if (attempt->failed_at) {
		deadline = rl_time_earlier(deadline, give_up_at(attempt));
		attempt->owner->backend->repeat(attempt->owner, &attempt->lease->keys, deadline);
	}
	return deadline;
}

/*
 * We have been parked for a while, and the lock is taken for another time than it was then: it may have been passed
 * on, to others that came after us, since what was meant for us gets lost on the way.
 */
static bool may_be_passed_over(const struct rl_wait *wait)
{
	const struct rl_attempt *attempt = wait->attempt;
	rl_time moved = rl_attempt_busy_until(attempt) - wait->parking.busy_until;

	return !attempt->grant.ours && attempt->asked_at - wait->parking.after >= wait->trust && (moved > ALIKE || moved < -ALIKE);
}

/* A BLPOP's answer. If it brings our turn, that is noted. */
static enum rl_status read_wake(struct rl_wait *wait, const struct rl_reply *reply, struct rl_wake *wake,
	struct rl_error *error)
{
	enum rl_status status = rl_parking_read(&wait->parking, wait->attempt, reply, wake, error);

	if (wake->turn[0]) {
		memcpy(wait->turn, wake->turn, sizeof wait->turn);
		wait->free_at = RL_FOREVER;
	}
	return status;
}

/*
 * Leaves the queue by closing, where an UNBLOCK would need a right of its own. Until the server
 * has seen that, a release may still push a baton to us, our own next one too: so it is waited
 * for. A baton that comes first is ours if we only gave up waiting; otherwise it goes to the next one.
 * A server that reads the close in the same round in which it serves the BLPOP drops the baton all the same.
 */
static enum rl_status leave_queue(struct rl_wait *wait, enum rl_status status, struct rl_error *error)
{
	rl_time deadline = rl_now() + PARTING;
	const struct rl_reply *reply;
	struct rl_error ignored;
	struct rl_wake wake;

	rl_connection_hang_up(wait->parking.session.connection);
	while (rl_now() < deadline && rl_connection_read(wait->parking.session.connection, deadline, &reply, &ignored) == RL_OK) {
		if (read_wake(wait, reply, &wake, &ignored) != RL_OK || wake.pass.length == 0) {
			continue;
		}
		if (status == RL_NO && !wait->attempt->grant.is_first) {
			status = rl_baton_claim(wait->attempt, wake.pass, error);
		} else if (status != RL_OK || wait->attempt->lease->is_share) {
			rl_baton_pass_on(wait->attempt, wake.pass); /* a share that we have may have pushed it */
		}
	}
	wait->parked = false;
	return status;
}

/* Leaves all places in the queue, as leave_queue() does one. */
static enum rl_status leave_places(struct rl_wait *wait, enum rl_status status, struct rl_error *error)
{
	if (wait->parked) {
		status = leave_queue(wait, status, error);
	}
	if (wait->elder.session.connection) {
		rl_session_end(&wait->parking.session);
		wait->parking = wait->elder;
		wait->elder.session.connection = NULL;
		status = leave_queue(wait, status, error);
	}
	rl_session_end(&wait->parking.session);
	return status;
}

/*
 * We park somewhere else from now on: the first waiter parks on the room, and the others on the wake list; or at the end of
 * that, so that we know who is the last.
 */
static bool has_moved(const struct rl_wait *wait)
{
	const struct rl_grant *grant = &wait->attempt->grant;

	return wait->parked && !grant->ours && (grant->is_first != wait->parking.is_room || grant->look_ms < 0);
}

/* Parks next where the ask was answered, on the other list. What comes on the way is ours, if it is a baton. */
static enum rl_status move(struct rl_wait *wait, struct rl_session *session, struct rl_error *error)
{
	enum rl_status status = leave_places(wait, RL_NO, error);

	wait->parking.session = *session;
	return status == RL_NO ? RL_OK : status;
}

/*
 * Parks next where the ask was answered. While we are parked that is another place if the server was replaced; or a
 * second one: the first is kept, since it may be alive, and comes first then. Each has more time to prove itself than
 * the one before, so that a waiter that has waited for long does not come back to the queue's end too often.
 */
static enum rl_status keep_session(struct rl_wait *wait, struct rl_session *session)
{
	bool same = wait->parked && session->server == wait->parking.session.server;

	if (same && !may_be_passed_over(wait)) {
		rl_session_end(session);
		return RL_OK;
	}
	if (same) {
		rl_session_end(&wait->elder.session);
		wait->elder = wait->parking;
		wait->trust *= 2;
	} else {
		rl_session_end(&wait->parking.session);
	}
	wait->parking.session = *session;
	wait->parked = false;
	return RL_OK;
}

/* At least as long as it was to stay up by what we have been told: others may have been told to sleep for so long. */
static int64_t keep_flag_ms(const struct rl_wait *wait)
{
	return rl_time_later(RL_FLAG_MS * RL_MILLISECOND, wait->flag_until - rl_now()) / RL_MILLISECOND;
}

/* When the last answer wants us to look, and the flag to live. */
static void note_look(struct rl_wait *wait)
{
	const struct rl_attempt *attempt = wait->attempt;

	if (wait->parked) {
		wait->parking.look_at = attempt->grant.look_ms > 0 ? attempt->answered_at + attempt->grant.look_ms * RL_MILLISECOND : 0;
	}
	wait->flag_until = rl_time_later(wait->flag_until, attempt->answered_at + attempt->grant.up_ms * RL_MILLISECOND);
}

static enum rl_status ask(struct rl_wait *wait, struct rl_error *error)
{
	struct rl_attempt *attempt = wait->attempt;
	int64_t flag_ms = wait->may_park && rl_now() < attempt->until ? keep_flag_ms(wait) : 0;
	rl_time began = rl_now(), deadline;
	struct rl_session session;
	bool our_turn = is_our_turn(wait);
	enum rl_status status;

	if (our_turn && attempt->lease->is_share) {
		/* Others may enter as soon as we have: what wakes them must not come to us. */
		status = leave_places(wait, RL_NO, error);
		if (status != RL_NO) {
			return status == RL_OK ? finish(wait, RL_OK) : ride_out(wait, status, began, error);
		}
	}
	if (!wait->parked) {
		rl_session_end(&wait->parking.session);
	}
	attempt->turn = our_turn ? wait->turn : NULL;
	attempt->parking = wait->parked && !wait->parking.is_room ? &wait->parking : NULL;
	deadline = ask_deadline(attempt);
	status = attempt->owner->backend->ask(attempt, flag_ms, deadline, &session, error);
	if (status == RL_OK && attempt->grant.is_void) {
		rl_session_end(&session); /* the pass came too late */
		status = attempt->owner->backend->ask(attempt, flag_ms, deadline, &session, error);
	}
	if (status == RL_OK && !attempt->grant.ours) {
		status = rl_attempt_release_own(attempt, flag_ms, deadline, &session, error);
	}
	if (status != RL_OK) {
		return starves(status, error) ? wait_for_memory(wait, error) : ride_out(wait, status, began, error);
	}
	attempt->failed_at = 0;
	if (wait->parked) {
		rl_parking_date(&wait->parking, attempt);
	}
	status = has_moved(wait) ? move(wait, &session, error) : keep_session(wait, &session);
	if (status == RL_OK) {
		status = rl_detached_join(attempt, error);
	}
	if (status != RL_OK) {
		return ride_out(wait, status, began, error);
	}
	if (attempt->grant.ours) {
		return finish(wait, RL_OK);
	}
	if (attempt->is_refused || rl_now() >= attempt->until
		|| (attempt->policy == RL_POLICY_FAIL_FAST && lease_outlasts_wait(attempt))) {
		return finish(wait, RL_NO);
	}
	if (our_turn) {
		wait->turn[0] = '\0'; /* that cooldown is no more */
	}
	note_look(wait);
	schedule_ask(wait);
	return RL_OK;
}

/* A connection that broke while we were parked: whatever was on its way to us is lost, so ask. */
static enum rl_status ask_anew(struct rl_wait *wait, struct rl_error *error)
{
	wait->parked = false;
	return ask(wait, error);
}

static enum rl_status park(struct rl_wait *wait, struct rl_error *error)
{
	enum rl_status status = rl_parking_begin(&wait->parking, wait->attempt, error);

	wait->parked = true;
	return status == RL_UNREACHABLE ? ask_anew(wait, error) : status;
}

/* After the parked connection's answer: claims what it has brought, or asks. */
static enum rl_status take_answer(struct rl_wait *wait, const struct rl_reply *reply, struct rl_error *error)
{
	struct rl_wake wake;
	enum rl_status status = read_wake(wait, reply, &wake, error);

	wait->parked = false;
	if (status == RL_REFUSED) {
		wait->may_park = false; /* no blocking commands here: ask now and then */
		return ask(wait, error);
	}
	if (status != RL_OK) {
		return finish(wait, status);
	}
	if (wake.pass.length && rl_baton_is_for_turnstile(wait->attempt, wake.pass)) {
		wait->attempt->pass = wake.pass;
	} else if (wake.pass.length) {
		rl_time began = rl_now();

		rl_session_end(&wait->parking.session);
		status = rl_baton_claim(wait->attempt, wake.pass, error);
		if (status != RL_NO) {
			return status == RL_OK ? finish(wait, RL_OK) : ride_out(wait, status, began, error);
		}
	}
	return ask(wait, error);
}

static enum rl_status read_parked(struct rl_wait *wait, struct rl_error *error)
{
	const struct rl_reply *reply;
	enum rl_status status = rl_connection_try_read(wait->parking.session.connection, &reply, error);

	switch (status) {
		case RL_OK:
			return take_answer(wait, reply, error);
		case RL_NO:
			return RL_OK;
		case RL_UNREACHABLE:
			return ask_anew(wait, error);
		default:
			return finish(wait, status);
	}
}

/*
 * Cut off, or refused, which may be for being asked in the wrong place; or the BLPOP has not ended, since the server's
 * clock was set back, or that connection leads nowhere. Once more, wherever the route finds the right one.
 */
static enum rl_status last_ask_failed(struct rl_wait *wait, struct rl_call *call, enum rl_status status, rl_time deadline,
	struct rl_error *error)
{
	struct rl_attempt *attempt = wait->attempt;
	bool may_come = status == RL_UNREACHABLE;

	if (may_come) {
		rl_lease_set_copies(attempt->lease, deadline);
	}
	if (status == RL_NO_MEMORY || call->too_few || rl_now() >= deadline || starves(status, error)) {
		rl_call_abandon(call, &wait->parking.session);
		wait->parked = false;
		attempt->maybe_held |= call->maybe_done;
		return finish(wait, status);
	}
	status = wait->parked ? leave_queue(wait, RL_NO, error) : RL_NO;
	rl_session_end(&wait->parking.session);
	if (status != RL_NO) {
		return finish(wait, status);
	}
	attempt->failed_at = call->sent_at;
	status = may_come ? rl_attempt_renew_token(attempt, error) : RL_OK;
	return status == RL_OK ? ask(wait, error) : finish(wait, status);
}

/* Ends the BLPOP, by what was sent behind it. */
static enum rl_status end_parking(struct rl_wait *wait, rl_time deadline, struct rl_wake *wake, struct rl_error *error)
{
	rl_time patient = rl_time_earlier(rl_now() + UNBLOCK_PATIENCE, deadline);
	const struct rl_reply *reply;
	enum rl_status status = rl_connection_read(wait->parking.session.connection, patient, &reply, error);

	if (status == RL_OK) {
		wait->parked = false;
		status = read_wake(wait, reply, wake, error);
	}
	return status;
}

/*
 * Our time is up: the last ask goes out behind the BLPOP on the same connection. Its bytes make
 * the server look at the clock and end the BLPOP first; by itself it would do that up to 0.1 s
 * later. A baton that comes instead is ours, also if the ask was refused.
 */
static enum rl_status ask_last(struct rl_wait *wait, struct rl_error *error)
{
	struct rl_attempt *attempt = wait->attempt;
	rl_time deadline = rl_owner_deadline_anew(attempt->owner);
	const struct rl_reply *reply;
	struct rl_take take;
	struct rl_call *call = &take.step.call;
	struct rl_wake wake = { .pass = { NULL, 0 } };
	enum rl_status status;

	rl_protocol_ask(&take.step, attempt->lease, attempt->lease_ms, (struct rl_waiting){ 0 }, is_our_turn(wait) ? wait->turn : NULL,
		(struct rl_text){ NULL, 0 });
	rl_protocol_undo(&take, attempt->lease);
	status = rl_call_send(attempt->owner->route, call, &wait->parking.session, deadline, error);
	call->maybe_done = true;
	if (status == RL_OK) {
		status = end_parking(wait, deadline, &wake, error);
	}
	if (status == RL_OK) {
		status = rl_call_answer(attempt->owner->route, call, &wait->parking.session, deadline, &reply, error);
		attempt->asked_at = call->sent_at;
	}
	if (status == RL_OK) {
		status = rl_protocol_read_grant(&wait->parking.session, reply, &attempt->grant, error);
	}
	if (status == RL_OK && attempt->grant.ours) {
		rl_session_end(&wait->parking.session);
		return finish(wait, RL_OK);
	}
	if (wake.pass.length && (status == RL_OK || starves(status, error))) {
		rl_session_end(&wait->parking.session);
		return finish(wait, rl_baton_claim(attempt, wake.pass, error));
	}
	if (status != RL_OK) {
		return last_ask_failed(wait, call, status, deadline, error);
	}
	rl_session_end(&wait->parking.session);
	status = rl_detached_join(attempt, error);
	return finish(wait, status == RL_OK && !attempt->grant.ours ? RL_NO : status);
}

/*
 * Runs the hook. RL_INTERRUPTED: it wants us to stop; RL_MISUSE: we are in a child now, and the wait is our parent's.
 */
static enum rl_status may_go_on(const struct rl_wait *wait, struct rl_error *error)
{
	const struct rl_wait_hook *hook = &wait->attempt->owner->hook;
	const struct rl_lease *lease = wait->attempt->lease;
	char name[RL_NAME_SIZE];

	if (hook->run && !hook->run(hook->context)) {
		return rl_fail(error, RL_INTERRUPTED, "The wait was interrupted");
	}
	if (lease->generation != rl_system_generation()) {
		return rl_fail(error, RL_MISUSE,
			"The process was forked while it waited for the lock \"%s\"; the wait goes on in the parent",
			rl_lease_name(lease, name, sizeof name));
	}
	return RL_OK;
}

/* After a refusal: the strategy's next try, if there is one. Its code may do whatever a hook may do. */
static enum rl_status schedule_retry(struct rl_wait *wait, struct rl_error *error)
{
	const struct rl_retry *retry = wait->attempt->retry;
	rl_time refused_at = wait->attempt->answered_at, pause;
	enum rl_status status;
	bool more;

	if (!retry || wait->over) {
		return RL_OK;
	}
	more = retry->next(retry->context, ++wait->retries, &pause);
	status = may_go_on(wait, error);
	if (status != RL_OK) {
		return finish(wait, status);
	}
	if (!more) {
		return finish(wait, RL_NO);
	}
	wait->retry_at = pause < RL_FOREVER - refused_at ? refused_at + pause : RL_FOREVER;
	return RL_OK;
}

/*
 * When the hook is to run next though no signal has ended our sleep. Another thread may get a signal in our place, or may
 * itself be what has news for us: then only looking now and then finds out.
 */
static rl_time hook_at(const struct rl_wait_hook *hook, rl_time now)
{
	if (!hook->run || (hook->is_due && !hook->interval && rl_thread_is_alone())) {
		return RL_FOREVER;
	}
	return now + (hook->interval ? hook->interval : TICK);
}

/* What the owner has of this lock; of a detached one by its name, as far as it remembers. */
static const struct rl_lease *find_held(const struct rl_attempt *attempt)
{
	struct rl_text key = attempt->lease->entry.key, holder = rl_token_holder(&attempt->lease->token);

	return holder.data ? rl_detached_cache_find(attempt->owner, key, holder)
					   : (const struct rl_lease *)rl_table_find(&attempt->owner->leases, key);
}

/*
 * By the hook or the strategy, or by a fiber that ran while they were suspended: nobody else will give it back to us. What
 * was remembered before tells nothing: if no ask has been answered yet, it may be over.
 */
static bool taken_meanwhile(const struct rl_wait *wait)
{
	const struct rl_lease *held = find_held(wait->attempt);

	return held && held != wait->former;
}

/* Has something come for us in one of our places? Then that is `parking`. */
static enum rl_poll_result poll_places(struct rl_wait *wait, rl_time until)
{
	const struct rl_wait_hook *hook = &wait->attempt->owner->hook;
	struct rl_pollfd parked[2];
	enum rl_poll_result result;
	size_t count = 0;

	if (wait->parked) {
		parked[count++] = (struct rl_pollfd){ .fd = rl_connection_fd(wait->parking.session.connection), .want_read = true };
	}
	if (wait->elder.session.connection) {
		parked[count++] = (struct rl_pollfd){ .fd = rl_connection_fd(wait->elder.session.connection), .want_read = true };
	}
	result = hook->is_due ? rl_poll_unless(parked, count, until, hook->is_due, hook->context) : rl_poll(parked, count, until);
	if (result == RL_POLL_READY && !(wait->parked && parked[0].ready)) {
		struct rl_parking younger = wait->parking;

		wait->parking = wait->elder;
		wait->elder = younger;
		wait->parked = true;
	}
	return result;
}

/* Until something is to be done: a parked connection's answer, an ask, the end. */
static enum rl_status next_event(struct rl_wait *wait, struct rl_error *error)
{
	const struct rl_attempt *attempt = wait->attempt;
	rl_time end = attempt->until == RL_FOREVER ? RL_FOREVER : attempt->until + UNBLOCK_DELAY;
	enum rl_status status;
	rl_time now = rl_now();
	rl_time wake = rl_time_earlier(now + NAP, rl_time_earlier(end, rl_time_earlier(wait->ask_at, wait->retry_at)));
	bool failing = attempt->failed_at != 0;

	if (failing) {
		wake = wait->ask_at; /* at the end, too, it must be answered once */
	}
	if (now < wake) {
		wake = rl_time_earlier(wake, hook_at(&attempt->owner->hook, now));
	}
	if (poll_places(wait, wake) == RL_POLL_READY) {
		return read_parked(wait, error);
	}
	now = rl_now();
	if (failing) {
		return now >= wait->ask_at ? ask(wait, error) : RL_OK;
	}
	if (now >= end) {
		return wait->parked ? ask_last(wait, error) : ask(wait, error);
	}
	if (now >= wait->retry_at) {
		status = ask(wait, error);
		return status == RL_OK && !attempt->failed_at ? schedule_retry(wait, error) : status;
	}
	return now >= wait->ask_at ? ask(wait, error) : RL_OK;
}

/* It was our turn, and the delay may not be over yet. */
static void let_delay_pass(const struct rl_wait *wait)
{
	if (is_our_turn(wait)) {
		while (rl_poll(NULL, 0, wait->free_at) == RL_POLL_SIGNAL) {
		}
	}
}

static enum rl_status leave(struct rl_wait *wait, enum rl_status status, struct rl_error *error)
{
	struct rl_attempt *attempt = wait->attempt;
	bool ours = attempt->lease->generation == rl_system_generation();

	if (ours) {
		status = leave_places(wait, status, error);
	}
	if (status == RL_OK) {
		let_delay_pass(wait);
	} else if (ours && attempt->grant.is_first) {
		rl_baton_leave(attempt);
	}
	if (status != RL_OK && ours && wait->turn[0]) {
		rl_baton_pass_turn_on(wait->attempt, wait->turn);
	}
	rl_session_end(&wait->parking.session);
	rl_session_end(&wait->elder.session);
	return status;
}

static enum rl_status run(struct rl_wait *wait, enum rl_status asked, struct rl_error *error)
{
	const struct rl_attempt *attempt = wait->attempt;
	enum rl_status status = RL_OK;

	if (asked != RL_OK) {
		status = ride_out(wait, asked, attempt->began, error);
	} else if (attempt->policy == RL_POLICY_FAIL_FAST) {
		/* The first ask did not announce that we wait. */
		status = lease_outlasts_wait(attempt) ? finish(wait, RL_NO) : ask(wait, error);
	} else {
		schedule_ask(wait);
	}
	if (status == RL_OK && !attempt->failed_at) {
		status = schedule_retry(wait, error);
	}
	while (!wait->over) {
		if (!wait->parked && can_park(wait)) {
			status = park(wait, error);
		} else if ((status = may_go_on(wait, error)) == RL_OK) {
			status = taken_meanwhile(wait) ? finish(wait, RL_NO) : next_event(wait, error);
		}
		if (status != RL_OK && !wait->over) {
			status = finish(wait, status);
		}
	}
	return leave(wait, status, error);
}

/* NULL: out of memory. Takes the session over. */
static struct rl_wait *begin(const struct rl_attempt *attempt, struct rl_session *session)
{
	struct rl_owner *owner = attempt->owner;
	struct rl_wait *wait = malloc(sizeof *wait);

	if (!wait) {
		rl_session_end(session);
		return NULL;
	}
	*wait = (struct rl_wait){
		.next = owner->waits,
		.from = &owner->waits,
		.own = *attempt,
		.attempt = &wait->own,
		.parking = { .session = *session },
		.may_park = owner->backend->passes_batons,
		.trust = TRUST,
		.retry_at = RL_FOREVER,
		.former = find_held(attempt),
	};
	if (wait->next) {
		wait->next->from = &wait->next;
	}
	owner->waits = wait;
	return wait;
}

static void end(struct rl_wait *wait)
{
	*wait->from = wait->next;
	if (wait->next) {
		wait->next->from = wait->from;
	}
	free(wait);
}

enum rl_status rl_wait(struct rl_attempt *attempt, struct rl_session *session, enum rl_status asked, struct rl_error *error)
{
	struct rl_wait *wait = begin(attempt, session);
	enum rl_status status;

	if (!wait) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	status = run(wait, asked, error);
	*attempt = wait->own;
	end(wait);
	return status;
}

void rl_wait_end_all(struct rl_owner *owner)
{
	struct rl_error ignored;
	struct rl_wait *wait;

	while ((wait = owner->waits)) {
		leave(wait, RL_INTERRUPTED, &ignored);
		owner->backend->discard(owner, wait->own.lease, wait->own.maybe_held);
		end(wait);
	}
}
