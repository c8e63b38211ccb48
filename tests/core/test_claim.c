/*
 * Claims that ride along: who is handed the lock begins at once, and learns what became of the
 * claim later. The proxy before the waiter delays the claim, drops it, or answers in the server's place.
 */
#include "owner_rig.h"

#include "lock/owner/internal.h"

#include <stdio.h>

/* What may be the first call on a lock that was handed over. */
enum call {
	CHECK,
	RELEASE,
	RELEASE_UNCONFIRMED,
	PROLONG,
	TAKE,
	HAND_OVER,
	LOOK,
	ALL
};

#define TIMEOUT (450 * RL_MILLISECOND) /* two of them within the claim window */

static struct rl_owner *holder, *waiter;
static bool handed_over;
static const struct rl_route *hurried; /* the waiter's, if it is to hurry once it has been handed the lock */
static struct rl_owner_terms terms;    /* of the next waiter */
static int replicas;                   /* that must acknowledge what it does */

/* From now on a call's whole deadline is TIMEOUT. */
static void hurry(void)
{
	waiter->route->timeout = waiter->route->patience = TIMEOUT;
}

/* What is to succeed may take its time. */
static void hurry_no_more(void)
{
	waiter->route->timeout = waiter->route->patience = 5 * RL_SECOND;
}

/* The baton: a busy machine may come to the claim later than a window after this. */
static void give_it_back(void)
{
	assert_status(disown(holder, "job"), RL_OK);
	run("PEXPIRE lock@job %d", LEASE / 2);
}

static bool hand_over_once(void *context)
{
	if (!handed_over) {
		handed_over = true;
		await_parked(1);
		clock_advance(*(const rl_time *)context);
		give_it_back();
		if (waiter->route == hurried) {
			hurry();
		}
	}
	return true;
}

/*
 * The waiter is handed the lock, its last ask being `age` old. What happens to its claim, and so
 * often; a call's whole deadline is TIMEOUT from the hand-over on. From now on the clock moves only while somebody waits:
 * a window is short for a busy machine.
 */
static enum rl_status wait_for_it(enum proxy_fault fault, unsigned times, int64_t lease_ms, rl_time age)
{
	static rl_time context;

	handed_over = false;
	context = age;
	holder = new_owner();
	waiter = new_owner_at(proxy.address, (struct rl_wait_hook){ .run = hand_over_once, .context = &context });
	hurried = waiter->route;
	waiter->terms = terms;
	waiter->route->replicas = replicas;
	if (times) {
		proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_claim, .times = times, .fault = fault });
	}
	assert_status(own(holder, "job", LEASE), RL_OK);
	clock_stop(rl_now());
	return own_waiting(waiter, "job", lease_ms, 10 * RL_SECOND);
}

/* By a claim that is not waited for; what comes after that is in no hurry. */
static void be_handed_it(enum proxy_fault fault, unsigned times)
{
	assert_status(wait_for_it(fault, times, LEASE, 0), RL_OK);
	hurry_no_more();
}

/* L's value is what a release left, not the waiter's token. */
static bool is_baton(void)
{
	redisReply *reply = command(rig.redis, "GET lock@job");
	bool is = reply->type == REDIS_REPLY_STRING && reply->str[0] == '~';

	freeReplyObject(reply);
	return is;
}

