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
 * A server that is away for a moment, or is being replaced, does not end the wait: the waiter keeps
 * asking for as long as the route is patient; and until its own time is up, if the server says that
 * it cannot serve now, or accepts connections and closes them.
 *
 *   ASKING <------------------------------ PARKED <------> BESIDE
 *    |  ^            woken, cut off         ^   |     due
 *    |  | due                               |   | time is up
 *    v  |       there can be a place        |   v
 *   BACKING_OFF ----------------------------+  LEAVING
 *    |           time is up                     |   |
 *    +---------------------------> LAST <-------+   |
 *                                   |               v
 *                                   +--------> PASSING_ON --> OVER
 *
 *   from          because                          to                        by
 *   ASKING        busy, or failed for now          BACKING_OFF               stay()
 *   BACKING_OFF   there can be a place             PARKED, at once           park()
 *                 due                              ASKING                    do_what_is_due()
 *                 time is up                       LAST                      ask_last()
 *   PARKED        woken, or the place was lost     ASKING                    hear()
 *                 due                              BESIDE                    do_what_is_due()
 *                 time is up                       LEAVING for LAST          ask_last()
 *   BESIDE        busy, or failed for now          PARKED                    stay()
 *                 busy, and on the other list      LEAVING for ASKING        choose_place()
 *                 busy, and on another server      BACKING_OFF               choose_place()
 *   LEAVING       something has come               ASKING, or LAST           left()
 *                 nothing has                      what it is for; in place  left()
 *                                                  of ASKING BACKING_OFF
 *   LAST          failed, and the wait goes on     BACKING_OFF               stay()
 *   any           granted, refused, given up,      LEAVING for OVER, where   over()
 *                 interrupted                      there is a place;
 *                                                  otherwise PASSING_ON      part()
 *   PASSING_ON    nothing more to pass on          OVER                      part()
 *
 * While asking fails, time is not up (4). What a place, its lists (`room` and `turnstile`) and its
 * flag are, parking.h and attempt.h say.
 *
 * Invariants between two steps:
 *
 *   1  There is a place in PARKED and BESIDE, perhaps one in LEAVING, and none otherwise.
 *   2  What a list has brought is in our own copy until an ask with it is over or it is passed on;
 *      there is none while we are PARKED or BACKING_OFF.
 *   3  The connection of an ask was returned, or the next place will be on it.
 *   4  While asking fails, the next ask is before the wait gives up.
 *   5  Once the lock is granted, no step asks for it any more.
 *   6  After a failure that leaves it in doubt, no token is asked with again.
 *   7  Where the server does not allow blocking commands, we are not PARKED.
 *   8  LAST is entered once: what follows is PASSING_ON, or a failure, and all asks behind that
 *      have the same deadline, unless nobody came in time to make them.
 */
#include "wait.h"
#include "../../base/assert.h"
#include "../../base/stack.h"
#include "../../base/thread.h"
#include "../../redis/refusal.h"

#include <stdlib.h>

/* longest sleep: its clock may stand still in suspend */
#define NAP (10 * RL_SECOND)
/* longest time for leaving the queue when the wait is not over by its time */
#define LEAVE_WITHIN (100 * RL_MILLISECOND)

/* Where a slot is moving away from, or to, there is no parking. */
static bool can_park(struct rl_wait *wait)
{
	return wait->may_park && rl_errand_exchange(&wait->asking.errand)
		&& !wait->asking.errand.request.is_asking;
}

static bool is_parked(const struct rl_wait *wait)
{
	return rl_parking_is_somewhere(&wait->parking);
}

/* A child of the process has a copy of the wait, which goes on in the parent. */
static bool is_ours(const struct rl_wait *wait)
{
	return wait->attempt.lease->generation == rl_system_generation();
}

/*
 * By the hook or the strategy, or by a fiber that ran while they were suspended: nobody else will
 * give it back to us.
 */
static bool taken_meanwhile(const struct rl_wait *wait)
{
	const struct rl_attempt *attempt = &wait->attempt;

	return !attempt->detached && rl_table_find(&attempt->owner->leases, attempt->lease->entry.key);
}

static bool is_idle(const struct rl_wait *wait)
{
	return wait->state == RL_WAIT_PARKED || wait->state == RL_WAIT_BACKING_OFF;
}

