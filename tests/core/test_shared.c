/*
 * Shared locks and semaphores, as an owner sees them: who gets in beside whom, in which order, and
 * what becomes of a share. Waiters are threads, each with an owner of its own.
 */
#include "owner_rig.h"
#include "prompt.h"

#include "lock/owner/internal.h"

#include <pthread.h>
#include <stdatomic.h>

#define SOON (900 * RL_MILLISECOND) /* sooner than the safety net */
/* long enough for what is looked at before its end, on a machine that is busy, too */
#define DELAY 3000

static enum rl_status own_shared(struct rl_owner *owner, const char *key, int64_t limit)
{
	struct rl_acquire terms = { .is_shared = true, .limit = limit, .lease_ms = LEASE };

	return own_with(owner, key, &terms);
}

static enum rl_status downgrade(struct rl_owner *owner, const char *key)
{
	return rl_owner_downgrade(owner, NAME(key), &said);
}

/* ---------------------------------------------------------------- waiters */

struct waiter {
	pthread_t thread;
	struct rl_owner *owner;
	struct rl_acquire terms;
	struct rl_error said;
	enum rl_status status;
	struct prompt_time took;
	atomic_bool done;
};
static struct waiter waiters[8];

static void *wait_for_it(void *context)
{
	struct waiter *waiter = context;
	struct prompt_moment began = prompt_now();

	rl_owner_begin_call(waiter->owner);
	waiter->status = rl_owner_acquire(waiter->owner, &waiter->terms, &waiter->said);
	rl_owner_end_call(waiter->owner);
	waiter->took = prompt_since(began);
	waiter->done = true;
	return NULL;
}

/* It may have the lock when this returns. */
static void start_unparked(int which, struct rl_acquire terms)
{
	struct waiter *waiter = &waiters[which];

	terms.key = NAME("job");
	terms.lease_ms = terms.lease_ms ? terms.lease_ms : LEASE;
	terms.wait = terms.wait ? terms.wait : 20 * RL_SECOND;
	terms.policy = RL_POLICY_WAIT;
	*waiter = (struct waiter){
		.owner = waiter->owner ? waiter->owner : new_owner(), .terms = terms
	};
	assert_int_equal(pthread_create(&waiter->thread, NULL, wait_for_it, waiter), 0);
}

static void start_with(int which, struct rl_acquire terms)
{
	int parked = parked_clients();

	start_unparked(which, terms);
	await_parked(parked + 1);
}

/* Starts to wait behind all others; returns when it is parked. */
static void start_exclusive(int which)
{
	start_with(which, (struct rl_acquire){ .lease_ms = LEASE });
}

static void start_shared(int which, int64_t limit)
{
	start_with(which, (struct rl_acquire){ .is_shared = true, .limit = limit });
}

static enum rl_status join(int which)
{
	pthread_join(waiters[which].thread, NULL);
	return waiters[which].status;
}

static void assert_gets_it(int which)
{
	AWAIT(waiters[which].done);
	if (join(which) != RL_OK) {
		fail_msg("waiter %d: %d %s", which, waiters[which].status, waiters[which].said.message);
	}
}

/* Of the first two, whichever gets it first. */
static int await_either(void)
{
	AWAIT(waiters[0].done || waiters[1].done);
	return waiters[0].done ? 0 : 1;
}

static void assert_still_waits(int which)
{
	let_it_arrive();
	pause_a_moment();
	assert_false(waiters[which].done);
}

static void give_up(int which)
{
	assert_status(disown(waiters[which].owner, "job"), RL_OK);
}

static int reset(void **state)
{
	memset(waiters, 0, sizeof waiters);
	return owners_reset(state);
}

/* ---------------------------------------------------------------- beside each other */

static void many_have_shares(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner(), *other = new_owner();
	int64_t fence;

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own_shared(two, "job", 0), RL_OK);
	assert_true(view(one, "job").is_shared);
	assert_true(view(two, "job").fence > view(one, "job").fence);
	assert_status(own(other, "job", LEASE), RL_NO);
	fence = view(two, "job").fence;
	assert_status(disown(one, "job"), RL_OK);
	assert_status(own(other, "job", LEASE), RL_NO);
	assert_status(disown(two, "job"), RL_OK);
	assert_false(is_taken("job"));
	assert_status(own(other, "job", LEASE), RL_OK);
	assert_false(view(other, "job").is_shared);
	assert_true(view(other, "job").fence > fence);
	assert_status(own_shared(one, "job", 0), RL_NO);
	assert_status(disown(other, "job"), RL_OK);
	assert_false(is_taken("job"));
}

static void a_limit_is_kept(void **state)
{
	struct rl_owner *owners[4];

	for (size_t i = 0; i < COUNT(owners); i++) {
		owners[i] = new_owner();
		assert_status(own_shared(owners[i], "job", 3), i < 3 ? RL_OK : RL_NO);
	}
	assert_status(own_shared(owners[3], "job", 4), RL_OK); /* each caller's own limit counts */
	assert_status(disown(owners[3], "job"), RL_OK);
	assert_status(disown(owners[1], "job"), RL_OK);
	assert_status(own_shared(owners[3], "job", 3), RL_OK);
	assert_status(own_shared(owners[1], "job", 3), RL_NO);
}

static void a_pair_is_two_requests(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own_shared(owner, "job", 0), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(owner)->requests, 2);
	assert_int_equal(rl_owner_stats(owner)->acquired, 1);
}

static void a_share_that_runs_out_frees_its_place(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner(), *three = new_owner();
	struct rl_acquire brief = { .is_shared = true, .limit = 2, .lease_ms = 30 };

	assert_status(own_shared(one, "job", 2), RL_OK);
	assert_status(own_with(two, "job", &brief), RL_OK);
	AWAIT(own_shared(three, "job", 2) == RL_OK);
	/* others with shares are nobody who has had the lock */
	assert_status(disown(two, "job"), RL_TIMED_OUT);
	assert_status(disown(one, "job"), RL_OK);
	assert_status(disown(three, "job"), RL_OK);
}

/* ---------------------------------------------------------------- what a share can do */

