/*
 * Leases that are renewed and watched in the background (rows C5, C7, C8, K4, M2). The clock is
 * the tests': moving it on is all the waiting there is, and what the thread does then is awaited
 * by what can be seen of it.
 */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* memfd_create */
#endif

#include "owner_rig.h"
#include "prompt.h"
#include "steps.h"

#include <pthread.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sleeper.h"
#include "lock/owner/internal.h"
#include "lock/renewal/thread.h"

#define THIRD (LEASE * RL_MILLISECOND / 3 + RL_MILLISECOND)

/* L is made to live for so long where a test wants to see it renewed. */
#define SHORT_MS 20000

static atomic_uint alarms;

static void count_alarm(void *context)
{
	(void)context;
	alarms++;
}

static const struct rl_renewal_terms renewed = { .renew = true, .max_hold = RL_FOREVER };
static const struct rl_renewal_terms alarmed = {
	.alarm = { .raise = count_alarm }
};
static const struct rl_renewal_terms both = {
	.renew = true, .max_hold = RL_FOREVER, .alarm = { .raise = count_alarm }
};

static struct rl_owner *new_by(struct rl_renewal_terms terms)
{
	return new_with_terms(rig.server.address, terms);
}

/* ---------------------------------------------------------------- what can be seen */

static void shorten(const char *key)
{
	run("PEXPIRE lock@%s %d", key, SHORT_MS);
}

static uint64_t renewals(struct rl_owner *owner)
{
	return rl_owner_stats(owner)->renewals;
}

static size_t count_entries(const char *folder)
{
	DIR *opened = opendir(folder);
	size_t count = 0;

	while (opened && readdir(opened)) {
		count++;
	}
	if (opened) {
		closedir(opened);
	}
	return count - 2; /* . and .. */
}

static size_t threads(void)
{
	return count_entries("/proc/self/task");
}

static size_t descriptors(void)
{
	return count_entries("/proc/self/fd") - 1; /* its own */
}

/* Neither one that sleeps on nor one that lingers, from the test before. */
static int reset(void **state)
{
	static size_t alone;
	int result = owners_reset(state);

	alarms = 0;
	alone = alone ? alone : threads();
	rl_renewal_stop();
	AWAIT(threads() == alone); /* one that was joined may be seen for a moment */
	return result;
}

static long long clients(void)
{
	redisReply *reply = command(rig.redis, "CLIENT LIST");
	long long count = 0;

	for (const char *at = reply->str; (at = strstr(at, "name=rlock")); at++) {
		count++;
	}
	freeReplyObject(reply);
	return count;
}

/* What the alarm has to tell. */
static enum rl_status told(struct rl_owner *owner)
{
	said = (struct rl_error){ .held = false };
	return rl_owner_alarm(owner, &said);
}

static void assert_told_of(const char *key)
{
	assert_int_equal(said.key.length, strlen(key));
	assert_memory_equal(said.key.data, key, strlen(key));
}

/* ---------------------------------------------------------------- descriptors of others */

#define NUMBERS 256

/* A file of the program's, and which numbers it has. */
static struct {
	int file;
	bool is_at[NUMBERS];
} its;

static bool is_its_file(int fd)
{
	struct stat file, other;

	return fstat(its.file, &file) == 0 && fstat(fd, &other) == 0 && file.st_ino == other.st_ino;
}

static bool has_its_file_everywhere(void *context)
{
	bool everywhere = true;

	(void)context;
	for (int fd = 0; fd < NUMBERS; fd++) {
		everywhere = everywhere && (!its.is_at[fd] || is_its_file(fd));
	}
	return everywhere;
}

static void note_open(bool is_open[NUMBERS])
{
	for (int fd = 0; fd < NUMBERS; fd++) {
		is_open[fd] = fcntl(fd, F_GETFD) >= 0;
	}
}

/* The owner's connection stays. */
static void put_its_file_in_place_of_the_threads(struct rl_owner *owner, const bool before[NUMBERS])
{
	struct rl_server *server;
	struct rl_connection *connection = lend_for(owner->route, "lock@job", &server);
	bool now[NUMBERS];

	note_open(now);
	now[connection->transport->fd] = false;
	rl_server_return(server, connection);
	for (int fd = 0; fd < NUMBERS; fd++) {
		its.is_at[fd] = now[fd] && !before[fd];
		if (its.is_at[fd]) {
			dup2(its.file, fd);
		}
	}
}

static void take_its_file_away(void)
{
	for (int fd = 0; fd < NUMBERS; fd++) {
		if (its.is_at[fd]) {
			close(fd);
		}
	}
	close(its.file);
}

/* As a daemon does that closes "all descriptors", and then opens its own. */
static void others_get_the_descriptors(struct rl_renewal_terms terms)
{
	struct rl_owner *owner = new_by(terms);
	size_t before = threads();
	bool open[NUMBERS];
	char text[16];

	its.file = memfd_create("its", MFD_CLOEXEC);
	assert_int_equal(write(its.file, "its own", 7), 7);
	assert_int_equal(lseek(its.file, 0, SEEK_SET), 0);
	note_open(open);
	assert_status(own(owner, "job", LEASE), RL_OK);
	clock_advance(THIRD);
	AWAIT(renewals(owner) == 1); /* it has a connection */
	AWAIT(clock_sleeper_sleeps());
	put_its_file_in_place_of_the_threads(owner, open);
	assert_true(in_child(has_its_file_everywhere, NULL));
	AWAIT(threads() == before);
	clock_advance(THIRD);
	assert_int_equal(renewals(owner), 1);
	assert_true(has_its_file_everywhere(NULL));
	assert_int_equal(lseek(its.file, 0, SEEK_CUR), 0);
	assert_int_equal(read(its.file, text, sizeof text), 7);
	assert_memory_equal(text, "its own", 7);

	if (terms.alarm.raise) {
		assert_int_equal(alarms, 1);
		assert_status(told(owner), RL_TIMED_OUT);
	} else {
		assert_non_null(strstr(view(owner, "job").failure, "has closed the descriptors"));
		expire_here(owner, "job");
		expire_on_server("job");
		assert_status(disown(owner, "job"), RL_TIMED_OUT);
	}
	assert_non_null(strstr(said.message, "has closed the descriptors"));

	/* The next one has a thread again. */
	assert_status(own(owner, "job", LEASE), RL_OK);
	clock_advance(THIRD);
	AWAIT(renewals(owner) == 2);
	assert_true(has_its_file_everywhere(NULL));
	end_owner(owner);
	take_its_file_away();
}

static void a_thread_without_its_descriptors_touches_no_others(void **state)
{
	others_get_the_descriptors(renewed);
}

static void and_raises_the_alarm(void **state)
{
	others_get_the_descriptors(both);
}

/* ---------------------------------------------------------------- renewing */

static void a_lease_is_renewed_at_a_third(void **state)
{
	struct rl_owner *owner = new_by(renewed);

	assert_status(own(owner, "job", LEASE), RL_OK);
	for (unsigned i = 1; i <= 5; i++) {
		shorten("job");
		clock_advance(THIRD);
		AWAIT(renewals(owner) == i);
		assert_true(server_left("job") > LEASE - PATIENCE_MS);
		assert_true(view(owner, "job").left > (LEASE - PATIENCE_MS) * RL_MILLISECOND);
		assert_status(check_lock(owner, "job"), RL_OK);
	}
	assert_status(disown(owner, "job"), RL_OK);
	assert_false(is_taken("job"));
}

/* E5: timeouts may be what is left of a request. */
static void timeouts_make_no_other_connection(void **state)
{
	struct rl_owner *owners[5];

	for (int i = 0; i < 5; i++) {
		char address[160], key[16];

		snprintf(address, sizeof address, "%s?timeout=%d&connect_timeout=%d", rig.server.address,
			5 + i, 10 - i);
		snprintf(key, sizeof key, "job%d", i);
		owners[i] = new_with_terms(address, renewed);
		assert_status(own(owners[i], key, LEASE), RL_OK);
	}
	clock_advance(THIRD);
	for (int i = 0; i < 5; i++) {
		AWAIT(renewals(owners[i]) == 1);
	}
	AWAIT(clients() == 5 + 1); /* their own, and the thread's */
}

static void it_is_not_renewed_before(void **state)
{
	struct rl_owner *owner = new_by(renewed), *sentry = new_by(renewed);

	assert_status(own(owner, "job", 3 * LEASE), RL_OK);
	assert_status(own(sentry, "sentry", LEASE), RL_OK);
	clock_advance(THIRD);
	AWAIT(renewals(sentry) == 1);
	assert_int_equal(renewals(owner), 0);
	assert_status(disown(owner, "job"), RL_OK);
}

/*
 * In real time, which nobody moves on: the thread is woken for what comes before it would wake up.
 */
