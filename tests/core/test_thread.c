/*
 * Threads and where they sleep (src/base/thread.h), in real time.
 */
#include "clock.h"
#include "faults.h"
#include "testing.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/sleeper.h"
#include "base/thread.h"

#define LATE (2500 * RL_MILLISECOND) /* on a machine that is busy */

static struct rl_sleeper sleeper;
static atomic_int stage;
static atomic_uintptr_t seen_id;

static int open_sleeper(void **state)
{
	stage = 0;
	return rl_sleeper_open(&sleeper) ? 0 : -1;
}

static int close_sleeper(void **state)
{
	rl_sleeper_close(&sleeper);
	return 0;
}

static void await_stage(int wanted)
{
	while (stage < wanted) {
		rl_poll(NULL, 0, rl_now() + RL_MILLISECOND);
	}
}

static rl_time slept(rl_time moment)
{
	rl_time before = rl_now();

	rl_sleeper_sleep(&sleeper, moment);
	return rl_now() - before;
}

static void it_sleeps_until_the_moment(void **state)
{
	for (int i = 0; i < 5; i++) {
		rl_time wanted = 20 * RL_MILLISECOND;

		assert_in_range(slept(rl_now() + wanted), wanted - RL_MILLISECOND, wanted + LATE);
	}
}

static void a_moment_that_has_passed_is_no_sleep(void **state)
{
	assert_in_range(slept(rl_now() - RL_SECOND), 0, LATE);
	assert_in_range(slept(1), 0, LATE);
	assert_in_range(slept(0), 0, LATE);
}

static void who_was_woken_before_does_not_sleep_for_ever(void **state)
{
	rl_sleeper_wake(&sleeper);
	rl_sleeper_wake(&sleeper);
	assert_in_range(slept(rl_now() + 60 * RL_SECOND), 0, LATE);
	assert_in_range(slept(rl_now() + 20 * RL_MILLISECOND), 19 * RL_MILLISECOND, 60 * RL_SECOND);
}

static void sleep_for_ever(void *context)
{
	seen_id = rl_thread_id();
	stage = 1;
	rl_sleeper_sleep(&sleeper, RL_FOREVER);
	stage = 2;
}

static void another_thread_wakes_it(void **state)
{
	struct rl_thread thread;

	assert_true(rl_thread_start(&thread, sleep_for_ever, NULL));
	await_stage(1);
	assert_int_equal(stage, 1);
	assert_true(seen_id != rl_thread_id());
	rl_sleeper_wake(&sleeper);
	await_stage(2);
	rl_thread_join(&thread);
}

static void use_much_stack(void *context)
{
	volatile char much[384 * 1024];

	for (size_t i = 0; i < sizeof much; i += 1024) {
		much[i] = 1;
	}
	stage = much[0];
}

/* Also where the system gives a thread 128 KiB. */
static void it_has_room_for_tls(void **state)
{
	struct rl_thread thread;

	assert_true(rl_thread_start(&thread, use_much_stack, NULL));
	rl_thread_join(&thread);
	assert_int_equal(stage, 1);
}

/* As where there is no timer that goes on in suspend. */
static void without_a_timer_it_looks_now_and_then(void **state)
{
	if (sleeper.timer >= 0) {
		close(sleeper.timer);
		sleeper.timer = -1;
	}
	it_sleeps_until_the_moment(state);
	who_was_woken_before_does_not_sleep_for_ever(state);
	assert_in_range(slept(rl_now() + 60 * RL_SECOND), 0, 2 * RL_SECOND);
}

static atomic_int signals, elsewhere;
static pthread_t main_thread;

static void on_signal(int number)
{
	signals++;
	elsewhere += !pthread_equal(pthread_self(), main_thread);
}

static void wait_to_be_woken(void *context)
{
	sigset_t blocked;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	stage = sigismember(&blocked, SIGUSR1) && sigismember(&blocked, SIGPIPE)
			&& sigismember(&blocked, SIGPROF)
		? 1
		: -1;
	rl_sleeper_sleep(&sleeper, RL_FOREVER);
}

/* Though the other one sleeps, and the first has its hands full. */
static void signals_are_for_the_program(void **state)
{
	struct sigaction action = { .sa_handler = on_signal }, before;
	struct rl_thread thread;
	sigset_t mask;

	main_thread = pthread_self();
	sigaction(SIGUSR1, &action, &before);
	assert_true(rl_thread_start(&thread, wait_to_be_woken, NULL));
	while (stage == 0) {
		rl_poll(NULL, 0, rl_now() + RL_MILLISECOND);
	}
	assert_int_equal(stage, 1);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	assert_false(sigismember(&mask, SIGUSR1)); /* ours is as it was */
	for (int i = 0; i < 100; i++) {
		kill(getpid(), SIGUSR1);
	}
	rl_poll(NULL, 0, rl_now() + RL_MILLISECOND);
	assert_true(signals > 0);
	assert_int_equal(elsewhere, 0);
	rl_sleeper_wake(&sleeper);
	rl_thread_join(&thread);
	sigaction(SIGUSR1, &before, NULL);
}

static bool is_alone_until_it_starts_a_thread(void *context)
{
	struct rl_thread thread;
	bool alone = rl_thread_is_alone(), with_another;

	stage = 0;
	if (!rl_thread_start(&thread, sleep_for_ever, NULL)) {
		return false;
	}
	with_another = rl_thread_is_alone();
	rl_sleeper_wake(&sleeper);
	rl_thread_join(&thread);
	return alone && !with_another;
}

static void who_is_alone_knows_it(void **state)
{
	assert_true(in_child(is_alone_until_it_starts_a_thread, NULL));
}

int test_thread(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_sleeper, close_sleeper)
	static const struct CMUnitTest tests[] = {
		TEST(it_sleeps_until_the_moment),
		TEST(a_moment_that_has_passed_is_no_sleep),
		TEST(who_was_woken_before_does_not_sleep_for_ever),
		TEST(another_thread_wakes_it),
		TEST(it_has_room_for_tls),
		TEST(without_a_timer_it_looks_now_and_then),
		TEST(signals_are_for_the_program),
		TEST(who_is_alone_knows_it),
	};

	return cmocka_run_group_tests_name("thread", tests, NULL, NULL);
}