static void a_share_is_prolonged_and_looked_at(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner();
	int64_t left;

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own_shared(two, "job", 0), RL_OK);
	assert_status(prolong(one, "job", 10 * LEASE), RL_OK);
	assert_true(server_left("job") > 10 * LEASE - PATIENCE_MS);
	assert_status(prolong(two, "job", LEASE / 2), RL_OK);
	assert_status(rl_owner_is_locking(two, NAME("job"), &left, &said), RL_OK);
	assert_in_range(left, LEASE / 2 - PATIENCE_MS, LEASE / 2);
	assert_status(check_lock(two, "job"), RL_OK);
	assert_status(disown(one, "job"), RL_OK);
	assert_true(server_left("job") <= LEASE / 2); /* it ends with the longest that is left */
	assert_status(look(two, "job"), RL_OK);
	assert_status(disown(two, "job"), RL_OK);
	assert_status(look(two, "job"), RL_NO);
}

static void levels_are_counted(void **state)
{
	struct rl_owner *one = new_owner();

	assert_status(own_shared(one, "job", 1), RL_OK);
	assert_status(own_shared(one, "job", 1), RL_OK); /* its own does not count */
	assert_int_equal(view(one, "job").depth, 2);
	assert_status(disown(one, "job"), RL_OK);
	assert_true(is_taken("job"));
	assert_status(disown(one, "job"), RL_OK);
	assert_false(is_taken("job"));
	assert_status(disown(one, "job"), RL_NO);
	assert_status(own(one, "job", LEASE), RL_OK);
	assert_status(own_shared(one, "job", 0), RL_OK); /* stays exclusive */
	assert_false(view(one, "job").is_shared);
	assert_int_equal(view(one, "job").depth, 2);
}

static void the_end_gives_all_back(void **state)
{
	struct rl_owner *one = new_owner();
	struct rl_release_summary summary;

	for (int i = 0; i < 3; i++) {
		char key[] = { 'a' + (char)i, '\0' };

		assert_status(i == 1 ? own(one, key, LEASE) : own_shared(one, key, 0), RL_OK);
	}
	run("SCRIPT FLUSH");
	summary = disown_all(one);
	assert_int_equal(summary.released, 3);
	assert_int_equal(number("EXISTS lock@a lock@b lock@c"), 0);
}

static void a_share_is_given_back_unconfirmed(void **state)
{
	struct rl_owner *one = new_owner();

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(disown_unconfirmed(one, "job"), RL_OK);
	await_free("job");
}

static void a_share_is_not_handed_over(void **state)
{
	struct rl_owner *one = new_owner();
	struct rl_token token;

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(hand_over(one, "job", 0, &token), RL_MISUSE);
	assert_status(check_lock(one, "job"), RL_OK);
}

/* ---------------------------------------------------------------- verdicts */

/* Its time is over, by either clock. */
static void end_share(struct rl_owner *owner)
{
	struct rl_text token = { view(owner, "job").token.data, strlen("rlock1:") + RL_RANDOM_HEX + 1 };

	run("ZADD %b 1 %b", KEY(RL_KEY_SHARES), token.data, token.length);
	expire_here(owner, "job");
}

static void late_is_no_loss_while_others_share(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner();

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own_shared(two, "job", 0), RL_OK);
	end_share(one);
	assert_status(prolong(one, "job", LEASE), RL_TIMED_OUT);
	assert_true(said.held);
	assert_status(look(one, "job"), RL_OK);
	assert_status(disown(two, "job"), RL_OK);
	assert_status(disown(one, "job"), RL_OK);

	/* All ended, and new ones came. */
	assert_status(own_shared(one, "job", 0), RL_OK);
	expire_here(one, "job");
	expire_on_server("job");
	assert_status(own_shared(two, "job", 0), RL_OK);
	assert_status(disown(one, "job"), RL_TIMED_OUT);
	assert_false(said.held);
	assert_status(disown(two, "job"), RL_OK);
}

static void an_exclusive_one_in_between_is_a_loss(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner();

	assert_status(own_shared(one, "job", 0), RL_OK);
	expire_here(one, "job");
	expire_on_server("job");
	taken_between("job");
	assert_status(disown(one, "job"), RL_LOST);

	assert_status(own_shared(one, "job", 0), RL_OK);
	expire_here(one, "job");
	expire_on_server("job");
	taken_between("job");
	assert_status(own_shared(two, "job", 0), RL_OK);
	assert_status(prolong(one, "job", LEASE), RL_LOST);
	assert_status(check_lock(one, "job"), RL_LOST);

	/* Even if that was a share before. */
	assert_status(disown(two, "job"), RL_OK);
	assert_status(own_shared(one, "job", 0), RL_OK);
	expire_here(one, "job");
	expire_on_server("job");
	assert_status(own_shared(two, "job", 0), RL_OK);
	assert_status(own(two, "job", LEASE), RL_OK);
	assert_status(downgrade(two, "job"), RL_OK);
	assert_status(disown(one, "job"), RL_LOST);
}

static void what_is_deleted_is_lost(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner();

	assert_status(own_shared(one, "job", 0), RL_OK);
	run("DEL lock@job");
	assert_status(disown(one, "job"), RL_LOST);
	assert_status(own_shared(one, "job", 0), RL_OK);
	run("DEL lock@job");
	assert_status(own_shared(two, "job", 1), RL_OK); /* the share of before is no more */
	assert_status(disown(one, "job"), RL_LOST);
	assert_status(disown(two, "job"), RL_OK);

	/* Whoever may be inside is, until L ends. */
	assert_status(own_shared(one, "job", 0), RL_OK);
	run("DEL %b", KEY(RL_KEY_SHARES));
	assert_status(own_shared(two, "job", 0), RL_NO);
	expire_on_server("job");
	assert_status(own_shared(two, "job", 0), RL_OK);
}

/* ---------------------------------------------------------------- the kind changes */

static void exclusive_becomes_shared(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner();
	int64_t fence;

	assert_status(downgrade(one, "job"), RL_NO);
	assert_status(own(one, "job", LEASE), RL_OK);
	assert_status(own(one, "job", LEASE), RL_OK);
	fence = view(one, "job").fence;
	assert_status(downgrade(one, "job"), RL_OK);
	assert_true(view(one, "job").is_shared);
	assert_int_equal(view(one, "job").fence, fence);
	assert_int_equal(view(one, "job").depth, 2);
	assert_status(downgrade(one, "job"), RL_NO);
	assert_status(own_shared(two, "job", 0), RL_OK);
	assert_status(prolong(one, "job", 2 * LEASE), RL_OK);
	assert_status(look(one, "job"), RL_OK);
	assert_status(disown(one, "job"), RL_OK);
	assert_status(disown(one, "job"), RL_OK);
	assert_status(disown(two, "job"), RL_OK);
	assert_false(is_taken("job"));
}