static void assert_wait(struct rl_wait *wait)
{
	const struct rl_attempt *attempt = &wait->attempt;
	const struct rl_schedule *schedule = &wait->schedule;
	const struct rl_text *heard = &wait->wake.text;
	enum rl_wait_state state = wait->state;
	bool is_over = state == RL_WAIT_PASSING_ON || state == RL_WAIT_OVER;
	bool has_place = state == RL_WAIT_PARKED || state == RL_WAIT_BESIDE
		|| state == RL_WAIT_LEAVING;

	rl_assert(state == RL_WAIT_LEAVING || is_parked(wait) == has_place);           /* 1 */
	rl_assert(!heard->data || (heard->data == wait->wake.copy && !is_idle(wait))); /* 2 */
	rl_assert(wait->state != RL_WAIT_PARKED
		|| !rl_errand_exchange(&wait->asking.errand)); /* 3 */
	rl_assert(!is_idle(wait) || !schedule->failed_at
		|| (schedule->ask_at < schedule->give_up_at && !attempt->doubt.fate_unknown)); /* 4, 6 */
	rl_assert(is_over || wait->state == RL_WAIT_LEAVING || !attempt->grant.ours);      /* 5 */
	rl_assert(wait->may_park || wait->state != RL_WAIT_PARKED);                        /* 7 */
}

/* --- to its end --- */

static void leave(struct rl_wait *wait, enum rl_wait_state then, rl_time deadline)
{
	rl_parking_leave(&wait->parking, deadline);
	wait->state = RL_WAIT_LEAVING;
	wait->then = then;
}

/*
 * RL_NO: something that others wait for is passed on, from the next step on. If the last ask used
 * up its deadline, this has another one, unless the server was silent all that time.
 */
static enum rl_status pass_next(struct rl_wait *wait)
{
	struct rl_attempt *attempt = &wait->attempt;
	enum rl_status status = RL_OK;

	if (wait->status != RL_UNREACHABLE && rl_now() >= attempt->deadline) {
		rl_attempt_begin_step(attempt);
	}
	if (wait->wake.text.data) {
		status = rl_attempt_pass_on(attempt, wait->wake.text, &wait->unheard);
		wait->wake.text.data = NULL;
	} else if (wait->status != RL_OK && wait->was_first) {
		status = rl_attempt_leave_turnstile(attempt);
		wait->was_first = false;
	}
	return status;
}

/* What others wait for is passed on, one after the other. */
static void part(struct rl_wait *wait)
{
	wait->state = RL_WAIT_PASSING_ON;
	do {
		wait->asked = pass_next(wait);
	} while (wait->asked != RL_NO && wait->status != RL_OK && wait->was_first);
	if (wait->asked != RL_NO) {
		rl_attempt_give_up(&wait->attempt);
		wait->state = RL_WAIT_OVER;
	}
}

/* The wait has come to `status`, which `error` explains. */
static void over(struct rl_wait *wait, enum rl_status status)
{
	bool ours = is_ours(wait);

	wait->status = status;
	wait->then = RL_WAIT_OVER;
	wait->was_first |= ours && rl_attempt_is_first(&wait->attempt);
	wait->attempt.is_beside = false;
	rl_attempt_give_up(&wait->attempt);
	if (ours && is_parked(wait)) {
		leave(wait, RL_WAIT_OVER, rl_now() + LEAVE_WITHIN);
	} else {
		rl_parking_end(&wait->parking);
		part(wait);
	}
}

/* --- asking --- */

static void begin_to_ask(struct rl_wait *wait, enum rl_wait_state state)
{
	wait->state = state;
	wait->asked = RL_OK;
	wait->began = rl_now();
}

/*
 * Our time is up: we leave the queue, and ask for the last time. Both have one call's deadline, and
 * a place that leads nowhere leaves half of it for the ask.
 */
static void ask_last(struct rl_wait *wait)
{
	begin_to_ask(wait, RL_WAIT_LAST);
	rl_attempt_begin_step(&wait->attempt);
	if (is_parked(wait)) {
		leave(wait, RL_WAIT_LAST, rl_time_half_way(wait->began, wait->attempt.deadline));
	}
}

/*
 * The deadline of an ask. After a failure, earlier requests are undone first, within the same
 * deadline. When the wait is over, this may be the last ask once more: then the deadline stays what
 * it was, also for what follows. An ask that nobody came to begin in time has its own all the same.
 */
