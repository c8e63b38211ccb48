/*
 * When a waiter asks again. What is random is drawn often.
 */
#include "testing.h"

#include "lock/acquire/schedule.h"

#define DRAWS 200
#define MS    RL_MILLISECOND
#define BEGAN (100 * RL_SECOND)
#define UNTIL (BEGAN + 60 * RL_SECOND)

static struct rl_schedule begin(rl_time until)
{
	struct rl_schedule schedule;

	rl_schedule_begin(&schedule, until);
	return schedule;
}

struct range {
	rl_time least, most;
};

static struct range pauses_where_taken(rl_time busy, bool parks, rl_time parked_for)
{
	struct rl_schedule schedule = begin(UNTIL);
	struct range range = { RL_FOREVER, 0 };

	for (int i = 0; i < DRAWS; i++) {
		rl_schedule_busy(&schedule, BEGAN, busy, parks, parked_for);
		range.least = rl_time_earlier(range.least, schedule.ask_at - BEGAN);
		range.most = rl_time_later(range.most, schedule.ask_at - BEGAN);
	}
	return range;
}

static void assert_spread(struct range range, rl_time least, rl_time most)
{
	assert_in_range(range.least, least, most);
	assert_in_range(range.most, least, most);
	assert_true(range.most - range.least > (most - least) / 2);
}

static void who_is_parked_asks_more_rarely(void **state)
{
	assert_spread(pauses_where_taken(RL_FOREVER, true, 0), 1000 * MS, 1100 * MS);
	assert_spread(pauses_where_taken(RL_FOREVER, true, 500 * MS), 1000 * MS, 1100 * MS);
	assert_spread(pauses_where_taken(RL_FOREVER, true, 3 * RL_SECOND), 3000 * MS, 3100 * MS);
	assert_spread(pauses_where_taken(RL_FOREVER, true, 60 * RL_SECOND), 8000 * MS, 8100 * MS);
}

static void who_may_not_park_polls(void **state)
{
	assert_spread(pauses_where_taken(RL_FOREVER, false, 0), 50 * MS, 100 * MS);
}

static void a_lease_that_ends_sooner_is_asked_for_then(void **state)
{
	assert_spread(pauses_where_taken(30 * MS, false, 0), 31 * MS, 34 * MS);
	assert_spread(pauses_where_taken(700 * MS, true, 9 * RL_SECOND), 701 * MS, 704 * MS);
	assert_spread(pauses_where_taken(0, false, 0), 50 * MS, 100 * MS);
}

static rl_time longest_pause_after(unsigned splits)
{
	rl_time longest = 0;

	for (int i = 0; i < DRAWS; i++) {
		struct rl_schedule schedule = begin(UNTIL);

		for (unsigned split = 0; split <= splits; split++) {
			rl_schedule_split(&schedule, BEGAN);
		}
		longest = rl_time_later(longest, schedule.ask_at - BEGAN);
	}
	return longest;
}

static void pauses_after_splits_grow(void **state)
{
	struct rl_schedule schedule = begin(UNTIL);

	for (unsigned splits = 0; splits < 8; splits++) {
		rl_time most = (4 * MS) << (splits < 5 ? splits : 5);

		assert_in_range(longest_pause_after(splits), most / 2, most);
	}
	rl_schedule_split(&schedule, BEGAN);
	rl_schedule_busy(&schedule, BEGAN, RL_FOREVER, false, 0);
	rl_schedule_split(&schedule, BEGAN);
	assert_in_range(schedule.ask_at - BEGAN, 0, 4 * MS);
}

/* Asks fail at once, from BEGAN on. Returns when the wait gives up. */
static rl_time fail_until_given_up(
	struct rl_schedule *schedule, struct rl_failed_ask ask, rl_time pauses[], int most)
{
	int count = 0;

	ask.began = ask.ended = BEGAN;
	while (rl_schedule_failed(schedule, &ask)) {
		assert_true(count < most);
		pauses[count++] = schedule->ask_at - ask.ended;
		ask.began = ask.ended = schedule->ask_at;
	}
	pauses[count] = 0;
	return ask.ended;
}

