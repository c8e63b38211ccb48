/*
 * Giving back everything at once: pipelined in batches, within one deadline, whatever happens
 * on the way.
 */
#include "owner_rig.h"
#include "prompt.h"

#include "lock/owner/internal.h"

#include <signal.h>

#define MANY 1000

static const char *name_of(int i)
{
	static char name[16];

	snprintf(name, sizeof name, "job%d", i);
	return name;
}

static struct rl_owner *new_holder_of_many(struct rl_owner *owner)
{
	for (int i = 0; i < MANY; i++) {
		assert_status(own(owner, name_of(i), LEASE), RL_OK);
	}
	assert_int_equal(rl_owner_held(owner), MANY);
	return owner;
}

static long long locks_left(void)
{
	return number("EVAL %s 0",
		"local n = 0 for i = 0, 999 do n = n + redis.call('EXISTS', 'lock@job' .. i) end return n");
}

static void assert_summary(const struct rl_release_summary *summary, size_t released,
	size_t timed_out, size_t lost, size_t failed)
{
	assert_int_equal(summary->released, released);
	assert_int_equal(summary->timed_out, timed_out);
	assert_int_equal(summary->lost, lost);
	assert_int_equal(summary->failed, failed);
}

static void nothing_held_is_nothing_sent(void **state)
{
	struct rl_owner *owner = new_owner();
	struct rl_release_summary summary = disown_all(owner);

	assert_summary(&summary, 0, 0, 0, 0);
	assert_string_equal(summary.first_key, "");
	assert_int_equal(rl_owner_stats(owner)->requests, 0);
}

static void all_levels_of_all_are_released(void **state)
{
	struct rl_owner *owner = new_holder_of_many(new_owner());
	struct rl_release_summary summary;

	assert_status(own(owner, "job5", LEASE), RL_OK);
	summary = disown_all(owner);
	assert_summary(&summary, MANY, 0, 0, 0);
	assert_int_equal(rl_owner_held(owner), 0);
	assert_int_equal(locks_left(), 0);
	assert_status(disown(owner, "job5"), RL_NO);
}

/* A firewall may have forgotten the connection; or it is slow, and the other has the answer. */
static void a_silent_connection_is_replaced(void **state)
{
	struct rl_owner *owner = new_holder_of_many(new_proxied());
	struct rl_release_summary summary;

	owner->route->timeout = 2 * RL_SECOND; /* half of it is borne with */
	clock_advance(RL_MILLISECOND);         /* it was not used just now */
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_release, .times = 1, .fault = PROXY_HOLD });
	summary = disown_all(owner);
	assert_summary(&summary, MANY, 0, 0, 0);
	assert_int_equal(proxy.struck, 1);
	assert_int_equal(rl_owner_stats(owner)->reconnects, 1);
	assert_int_equal(locks_left(), 0);
}

static void what_was_lost_is_counted(void **state)
{
	struct rl_owner *owner = new_holder_of_many(new_owner());
	struct rl_release_summary summary;

	for (int i = 0; i < MANY; i += 100) {
		run("DEL lock@%s", name_of(i));
	}
	summary = disown_all(owner);
	assert_summary(&summary, MANY - 10, 0, 10, 0);
	assert_int_equal(strncmp(summary.first_key, "job", 3), 0);
	assert_int_equal(summary.failure, RL_OK);
	assert_int_equal(rl_owner_stats(owner)->lost, 10);
	assert_int_equal(locks_left(), 0);
	assert_status(check_lock(owner, "job300"), RL_LOST);
	assert_status(check_lock(owner, "job301"), RL_MISUSE);
}