static rl_time ask_deadline(struct rl_wait *wait)
{
	struct rl_attempt *attempt = &wait->attempt;
	rl_time now = rl_now();
	bool fails = wait->schedule.failed_at;
	bool once_more = wait->state == RL_WAIT_LAST || (fails && now >= attempt->until);

	if (!once_more || now >= attempt->deadline) {
		rl_attempt_begin_step(attempt);
	}
	return fails && now < wait->schedule.give_up_at
		? rl_time_earlier(attempt->deadline, wait->schedule.give_up_at)
		: attempt->deadline;
}

static enum rl_status begin_ask(struct rl_wait *wait)
{
	struct rl_attempt *attempt = &wait->attempt;
	bool waits = wait->may_park && wait->state != RL_WAIT_LAST && rl_now() < attempt->until;
	struct rl_ask how = { .flag_ms = waits ? rl_attempt_flag_ms(attempt) : 0,
		.deadline = ask_deadline(wait),
		.undoes = wait->schedule.failed_at != 0 };

	attempt->heard = wait->wake.text;
	attempt->is_beside = wait->state == RL_WAIT_BESIDE;
	return rl_attempt_ask(attempt, &how, &wait->error);
}

/* --- answers --- */

/* Where we are, until something is due. A connection is kept only to park on it. */
static void stay(struct rl_wait *wait)
{
	wait->state = is_parked(wait) ? RL_WAIT_PARKED : RL_WAIT_BACKING_OFF;
	if (is_parked(wait) || !can_park(wait)) {
		rl_errand_end(&wait->asking.errand);
	}
}

/* We know where we wait next. */
static void schedule_ask(struct rl_wait *wait)
{
	const struct rl_attempt *attempt = &wait->attempt;
	const struct rl_parking *parking = &wait->parking;
	rl_time busy = attempt->grant.left_ms < 0 ? RL_FOREVER
											  : attempt->grant.left_ms * RL_MILLISECOND;
	/* The first waiter at the turnstile is known by its asks, so they stay frequent. */
	rl_time parked_for = is_parked(wait) && !parking->is_room ? rl_now() - wait->parked_at : 0;

	if (busy == 0 && !attempt->owner->backend->passes_batons) {
		rl_schedule_split(&wait->schedule, attempt->answered_at);
	} else {
		rl_schedule_taken(&wait->schedule, attempt->answered_at, busy,
			is_parked(wait) || can_park(wait), parked_for);
	}
	wait->asks_strategy = attempt->retry && wait->began >= wait->schedule.retry_at;
	stay(wait);
}

/* The old one ends: our next place is where the ask was answered. */
static void change_place(struct rl_wait *wait)
{
	rl_parking_end(&wait->parking);
	schedule_ask(wait);
}

/*
 * The first waiter parks on the room, and the others on the wake list: a waiter that changes lists
 * may have received something on the old one. Where a connection beside our place was silent, and
 * another was answered, that place may be as dead.
 */
static void choose_place(struct rl_wait *wait)
{
	const struct rl_exchange *asked = rl_errand_exchange(&wait->asking.errand);
	bool moves = rl_attempt_is_first(&wait->attempt) != wait->parking.is_room;
	bool is_there = is_parked(wait) && asked && asked->server == wait->parking.blpop.server;

	if (!is_there) {
		change_place(wait);
	} else if (moves || wait->asking.errand.request.was_silent) {
		leave(wait, RL_WAIT_ASKING, rl_now() + LEAVE_WITHIN);
	} else {
		schedule_ask(wait);
	}
}

static bool lease_outlasts_wait(const struct rl_wait *wait)
{
	return rl_schedule_outlasts(
		&wait->schedule, wait->attempt.answered_at, wait->attempt.grant.left_ms);
}

static void answered(struct rl_wait *wait)
{
	struct rl_attempt *attempt = &wait->attempt;

	rl_schedule_answered(&wait->schedule);
	if (attempt->grant.ours || attempt->is_refused || wait->state == RL_WAIT_LAST
		|| rl_now() >= attempt->until
		|| (attempt->policy == RL_POLICY_FAIL_FAST && lease_outlasts_wait(wait))) {
		over(wait, attempt->grant.ours ? RL_OK : RL_NO);
	} else {
		choose_place(wait);
	}
}