static void failures_are_ridden_out_for_as_long_as_the_route_is_patient(void **state)
{
	struct rl_schedule schedule = begin(UNTIL);
	struct rl_failed_ask ask = { .patience = 3 * RL_SECOND, .timeout = RL_SECOND };
	rl_time pauses[20];

	/* the last try is 0.1 s before the end */
	assert_int_equal(fail_until_given_up(&schedule, ask, pauses, 19) - BEGAN, 2900 * MS);
	assert_int_equal(pauses[0], 20 * MS);
	assert_int_equal(pauses[1], 40 * MS);
	assert_int_equal(pauses[5], 640 * MS);
	assert_int_equal(pauses[6], RL_SECOND);
	assert_int_equal(pauses[7], 640 * MS);
	assert_int_equal(pauses[8], 0);
	rl_schedule_answered(&schedule);
	assert_int_equal(fail_until_given_up(&schedule, ask, pauses, 19) - BEGAN, 2900 * MS);
	assert_int_equal(pauses[0], 20 * MS);
}

static void but_not_beyond_the_wait_unless_a_call_lasts_longer(void **state)
{
	struct rl_failed_ask ask = { .patience = 30 * RL_SECOND, .timeout = RL_SECOND };
	struct rl_schedule schedule = begin(BEGAN + 5 * RL_SECOND);
	rl_time pauses[20];

	assert_int_equal(fail_until_given_up(&schedule, ask, pauses, 19) - BEGAN, 4900 * MS);
	schedule = begin(BEGAN + 100 * MS);
	assert_int_equal(fail_until_given_up(&schedule, ask, pauses, 19) - BEGAN, 900 * MS);
}

static void a_server_that_lacks_replicas_is_asked_until_the_end(void **state)
{
	struct rl_failed_ask ask = {
		.patience = RL_SECOND, .timeout = RL_SECOND, .too_few = true
	};
	struct rl_schedule schedule = begin(BEGAN + 20 * RL_SECOND);
	rl_time pauses[40];

	assert_int_equal(fail_until_given_up(&schedule, ask, pauses, 39) - BEGAN, 19900 * MS);
}

static void what_ends_no_wait_is_no_failure(void **state)
{
	struct rl_schedule schedule = begin(UNTIL);
	struct rl_failed_ask ask = {
		.began = BEGAN, .ended = BEGAN, .patience = RL_SECOND, .timeout = RL_SECOND
	};

	assert_true(rl_schedule_failed(&schedule, &ask));
	rl_schedule_go_on(&schedule, BEGAN);
	assert_int_equal(schedule.failed_at, 0);
	assert_int_equal(schedule.ask_at - BEGAN, 40 * MS);
}

static void the_end_comes_first_unless_asking_fails(void **state)
{
	struct rl_schedule schedule = begin(BEGAN);
	struct rl_failed_ask ask = {
		.began = BEGAN, .ended = BEGAN, .patience = RL_SECOND, .timeout = RL_SECOND
	};

	rl_schedule_busy(&schedule, BEGAN, RL_FOREVER, true, 0);
	assert_int_equal(rl_schedule_next(&schedule) - BEGAN, MS);
	assert_true(rl_schedule_failed(&schedule, &ask));
	assert_int_equal(rl_schedule_next(&schedule) - BEGAN, 20 * MS);
	schedule = begin(RL_FOREVER);
	assert_int_equal(rl_schedule_end(&schedule), RL_FOREVER);
	schedule.ask_at = BEGAN + 2;
	schedule.retry_at = BEGAN + 1;
	assert_int_equal(rl_schedule_next(&schedule), BEGAN + 1);
}

static void a_lease_outlasts_a_wait(void **state)
{
	struct rl_schedule schedule = begin(BEGAN + RL_SECOND), endless = begin(RL_FOREVER);

	assert_true(rl_schedule_outlasts(&schedule, BEGAN, -1));
	assert_true(rl_schedule_outlasts(&schedule, BEGAN, 1001));
	assert_false(rl_schedule_outlasts(&schedule, BEGAN, 1000));
	assert_false(rl_schedule_outlasts(&endless, BEGAN, -1));
}

int test_schedule(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_parked_asks_more_rarely),
		cmocka_unit_test(who_may_not_park_polls),
		cmocka_unit_test(a_lease_that_ends_sooner_is_asked_for_then),
		cmocka_unit_test(pauses_after_splits_grow),
		cmocka_unit_test(failures_are_ridden_out_for_as_long_as_the_route_is_patient),
		cmocka_unit_test(but_not_beyond_the_wait_unless_a_call_lasts_longer),
		cmocka_unit_test(a_server_that_lacks_replicas_is_asked_until_the_end),
		cmocka_unit_test(what_ends_no_wait_is_no_failure),
		cmocka_unit_test(the_end_comes_first_unless_asking_fails),
		cmocka_unit_test(a_lease_outlasts_a_wait),
	};

	return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