static void a_short_lease_wakes_the_thread(void **state)
{
	struct rl_owner *owner = new_by(both), *other = new_by(alarmed);
	rl_time before = clock_real();

	assert_status(own(owner, "long", LEASE), RL_OK);
	assert_status(own(owner, "short", 1500), RL_OK);
	AWAIT(renewals(owner) == 1);
	assert_true(clock_real() - before >= 500 * RL_MILLISECOND);
	assert_status(disown(owner, "short"), RL_OK);
	assert_status(prolong(owner, "long", 1500), RL_OK);
	AWAIT(renewals(owner) == 2);
	assert_status(own(other, "job", 100), RL_OK);
	AWAIT(alarms == 1);
	assert_status(told(other), RL_TIMED_OUT);
}

static void an_owner_without_it_has_no_thread(void **state)
{
	struct rl_owner *owner = new_owner();
	size_t before = threads();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_int_equal(threads(), before);
	assert_int_equal(rl_owner_stats(owner)->renewals, 0);
}

static void many_go_out_before_the_first_answer(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, renewed);
	char key[32];

	for (int i = 0; i < 200; i++) {
		snprintf(key, sizeof key, "job%d", i);
		assert_status(own(owner, key, LEASE), RL_OK);
		shorten(key);
		clock_advance(20 * RL_MILLISECOND);
	}
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_HOLD });
	clock_advance(THIRD - 3 * RL_SECOND); /* the first is due, and the others go along */
	for (int i = 0; i < 200; i++) {
		snprintf(key, sizeof key, "job%d", i);
		AWAIT(server_left(key) > SHORT_MS);
	}
	assert_int_equal(renewals(owner), 0);
	proxy_let_go(&proxy);
	AWAIT(renewals(owner) == 200);
	assert_int_equal(disown_all(owner).released, 200);
}

static void owners_share_one_connection_of_the_thread(void **state)
{
	struct rl_owner *a = new_by(renewed), *b = new_by(both), *c = new_by(renewed);

	assert_status(own(a, "a", LEASE), RL_OK);
	assert_status(own(b, "b", LEASE), RL_OK);
	assert_status(own(c, "c", LEASE), RL_OK);
	assert_int_equal(clients(), 3);
	clock_advance(THIRD);
	AWAIT(renewals(a) == 1 && renewals(b) == 1 && renewals(c) == 1);
	assert_int_equal(clients(), 4);
}

static void a_server_that_hangs_costs_no_other_its_leases(void **state)
{
	struct rl_owner *hung = new_with_terms(proxy.address, renewed), *owner = new_by(renewed);

	assert_status(own(hung, "hung", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(owner, "short", 1200), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1000, .fault = PROXY_STALL });
	/* of the clock; the short one is renewed many times, whatever becomes of the hung one */
	for (int i = 0; i < 55; i++) {
		uint64_t before = renewals(owner);

		clock_advance(401 * RL_MILLISECOND);
		AWAIT(renewals(owner) > before);
	}
	assert_status(check_lock(owner, "short"), RL_OK);
	assert_int_equal(renewals(hung), 0);
	assert_true(proxy.struck > 0);
	proxy_let_go(&proxy);
}

/* Nor do two, between which the tries could go to and fro. */
static void nor_do_two(void **state)
{
	struct rl_owner *owner = new_by(both), *hung = new_with_terms(proxy.address, renewed),
					*hung_too;
	char address[128];

	/* for the thread that is another server */
	snprintf(address, sizeof address, "%s?db=1", proxy.address);
	hung_too = new_with_terms(address, renewed);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1000, .fault = PROXY_STALL });
	assert_status(own(hung, "hung", 3000), RL_OK);
	assert_status(own(hung_too, "hung too", 3000), RL_OK);
	assert_status(own(owner, "job", 3000), RL_OK);
	clock_advance(1001 * RL_MILLISECOND);
	AWAIT(renewals(owner) == 1);
	assert_true(proxy.struck >= 2);
	assert_int_equal(alarms, 0);
	proxy_let_go(&proxy);
}

static void a_server_that_hangs_delays_no_alarm(void **state)
{
	struct rl_owner *hung = new_with_terms(proxy.address, renewed), *owner = new_by(alarmed);
	struct prompt_moment before;

	assert_status(own(hung, "hung", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_STALL });
	clock_advance(THIRD - 100 * RL_MILLISECOND);
	before = prompt_now();
	assert_status(own(owner, "job", 800), RL_OK);
	AWAIT(proxy.struck == 1); /* a try that might take 5 s */
	AWAIT(alarms == 1);
	expect_soon(prompt_since(before), 2 * RL_SECOND + A_MOMENT);
	proxy_let_go(&proxy);
}

/* ---------------------------------------------------------------- where it ends */

static void k4_what_ran_out_in_suspend_is_not_renewed(void **state)
{
	struct rl_owner *owner = new_by(both);

	assert_status(own(owner, "job", LEASE), RL_OK);
	shorten("job");
	/* it was asleep meanwhile, and the server's clock is not ours */
	clock_advance(LEASE * RL_MILLISECOND);
	AWAIT(alarms == 1);
	assert_int_equal(renewals(owner), 0);
	assert_true(server_left("job") <= SHORT_MS);
	assert_status(check_lock(owner, "job"), RL_TIMED_OUT);
	assert_false(is_taken("job"));
}

static void c5_nothing_is_renewed_before_check_tells(void **state)
{
	struct rl_owner *owner = new_by(renewed);

	for (int i = 0; i < 20; i++) {
		assert_status(own(owner, "job", LEASE), RL_OK);
		clock_advance(LEASE * RL_MILLISECOND);
		assert_status(check_lock(owner, "job"), RL_TIMED_OUT);
		assert_status(disown(owner, "job"), RL_NO);
	}
	assert_int_equal(renewals(owner), 0);
}

/* The clock moves while the thread connects: what was in time is not any more. */
static void the_clock_is_read_before_the_first_byte(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, both);

	assert_status(own(owner, "job", LEASE), RL_OK);
	shorten("job");
	proxy_add(&proxy, (struct proxy_rule){ .word = "CLIENT", .times = 1, .fault = PROXY_HOLD });
	clock_advance(THIRD);
	AWAIT(proxy.struck == 1);
	clock_advance(LEASE * RL_MILLISECOND);
	proxy_let_go(&proxy);
	AWAIT(alarms == 1);
	assert_int_equal(renewals(owner), 0);
	assert_true(server_left("job") <= SHORT_MS);
}

/* Its deadline has passed, and that of the try has not. */
static void what_ran_out_while_it_connected_is_not_sent(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, renewed);
	rl_time left;

	assert_status(own(owner, "job", LEASE), RL_OK);
	shorten("job");
	left = view(owner, "job").left;
	proxy_add(&proxy, (struct proxy_rule){ .word = "CLIENT", .times = 1, .fault = PROXY_HOLD });
	clock_advance(left - RL_SECOND);
	AWAIT(proxy.struck == 1);
	clock_advance(RL_SECOND);
	proxy_let_go(&proxy);
	for (int i = 0; i < 20; i++) {
		pause_a_moment();
	}
	assert_int_equal(renewals(owner), 0);
	assert_true(server_left("job") <= SHORT_MS);
}

static void it_stops_at_max_hold(void **state)
{
	struct rl_renewal_terms terms = both;
	struct rl_owner *owner;

	terms.max_hold = LEASE * RL_MILLISECOND;
	owner = new_by(terms);
	assert_status(own(owner, "job", LEASE), RL_OK);
	clock_advance(THIRD);
	AWAIT(renewals(owner) == 1);
	clock_advance(THIRD);
	AWAIT(renewals(owner) == 2);
	assert_status(own(owner, "job", LEASE), RL_OK); /* a level more is no other take */
	clock_advance(THIRD);
	clock_advance(2 * THIRD);
	AWAIT(alarms == 1);
	assert_int_equal(renewals(owner), 2);
	assert_status(told(owner), RL_TIMED_OUT);
}

static void assert_said(const char *words)
{
	if (!strstr(said.message, words)) {
		fail_msg("\"%s\" is not in: %s", words, said.message);
	}
}

