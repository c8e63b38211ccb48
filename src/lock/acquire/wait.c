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
 *   judge()     what the last ask has come to: it is over; or when to ask next. A place that is the
 *               wrong one by now is left, within 0.1 s
 *   rest()      until it is time to ask: takes a place, if it may park, and waits there. What came
 *               when a place was left is asked with at once; and a call that may give up at once
 *               (RL_POLICY_FAIL_FAST) does not rest before its second ask
 *   ask()       beside the place, or without one. Once our time is up it leaves the place first,
 *               and that ask is the last; but while asking fails it goes on as before, until it
 *               is answered, or the wait gives up
 *   finish()    once it is over: leaves the place. If the lock has stayed busy, and something came
 *               for us by then, it asks once more with that, and the lock may be ours after all.
 *               What we have no use for, and others wait for, is passed on
 *
 * judge() and rest() say whether the wait goes on. If not, wait->status is what it has come to, but
 * for that ask of finish(), and for a signal handler that does not want the lock when it is ours.
 * What a place is, place.h says; what the wake list, the room, the turnstile and the flag are,
 * ../keys.h does.
 *
 * While it rests, hook and strategy may use the owner, or suspend this for good. Then
 *
 *   1  no ask is under way, and none has a connection (the one that has just been answered kept its
 *      own until the place was taken there);
 *   2  all that has come on a list has been asked with;
 *   3  the lock is not ours;
 *   4  while asking fails, the next ask is before the wait gives up;
 *   5  no token is asked with again whose fate is unknown;
 *   6  there is no place where the server does not allow blocking commands.
 *
 * And once it has finished
 *
 *   7  there is no place, and no ask;
 *   8  what a list has brought was used or passed on, unless the ask with it has failed, or nobody
 *      may say so any more: in a child of the process, or after the owner's end.
 */
#include "wait.h"
#include "../owner/internal.h"
#include "../../base/stack.h"
#include "../../redis/refusal.h"

#include <stdlib.h>

/* longest sleep: its clock may stand still in suspend */
#define NAP (10 * RL_SECOND)
/* longest time for leaving the queue when the wait is not over by its time */
#define LEAVE_WITHIN (100 * RL_MILLISECOND)

/* The wait is over. */
static bool end(struct rl_wait *wait, enum rl_status status)
{
	wait->status = status;
	return false;
}

/* What is still done is for others. */
static void be_unwanted(struct rl_wait *wait)
{
	wait->attempt->is_unwanted = true;
	rl_stack_serve_others();
}

static bool end_unwanted(struct rl_wait *wait)
{
	be_unwanted(wait);
	return end(wait, rl_fail_unwanted(wait->error));
}

/* A child of the process has a copy of the wait, which goes on in the parent. */
static bool is_of_this_process(const struct rl_wait *wait)
{
	return rl_lease_is_own(wait->attempt->lease);
}

/*
 * By the hook or the strategy, or by a fiber that ran while they were suspended: nobody else will
 * give it back to us.
 */
static bool held_meanwhile(const struct rl_wait *wait)
{
	const struct rl_attempt *attempt = wait->attempt;

	return !attempt->detached && rl_table_find(&attempt->owner->leases, attempt->lease->entry.key);
}

/* Where the last ask was answered; but not where a slot is moving away from, or to. */
static bool can_park(const struct rl_wait *wait)
{
	return wait->may_park && !wait->place.is_parked && rl_ask_exchange(wait->attempt)
		&& !wait->attempt->asked->request.is_asking;
}

/*
 * Nothing of it is lost where nobody wants the lock any more: what was granted meanwhile is given
 * back behind what ends the place.
 */
static void leave(struct rl_wait *wait, rl_time deadline)
{
	struct rl_attempt *attempt = wait->attempt;
	enum rl_wanted wanted = rl_place_leave(
		&wait->place, deadline, attempt->is_unwanted, &wait->wake);

	if (wanted != RL_WANTED) {
		be_unwanted(wait);
	}
	if (wanted == RL_UNWANTED && attempt->grant.ours) {
		rl_ask_give_back(attempt);
	}
	if (wanted == RL_UNWANTED
		&& rl_place_leave(&wait->place, deadline, true, &wait->wake) != RL_WANTED) {
		rl_place_end(&wait->place);
	}
}