static void await_claimed(void)
{
	for (int tries = 0; is_baton(); tries++) {
		assert_true(tries < 10000);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}

/* Whoever asks has it; while the flag is up, a release leaves a baton. */
static void assert_free(void)
{
	assert_status(own(holder, "job", LEASE), RL_OK);
	assert_status(disown(holder, "job"), RL_OK);
}

static void assert_left(long long most_ms)
{
	struct rl_lease_view lease = view(waiter, "job");

	assert_in_range(lease.left, 0, most_ms * RL_MILLISECOND); /* 0: on a busy machine it may have passed */
}

/* So long a call of the waiter takes. */
static rl_time time_of(enum rl_status (*call)(void), enum rl_status expected)
{
	rl_time began = rl_now();

	assert_status(call(), expected);
	return rl_now() - began;
}

/* ---------------------------------------------------------------- it is not waited for */

static void it_is_not_waited_for(void **state)
{
	be_handed_it(PROXY_HOLD, 1);
	await_parked(0);
	AWAIT(proxy.struck == 1);
	assert_int_equal(rl_owner_stats(waiter)->requests, 3); /* ask, park, claim */
	proxy_let_go(&proxy);
	assert_status(disown(waiter, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(waiter)->requests, 4);
	assert_int_equal(rl_owner_stats(waiter)->reconnects, 0);
	assert_free();
	assert_status(check_lock(waiter, "job"), RL_MISUSE);
}

static void its_answer_makes_the_lease_a_whole_one(void **state)
{
	be_handed_it(PROXY_HOLD, 1);
	proxy_let_go(&proxy);
	assert_true(view(waiter, "job").left > (LEASE - PATIENCE_MS) * RL_MILLISECOND);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_int_equal(view(waiter, "job").fence, stored_fence());
	clock_advance(2 * RL_CLAIM_WINDOW_MS * RL_MILLISECOND);
	assert_status(check_lock(waiter, "job"), RL_OK);
	assert_status(disown(waiter, "job"), RL_OK);
}

static void an_old_batons_claim_is_waited_for(void **state)
{
	assert_status(wait_for_it(PROXY_HOLD, 1, LEASE, RL_CLAIM_WINDOW_MS * RL_MILLISECOND / 2), RL_UNREACHABLE);
	assert_false(holds(waiter, "job"));
	proxy_let_go(&proxy);
	assert_int_equal(disown_all(waiter).failed, 0);
	assert_free(); /* undone */
}

/* A thread looks after its leases, and would tell of a loss that is none. */
static void who_has_leases_looked_after_waits_for_it(void **state)
{
	for (int renewed = 0; renewed < 2; renewed++) {
		enum rl_status status;

		run("FLUSHALL");
		terms = (struct rl_owner_terms){ .renew = renewed, .max_hold = RL_FOREVER, .alarmed = !renewed };
		status = wait_for_it(PROXY_HOLD, 1, LEASE, 0);
		terms = (struct rl_owner_terms){ .renew = false };
		assert_status(status, RL_UNREACHABLE);
		end_owner(waiter);
		end_owner(holder);
		proxy_let_go(&proxy);
	}
}

/* T4 */
static void who_wants_replicas_waits_for_it(void **state)
{
	enum rl_status status;

	replicas = 1;
	proxy_add(&proxy, (struct proxy_rule){ .word = "WAIT", .times = 100, .fault = PROXY_ANSWER, .answer = ":1\r\n" });
	status = wait_for_it(PROXY_HOLD, 1, LEASE, 0);
	replicas = 0;
	assert_status(status, RL_UNREACHABLE);
	proxy_let_go(&proxy);
}

/* It reaches the server when its waiter is gone, while the baton is still there. */
static void what_is_given_up_is_undone_behind_it(void **state)
{
	enum rl_status status;

	terms = (struct rl_owner_terms){ .alarmed = true };
	status = wait_for_it(PROXY_STALL, 1, LEASE, 0);
	terms = (struct rl_owner_terms){ .renew = false };
	assert_status(status, RL_UNREACHABLE);
	assert_true(is_baton());
	end_owner(waiter);
	run("DEL %b", KEY(RL_KEY_WAITING));
	proxy_let_go(&proxy);
	await_free("job");
}

/* The net asks on a second connection; then the lock is handed over. */
static bool ask_first(void *context)
{
	static int asked;

	(void)context;
	if (!handed_over) {
		handed_over = true;
		asked = 0;
		await_parked(1);
		clock_advance(RL_CLAIM_WINDOW_MS * RL_MILLISECOND + 200 * RL_MILLISECOND);
	} else if (rl_owner_stats(waiter)->requests == 3 && !asked++) {
		give_it_back();
		hurry();
	}
	return true;
}

/* They make no baton younger: it may have been pushed before, and lie in the socket. */
static void asks_beside_the_parked_connection_do_not_count(void **state)
{
	handed_over = false;
	holder = new_owner();
	waiter = new_owner_at(proxy.address, (struct rl_wait_hook){ .run = ask_first });
	proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_claim, .times = 1, .fault = PROXY_HOLD });
	assert_status(own(holder, "job", LEASE), RL_OK);
	clock_stop(rl_now());
	assert_status(own_waiting(waiter, "job", LEASE, 10 * RL_SECOND), RL_UNREACHABLE);
	assert_int_equal(proxy.struck, 1);
	assert_int_equal(rl_owner_stats(waiter)->requests, 4);
}

