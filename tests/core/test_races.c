/*
 * The renewal thread against the owners' threads, in each other's way as often as can be: also
 * built with ThreadSanitizer (`make tsan`), which then goes 10,000 rounds instead of a few.
 */
#include "owner_rig.h"

#include <sched.h>
#include <stdatomic.h>

#include "lock/renewal/thread.h"

#define THIRD (LEASE * RL_MILLISECOND / 3 + RL_MILLISECOND)

static atomic_uint alarms;

static void count_alarm(void *context)
{
	(void)context;
	alarms++;
}

static const struct rl_renewal_terms terms = {
	.renew = true, .max_hold = RL_FOREVER, .alarm = { .raise = count_alarm }
};

static unsigned rounds(void)
{
	const char *wanted = getenv("RLOCK_TEST_ROUNDS");

	return wanted ? (unsigned)atoi(wanted) : 300;
}

static struct rl_owner *new_renewed(void)
{
	alarms = 0;
	return new_with_terms(rig.server.address, terms);
}

static void await_renewals(struct rl_owner *owner, uint64_t wanted)
{
	for (long tries = 0; rl_owner_stats(owner)->renewals < wanted; tries++) {
		if (tries == 10000000) {
			fail_msg("never renewed");
		}
		sched_yield();
	}
}

static void renew_once(struct rl_owner *owner)
{
	uint64_t before = rl_owner_stats(owner)->renewals;

	clock_advance(THIRD);
	await_renewals(owner, before + 1);
}

/* So that the two meet a little earlier or later each time. */
static void dawdle(unsigned round)
{
	for (unsigned i = 0; i < round % 16; i++) {
		sched_yield();
	}
}

static void a_release_meets_a_renewal(void **state)
{
	struct rl_owner *owner = new_renewed();

	for (unsigned i = 0; i < rounds(); i++) {
		uint64_t renewals = rl_owner_stats(owner)->renewals;

		assert_status(own(owner, "job", LEASE), RL_OK);
		clock_advance(THIRD); /* the thread wakes up and renews */
		if (i % 16 == 15) {
			await_renewals(owner, renewals + 1);
		} else {
			dawdle(i);
		}
		assert_status(disown(owner, "job"), RL_OK);
		assert_false(is_taken("job"));
	}
	assert_int_equal(alarms, 0);
	assert_true(rl_owner_stats(owner)->renewals > 0);
	assert_int_equal(rl_owner_stats(owner)->lost, 0);
}

static void a_release_of_many_meets_a_renewal(void **state)
{
	struct rl_owner *owner = new_renewed();
	char key[32];

	for (unsigned i = 0; i < rounds() / 20; i++) {
		for (int k = 0; k < 20; k++) {
			snprintf(key, sizeof key, "job%d", k);
			assert_status(own(owner, key, LEASE), RL_OK);
		}
		clock_advance(THIRD);
		dawdle(i);
		assert_int_equal(disown_all(owner).released, 20);
	}
	assert_int_equal(alarms, 0);
}

static void a_take_meets_a_renewal(void **state)
{
	struct rl_owner *holder = new_renewed(), *owner = new_renewed();

	assert_status(own(holder, "held", LEASE), RL_OK);
	for (unsigned i = 1; i <= rounds(); i++) {
		clock_advance(THIRD);
		dawdle(i);
		assert_status(own(owner, "job", LEASE), RL_OK);
		assert_status(own(owner, "job", LEASE), RL_OK);
		assert_status(check_lock(holder, "held"), RL_OK);
		assert_status(disown(owner, "job"), RL_OK);
		assert_status(disown(owner, "job"), RL_OK);
		await_renewals(holder, i);
	}
	assert_int_equal(alarms, 0);
	assert_status(disown(holder, "held"), RL_OK);
}

