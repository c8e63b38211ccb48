#include "testing.h"
#include "clock.h"
#include "faults.h"

#include "base/descriptor.h"
#include "base/random.h"
#include "base/sleeper.h"
#include "base/socket.h"
#include "base/waitset.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- the clock --- */

static void clock_goes_on_in_suspend(void **state)
{
	struct timespec before, after;
	rl_time now;

	clock_gettime(CLOCK_BOOTTIME, &before);
	now = rl_now();
	assert_int_equal(faults_last_clock(), CLOCK_BOOTTIME);
	clock_gettime(CLOCK_BOOTTIME, &after);
	assert_true(now >= before.tv_sec * RL_SECOND + before.tv_nsec);
	assert_true(now <= after.tv_sec * RL_SECOND + after.tv_nsec);
}

static void clock_of_tests_can_be_set(void **state)
{
	rl_time before = rl_now();

	clock_advance(RL_SECOND * 3600);
	assert_true(rl_now() >= before + RL_SECOND * 3600);
	clock_stop(5);
	assert_int_equal(rl_now(), 5);
	clock_advance(2);
	assert_int_equal(rl_now(), 7);
	assert_int_equal(rl_poll(NULL, 0, 8), RL_POLL_DEADLINE);
	assert_int_equal(rl_now(), 8);
	clock_reset();
	assert_true(rl_now() < before + RL_SECOND * 3600);
}

/* --- poll --- */

static void poll_tells_who_is_ready(void **state)
{
	int pair[2];
	struct rl_pollfd fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	fds[0] = (struct rl_pollfd){ .fd = pair[0], .want_read = true, .ready = true };
	fds[1] = (struct rl_pollfd){ .fd = pair[1], .want_read = true, .ready = true };
	assert_int_equal(rl_poll(fds, 2, 0), RL_POLL_DEADLINE);
	assert_false(fds[0].ready);
	assert_false(fds[1].ready);

	assert_int_equal(write(pair[0], "x", 1), 1);
	assert_int_equal(rl_poll(fds, 2, RL_FOREVER), RL_POLL_READY);
	assert_false(fds[0].ready);
	assert_true(fds[1].ready);

	fds[0].want_write = true;
	assert_int_equal(rl_poll(fds, 1, rl_now() + RL_SECOND), RL_POLL_READY);
	assert_true(fds[0].ready);
	close(pair[0]);
	close(pair[1]);
}

static void poll_tells_what_is_closed(void **state)
{
	int pair[2];
	struct rl_pollfd fd;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	close(pair[1]);
	fd = (struct rl_pollfd){ .fd = pair[0], .want_read = true };
	assert_int_equal(rl_poll(&fd, 1, RL_FOREVER), RL_POLL_READY);
	assert_true(fd.ready);
	close(pair[0]);
	fd.ready = false;
	assert_int_equal(rl_poll(&fd, 1, RL_FOREVER), RL_POLL_READY); /* not even open */
	assert_true(fd.ready);
}

static void poll_never_ends_early(void **state)
{
	for (rl_time wait = 1000; wait < 20 * RL_MILLISECOND; wait = wait * 2 + 1) {
		rl_time deadline = rl_now() + wait;

		assert_int_equal(rl_poll(NULL, 0, deadline), RL_POLL_DEADLINE);
		assert_true(rl_now() >= deadline);
	}
}

static void poll_takes_what_is_ready_after_the_deadline(void **state)
{
	int pair[2];
	struct rl_pollfd fd;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(write(pair[0], "x", 1), 1);
	fd = (struct rl_pollfd){ .fd = pair[1], .want_read = true };
	assert_int_equal(rl_poll(&fd, 1, rl_now() - RL_SECOND), RL_POLL_READY);
	assert_true(fd.ready);
	close(pair[0]);
	close(pair[1]);
}

static bool is_readable(const struct rl_waitset *set)
{
	struct rl_pollfd polled = { .fd = set->fd, .want_read = true };

	return rl_poll(&polled, 1, 0) == RL_POLL_READY;
}

static void watch_one(struct rl_waitset *set, int fd)
{
	struct rl_polls polls;

	rl_polls_begin(&polls);
	rl_polls_add(&polls, fd, true, false);
	rl_waitset_update(set, &polls);
}

