/*
 * A value that a lock guards: read when the lock is acquired, written when it is given back.
 */
#include "owner_rig.h"
#include "faults.h"

#include "../../src/lock/guarded.h"
#include "../../src/lock/scripts.h"

#include <stdlib.h>
#include <string.h>

#define VALUE "value{lock@job}"
#define THIRD (LEASE * RL_MILLISECOND / 3 + RL_MILLISECOND)

static struct rl_guarded guarded;

/* Of the last take. */
static const char *found(void)
{
	return guarded.found ? guarded.found : "(none)";
}

static enum rl_status take(struct rl_owner *owner, bool must_exist)
{
	struct rl_acquire request = {
		.key = rl_text_of("job"), .guarded = &guarded, .lease_ms = LEASE, .policy = RL_POLICY_WAIT
	};
	struct rl_error error;

	free(guarded.found);
	guarded = (struct rl_guarded){ .key = rl_text_of(VALUE), .must_exist = must_exist };
	return rl_owner_acquire(owner, &request, &error);
}

static enum rl_status give_back(struct rl_owner *owner, int how, const char *value)
{
	struct rl_error error;

	guarded.how = how;
	guarded.life_ms = 60000;
	guarded.value = rl_text_of(value);
	return rl_owner_release(owner, rl_text_of("job"),
		(struct rl_release_terms){ .confirm = true, .guarded = &guarded }, &error);
}

static void assert_value(const char *expected)
{
	redisReply *reply = command(rig.redis, "GET %s", VALUE);

	assert_string_equal(reply->str ? reply->str : "(none)", expected);
	freeReplyObject(reply);
}

static void it_is_read_and_written(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(take(owner, false), RL_OK);
	assert_true(guarded.was_read);
	assert_string_equal(found(), "(none)");
	assert_status(give_back(owner, RL_GUARDED_WRITE, "one"), RL_OK);
	assert_value("one");
	assert_false(is_taken("job"));
	assert_status(take(owner, true), RL_OK);
	assert_string_equal(found(), "one");
	assert_status(give_back(owner, RL_GUARDED_TOUCH, "two"), RL_OK);
	assert_value("one");
	assert_status(take(owner, true), RL_OK);
	assert_status(give_back(owner, RL_GUARDED_DELETE, ""), RL_OK);
	assert_false(guarded.is_absent);
	assert_value("(none)");
	assert_false(is_taken("job"));
	run("SET %s old", VALUE);
	assert_status(take(owner, true), RL_OK);
	run("DEL %s", VALUE);
	assert_status(give_back(owner, RL_GUARDED_DELETE, ""), RL_OK);
	assert_true(guarded.is_absent);
}

/* Each renewal of the lock lets the value live as long as that, and never shorter. */
static void it_outlives_the_lock_that_is_renewed(void **state)
{
	struct rl_owner *owner = new_with_terms(rig.server.address,
		(struct rl_renewal_terms){ .renew = true, .max_hold = RL_FOREVER });
	static const char *const LIVES[] = {
		"PEXPIRE %s 40000", "PEXPIRE %s 300000", "PERSIST %s", "DEL %s"
	};
	long long lives[4];

	run("SET %s old", VALUE);
	assert_status(take(owner, true), RL_OK);
	for (uint64_t i = 0; i < 4; i++) {
		run(LIVES[i], VALUE);
		clock_advance(THIRD);
		AWAIT(rl_owner_stats(owner)->renewals == i + 1);
		lives[i] = number("PTTL %s", VALUE);
	}
	assert_in_range(lives[0], 40001, LEASE);
	assert_in_range(lives[1], LEASE + 1, 300000);
	assert_int_equal(lives[2], -1);
	assert_int_equal(lives[3], -2);
	assert_status(give_back(owner, RL_GUARDED_TOUCH, ""), RL_OK);
}

static void what_is_gone_meanwhile_stays_gone(void **state)
{
	struct rl_owner *owner = new_owner();

	for (int how = RL_GUARDED_WRITE; how <= RL_GUARDED_TOUCH; how++) {
		run("SET %s old", VALUE);
		assert_status(take(owner, true), RL_OK);
		run("DEL %s", VALUE);
		assert_status(give_back(owner, how, "new"), RL_OK);
		assert_true(guarded.is_absent);
		assert_value("(none)");
		assert_false(is_taken("job"));
		assert_status(take(owner, false), RL_OK);
		assert_status(give_back(owner, how, "new"), RL_OK);
		assert_false(guarded.is_absent);
		assert_value("new");
	}
}

