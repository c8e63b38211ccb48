/*
 * The end of owners: many ask as one, nothing is sent after their deadline, and what is refused is
 * asked for until then, since nobody is left to do it later.
 */
#include "owner_rig.h"
#include "prompt.h"

#include <string.h>

#define OWNERS 10
#define EACH   30 /* locks */

static const char *name_of(size_t i)
{
	static char name[16];

	snprintf(name, sizeof name, "job%zu", i);
	return name;
}

static void make_holders(struct rl_owner **owners, const char *address)
{
	for (size_t i = 0; i < OWNERS; i++) {
		owners[i] = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
		for (size_t j = 0; j < EACH; j++) {
			assert_status(own(owners[i], name_of(i * EACH + j), LEASE), RL_OK);
		}
	}
}

static struct rl_owner *new_at(const char *address, const char *query)
{
	char text[200];

	snprintf(text, sizeof text, "%s?%s", address, query);
	return new_owner_at(text, (struct rl_wait_hook){ .run = NULL });
}

static long long locks_left(void)
{
	return number("EVAL %s 0", "return #redis.call('KEYS', 'lock@job*')");
}

static void refuse(unsigned times)
{
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_release,
			.times = times,
			.fault = PROXY_ANSWER,
			.answer = "-NOPERM this user\r\n" });
}

static void stall(void)
{
	proxy_add(&proxy,
		(struct proxy_rule){
			.script = &rl_script_release, .times = 1000000, .fault = PROXY_STALL });
}

static void assert_summary(
	const struct rl_release_summary *summary, size_t released, size_t lost, size_t failed)
{
	assert_int_equal(summary->released, released);
	assert_int_equal(summary->lost, lost);
	assert_int_equal(summary->failed, failed);
}

static void many_owners_end_as_one(void **state)
{
	struct rl_owner *owners[OWNERS];
	struct rl_release_summary summary;
	uint64_t before;
	unsigned connections;

	make_holders(owners, proxy.address);
	run("DEL lock@job%d", EACH + 5);
	connections = proxy.connections;
	before = rl_owner_stats(owners[1])->requests;
	summary = end_all(owners, OWNERS);
	assert_summary(&summary, OWNERS * EACH - 1, 1, 0);
	assert_int_equal(locks_left(), 0);
	assert_int_equal(rl_owner_stats(owners[1])->requests, before);
	assert_int_equal(proxy.connections, connections);
	for (size_t i = 0; i < OWNERS; i++) {
		assert_int_equal(rl_owner_held(owners[i]), 0);
	}
}

static void a_server_that_hangs_costs_one_deadline_and_one_connection(void **state)
{
	struct rl_owner *owners[OWNERS];
	struct rl_release_summary summary;
	struct prompt_moment before;
	unsigned connections;
	char address[200];

	snprintf(address, sizeof address, "%s?timeout=0.5", proxy.address);
	make_holders(owners, address);
	connections = proxy.connections;
	stall();
	before = prompt_now();
	summary = end_all(owners, OWNERS);
	expect_on_time(prompt_since(before), 500 * RL_MILLISECOND);
	assert_summary(&summary, 0, 0, OWNERS * EACH);
	assert_non_null(strstr(summary.first_failure.message, "frozen"));
	assert_int_equal(proxy.connections, connections + 1); /* beside one that is silent */
}

static void it_leaves_the_others_half_of_the_time(void **state)
{
	struct rl_owner *owners[] = { new_at(proxy.address, "timeout=2"),
		new_at(rig.server.address, "timeout=2") };
	struct rl_release_summary summary;

	assert_status(own(owners[0], "job0", LEASE), RL_OK);
	assert_status(own(owners[1], "job1", LEASE), RL_OK);
	stall();
	summary = end_all(owners, COUNT(owners));
	assert_summary(&summary, 1, 0, 1);
	assert_false(is_taken("job1"));
}

/* Nobody says of a server that has answered until then that it is frozen. */
static void too_little_time_is_told_as_that(void **state)
{
	struct rl_owner *owners[OWNERS];
	struct rl_release_summary summary;
	char address[200];

	snprintf(address, sizeof address, "%s?timeout=0.5", proxy.address);
	make_holders(owners, address);
	proxy_add(&proxy,
		(struct proxy_rule){
			.script = &rl_script_release, .skip = 128, .times = 1000000, .fault = PROXY_STALL });
	summary = end_all(owners, OWNERS);
	assert_summary(&summary, 128, 0, OWNERS * EACH - 128);
	assert_non_null(strstr(summary.first_failure.message, "a longer timeout"));
}

static void what_is_refused_is_asked_for_again(void **state)
{
	struct rl_owner *owner = new_proxied();
	struct rl_release_summary summary;

	assert_status(own(owner, "job1", LEASE), RL_OK);
	assert_status(own(owner, "job2", LEASE), RL_OK);
	refuse(9);
	summary = end_all(&owner, 1);
	assert_int_equal(proxy.struck, 9);
	assert_summary(&summary, 2, 0, 0);
	assert_int_equal(locks_left(), 0);
}