static void the_only_share_becomes_exclusive(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner();
	int64_t fence;

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own_shared(two, "job", 0), RL_OK);
	assert_status(own_waiting(one, "job", LEASE, RL_FOREVER), RL_NO); /* at once */
	assert_int_equal(view(one, "job").depth, 1);
	assert_true(view(one, "job").is_shared);
	assert_status(disown(two, "job"), RL_OK);
	fence = view(one, "job").fence;
	assert_status(own(one, "job", 2 * LEASE), RL_OK);
	assert_int_equal(view(one, "job").depth, 2);
	assert_false(view(one, "job").is_shared);
	assert_true(view(one, "job").fence > fence);
	assert_true(server_left("job") > 2 * LEASE - PATIENCE_MS);
	assert_status(own_shared(two, "job", 0), RL_NO);
	assert_status(prolong(one, "job", LEASE), RL_OK);
	assert_status(look(one, "job"), RL_OK);
	assert_status(disown(one, "job"), RL_OK);
	assert_status(own_shared(two, "job", 0), RL_NO); /* all levels are exclusive */
	assert_status(disown(one, "job"), RL_OK);
	assert_false(is_taken("job"));
}

static void it_may_change_often(void **state)
{
	struct rl_owner *one = new_owner();

	assert_status(own(one, "job", LEASE), RL_OK);
	for (int i = 0; i < 5; i++) {
		assert_status(downgrade(one, "job"), RL_OK);
		assert_status(prolong(one, "job", LEASE), RL_OK);
		assert_status(own(one, "job", LEASE), RL_OK);
		assert_status(prolong(one, "job", LEASE), RL_OK);
	}
	for (int i = 0; i < 6; i++) {
		assert_status(disown(one, "job"), RL_OK);
	}
	assert_false(is_taken("job"));
}

/* ---------------------------------------------------------------- waiting */

static void the_last_share_lets_an_exclusive_one_in(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner();

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own_shared(two, "job", 0), RL_OK);
	start_exclusive(0);
	assert_status(own_shared(new_owner(), "job", 0), RL_NO); /* behind it */
	assert_status(disown(one, "job"), RL_OK);
	assert_still_waits(0);
	assert_status(disown(two, "job"), RL_OK);
	assert_gets_it(0);
	expect_soon(waiters[0].took, SOON);
	assert_status(own_shared(one, "job", 0), RL_NO);
	give_up(0);
	assert_status(own(one, "job", LEASE), RL_OK);
}

static void shares_get_in_together(void **state)
{
	struct rl_owner *holder = new_owner();

	assert_status(own(holder, "job", LEASE), RL_OK);
	for (int i = 0; i < 4; i++) {
		start_shared(i, 0);
	}
	start_exclusive(4);
	start_shared(5, 0);
	assert_status(disown(holder, "job"), RL_OK);
	for (int i = 0; i < 4; i++) {
		assert_gets_it(i);
		expect_soon(waiters[i].took, SOON);
		assert_true(i == 0
			|| view(waiters[i].owner, "job").fence > view(waiters[i - 1].owner, "job").fence);
	}
	assert_still_waits(4);
	assert_still_waits(5);
	for (int i = 0; i < 4; i++) {
		assert_still_waits(4);
		give_up(i);
	}
	assert_gets_it(4);
	assert_still_waits(5);
	give_up(4);
	assert_gets_it(5);
	give_up(5);
}

static void a_downgrade_lets_shares_in(void **state)
{
	struct rl_owner *holder = new_owner();

	assert_status(own(holder, "job", LEASE), RL_OK);
	start_shared(0, 0);
	start_shared(1, 2); /* ours is the third */
	start_shared(2, 0);
	assert_status(downgrade(holder, "job"), RL_OK);
	assert_gets_it(0);
	assert_still_waits(1);
	assert_still_waits(2); /* behind it */
	assert_status(disown(holder, "job"), RL_OK);
	assert_gets_it(1);
	assert_gets_it(2);
	for (int i = 0; i < 3; i++) {
		expect_soon(waiters[i].took, SOON);
		give_up(i);
	}
}

static void places_are_passed_on(void **state)
{
	struct rl_owner *holders[2] = { new_owner(), new_owner() };

	for (size_t i = 0; i < COUNT(holders); i++) {
		assert_status(own_shared(holders[i], "job", 2), RL_OK);
	}
	start_shared(0, 2);
	start_shared(1, 2);
	start_shared(2, 2);
	assert_status(disown(holders[0], "job"), RL_OK);
	assert_gets_it(0);
	assert_still_waits(1);
	assert_status(disown(holders[1], "job"), RL_OK);
	assert_gets_it(1);
	give_up(0);
	assert_gets_it(2);
	for (int i = 0; i < 3; i++) {
		expect_soon(waiters[i].took, SOON);
	}
	give_up(1);
	give_up(2);
}

static void an_upgrade_passes_nobody(void **state)
{
	struct rl_owner *holder = new_owner();
	int first;

	assert_status(own_shared(holder, "job", 0), RL_OK);
	start_exclusive(0);
	start_shared(1, 0);
	assert_status(own(holder, "job", LEASE), RL_OK); /* waiters do not count */
	assert_status(disown(holder, "job"), RL_OK);
	assert_still_waits(0);
	assert_status(disown(holder, "job"), RL_OK);
	first = await_either(); /* who was the first waits behind the others since then */
	assert_gets_it(first);
	expect_soon(waiters[first].took, SOON);
	assert_still_waits(1 - first);
	give_up(first);
	assert_gets_it(1 - first);
	expect_soon(waiters[1 - first].took, SOON);
	give_up(1 - first);
}

static long long turnstile_left(void)
{
	return number("PTTL %b", KEY(RL_KEY_TURNSTILE));
}

/* It comes back from the room to ask in time. */
static void the_first_one_comes_back_to_ask(void **state)
{
	struct rl_owner *holder = new_owner();
	long long left;

	assert_status(own_shared(holder, "job", 0), RL_OK);
	waiters[0].owner = new_owner();
	assert_status(own(waiters[0].owner, "another", LEASE), RL_OK); /* so that it has a connection */
	run("CONFIG SET maxclients 1");
	start_exclusive(0);
	assert_in_range(turnstile_left(), 1, 2500); /* if it dies, those behind wait for so long */
	AWAIT((left = turnstile_left()) < 1000);
	assert_true(left > 0);
	AWAIT((left = turnstile_left()) < 0 || left > 2000);
	assert_true(left > 0);
	assert_status(disown(holder, "job"), RL_OK);
	assert_gets_it(0);
	give_up(0);
}

