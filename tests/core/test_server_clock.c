/*
 * A server whose clock steps while somebody waits. The server is a real one; only its wall clock is
 * the test's (preload/server_clock.c).
 */
#include "owner_rig.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int64_t *ahead;

static int start_with_clock(void **state)
{
	char path[] = "/tmp/rlock-clock.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0 && ftruncate(fd, sizeof *ahead) == 0);
	ahead = mmap(NULL, sizeof *ahead, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(ahead != MAP_FAILED);
	setenv("RLOCK_SERVER_CLOCK", path, 1);
	setenv("LD_PRELOAD", SERVER_CLOCK, 1);
	rig_start(state);
	unsetenv("LD_PRELOAD");
	unsetenv("RLOCK_SERVER_CLOCK");
	unlink(path);
	close(fd);
	return 0;
}

static int stop_with_clock(void **state)
{
	munmap(ahead, sizeof *ahead);
	return rig_stop(state);
}

static void step(rl_time by)
{
	*ahead += by / 1000;
}

static bool steps_back(void *context)
{
	bool *stepped = context;

	if (!*stepped) {
		*stepped = true;
		await_parked(1);
		step(-720 * RL_SECOND);
	}
	return true;
}

/* K2: by its own clock the server has no reason to end what we are parked in. */
static void a_wait_ends_on_time_though_the_clock_steps_back(void **state)
{
	struct rl_owner *holder = new_owner();
	rl_time took, late = 0;

	for (int round = 0; round < 3; round++) {
		bool stepped = false;
		struct rl_owner *waiter = new_hooked(steps_back, &stepped);

		assert_status(own(holder, "job", LEASE), RL_OK);
		took = clock_real();
		assert_status(own_waiting(waiter, "job", LEASE, 300 * RL_MILLISECOND), RL_NO);
		took = clock_real() - took;
		assert_true(took >= 300 * RL_MILLISECOND);
		late = round == 0 || took < late ? took : late;
		await_parked(0);
		assert_status(disown(holder, "job"), RL_OK);
		assert_status(own(waiter, "job", LEASE), RL_OK); /* nothing of the wait is left */
		assert_status(disown(waiter, "job"), RL_OK);
		run("FLUSHALL");
	}
	assert_true(late < 600 * RL_MILLISECOND);
}

static bool steps_back_and_frees(void *context)
{
	bool *stepped = context;

	if (!*stepped) {
		steps_back(context);
		clock_advance(300 * RL_MILLISECOND);
		run("DEL lock@job");
	}
	return true;
}

static void what_is_free_at_the_end_is_taken(void **state)
{
	struct rl_owner *holder = new_owner();
	bool stepped = false;
	struct rl_owner *waiter = new_hooked(steps_back_and_frees, &stepped);

	assert_status(own(holder, "job", LEASE), RL_OK);
	assert_status(own_waiting(waiter, "job", LEASE, 300 * RL_MILLISECOND), RL_OK);
	await_parked(0);
	run("DEL %b", KEY(RL_KEY_WAITING));
	assert_status(disown(waiter, "job"), RL_OK);
	assert_false(is_taken("job"));
}

/*
 * What says until when it may run is late for a server whose clock has stepped: that is no matter.
 */
static void a_clock_that_steps_is_learnt_anew(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	step(720 * RL_SECOND);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
}

/* An old fence may be the answer to something else, until the clock is known to be as old. */
static void a_clock_that_was_set_back_costs_a_connection(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "before", LEASE), RL_OK);
	step(-7200 * RL_SECOND);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_int_equal(rl_owner_stats(owner)->reconnects, 1);
	assert_status(own(owner, "another", LEASE), RL_OK);
	assert_int_equal(rl_owner_stats(owner)->reconnects, 1);
	assert_status(disown(owner, "job"), RL_OK);
	step(7200 * RL_SECOND);
}

int test_server_clock(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	const struct CMUnitTest tests[] = {
		test(a_wait_ends_on_time_though_the_clock_steps_back),
		test(what_is_free_at_the_end_is_taken),
		test(a_clock_that_steps_is_learnt_anew),
		test(a_clock_that_was_set_back_costs_a_connection),
	};

	return cmocka_run_group_tests_name("server_clock", tests, start_with_clock, stop_with_clock);
}