/* Whichever owner's come first. */
static void what_stays_refused_keeps_nothing_else(void **state)
{
	struct rl_owner *owners[3];
	struct rl_release_summary summary;

	run("ACL SETUSER tom on >secret ~* +@all");
	for (size_t i = 0; i < COUNT(owners); i++) {
		owners[i] = new_at(rig.server.address, "user=tom&password=secret&timeout=2");
	}
	for (size_t i = 0; i < 10000; i++) { /* more than a last moment is enough for */
		assert_status(own(owners[1], name_of(i), LEASE), RL_OK);
	}
	assert_status(own(owners[0], "bad", LEASE), RL_OK);
	assert_status(own(owners[2], "bad too", LEASE), RL_OK);
	run("ACL SETUSER tom resetkeys ~lock@job* ~rlock:*");
	summary = end_all(owners, COUNT(owners));
	run("ACL DELUSER tom");
	assert_summary(&summary, 10000, 0, 2);
	assert_int_equal(strncmp(summary.first_key, "bad", 3), 0);
	assert_non_null(strstr(summary.first_failure.message, "stays taken until its lease ends"));
	assert_int_equal(locks_left(), 0);
	assert_true(is_taken("bad"));
}

static void what_was_refused_before_is_asked_for_as_long(void **state)
{
	struct rl_owner *owner = new_proxied();
	struct rl_release_summary summary;

	assert_status(own(owner, "job", LEASE), RL_OK);
	refuse(9);
	assert_status(disown(owner, "job"), RL_REFUSED);
	assert_non_null(strstr(said.message, "next contact"));
	summary = end_all(&owner, 1);
	assert_summary(&summary, 0, 0, 0);
	assert_int_equal(proxy.struck, 9);
	assert_false(is_taken("job"));
}

static void and_told_if_it_stays(void **state)
{
	struct rl_owner *owner = new_at(proxy.address, "timeout=0.5");
	struct rl_release_summary summary;

	assert_status(own(owner, "job", LEASE), RL_OK);
	refuse(1000000);
	assert_status(disown(owner, "job"), RL_REFUSED);
	summary = end_all(&owner, 1);
	assert_summary(&summary, 0, 0, 1);
	assert_int_equal(summary.failure, RL_REFUSED);
	assert_string_equal(summary.first_failure.code, "NOPERM");
	assert_non_null(strstr(summary.first_failure.message, "stays taken until its lease ends"));
	summary = end_all(&owner, 1); /* once */
	assert_summary(&summary, 0, 0, 0);
}

/* The last try may go without an answer: why it stays taken is known all the same. */
static void and_told_if_the_last_is_not_answered(void **state)
{
	struct rl_owner *owner = new_at(proxy.address, "timeout=2");
	struct rl_release_summary summary;

	assert_status(own(owner, "job1", LEASE), RL_OK);
	assert_status(own(owner, "job2", LEASE), RL_OK);
	refuse(6);
	stall();
	summary = end_all(&owner, 1);
	assert_summary(&summary, 0, 0, 2);
	assert_int_equal(summary.failure, RL_REFUSED);
	assert_string_equal(summary.first_failure.code, "NOPERM");
	assert_non_null(strstr(summary.first_failure.message, "this user"));
}

static enum rl_status disown_at_last(struct rl_owner *owner, const char *key)
{
	return rl_owner_release(owner, NAME(key),
		(struct rl_release_terms){ .confirm = true, .last = true }, &said);
}

static void a_last_release_is_asked_for_again(void **state)
{
	struct rl_owner *owner = new_at(proxy.address, "timeout=2");
	unsigned struck;

	assert_status(own(owner, "job", LEASE), RL_OK);
	refuse(9);
	assert_status(disown_at_last(owner, "job"), RL_OK);
	assert_false(is_taken("job"));

	assert_status(own(owner, "job", LEASE), RL_OK);
	refuse(1000000);
	assert_status(disown_at_last(owner, "job"), RL_REFUSED);
	assert_non_null(strstr(said.message, "stays taken until its lease ends"));
	struck = proxy.struck;
	assert_int_equal(end_all(&owner, 1).failed, 0); /* it was told */
	assert_int_equal(proxy.struck, struck);
}

int test_end_all(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	const struct CMUnitTest tests[] = {
		test(many_owners_end_as_one),
		test(a_server_that_hangs_costs_one_deadline_and_one_connection),
		test(it_leaves_the_others_half_of_the_time),
		test(too_little_time_is_told_as_that),
		test(what_is_refused_is_asked_for_again),
		test(what_stays_refused_keeps_nothing_else),
		test(what_was_refused_before_is_asked_for_as_long),
		test(and_told_if_it_stays),
		test(and_told_if_the_last_is_not_answered),
		test(a_last_release_is_asked_for_again),
	};

	return cmocka_run_group_tests_name("end_all", tests, rig_start, rig_stop);
}