/* In a wait with a hook, the clock is looked at. */
static bool goes_on(void *context)
{
	return true;
}

static void the_first_one_gives_up(void **state)
{
	struct rl_owner *holder = new_owner();

	assert_status(own_shared(holder, "job", 0), RL_OK);
	waiters[0].owner = new_hooked(goes_on, NULL);
	start_with(0, (struct rl_acquire){ .wait = 10 * RL_SECOND });
	start_shared(1, 0);
	clock_advance(10 * RL_SECOND); /* its time is over, not yet that of who waits behind it */
	assert_status(join(0), RL_NO);
	assert_gets_it(1);
	expect_soon(waiters[1].took, SOON);
	give_up(1);
	assert_status(disown(holder, "job"), RL_OK);
	assert_status(own(holder, "job", LEASE), RL_OK);
	await_parked(0);
}

static void a_share_that_ends_lets_in(void **state)
{
	struct rl_owner *holder = new_owner(), *other = new_owner();
	struct rl_acquire brief = { .is_shared = true, .lease_ms = 300 };

	assert_status(own_with(holder, "job", &brief), RL_OK);
	start_unparked(0, (struct rl_acquire){ .lease_ms = LEASE });
	assert_gets_it(0);
	expect_soon(waiters[0].took, SOON);
	give_up(0);

	assert_status(own_with(holder, "other", &brief), RL_OK);
	assert_status(own_with(other, "job", &brief), RL_OK);
	assert_status(own_shared(new_owner(), "job", 0), RL_OK);
	start_unparked(1, (struct rl_acquire){ .is_shared = true, .limit = 2 });
	assert_gets_it(1);
	expect_soon(waiters[1].took, SOON);
}

static void a_delay_keeps_all_out(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner();
	int first;
	struct prompt_moment before;
	struct prompt_time took;
	struct rl_holder holder;

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own_shared(two, "job", 0), RL_OK);
	before = prompt_now();
	assert_status(disown_with_delay(one, "job", DELAY), RL_OK);
	assert_status(own_shared(one, "job", 0), RL_NO);
	assert_status(look(two, "job"), RL_OK);
	start_shared(0, 0);
	start_exclusive(1);
	assert_status(disown(two, "job"), RL_OK);
	assert_status(rl_owner_holder(one, NAME("job"), &holder, &said), RL_OK);
	assert_int_equal(holder.kind, RL_HOLDER_COOLDOWN);
	assert_false(holder.is_shared);
	rl_owner_holder_clear(&holder);
	assert_still_waits(0);
	assert_false(waiters[1].done);
	first = await_either();
	assert_gets_it(first);
	took = prompt_since(before);
	assert_true(took.took >= DELAY * RL_MILLISECOND - RL_MILLISECOND); /* the server counts in ms */
	expect_soon(took, DELAY * RL_MILLISECOND + A_MOMENT);
	assert_still_waits(1 - first);
	give_up(first);
	assert_gets_it(1 - first);
	give_up(1 - first);
	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(disown_with_delay(one, "job", LEASE), RL_OK);
	assert_status(own_shared(one, "job", 0), RL_NO);
	assert_true(server_left("job") > LEASE - PATIENCE_MS);
}

/* ---------------------------------------------------------------- who it is */

static bool count_sharer(void *context, const struct rl_holder *holder)
{
	int *counts = context;

	assert_int_equal(holder->kind, RL_HOLDER_LEASE);
	assert_true(holder->fence > 0 && holder->left_ms > 0);
	counts[holder->is_shared]++;
	return true;
}

static void all_are_told(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner();
	struct rl_acquire with_words = {
		.is_shared = true, .lease_ms = 2 * LEASE, .metadata = NAME("words")
	};
	int counts[2] = { 0, 0 };
	struct rl_sharers request = { count_sharer, counts };
	struct rl_holder holder;

	assert_status(rl_owner_sharers(one, NAME("job"), &request, &said), RL_NO);
	assert_status(own(one, "job", LEASE), RL_OK);
	assert_status(rl_owner_sharers(one, NAME("job"), &request, &said), RL_OK);
	assert_int_equal(counts[0], 1);
	assert_status(downgrade(one, "job"), RL_OK);
	assert_status(own_with(two, "job", &with_words), RL_OK);
	assert_status(rl_owner_sharers(one, NAME("job"), &request, &said), RL_OK);
	assert_int_equal(counts[0], 1);
	assert_int_equal(counts[1], 2);

	assert_status(rl_owner_holder(one, NAME("job"), &holder, &said), RL_OK);
	assert_true(holder.is_shared);
	assert_int_equal(holder.fence, view(two, "job").fence); /* the one that lasts longest */
	assert_true(
		rl_text_equals(holder.metadata, "words"));
	rl_owner_holder_clear(&holder);
}

static void one_share_is_broken(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner(), *admin = new_owner();

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own_shared(two, "job", 0), RL_OK);
	assert_status(rl_owner_break(admin, NAME("job"), view(one, "job").fence, &said), RL_OK);
	assert_status(rl_owner_break(admin, NAME("job"), view(one, "job").fence, &said), RL_NO);
	assert_status(look(two, "job"), RL_OK);
	assert_status(look(one, "job"), RL_NO);
	expire_here(one, "job");
	assert_status(disown(one, "job"), RL_LOST);
	assert_status(disown(two, "job"), RL_OK);
	assert_false(is_taken("job"));
}

static void all_shares_are_broken(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner(), *admin = new_owner();

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own_shared(two, "job", 0), RL_OK);
	start_exclusive(0);
	assert_status(break_it(admin, "job"), RL_OK);
	assert_gets_it(0);
	expect_soon(waiters[0].took, SOON);
	assert_status(disown(one, "job"), RL_LOST);
	give_up(0);
	expire_here(two, "job");
	assert_status(prolong(two, "job", LEASE), RL_LOST);
}

/*
 * The lock is passed on to a waiter that is not there any more. Whoever had the share does not take
 * that for its own doing.
 */