static void what_is_no_string_any_more_is_left_alone(void **state)
{
	static const int how[] = { RL_GUARDED_WRITE, RL_GUARDED_TOUCH, RL_GUARDED_DELETE };
	struct rl_owner *owner = new_owner();

	for (size_t i = 0; i < 2 * COUNT(how); i++) {
		if (i < COUNT(how)) {
			run("SET %s old", VALUE);
		}
		assert_status(take(owner, false), RL_OK);
		run("DEL %s", VALUE);
		run("RPUSH %s one", VALUE);
		assert_status(give_back(owner, how[i % COUNT(how)], "new"), RL_REFUSED);
		assert_int_equal(number("LLEN " VALUE), 1);
		assert_int_equal(number("PTTL " VALUE), -1);
		run("DEL %s", VALUE);
	}
	assert_status(disown_all(owner).failure, RL_OK);
	assert_false(is_taken("job"));
}

static void where_there_is_none_nothing_is_taken(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(take(owner, true), RL_NO);
	assert_true(guarded.is_absent);
	assert_int_equal(number("DBSIZE"), 0);
	assert_int_equal(rl_owner_stats(owner)->requests, 1);
}

static void a_busy_lock_is_not_absent(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();

	assert_status(own(other, "job", LEASE), RL_OK);
	assert_status(take(owner, true), RL_NO);
	assert_false(guarded.is_absent);
	assert_false(guarded.was_read);
}

static void who_has_lost_the_lock_writes_nothing(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();

	run("SET %s old", VALUE);
	assert_status(take(owner, true), RL_OK);
	assert_status(break_it(other, "job"), RL_OK);
	assert_status(own(other, "job", LEASE), RL_OK);
	assert_status(give_back(owner, RL_GUARDED_WRITE, "new"), RL_LOST);
	assert_value("old");
	assert_true(holds(other, "job"));
	assert_status(disown(other, "job"), RL_OK);
	assert_status(take(owner, true), RL_OK);
	assert_status(break_it(other, "job"), RL_OK);
	assert_status(give_back(owner, RL_GUARDED_DELETE, ""), RL_LOST);
	assert_value("(none)");
}

static void five_megabytes_go_both_ways(void **state)
{
	struct rl_owner *owner = new_owner();
	size_t length = 5 * 1000 * 1000;
	char *large = malloc(length + 1);

	memset(large, 'a', length);
	large[length] = '\0';
	assert_status(take(owner, false), RL_OK);
	assert_status(give_back(owner, RL_GUARDED_WRITE, large), RL_OK);
	assert_status(take(owner, true), RL_OK);
	assert_int_equal(guarded.length, length);
	assert_string_equal(found(), large);
	assert_status(disown(owner, "job"), RL_OK);
	free(large);
}

/* The second sending finds the lock gone, and what the first has written. */
static void a_lost_answer_is_no_loss(void **state)
{
	struct rl_owner *owner = new_proxied();

	for (enum proxy_fault fault = PROXY_CUT_BEFORE; fault <= PROXY_CUT_AFTER; fault++) {
		assert_status(take(owner, false), RL_OK);
		proxy_add(&proxy,
			(struct proxy_rule){ .script = &rl_script_close, .times = 1, .fault = fault });
		assert_status(give_back(owner, RL_GUARDED_WRITE, "one"), RL_OK);
		assert_value("one");
		assert_false(is_taken("job"));
		proxy_add(&proxy,
			(struct proxy_rule){ .script = &rl_script_open, .times = 1, .fault = fault });
	}
}

/* A copy that comes when the lock is another's, or nobody's, writes nothing. */
static void a_late_copy_writes_nothing(void **state)
{
	struct rl_owner *owner = new_proxied(), *other = new_owner();

	run("SET %s old", VALUE);
	assert_status(take(owner, true), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_close, .times = 1, .fault = PROXY_LATE });
	assert_status(give_back(owner, RL_GUARDED_WRITE, "new"), RL_OK);
	assert_value("new");
	run("SET %s newer", VALUE);
	assert_status(own(other, "job", LEASE), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 1);
	assert_value("newer");
	assert_true(holds(other, "job"));
}

/* Wherever memory runs out, nobody has the lock in the end, and nothing is leaked. */
static void without_memory_nothing_is_kept(void **state)
{
	bool struck = true;

	run("SET %s old", VALUE);
	for (long count = 0; struck && count < 200; count++) {
		struct rl_owner *owner = new_owner();
		enum rl_status status;

		faults_memory(count);
		status = take(owner, true);
		struck = faults_memory_struck();
		faults_memory(-1);
		if (status == RL_OK) {
			assert_string_equal(found(), "old");
			assert_status(give_back(owner, RL_GUARDED_WRITE, "old"), RL_OK);
		}
		disown_all(owner);
		assert_false(is_taken("job"));
		end_owner(owner);
	}
	assert_false(struck);
}