/* A copy of it, in a child, say, would be ready for good; and its number may be another's soon. */
static void what_is_closed_is_not_watched(void **state)
{
	struct rl_waitset set = { .count = 0 };
	int pair[2], copy, next[2];

	assert_true(rl_waitset_open(&set));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	watch_one(&set, pair[0]);
	assert_false(is_readable(&set));
	copy = dup(pair[0]);
	assert_int_equal(write(pair[1], "x", 1), 1);
	assert_true(is_readable(&set));
	rl_socket_close(pair[0]);
	assert_false(is_readable(&set));

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, next), 0);
	assert_int_equal(next[0], pair[0]);
	watch_one(&set, next[0]);
	assert_int_equal(write(next[1], "x", 1), 1);
	assert_true(is_readable(&set));
	rl_waitset_close(&set);
	close(copy);
	close(pair[1]);
	close(next[0]);
	close(next[1]);
}

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
	signals++;
}

static void set_timer(long first_us, long then_us)
{
	struct itimerval timer = { .it_value.tv_usec = first_us, .it_interval.tv_usec = then_us };

	signal(SIGALRM, first_us ? count_signal : SIG_IGN); /* with SA_RESTART, as glibc does it */
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void poll_tells_of_a_signal(void **state)
{
	rl_time before = rl_now();

	signals = 0;
	set_timer(2000, 0);
	assert_int_equal(rl_poll(NULL, 0, before + 20 * RL_SECOND), RL_POLL_SIGNAL);
	assert_int_equal(signals, 1);
	assert_true(rl_now() < before + 10 * RL_SECOND);
	set_timer(0, 0);
}

static bool raises_a_signal(void *context)
{
	pthread_kill(pthread_self(), SIGALRM);
	*(int *)context = signals; /* it is blocked */
	return false;
}

static bool is_due(void *context)
{
	(void)context;
	return true;
}

/* Nothing is between the look and the sleep in which a signal could come and be slept over. */
static void poll_misses_no_signal_that_comes_before_it(void **state)
{
	rl_time before = rl_now();
	int looked = -1;

	signals = 0;
	signal(SIGALRM, count_signal);
	assert_int_equal(
		rl_poll_unless(NULL, 0, before + 20 * RL_SECOND, raises_a_signal, &looked), RL_POLL_SIGNAL);
	assert_int_equal(looked, 0);
	assert_int_equal(signals, 1);
	pthread_kill(pthread_self(), SIGALRM);
	assert_int_equal(signals, 2); /* none is blocked any more */
	assert_int_equal(
		rl_poll_unless(NULL, 0, before + 20 * RL_SECOND, is_due, NULL), RL_POLL_SIGNAL);
	assert_true(rl_now() < before + 10 * RL_SECOND);
	signal(SIGALRM, SIG_IGN);
}

static void poll_keeps_its_deadline_in_a_storm_of_signals(void **state)
{
	rl_time deadline = rl_now() + 50 * RL_MILLISECOND;
	enum rl_poll_result result;

	signals = 0;
	set_timer(100, 100);
	do {
		result = rl_poll(NULL, 0, deadline);
	} while (result == RL_POLL_SIGNAL && rl_now() < deadline + 10 * RL_SECOND);
	set_timer(0, 0);
	assert_int_equal(result, RL_POLL_DEADLINE);
	assert_true(signals > 10);
}

/* --- processes --- */

static bool is_next_generation(void *context)
{
	return rl_system_generation() == *(uint64_t *)context + 1;
}

static bool is_next_but_one(void *context)
{
	uint64_t own = rl_system_generation();

	return is_next_generation(context) && in_child(is_next_generation, &own);
}

static void generation_rises_in_children_alone(void **state)
{
	uint64_t own = rl_system_generation();

	assert_true(rl_system_start()); /* a second time changes nothing */
	assert_true(in_child(is_next_generation, &own));
	assert_true(in_child(is_next_but_one, &own));
	assert_int_equal(rl_system_generation(), own);
}

static void hostname_is_always_terminated(void **state)
{
	char expected[256], buffer[256];

	assert_int_equal(gethostname(expected, sizeof expected), 0);
	rl_system_hostname(buffer, sizeof buffer);
	assert_string_equal(buffer, expected);

	faults_hostname("node-7.example");
	rl_system_hostname(buffer, 5);
	assert_string_equal(buffer, "node");
	faults_hostname("");
	rl_system_hostname(buffer, sizeof buffer);
	assert_string_equal(buffer, "unknown");
	faults_hostname(NULL);
}

/* --- randomness --- */

static void random_fills_all_of_any_size(void **state)
{
	static const size_t sizes[] = { 1, 16, 255, 256, 257, 5000 };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		unsigned char *bytes = malloc(sizes[i]);
		bool seen = false;

		/* A byte that stays zero in 64 rounds was never written. */
		for (size_t at = 0; at < sizes[i]; at += sizes[i] / 5 + 1) {
			seen = false;
			for (int round = 0; round < 64 && !seen; round++) {
				memset(bytes, 0, sizes[i]);
				assert_true(rl_random_fill(bytes, sizes[i]));
				seen = bytes[at] != 0;
			}
			assert_true(seen);
		}
		free(bytes);
	}
	assert_true(rl_random_fill(NULL, 0));
}

