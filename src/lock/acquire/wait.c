/*
 * Waiting for a lock that is taken.
 *
 * We park in a BLPOP on the lock's wake list. A release pushes one baton, which Redis gives to the
 * waiter that has been parked longest, and which our next ask claims. A safety net catches what may
 * go wrong with that (a holder or a grantee that died, a flag that was evicted, a foreign client):
 * we ask again when the present lease ends, and besides 1, 2, 4 and 8 s after we parked, and then
 * every 8 s. Such an ask goes out on a second connection, so that the first keeps its place in the
 * queue; if it fails, it is left out, since it only guards the wait. If no second connection can be
 * opened before a long wait parks, its place ends by itself after 8 s, while the flag is still up,
 * and the waiter asks where it was parked, and parks again.
 *
 * A wait is a state machine: watch() says what to wait for, a descriptor and a moment, and step()
 * does what is due then. The owner's hook runs in between; it may use the owner, so nothing here
 * points into it.
 *
 * A server that is away for a moment, or is being replaced, does not end the wait: the waiter keeps
 * asking for as long as the route is patient; and until its time is up, if the server answers that
 * it cannot do it now, or lets it in.
 */
#include "wait.h"
#include "detached.h"
#include "parking.h"
#include "../../base/list.h"
#include "../../base/thread.h"
#include "../../redis/refusal.h"

#include <stdlib.h>

#define FIRST_GAP  RL_SECOND /* from parking to the first ask beside */
#define GAP_JITTER (100 * RL_MILLISECOND)
/* longest sleep: its clock may stand still in suspend */
#define NAP (10 * RL_SECOND)
/* between two runs of the hook where no signal may tell that it is due */
#define TICK          (100 * RL_MILLISECOND)
#define EXPIRY_DELAY  RL_MILLISECOND        /* after it the server knows that a time is up */
#define EXPIRY_JITTER (3 * RL_MILLISECOND)  /* many may wait for the same lease to end */
#define POLL_INTERVAL (50 * RL_MILLISECOND) /* between asks where parking is not allowed */
/* longest pause after the first such ask; doubled for each more */
#define SPLIT_JITTER  (4 * RL_MILLISECOND)
#define SPLITS_MAX    5
#define FIRST_PAUSE   (20 * RL_MILLISECOND) /* after an ask that failed; doubled for each more */
#define LONGEST_PAUSE RL_SECOND
#define LAST_TRY      (100 * RL_MILLISECOND) /* what a wait has left for it when it gives up */
/* longest time for leaving the queue when the wait is not over by its time */
#define PARTING (100 * RL_MILLISECOND)

struct rl_wait {
	struct rl_attempt *attempt;
	struct rl_parking parking;
	bool may_park; /* the server allows blocking commands */
	bool is_last;  /* the last ask has begun, and with it the deadline of all that follows */
	bool over;
	rl_time parked_at; /* since when we are parked */
	rl_time ask_at;    /* the safety net's next ask */
	rl_time pause;     /* after the next failure */
	rl_time retry_at;  /* the retry strategy's */
	unsigned retries;
	unsigned splits; /* asks in a row after which nobody had a majority */

	/*
	 * The owner may have to end the wait when the stack of its call is gone, with a fiber: so all
	 * of it is here.
	 */
	struct rl_attempt own; /* what `attempt` points to */
	RL_LINK(struct rl_wait, link);
};

static enum rl_status ask_since(struct rl_wait *wait, rl_time began, struct rl_error *error);

static rl_time jitter(rl_time most)
{
	uint32_t random = 0;

	rl_system_random(&random, sizeof random);
	return (rl_time)((double)most * random / UINT32_MAX);
}

static enum rl_status finish(struct rl_wait *wait, enum rl_status status)
{
	wait->over = true;
	return status;
}

/* --- when to ask --- */

/*
 * Waiters have split the nodes of a majority, and each takes back what it got: one that comes back
 * alone has the lock. The more often it happens, the more of them there must be.
 */
static rl_time after_split(struct rl_wait *wait)
{
	rl_time pause = jitter(SPLIT_JITTER << wait->splits);

	wait->splits += wait->splits < SPLITS_MAX;
	return pause;
}

/* Where a slot is moving away from, or to, there is no parking. */
static bool can_park(const struct rl_wait *wait)
{
	return wait->may_park && wait->parking.session.connection && !wait->parking.session.asking;
}