static void a_prolongation_meets_a_renewal(void **state)
{
	struct rl_owner *owner = new_renewed();

	assert_status(own(owner, "job", LEASE), RL_OK);
	for (unsigned i = 0; i < rounds(); i++) {
		clock_advance(THIRD);
		dawdle(i);
		assert_status(prolong(owner, "job", i % 2 ? LEASE : LEASE / 2), RL_OK);
		if (i % 2 == 0) {
			assert_true(server_left("job") <= LEASE / 2);
		}
		assert_true(view(owner, "job").left <= server_left("job") * RL_MILLISECOND);
	}
	assert_int_equal(alarms, 0);
	assert_status(disown(owner, "job"), RL_OK);
}

static void an_end_meets_a_start(void **state)
{
	struct rl_owner *owner = new_renewed();

	for (unsigned i = 0; i < rounds(); i++) {
		assert_status(own(owner, "job", LEASE), RL_OK);
		if (i % 3 == 0) {
			renew_once(owner);
		} else if (i % 2 == 0) {
			clock_advance(THIRD);
			dawdle(i);
		}
		assert_status(disown(owner, "job"), RL_OK);
		if (i % 3 == 0) {
			rl_renewal_rest();
		} else {
			clock_advance(RL_RENEWAL_SLUMBER); /* used or not, it ends */
			dawdle(i);
		}
	}
	assert_status(own(owner, "job", LEASE), RL_OK);
	renew_once(owner);
	assert_int_equal(alarms, 0);
	assert_status(disown(owner, "job"), RL_OK);
}

static void an_alarm_meets_a_release(void **state)
{
	struct rl_owner *owner = new_renewed();
	unsigned lost = 0;

	for (unsigned i = 0; i < rounds(); i++) {
		enum rl_status status;

		assert_status(own(owner, "job", LEASE), RL_OK);
		run("DEL lock@job");
		clock_advance(THIRD);
		dawdle(i);
		status = i % 2 ? disown(owner, "job") : rl_owner_alarm(owner, &said);
		if (status == RL_OK) {
			status = disown(owner, "job"); /* the thread did not know yet */
		}
		assert_status(status, RL_LOST);
		assert_status(check_lock(owner, "job"), RL_LOST);
		assert_status(rl_owner_alarm(owner, &said), RL_OK);
		lost++;
	}
	assert_int_equal(rl_owner_stats(owner)->lost, lost);
}

/* Another thread's owner: nothing of the tests' own, which are one thread's. */
static void *look_and_tally(void *context)
{
	struct rl_owner *owner = context;
	struct rl_holder holder;
	struct rl_error error;
	unsigned free = 0;

	for (unsigned i = 0; i < rounds() / 10; i++) {
		free += rl_owner_holder(owner, NAME("job"), &holder, &error) == RL_NO;
		rl_owner_tally(owner);
		rl_owner_totals();
	}
	return free == rounds() / 10 ? NULL : owner;
}

static void owners_of_many_threads_are_all_in_the_totals(void **state)
{
	enum {
		THREADS = 4
	};
	struct rl_owner *owners[THREADS];
	pthread_t threads[THREADS];
	uint64_t before = rl_owner_totals().requests, requests = 0;
	void *wrong;

	(void)state;
	for (size_t i = 0; i < THREADS; i++) {
		owners[i] = new_owner();
		assert_int_equal(pthread_create(&threads[i], NULL, look_and_tally, owners[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
		requests += rl_owner_stats(owners[i])->requests;
	}
	assert_true(requests >= THREADS * (rounds() / 10));
	assert_int_equal(rl_owner_totals().requests - before, requests);
	end_owner(owners[0]);
	assert_int_equal(rl_owner_totals().requests - before, requests);
}

int test_races(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	static const struct CMUnitTest tests[] = {
		TEST(a_release_meets_a_renewal),
		TEST(a_release_of_many_meets_a_renewal),
		TEST(a_take_meets_a_renewal),
		TEST(a_prolongation_meets_a_renewal),
		TEST(an_end_meets_a_start),
		TEST(an_alarm_meets_a_release),
		TEST(owners_of_many_threads_are_all_in_the_totals),
	};

	return cmocka_run_group_tests_name("races", tests, rig_start, rig_stop);
}