/* --- what an ask has come to --- */

static bool lease_outlasts_wait(const struct rl_wait *wait)
{
	const struct rl_attempt *attempt = wait->attempt;

	return rl_schedule_outlasts(&wait->schedule, attempt->answered_at, attempt->grant.left_ms);
}

/* The lock is taken, and so it will be when our time is up. */
static bool is_in_vain(const struct rl_wait *wait)
{
	const struct rl_attempt *attempt = wait->attempt;

	return attempt->is_refused || wait->is_last || rl_now() >= attempt->until
		|| (attempt->policy == RL_POLICY_FAIL_FAST && lease_outlasts_wait(wait));
}

/*
 * Our place is where the ask was answered, on the list that it says: the first waiter parks on the
 * room, and the others on the wake list. On the one that we leave something may have come. Where a
 * connection beside our place was silent, and another was answered, that place may be as dead.
 */
static void leave_wrong_place(struct rl_wait *wait)
{
	struct rl_attempt *attempt = wait->attempt;
	const struct rl_exchange *asked = rl_ask_exchange(attempt);
	bool moves = rl_attempt_is_first(attempt) != wait->place.is_room;

	if (!wait->place.is_parked) {
		return;
	}
	if (!asked || asked->server != wait->place.blpop.server) {
		rl_place_end(&wait->place);
	} else if (moves || attempt->asked->request.was_silent) {
		leave(wait, rl_now() + LEAVE_WITHIN);
	}
}

/* We know where we wait next. */
static void schedule_ask(struct rl_wait *wait)
{
	const struct rl_attempt *attempt = wait->attempt;
	const struct rl_place *place = &wait->place;
	rl_time busy = attempt->grant.left_ms < 0 ? RL_FOREVER
											  : attempt->grant.left_ms * RL_MILLISECOND;
	/* The first waiter at the turnstile is known by its asks, so they stay frequent. */
	rl_time parked_for = place->is_parked && !place->is_room ? rl_now() - wait->parked_at : 0;

	if (busy == 0 && !attempt->owner->backend->passes_batons) {
		rl_schedule_split(&wait->schedule, attempt->answered_at);
	} else {
		rl_schedule_busy(&wait->schedule, attempt->answered_at, busy,
			place->is_parked || can_park(wait), parked_for);
	}
	wait->asks_strategy = attempt->retry && wait->ask_began >= wait->schedule.retry_at;
}

static bool goes_on_if_busy(struct rl_wait *wait)
{
	rl_schedule_answered(&wait->schedule);
	if (wait->attempt->grant.ours) {
		return end(wait, RL_OK);
	}
	if (is_in_vain(wait)) {
		return end(wait, RL_NO);
	}
	leave_wrong_place(wait);
	if (wait->attempt->is_unwanted) {
		return end_unwanted(wait);
	}
	if (wait->is_announced) {
		schedule_ask(wait);
	}
	return true;
}

/*
 * An ask beside a place that was surely not done says nothing about that place, unless the server
 * was silent for as long as a call may take: then it is silent there, too. But such a place must
 * end soon, since nobody asks for it any more.
 */
static bool only_guards(const struct rl_wait *wait)
{
	const struct rl_attempt *attempt = wait->attempt;
	rl_time now = rl_now();
	bool was_silent = now - wait->ask_began >= attempt->owner->route->timeout
		&& wait->error->cause != RL_CAUSE_NAME;

	return wait->place.is_parked && wait->place.until <= now + RL_LONGEST_GAP
		&& !attempt->doubt.fate_unknown && !was_silent;
}

/* Nor does it end a wait that a server refuses for now, or takes connections and closes them. */
static bool is_no_end(const struct rl_wait *wait, enum rl_status failure)
{
	const struct rl_attempt *attempt = wait->attempt;
	const struct rl_error *error = wait->error;
	bool passes = failure == RL_REFUSED
		&& (attempt->is_transient || rl_refusal_of(error) == RL_REFUSAL_STARVES);

	return rl_now() < attempt->until && failure != RL_NO_MEMORY && !attempt->too_few
		&& (passes || rl_error_is_closed(error) || only_guards(wait));
}

