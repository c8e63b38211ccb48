#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* RUSAGE_THREAD */
#endif

#include "testing.h"
#include "clock.h"
#include "steps.h"
#include "throwaway.h"

#include <pthread.h>
#include <sys/resource.h>

#include "redis/handshake.h"
#include "redis/spin.h"

/* As spin.h says. */
#define SAMPLE 16
#define PERIOD 1024

#define US RL_MICROSECOND

static const rl_time now = 1000 * RL_SECOND, far = 1001 * RL_SECOND;

/* For how long it would try. */
static rl_time tries(const struct rl_spin *spin)
{
	rl_time until = rl_spin_until(spin, now, far);

	return until ? until - now : 0;
}

/* So many answers: how many were tried. What is tried takes `spun`, the others `slept`. */
static int answers(struct rl_spin *spin, int count, rl_time slept, rl_time spun)
{
	int tried = 0;

	while (count-- > 0) {
		bool now_tried = tries(spin) > 0;

		rl_spin_learn(spin, now_tried, now_tried ? spun : slept);
		tried += now_tried;
	}
	return tried;
}

/* What a connection knows of a server nearby. */
static struct rl_spin learned(void)
{
	struct rl_spin spin = { 0 };

	answers(&spin, 2 * SAMPLE, 60 * US, 20 * US);
	return spin;
}

static int may_spin(void **state)
{
	rl_spin_allow(true);
	return 0;
}

static int may_not(void **state)
{
	rl_spin_allow(false);
	return 0;
}

/* --- the rule --- */

static void a_fast_server_is_learned(void **state)
{
	struct rl_spin spin = { 0 };

	assert_int_equal(answers(&spin, SAMPLE, 60 * US, 20 * US), 0);
	assert_int_equal(answers(&spin, SAMPLE, 60 * US, 20 * US), SAMPLE);
	assert_int_equal(answers(&spin, 500, 60 * US, 20 * US), 500);
}

static void it_tries_for_as_long_as_answers_took_and_a_bit(void **state)
{
	struct rl_spin spin = learned();

	assert_int_equal(tries(&spin), 60 * US + 50 * US);
}

/* Even where it was faster awake: it may take the CPU from those that kept the sleeper waiting. */
static void where_others_want_the_cpu_it_sleeps(void **state)
{
	struct rl_spin spin = learned();

	spin.slept = 100 * US;
	assert_true(tries(&spin) > 0);
	spin.slept = 101 * US;
	assert_int_equal(tries(&spin), 0);
}

static void a_server_that_becomes_slow_ends_it_in_a_few_answers(void **state)
{
	struct rl_spin spin = learned();

	assert_int_equal(answers(&spin, 50, 60 * US, 20 * US), 50);
	assert_in_range(answers(&spin, 500, 5 * RL_MILLISECOND, 5 * RL_MILLISECOND), 1, 10);
}

static void one_late_answer_does_not_end_it(void **state)
{
	struct rl_spin spin = learned();

	rl_spin_learn(&spin, true, RL_SECOND);
	assert_int_equal(answers(&spin, 100, 60 * US, 20 * US), 100);
}

static void a_slow_server_is_not_tried(void **state)
{
	struct rl_spin spin = { 0 };

	assert_int_equal(answers(&spin, PERIOD, RL_MILLISECOND, 20 * US), 0);
}

static void where_a_sleep_is_faster_it_sleeps(void **state)
{
	struct rl_spin spin = { 0 };

	assert_int_equal(answers(&spin, PERIOD, 30 * US, 70 * US), SAMPLE);
}

static void it_tries_again_now_and_then(void **state)
{
	struct rl_spin spin = { 0 };

	answers(&spin, PERIOD, RL_MILLISECOND, RL_MILLISECOND);
	assert_int_equal(answers(&spin, PERIOD, 60 * US, 20 * US), PERIOD - SAMPLE);
}

static void near_a_deadline_it_sleeps(void **state)
{
	struct rl_spin spin = learned();

	assert_int_not_equal(rl_spin_until(&spin, now, now + 10 * RL_MILLISECOND), 0);
	assert_int_equal(rl_spin_until(&spin, now, now + 10 * RL_MILLISECOND - 1), 0);
	assert_int_equal(rl_spin_until(&spin, now, now - RL_SECOND), 0);
	assert_int_not_equal(rl_spin_until(&spin, now, RL_FOREVER), 0);
}

static void *in_another_thread(void *tried)
{
	struct rl_spin spin = learned();

	*(rl_time *)tried = tries(&spin);
	return NULL;
}

static void it_sleeps_unless_it_may(void **state)
{
	struct rl_spin spin = learned();
	rl_time tried = -1;
	pthread_t thread;

	assert_int_not_equal(tries(&spin), 0);
	assert_int_equal(pthread_create(&thread, NULL, in_another_thread, &tried), 0);
	pthread_join(thread, NULL);
	assert_int_equal(tried, 0);
	rl_spin_allow(false);
	assert_int_equal(tries(&spin), 0);
}

/* --- a connection --- */

static struct throwaway server;

static int start_server(void **state)
{
	return throwaway_start(&server, false, NULL) ? 0 : -1;
}

static int stop_server(void **state)
{
	throwaway_stop(&server);
	return 0;
}

static void ping(struct rl_connection *connection, int count)
{
	static const struct rl_text word = { "PING", 4 };
	const struct rl_reply *reply;
	struct rl_error error;

	while (count-- > 0) {
		assert_int_equal(
			exchange_within(connection, &word, 1, rl_now() + 5 * RL_SECOND, &reply, &error),
			RL_OK);
	}
}

static long sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* The clock stands still, so no try ends before the answer comes. */
static void a_connection_that_tries_does_not_sleep(void **state)
{
	static const struct rl_address_defaults defaults = {
		.connect_timeout = 5 * RL_SECOND, .timeout = 5 * RL_SECOND
	};
	struct rl_connection *connection = NULL;
	struct rl_address *address = NULL;
	struct rl_error error;
	long before;

	assert_int_equal(
		rl_address_parse(rl_text_of(server.address), &defaults, &address, &error), RL_OK);
	assert_int_equal(
		connect_within(address, true, RL_SECOND, rl_now() + 5 * RL_SECOND, &connection, &error),
		RL_OK);
	clock_stop(now);
	ping(connection, SAMPLE - (int)connection->spin.answers);
	before = sleeps();
	ping(connection, SAMPLE);
	assert_int_equal(sleeps() - before, 0);
	assert_int_equal(connection->spin.answers, 2 * SAMPLE);
	clock_reset();
	rl_connection_close(connection);
	rl_address_free(address);
}

#define spin_test(name) cmocka_unit_test_setup_teardown(name, may_spin, may_not)

int test_spin(void)
{
	const struct CMUnitTest tests[] = {
		spin_test(a_fast_server_is_learned),
		spin_test(it_tries_for_as_long_as_answers_took_and_a_bit),
		spin_test(where_others_want_the_cpu_it_sleeps),
		spin_test(a_server_that_becomes_slow_ends_it_in_a_few_answers),
		spin_test(one_late_answer_does_not_end_it),
		spin_test(a_slow_server_is_not_tried),
		spin_test(where_a_sleep_is_faster_it_sleeps),
		spin_test(it_tries_again_now_and_then),
		spin_test(near_a_deadline_it_sleeps),
		spin_test(it_sleeps_unless_it_may),
		spin_test(a_connection_that_tries_does_not_sleep),
	};

	return cmocka_run_group_tests_name("spin", tests, start_server, stop_server);
}