/* The script was never there, or has been flushed. */
static void the_script_need_not_be_loaded(void **state)
{
	run("SCRIPT FLUSH");
	be_handed_it(PROXY_HOLD, 0);
	await_claimed();
	run("SCRIPT FLUSH");
	assert_status(disown(waiter, "job"), RL_OK);
}

/* ---------------------------------------------------------------- until it is answered */

/* C6: the claim has not got there when the window ends. */
static void without_an_answer_it_is_safe_for_the_window(void **state)
{
	be_handed_it(PROXY_STALL, 2);
	hurry();
	assert_true(is_baton());
	assert_status(check_lock(waiter, "job"), RL_UNREACHABLE);
	assert_left(RL_CLAIM_WINDOW_MS);
	clock_advance(RL_CLAIM_WINDOW_MS * RL_MILLISECOND);
	assert_status(check_lock(waiter, "job"), RL_LOST); /* it cannot be told */
	assert_status(disown(waiter, "job"), RL_NO);
	hurry_no_more();
	proxy_let_go(&proxy);
	assert_int_equal(disown_all(waiter).failed, 0);
	assert_free();
}

static enum rl_status check_it(void)
{
	return check_lock(waiter, "job");
}

/* L4: whoever asks is not told that all is well as long as it may be well for the window only. */
static void check_waits_for_the_answer(void **state)
{
	struct rl_owner *other = new_owner();
	uint64_t requests;

	be_handed_it(PROXY_HOLD, 1);
	hurry();
	assert_int_equal(time_of(check_it, RL_UNREACHABLE), TIMEOUT);
	hurry_no_more();
	assert_status(check_lock(waiter, "job"), RL_OK); /* it was sent again, on a new connection */
	requests = rl_owner_stats(waiter)->requests;
	clock_advance(2 * RL_CLAIM_WINDOW_MS * RL_MILLISECOND);
	assert_status(check_lock(waiter, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(waiter)->requests, requests);
	assert_status(disown(waiter, "job"), RL_OK);
	proxy_let_go(&proxy);

	run("FLUSHALL");
	be_handed_it(PROXY_STALL, 1);
	expire_on_server("job");
	assert_status(own(other, "job", LEASE), RL_OK);
	hurry();
	time_of(check_it, RL_UNREACHABLE);
	hurry_no_more();
	assert_status(check_lock(waiter, "job"), RL_LOST);
	assert_status(disown(other, "job"), RL_OK);
}

/* A lease shorter than the window: the claim makes L live shorter. */
static void without_an_answer_it_is_not_safe_for_longer_than_asked(void **state)
{
	assert_status(wait_for_it(PROXY_HOLD, 1, RL_CLAIM_WINDOW_MS / 2, 0), RL_OK);
	clock_advance((RL_CLAIM_WINDOW_MS / 2 + 1) * RL_MILLISECOND);
	assert_status(check_lock(waiter, "job"), RL_LOST);
}

static void an_answer_that_comes_after_the_window_counts(void **state)
{
	be_handed_it(PROXY_HOLD, 1);
	clock_advance(RL_CLAIM_WINDOW_MS * RL_MILLISECOND);
	proxy_let_go(&proxy);
	assert_status(check_lock(waiter, "job"), RL_OK);
	assert_status(disown(waiter, "job"), RL_OK);
}

static enum rl_status make(enum call which)
{
	struct rl_token token = { .text = NULL };
	enum rl_status status = RL_OK;

	switch (which) {
		case CHECK:
			return check_lock(waiter, "job");
		case RELEASE:
			return disown(waiter, "job");
		case RELEASE_UNCONFIRMED:
			return disown_unconfirmed(waiter, "job");
		case PROLONG:
			return prolong(waiter, "job", LEASE);
		case TAKE:
			return own(waiter, "job", LEASE);
		case HAND_OVER:
			status = hand_over(waiter, "job", 0, &token);
			break;
		case LOOK:
			return look(waiter, "job");
		case ALL:
			assert_int_equal(disown_all(waiter).released, 1);
	}
	rl_token_free(&token);
	return status;
}

/* C6 */
static void a_refused_claim_is_told_by_the_next_call(void **state)
{
	for (int which = CHECK; which <= HAND_OVER; which++) {
		for (int came = 0; came < 2; came++) { /* the answer, before the call */
			enum rl_status status;

			run("FLUSHALL");
			be_handed_it(PROXY_STALL, 1);
			run("DEL lock@job");
			proxy_let_go(&proxy);
			for (int i = 0; came && i < 30; i++) {
				let_it_arrive();
			}
			status = make(which);
			/* This one does not wait: the answer may still be on its way. */
			for (int tries = 0; which == RELEASE_UNCONFIRMED && status == RL_OK && tries < 2000; tries++) {
				let_it_arrive();
				status = rl_owner_verdict(waiter, &said);
			}
			assert_status(status, RL_LOST);
			assert_int_equal(rl_owner_stats(waiter)->lost, 1);
			assert_false(holds(waiter, "job"));
			assert_false(is_taken("job"));
			assert_status(check_lock(waiter, "job"), RL_LOST);
			end_owner(waiter);
			end_owner(holder);
		}
	}
}

/* C6: another has it when the claim gets there. */
static void a_claim_that_comes_too_late_changes_nothing(void **state)
{
	struct rl_owner *other = new_owner();

	be_handed_it(PROXY_STALL, 1);
	expire_on_server("job");
	assert_status(own(other, "job", LEASE), RL_OK);
	clock_advance(RL_CLAIM_WINDOW_MS * RL_MILLISECOND);
	proxy_let_go(&proxy);
	assert_status(disown(waiter, "job"), RL_LOST);
	assert_status(look(other, "job"), RL_OK);
	assert_status(disown(other, "job"), RL_OK);
}

static void too_late_and_nobody_has_had_it(void **state)
{
	be_handed_it(PROXY_STALL, 1);
	expire_on_server("job");
	clock_advance(RL_CLAIM_WINDOW_MS * RL_MILLISECOND);
	proxy_let_go(&proxy);
	assert_status(check_lock(waiter, "job"), RL_TIMED_OUT);
}

/* By the time that the verdict is given somebody has. */
static void too_late_and_somebody_has_had_it_since(void **state)
{
	be_handed_it(PROXY_STALL, 1);
	expire_on_server("job");
	proxy_let_go(&proxy);
	for (int i = 0; i < 30; i++) {
		let_it_arrive();
	}
	clock_advance(RL_CLAIM_WINDOW_MS * RL_MILLISECOND);
	taken_between("job");
	assert_status(disown(waiter, "job"), RL_LOST);
}

static void is_locking_waits_for_it(void **state)
{
	be_handed_it(PROXY_HOLD, 1);
	hurry();
	assert_status(look(waiter, "job"), RL_UNREACHABLE);
	hurry_no_more();
	proxy_let_go(&proxy);
	assert_status(look(waiter, "job"), RL_OK);
	assert_status(disown(waiter, "job"), RL_OK);
	run("FLUSHALL");
	be_handed_it(PROXY_STALL, 1);
	run("DEL lock@job");
	proxy_let_go(&proxy);
	assert_status(look(waiter, "job"), RL_NO);
	assert_status(disown(waiter, "job"), RL_LOST);
}

static void an_inner_level_does_not_end_it(void **state)
{
	be_handed_it(PROXY_HOLD, 0);
	assert_status(own(waiter, "job", LEASE), RL_OK);
	assert_int_equal(view(waiter, "job").depth, 2);
	assert_status(disown(waiter, "job"), RL_OK);
	assert_status(look(waiter, "job"), RL_OK);
	assert_status(disown(waiter, "job"), RL_OK);
	assert_free();
}

/* ---------------------------------------------------------------- what goes behind it */

static void a_release_goes_behind_it(void **state)
{
	be_handed_it(PROXY_STALL, 1);
	assert_status(disown_unconfirmed(waiter, "job"), RL_OK);
	assert_true(is_baton());
	assert_int_equal(proxy.connections, 1);
	run("DEL %b", KEY(RL_KEY_WAITING));
	proxy_let_go(&proxy);
	await_free("job");
	assert_int_equal(disown_all(waiter).lost, 0);
}

/* Other connections have become idle since. */
static void it_goes_behind_it_on_that_connection(void **state)
{
	be_handed_it(PROXY_STALL, 1);
	proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_inspect, .times = 1, .fault = PROXY_ANSWER, .answer = ":1\r\n" });
	assert_status(disown_unconfirmed(waiter, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(waiter)->requests, 4);
	proxy_let_go(&proxy);
	let_it_arrive();
	assert_status(own_waiting(waiter, "job", LEASE, 5 * RL_SECOND), RL_OK);
	assert_status(disown(waiter, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(waiter)->lost, 0);
}

static void everything_is_released_behind_it(void **state)
{
	be_handed_it(PROXY_HOLD, 0);
	assert_status(own(waiter, "another", LEASE), RL_OK);
	assert_int_equal(disown_all(waiter).released, 2);
	assert_free();
}

static void several_are_taken_with_it(void **state)
{
	struct rl_acquire_key keys[] = { { .name = { "job", 3 } }, { .name = { "zoo", 3 } } };
	static rl_time age = 0;
	struct rl_acquire_all request = { .keys = keys, .count = 2, .lease_ms = LEASE, .wait = 10 * RL_SECOND };

	handed_over = false;
	holder = new_owner();
	waiter = new_hooked(hand_over_once, &age);
	assert_status(own(holder, "job", LEASE), RL_OK);
	assert_status(rl_owner_acquire_all(waiter, &request, &said), RL_OK);
	assert_int_equal(rl_owner_stats(waiter)->requests, 4); /* ask, park, claim; ask */
	assert_int_equal(disown_all(waiter).released, 2);
}

/* ---------------------------------------------------------------- its connection is lost */

/* N6 */
static void it_is_sent_again_before_what_follows(void **state)
{
	for (int which = CHECK; which <= ALL; which++) {
		for (int done = 0; done < 2; done++) {
			run("FLUSHALL");
			be_handed_it(done ? PROXY_CUT_AFTER : PROXY_CUT_BEFORE, 1);
			assert_status(make(which), RL_OK);
			if (which == CHECK) {
				clock_advance(RL_CLAIM_WINDOW_MS * RL_MILLISECOND);
				assert_status(check_lock(waiter, "job"), RL_OK);
			}
			if (which == LOOK || which == PROLONG || which == TAKE || which == HAND_OVER) {
				assert_true(is_taken("job") && !is_baton());
			}
			assert_int_equal(disown_all(waiter).lost, 0);
			assert_int_equal(rl_owner_stats(waiter)->lost, 0);
			if (which != HAND_OVER && !(which == RELEASE_UNCONFIRMED && !done)) {
				assert_free();
			}
			end_owner(waiter);
			end_owner(holder);
			proxy_let_go(&proxy);
		}
	}
}

/* Cut with the claim and the release behind it out, one of them or both done. */
static void a_release_behind_a_lost_one_is_made_good(void **state)
{
	for (int done = 0; done < 2; done++) {
		run("FLUSHALL");
		be_handed_it(PROXY_STALL, 1);
		proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_release, .times = 1, .fault = done ? PROXY_CUT_AFTER : PROXY_CUT_BEFORE });
		assert_status(disown_unconfirmed(waiter, "job"), RL_OK);
		proxy_let_go(&proxy);
		proxy_cut(&proxy);
		assert_int_equal(disown_all(waiter).lost, 0);
		assert_true(!is_taken("job") || is_baton());
		end_owner(holder);
		end_owner(waiter);
		proxy_stop(&proxy);
		assert_true(proxy_start(&proxy, rig.server.folder, rig.server.socket));
	}
}

