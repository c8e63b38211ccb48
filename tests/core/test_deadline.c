/*
 * One call has one deadline, whatever it consists of (S10). The clock stands still but for what is
 * waited for, so that what a call has waited for is exact.
 */
#include "owner_rig.h"

#include "lock/owner/internal.h"

#include <signal.h>

#define TIMEOUT RL_SECOND

static struct rl_owner *new_impatient(void)
{
	char address[160];

	snprintf(address, sizeof address, "%s?timeout=1", proxy.address);
	return new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
}

/* From now on the server has seen nothing of this script, nor of what comes behind it. */
static void stall(const struct rl_script *script, unsigned skip)
{
	proxy_add(&proxy,
		(struct proxy_rule){ .script = script, .skip = skip, .times = 9, .fault = PROXY_STALL });
}

static rl_time stop_clock(void)
{
	rl_time now = rl_now();

	clock_stop(now);
	return now;
}

static enum rl_status own_two(struct rl_owner *owner, rl_time wait)
{
	struct rl_acquire_key keys[] = { { .name = { "a", 1 } }, { .name = { "b", 1 } } };
	struct rl_acquire_all request = { .keys = keys, .count = 2, .lease_ms = LEASE, .wait = wait };
	enum rl_status status;

	rl_owner_begin_call(owner);
	status = rl_owner_acquire_all(owner, &request, &said);
	rl_owner_end_call(owner);
	return status;
}

static void all_or_none(void **state)
{
	struct rl_owner *owner = new_impatient();
	rl_time began = stop_clock();

	stall(&rl_script_acquire, 1);
	stall(&rl_script_release, 0);
	assert_status(own_two(owner, 0), RL_UNREACHABLE);
	assert_int_equal(rl_now() - began, TIMEOUT);
	assert_int_equal(rl_owner_held(owner), 0);
	proxy_let_go(&proxy);
	/* with which is undone what could not be given back */
	assert_int_equal(disown_all(owner).failed, 0);
	await_free("a");
	await_free("b");
}

/* That somebody else has it is no failure: what was taken is given back in time. */
static void all_or_none_that_waits(void **state)
{
	struct rl_owner *owner = new_impatient(), *other = new_owner();
	rl_time began;

	assert_status(own(other, "b", LEASE), RL_OK);
	began = stop_clock();
	assert_status(own_two(owner, 3 * TIMEOUT / 2), RL_NO);
	assert_in_range(rl_now() - began, 3 * TIMEOUT / 2, 3 * TIMEOUT / 2 + TIMEOUT);
	assert_false(is_taken("a"));
	assert_status(disown(other, "b"), RL_OK);
}

#define SHORT_TIMEOUT (200 * RL_MILLISECOND)

static struct rl_owner *frozen_out;

static bool server_freezes(void *context)
{
	(void)context;
	if (frozen_out->route->timeout != SHORT_TIMEOUT) {
		frozen_out->route->timeout = SHORT_TIMEOUT;
		throwaway_freeze(&rig.server);
	}
	return true;
}

/*
 * While "b" is waited for, the server freezes: leaving the queue and the last ask have one timeout
 * together.
 */
static void all_or_none_without_an_answer_to_the_last_ask(void **state)
{
	const rl_time wait = 450 * RL_MILLISECOND;
	struct rl_owner *other = new_owner();
	enum rl_status status;
	rl_time began;

	frozen_out = new_hooked(server_freezes, NULL);
	assert_status(own(other, "b", LEASE), RL_OK);
	began = stop_clock();
	status = own_two(frozen_out, wait);
	kill(rig.server.pid, SIGCONT);
	assert_status(status, RL_UNREACHABLE);
	assert_in_range(
		rl_now() - began, wait + SHORT_TIMEOUT, wait + SHORT_TIMEOUT + 10 * RL_MILLISECOND);
	assert_int_equal(rl_owner_held(frozen_out), 0);
}

/* Nor has the first waiter for a shared lock more, who has to give up the turnstile. */
static void a_turnstile_that_cannot_be_left(void **state)
{
	const rl_time wait = 450 * RL_MILLISECOND;
	struct rl_acquire share = { .key = NAME("job"), .lease_ms = LEASE, .is_shared = true };
	struct rl_owner *other = new_owner();
	enum rl_status status;
	rl_time began;

	frozen_out = new_hooked(server_freezes, NULL);
	assert_status(rl_owner_acquire(other, &share, &said), RL_OK);
	began = stop_clock();
	status = own_waiting(frozen_out, "job", LEASE, wait);
	kill(rig.server.pid, SIGCONT);
	assert_status(status, RL_UNREACHABLE);
	assert_in_range(
		rl_now() - began, wait + SHORT_TIMEOUT, wait + SHORT_TIMEOUT + 10 * RL_MILLISECOND);
}

/* Late, and the server does not say what became of it: it is not asked who has it now. */
static void a_verdict_for_want_of_an_answer(void **state)
{
	struct rl_owner *owner = new_impatient();
	struct rl_holder holder;
	rl_time began;

	assert_status(own(owner, "job", LEASE), RL_OK);
	expire_here(owner, "job");
	stall(&rl_script_release, 0);
	began = stop_clock();
	assert_status(check_lock(owner, "job"), RL_LOST);
	assert_true(said.unanswered);
	assert_int_equal(rl_now() - began, TIMEOUT);
	stall(&rl_script_inspect, 0);
	assert_status(rl_owner_holder_now(owner, NAME("job"), said.deadline, &holder, &said),
		RL_UNREACHABLE);
	assert_int_equal(rl_now() - began, TIMEOUT);
}

/* The holder is asked for within the deadline of the call whose verdict it goes with. */
static void a_verdict_and_its_holder(void **state)
{
	struct rl_owner *owner = new_impatient();
	struct rl_holder holder;
	rl_time began;

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("DEL lock@job");
	stall(&rl_script_inspect, 0);
	began = stop_clock();
	assert_status(disown(owner, "job"), RL_LOST);
	assert_false(said.unanswered);
	clock_advance(TIMEOUT / 4);
	assert_status(rl_owner_holder_now(owner, NAME("job"), said.deadline, &holder, &said),
		RL_UNREACHABLE);
	assert_int_equal(rl_now() - began, TIMEOUT);
	/* a call of its own */
	assert_status(rl_owner_holder(owner, NAME("job"), &holder, &said), RL_UNREACHABLE);
	assert_int_equal(rl_now() - began, 2 * TIMEOUT);
}

int test_deadline(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	const struct CMUnitTest tests[] = {
		test(all_or_none),
		test(all_or_none_that_waits),
		test(all_or_none_without_an_answer_to_the_last_ask),
		test(a_turnstile_that_cannot_be_left),
		test(a_verdict_for_want_of_an_answer),
		test(a_verdict_and_its_holder),
	};

	return cmocka_run_group_tests_name("deadline", tests, rig_start, rig_stop);
}