/* --- failures --- */

/*
 * An ask beside a place that was surely not done says nothing about that place, unless the server
 * was silent for as long as a call may take: then it is silent there, too. But such a place must
 * end soon, since nobody asks for it any more.
 */
static bool only_guards(const struct rl_wait *wait)
{
	const struct rl_attempt *attempt = &wait->attempt;
	rl_time now = rl_now();
	bool was_silent = now - wait->began >= attempt->owner->route->timeout
		&& wait->error.cause != RL_CAUSE_NAME;

	return is_parked(wait) && wait->parking.until <= now + RL_LONGEST_GAP
		&& !attempt->doubt.fate_unknown && !was_silent;
}

/* Nor does it end a wait that a server refuses for now, or takes connections and closes them. */
static bool is_no_end(const struct rl_wait *wait, enum rl_status failure)
{
	const struct rl_attempt *attempt = &wait->attempt;
	const struct rl_error *error = &wait->error;
	bool passes = failure == RL_REFUSED
		&& (attempt->is_transient || rl_refusal_of(error) == RL_REFUSAL_STARVES);

	return rl_now() < attempt->until && failure != RL_NO_MEMORY && !attempt->too_few
		&& (passes || rl_error_is_closed(error) || only_guards(wait));
}

/* False: the wait is over. */
static bool ride_out(struct rl_wait *wait, enum rl_status failure)
{
	struct rl_attempt *attempt = &wait->attempt;
	const struct rl_route *route = attempt->owner->route;
	struct rl_failed_ask ask = { .began = wait->began,
		.ended = rl_now(),
		.patience = route->patience,
		.timeout = route->timeout,
		.too_few = attempt->too_few };

	if (is_no_end(wait, failure)) {
		attempt->answered_at = ask.ended;
		rl_schedule_go_on(&wait->schedule, ask.ended);
		return true;
	}
	return rl_attempt_may_retry(attempt, failure) && rl_schedule_failed(&wait->schedule, &ask);
}

/*
 * An ask has failed. Another is due soon, or the wait is over.
 */
static void failed(struct rl_wait *wait, enum rl_status failure)
{
	struct rl_attempt *attempt = &wait->attempt;
	enum rl_status status = RL_OK;

	if (wait->then == RL_WAIT_OVER || !ride_out(wait, failure)) {
		over(wait, failure);
		return;
	}
	if (attempt->doubt.fate_unknown) {
		status = rl_attempt_renew_token(attempt, &wait->error);
	}
	if (status != RL_OK) {
		over(wait, status);
		return;
	}
	if (attempt->retry) {
		wait->schedule.retry_at = wait->schedule.ask_at;
	}
	stay(wait);
}

/* Begins the ask, or goes on with it. */
static void ask(struct rl_wait *wait, struct rl_polls *polls)
{
	if (wait->asked != RL_NO) {
		wait->asked = begin_ask(wait);
	}
	if (wait->asked == RL_NO) {
		wait->asked = rl_errand_go_on(&wait->asking.errand, polls, &wait->error);
	}
	if (wait->asked == RL_NO) {
		return;
	}
	wait->wake.text.data = NULL;
	if (wait->asked == RL_OK) {
		answered(wait);
	} else {
		failed(wait, wait->asked);
	}
}

/* --- the queue --- */

static void park(struct rl_wait *wait)
{
	rl_parking_begin(
		&wait->parking, &wait->attempt, rl_errand_exchange(&wait->asking.errand));
	rl_errand_end(&wait->asking.errand);
	wait->parked_at = rl_now();
	wait->state = RL_WAIT_PARKED;
}

/* False: nothing has come yet. */
static bool hear(struct rl_wait *wait, struct rl_polls *polls)
{
	enum rl_status status = rl_parking_go_on(&wait->parking, &wait->wake, polls, &wait->error);

	if (status == RL_NO) {
		return false;
	}
	rl_parking_end(&wait->parking);
	if (status == RL_NO_MEMORY) {
		over(wait, status);
		return true;
	}
	wait->may_park = status != RL_REFUSED; /* no blocking commands here: ask now and then */
	begin_to_ask(wait, RL_WAIT_ASKING);
	return true;
}