static void what_is_late_is_counted(void **state)
{
	struct rl_owner *owner = new_owner();
	struct rl_release_summary summary;

	assert_status(own(owner, "gone", LEASE), RL_OK);
	assert_status(own(owner, "taken", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	expire_here(owner, "job");
	expire_on_server("gone");
	expire_on_server("taken");
	taken_between("taken");
	summary = disown_all(owner);
	assert_summary(&summary, 1, 1, 1, 0);
}

/* S1, and what was lost is still told. */
static void a_flushed_script_cache_is_not_noticed(void **state)
{
	struct rl_owner *owner = new_holder_of_many(new_owner());
	struct rl_release_summary summary;

	for (int i = 0; i < MANY; i += 100) {
		run("DEL lock@%s", name_of(i));
	}
	run("SCRIPT FLUSH");
	summary = disown_all(owner);
	assert_summary(&summary, MANY - 10, 0, 10, 0);
	assert_int_equal(locks_left(), 0);
}

/* N4, in the middle of a batch and at its ends. */
static void a_connection_that_breaks_in_between_is_replaced(void **state)
{
	static const enum proxy_fault faults[] = { PROXY_CUT_BEFORE, PROXY_CUT_AFTER };
	static const unsigned places[] = { 0, 1, 300, 127, 128, 999 };

	for (size_t i = 0; i < COUNT(faults) * COUNT(places); i++) {
		struct rl_owner *owner = new_holder_of_many(new_proxied());
		struct rl_release_summary summary;

		proxy_add(&proxy,
			(struct proxy_rule){ .script = &rl_script_release,
				.skip = places[i / 2],
				.times = 1,
				.fault = faults[i % 2] });
		summary = disown_all(owner);
		assert_summary(&summary, MANY, 0, 0, 0);
		assert_int_equal(locks_left(), 0);
		proxy_let_go(&proxy);
		end_owner(owner);
	}
}

/*
 * What could not be told is told at the next contact; on a slow machine that many take more than
 * one deadline.
 */
static void assert_told_later(struct rl_owner *owner)
{
	for (int contact = 0; contact < 20 && locks_left() > 0; contact++) {
		struct rl_release_summary summary = disown_all(owner);

		assert_summary(&summary, 0, 0, 0, 0);
	}
	assert_int_equal(locks_left(), 0);
}

static void a_server_that_dies_midway_is_told_and_asked_again(void **state)
{
	struct rl_owner *owner = new_holder_of_many(new_proxied());
	struct rl_release_summary summary;
	struct prompt_moment before = prompt_now();

	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_release,
			.skip = 500,
			.times = 1000000,
			.fault = PROXY_CUT_BEFORE });
	summary = disown_all(owner);
	expect_soon(prompt_since(before), 5 * RL_SECOND + A_MOMENT);
	assert_true(summary.failed > 0);
	assert_int_equal(summary.released + summary.failed, MANY);
	assert_int_equal(summary.failure, RL_UNREACHABLE);
	assert_non_null(strstr(summary.first_failure.message, "proxy.sock"));
	assert_int_equal(rl_owner_held(owner), 0); /* whatever came of it */
	assert_true(locks_left() > 0);
	proxy_let_go(&proxy);
	assert_told_later(owner);
}

static void a_frozen_server_costs_one_deadline(void **state)
{
	struct rl_owner *owner;
	struct rl_release_summary summary;
	char address[128];
	struct prompt_moment before;

	snprintf(address, sizeof address, "%s?timeout=0.5", rig.server.address);
	owner = new_holder_of_many(new_owner_at(address, (struct rl_wait_hook){ .run = NULL }));
	throwaway_freeze(&rig.server);
	before = prompt_now();
	summary = disown_all(owner);
	expect_on_time(prompt_since(before), 500 * RL_MILLISECOND);
	kill(rig.server.pid, SIGCONT);
	assert_summary(&summary, 0, 0, 0, MANY);
	assert_told_later(owner);
}

static void refusals_are_told(void **state)
{
	struct rl_owner *owner = new_proxied();
	struct rl_release_summary summary;

	for (int i = 0; i < 10; i++) {
		assert_status(own(owner, name_of(i), LEASE), RL_OK);
	}
	run("REPLICAOF 127.0.0.1 1");
	summary = disown_all(owner);
	assert_summary(&summary, 0, 0, 0, 10);
	assert_int_equal(summary.failure, RL_REFUSED);
	assert_string_equal(summary.first_failure.code, "READONLY");
	assert_int_equal(rl_owner_held(owner), 0);
}

static void nonsense_is_a_failure(void **state)
{
	struct rl_owner *owner = new_proxied();
	struct rl_release_summary summary;

	for (int i = 0; i < 10; i++) {
		assert_status(own(owner, name_of(i), LEASE), RL_OK);
	}
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_release,
			.skip = 5,
			.times = 1000,
			.fault = PROXY_ANSWER,
			.answer = "$3\r\nabc\r\n" });
	summary = disown_all(owner);
	assert_int_equal(summary.released, 5);
	assert_int_equal(summary.failed, 5);
	proxy_let_go(&proxy);
	summary = disown_all(owner);
	assert_int_equal(locks_left(), 0);
}

int test_release_all(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	const struct CMUnitTest tests[] = {
		test(nothing_held_is_nothing_sent),
		test(all_levels_of_all_are_released),
		test(a_silent_connection_is_replaced),
		test(what_was_lost_is_counted),
		test(what_is_late_is_counted),
		test(a_flushed_script_cache_is_not_noticed),
		test(a_connection_that_breaks_in_between_is_replaced),
		test(a_server_that_dies_midway_is_told_and_asked_again),
		test(a_frozen_server_costs_one_deadline),
		test(refusals_are_told),
		test(nonsense_is_a_failure),
	};

	return cmocka_run_group_tests_name("release_all", tests, rig_start, rig_stop);
}