static enum rl_status save(struct rl_owner *owner, int how, const char *value)
{
	struct rl_error error;

	guarded.how = how;
	guarded.life_ms = 60000;
	guarded.value = rl_text_of(value);
	return rl_owner_save(owner, rl_text_of("job"), &guarded, &error);
}

static void it_is_saved_while_the_lock_stays(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();

	assert_status(save(owner, RL_GUARDED_WRITE, "one"), RL_NO);
	assert_status(take(owner, false), RL_OK);
	assert_status(save(owner, RL_GUARDED_WRITE, "one"), RL_OK);
	assert_value("one");
	assert_true(holds(owner, "job"));
	assert_status(save(owner, RL_GUARDED_DELETE, ""), RL_OK);
	assert_value("(none)");
	assert_status(save(owner, RL_GUARDED_WRITE, "two"), RL_OK);
	run("DEL %s", VALUE);
	assert_status(save(owner, RL_GUARDED_WRITE, "three"), RL_OK);
	assert_true(guarded.is_absent);
	assert_value("(none)");
	assert_true(holds(owner, "job"));
	run("SET %s four", VALUE);
	assert_status(give_back(owner, RL_GUARDED_WRITE, "five"), RL_OK);
	assert_value("five");
	assert_false(is_taken("job"));
	assert_status(take(owner, true), RL_OK);
	assert_status(break_it(other, "job"), RL_OK);
	assert_status(own(other, "job", LEASE), RL_OK);
	assert_status(save(owner, RL_GUARDED_WRITE, "six"), RL_LOST);
	assert_value("five");
	assert_true(holds(other, "job"));
	assert_status(save(owner, RL_GUARDED_WRITE, "six"), RL_NO);
}

static void saving_survives_a_lost_answer(void **state)
{
	struct rl_owner *owner = new_proxied();

	for (enum proxy_fault fault = PROXY_CUT_BEFORE; fault <= PROXY_CUT_AFTER; fault++) {
		assert_status(take(owner, false), RL_OK);
		proxy_add(&proxy,
			(struct proxy_rule){ .script = &rl_script_close, .times = 1, .fault = fault });
		assert_status(save(owner, RL_GUARDED_WRITE, "one"), RL_OK);
		assert_value("one");
		assert_true(holds(owner, "job"));
		assert_status(give_back(owner, RL_GUARDED_WRITE, "two"), RL_OK);
		assert_value("two");
		assert_false(is_taken("job"));
	}
}

static void it_is_looked_at_without_the_lock(void **state)
{
	struct rl_owner *owner = new_owner();
	struct rl_error error;

	free(guarded.found);
	guarded = (struct rl_guarded){ .key = rl_text_of(VALUE) };
	assert_status(rl_owner_peek(owner, &guarded, &error), RL_OK);
	assert_null(guarded.found);
	run("SET %s one", VALUE);
	guarded.life_ms = 60000;
	assert_status(rl_owner_peek(owner, &guarded, &error), RL_OK);
	assert_string_equal(found(), "one");
	assert_true(number("PTTL %s", VALUE) > 50000);
	run("DEL %s", VALUE);
	run("RPUSH %s a", VALUE);
	assert_status(rl_owner_peek(owner, &guarded, &error), RL_REFUSED);
	assert_status(take(owner, true), RL_REFUSED);
	assert_false(is_taken("job"));
}

static int forget(void **state)
{
	free(guarded.found);
	guarded.found = NULL;
	return owners_clean(state);
}

int test_guarded(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, forget)
	const struct CMUnitTest tests[] = {
		test(it_is_read_and_written),
		test(it_outlives_the_lock_that_is_renewed),
		test(what_is_gone_meanwhile_stays_gone),
		test(what_is_no_string_any_more_is_left_alone),
		test(where_there_is_none_nothing_is_taken),
		test(a_busy_lock_is_not_absent),
		test(who_has_lost_the_lock_writes_nothing),
		test(five_megabytes_go_both_ways),
		test(a_lost_answer_is_no_loss),
		test(a_late_copy_writes_nothing),
		test(without_memory_nothing_is_kept),
		test(it_is_saved_while_the_lock_stays),
		test(saving_survives_a_lost_answer),
		test(it_is_looked_at_without_the_lock),
	};

	return cmocka_run_group_tests_name("guarded", tests, rig_start, rig_stop);
}