static enum rl_status read_lease(void)
{
	assert_left(RL_CLAIM_WINDOW_MS);
	return RL_OK;
}

static enum rl_status make_longer(void)
{
	return prolong(waiter, "job", LEASE);
}

static enum rl_status ask_holder(void)
{
	struct rl_holder seen;
	enum rl_status status = rl_owner_holder(waiter, NAME("job"), &seen, &said);

	if (status == RL_OK) {
		rl_owner_holder_clear(&seen);
	}
	return status;
}

/* N8: the host has vanished without a word, and nothing more will come on that connection. */
static void silence_is_waited_for_once(void **state)
{
	for (int done = 0; done < 2; done++) {
		run("FLUSHALL");
		be_handed_it(done ? PROXY_HOLD : PROXY_STALL, 1);
		hurry();
		assert_int_equal(time_of(read_lease, RL_OK), TIMEOUT);
		assert_int_equal(time_of(read_lease, RL_OK), 0);
		assert_int_equal(proxy.connections, 1 + 2 * done);
		/* On a new connection, on which the server is there. */
		hurry_no_more();
		assert_status(prolong(waiter, "job", LEASE), RL_OK);
		assert_int_equal(proxy.connections, 2 + 2 * done);
		assert_int_equal(view(waiter, "job").fence, stored_fence());
		assert_lives(RL_KEY_LOCK, LEASE);
		assert_status(disown(waiter, "job"), RL_OK);
		end_owner(waiter);
		end_owner(holder);
		proxy_let_go(&proxy);
	}
}