static void a_break_is_told_though_nobody_has_come_since(void **state)
{
	struct rl_owner *one = new_owner(), *admin = new_owner();

	for (int by_fence = 0; by_fence < 2; by_fence++) {
		assert_status(own_shared(one, "job", 0), RL_OK);
		run("SET %b 1", KEY(RL_KEY_WAITING)); /* somebody may wait */
		assert_status(
			rl_owner_break(admin, NAME("job"), by_fence ? view(one, "job").fence : 0, &said),
			RL_OK);
		assert_true(is_taken("job")); /* by a baton */
		assert_status(disown(one, "job"), RL_LOST);
	}
}

static void a_lock_whose_set_was_evicted_is_broken(void **state)
{
	struct rl_owner *one = new_owner(), *admin = new_owner();

	assert_status(own_shared(one, "job", 0), RL_OK);
	run("DEL %b", KEY(RL_KEY_SHARES));
	assert_status(break_it(admin, "job"), RL_OK);
	assert_false(is_taken("job"));
	assert_status(disown(one, "job"), RL_LOST);

	assert_status(own_shared(one, "job", 0), RL_OK);
	run("DEL %b", KEY(RL_KEY_SHARES));
	start_exclusive(0);
	assert_status(break_it(admin, "job"), RL_OK);
	assert_gets_it(0);
	expect_soon(waiters[0].took, SOON);
	give_up(0);
	assert_status(disown(one, "job"), RL_LOST);
}

/* `one` has a share of which the time is over, and `two` has left with a delay. */
static void leave_but_a_delay(struct rl_owner *one, struct rl_owner *two)
{
	struct rl_acquire with_words = {
		.is_shared = true, .lease_ms = LEASE, .metadata = NAME("words")
	};

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own_with(two, "job", &with_words), RL_OK);
	assert_status(disown_with_delay(two, "job", 2 * LEASE), RL_OK);
	end_share(one);
}

static void a_delay_that_is_left_is_broken(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner(), *admin = new_owner();
	struct rl_holder holder;

	leave_but_a_delay(one, two);
	assert_status(break_it(admin, "job"), RL_OK);
	assert_false(is_taken("job"));
	assert_status(own(admin, "job", LEASE), RL_OK);
	assert_status(disown(admin, "job"), RL_OK);
	assert_status(disown(one, "job"), RL_LOST);

	leave_but_a_delay(one, two);
	assert_status(rl_owner_holder(admin, NAME("job"), &holder, &said), RL_OK);
	rl_owner_holder_clear(&holder);
	assert_status(rl_owner_break(admin, NAME("job"), holder.fence - 1, &said), RL_NO);
	assert_status(rl_owner_break(admin, NAME("job"), holder.fence, &said), RL_OK);
	assert_false(is_taken("job"));
	assert_status(disown(one, "job"), RL_TIMED_OUT);
}

static bool note_cooldown(void *context, const struct rl_holder *holder)
{
	int *count = context;

	assert_int_equal(holder->kind, RL_HOLDER_COOLDOWN);
	assert_false(holder->is_shared);
	assert_true(holder->fence > 0 && holder->owner.length > 0);
	assert_in_range(holder->left_ms, LEASE, 2 * LEASE);
	assert_true(
		rl_text_equals(holder->metadata, "words"));
	++*count;
	return true;
}

static void a_delay_that_is_left_is_told(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner();
	struct rl_holder holder;
	int count = 0;
	struct rl_sharers request = { note_cooldown, &count };

	leave_but_a_delay(one, two);
	assert_status(rl_owner_sharers(one, NAME("job"), &request, &said), RL_OK);
	assert_int_equal(count, 1);
	assert_status(rl_owner_holder(one, NAME("job"), &holder, &said), RL_OK);
	note_cooldown(&count, &holder);
	rl_owner_holder_clear(&holder);
}

static void a_delay_beside_a_share_is_broken(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner(), *admin = new_owner();

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own_shared(two, "job", 0), RL_OK);
	assert_status(disown_with_delay(two, "job", LEASE), RL_OK);
	assert_status(break_it(admin, "job"), RL_OK);
	assert_false(is_taken("job"));
	assert_status(disown(one, "job"), RL_LOST);
}

/* ---------------------------------------------------------------- what gets lost */

static void fault(const struct rl_script *script, unsigned times, enum proxy_fault fault)
{
	proxy_add(&proxy,
		(struct proxy_rule){ .script = script,
			.times = times,
			.fault = fault,
			.fails = times > 1 });
}

/* Each is sent again, and finds what its first sending has done. */
static void an_answer_that_is_lost_does_no_harm(void **state)
{
	for (int after = 0; after < 2; after++) {
		struct rl_owner *one = new_proxied(), *two = new_owner();
		enum proxy_fault cut = after ? PROXY_CUT_AFTER : PROXY_CUT_BEFORE;
		int64_t fence;

		fault(&rl_script_enter, 1, cut);
		assert_status(own_shared(one, "job", 0), RL_OK);
		fault(&rl_script_extend_shared, 1, cut);
		assert_status(prolong(one, "job", 2 * LEASE), RL_OK);
		fence = view(one, "job").fence;
		fault(&rl_script_upgrade, 1, cut);
		assert_status(own(one, "job", LEASE), RL_OK);
		assert_true(view(one, "job").fence > fence);
		assert_int_equal(view(one, "job").fence, stored_fence());
		fault(&rl_script_downgrade, 1, cut);
		assert_status(downgrade(one, "job"), RL_OK);
		assert_status(own_shared(two, "job", 0), RL_OK);
		assert_status(disown(two, "job"), RL_OK);
		assert_status(disown(one, "job"), RL_OK);
		fault(&rl_script_leave, 1, cut);
		assert_status(disown(one, "job"), RL_OK);
		assert_false(is_taken("job"));
		end_owner(one);
		end_owner(two);
	}
}

/* To run what a server does not know takes a second sending. */
static void let_it_know_changes(void)
{
	struct rl_owner *owner = new_owner();

	assert_status(own_shared(owner, "another", 0), RL_OK);
	assert_status(own(owner, "another", LEASE), RL_OK);
	assert_status(downgrade(owner, "another"), RL_OK);
	assert_int_equal(disown_all(owner).released, 1);
	end_owner(owner);
}

