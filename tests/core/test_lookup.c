/*
 * The look-up of a name (src/redis/lookup.h), also where the name server never answers.
 */
#include "owner_rig.h"
#include "prompt.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include "redis/lookup.h"

static struct throwaway other;
static struct addrinfo *peers;
static int failure;

static void await_result(struct rl_lookup *lookup)
{
	AWAIT(rl_lookup_result(lookup, &peers, &failure));
}

static void an_ip_address_asks_nobody(void **state)
{
	static const char *const hosts[] = { "127.0.0.1", "::1" };
	unsigned before = faults_names_looked_up();

	faults_silence_names(true);
	for (size_t i = 0; i < COUNT(hosts); i++) {
		struct rl_lookup *lookup = rl_lookup_begin(hosts[i], 6379);

		assert_true(rl_lookup_result(lookup, &peers, &failure));
		assert_int_equal(failure, 0);
		assert_non_null(peers);
		rl_lookup_end(lookup);
	}
	assert_int_equal(faults_names_looked_up(), before);
}

static void a_name_is_found_or_not(void **state)
{
	static const char *const none[] = { NULL };
	struct rl_lookup *lookup = rl_lookup_begin("localhost", 6379);

	await_result(lookup);
	assert_int_equal(failure, 0);
	assert_non_null(peers);
	rl_lookup_end(lookup);
	faults_resolve(none);
	lookup = rl_lookup_begin("unknown.example", 6379);
	await_result(lookup);
	assert_int_not_equal(failure, 0);
	assert_null(peers);
	rl_lookup_end(lookup);
	faults_resolve(NULL);
	assert_true(rl_lookup_stop());
}

static void a_silent_name_is_asked_for_once(void **state)
{
	static const char *const records[] = { "127.0.0.7", NULL };
	unsigned before = faults_names_looked_up();
	struct rl_lookup *lookups[3];

	faults_silence_names(true);
	faults_resolve(records);
	for (size_t i = 0; i < COUNT(lookups); i++) {
		lookups[i] = rl_lookup_begin("silent.example", 6379);
		assert_false(rl_lookup_result(lookups[i], &peers, &failure));
	}
	rl_lookup_end(lookups[0]);
	AWAIT(faults_names_looked_up() > before);
	assert_int_equal(faults_names_looked_up(), before + 1);
	assert_false(rl_lookup_stop());
	faults_silence_names(false);
	await_result(lookups[1]);
	assert_int_equal(failure, 0);
	assert_true(rl_lookup_stop());
	/* it is still there for those that have it */
	assert_true(rl_lookup_result(lookups[2], &peers, &failure));
	assert_non_null(peers);
	rl_lookup_end(lookups[1]);
	rl_lookup_end(lookups[2]);
}

/* What nobody waits for any more is freed once it is over. */
static void a_silent_name_is_left_alone(void **state)
{
	faults_silence_names(true);
	rl_lookup_end(rl_lookup_begin("silent.example", 6379));
	assert_false(rl_lookup_stop());
	faults_silence_names(false);
	AWAIT(rl_lookup_stop());
}

/* The environment by which it finds names may be another's. */
static void another_request_has_its_own(void **state)
{
	unsigned before = faults_names_looked_up();
	struct rl_lookup *theirs, *ours, *too;

	faults_silence_names(true);
	theirs = rl_lookup_begin("silent.example", 6379);
	rl_lookup_begin_request();
	ours = rl_lookup_begin("silent.example", 6379);
	too = rl_lookup_begin("silent.example", 6379);
	assert_ptr_not_equal(theirs, ours);
	assert_ptr_equal(ours, too);
	AWAIT(faults_names_looked_up() == before + 2);
	faults_silence_names(false);
	await_result(ours);
	rl_lookup_end(theirs);
	rl_lookup_end(ours);
	rl_lookup_end(too);
	AWAIT(rl_lookup_stop());
}

static struct rl_lookup *begin_number(size_t number)
{
	char name[32];

	snprintf(name, sizeof name, "silent%zu.example", number);
	return rl_lookup_begin(name, 6379);
}

/* What the first request of a process may have under way. */
#define FIRST_SHARE (RL_LOOKUP_MAX / RL_LOOKUP_REQUESTS)

static void begin_and_leave(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		rl_lookup_end(begin_number(i));
	}
}