/*
 * Until the net's next ask: as long as we have been parked, so that asks in between, as when a
 * lease ends, change nothing. The first waiter at the turnstile is known by its asks, so they stay
 * frequent.
 */
static rl_time gap(const struct rl_wait *wait)
{
	if (!wait->parking.is_parked || wait->parking.is_room) {
		return FIRST_GAP;
	}
	return rl_time_later(FIRST_GAP, rl_time_earlier(rl_now() - wait->parked_at, RL_LONGEST_GAP));
}

/* When the last answer says to ask again. */
static void schedule_ask(struct rl_wait *wait)
{
	const struct rl_attempt *attempt = wait->attempt;
	rl_time busy = attempt->grant.left_ms < 0 ? RL_FOREVER
											  : attempt->grant.left_ms * RL_MILLISECOND;
	rl_time pause = wait->parking.is_parked || can_park(wait)
		? gap(wait) + jitter(GAP_JITTER)
		: POLL_INTERVAL + jitter(POLL_INTERVAL);

	if (busy == 0 && !attempt->owner->backend->passes_batons) {
		pause = after_split(wait);
	} else {
		wait->splits = 0;
	}
	if (busy > 0 && busy < pause) {
		pause = busy + EXPIRY_DELAY + jitter(EXPIRY_JITTER);
	}
	wait->ask_at = attempt->answered_at + pause;
}

static bool lease_outlasts_wait(const struct rl_attempt *attempt)
{
	int64_t left_ms = (attempt->until - attempt->answered_at) / RL_MILLISECOND;

	return attempt->until != RL_FOREVER
		&& (attempt->grant.left_ms < 0 || attempt->grant.left_ms > left_ms);
}

/* --- failures --- */

/*
 * When a wait gives up that fails: after the route's patience, and no later than its own end, but
 * not before one call's deadline. A server that lacks replicas does answer: that wait lasts to its
 * end, as for a lock that is busy.
 */
static rl_time give_up_at(const struct rl_attempt *attempt)
{
	const struct rl_route *route = attempt->owner->route;
	rl_time patient = attempt->failed_at + route->patience,
			call = attempt->failed_at + route->timeout;
	rl_time end = rl_time_later(attempt->until, call);

	if (attempt->too_few) {
		return attempt->until;
	}
	return rl_time_earlier(patient, end);
}

/* After a failure. There is a last try shortly before the wait would give up. */
static rl_time next_try(struct rl_wait *wait, bool goes_on)
{
	rl_time now = rl_now(), at = now + wait->pause, last = give_up_at(wait->attempt) - LAST_TRY;

	wait->pause = rl_time_earlier(2 * wait->pause, LONGEST_PAUSE);
	return !goes_on && now < last ? rl_time_earlier(at, last) : at;
}

/*
 * What could not even be sent beside a place in the queue says nothing about that place, unless the
 * server was silent for as long as a call may take: then it is silent there, too. But such a place
 * must end soon, since nobody asks for it any more.
 */
static bool only_guards(const struct rl_wait *wait, rl_time began, const struct rl_error *error)
{
	const struct rl_attempt *attempt = wait->attempt;
	rl_time now = rl_now();
	bool was_silent = now - began >= attempt->owner->route->timeout
		&& error->cause != RL_CAUSE_NAME;

	return wait->parking.is_parked && wait->parking.until <= now + RL_LONGEST_GAP
		&& !attempt->maybe_held && !was_silent;
}

/* Nor does it end a wait that a server refuses for now, or takes connections and closes them. */
static bool is_no_end(
	const struct rl_wait *wait, enum rl_status failure, rl_time began, const struct rl_error *error)
{
	const struct rl_attempt *attempt = wait->attempt;
	bool passes = failure == RL_REFUSED
		&& (attempt->is_transient || rl_refusal_of(error) == RL_REFUSAL_STARVES);

	return rl_now() < attempt->until && failure != RL_NO_MEMORY && !attempt->too_few
		&& (passes || rl_error_is_closed(error) || only_guards(wait, began, error));
}

/*
 * An ask that began at `began` has failed. RL_OK: another ask is due soon; otherwise the wait is
 * over.
 */
static enum rl_status ride_out(
	struct rl_wait *wait, enum rl_status failure, rl_time began, struct rl_error *error)
{
	struct rl_attempt *attempt = wait->attempt;
	bool goes_on = is_no_end(wait, failure, began, error);
	enum rl_status status = RL_OK;