/* Nobody knows of what kind it is then; so it is given up. */
static void a_change_that_is_not_answered_ends_it(void **state)
{
	static const struct rl_script *const scripts[] = { &rl_script_upgrade, &rl_script_downgrade };

	let_it_know_changes();
	for (size_t i = 0; i < 2 * COUNT(scripts); i++) {
		bool up = i % 2 == 0;
		struct rl_owner *one = new_proxied();

		assert_status(up ? own_shared(one, "job", 0) : own(one, "job", LEASE), RL_OK);
		fault(scripts[i % 2], 2, i < 2 ? PROXY_CUT_AFTER : PROXY_CUT_BEFORE);
		assert_status(up ? own(one, "job", LEASE) : downgrade(one, "job"), RL_UNREACHABLE);
		assert_true(said.unanswered);
		assert_false(holds(one, "job"));
		assert_status(check_lock(one, "job"), RL_LOST);
		assert_true(is_taken("job"));
		assert_int_equal(number("STRLEN lock@job") == strlen("+shared"), up == (i >= 2));
		assert_status(own(one, "other", LEASE), RL_OK); /* the next contact */
		assert_false(is_taken("job"));
		assert_status(disown(one, "other"), RL_OK);
		end_owner(one);
	}
}

/* So a copy that comes in between makes nothing that stays. */
static void it_is_undone_first_where_the_grant_was(void **state)
{
	struct rl_owner *one = new_proxied();

	let_it_know_changes();
	assert_status(own_shared(one, "job", 0), RL_OK);
	fault(&rl_script_upgrade, 2, PROXY_LATE);
	assert_status(own(one, "job", LEASE), RL_UNREACHABLE);
	fault(&rl_script_leave, 2, PROXY_CUT_BEFORE);
	assert_status(own(one, "other", LEASE), RL_OK); /* a contact, which cannot undo it */
	assert_int_equal(proxy_deliver(&proxy), 2);
	assert_true(number("STRLEN lock@job") > (long long)strlen("+shared")); /* it is exclusive now */
	assert_status(own(one, "another", LEASE), RL_OK);
	assert_false(is_taken("job"));
}

/*
 * getLocks() makes a share exclusive, and fails, since another lock is busy or not granted by an
 * answer; then the change back is not answered.
 */
static void nor_is_one_back_that_is_not_answered(void **state)
{
	for (int is_busy = 0; is_busy < 2; is_busy++) {
		struct rl_acquire_key keys[] = { { .name = NAME("job") }, { .name = NAME("other") } };
		struct rl_acquire_all request = { .keys = keys, .count = 2, .lease_ms = LEASE };
		struct rl_owner *one = new_proxied(), *two = new_owner();

		if (is_busy) {
			assert_status(own(two, "other", LEASE), RL_OK);
		} else {
			fault(&rl_script_acquire, 2, PROXY_CUT_AFTER);
		}
		assert_status(own_shared(one, "job", 0), RL_OK);
		fault(&rl_script_downgrade, 2, PROXY_CUT_AFTER);
		assert_status(rl_owner_acquire_all(one, &request, &said), RL_UNREACHABLE);
		assert_true(said.unanswered);
		assert_true(rl_text_equals(said.key, "job"));
		assert_false(holds(one, "job"));
		assert_status(check_lock(one, "job"), RL_LOST);
		assert_status(own(one, "another", LEASE), RL_OK); /* the next contact */
		assert_false(is_taken("job"));
		disown_all(one);
		disown_all(two);
	}
}

/* A copy of a request that comes when its owner is through with it. */
static void late_copies_take_nothing(void **state)
{
	struct rl_owner *one = new_proxied(), *two = new_owner();

	assert_status(own_shared(one, "job", 0), RL_OK);
	fault(&rl_script_extend_shared, 2, PROXY_LATE);
	assert_status(prolong(one, "job", LEASE / 2), RL_UNREACHABLE);
	assert_status(prolong(one, "job", 2 * LEASE), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 2);
	assert_true(server_left("job") > 2 * LEASE - PATIENCE_MS);

	fault(&rl_script_leave, 1, PROXY_LATE);
	assert_status(disown(one, "job"), RL_OK);
	assert_status(own_shared(two, "job", 0), RL_OK);
	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 1);
	assert_status(look(one, "job"), RL_OK);
	assert_status(look(two, "job"), RL_OK);
	assert_status(disown(one, "job"), RL_OK);

	proxy_let_go(&proxy);
	fault(&rl_script_upgrade, 1, PROXY_LATE);
	assert_status(disown(two, "job"), RL_OK);
	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own(one, "job", LEASE), RL_OK);
	fault(&rl_script_downgrade, 1, PROXY_LATE);
	assert_status(downgrade(one, "job"), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 2);
	assert_true(view(one, "job").is_shared);
	assert_status(own_shared(two, "job", 0), RL_OK);
	assert_status(disown(one, "job"), RL_OK);
	assert_status(disown(one, "job"), RL_OK);
	assert_status(look(two, "job"), RL_OK);
}

static void a_wait_outlives_a_cut(void **state)
{
	struct rl_owner *one = new_owner();

	assert_status(own_shared(one, "job", 0), RL_OK);
	waiters[0].owner = new_proxied();
	start_exclusive(0);
	start_shared(1, 0);
	proxy_cut(&proxy);
	await_parked(2);
	assert_status(disown(one, "job"), RL_OK);
	AWAIT(waiters[0].done || waiters[1].done);
	if (waiters[0].done) {
		assert_gets_it(0);
		give_up(0);
		assert_gets_it(1);
	} else {
		assert_gets_it(1);
		give_up(1);
		assert_gets_it(0);
	}
}

static void what_replicas_do_not_have_does_not_count(void **state)
{
	struct rl_owner *one = new_proxied();

	assert_status(look(one, "job"), RL_NO); /* it is connected */
	one->route->replicas = 1;
	one->route->timeout = one->route->patience = RL_SECOND;
	proxy_add(&proxy, (struct proxy_rule){ .word = "WAIT", .times = 1, .fault = PROXY_HOLD });
	assert_status(own_shared(one, "job", 0), RL_REFUSED);
	assert_string_equal(said.code, "NOREPLICAS");
	await_free("job");
	one->route->timeout = one->route->patience = 5 * RL_SECOND; /* what comes now is to succeed */
	proxy_add(&proxy,
		(struct proxy_rule){
			.word = "WAIT", .times = 2, .fault = PROXY_ANSWER, .answer = ":1\r\n" });
	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own(one, "job", LEASE), RL_OK);
	proxy_add(&proxy, (struct proxy_rule){ .word = "WAIT", .times = 1, .fault = PROXY_HOLD });
	one->route->timeout = one->route->patience = RL_SECOND;
	assert_status(downgrade(one, "job"), RL_REFUSED);
	one->route->timeout = one->route->patience = 5 * RL_SECOND;
	assert_false(holds(one, "job")); /* nobody knows what a replica that takes over would say */
	assert_int_equal(disown_all(one).failed, 0);
	await_free("job");
}