/* What to do about it depends on why it was not renewed. */
static void a_late_lease_says_why_it_was_not_renewed(void **state)
{
	struct rl_renewal_terms limited = renewed;
	struct rl_owner *plain = new_owner(), *owner = new_by(renewed), *held;

	assert_status(own(plain, "plain", LEASE), RL_OK);
	expire_on_server("plain");
	expire_here(plain, "plain");
	assert_status(disown(plain, "plain"), RL_TIMED_OUT);
	assert_said("Take it with a longer ttl, or prolongate it in time");

	limited.max_hold = LEASE * RL_MILLISECOND / 2;
	held = new_by(limited);
	assert_status(own(held, "held", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	expire_on_server("held");
	expire_on_server("job");
	clock_advance(LEASE * RL_MILLISECOND);
	assert_status(disown(owner, "job"), RL_TIMED_OUT);
	assert_said(
		"autoRenew could not renew it: the process was paused, or the server away, for longer than the lease");
	assert_null(strstr(said.message, "longer ttl"));
	assert_status(disown(held, "held"), RL_TIMED_OUT);
	assert_said("autoRenew ended with maxHold");
}

/* What the server said, or why it was not reached, and for that lease alone. */
static void a_late_lease_says_what_its_renewal_failed_of(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, renewed);

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(owner, "other", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend,
			.times = 1000,
			.fault = PROXY_ANSWER,
			.answer = "-NOPERM no more\r\n" });
	clock_advance(THIRD);
	AWAIT(view(owner, "job").failure);
	expire_on_server("job");
	clock_advance(view(owner, "job").left + 2 * RL_SECOND);
	assert_status(disown(owner, "job"), RL_TIMED_OUT);
	assert_said("The last renewal failed ");
	assert_said("NOPERM no more");
	proxy_let_go(&proxy);
	assert_status(prolong(owner, "other", LEASE), RL_OK); /* the server had it still */
	assert_null(view(owner, "other").failure);
	expire_on_server("other");
	taken_between("other");
	clock_advance(LEASE * RL_MILLISECOND);
	assert_status(disown(owner, "other"), RL_LOST);
	assert_null(strstr(said.message, "NOPERM"));
}

/* Its lock may be held for long after that, and nobody wants to be alarmed. */
static void after_max_hold_it_needs_no_thread(void **state)
{
	struct rl_renewal_terms terms = renewed;
	struct rl_owner *owner, *sentry = new_by(both);
	static const uint64_t renewed_by_then[] = { 2, 3, 5 };
	size_t before = threads();

	terms.max_hold = LEASE * RL_MILLISECOND / 2;
	owner = new_by(terms);
	for (int i = 0; i < 3; i++) {
		assert_status(own(owner, "job", LEASE), RL_OK);
		assert_status(own(owner, "lost", LEASE), RL_OK);
		assert_int_equal(threads(), before + 1);
		if (i == 1) {
			assert_status(own(sentry, "sentry", LEASE), RL_OK);
			run("DEL lock@lost");
		}
		clock_advance(THIRD);
		AWAIT(renewals(owner) == renewed_by_then[i]);
		clock_advance(THIRD);
		if (i == 1) {
			AWAIT(renewals(sentry) == 2);
			assert_int_equal(threads(), before + 1);
			assert_status(disown(sentry, "sentry"), RL_OK);
		}
		AWAIT(threads() == before);
		assert_status(check_lock(owner, "job"), RL_OK);
		assert_status(prolong(owner, "job", LEASE / 10), RL_OK); /* which wakes nobody */
		assert_int_equal(threads(), before);
		assert_status(disown(owner, "job"), RL_OK);
		assert_status(disown(owner, "lost"), i == 1 ? RL_LOST : RL_OK);
	}
	assert_int_equal(renewals(owner), 5);
}

/* Its deadline is to be told. */
static void but_an_alarm_does(void **state)
{
	struct rl_renewal_terms terms = both;
	struct rl_owner *owner;
	size_t before = threads();

	terms.max_hold = LEASE * RL_MILLISECOND / 2;
	owner = new_by(terms);
	assert_status(own(owner, "job", LEASE), RL_OK);
	clock_advance(THIRD);
	AWAIT(renewals(owner) == 1);
	clock_advance(THIRD);
	pause_a_moment();
	assert_int_equal(threads(), before + 1);
	clock_advance(2 * THIRD);
	AWAIT(alarms == 1);
	assert_status(told(owner), RL_TIMED_OUT);
	AWAIT(threads() == before);
}

/* It was due before that; then the process was stopped. */
static void it_stops_at_max_hold_though_it_was_due(void **state)
{
	struct rl_renewal_terms terms = both;
	struct rl_owner *owner, *sentry = new_by(renewed);

	terms.max_hold = LEASE * RL_MILLISECOND / 2;
	owner = new_by(terms);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(sentry, "sentry", LEASE), RL_OK);
	clock_advance(LEASE * RL_MILLISECOND / 10 * 6);
	AWAIT(renewals(sentry) == 1);
	clock_advance(LEASE * RL_MILLISECOND / 10 * 4);
	AWAIT(alarms == 1);
	assert_int_equal(renewals(owner), 0);
	assert_status(told(owner), RL_TIMED_OUT);
}

static void after_the_release_none_is_sent(void **state)
{
	struct rl_owner *owner = new_by(renewed), *other = new_owner(), *sentry = new_by(renewed);

	assert_status(own(sentry, "sentry", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	assert_status(own(other, "job", LEASE), RL_OK);
	shorten("job");
	clock_advance(THIRD);
	AWAIT(renewals(sentry) == 1);
	assert_int_equal(renewals(owner), 0);
	assert_true(server_left("job") <= SHORT_MS);
}

static void what_was_handed_over_is_renewed_by_who_adopts_it(void **state)
{
	struct rl_owner *giver = new_by(both), *taker = new_by(renewed);
	struct rl_token token = { .text = NULL };

	assert_status(own(giver, "job", LEASE), RL_OK);
	assert_status(hand_over(giver, "job", LEASE, &token), RL_OK);
	assert_status(adopt(taker, "job", &token, LEASE), RL_OK);
	shorten("job");
	clock_advance(THIRD);
	AWAIT(renewals(taker) == 1);
	assert_true(server_left("job") > SHORT_MS);
	assert_int_equal(renewals(giver), 0);
	assert_int_equal(alarms, 0);
	assert_status(disown(taker, "job"), RL_OK);
	rl_token_free(&token);
}

/* ---------------------------------------------------------------- trouble on the way */

static void it_is_tried_again_until_the_deadline(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, both);

	assert_status(own(owner, "job", LEASE), RL_OK);
	shorten("job");
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend,
			.times = 20,
			.fault = PROXY_CUT_BEFORE,
			.fails = true });
	clock_advance(THIRD);
	for (int cut = 1; cut < 20; cut++) {
		AWAIT(proxy.struck >= (unsigned)cut);
		clock_advance(RL_SECOND); /* no pause is longer */
	}
	AWAIT(renewals(owner) == 1);
	assert_int_equal(alarms, 0);
	assert_true(server_left("job") > SHORT_MS);
}

/* As if the server had been heard to keep it for longer. */
static void a_renewal_moves_the_deadline_only_later(void **state)
{
	struct rl_owner *owner = new_by(renewed);
	rl_time left;

	assert_status(own(owner, "job", LEASE), RL_OK);
	rl_task_lock();
	rl_tasks.first->lease->tenure.safe_until += LEASE * RL_MILLISECOND;
	rl_task_unlock();
	clock_advance(THIRD);
	AWAIT(renewals(owner) == 1);
	assert_status(check_lock(owner, "job"), RL_OK);
	left = view(owner, "job").left;
	assert_true(left > LEASE * RL_MILLISECOND);
}

/* Until the only task's next try is due, when its last one has failed; the clock stands still. */
static rl_time until_next_try(void)
{
	rl_time left = 0;

	for (int tries = 0; left <= 0; tries++) {
		assert_true(tries < 10000);
		pause_a_moment();
		rl_task_lock();
		left = rl_tasks.first->in_flight ? 0 : rl_tasks.first->renew_at - rl_now();
		rl_task_unlock();
	}
	return left;
}

/* So clients that lost a server together do not come back together. */
static void no_two_pauses_between_tries_are_alike(void **state)
{
	static const struct {
		int64_t lease_ms, most_ms;
	} cases[] = { { LEASE, 1000 }, { 6000, 500 } }; /* a second, or a twelfth of the lease */

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rl_owner *owner = new_with_terms(proxy.address, both);
		rl_time first = 0, pause, least = cases[i].most_ms * RL_MILLISECOND / 2;
		bool differ = false;

		clock_stop(rl_now());
		assert_status(own(owner, "job", cases[i].lease_ms), RL_OK);
		proxy_add(&proxy,
			(struct proxy_rule){
				.script = &rl_script_extend, .times = 1000, .fault = PROXY_CUT_BEFORE });
		clock_advance(cases[i].lease_ms * RL_MILLISECOND / 3);
		for (int cut = 0; cut < 4; cut++) {
			pause = until_next_try();
			assert_in_range(pause, least, 2 * least);
			first = first ? first : pause;
			differ |= pause != first;
			clock_advance(pause);
		}
		assert_true(differ);
		proxy_let_go(&proxy);
		assert_status(disown(owner, "job"), RL_OK);
		end_owner(owner);
		clock_reset();
	}
}

static void and_no_longer(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, both);
	unsigned struck;

	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){
			.script = &rl_script_extend, .times = 1000, .fault = PROXY_CUT_BEFORE });
	clock_advance(THIRD);
	AWAIT(proxy.struck == 1);
	clock_advance(2 * THIRD);
	AWAIT(alarms == 1);
	struck = proxy.struck;
	clock_advance(2 * RL_SECOND);
	pause_a_moment();
	assert_int_equal(proxy.struck, struck);
	assert_status(told(owner), RL_TIMED_OUT); /* the server had it still: it was given back */
	assert_false(is_taken("job"));
}

