/*
 * Claims: a waiter that is handed the lock has it once its claim has been answered. The proxy before the waiter delays
 * the claim, drops it, or answers in the server's place.
 */
#include "owner_rig.h"

#include "lock/owner/internal.h"

#include <stdio.h>

#define TIMEOUT (450 * RL_MILLISECOND) /* two of them within the claim window */

static struct rl_owner *holder, *waiter;
static bool handed_over;
static bool hurried; /* once it has been handed the lock, a call of the waiter has TIMEOUT */

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
		give_it_back();
		if (hurried) {
			waiter->route->timeout = waiter->route->patience = TIMEOUT;
		}
	}
	return true;
}

/*
 * The waiter is handed the lock. What happens to its claim, and so often. From now on the clock moves only while somebody
 * waits: a window is short for a busy machine.
 */
static enum rl_status wait_for_it(enum proxy_fault fault, unsigned times)
{
	handed_over = false;
	hurried = fault == PROXY_HOLD || fault == PROXY_STALL;
	holder = new_owner();
	waiter = new_owner_at(proxy.address, (struct rl_wait_hook){ .run = hand_over_once });
	if (times) {
		proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_claim, .times = times, .fault = fault });
	}
	assert_status(own(holder, "job", LEASE), RL_OK);
	clock_stop(rl_now());
	return own_waiting(waiter, "job", LEASE, 10 * RL_SECOND);
}

/* L's value is what a release left, not the waiter's token. */
static bool is_baton(void)
{
	redisReply *reply = command(rig.redis, "GET lock@job");
	bool is = reply->type == REDIS_REPLY_STRING && reply->str[0] == '~';

	freeReplyObject(reply);
	return is;
}

/* Whoever asks has it; while the flag is up, a release leaves a baton. */
static void assert_free(void)
{
	assert_status(own(holder, "job", LEASE), RL_OK);
	assert_status(disown(holder, "job"), RL_OK);
}

static void the_lease_is_whole_when_the_wait_ends(void **state)
{
	assert_status(wait_for_it(PROXY_HOLD, 0), RL_OK);
	assert_int_equal(rl_owner_stats(waiter)->requests, 3); /* ask, park, claim */
	assert_true(view(waiter, "job").left > (LEASE - PATIENCE_MS) * RL_MILLISECOND);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_int_equal(view(waiter, "job").fence, stored_fence());
	clock_advance(2 * RL_CLAIM_WINDOW_MS * RL_MILLISECOND);
	assert_status(check_lock(waiter, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(waiter)->requests, 3); /* neither asks a server */
	assert_status(disown(waiter, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(waiter)->requests, 4);
	assert_int_equal(rl_owner_stats(waiter)->reconnects, 0);
	assert_free();
}

static void one_that_is_not_answered_is_no_lock(void **state)
{
	assert_status(wait_for_it(PROXY_HOLD, 1), RL_UNREACHABLE);
	assert_false(holds(waiter, "job"));
	proxy_let_go(&proxy);
	assert_int_equal(disown_all(waiter).failed, 0);
	assert_free(); /* undone */
}

/* It reaches the server when its waiter is gone, while the baton is still there. */
static void what_is_given_up_is_undone_behind_it(void **state)
{
	assert_status(wait_for_it(PROXY_STALL, 1), RL_UNREACHABLE);
	assert_true(is_baton());
	end_owner(waiter);
	run("DEL %b", KEY(RL_KEY_WAITING));
	proxy_let_go(&proxy);
	await_free("job");
}

/* C6: another has it when the claim gets there. */
static void one_that_comes_too_late_changes_nothing(void **state)
{
	struct rl_owner *other = new_owner();

	assert_status(wait_for_it(PROXY_STALL, 1), RL_UNREACHABLE);
	expire_on_server("job");
	assert_status(own(other, "job", LEASE), RL_OK);
	proxy_let_go(&proxy);
	assert_status(disown(waiter, "job"), RL_NO);
	assert_status(look(other, "job"), RL_OK);
	assert_status(disown(other, "job"), RL_OK);
}

/* N3, L4: it was done, and its answer lost. The lease began when the claim ran, which may have been the first one. */
static void one_whose_answer_is_lost_is_sent_again(void **state)
{
	assert_status(wait_for_it(PROXY_CUT_AFTER, 1), RL_OK);
	assert_int_equal(rl_owner_stats(waiter)->reconnects, 1);
	assert_true(view(waiter, "job").left <= LEASE * RL_MILLISECOND);
	assert_status(look(waiter, "job"), RL_OK);
	assert_status(disown(waiter, "job"), RL_OK);
	assert_free();
}

static void the_script_need_not_be_loaded(void **state)
{
	run("SCRIPT FLUSH");
	assert_status(wait_for_it(PROXY_HOLD, 0), RL_OK);
	run("SCRIPT FLUSH");
	assert_status(disown(waiter, "job"), RL_OK);
}

int test_claim(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	static const struct CMUnitTest tests[] = {
		test(the_lease_is_whole_when_the_wait_ends),
		test(one_that_is_not_answered_is_no_lock),
		test(what_is_given_up_is_undone_behind_it),
		test(one_that_comes_too_late_changes_nothing),
		test(one_whose_answer_is_lost_is_sent_again),
		test(the_script_need_not_be_loaded),
	};

	return cmocka_run_group_tests_name("claim", tests, rig_start, rig_stop);
}