	if (goes_on) {
		attempt->failed_at = 0;
		attempt->answered_at = rl_now();
	} else if (!attempt->failed_at || attempt->too_few) {
		attempt->failed_at = began;
	}
	wait->ask_at = next_try(wait, goes_on);
	if (!goes_on
		&& (!rl_attempt_may_retry(attempt, failure) || wait->ask_at >= give_up_at(attempt))) {
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
 * The deadline of an ask. After a failure, earlier requests are undone first, within the same
 * deadline. When the wait is over, this may be the last ask once more: then the deadline stays what
 * it was, also for what follows.
 */
static rl_time ask_deadline(const struct rl_wait *wait)
{
	struct rl_attempt *attempt = wait->attempt;
	bool once_more = wait->is_last || (attempt->failed_at && rl_now() >= attempt->until);
	rl_time deadline;

	if (!once_more) {
		rl_attempt_begin_step(attempt);
	}
	deadline = attempt->deadline;
	if (attempt->failed_at) {
		deadline = rl_time_earlier(deadline, give_up_at(attempt));
		attempt->owner->backend->repeat(attempt->owner, &attempt->lease->keys, deadline, NULL);
	}
	return deadline;
}

/* --- asking --- */

/* With what a list has brought. If the ask fails, that began at `began`. */
static enum rl_status use(
	struct rl_wait *wait, const struct rl_wake *wake, rl_time began, struct rl_error *error)
{
	wait->attempt->heard = wake->text;
	return ask_since(wait, began, error);
}

static enum rl_status ask_server(
	struct rl_wait *wait, struct rl_session *session, struct rl_error *error)
{
	struct rl_attempt *attempt = wait->attempt;
	const struct rl_backend *backend = attempt->owner->backend;
	bool waits = wait->may_park && rl_now() < attempt->until;
	int64_t flag_ms = waits ? rl_attempt_flag_ms(attempt) : 0;
	rl_time deadline = ask_deadline(wait);
	enum rl_status status;

	attempt->is_beside = wait->parking.is_parked;
	status = backend->ask(attempt, flag_ms, deadline, session, error);
	if (status == RL_OK && !attempt->grant.ours) {
		status = rl_attempt_release_own(attempt, flag_ms, deadline, session, error);
	}
	if (status == RL_OK) {
		status = rl_detached_upgrade(attempt, deadline, error);
		if (status != RL_OK) {
			rl_session_end(session);
		}
	}
	return status;
}

/*
 * Parks next where the ask was answered, unless we are parked there already. The first waiter parks
 * on the room, and the others on the wake list: a waiter that changes lists may have received
 * something on the old one.
 */
static enum rl_status settle(
	struct rl_wait *wait, struct rl_session *session, struct rl_error *error)
{
	struct rl_parking *parking = &wait->parking;
	bool moves = rl_attempt_is_first(wait->attempt) != parking->is_room;
	bool is_there = parking->is_parked && session->server == parking->session.server;
	struct rl_wake wake = { .text = { NULL, 0 } };

	if (is_there && !moves) {
		rl_session_end(session);
		return RL_OK;
	}
	if (is_there) {
		rl_parking_end(parking, wait->attempt, rl_now() + PARTING, &wake);
	}
	rl_session_end(&parking->session);
	parking->session = *session;
	parking->is_parked = false;
	return wake.text.data ? use(wait, &wake, rl_now(), error) : RL_OK;
}

static enum rl_status ask_since(struct rl_wait *wait, rl_time began, struct rl_error *error)
{
	struct rl_attempt *attempt = wait->attempt;
	struct rl_session session;
	enum rl_status status;

	if (!wait->parking.is_parked) {
		rl_session_end(&wait->parking.session);
	}
	status = ask_server(wait, &session, error);
	if (status != RL_OK) {
		return ride_out(wait, status, began, error);
	}
	attempt->failed_at = 0;
	wait->pause = FIRST_PAUSE;
	if (attempt->grant.ours || attempt->is_refused || rl_now() >= attempt->until
		|| (attempt->policy == RL_POLICY_FAIL_FAST && lease_outlasts_wait(attempt))) {
		rl_session_end(&session);
		return finish(wait, attempt->grant.ours ? RL_OK : RL_NO);
	}
	status = settle(wait, &session, error);
	if (status == RL_OK && !wait->over) {
		schedule_ask(wait);
	}
	return status;
}

static enum rl_status ask(struct rl_wait *wait, struct rl_error *error)
{
	return ask_since(wait, rl_now(), error);
}

/* A connection that broke while we were parked: whatever was on its way to us is lost, so ask. */
static enum rl_status ask_anew(struct rl_wait *wait, struct rl_error *error)
{
	wait->parking.is_parked = false;
	return ask(wait, error);
}

static enum rl_status park(struct rl_wait *wait, struct rl_error *error)
{
	enum rl_status status = rl_parking_begin(&wait->parking, wait->attempt, error);

	wait->parked_at = rl_now();
	return status == RL_UNREACHABLE ? ask_anew(wait, error) : status;
}

/* Something has come on the parked connection. */
static enum rl_status hear(struct rl_wait *wait, struct rl_error *error)
{
	struct rl_wake wake;
	enum rl_status status = rl_parking_hear(&wait->parking, wait->attempt, &wake, error);

	if (status == RL_NO) {
		return RL_OK;
	}
	if (status == RL_UNREACHABLE) {
		return ask_anew(wait, error);
	}
	if (status == RL_REFUSED) {
		wait->may_park = false; /* no blocking commands here: ask now and then */
		return ask(wait, error);
	}
	return status == RL_OK ? use(wait, &wake, rl_now(), error) : finish(wait, status);
}

/*
 * Our time is up: we leave the queue, and ask for the last time. Both have one call's deadline, and
 * a place that leads nowhere leaves half of it for the ask.
 */
static enum rl_status ask_last(struct rl_wait *wait, struct rl_error *error)
{
	rl_time began = rl_now();
	struct rl_wake wake = { .text = { NULL, 0 } };

	wait->is_last = true;
	rl_attempt_begin_step(wait->attempt);
	if (wait->parking.is_parked) {
		rl_parking_end(&wait->parking, wait->attempt,
			rl_time_half_way(began, wait->attempt->deadline), &wake);
	}
	return use(wait, &wake, began, error);
}

/* --- the hook and the strategy --- */

/*
 * Runs the hook. RL_INTERRUPTED: it wants us to stop; RL_MISUSE: we are in a child now, and the
 * wait is our parent's.
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

/*
 * After a refusal: the strategy's next try, if there is one. Its code may do whatever a hook may
 * do.
 */
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
 * When the hook is to run next though no signal has ended our sleep. Another thread may get a
 * signal in our place, or may itself be what has news for us: then only looking now and then finds
 * out.
 */
static rl_time hook_at(const struct rl_wait_hook *hook, rl_time now)
{
	if (!hook->run || (hook->is_due && !hook->interval && rl_thread_is_alone())) {
		return RL_FOREVER;
	}
	return now + (hook->interval ? hook->interval : TICK);
}

/*
 * By the hook or the strategy, or by a fiber that ran while they were suspended: nobody else will
 * give it back to us.
 */
static bool taken_meanwhile(const struct rl_wait *wait)
{
	const struct rl_attempt *attempt = wait->attempt;

	return !attempt->detached && rl_table_find(&attempt->owner->leases, attempt->lease->entry.key);
}

/* --- the state machine --- */

/* When the wait's time is up, by the server's clock, too. */
static rl_time end_of(const struct rl_wait *wait)
{
	rl_time until = wait->attempt->until;

	return until == RL_FOREVER ? RL_FOREVER : until + EXPIRY_DELAY;
}

/*
 * What to wait for: the moment at which a step is due in any case, and in `parked`, unless its
 * descriptor is -1, an answer.
 */
static rl_time watch(const struct rl_wait *wait, struct rl_pollfd *parked)
{
	const struct rl_attempt *attempt = wait->attempt;

	*parked = (struct rl_pollfd){ .fd = -1 };
	if (wait->parking.is_parked) {
		*parked = (struct rl_pollfd){
			.fd = rl_connection_fd(wait->parking.session.connection), .want_read = true
		};
	}
	if (attempt->failed_at) {
		return wait->ask_at; /* at the end, too, it must be answered once */
	}
	return rl_time_earlier(end_of(wait), rl_time_earlier(wait->ask_at, wait->retry_at));
}

/*
 * Does what is due. RL_OK, and perhaps nothing was; unless wait->over, which is what the wait has
 * come to.
 */
static enum rl_status step(struct rl_wait *wait, bool answered, struct rl_error *error)
{
	rl_time now = rl_now();
	enum rl_status status;

	if (answered) {
		return hear(wait, error);
	}
	if (wait->attempt->failed_at) {
		return now >= wait->ask_at ? ask(wait, error) : RL_OK;
	}
	if (now >= end_of(wait)) {
		return ask_last(wait, error);
	}
	if (now >= wait->retry_at) {
		status = ask(wait, error);
		return status == RL_OK && !wait->attempt->failed_at ? schedule_retry(wait, error) : status;
	}
	return now >= wait->ask_at ? ask(wait, error) : RL_OK;
}

/* Sleeps until a step is due, or the hook, and does it. */
static enum rl_status sleep_and_step(struct rl_wait *wait, struct rl_error *error)
{
	const struct rl_wait_hook *hook = &wait->attempt->owner->hook;
	struct rl_pollfd parked;
	rl_time now = rl_now();
	rl_time until = rl_time_earlier(watch(wait, &parked), now + NAP);
	enum rl_poll_result result;
	size_t count = parked.fd >= 0;

	if (now < until) {
		until = rl_time_earlier(until, hook_at(hook, now));
	}
	result = hook->is_due ? rl_poll_unless(&parked, count, until, hook->is_due, hook->context)
						  : rl_poll(&parked, count, until);
	return step(wait, result == RL_POLL_READY, error);
}

/* The wait has ended without the lock, and something has come all the same. */
static enum rl_status use_last(
	struct rl_attempt *attempt, struct rl_text heard, struct rl_error *error)
{
	struct rl_owner *owner = attempt->owner;
	struct rl_session session;
	enum rl_status status;

	attempt->heard = heard;
	rl_attempt_begin_step(attempt);
	status = owner->backend->ask(attempt, 0, attempt->deadline, &session, error);
	if (status != RL_OK) {
		return status;
	}
	rl_session_end(&session);
	return attempt->grant.ours ? RL_OK : RL_NO;
}

/* Leaves the queue. */
static enum rl_status leave(struct rl_wait *wait, enum rl_status status, struct rl_error *error)
{
	struct rl_attempt *attempt = wait->attempt;
	bool ours = attempt->lease->generation == rl_system_generation(),
		 is_first = rl_attempt_is_first(attempt);
	struct rl_wake wake = { .text = { NULL, 0 } };

	attempt->is_beside = false;
	if (ours && wait->parking.is_parked) {
		rl_parking_end(&wait->parking, attempt, rl_now() + PARTING, &wake);
	}
	rl_session_end(&wait->parking.session);
	if (wake.text.data && status == RL_NO && !taken_meanwhile(wait)) {
		status = use_last(attempt, wake.text, error);
	} else if (wake.text.data) {
		rl_attempt_pass_on(attempt, wake.text);
	}
	if (status != RL_OK && ours && is_first) {
		rl_attempt_leave_turnstile(attempt);
	}
	return status;
}

/*
 * A signal that came while the lock was on its way to us is handled before anybody is told that we
 * have it.
 */
static enum rl_status run_hook_once_more(struct rl_wait *wait, struct rl_error *error)
{
	enum rl_status status = may_go_on(wait, error);

	wait->attempt->maybe_held |= status != RL_OK;
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
		if (!wait->parking.is_parked && can_park(wait)) {
			status = park(wait, error);
		} else if ((status = may_go_on(wait, error)) == RL_OK) {
			status = taken_meanwhile(wait) ? finish(wait, RL_NO) : sleep_and_step(wait, error);
		}
		if (status != RL_OK && !wait->over) {
			status = finish(wait, status);
		}
	}
	if (status == RL_OK) {
		status = run_hook_once_more(wait, error);
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
		.own = *attempt,
		.attempt = &wait->own,
		.parking = { .session = *session },
		.may_park = owner->backend->passes_batons,
		.pause = FIRST_PAUSE,
		.retry_at = RL_FOREVER,
	};
	RL_LIST_ADD(&owner->waits, wait, link);
	return wait;
}

static void end(struct rl_wait *wait)
{
	RL_LIST_REMOVE(wait, link);
	free(wait);
}

enum rl_status rl_wait(struct rl_attempt *attempt, struct rl_session *session, enum rl_status asked,
	struct rl_error *error)
{
	struct rl_wait *wait = begin(attempt, session);
	enum rl_status status;

	if (!wait) {
		return rl_fail_for_memory(error);
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
		owner->backend->discard(owner, wait->own.lease, wait->own.maybe_held || wait->own.was_lost);
		end(wait);
	}
}