static void without_a_server_it_is_told_soon_after_the_deadline(void **state)
{
	struct rl_owner *owner = new_by(both);
	struct prompt_moment before;

	assert_status(own(owner, "job", LEASE), RL_OK);
	throwaway_freeze(&rig.server);
	clock_advance(LEASE * RL_MILLISECOND);
	AWAIT(alarms == 1);
	before = prompt_now();
	assert_status(told(owner), RL_LOST);
	expect_soon(prompt_since(before), RL_SECOND + A_MOMENT);
	assert_told_of("job");
	kill(rig.server.pid, SIGCONT);
	assert_status(own(owner, "other", LEASE), RL_OK); /* the next contact undoes */
	await_free("job");
}

/*
 * An answer that is late is waited for, for a third of the lease, in real time: to come back would
 * cost more.
 */
static void a_late_answer_is_waited_for(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, both);
	unsigned connections;

	assert_status(own(owner, "job", 4800), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_HOLD });
	clock_advance(1601 * RL_MILLISECOND);
	AWAIT(proxy.struck == 1);
	connections = proxy.connections;
	for (rl_time until = clock_real() + RL_SECOND; clock_real() < until;) {
		pause_a_moment();
	}
	proxy_let_go(&proxy);
	AWAIT(renewals(owner) == 1);
	assert_int_equal(proxy.connections, connections);
	assert_int_equal(alarms, 0);
}

/* Through the proxy, with a lease of 3 s, by a thread that is connected by now. */
static struct rl_owner *new_renewed(void)
{
	struct rl_owner *owner = new_with_terms(proxy.address, both);

	assert_status(own(owner, "job", 3000), RL_OK);
	clock_advance(1001 * RL_MILLISECOND);
	AWAIT(renewals(owner) == 1);
	return owner;
}

/* Nothing comes back on it, and nobody says that it has ended. */
static void s13_a_connection_that_leads_nowhere_is_left_in_time(void **state)
{
	struct rl_owner *owner = new_renewed();
	unsigned connections = proxy.connections;

	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_STALL });
	clock_advance(1001 * RL_MILLISECOND);
	AWAIT(renewals(owner) == 2);
	assert_int_equal(proxy.struck, 1);
	assert_int_equal(proxy.connections, connections + 1);
	assert_int_equal(alarms, 0);
	assert_status(check_lock(owner, "job"), RL_OK);
	proxy_let_go(&proxy);
}

/* For so long that the first try has failed, and another one waits for it. */
static void s10_a_frozen_server_that_thaws_keeps_its_leases(void **state)
{
	struct rl_owner *owner = new_renewed();
	unsigned connections = proxy.connections;

	throwaway_freeze(&rig.server);
	clock_advance(1001 * RL_MILLISECOND);
	AWAIT(proxy.connections > connections);
	kill(rig.server.pid, SIGCONT);
	AWAIT(renewals(owner) == 2);
	assert_int_equal(alarms, 0);
	assert_status(check_lock(owner, "job"), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
}

static void a_flushed_script_is_loaded_again(void **state)
{
	struct rl_owner *owner = new_by(renewed);
	char key[32];

	for (int i = 0; i < 10; i++) {
		snprintf(key, sizeof key, "job%d", i);
		assert_status(own(owner, key, LEASE), RL_OK);
	}
	for (int i = 1; i <= 3; i++) {
		run("SCRIPT FLUSH");
		clock_advance(THIRD);
		AWAIT(renewals(owner) == 10u * (unsigned)i);
	}
}

static void it_goes_on_on_a_new_connection(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, both);

	assert_status(own(owner, "job", LEASE), RL_OK);
	for (unsigned i = 1; i <= 3; i++) {
		clock_advance(THIRD);
		AWAIT(renewals(owner) == i);
		proxy_cut(&proxy);
	}
	assert_int_equal(alarms, 0);
}

static void a_refusal_that_passes_is_ridden_out(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, both);
	const struct proxy_rule busy = { .script = &rl_script_extend,
		.times = 3,
		.fault = PROXY_ANSWER,
		.answer = "-LOADING Redis is loading\r\n" };

	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_add(&proxy, busy);
	clock_advance(THIRD);
	AWAIT(renewals(owner) == 1);
	assert_int_equal(proxy.struck, 3);
	assert_int_equal(alarms, 0);
}

/* Replicas, of which the proxy says how many have acknowledged. */
static void replicas_acknowledge(unsigned times, const char *answer)
{
	proxy_add(&proxy,
		(struct proxy_rule){
			.word = "WAIT", .times = times, .fault = PROXY_ANSWER, .answer = answer });
}

static struct rl_owner *new_with_replicas(void)
{
	struct rl_owner *owner = new_with_terms(proxy.address, both);

	owner->route->replicas = 2;
	return owner;
}

/* T4 */
static void what_too_few_replicas_have_does_not_count(void **state)
{
	static const struct {
		enum proxy_fault fault;
		const char *answer;
	} failures[] = {
		{ PROXY_ANSWER, ":1\r\n" },
		{ PROXY_ANSWER, "-NOPERM this user has no permissions to run the 'wait' command\r\n" },
		{ PROXY_ANSWER, "+OK\r\n" },
		{ PROXY_CUT_BEFORE, NULL },
	};

	for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
		const struct proxy_rule failing = { .word = "WAIT",
			.times = 3,
			.fault = failures[i].fault,
			.answer = failures[i].answer,
			.fails = true };
		struct rl_owner *owner = new_with_replicas();
		unsigned before = proxy.struck;

		replicas_acknowledge(2, ":2\r\n");
		assert_status(own(owner, "one", LEASE), RL_OK);
		assert_status(own(owner, "two", LEASE), RL_OK);
		shorten("one");
		proxy_add(&proxy, failing);
		clock_advance(THIRD);
		for (unsigned again = 1; again <= 3; again++) {
			AWAIT(proxy.struck >= before + 2 + again); /* asked once for both */
			assert_int_equal(renewals(owner), 0);
			assert_true(view(owner, "one").left < (LEASE - LEASE / 3) * RL_MILLISECOND);
			if (again == 3) {
				replicas_acknowledge(1, ":2\r\n");
			}
			clock_advance(RL_SECOND); /* no pause is longer */
		}
		AWAIT(renewals(owner) == 2);
		assert_true(server_left("one") > SHORT_MS);
		assert_true(view(owner, "one").left > (LEASE - PATIENCE_MS) * RL_MILLISECOND);
		assert_int_equal(alarms, 0);
		assert_int_equal(disown_all(owner).released, 2);
		end_owner(owner);
		proxy_let_go(&proxy);
	}
}

/* T4: the server has it still, but no replica may. */
static void and_ends_in_time(void **state)
{
	struct rl_owner *owner = new_with_replicas();

	replicas_acknowledge(1, ":2\r\n");
	assert_status(own(owner, "job", LEASE), RL_OK);
	replicas_acknowledge(1000, ":1\r\n");
	clock_advance(THIRD);
	AWAIT(proxy.struck == 2);
	run("PERSIST lock@job");
	clock_advance(2 * THIRD);
	AWAIT(alarms == 1);
	assert_status(told(owner), RL_TIMED_OUT);
	assert_false(is_taken("job"));
	proxy_let_go(&proxy);
}

/* T4: that it is not ours any more is so whatever replicas say. */
static void what_is_lost_is_told_without_replicas(void **state)
{
	struct rl_owner *owner = new_with_replicas();

	replicas_acknowledge(2, ":2\r\n");
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(owner, "other", LEASE), RL_OK);
	run("DEL lock@job");
	replicas_acknowledge(1000, ":0\r\n");
	clock_advance(THIRD);
	AWAIT(alarms == 1);
	assert_status(told(owner), RL_LOST);
	assert_told_of("job");
	assert_status(check_lock(owner, "other"), RL_OK);
	proxy_let_go(&proxy);
}

/* T4: nor are they waited for where nothing was done that they should have. */
static void what_is_lost_does_not_wait_for_replicas(void **state)
{
	struct rl_owner *owner = new_with_replicas();
	struct prompt_moment began;

	replicas_acknowledge(1, ":2\r\n");
	assert_status(own(owner, "job", LEASE), RL_OK);
	run("DEL lock@job");
	proxy_add(&proxy, (struct proxy_rule){ .word = "WAIT", .times = 1, .fault = PROXY_STALL });
	began = prompt_now();
	clock_advance(THIRD);
	AWAIT(alarms == 1);
	expect_soon(prompt_since(began), 2 * RL_SECOND); /* of a deadline of 5 s */
	assert_status(told(owner), RL_LOST);
	proxy_let_go(&proxy);
}

/* ---------------------------------------------------------------- beside what the owner sends */