static void random_never_repeats(void **state)
{
	enum {
		DRAWS = 2000
	};
	static uint64_t drawn[DRAWS];

	for (int i = 0; i < DRAWS; i++) {
		assert_true(rl_random_fill(&drawn[i], sizeof drawn[i]));
		for (int j = 0; j < i; j++) {
			assert_true(drawn[i] != drawn[j]);
		}
	}
}

static bool draw_into_pipe(void *context)
{
	unsigned char bytes[32];

	return rl_random_fill(bytes, sizeof bytes)
		&& write(*(int *)context, bytes, sizeof bytes) == sizeof bytes;
}

/* The stock that the parent has bought in must not be dealt out twice. */
static void random_of_a_child_is_its_own(void **state)
{
	unsigned char own[32], first[32], second[32];
	int line[2];

	assert_int_equal(pipe(line), 0);
	assert_true(rl_random_fill(own, 1));
	assert_true(in_child(draw_into_pipe, &line[1]));
	assert_true(in_child(draw_into_pipe, &line[1]));
	assert_true(rl_random_fill(own, sizeof own));
	assert_int_equal(read(line[0], first, sizeof first), sizeof first);
	assert_int_equal(read(line[0], second, sizeof second), sizeof second);
	assert_memory_not_equal(first, second, sizeof first);
	assert_memory_not_equal(first, own, sizeof first);
	close(line[0]);
	close(line[1]);
}

static void *draw_in_thread(void *context)
{
	return rl_random_fill(context, 32) ? context : NULL;
}

static void random_of_a_thread_is_its_own(void **state)
{
	unsigned char own[32], other[32];
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, draw_in_thread, other), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_non_null(result);
	assert_true(rl_random_fill(own, sizeof own));
	assert_memory_not_equal(own, other, sizeof own);
}

/* In a new generation, so that the stock is used up. */
static bool draws_from_the_device(void *context)
{
	unsigned char first[300] = { 0 }, second[300] = { 0 }, none[300] = { 0 };

	faults_no_getentropy(true);
	return rl_random_fill(first, sizeof first) && rl_random_fill(second, sizeof second)
		&& memcmp(first, second, sizeof first) != 0 && memcmp(first + 256, none, 44) != 0;
}

static bool says_that_there_is_none(void *context)
{
	struct rlimit no_more = { 0, 0 };
	unsigned char bytes[16];

	faults_no_getentropy(true);
	setrlimit(RLIMIT_NOFILE, &no_more);
	return !rl_random_fill(bytes, sizeof bytes);
}

static void random_does_without_getentropy(void **state)
{
	assert_true(in_child(draws_from_the_device, NULL));
	assert_true(in_child(says_that_there_is_none, NULL));
}

/* --- descriptors --- */

static bool is_ours_alone(int fd)
{
	return fd > STDERR_FILENO && fcntl(fd, F_GETFD) == FD_CLOEXEC;
}

static bool opens_none_of_the_standard_ones(void *context)
{
	struct rl_sleeper sleeper;
	int ends[2], fd;
	char byte;

	(void)context;
	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		close(fd);
	}
	return rl_socket_open(AF_UNIX, &fd) == 0 && is_ours_alone(fd)
		&& fcntl(fd, F_GETFL) & O_NONBLOCK && rl_descriptor_pipe(ends) && is_ours_alone(ends[0])
		&& is_ours_alone(ends[1]) && rl_sleeper_open(&sleeper) && is_ours_alone(sleeper.timer)
		&& is_ours_alone(sleeper.wake[0].fd) && is_ours_alone(sleeper.wake[1].fd)
		&& rl_descriptor_read_file("/proc/self/stat", &byte, 1) == 1
		&& fcntl(STDIN_FILENO, F_GETFD) < 0 && fcntl(STDOUT_FILENO, F_GETFD) < 0
		&& fcntl(STDERR_FILENO, F_GETFD) < 0;
}

/* The program may have closed its standard streams, and what it prints is for nobody then. */
static void what_is_opened_is_no_standard_stream(void **state)
{
	assert_true(in_child(opens_none_of_the_standard_ones, NULL));
}

static bool is_refused_cleanly(void *context)
{
	struct rlimit few = { 5, 5 };
	int ends[2], fd;
	char byte;

	(void)context;
	for (fd = STDIN_FILENO; fd < 256; fd++) { /* as closefrom(), which not every C library has */
		close(fd);
	}
	setrlimit(RLIMIT_NOFILE, &few); /* two above the standard ones */
	return rl_descriptor_pipe(ends) && !rl_descriptor_pipe((int[2]){ 0 })
		&& rl_descriptor_read_file("/proc/self/stat", &byte, 1) == 0
		&& rl_socket_open(AF_UNIX, &fd) == EMFILE && fcntl(STDIN_FILENO, F_GETFD) < 0
		&& fcntl(STDOUT_FILENO, F_GETFD) < 0;
}

