/*
 * Releases that nobody waits for: they are sent, and their answers are read by any function that
 * reads the connection next, and dropped.
 */
#include "owner_rig.h"

#include "lock/owner/internal.h"

static void it_is_sent_and_not_awaited(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	assert_false(holds(owner, "job"));
	await_free("job");
	for (int i = 0; i < 200; i++) {
		assert_status(own(owner, "job", LEASE), RL_OK); /* the answers are read on the way */
		assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	}
	assert_status(disown(owner, "job"), RL_NO);
	assert_int_equal(rl_owner_stats(owner)->requests, 402);
	assert_int_equal(rl_owner_stats(owner)->reconnects, 0);
}

static void only_the_last_level_is_sent(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(owner)->requests, 2);
	assert_status(look(owner, "job"), RL_OK);
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	await_free("job");
}

static void a_delay_goes_with_it(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(
		rl_owner_release(owner, NAME("job"), (struct rl_release_terms){ .delay_ms = 20000 }, &said),
		RL_OK);
	let_it_arrive();
	assert_in_range(server_left("job"), 20000 - PATIENCE_MS, 20000);
	assert_status(own(owner, "job", LEASE), RL_NO);
}

static void past_the_deadline_it_is_awaited(void **state)
{
	for (int taken = 0; taken < 2; taken++) {
		struct rl_owner *owner = new_owner();

		run("FLUSHALL");
		assert_status(own(owner, "job", LEASE), RL_OK);
		expire_here(owner, "job");
		expire_on_server("job");
		if (taken) {
			taken_between("job");
		}
		assert_status(disown_unconfirmed(owner, "job"), taken ? RL_LOST : RL_TIMED_OUT);
		assert_null(said.key.data); /* it is this call's own */
	}
}

/* Nobody is told, by no later call, and not at the end. */
static void what_came_of_it_is_forgotten(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("DEL lock@job");
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	let_it_arrive();
	assert_status(own(owner, "other", LEASE), RL_OK);
	assert_status(check_lock(owner, "job"), RL_MISUSE);
	assert_status(disown(owner, "job"), RL_NO);
	assert_int_equal(disown_all(owner).released, 1);
	assert_int_equal(rl_owner_stats(owner)->lost, 0);
}

/*
 * Its hash is not known any more: the lock ends with its lease, and the next release brings the
 * text.
 */
static void one_after_a_flush_is_lost_and_the_next_is_not(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "first", LEASE), RL_OK);
	assert_status(own(owner, "second", LEASE), RL_OK);
	assert_status(own(owner, "third", LEASE), RL_OK);
	assert_status(disown_unconfirmed(owner, "first"), RL_OK);
	await_free("first");
	run("SCRIPT FLUSH");
	assert_status(disown_unconfirmed(owner, "second"), RL_OK);
	let_it_arrive();
	assert_status(look(owner, "third"), RL_OK);
	assert_status(disown_unconfirmed(owner, "third"), RL_OK);
	await_free("third");
	assert_in_range(server_left("second"), 1, LEASE);
}

static void one_that_cannot_be_sent_is_sent_as_ever(void **state)
{
	struct rl_owner *owner = new_owner(), *cut_off = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("CLIENT KILL TYPE normal SKIPME yes");
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	await_free("job");

	assert_status(own(cut_off, "job", LEASE), RL_OK);
	proxy_stop(&proxy);
	assert_status(disown_unconfirmed(cut_off, "job"), RL_UNREACHABLE);
	assert_false(holds(cut_off, "job"));
	assert_true(proxy_start(&proxy, rig.server.folder, rig.server.socket));
	assert_status(own(cut_off, "other", LEASE), RL_OK);
	assert_false(is_taken("job"));
}

static void an_owner_may_end_before_the_answer_comes(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	end_owner(owner);
	await_free("job");
}

int test_unconfirmed(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	static const struct CMUnitTest tests[] = {
		test(it_is_sent_and_not_awaited),
		test(only_the_last_level_is_sent),
		test(a_delay_goes_with_it),
		test(past_the_deadline_it_is_awaited),
		test(what_came_of_it_is_forgotten),
		test(one_after_a_flush_is_lost_and_the_next_is_not),
		test(one_that_cannot_be_sent_is_sent_as_ever),
		test(an_owner_may_end_before_the_answer_comes),
	};

	return cmocka_run_group_tests_name("unconfirmed", tests, rig_start, rig_stop);
}