static void a_prolongation_sets_what_is_renewed(void **state)
{
	struct rl_owner *owner = new_by(renewed);

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(prolong(owner, "job", LEASE / 3), RL_OK);
	clock_advance(THIRD / 3);
	AWAIT(renewals(owner) == 1);
	assert_in_range(server_left("job"), 1, LEASE / 3);
	assert_in_range(view(owner, "job").left, 1, LEASE / 3 * RL_MILLISECOND);
	assert_status(prolong(owner, "job", 2 * LEASE), RL_OK);
	clock_advance(THIRD);
	clock_advance(THIRD);
	AWAIT(renewals(owner) == 2);
	assert_true(server_left("job") > 2 * LEASE - PATIENCE_MS);
}

static void a_reentry_never_shortens_it(void **state)
{
	struct rl_owner *owner = new_by(renewed);

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE / 10), RL_OK);
	clock_advance(THIRD);
	AWAIT(renewals(owner) == 1);
	assert_true(server_left("job") > LEASE - PATIENCE_MS);
	assert_status(own(owner, "job", 2 * LEASE), RL_OK);
	clock_advance(2 * THIRD);
	AWAIT(renewals(owner) == 2);
	assert_true(server_left("job") > 2 * LEASE - PATIENCE_MS);
}

/*
 * A renewal that nobody heard the end of may reach the server late, after a longer lease was set.
 */
static void l1_a_late_renewal_changes_no_prolongation(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, renewed);

	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_LATE });
	clock_advance(THIRD);
	AWAIT(proxy.struck == 1);
	assert_status(prolong(owner, "job", 10 * LEASE), RL_OK);
	assert_true(view(owner, "job").left > (10 * LEASE - LEASE / 5) * RL_MILLISECOND);
	assert_int_equal(proxy_deliver(&proxy), 1);
	assert_true(server_left("job") > 10 * LEASE - PATIENCE_MS);
}

/* The thread asks again at once for what was not answered; then late copies change nothing. */
static void l1_a_shorter_lease_that_was_not_answered_is_asked_for_again(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, renewed);
	int64_t fence;

	assert_status(own(owner, "job", LEASE), RL_OK);
	fence = view(owner, "job").fence;
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend,
			.times = 2,
			.fault = PROXY_LATE,
			.fails = true });
	assert_status(prolong(owner, "job", LEASE / 3), RL_UNREACHABLE);
	AWAIT(renewals(owner) == 1);
	assert_in_range(server_left("job"), 1, LEASE / 3);
	assert_int_equal(view(owner, "job").fence, fence + 1);
	assert_in_range(view(owner, "job").left, 1, LEASE / 3 * RL_MILLISECOND);
	assert_status(prolong(owner, "job", 2 * LEASE), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 2);
	assert_true(server_left("job") > LEASE);
	assert_status(disown(owner, "job"), RL_OK);
}

/*
 * A renewal is on its way when the owner prolongs: whichever comes first, what the owner asked for
 * holds.
 */
static void a_prolongation_overtakes_a_renewal_that_is_out(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, renewed);

	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_STALL });
	clock_advance(THIRD);
	AWAIT(proxy.struck == 1);
	assert_status(prolong(owner, "job", LEASE / 2), RL_OK);
	proxy_let_go(&proxy);
	for (int i = 0; i < 20; i++) {
		pause_a_moment();
	}
	assert_in_range(server_left("job"), 1, LEASE / 2);
	assert_in_range(view(owner, "job").left, 1, LEASE / 2 * RL_MILLISECOND);
	assert_int_equal(renewals(owner), 0);
	assert_status(disown(owner, "job"), RL_OK);
}

#define BRIEF_LEASE 6000 /* ms: a third is less than a call's deadline */

/* A third of the lease passes while the hand-over is on its way; then that goes on. */
static void *pass_a_third_on_the_way(void *unused)
{
	(void)unused;
	for (int tries = 0; proxy.struck == 0 && tries < 10000; tries++) {
		pause_a_moment();
	}
	clock_advance(BRIEF_LEASE * RL_MILLISECOND / 3);
	for (int i = 0; i < 50; i++) {
		pause_a_moment();
	}
	proxy_let_go(&proxy);
	return NULL;
}

static void nothing_is_renewed_once_a_hand_over_has_begun(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, renewed);
	struct rl_token token;
	pthread_t thread;

	assert_status(own(owner, "job", BRIEF_LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_STALL });
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_CUT_BEFORE });
	assert_int_equal(pthread_create(&thread, NULL, pass_a_third_on_the_way, NULL), 0);
	assert_status(hand_over(owner, "job", 0, &token), RL_OK);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(proxy.struck, 1);
	rl_token_free(&token);
}

static void what_ran_out_and_is_prolonged_can_run_out_again(void **state)
{
	struct rl_owner *owner = new_by(alarmed);

	assert_status(own(owner, "job", LEASE), RL_OK);
	for (unsigned i = 1; i <= 3; i++) {
		clock_advance(LEASE * RL_MILLISECOND);
		AWAIT(alarms == i);
		expire_on_server("job");
		assert_status(prolong(owner, "job", LEASE), RL_TIMED_OUT);
	}
}

static void what_ran_out_and_is_prolonged_is_renewed_again(void **state)
{
	struct rl_owner *owner = new_by(both);

	assert_status(own(owner, "job", LEASE), RL_OK);
	clock_advance(LEASE * RL_MILLISECOND);
	AWAIT(alarms == 1);
	expire_on_server("job");
	assert_status(prolong(owner, "job", LEASE), RL_TIMED_OUT);
	assert_true(said.held);
	assert_status(told(owner), RL_OK); /* that has been told */
	clock_advance(THIRD);
	AWAIT(renewals(owner) == 1);
	assert_status(disown(owner, "job"), RL_OK);
}

/* ---------------------------------------------------------------- what is lost */

static void ends_as(struct rl_owner *owner, const char *key, enum rl_status verdict)
{
	struct rl_lease_view view;

	assert_status(told(owner), verdict);
	assert_told_of(key);
	assert_status(told(owner), RL_OK);
	assert_status(check_lock(owner, key), verdict);
	assert_status(check_lock(owner, key), verdict);
	assert_int_equal(rl_owner_lease(owner, NAME(key), &view, &said), RL_NO);
	assert_status(disown(owner, key), RL_NO);
}

static void a_deleted_lock_is_told(void **state)
{
	struct rl_owner *owner = new_by(both);

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK); /* all levels end */
	run("DEL lock@job");
	clock_advance(THIRD);
	AWAIT(alarms == 1);
	ends_as(owner, "job", RL_LOST);
	assert_int_equal(rl_owner_stats(owner)->lost, 1);
	assert_false(is_taken("job")); /* never taken anew */
	assert_int_equal(alarms, 1);
}

static void an_overwritten_lock_is_told(void **state)
{
	struct rl_owner *owner = new_by(both);

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("SET lock@job mine");
	clock_advance(THIRD);
	AWAIT(alarms == 1);
	ends_as(owner, "job", RL_LOST);
	assert_true(is_taken("job"));
}

static void a_server_that_lost_its_data_is_told(void **state)
{
	struct rl_owner *owner = new_by(both);

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("FLUSHALL");
	clock_advance(THIRD);
	AWAIT(alarms == 1);
	ends_as(owner, "job", RL_LOST);
}

static void each_is_told_once(void **state)
{
	struct rl_owner *owner = new_by(both);

	assert_status(own(owner, "a", LEASE), RL_OK);
	assert_status(own(owner, "b", LEASE), RL_OK);
	assert_status(own(owner, "c", LEASE), RL_OK);
	run("DEL lock@a lock@b");
	clock_advance(THIRD);
	AWAIT(alarms == 2 && renewals(owner) == 1);
	assert_status(told(owner), RL_LOST);
	assert_status(told(owner), RL_LOST);
	assert_status(told(owner), RL_OK);
	assert_status(check_lock(owner, "c"), RL_OK);
}

/* Whoever comes first tells it. */
static void a_release_tells_what_the_thread_has_found(void **state)
{
	struct rl_owner *owner = new_by(both);
	uint64_t requests;

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("DEL lock@job");
	clock_advance(THIRD);
	AWAIT(alarms == 1);
	requests = rl_owner_stats(owner)->requests;
	assert_status(disown(owner, "job"), RL_LOST);
	assert_int_equal(rl_owner_stats(owner)->requests, requests);
	assert_status(told(owner), RL_OK);
}

static void a_check_tells_what_the_thread_has_found(void **state)
{
	struct rl_owner *owner = new_by(renewed), *sentry = new_by(both);

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(sentry, "sentry", LEASE), RL_OK);
	run("DEL lock@job lock@sentry");
	clock_advance(THIRD);
	AWAIT(alarms == 1);
	AWAIT(view(owner, "job").left == 0);
	assert_status(check_lock(owner, "job"), RL_LOST);
	assert_status(disown(owner, "job"), RL_NO);
}