/* The wait has ended without the lock, and something has come all the same. */
static void use_or_pass_on(struct rl_wait *wait)
{
	if (wait->status == RL_NO && !taken_meanwhile(wait)) {
		begin_to_ask(wait, RL_WAIT_LAST);
		rl_attempt_begin_step(&wait->attempt);
	} else {
		part(wait);
	}
}

static void left(struct rl_wait *wait, struct rl_polls *polls)
{
	bool has_come;

	if (rl_parking_go_on(&wait->parking, &wait->wake, polls, &wait->unheard) == RL_NO) {
		return;
	}
	has_come = wait->wake.text.data;
	rl_parking_end(&wait->parking);
	if (wait->then == RL_WAIT_LAST) {
		wait->state = RL_WAIT_LAST;
	} else if (wait->then == RL_WAIT_ASKING && has_come) {
		begin_to_ask(wait, RL_WAIT_ASKING);
	} else if (wait->then == RL_WAIT_ASKING) {
		schedule_ask(wait);
	} else if (has_come) {
		use_or_pass_on(wait);
	} else {
		part(wait);
	}
}

static void pass_on(struct rl_wait *wait, struct rl_polls *polls)
{
	while (wait->state == RL_WAIT_PASSING_ON
		&& (wait->asked = rl_errand_go_on(&wait->asking.errand, polls, &wait->unheard))
			!= RL_NO) {
		part(wait);
	}
}

/* --- steps --- */

static void do_what_is_due(struct rl_wait *wait)
{
	const struct rl_schedule *schedule = &wait->schedule;
	bool parked = wait->state == RL_WAIT_PARKED;
	rl_time now = rl_now();

	if (!schedule->failed_at && now >= rl_schedule_end(schedule)) {
		ask_last(wait);
	} else if (now >= rl_schedule_next(schedule)) {
		begin_to_ask(wait, parked ? RL_WAIT_BESIDE : RL_WAIT_ASKING);
	}
}

static enum rl_status fail_in_child(struct rl_wait *wait)
{
	char name[RL_NAME_SIZE];

	return rl_fail(&wait->error, RL_MISUSE,
		"The process was forked while it waited for the lock \"%s\"; the wait goes on in the parent",
		rl_lease_name(wait->attempt.lease, name, sizeof name));
}

static void go_on_idle(struct rl_wait *wait, struct rl_polls *polls)
{
	if (!is_ours(wait)) {
		over(wait, fail_in_child(wait));
	} else if (taken_meanwhile(wait)) {
		over(wait, RL_NO);
	} else if (wait->state == RL_WAIT_BACKING_OFF && can_park(wait)) {
		park(wait);
		hear(wait, polls);
	} else if (wait->state != RL_WAIT_PARKED || !hear(wait, polls)) {
		do_what_is_due(wait);
	}
}

static void go_on(struct rl_wait *wait, struct rl_polls *polls)
{
	switch (wait->state) {
		case RL_WAIT_PARKED:
		case RL_WAIT_BACKING_OFF:
			go_on_idle(wait, polls);
			break;
		case RL_WAIT_ASKING:
		case RL_WAIT_BESIDE:
		case RL_WAIT_LAST:
			ask(wait, polls);
			break;
		case RL_WAIT_LEAVING:
			left(wait, polls);
			break;
		case RL_WAIT_PASSING_ON:
			pass_on(wait, polls);
			break;
		case RL_WAIT_OVER:
			break;
	}
	assert_wait(wait);
}

void rl_wait_go_on(struct rl_wait *wait, struct rl_polls *polls)
{
	const size_t count = polls->count;
	enum rl_wait_state before;

	do {
		before = wait->state;
		rl_polls_back_to(polls, count);
		go_on(wait, polls);
	} while (wait->state != before && !rl_wait_asks_strategy(wait));
	if (is_idle(wait)) {
		rl_polls_until(polls, rl_schedule_next(&wait->schedule));
	}
}

static void begin(struct rl_wait *wait)
{
	struct rl_attempt *attempt = &wait->attempt;

	wait->may_park = attempt->owner->backend->passes_batons;
	wait->asks_strategy = wait->was_first = wait->is_unwanted = false;
	wait->retries = 0;
	wait->began = attempt->began;
	wait->state = wait->then = RL_WAIT_ASKING;
	wait->wake.text.data = NULL;
	wait->parking.state = RL_PARKING_NOWHERE;
	wait->parking.is_room = false;
	rl_schedule_begin(&wait->schedule, attempt->until);
	if (attempt->retry) {
		wait->schedule.retry_at = 0;
	}
	RL_LIST_ADD(&attempt->owner->waits, wait, link);
}