/* Also those count that nobody waits for any more. What is one too many has its turn later. */
static void so_many_are_under_way_at_once(void **state)
{
	static const char *const records[] = { "127.0.0.7", NULL };
	unsigned before = faults_names_looked_up();
	struct rl_lookup *left, *last;

	faults_silence_names(true);
	faults_resolve(records);
	begin_and_leave(FIRST_SHARE);
	left = begin_number(FIRST_SHARE);
	last = begin_number(FIRST_SHARE + 1);
	AWAIT(faults_names_looked_up() == before + FIRST_SHARE);
	assert_false(rl_lookup_result(left, &peers, &failure));
	assert_false(rl_lookup_result(last, &peers, &failure));
	rl_lookup_end(left); /* before its turn: it never has one */
	assert_int_equal(faults_names_looked_up(), before + FIRST_SHARE);
	faults_silence_names(false);
	await_result(last);
	assert_int_equal(failure, 0);
	assert_int_equal(faults_names_looked_up(), before + FIRST_SHARE + 1);
	rl_lookup_end(last);
	AWAIT(rl_lookup_stop());
}

/* Each has a share of what those before it have left. */
static void one_request_does_not_starve_the_next(void **state)
{
	static const unsigned shares[] = { 32, 24, 18, 14, 10, 8, 6, 4, 3, 3, 2, 1, 1, 1, 1, 0, 0 };
	unsigned expected = faults_names_looked_up();

	faults_silence_names(true);
	for (size_t request = 0; request < COUNT(shares); request++) {
		rl_lookup_begin_request();
		begin_and_leave(FIRST_SHARE + 8);
		expected += shares[request];
		AWAIT(faults_names_looked_up() == expected);
	}
	faults_silence_names(false);
	AWAIT(rl_lookup_stop());
	assert_int_equal(faults_names_looked_up(), expected);
}

static bool looks_it_up_anew(void *parents)
{
	struct rl_lookup *lookup;
	bool found = false;

	faults_silence_names(false);
	rl_lookup_end(parents);
	lookup = rl_lookup_begin("localhost", 6379);
	for (int tries = 0; tries < 10000 && !found; tries++) {
		found = rl_lookup_result(lookup, &peers, &failure);
		rl_poll(NULL, 0, rl_now() + RL_MILLISECOND);
	}
	for (int tries = 0; tries < 10000 && !rl_lookup_stop(); tries++) {
		rl_poll(NULL, 0, rl_now() + RL_MILLISECOND);
	}
	return found && rl_lookup_stop();
}

static void a_child_has_none_of_its_parents(void **state)
{
	unsigned before = faults_names_looked_up();
	struct rl_lookup *lookup;

	faults_silence_names(true);
	lookup = rl_lookup_begin("localhost", 6379);
	/* Before, that thread may have a lock of the sanitizer, which the child never gets. */
	AWAIT(faults_names_looked_up() > before);
	assert_true(in_child(looks_it_up_anew, lookup));
	assert_false(rl_lookup_result(lookup, &peers, &failure));
	faults_silence_names(false);
	await_result(lookup);
	rl_lookup_end(lookup);
}

static void a_call_fails_at_its_deadline(void **state)
{
	struct rl_owner *owner = new_owner_at("redis://silent.example:1?timeout=5&connect_timeout=0.3",
		(struct rl_wait_hook){ .run = NULL });
	struct prompt_moment began = prompt_now();

	faults_silence_names(true);
	assert_status(own(owner, "key", 5000), RL_UNREACHABLE);
	expect_on_time(prompt_since(began), 300 * RL_MILLISECOND);
	assert_non_null(
		strstr(said.message, "silent.example:1: its name was not resolved within the timeout"));
}

/* Two healthy servers are a majority, whatever becomes of the third one's name. */
static void a_majority_does_not_wait_for_a_name(void **state)
{
	const char *const addresses[] = { "redis://silent.example:1?timeout=5&connect_timeout=5",
		rig.server.address, other.address };
	struct rl_owner *owner;
	struct prompt_moment began;

	faults_silence_names(true);
	owner = new_majority(addresses, COUNT(addresses), (struct rl_wait_hook){ .run = NULL }, NULL);
	began = prompt_now();
	assert_status(own(owner, "key", 60000), RL_OK);
	assert_status(disown(owner, "key"), RL_OK);
	expect_soon(prompt_since(began), A_MOMENT);
}

static int clean(void **state)
{
	int result = owners_clean(state);

	faults_silence_names(false);
	faults_resolve(NULL);
	return result;
}

static int start(void **state)
{
	return throwaway_start(&other, false, NULL) ? rig_start(state) : -1;
}

static int finish(void **state)
{
	throwaway_stop(&other);
	return rig_stop(state);
}

int test_lookup(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, clean)
	const struct CMUnitTest tests[] = {
		test(an_ip_address_asks_nobody),
		test(a_name_is_found_or_not),
		test(a_silent_name_is_asked_for_once),
		test(a_silent_name_is_left_alone),
		test(another_request_has_its_own),
		test(so_many_are_under_way_at_once),
		test(one_request_does_not_starve_the_next),
		test(a_child_has_none_of_its_parents),
		test(a_call_fails_at_its_deadline),
		test(a_majority_does_not_wait_for_a_name),
	};

	return cmocka_run_group_tests_name("lookup", tests, start, finish);
}