static bool is_in_flight(void)
{
	bool in_flight;

	rl_task_lock();
	in_flight = rl_tasks.first->in_flight;
	rl_task_unlock();
	return in_flight;
}

/*
 * X4: the thread hears after the deadline that nobody has had the lock. That is not so any more
 * when it is told.
 */
static void x4_what_the_thread_heard_is_no_verdict_later(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, renewed);
	enum rl_status (*const calls[])(
		struct rl_owner * owner, const char *key) = { check_lock, disown };

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		assert_status(own(owner, "job", LEASE), RL_OK);
		expire_on_server("job");
		proxy_add(&proxy,
			(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_HOLD });
		clock_advance(view(owner, "job").left - RL_SECOND / 2);
		AWAIT(proxy.struck == i + 1);
		clock_advance(RL_SECOND);
		proxy_let_go(&proxy);
		AWAIT(!is_in_flight());
		taken_between("job");
		assert_status(calls[i](owner, "job"), RL_LOST);
	}
}

static void a_deadline_is_told_without_renewal(void **state)
{
	struct rl_owner *owner = new_by(alarmed);

	assert_status(own(owner, "a", LEASE), RL_OK);
	assert_status(own(owner, "b", LEASE), RL_OK);
	assert_int_equal(clients(), 1); /* the thread has no connection */
	clock_advance(THIRD);
	pause_a_moment();
	assert_int_equal(alarms, 0);
	assert_status(disown(owner, "b"), RL_OK);
	clock_advance(2 * THIRD);
	AWAIT(alarms == 1);
	ends_as(owner, "a", RL_TIMED_OUT);
	assert_int_equal(alarms, 1);
}

static void and_whether_another_had_it(void **state)
{
	struct rl_owner *owner = new_by(alarmed);

	assert_status(own(owner, "job", LEASE), RL_OK);
	expire_on_server("job");
	taken_between("job");
	clock_advance(LEASE * RL_MILLISECOND);
	AWAIT(alarms == 1);
	ends_as(owner, "job", RL_LOST);
}

static void a_prolongation_moves_the_deadline_that_is_watched(void **state)
{
	struct rl_owner *owner = new_by(alarmed);

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(prolong(owner, "job", 2 * LEASE), RL_OK);
	clock_advance(LEASE * RL_MILLISECOND);
	pause_a_moment();
	assert_int_equal(alarms, 0);
	assert_status(prolong(owner, "job", LEASE / 2), RL_OK);
	clock_advance(LEASE * RL_MILLISECOND / 2);
	AWAIT(alarms == 1);
	assert_status(told(owner), RL_TIMED_OUT);
}

static void an_alarm_is_put_off(void **state)
{
	struct rl_owner *owner = new_by(alarmed);

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_false(rl_owner_alarm_later(owner));
	clock_advance(LEASE * RL_MILLISECOND);
	AWAIT(alarms == 1);
	for (unsigned i = 2; i <= 4; i++) {
		assert_true(rl_owner_alarm_later(owner));
		AWAIT(alarms == i);
	}
	assert_status(told(owner), RL_TIMED_OUT);
	assert_false(rl_owner_alarm_later(owner));
	clock_advance(2 * RL_MILLISECOND);
	pause_a_moment();
	assert_int_equal(alarms, 4);
}

/* ---------------------------------------------------------------- the thread's life */

static void the_thread_lives_while_it_is_needed(void **state)
{
	struct rl_owner *owner = new_by(renewed);
	size_t before = threads(), open = descriptors();

	assert_status(own(owner, "a", LEASE), RL_OK);
	assert_status(own(owner, "b", LEASE), RL_OK);
	assert_int_equal(threads(), before + 1);
	clock_advance(THIRD);
	AWAIT(renewals(owner) == 2);
	assert_status(disown(owner, "a"), RL_OK);
	assert_int_equal(threads(), before + 1);
	assert_status(disown(owner, "b"), RL_OK);
	AWAIT(threads() == before);
	AWAIT(descriptors() == open + 1);             /* the owner's own connection */
	assert_status(own(owner, "a", LEASE), RL_OK); /* and another one comes */
	assert_int_equal(threads(), before + 1);
}

static void renew_once(struct rl_owner *owner)
{
	uint64_t before = renewals(owner);

	clock_advance(THIRD);
	AWAIT(renewals(owner) > before);
}

static void a_request_ends_it_at_once(void **state)
{
	struct rl_owner *owner = new_by(renewed), *other = new_by(renewed);
	size_t before = threads();

	for (int i = 0; i < 20; i++) {
		assert_status(own(owner, "job", LEASE), RL_OK);
		renew_once(owner);
		rl_renewal_rest(); /* not while it is needed */
		assert_int_equal(threads(), before + 1);
		assert_status(disown(owner, "job"), RL_OK);
		rl_renewal_rest();
		/* /proc may show it for a moment longer than pthread_join() waits */
		AWAIT(threads() == before);
		AWAIT(clients() == 1);
	}
	assert_status(own(other, "job", LEASE), RL_OK);
	renew_once(other);
	end_owner(other);
	rl_renewal_rest();
	AWAIT(threads() == before);
}

static size_t lines(void)
{
	size_t count = 0;

	rl_task_lock();
	for (const struct rl_line *line = rl_tasks.lines; line; line = line->next) {
		count++;
	}
	rl_task_unlock();
	return count;
}

/* Most requests are over before anything is due. */
static void what_has_sent_nothing_sleeps_on(void **state)
{
	struct rl_owner *owner = new_by(both);
	size_t before = threads(), open;
	unsigned long sleeps;
	rl_time began;

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	AWAIT(clock_sleeper_sleeps());
	open = descriptors();
	sleeps = clock_sleeps();
	began = clock_real();
	for (int i = 0; i < 100; i++) {
		assert_status(own(owner, "job", LEASE), RL_OK);
		assert_status(disown(owner, "job"), RL_OK);
		assert_int_equal(lines(), 1);
		rl_renewal_rest();
		assert_int_equal(lines(), 0);
		assert_int_equal(threads(), before + 1);
	}
	/* it looks by itself, and nobody wakes it */
	assert_true(clock_sleeps() - sleeps <= (uint64_t)((clock_real() - began) / RL_SECOND) + 1);
	assert_int_equal(descriptors(), open);
	assert_int_equal(clients(), 1);

	assert_status(own(owner, "job", LEASE), RL_OK);
	renew_once(owner); /* in time for all that */
	assert_status(disown(owner, "job"), RL_OK);
	AWAIT(threads() == before);
}

static void and_ends_after_a_while(void **state)
{
	struct rl_owner *owner = new_by(renewed), *other = new_with_terms(proxy.address, renewed);
	size_t before = threads();

	clock_stop(rl_now()); /* it looks when the test lets it */
	assert_status(own(owner, "job", LEASE), RL_OK);
	AWAIT(clock_sleeper_sleeps());
	assert_status(disown(owner, "job"), RL_OK);
	assert_status(own(other, "other", LEASE), RL_OK);
	assert_status(disown(other, "other"), RL_OK);
	assert_int_equal(lines(), 2);
	clock_advance(RL_SLEEPER_LONGEST);
	AWAIT(lines() == 0);
	AWAIT(clock_sleeper_sleeps());
	assert_int_equal(threads(), before + 1);
	clock_advance(RL_RENEWAL_SLUMBER);
	AWAIT(threads() == before);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_int_equal(threads(), before + 1);
	assert_status(disown(owner, "job"), RL_OK);
}

/* Of all that was opened since, which wakes nobody then when it is closed. */
static void keep_copies(bool before[NUMBERS], bool copies[NUMBERS])
{
	bool now[NUMBERS];

	note_open(now);
	for (int fd = 0; fd < NUMBERS; fd++) {
		int copy = now[fd] && !before[fd] ? fcntl(fd, F_DUPFD_CLOEXEC, NUMBERS / 2) : -1;

		if (copy >= 0) {
			before[copy] = copies[copy] = true;
		}
	}
}

static void drop_copies(const bool copies[NUMBERS])
{
	for (int fd = 0; fd < NUMBERS; fd++) {
		if (copies[fd]) {
			close(fd);
		}
	}
}

/* As a daemon does, between two locks. */
static void one_that_sleeps_is_replaced_when_others_have_its_descriptors(void **state)
{
	struct rl_owner *owner = new_by(renewed);
	bool open[NUMBERS], copies[NUMBERS] = { false };

	its.file = memfd_create("its", MFD_CLOEXEC);
	assert_status(look(owner, "job"), RL_NO); /* connects */
	note_open(open);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	AWAIT(clock_sleeper_sleeps());
	keep_copies(open, copies);
	put_its_file_in_place_of_the_threads(owner, open);
	assert_status(own(owner, "job", LEASE), RL_OK);
	renew_once(owner);
	assert_true(has_its_file_everywhere(NULL));
	assert_status(disown(owner, "job"), RL_OK);
	take_its_file_away();
	drop_copies(copies);
	close(its.file);
}