/* False: the wait gives up. */
static bool schedule_another(struct rl_wait *wait, enum rl_status failure)
{
	struct rl_attempt *attempt = wait->attempt;
	const struct rl_route *route = attempt->owner->route;
	struct rl_failed_ask ask = { .began = wait->ask_began,
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

static bool goes_on_if_failed(struct rl_wait *wait, enum rl_status failure)
{
	struct rl_attempt *attempt = wait->attempt;
	enum rl_status status = RL_OK;

	rl_ask_end(attempt);
	if (failure == RL_INTERRUPTED) {
		return end_unwanted(wait);
	}
	if (!schedule_another(wait, failure)) {
		return end(wait, failure);
	}
	if (attempt->doubt.fate_unknown) {
		status = rl_ask_replace_token(attempt, wait->error);
	}
	if (attempt->retry) {
		wait->schedule.retry_at = wait->schedule.ask_at;
	}
	return status == RL_OK || end(wait, status);
}

/* A connection is kept only to park on it. */
static bool judge(struct rl_wait *wait, enum rl_status asked)
{
	bool goes_on = asked == RL_OK ? goes_on_if_busy(wait) : goes_on_if_failed(wait, asked);

	if (!goes_on || !can_park(wait)) {
		rl_ask_end(wait->attempt);
	}
	return goes_on;
}

/* --- until the next ask --- */

static void assert_rest(const struct rl_wait *wait)
{
	const struct rl_schedule *schedule = &wait->schedule;

	rl_assert(!wait->attempt->has_request);                                     /* 1 */
	rl_assert(!wait->wake.text.data);                                           /* 2 */
	rl_assert(!wait->attempt->grant.ours);                                      /* 3 */
	rl_assert(!schedule->failed_at || schedule->ask_at < schedule->give_up_at); /* 4 */
	rl_assert(!schedule->failed_at || !wait->attempt->doubt.fate_unknown);      /* 5 */
	rl_assert(wait->may_park || !wait->place.is_parked);                        /* 6 */
}

static enum rl_status fail_in_child(struct rl_wait *wait)
{
	char name[RL_NAME_SIZE];

	return rl_fail(wait->error, RL_MISUSE,
		"The process was forked while it waited for the lock \"%s\"; the wait goes on in the parent",
		rl_lease_name(wait->attempt->lease, name, sizeof name));
}

/*
 * When it is still taken: the strategy's next try, if there is one. Its code may do whatever a hook
 * may do.
 */
static bool ask_strategy(struct rl_wait *wait)
{
	const struct rl_retry *retry = wait->attempt->retry;
	struct rl_stack_question question = {
		.ask = retry->next, .context = retry->context, .number = ++wait->retries
	};
	rl_time refused_at = wait->attempt->answered_at;

	wait->asks_strategy = false;
	if (rl_stack_ask(&question) != RL_WANTED) {
		return end_unwanted(wait);
	}
	if (!question.yes) {
		return end(wait, RL_NO);
	}
	wait->schedule.retry_at = question.time < RL_FOREVER - refused_at ? refused_at + question.time
																	  : RL_FOREVER;
	return true;
}

/* It is ours to be had, and somebody wants it. */
static bool may_go_on(struct rl_wait *wait)
{
	if (wait->asks_strategy && !ask_strategy(wait)) {
		return false;
	}
	if (!is_of_this_process(wait)) {
		return end(wait, fail_in_child(wait));
	}
	return !held_meanwhile(wait) || end(wait, RL_NO);
}

static bool park(struct rl_wait *wait)
{
	struct rl_attempt *attempt = wait->attempt;
	enum rl_wanted wanted = rl_place_take(&wait->place, attempt, rl_ask_exchange(attempt));

	rl_ask_end(attempt);
	wait->parked_at = rl_now();
	return wanted == RL_WANTED || end_unwanted(wait);
}

/*
 * RL_OK: something has come, or the place is lost: both are reasons to ask. RL_NO: not yet; or
 * RL_NO_MEMORY.
 */
static enum rl_status hear(struct rl_wait *wait, struct rl_polls *polls)
{
	enum rl_status status;

	if (!wait->place.is_parked) {
		return RL_NO;
	}
	status = rl_place_hear(&wait->place, &wait->wake, polls, wait->error);
	if (status == RL_NO || status == RL_NO_MEMORY) {
		return status;
	}
	wait->may_park = status != RL_REFUSED; /* no blocking commands here: ask now and then */
	return RL_OK;
}

/* Until something is due, or others may have used the owner. */
static bool sleep_on(struct rl_wait *wait, struct rl_polls *polls)
{
	enum rl_wanted wanted = RL_WANTED;

	rl_polls_until(polls, rl_schedule_next(&wait->schedule));
	rl_polls_until(polls, rl_now() + NAP);
	if (!rl_place_is_on_its_way(&wait->place)) {
		assert_rest(wait);
		wanted = rl_stack_look();
	}
	if (wanted == RL_WANTED && !held_meanwhile(wait)) {
		wanted = rl_polls_wait(polls);
	}
	return wanted == RL_WANTED || end_unwanted(wait);
}

/* With RL_POLICY_FAIL_FAST the first ask has announced no wait: it asks once more, at once. */
static bool rest(struct rl_wait *wait)
{
	enum rl_status status = RL_NO;
	struct rl_polls polls;

	while (wait->is_announced && !wait->wake.text.data) {
		if (!may_go_on(wait) || (can_park(wait) && !park(wait))) {
			return false;
		}
		rl_polls_begin(&polls);
		status = hear(wait, &polls);
		if (status != RL_NO) {
			return status == RL_OK || end(wait, status);
		}
		if (rl_now() >= rl_schedule_next(&wait->schedule)) {
			return true;
		}
		if (!sleep_on(wait, &polls)) {
			return false;
		}
	}
	return true;
}

/* --- asking --- */

/*
 * Our time is up: we leave the queue, and ask for the last time. Both have one call's deadline, and
 * a place that leads nowhere leaves half of it for the ask.
 */
static void begin_last(struct rl_wait *wait)
{
	wait->is_last = true;
	rl_attempt_reset_deadline(wait->attempt);
	leave(wait, rl_time_half_way(wait->ask_began, wait->attempt->deadline));
}

/*
 * The deadline of an ask. After a failure, earlier requests are undone first, within the same
 * deadline. When the wait is over, this may be the last ask once more: then the deadline stays what
 * it was, also for what follows. An ask that nobody came to begin in time has its own all the same.
 */
static rl_time ask_deadline(struct rl_wait *wait)
{
	struct rl_attempt *attempt = wait->attempt;
	rl_time now = rl_now();
	bool fails = wait->schedule.failed_at;
	bool once_more = wait->is_last || (fails && now >= attempt->until);

	if (!once_more || now >= attempt->deadline) {
		rl_attempt_reset_deadline(attempt);
	}
	return fails && now < wait->schedule.give_up_at
		? rl_time_earlier(attempt->deadline, wait->schedule.give_up_at)
		: attempt->deadline;
}

/* RL_OK: it was answered, and attempt->grant says what. What we ask with is used then. */
static enum rl_status ask(struct rl_wait *wait)
{
	struct rl_attempt *attempt = wait->attempt;
	bool fails = wait->schedule.failed_at != 0;
	struct rl_ask_terms how = { .releases = fails };
	enum rl_status status;

	wait->ask_began = rl_now();
	if (!fails && !wait->is_last && wait->ask_began >= rl_schedule_end(&wait->schedule)) {
		begin_last(wait);
	}
	if (attempt->is_unwanted) {
		return rl_fail_unwanted(wait->error);
	}
	wait->is_announced = true;
	if (wait->may_park && !wait->is_last && rl_now() < attempt->until) {
		how.flag_ms = rl_attempt_flag_ms(attempt);
	}
	how.deadline = ask_deadline(wait);
	attempt->heard = wait->wake.text;
	attempt->is_beside = wait->place.is_parked;
	status = rl_ask(attempt, &how, wait->error);
	if (status != RL_INTERRUPTED) {
		wait->wake.text.data = NULL;
	}
	return status;
}

/* --- the end --- */

/* What has come for us when we left, we use if we can. */
static void ask_with_what_came(struct rl_wait *wait)
{
	struct rl_attempt *attempt = wait->attempt;
	enum rl_status status;

	wait->is_last = true;
	rl_attempt_reset_deadline(attempt);
	status = ask(wait);
	rl_ask_end(attempt);
	if (status == RL_INTERRUPTED) {
		be_unwanted(wait);
	}
	wait->status = status == RL_OK && !attempt->grant.ours ? RL_NO : status;
}

/*
 * If what goes before used up the deadline, this has another one, unless the server was silent all
 * that time.
 */
static void go_on_for_others(struct rl_wait *wait)
{
	if (wait->status != RL_UNREACHABLE && rl_now() >= wait->attempt->deadline) {
		rl_attempt_reset_deadline(wait->attempt);
	}
}

/* What others wait for is passed on. In a child it is the parent's. */
static void pass_on(struct rl_wait *wait, bool was_first)
{
	struct rl_attempt *attempt = wait->attempt;

	if (wait->wake.text.data) {
		go_on_for_others(wait);
		rl_ask_pass_on(attempt, wait->wake.text);
		wait->wake.text.data = NULL;
	}
	if (was_first && wait->status != RL_OK) {
		go_on_for_others(wait);
		rl_ask_leave_turnstile(attempt);
	}
}

static void finish(struct rl_wait *wait)
{
	struct rl_attempt *attempt = wait->attempt;
	bool was_first = rl_attempt_is_first(attempt);

	rl_ask_end(attempt);
	if (!is_of_this_process(wait)) {
		rl_place_end(&wait->place);
		return;
	}
	attempt->is_beside = false;
	leave(wait, rl_now() + LEAVE_WITHIN);
	if (wait->wake.text.data && wait->status == RL_NO && !attempt->is_unwanted
		&& !held_meanwhile(wait)) {
		ask_with_what_came(wait);
		was_first |= rl_attempt_is_first(attempt);
	}
	if (attempt->is_unwanted) {
		wait->status = rl_fail_unwanted(wait->error);
	}
	pass_on(wait, was_first);
	rl_assert(!wait->place.is_parked && !attempt->has_request); /* 7 */
	rl_assert(!wait->wake.text.data);                           /* 8 */
}

/* --- from outside --- */

static void begin(struct rl_wait *wait, struct rl_attempt *attempt, struct rl_error *error)
{
	wait->attempt = attempt;
	wait->error = error;
	wait->is_announced = attempt->policy != RL_POLICY_FAIL_FAST;
	wait->may_park = attempt->owner->backend->passes_batons;
	wait->asks_strategy = wait->is_last = false;
	wait->retries = 0;
	wait->ask_began = attempt->began;
	wait->wake.text = (struct rl_text){ NULL, 0 };
	wait->place.is_parked = wait->place.is_room = false;
	rl_schedule_begin(&wait->schedule, attempt->until);
	if (attempt->retry) {
		wait->schedule.retry_at = 0;
	}
	RL_LIST_ADD(&attempt->owner->waits, wait, link);
}

enum rl_status rl_wait(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_wait *wait = malloc(sizeof *wait);
	enum rl_status status;
	bool goes_on;

	if (!wait) {
		rl_ask_end(attempt);
		return rl_fail_for_memory(error);
	}
	begin(wait, attempt, error);
	goes_on = judge(wait, RL_OK);
	while (goes_on && rest(wait)) {
		goes_on = judge(wait, ask(wait));
	}
	finish(wait);
	/* a signal that came while the lock was on its way is handled before anybody is told of that */
	if (wait->status == RL_OK && rl_stack_look() != RL_WANTED) {
		end_unwanted(wait);
	}
	status = is_of_this_process(wait) ? wait->status : fail_in_child(wait);
	RL_LIST_REMOVE(wait, link);
	free(wait);
	return status;
}

void rl_wait_end_all(struct rl_owner *owner)
{
	struct rl_error ignored;
	struct rl_wait *wait;

	while ((wait = owner->waits)) {
		struct rl_attempt *attempt = wait->attempt;
		bool maybe_held;

		RL_LIST_REMOVE(wait, link);
		wait->error = &ignored;
		wait->status = RL_INTERRUPTED;
		finish(wait);
		maybe_held = rl_doubt_any(&attempt->doubt) || attempt->grant.ours;
		owner->backend->discard(owner, attempt->lease, maybe_held);
		if (maybe_held) {
			rl_owner_release_discarded(owner, rl_now());
		}
		free(attempt);
		free(wait);
	}
}
