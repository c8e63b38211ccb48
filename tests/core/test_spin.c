#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* sched_setaffinity, RUSAGE_THREAD */
#endif

#include "testing.h"
#include "clock.h"
#include "steps.h"
#include "throwaway.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpus.h"
#include "redis/handshake.h"
#include "redis/spin.h"

/* As spin.h says. */
#define SAMPLE 16
#define PERIOD 1024

#define US RL_MICROSECOND

static bool crowded;

bool __real_rl_cpus_are_crowded(const char *loadavg);
bool __wrap_rl_cpus_are_crowded(const char *loadavg);

bool __wrap_rl_cpus_are_crowded(const char *loadavg)
{
	return strcmp(loadavg, "/proc/loadavg") == 0 ? crowded : __real_rl_cpus_are_crowded(loadavg);
}

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

/* The rules of this file need two CPUs. */
static void needs_cpus(void)
{
	if (!rl_cpus_are_several()) {
		skip();
	}
}

/* --- the rule --- */

static void a_fast_server_is_learned(void **state)
{
	struct rl_spin spin = { 0 };

	needs_cpus();
	assert_int_equal(answers(&spin, SAMPLE, 60 * US, 20 * US), 0);
	assert_int_equal(answers(&spin, SAMPLE, 60 * US, 20 * US), SAMPLE);
	assert_int_equal(answers(&spin, 500, 60 * US, 20 * US), 500);
}

static void it_tries_for_as_long_as_answers_took_and_a_bit(void **state)
{
	struct rl_spin spin = learned();

	needs_cpus();
	assert_int_equal(tries(&spin), 60 * US + 50 * US);
}

/* What was faster awake took the CPU from those that kept the sleeper waiting. */
static void where_others_want_the_cpu_it_sleeps(void **state)
{
	struct rl_spin spin = learned();

	needs_cpus();
	spin.slept = 100 * US;
	assert_true(tries(&spin) > 0);
	spin.slept = 101 * US;
	assert_int_equal(tries(&spin), 0);
}

static void a_server_that_becomes_slow_ends_it_in_a_few_answers(void **state)
{
	struct rl_spin spin = learned();

	needs_cpus();
	assert_int_equal(answers(&spin, 50, 60 * US, 20 * US), 50);
	assert_in_range(answers(&spin, 500, 5 * RL_MILLISECOND, 5 * RL_MILLISECOND), 1, 10);
}

static void one_late_answer_does_not_end_it(void **state)
{
	struct rl_spin spin = learned();

	needs_cpus();
	rl_spin_learn(&spin, true, RL_SECOND);
	assert_int_equal(answers(&spin, 100, 60 * US, 20 * US), 100);
}

static void a_slow_server_is_not_tried(void **state)
{
	struct rl_spin spin = { 0 };

	needs_cpus();
	assert_int_equal(answers(&spin, PERIOD, RL_MILLISECOND, 20 * US), 0);
}

static void in_a_crowd_it_sleeps_until_it_compares_again(void **state)
{
	struct rl_spin spin;

	needs_cpus();
	crowded = true;
	spin = learned();
	assert_int_equal(answers(&spin, PERIOD - 2 * SAMPLE, 60 * US, 20 * US), 0);
	crowded = false;
	assert_int_equal(answers(&spin, PERIOD, 60 * US, 20 * US), PERIOD - SAMPLE);
}

static void after_a_wait_it_sleeps_until_it_compares_again(void **state)
{
	struct rl_spin spin = learned();

	needs_cpus();
	rl_spin_rest(&spin);
	assert_int_equal(answers(&spin, PERIOD - SAMPLE, 60 * US, 20 * US), 0);
	assert_int_equal(answers(&spin, PERIOD, 60 * US, 20 * US), PERIOD - SAMPLE);
}

static bool is_crowd(const char *loadavg)
{
	char path[] = "/tmp/test_spin.XXXXXX";
	int file = mkstemp(path);
	bool found;

	assert_true(file >= 0);
	assert_int_equal(write(file, loadavg, strlen(loadavg)), strlen(loadavg));
	close(file);
	found = rl_cpus_are_crowded(path);
	unlink(path);
	return found;
}

static void a_crowd_is_more_threads_than_cpus(void **state)
{
	char all[64], more[64];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	snprintf(all, sizeof all, "9.00 9.00 9.00 %ld/999 1", cpus);
	snprintf(more, sizeof more, "0.00 0.00 0.00 %ld/999 1", cpus + 1);
	assert_false(is_crowd(all));
	assert_true(is_crowd(more));
	assert_false(is_crowd("nonsense"));
	assert_false(rl_cpus_are_crowded("/nowhere"));
}

static void where_a_sleep_is_faster_it_sleeps(void **state)
{
	struct rl_spin spin = { 0 };

	needs_cpus();
	assert_int_equal(answers(&spin, PERIOD, 30 * US, 70 * US), SAMPLE);
}