static void a_frozen_server_does_not_hold_up_its_end(void **state)
{
	struct rl_owner *owner = new_by(renewed);
	size_t before = threads();
	struct prompt_moment began;

	assert_status(own(owner, "job", LEASE), RL_OK);
	clock_advance(THIRD);
	AWAIT(renewals(owner) == 1);
	throwaway_freeze(&rig.server);
	clock_advance(THIRD);
	for (int i = 0; i < 20; i++) {
		pause_a_moment(); /* it has begun to try, most likely */
	}
	began = prompt_now();
	rl_renewal_stop();
	expect_soon(prompt_since(began), RL_SECOND); /* a call's time is 5 s here */
	AWAIT(threads() == before);
	kill(rig.server.pid, SIGCONT);
	assert_status(disown(owner, "job"), RL_OK);
}

static void limit_files(rlim_t count, rlim_t *before)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	*before = limit.rlim_cur;
	limit.rlim_cur = count;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void assert_refused(enum rl_status status)
{
	assert_int_equal(status, RL_MISUSE);
	assert_non_null(strstr(said.message, "thread"));
	said = (struct rl_error){ .held = false };
}

/* Whatever the call: what is handed over can be adopted, and what is held has not got longer. */
static void without_a_thread_nothing_is_sent(void **state)
{
	struct rl_renewal_terms terms = renewed;
	struct rl_acquire_key keys[] = { { .name = NAME("held") }, { .name = NAME("job") } };
	struct rl_acquire_all all = { .keys = keys, .count = 2, .lease_ms = 10 * LEASE };
	struct rl_acquire share = { .lease_ms = LEASE, .is_shared = true };
	struct rl_owner *owner, *other = new_owner();
	struct rl_token token;
	uint64_t requests;
	rlim_t files, ignored;

	terms.max_hold = LEASE * RL_MILLISECOND / 2;
	owner = new_by(terms);
	assert_status(own(owner, "held", LEASE), RL_OK);
	assert_status(own(other, "given", LEASE), RL_OK);
	assert_status(hand_over(other, "given", 0, &token), RL_OK);
	clock_advance(2 * THIRD); /* the one that is held needs no thread any more */
	rl_renewal_stop();
	requests = rl_owner_stats(owner)->requests;
	limit_files(3, &files);
	assert_refused(own(owner, "job", LEASE));
	assert_refused(own_waiting(owner, "job", LEASE, RL_FOREVER));
	assert_refused(own_with(owner, "job", &share));
	assert_refused(rl_owner_acquire_all(owner, &all, &said));
	assert_refused(adopt(owner, "given", &token, 0));
	assert_int_equal(own(other, "their", LEASE), RL_OK); /* needs none */
	limit_files(files, &ignored);
	assert_int_equal(rl_owner_stats(owner)->requests, requests);
	assert_false(holds(owner, "job"));
	assert_false(is_taken("job"));
	assert_status(check_lock(owner, "held"), RL_OK);
	assert_status(adopt(other, "given", &token, 0), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	rl_token_free(&token);
}

/* The answer comes when a thread with nothing to do would have ended, and none can be started. */
static void *answer_late(void *files)
{
	AWAIT(atomic_load(&proxy.struck) == 1);
	nanosleep(&(struct timespec){ .tv_nsec = 4 * RL_RENEWAL_LINGER }, NULL);
	limit_files(3, files);
	proxy_let_go(&proxy);
	return NULL;
}

static void the_thread_is_there_when_the_answer_comes(void **state)
{
	struct rl_owner *owner = new_with_terms(proxy.address, renewed), *other = new_owner();
	struct rl_token token;
	pthread_t answerer;
	rlim_t files, ignored;
	enum rl_status status;

	assert_status(own(other, "job", LEASE), RL_OK);
	assert_status(hand_over(other, "job", 0, &token), RL_OK);
	assert_status(own(owner, "other", LEASE), RL_OK);
	renew_once(owner);
	assert_status(disown(owner, "other"), RL_OK); /* it would end soon */
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_HOLD });
	assert_int_equal(pthread_create(&answerer, NULL, answer_late, &files), 0);
	status = adopt(owner, "job", &token, 0);
	pthread_join(answerer, NULL);
	limit_files(files, &ignored);
	assert_status(status, RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	rl_token_free(&token);
}

static void without_memory_it_is_taken_or_not(void **state)
{
	for (int as = 0; as < 2; as++) {
		struct rl_owner *owner = new_by(as ? alarmed : both);
		bool struck = true;

		assert_status(own(owner, "first", LEASE), RL_OK); /* connects */
		assert_status(disown(owner, "first"), RL_OK);
		for (long nth = 0; struck; nth++) {
			enum rl_status status;

			assert_true(nth < 100);
			faults_memory(nth);
			status = own(owner, "job", LEASE);
			struck = faults_memory_struck();
			faults_memory(-1);
			assert_true(status == RL_OK || (struck && status != RL_NO));
			if (status == RL_OK) {
				clock_advance(THIRD);
				AWAIT(as || renewals(owner) > 0);
				assert_status(disown(owner, "job"), RL_OK);
			}
			assert_status(look(owner, "job"), RL_NO); /* contact */
			await_free("job");
		}
		end_owner(owner);
	}
}

static void without_memory_it_is_renewed_all_the_same(void **state)
{
	struct rl_owner *owner = new_by(renewed);
	char key[32];

	for (int i = 0; i < 5; i++) {
		snprintf(key, sizeof key, "job%d", i);
		assert_status(own(owner, key, LEASE), RL_OK);
	}
	clock_advance(THIRD);
	AWAIT(renewals(owner) == 5);
	for (long nth = 0; nth < 12; nth++) {
		uint64_t before = renewals(owner);

		faults_memory(nth);
		clock_advance(THIRD);
		for (int tries = 0; renewals(owner) < before + 5; tries++) {
			assert_true(tries < 10000);
			clock_advance(10 * RL_MILLISECOND);
			pause_a_moment();
		}
		faults_memory(-1);
	}
}

/* ---------------------------------------------------------------- fork */

static struct rl_owner *parents;
static size_t sockets_before;

static size_t sockets(void)
{
	size_t count = 0;

	for (int fd = 0; fd < 256; fd++) {
		struct sockaddr_storage any;
		socklen_t size = sizeof any;

		count += getpeername(fd, (struct sockaddr *)&any, &size) == 0;
	}
	return count;
}

static bool child_has_none_and_makes_its_own(void *context)
{
	struct rl_renewal_terms terms = renewed;
	struct rl_error error;
	struct rl_owner *owner;
	struct rl_acquire request = { .key = NAME("childs"), .lease_ms = LEASE };

	if (threads() != 1 || sockets() != sockets_before) {
		fprintf(
			stderr, "%zu threads, %zu sockets, not %zu\n", threads(), sockets(), sockets_before);
		return false;
	}
	if (rl_owner_check(parents, NAME("job"), &error) != RL_MISUSE
		|| rl_owner_alarm(parents, &error) != RL_OK) {
		return false;
	}
	rl_renewal_rest();
	rl_renewal_stop();
	owner = new_with_terms(rig.server.address, terms);
	if (rl_owner_acquire(owner, &request, &error) != RL_OK || threads() != 2) {
		return false;
	}
	clock_advance(THIRD);
	for (int tries = 0; renewals(owner) == 0; tries++) {
		if (tries == 10000) {
			return false;
		}
		pause_a_moment();
	}
	end_owner(parents);
	rl_renewal_stop();
	for (int tries = 0; threads() > 1; tries++) {
		if (tries == 10000) {
			return false;
		}
		pause_a_moment();
	}
	return true;
}

static void c7_c8_a_child_has_no_thread_and_the_parents_goes_on(void **state)
{
	parents = new_by(both);
	assert_status(own(parents, "job", LEASE), RL_OK);
	assert_status(own(parents, "other", LEASE), RL_OK);
	sockets_before = sockets();
	clock_advance(THIRD);
	AWAIT(renewals(parents) == 2);
	run("DEL lock@other");
	clock_advance(THIRD);
	AWAIT(alarms == 1);
	assert_true(in_child(child_has_none_and_makes_its_own, NULL));
	assert_status(told(parents), RL_LOST);
	for (unsigned i = 4; i < 7; i++) {
		clock_advance(THIRD);
		AWAIT(renewals(parents) == i);
	}
	assert_status(disown(parents, "job"), RL_OK);
}