static void no_call_waits_for_longer_than_its_time(void **state)
{
	be_handed_it(PROXY_STALL, 4);
	hurry();
	assert_int_equal(time_of(ask_holder, RL_UNREACHABLE), TIMEOUT);
	assert_int_equal(time_of(make_longer, RL_UNREACHABLE), TIMEOUT);
	assert_int_equal(time_of(read_lease, RL_OK), 0);
	clock_advance(RL_CLAIM_WINDOW_MS * RL_MILLISECOND);
	assert_status(check_lock(waiter, "job"), RL_LOST); /* it cannot be told */
	hurry_no_more();
	proxy_let_go(&proxy);
	assert_int_equal(disown_all(waiter).failed, 0);
	assert_free();
}

/* The claim that was given up on comes through when another has the lock, or nobody. */
static void a_claim_given_up_on_does_no_harm(void **state)
{
	struct rl_owner *other = new_owner();

	be_handed_it(PROXY_STALL, 1);
	hurry();
	assert_status(look(waiter, "job"), RL_UNREACHABLE);
	hurry_no_more();
	assert_status(look(waiter, "job"), RL_OK);
	assert_status(disown(waiter, "job"), RL_OK);
	assert_status(own(other, "job", LEASE), RL_OK);
	proxy_let_go(&proxy);
	let_it_arrive();
	assert_status(look(other, "job"), RL_OK);
	assert_status(disown(other, "job"), RL_OK);
	let_it_arrive();
	assert_true(!is_taken("job") || is_baton());
	assert_free();
}