static void it_tries_again_now_and_then(void **state)
{
	struct rl_spin spin = { 0 };

	needs_cpus();
	answers(&spin, PERIOD, RL_MILLISECOND, RL_MILLISECOND);
	assert_int_equal(answers(&spin, PERIOD, 60 * US, 20 * US), PERIOD - SAMPLE);
}

static void near_a_deadline_it_sleeps(void **state)
{
	struct rl_spin spin = learned();

	needs_cpus();
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

	needs_cpus();
	assert_int_not_equal(tries(&spin), 0);
	assert_int_equal(pthread_create(&thread, NULL, in_another_thread, &tried), 0);
	pthread_join(thread, NULL);
	assert_int_equal(tried, 0);
	rl_spin_allow(false);
	assert_int_equal(tries(&spin), 0);
}

/* --- CPUs --- */

/* A child finds out anew. */
static bool child_tries(bool on_one_cpu)
{
	struct rl_spin spin = learned();
	int status;
	pid_t child = fork();

	if (child == 0) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(sched_getcpu(), &one);
		if (on_one_cpu && sched_setaffinity(0, sizeof one, &one) != 0) {
			_exit(2);
		}
		_exit(tries(&spin) > 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return WEXITSTATUS(status) == 1;
}

static void with_one_cpu_it_sleeps(void **state)
{
	needs_cpus();
	assert_true(child_tries(false));
	assert_false(child_tries(true));
}

static char folder[64];

static void write_file(const char *path, const char *text)
{
	char whole[512];
	FILE *file;

	snprintf(whole, sizeof whole, "%s/%s", folder, path);
	for (char *slash = whole + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(whole, 0700);
	}
	file = fopen(whole, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static bool rationed(const char *membership)
{
	char path[128];

	write_file("membership", membership);
	snprintf(path, sizeof path, "%s/membership", folder);
	return rl_cpus_are_rationed(path, folder);
}

static int make_folder(void **state)
{
	strcpy(folder, "/tmp/rlock-core-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[128];

	snprintf(command, sizeof command, "rm -r '%s'", folder);
	return system(command);
}

static void cgroups_ration_cpus(void **state)
{
	write_file("free/cpu.max", "max 100000\n");
	write_file("ample/cpu.max", "200000 100000\n");
	write_file("short/cpu.max", "199999 100000\n");
	write_file("short/inner/cpu.max", "max 100000\n");
	assert_false(rationed("0::/free\n"));
	assert_false(rationed("0::/ample\n"));
	assert_true(rationed("0::/short\n"));
	assert_true(rationed("0::/short/inner\n"));
	assert_false(rationed("0::/\n"));
	assert_false(rationed("nonsense\n"));
	write_file("cpu.max", "50000 100000\n"); /* a container's own, whatever its path outside */
	assert_true(rationed("0::/\n"));
	assert_true(rationed("0::/elsewhere/unseen\n"));
}

static void cgroups_of_version_1_ration_cpus(void **state)
{
	write_file("cpu/free/cpu.cfs_quota_us", "-1\n");
	write_file("cpu/free/cpu.cfs_period_us", "100000\n");
	write_file("cpu/short/cpu.cfs_quota_us", "150000\n");
	write_file("cpu/short/cpu.cfs_period_us", "100000\n");
	assert_false(rationed("5:memory:/short\n4:cpu,cpuacct:/free\n0::/\n"));
	assert_true(rationed("5:memory:/free\n4:cpu,cpuacct:/short\n"));
	assert_true(rationed("4:cpu:/short\n"));
	assert_false(rationed("4:cpuset:/short\n"));
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
	static const struct rl_address_defaults defaults = { 5 * RL_SECOND, 5 * RL_SECOND, false };
	struct rl_connection *connection = NULL;
	struct rl_address *address = NULL;
	struct rl_error error;
	long before;

	needs_cpus();
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
		spin_test(in_a_crowd_it_sleeps_until_it_compares_again),
		spin_test(after_a_wait_it_sleeps_until_it_compares_again),
		cmocka_unit_test(a_crowd_is_more_threads_than_cpus),
		spin_test(a_server_that_becomes_slow_ends_it_in_a_few_answers),
		spin_test(one_late_answer_does_not_end_it),
		spin_test(a_slow_server_is_not_tried),
		spin_test(where_a_sleep_is_faster_it_sleeps),
		spin_test(it_tries_again_now_and_then),
		spin_test(near_a_deadline_it_sleeps),
		spin_test(it_sleeps_unless_it_may),
		spin_test(with_one_cpu_it_sleeps),
		spin_test(a_connection_that_tries_does_not_sleep),
		cmocka_unit_test_setup_teardown(cgroups_ration_cpus, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			cgroups_of_version_1_ration_cpus, make_folder, remove_folder),
	};

	return cmocka_run_group_tests_name("spin", tests, start_server, stop_server);
}