static bool child_is_told_of_its_own(void *context)
{
	struct rl_acquire request = { .key = NAME("childs"), .lease_ms = LEASE };
	unsigned before = alarms;
	struct rl_error error;

	enum rl_status status = rl_owner_acquire(parents, &request, &error);

	if (status != RL_OK) {
		fprintf(stderr, "acquire: %d, %s\n", (int)status, error.message);
		return false;
	}
	clock_advance(LEASE * RL_MILLISECOND);
	for (int tries = 0; alarms == before; tries++) {
		if (tries == 10000) {
			fprintf(stderr, "no alarm\n");
			return false;
		}
		pause_a_moment();
	}
	status = rl_owner_alarm(parents, &error);
	if (status != RL_TIMED_OUT || error.key.length != 6
		|| memcmp(error.key.data, "childs", 6) != 0) {
		fprintf(stderr, "alarm: %d, %s\n", (int)status, status == RL_OK ? "none" : error.message);
		return false;
	}
	return rl_owner_alarm(parents, &error) == RL_OK;
}

static void a_child_is_told_of_its_own_leases_by_its_parents_owner(void **state)
{
	parents = new_by(alarmed);
	assert_status(own(parents, "job", LEASE), RL_OK);
	/* a thread that begins may have AddressSanitizer's memory locked, in the child for ever */
	AWAIT(clock_sleeper_sleeps());
	assert_true(in_child(child_is_told_of_its_own, NULL));
	clock_advance(LEASE * RL_MILLISECOND);
	AWAIT(alarms == 1);
	assert_true(in_child(child_is_told_of_its_own, NULL)); /* with news that is the parent's */
	assert_status(told(parents), RL_TIMED_OUT);
}

static bool child_lives(void *context)
{
	return threads() == 1 && sockets() == sockets_before;
}

/* A renewal, and forks until it is done. */
static void fork_while_it_renews(void)
{
	unsigned renewed_before = renewals(parents);

	clock_advance(THIRD);
	for (int forks = 0; forks == 0 || renewals(parents) == renewed_before; forks++) {
		assert_true(forks < 10000);
		assert_true(in_child(child_lives, NULL));
	}
}

/* Whatever the thread is doing when the fork comes. */
static void forks_meet_the_thread_anywhere(void **state)
{
	parents = new_with_terms(rig.server.address, renewed);
	assert_status(own(parents, "job", LEASE), RL_OK);
	sockets_before = sockets();
	for (int threads = 0; threads < 10; threads++) {
		rl_renewal_stop(); /* the next one connects */
		assert_status(disown(parents, "job"), RL_OK);
		assert_status(own(parents, "job", LEASE), RL_OK);
		for (int i = 0; i < 10; i++) {
			fork_while_it_renews();
		}
	}
	assert_status(disown(parents, "job"), RL_OK);
}

/* ---------------------------------------------------------------- a wait without end */

static enum rl_status own_for_ever(struct rl_owner *owner)
{
	return own_waiting(owner, "job", LEASE, RL_FOREVER);
}

static bool stop_waiting(void *context)
{
	(void)context;
	return false;
}

static void m2_a_wait_for_oneself_is_refused(void **state)
{
	struct rl_owner *holder = new_by(renewed), *other = new_owner();
	rl_time before = clock_real();

	assert_status(own(holder, "job", LEASE), RL_OK);
	assert_status(own_for_ever(other), RL_MISUSE);
	assert_true(clock_real() - before < 5 * RL_SECOND);
	assert_non_null(strstr(said.message, "job"));
	assert_status(own(other, "job", LEASE), RL_NO);
	assert_status(own_waiting(other, "job", LEASE, RL_SECOND), RL_MISUSE);
	assert_status(disown(holder, "job"), RL_OK);
	assert_status(own_for_ever(other), RL_OK);
}

static void m2_but_not_if_it_can_end(void **state)
{
	struct rl_renewal_terms limited = renewed;
	struct rl_owner *other = new_hooked(stop_waiting, NULL), *holder;

	limited.max_hold = 10 * RL_SECOND;
	holder = new_by(limited);
	assert_status(own(holder, "job", LEASE), RL_OK);
	assert_status(own_for_ever(other), RL_INTERRUPTED);
	assert_status(disown(holder, "job"), RL_OK);

	holder = new_by(alarmed);
	assert_status(own(holder, "job", LEASE), RL_OK);
	assert_status(own_for_ever(other), RL_INTERRUPTED);
	assert_status(disown(holder, "job"), RL_OK);

	/* It was lost to somebody else, which we do not know yet. */
	holder = new_by(renewed);
	assert_status(own(holder, "job", LEASE), RL_OK);
	run("SET lock@job theirs");
	assert_status(own_for_ever(other), RL_INTERRUPTED);
}

int test_renewal(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, reset, owners_clean)
	static const struct CMUnitTest tests[] = {
		TEST(a_thread_without_its_descriptors_touches_no_others),
		TEST(and_raises_the_alarm),
		TEST(a_lease_is_renewed_at_a_third),
		TEST(timeouts_make_no_other_connection),
		TEST(it_is_not_renewed_before),
		TEST(a_short_lease_wakes_the_thread),
		TEST(an_owner_without_it_has_no_thread),
		TEST(many_go_out_before_the_first_answer),
		TEST(owners_share_one_connection_of_the_thread),
		TEST(a_server_that_hangs_costs_no_other_its_leases),
		TEST(nor_do_two),
		TEST(a_server_that_hangs_delays_no_alarm),
		TEST(k4_what_ran_out_in_suspend_is_not_renewed),
		TEST(c5_nothing_is_renewed_before_check_tells),
		TEST(the_clock_is_read_before_the_first_byte),
		TEST(what_ran_out_while_it_connected_is_not_sent),
		TEST(it_stops_at_max_hold),
		TEST(a_late_lease_says_why_it_was_not_renewed),
		TEST(a_late_lease_says_what_its_renewal_failed_of),
		TEST(after_max_hold_it_needs_no_thread),
		TEST(but_an_alarm_does),
		TEST(it_stops_at_max_hold_though_it_was_due),
		TEST(after_the_release_none_is_sent),
		TEST(what_was_handed_over_is_renewed_by_who_adopts_it),
		TEST(it_is_tried_again_until_the_deadline),
		TEST(a_renewal_moves_the_deadline_only_later),
		TEST(no_two_pauses_between_tries_are_alike),
		TEST(and_no_longer),
		TEST(without_a_server_it_is_told_soon_after_the_deadline),
		TEST(a_late_answer_is_waited_for),
		TEST(s13_a_connection_that_leads_nowhere_is_left_in_time),
		TEST(s10_a_frozen_server_that_thaws_keeps_its_leases),
		TEST(a_flushed_script_is_loaded_again),
		TEST(it_goes_on_on_a_new_connection),
		TEST(a_refusal_that_passes_is_ridden_out),
		TEST(what_too_few_replicas_have_does_not_count),
		TEST(and_ends_in_time),
		TEST(what_is_lost_is_told_without_replicas),
		TEST(what_is_lost_does_not_wait_for_replicas),
		TEST(a_prolongation_sets_what_is_renewed),
		TEST(a_reentry_never_shortens_it),
		TEST(l1_a_late_renewal_changes_no_prolongation),
		TEST(l1_a_shorter_lease_that_was_not_answered_is_asked_for_again),
		TEST(a_prolongation_overtakes_a_renewal_that_is_out),
		TEST(nothing_is_renewed_once_a_hand_over_has_begun),
		TEST(what_ran_out_and_is_prolonged_can_run_out_again),
		TEST(what_ran_out_and_is_prolonged_is_renewed_again),
		TEST(a_deleted_lock_is_told),
		TEST(an_overwritten_lock_is_told),
		TEST(a_server_that_lost_its_data_is_told),
		TEST(each_is_told_once),
		TEST(a_release_tells_what_the_thread_has_found),
		TEST(a_check_tells_what_the_thread_has_found),
		TEST(x4_what_the_thread_heard_is_no_verdict_later),
		TEST(a_deadline_is_told_without_renewal),
		TEST(and_whether_another_had_it),
		TEST(a_prolongation_moves_the_deadline_that_is_watched),
		TEST(an_alarm_is_put_off),
		TEST(the_thread_lives_while_it_is_needed),
		TEST(a_request_ends_it_at_once),
		TEST(what_has_sent_nothing_sleeps_on),
		TEST(and_ends_after_a_while),
		TEST(one_that_sleeps_is_replaced_when_others_have_its_descriptors),
		TEST(a_frozen_server_does_not_hold_up_its_end),
		TEST(without_a_thread_nothing_is_sent),
		TEST(the_thread_is_there_when_the_answer_comes),
		TEST(without_memory_it_is_taken_or_not),
		TEST(without_memory_it_is_renewed_all_the_same),
		TEST(c7_c8_a_child_has_no_thread_and_the_parents_goes_on),
		TEST(a_child_is_told_of_its_own_leases_by_its_parents_owner),
		TEST(forks_meet_the_thread_anywhere),
		TEST(m2_a_wait_for_oneself_is_refused),
		TEST(m2_but_not_if_it_can_end),
	};

	return cmocka_run_group_tests_name("renewal", tests, rig_start, rig_stop);
}