static void a_majority_has_no_shares(void **state)
{
	const char *const addresses[] = { rig.server.address, proxy.address, rig.server.address };
	struct rl_owner *one = new_majority(
		addresses, COUNT(addresses), (struct rl_wait_hook){ .run = NULL }, NULL);

	assert_status(own_shared(one, "job", 0), RL_MISUSE);
	assert_status(downgrade(one, "job"), RL_NO);
	assert_int_equal(rl_owner_stats(one)->requests, 0);
}

/* ---------------------------------------------------------------- detached */

/* A name, as one process says it. */
#define NAMED(text) ((struct rl_detached){ .key = NAME("job"), .name = NAME(text) })

static enum rl_status hold(struct rl_owner *owner, struct rl_detached *name, bool is_shared)
{
	struct rl_acquire terms = { .detached = name, .is_shared = is_shared, .lease_ms = LEASE };

	return own_with(owner, "job", &terms);
}

static enum rl_status let_go(struct rl_owner *owner, struct rl_detached *name)
{
	return rl_owner_detached_release(owner, name, 0, &said);
}

static struct rl_detached_view seen(struct rl_owner *owner, struct rl_detached *name)
{
	struct rl_detached_view view = { .left_ms = -2 };

	assert_status(rl_owner_detached_look(owner, name, &view, &said), RL_OK);
	return view;
}

/* Whoever says the name: who took it, or who has to look. */
static void names_have_shares(void **state)
{
	for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
		struct rl_owner *one = new_owner(), *two = elsewhere ? new_owner() : one;
		struct rl_detached me = NAMED("me"), you = NAMED("you"), there = NAMED("me");
		struct rl_detached *again = elsewhere ? &there : &me;
		struct rl_detached_view view;

		assert_status(hold(one, &me, true), RL_OK);
		assert_status(hold(one, &you, true), RL_OK);
		assert_status(hold(two, again, true), RL_OK); /* has it already */
		assert_int_equal(number("ZCOUNT %b 1 +inf", KEY(RL_KEY_SHARES)), 2);
		assert_status(rl_owner_detached_prolongate(two, again, 3 * LEASE, &said), RL_OK);
		view = seen(two, again);
		assert_in_range(view.left_ms, 3 * LEASE - PATIENCE_MS, 3 * LEASE);
		assert_int_equal(view.fence, seen(one, &me).fence);
		assert_true(seen(two, &you).left_ms <= LEASE);
		assert_status(hold(two, again, false), RL_NO); /* not the only one */
		assert_true(seen(one, &me).left_ms > 2 * LEASE);
		assert_status(let_go(two, &you), RL_OK);
		assert_status(hold(one, &me, false), RL_OK);
		assert_true(seen(two, again).fence > view.fence);
		assert_status(own_shared(two, "job", 0), RL_NO);
		assert_status(rl_owner_detached_downgrade(two, again, &said), RL_OK);
		assert_status(rl_owner_detached_downgrade(two, again, &said), RL_NO);
		assert_status(own_shared(two, "job", 0), RL_OK);
		assert_status(disown(two, "job"), RL_OK);
		assert_status(let_go(one, &me), RL_OK);
		assert_status(let_go(two, again), RL_NO);
		assert_false(is_taken("job"));
		rl_owner_detached_forget(&me);
		rl_owner_detached_forget(&you);
		rl_owner_detached_forget(&there);
		end_owner(one);
		if (elsewhere) {
			end_owner(two);
		}
	}
}

/* It was a share, so its first waiter is parked on the room. Whoever finds it must know. */
static void what_a_name_made_exclusive_is_passed_on_by_anybody(void **state)
{
	struct rl_owner *one = new_owner(), *two = new_owner();
	struct rl_detached here = NAMED("me"), there = NAMED("me");

	for (int prolonged = 0; prolonged < 2; prolonged++) {
		assert_status(hold(one, &here, true), RL_OK);
		start_exclusive(0);
		assert_status(hold(one, &here, false), RL_OK);
		if (prolonged) {
			assert_status(rl_owner_detached_prolongate(two, &there, LEASE, &said), RL_OK);
		}
		assert_status(let_go(two, &there), RL_OK);
		assert_gets_it(0);
		expect_soon(waiters[0].took, SOON);
		give_up(0);
	}
	rl_owner_detached_forget(&here);
	rl_owner_detached_forget(&there);
}

static bool end_the_wait(void *context)
{
	return false;
}

/* A copy comes of what its waiter sent when it left the turnstile. */
static void what_a_name_is_granted_is_not_taken_by_its_waiter(void **state)
{
	struct rl_wait_hook hook = { .run = end_the_wait };
	struct rl_owner *one = new_owner_at(proxy.address, hook), *two = new_owner();
	struct rl_detached here = NAMED("me"), there = NAMED("me");
	struct rl_acquire terms = {
		.detached = &here, .lease_ms = LEASE, .policy = RL_POLICY_WAIT, .wait = 20 * RL_SECOND
	};

	assert_status(own_shared(two, "job", 0), RL_OK);
	fault(&rl_script_leave, 1, PROXY_LATE);
	assert_status(own_with(one, "job", &terms), RL_INTERRUPTED);
	assert_status(hold(two, &there, true), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 1);
	assert_true(seen(two, &there).left_ms > 0);
	assert_status(let_go(two, &there), RL_OK);
	rl_owner_detached_forget(&here);
	rl_owner_detached_forget(&there);
}

/* ---------------------------------------------------------------- renewal */