static void an_error_for_an_answer_is_as_if_it_was_lost(void **state)
{
	handed_over = false;
	proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_claim, .times = 1, .fault = PROXY_ANSWER, .answer = "-LOADING Redis is loading\r\n" });
	be_handed_it(PROXY_HOLD, 0);
	assert_status(disown(waiter, "job"), RL_OK);
	assert_free();
}

static void nobody_can_be_told_after_the_owners_end(void **state)
{
	be_handed_it(PROXY_STALL, 1);
	clock_advance(5 * RL_SECOND); /* the end does not wait for the answer any more */
	end_owner(waiter);
	proxy_let_go(&proxy);
	run("FLUSHALL");
	be_handed_it(PROXY_CUT_BEFORE, 1);
	end_owner(waiter);
}

static bool child_uses_it(void *context)
{
	struct rl_release_summary summary;

	(void)context;
	if (check_lock(waiter, "job") != RL_MISUSE || disown(waiter, "job") != RL_MISUSE) {
		return false;
	}
	rl_owner_release_all(waiter, rl_now(), &summary);
	return summary.released + summary.lost + summary.failed == 0;
}

/* C8 */
static void a_child_does_not_touch_it(void **state)
{
	be_handed_it(PROXY_STALL, 1);
	assert_true(in_child(child_uses_it, NULL));
	proxy_let_go(&proxy);
	assert_status(disown(waiter, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(waiter)->reconnects, 0);
}

/* L4: its bytes are delivered when nobody is there any more, within the baton's window. */
static void at_the_end_the_release_goes_behind_it(void **state)
{
	be_handed_it(PROXY_STALL, 9); /* also when it is sent again: an answer that is there counts past the deadline, too */
	hurry();
	assert_int_equal(disown_all(waiter).failed, 1);
	end_owner(waiter);
	assert_true(is_baton());
	proxy_let_go(&proxy);
	await_free("job");
	assert_false(is_taken("job"));
}

/* L4: the lease began when the claim ran, which may have been the first one. */
static void a_lease_counts_from_the_first_claim(void **state)
{
	be_handed_it(PROXY_CUT_AFTER, 1);
	run("PEXPIRE lock@job %d", LEASE / 2); /* time goes by */
	clock_advance(LEASE / 2 * RL_MILLISECOND);
	check_lock(waiter, "job");
	assert_true(view(waiter, "job").left <= LEASE / 2 * RL_MILLISECOND);
}

int test_claim(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	const struct CMUnitTest tests[] = {
		test(it_is_not_waited_for),
		test(its_answer_makes_the_lease_a_whole_one),
		test(an_old_batons_claim_is_waited_for),
		test(who_has_leases_looked_after_waits_for_it),
		test(who_wants_replicas_waits_for_it),
		test(what_is_given_up_is_undone_behind_it),
		test(asks_beside_the_parked_connection_do_not_count),
		test(the_script_need_not_be_loaded),
		test(without_an_answer_it_is_safe_for_the_window),
		test(check_waits_for_the_answer),
		test(without_an_answer_it_is_not_safe_for_longer_than_asked),
		test(an_answer_that_comes_after_the_window_counts),
		test(a_refused_claim_is_told_by_the_next_call),
		test(a_claim_that_comes_too_late_changes_nothing),
		test(too_late_and_nobody_has_had_it),
		test(too_late_and_somebody_has_had_it_since),
		test(is_locking_waits_for_it),
		test(an_inner_level_does_not_end_it),
		test(a_release_goes_behind_it),
		test(it_goes_behind_it_on_that_connection),
		test(everything_is_released_behind_it),
		test(several_are_taken_with_it),
		test(it_is_sent_again_before_what_follows),
		test(a_release_behind_a_lost_one_is_made_good),
		test(silence_is_waited_for_once),
		test(no_call_waits_for_longer_than_its_time),
		test(a_claim_given_up_on_does_no_harm),
		test(an_error_for_an_answer_is_as_if_it_was_lost),
		test(nobody_can_be_told_after_the_owners_end),
		test(a_child_does_not_touch_it),
		test(at_the_end_the_release_goes_behind_it),
		test(a_lease_counts_from_the_first_claim),
	};

	return cmocka_run_group_tests_name("claim", tests, rig_start, rig_stop);
}