void rl_wait_begin(struct rl_wait *wait)
{
	const struct rl_attempt *attempt = &wait->attempt;

	begin(wait);
	if (rl_now() >= attempt->until) {
		over(wait, RL_NO); /* it took that long to answer: no more asks, each with its time */
	} else if (attempt->policy != RL_POLICY_FAIL_FAST) {
		change_place(wait);
	} else if (lease_outlasts_wait(wait)) {
		over(wait, RL_NO);
	} else {
		begin_to_ask(wait, RL_WAIT_ASKING); /* the first ask did not announce that we wait */
	}
	assert_wait(wait);
}

enum rl_status rl_wait_end(struct rl_wait *wait, struct rl_error *error)
{
	RL_LIST_REMOVE(wait, link);
	if (wait->status != RL_OK && wait->status != RL_NO) {
		*error = wait->error;
	}
	return wait->status;
}

void rl_wait_retry_after(struct rl_wait *wait, bool more, rl_time pause)
{
	rl_time refused_at = wait->attempt.answered_at;

	wait->asks_strategy = false;
	if (!more) {
		over(wait, RL_NO);
	} else {
		wait->schedule.retry_at = pause < RL_FOREVER - refused_at ? refused_at + pause : RL_FOREVER;
	}
}

/* --- what nobody waits for any more --- */

/* Gives up what is under way, without another word. */
static void drop(struct rl_wait *wait)
{
	rl_attempt_give_up(&wait->attempt);
	rl_parking_end(&wait->parking);
	wait->status = RL_INTERRUPTED;
	wait->state = RL_WAIT_OVER;
}

/*
 * What is asked for the sake of others is given back behind the ask: nobody knows when somebody
 * hears the answer.
 */
static void go_on_unwanted(struct rl_wait *wait, struct rl_polls *polls)
{
	const size_t count = polls->count;

	rl_wait_go_on(wait, polls);
	if (wait->state == RL_WAIT_PASSING_ON && rl_attempt_asks_for_others(&wait->attempt)) {
		rl_polls_back_to(polls, count);
		rl_attempt_give_up(&wait->attempt);
		part(wait);
		rl_wait_go_on(wait, polls);
	}
}

/*
 * Leaves the queue, as far as that can be done at once. What then still comes, a baton or the lock,
 * is passed on or given back as it is stepped.
 */
static void give_up(struct rl_wait *wait)
{
	struct rl_polls unheard;

	rl_stack_serve_others();
	wait->is_unwanted = true;
	wait->asks_strategy = false;
	if (wait->then != RL_WAIT_OVER || wait->state == RL_WAIT_LAST) {
		over(wait, RL_INTERRUPTED);
	} else {
		wait->status = RL_INTERRUPTED; /* granted perhaps: on the way out of the queue */
	}
	rl_polls_begin(&unheard);
	go_on_unwanted(wait, &unheard);
	if (is_parked(wait)) {
		rl_parking_let_be(&wait->parking);
		rl_polls_begin(&unheard);
		go_on_unwanted(wait, &unheard); /* what has come already is passed on at once */
	}
	if (wait->attempt.grant.ours && wait->state != RL_WAIT_OVER) {
		rl_attempt_give_back(&wait->attempt); /* behind what ends the place in the queue */
	}
}

/* What a wait has answered. */
static void heed(struct rl_wait *wait, enum rl_wanted wanted)
{
	if (wanted == RL_UNWANTED) {
		give_up(wait);
	} else if (wanted == RL_DROPPED) {
		drop(wait);
	}
}

/* --- what runs it --- */

/* A stack of its own is left for whatever else there is to do. */
static enum rl_status run_hook(struct rl_wait *wait)
{
	const struct rl_wait_hook *hook = &wait->attempt.owner->hook;

	if (hook->run && !rl_stack_current() && !hook->run(hook->context)) {
		return rl_fail(&wait->error, RL_INTERRUPTED, "The wait was interrupted");
	}
	return is_ours(wait) ? RL_OK : fail_in_child(wait);
}

/*
 * After a refusal: the strategy's next try, if there is one. Its code may do whatever a hook may
 * do.
 */