static void a_wait_for_own_shares_is_in_vain(void **state)
{
	struct rl_renewal_terms endless = { .renew = true, .max_hold = RL_FOREVER };
	struct rl_owner *one = new_with_terms(rig.server.address, endless);
	struct rl_owner *two = new_with_terms(rig.server.address, endless);
	struct rl_owner *other = new_owner(), *asker = new_owner();
	struct rl_acquire terms = { .is_shared = true,
		.limit = 2,
		.lease_ms = LEASE,
		.policy = RL_POLICY_WAIT,
		.wait = 100 * RL_MILLISECOND };

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own_shared(other, "job", 0), RL_OK);
	assert_status(own_with(asker, "job", &terms), RL_NO); /* the other share may end */
	assert_status(own_waiting(asker, "job", LEASE, 100 * RL_MILLISECOND), RL_MISUSE);
	assert_status(disown(other, "job"), RL_OK);
	assert_status(own_shared(two, "job", 0), RL_OK);
	assert_status(own_with(asker, "job", &terms), RL_MISUSE);
	terms.limit = 3;
	assert_status(own_with(asker, "job", &terms), RL_OK);
}

/* Three times; the clock is moved on by a third of the lease for each. */
static void see_renewed(struct rl_owner *owner)
{
	for (int i = 0; i < 3; i++) {
		uint64_t before = rl_owner_stats(owner)->renewals;

		clock_advance((LEASE / 3 + 1) * RL_MILLISECOND);
		AWAIT(rl_owner_stats(owner)->renewals > before);
	}
}

static void a_share_is_renewed(void **state)
{
	struct rl_owner *one = new_with_terms(
		rig.server.address, (struct rl_renewal_terms){ .renew = true, .max_hold = RL_FOREVER });
	struct rl_owner *two = new_with_terms(
		rig.server.address, (struct rl_renewal_terms){ .renew = true, .max_hold = RL_FOREVER });

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own(two, "other", LEASE), RL_OK);
	see_renewed(one);
	assert_status(check_lock(one, "job"), RL_OK);
	assert_status(own(one, "job", LEASE), RL_OK);
	see_renewed(one);
	assert_status(check_lock(one, "job"), RL_OK);
	assert_status(downgrade(one, "job"), RL_OK);
	assert_status(own_shared(two, "job", 0), RL_OK);
	run("SCRIPT FLUSH");
	see_renewed(one);
	assert_status(look(one, "job"), RL_OK);
	assert_status(look(two, "job"), RL_OK);
	assert_status(look(two, "other"), RL_OK);
}

static void waiting_for_a_share_of_ones_own_is_in_vain(void **state)
{
	struct rl_owner *one = new_with_terms(
		rig.server.address, (struct rl_renewal_terms){ .renew = true, .max_hold = RL_FOREVER });
	struct rl_owner *two = new_owner();

	assert_status(own_shared(one, "job", 0), RL_OK);
	assert_status(own_waiting(two, "job", LEASE, RL_FOREVER), RL_MISUSE);
	assert_status(own_shared(two, "job", 0), RL_OK);
}

int test_shared(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_are_told, reset, owners_clean),
		cmocka_unit_test_setup_teardown(one_share_is_broken, reset, owners_clean),
		cmocka_unit_test_setup_teardown(all_shares_are_broken, reset, owners_clean),
		cmocka_unit_test_setup_teardown(
			a_break_is_told_though_nobody_has_come_since, reset, owners_clean),
		cmocka_unit_test_setup_teardown(
			a_lock_whose_set_was_evicted_is_broken, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_delay_that_is_left_is_broken, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_delay_that_is_left_is_told, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_delay_beside_a_share_is_broken, reset, owners_clean),
		cmocka_unit_test_setup_teardown(an_answer_that_is_lost_does_no_harm, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_change_that_is_not_answered_ends_it, reset, owners_clean),
		cmocka_unit_test_setup_teardown(
			it_is_undone_first_where_the_grant_was, reset, owners_clean),
		cmocka_unit_test_setup_teardown(nor_is_one_back_that_is_not_answered, reset, owners_clean),
		cmocka_unit_test_setup_teardown(late_copies_take_nothing, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_wait_outlives_a_cut, reset, owners_clean),
		cmocka_unit_test_setup_teardown(
			what_replicas_do_not_have_does_not_count, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_majority_has_no_shares, reset, owners_clean),
		cmocka_unit_test_setup_teardown(names_have_shares, reset, owners_clean),
		cmocka_unit_test_setup_teardown(
			what_a_name_made_exclusive_is_passed_on_by_anybody, reset, owners_clean),
		cmocka_unit_test_setup_teardown(
			what_a_name_is_granted_is_not_taken_by_its_waiter, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_wait_for_own_shares_is_in_vain, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_share_is_renewed, reset, owners_clean),
		cmocka_unit_test_setup_teardown(
			waiting_for_a_share_of_ones_own_is_in_vain, reset, owners_clean),
		cmocka_unit_test_setup_teardown(many_have_shares, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_limit_is_kept, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_pair_is_two_requests, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_share_that_runs_out_frees_its_place, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_share_is_prolonged_and_looked_at, reset, owners_clean),
		cmocka_unit_test_setup_teardown(levels_are_counted, reset, owners_clean),
		cmocka_unit_test_setup_teardown(the_end_gives_all_back, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_share_is_given_back_unconfirmed, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_share_is_not_handed_over, reset, owners_clean),
		cmocka_unit_test_setup_teardown(late_is_no_loss_while_others_share, reset, owners_clean),
		cmocka_unit_test_setup_teardown(an_exclusive_one_in_between_is_a_loss, reset, owners_clean),
		cmocka_unit_test_setup_teardown(what_is_deleted_is_lost, reset, owners_clean),
		cmocka_unit_test_setup_teardown(exclusive_becomes_shared, reset, owners_clean),
		cmocka_unit_test_setup_teardown(the_only_share_becomes_exclusive, reset, owners_clean),
		cmocka_unit_test_setup_teardown(it_may_change_often, reset, owners_clean),
		cmocka_unit_test_setup_teardown(
			the_last_share_lets_an_exclusive_one_in, reset, owners_clean),
		cmocka_unit_test_setup_teardown(shares_get_in_together, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_downgrade_lets_shares_in, reset, owners_clean),
		cmocka_unit_test_setup_teardown(places_are_passed_on, reset, owners_clean),
		cmocka_unit_test_setup_teardown(an_upgrade_passes_nobody, reset, owners_clean),
		cmocka_unit_test_setup_teardown(the_first_one_comes_back_to_ask, reset, owners_clean),
		cmocka_unit_test_setup_teardown(the_first_one_gives_up, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_share_that_ends_lets_in, reset, owners_clean),
		cmocka_unit_test_setup_teardown(a_delay_keeps_all_out, reset, owners_clean),
	};

	return cmocka_run_group_tests(tests, rig_start, rig_stop);
}