static void without_room_above_them_nothing_is_open(void **state)
{
	assert_true(in_child(is_refused_cleanly, NULL));
}

static void *opens_the_first_free(void *context)
{
	rl_descriptor_unshare();
	*(int *)context = open("/dev/null", O_RDONLY);
	return NULL;
}

static bool has_what_its_thread_opens(int *opened)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, opens_the_first_free, opened) == 0
		&& pthread_join(thread, NULL) == 0 && fcntl(*opened, F_GETFD) >= 0;
}

/* Only where a standard stream is closed. */
static bool parts_where_it_has_to(void *context)
{
	int opened, kept = open("/dev/null", O_RDONLY);

	(void)context;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		dup2(kept, fd);
	}
	if (!has_what_its_thread_opens(&opened)) {
		return false;
	}
	close(STDOUT_FILENO);
	return !has_what_its_thread_opens(&opened) && opened == STDOUT_FILENO
		&& fcntl(kept, F_GETFD) >= 0;
}

static void what_others_open_in_a_thread_is_no_standard_stream(void **state)
{
	assert_true(in_child(parts_where_it_has_to, NULL));
}

/* --- sockets that a child is not to have --- */

#define MANY 300

static int sockets[MANY];

static bool has_none_of_them(void *context)
{
	(void)context;
	for (size_t i = 0; i < MANY; i++) {
		if (fcntl(sockets[i], F_GETFD) >= 0) {
			return false;
		}
	}
	return true;
}

static void a_child_has_none_of_a_threads_sockets(void **state)
{
	rl_socket_list_own(true);
	for (size_t i = 0; i < MANY; i++) {
		assert_int_equal(rl_socket_open(AF_UNIX, &sockets[i]), 0);
	}
	assert_true(in_child(has_none_of_them, NULL));
	for (size_t i = 0; i < MANY; i++) {
		assert_int_not_equal(fcntl(sockets[i], F_GETFD), -1);
		rl_socket_close(sockets[i]);
	}
	rl_socket_list_own(false);
}

/* One that a child would keep is not opened. */
static void a_socket_that_cannot_be_listed_is_none(void **state)
{
	size_t count = 0;
	int unlisted, failure = 0;

	rl_socket_list_own(true);
	for (; count < MANY && !failure; count += !failure) {
		faults_memory(0);
		failure = rl_socket_open(AF_UNIX, &sockets[count]);
		faults_memory(-1);
	}
	assert_int_equal(failure, ENOMEM);
	assert_int_equal(rl_socket_open(AF_UNIX, &unlisted), 0);
	assert_int_equal(unlisted, sockets[count]); /* its number was free again */
	rl_socket_close(unlisted);
	while (count > 0) {
		rl_socket_close(sockets[--count]);
	}
	rl_socket_list_own(false);
}

int test_system(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clock_goes_on_in_suspend),
		cmocka_unit_test(clock_of_tests_can_be_set),
		cmocka_unit_test(poll_tells_who_is_ready),
		cmocka_unit_test(poll_tells_what_is_closed),
		cmocka_unit_test(poll_never_ends_early),
		cmocka_unit_test(poll_takes_what_is_ready_after_the_deadline),
		cmocka_unit_test(what_is_closed_is_not_watched),
		cmocka_unit_test(poll_tells_of_a_signal),
		cmocka_unit_test(poll_misses_no_signal_that_comes_before_it),
		cmocka_unit_test(poll_keeps_its_deadline_in_a_storm_of_signals),
		cmocka_unit_test(generation_rises_in_children_alone),
		cmocka_unit_test(hostname_is_always_terminated),
		cmocka_unit_test(random_fills_all_of_any_size),
		cmocka_unit_test(random_never_repeats),
		cmocka_unit_test(random_of_a_child_is_its_own),
		cmocka_unit_test(random_of_a_thread_is_its_own),
		cmocka_unit_test(random_does_without_getentropy),
		cmocka_unit_test(what_is_opened_is_no_standard_stream),
		cmocka_unit_test(without_room_above_them_nothing_is_open),
		cmocka_unit_test(what_others_open_in_a_thread_is_no_standard_stream),
		cmocka_unit_test(a_child_has_none_of_a_threads_sockets),
		cmocka_unit_test(a_socket_that_cannot_be_listed_is_none),
	};

	return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