static void ask_strategy(struct rl_wait *wait)
{
	const struct rl_retry *retry = wait->attempt.retry;
	struct rl_stack_question question = {
		.ask = retry->next, .context = retry->context, .number = ++wait->retries
	};
	enum rl_wanted wanted = rl_stack_ask(&question);
	enum rl_status status = run_hook(wait);

	if (wanted != RL_WANTED) {
		heed(wait, wanted);
	} else if (status == RL_OK) {
		rl_wait_retry_after(wait, question.yes, question.time);
	} else {
		wait->asks_strategy = false;
		over(wait, status);
	}
}

/* Sleeps until a step is due, or the hook. */
static enum rl_wanted sleep_with_hook(struct rl_wait *wait, struct rl_polls *polls)
{
	const struct rl_wait_hook *hook = &wait->attempt.owner->hook;
	rl_time now = rl_now();

	if (rl_stack_current()) {
		return rl_polls_wait(polls);
	}
	rl_polls_until(polls, now + NAP);
	if (now < polls->until) {
		rl_polls_until(polls, rl_schedule_hook(hook, now, rl_thread_is_alone()));
	}
	return rl_polls_wait_unless(polls, hook->is_due, hook->context);
}

/* Until what is asked, or the way into the queue or out of it, has come further. */
static enum rl_wanted sleep_without(struct rl_wait *wait, struct rl_polls *polls)
{
	if (!is_idle(wait) && wait->state != RL_WAIT_LEAVING && wait->asked == RL_NO) {
		return rl_errand_wait(&wait->asking.errand, polls,
			wait->state == RL_WAIT_PASSING_ON ? &wait->unheard : &wait->error);
	}
	return rl_polls_wait(polls);
}

/* Between two steps. Where the hook may run, the owner may be used. */
static enum rl_wanted rest(struct rl_wait *wait, struct rl_polls *polls)
{
	enum rl_status status;

	if (!is_idle(wait) || rl_parking_is_on_its_way(&wait->parking)) {
		return sleep_without(wait, polls);
	}
	status = run_hook(wait);
	if (status != RL_OK) {
		over(wait, status);
	} else if (!taken_meanwhile(wait)) {
		return sleep_with_hook(wait, polls);
	}
	return RL_WANTED;
}

static void step(struct rl_wait *wait)
{
	struct rl_polls polls;

	if (rl_wait_asks_strategy(wait)) {
		ask_strategy(wait);
		return;
	}
	rl_polls_begin(&polls);
	if (wait->is_unwanted) {
		go_on_unwanted(wait, &polls);
	} else {
		rl_wait_go_on(wait, &polls);
	}
	if (wait->state != RL_WAIT_OVER && !rl_wait_asks_strategy(wait)) {
		heed(wait, rest(wait, &polls));
	}
}

/*
 * A signal that came while the lock was on its way to us is handled before anybody is told that we
 * have it.
 */
static void run_hook_once_more(struct rl_wait *wait)
{
	wait->attempt.doubt.fate_unknown = true;
	wait->status = run_hook(wait);
}

enum rl_status rl_wait(struct rl_wait *wait, struct rl_error *error)
{
	rl_wait_begin(wait);
	while (wait->state != RL_WAIT_OVER) {
		step(wait);
	}
	if (wait->status == RL_OK) {
		run_hook_once_more(wait);
	}
	return rl_wait_end(wait, error);
}

void rl_wait_end_all(struct rl_owner *owner)
{
	struct rl_polls polls;
	struct rl_wait *wait;

	while ((wait = owner->waits)) {
		const struct rl_attempt *attempt = &wait->attempt;
		bool maybe_held;

		if (wait->state != RL_WAIT_OVER) {
			over(wait, RL_INTERRUPTED);
		}
		for (;;) {
			rl_polls_begin(&polls);
			rl_wait_go_on(wait, &polls);
			if (wait->state == RL_WAIT_OVER || sleep_without(wait, &polls) != RL_WANTED) {
				break;
			}
		}
		maybe_held = rl_doubt_any(&attempt->doubt) || attempt->grant.ours;
		owner->backend->discard(owner, attempt->lease, maybe_held);
		if (maybe_held) {
			rl_owner_take_back(owner, rl_now());
		}
		RL_LIST_REMOVE(wait, link);
		free(wait);
	}
}
