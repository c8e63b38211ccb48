/*
 * Who holds what: rl_owner_holders() on real servers, one and a majority of three. The cluster and
 * Sentinel are in the phpt suite.
 */
#include "owner_rig.h"
#include "prompt.h"

#include <signal.h>
#include <string.h>

#include "base/number.h"
#include "call/scan.h"
#include "lock/owner/internal.h"

/* ---------------------------------------------------------------- the rig */

/* What a search has told. */
static struct found {
	char names[64][64];
	struct rl_holder holders[64]; /* without texts */
	size_t count, stop_after;     /* 0: never */
} found;

static bool note(void *context, struct rl_text name, struct rl_text shown,
	const struct rl_holder *holder)
{
	(void)context;
	if (found.count < COUNT(found.names)) {
		snprintf(
			found.names[found.count], sizeof found.names[0], "%.*s", (int)name.length, name.data);
		found.holders[found.count] = *holder;
	}
	return ++found.count != found.stop_after;
}

static enum rl_status find_up_to(struct rl_owner *owner, const char *pattern, size_t limit)
{
	struct rl_holders request = { .pattern = rl_text_of(pattern), .limit = limit, .found = note };
	enum rl_status status;

	found.count = 0;
	rl_owner_begin_call(owner);
	status = rl_owner_holders(owner, &request, &said);
	rl_owner_end_call(owner);
	return status;
}

static enum rl_status find(struct rl_owner *owner, const char *pattern)
{
	found.stop_after = 0;
	return find_up_to(owner, pattern, 1000);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The names that were told, sorted and separated by spaces. */
static const char *names(void)
{
	static char all[4096];
	char sorted[64][64];

	memcpy(sorted, found.names, sizeof sorted);
	qsort(sorted, found.count, sizeof sorted[0], compare_names);
	all[0] = '\0';
	for (size_t i = 0; i < found.count; i++) {
		strcat(strcat(all, i ? " " : ""), sorted[i]);
	}
	return all;
}

/* Runs a script for each number up to `count` on the server. */
static void for_each(redisContext *redis, const char *what, int count)
{
	freeReplyObject(command(redis, "EVAL %s 0 %d", what, count));
}

/* This many locks of the rig's prefix that a foreign client took: n0 and so on. */
static void take_many(redisContext *redis, int count)
{
	for_each(redis,
		"for i = 0, ARGV[1] - 1 do redis.call('SET', 'lock@n' .. i, 'foreign', 'PX', 600000) end",
		count);
}

/* ---------------------------------------------------------------- what is found */

static void held_locks_are_found_and_others_are_not(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();

	(void)state;
	assert_status(find(owner, "*"), RL_OK);
	assert_int_equal(found.count, 0);
	assert_status(own(owner, "mail", 60000), RL_OK);
	assert_status(own(other, "news", 60000), RL_OK);
	assert_status(own(other, "ended", 60000), RL_OK);
	assert_status(disown(other, "ended"), RL_OK);
	run("SET elsewhere@mail x");
	assert_status(find(owner, "*"), RL_OK);
	assert_string_equal(names(), "mail news");
}

static void what_is_told_is_what_holder_tells(void **state)
{
	struct rl_owner *owner = new_owner();
	struct rl_acquire terms = { .lease_ms = 60000, .metadata = NAME("why") };

	(void)state;
	assert_status(own_with(owner, "mail", &terms), RL_OK);
	run("SET rlock:w:{lock@mail}:lock@mail 1 PX 60000");
	assert_status(find(owner, "*"), RL_OK);
	assert_int_equal(found.count, 1);
	assert_in_range(found.holders[0].left_ms, 60000 - PATIENCE_MS, 60000);
	assert_true(found.holders[0].contended);
	assert_int_equal(found.holders[0].fence, view(owner, "mail").fence);
	assert_int_equal(found.holders[0].metadata.length, 3);
	assert_true(found.holders[0].owner.length > 0);
}

static void names_match_a_glob(void **state)
{
	struct rl_owner *owner = new_owner();

	(void)state;
	assert_status(own(owner, "order:1", 60000), RL_OK);
	assert_status(own(owner, "order:22", 60000), RL_OK);
	assert_status(own(owner, "mail", 60000), RL_OK);
	assert_status(find(owner, "order:*"), RL_OK);
	assert_string_equal(names(), "order:1 order:22");
	assert_status(find(owner, "order:?"), RL_OK);
	assert_string_equal(names(), "order:1");
	assert_status(find(owner, "[lm]*"), RL_OK);
	assert_string_equal(names(), "mail");
	assert_status(find(owner, ""), RL_OK);
	assert_string_equal(names(), "");
}

static struct rl_owner *new_prefixed(const char *prefix)
{
	struct rl_owner *owner = new_owner();

	/* The rig's prefix is as long as these. */
	assert_int_equal(owner->prefix.length, strlen(prefix));
	memcpy(owner->prefix_copy, prefix, strlen(prefix));
	return owner;
}

static void the_prefix_is_no_glob(void **state)
{
	struct rl_owner *owner = new_prefixed("[a]*@");

	(void)state;
	assert_status(own(owner, "mail", 60000), RL_OK);
	run("SET a--@other x");
	run("SET a@other x");
	assert_status(find(owner, "*"), RL_OK);
	assert_string_equal(names(), "mail");
	owner = new_prefixed("?\\^-@");
	assert_status(own(owner, "news", 60000), RL_OK);
	run("SET x\\^-@other x");
	assert_status(find(owner, "*"), RL_OK);
	assert_string_equal(names(), "news");
}

static void companions_are_no_locks(void **state)
{
	struct rl_owner *owner = new_unprefixed();

	(void)state;
	assert_status(own(owner, "mail", 60000), RL_OK);
	run("SET rlock:w:{mail}:mail 1");
	run("RPUSH rlock:q:{mail}:mail x");
	assert_status(find(owner, "*"), RL_OK);
	assert_string_equal(names(), "mail");
	owner = new_prefixed("rlock");
	assert_status(find(owner, "*"), RL_OK);
	assert_string_equal(names(), "");
}

static void what_foreign_clients_put_there_is_found(void **state)
{
	struct rl_owner *owner = new_owner();

	(void)state;
	run("SET lock@foreign whatever");
	run("RPUSH lock@list x");
	run("SET lock@ x"); /* the prefix itself */
	run("SET lock@17 x");
	assert_status(find(owner, "*"), RL_OK);
	assert_string_equal(names(), "17 foreign list");
	for (size_t i = 0; i < found.count; i++) {
		assert_int_equal(found.holders[i].owner.length, 0);
		assert_int_equal(found.holders[i].left_ms, -1);
	}
}

static void a_baton_that_reached_nobody_is_free(void **state)
{
	static const char baton[] = "~0123456789abcdef0123456789abcdef:17";

	(void)state;
	run("SET lock@mail %s PX 60000", baton);
	assert_status(find(new_owner(), "*"), RL_OK);
	assert_string_equal(names(), "mail");
	run("RPUSH rlock:q:{lock@mail}:lock@mail %s", baton);
	assert_status(find(new_owner(), "*"), RL_OK);
	assert_string_equal(names(), "");
}

static void the_longest_name_is_found(void **state)
{
	struct rl_owner *owner = new_owner();
	size_t length = 1024 * 1024;
	char *name = malloc(length + 1);

	(void)state;
	assert_non_null(name);
	memset(name, 'x', length);
	name[length] = '\0';
	assert_status(own(owner, name, 60000), RL_OK);
	assert_status(find(owner, "*"), RL_OK);
	assert_int_equal(found.count, 1);
	assert_status(disown(owner, name), RL_OK);
	free(name);
}

/* ---------------------------------------------------------------- many */

static void the_limit_and_the_listener_end_it(void **state)
{
	struct rl_owner *owner = new_owner();

	(void)state;
	take_many(rig.redis, 30);
	assert_status(find_up_to(owner, "*", 30), RL_OK);
	assert_int_equal(found.count, 30);
	assert_status(find_up_to(owner, "*", 29), RL_OK);
	assert_int_equal(found.count, 29);
	found.stop_after = 7;
	assert_status(find_up_to(owner, "*", 1000), RL_OK);
	assert_int_equal(found.count, 7);
}

/*
 * Each is told once, though SCAN may repeat keys, and a table that grows or shrinks makes it do so.
 */
static size_t told[2500];

static bool count_told(void *context, struct rl_text name, struct rl_text shown,
	const struct rl_holder *holder)
{
	int64_t number = 0;

	(void)context;
	(void)holder;
	assert_true(rl_text_skip(&name, "n") && rl_number_read(name, COUNT(told) - 1, &number));
	told[number]++;
	return true;
}

static void assert_all_told_once(void)
{
	for (size_t i = 0; i < COUNT(told); i++) {
		if (told[i] != 1) {
			fail_msg("n%zu was told %zu times", i, told[i]);
		}
	}
}

static struct rl_holders all_told(void)
{
	memset(told, 0, sizeof told);
	return (struct rl_holders){ .pattern = NAME("n*"), .limit = SIZE_MAX, .found = count_told };
}

static void each_is_told_once_in_few_requests(void **state)
{
	struct rl_owner *owner = new_owner();
	struct rl_holders request = all_told();
	uint64_t before;

	(void)state;
	take_many(rig.redis, (int)COUNT(told));
	before = rl_owner_stats(owner)->requests;
	assert_status(rl_owner_holders(owner, &request, &said), RL_OK);
	assert_all_told_once();
	/*
	 * One look each, and a step for a hundred keys; in Redis a step may end late, but not early.
	 */
	assert_in_range(rl_owner_stats(owner)->requests - before, COUNT(told) + 15, COUNT(told) + 110);
}

/* How long a search takes in which one request takes so long, if `reading` is one within it. */
static rl_time search_slowly(struct rl_owner *owner, long reading, rl_time request)
{
	rl_time start = rl_now();

	clock_stop(start);
	clock_advance_at(reading, request);
	assert_status(find(owner, "*"), RL_OK);
	return rl_now() - start;
}

static void after_a_request_the_server_has_as_long_for_others(void **state)
{
	struct rl_owner *owner = new_owner();
	rl_time longest = 0, of_slow = 0;

	(void)state;
	assert_status(find(owner, "*"), RL_OK); /* connected */
	for (long reading = 0; reading < 30; reading++) {
		longest = rl_time_later(longest, search_slowly(owner, reading, 3 * RL_MILLISECOND));
		of_slow = rl_time_later(of_slow, search_slowly(owner, reading, RL_SECOND / 2));
	}
	clock_reset();
	assert_int_equal(longest, 6 * RL_MILLISECOND);
	assert_int_equal(of_slow, RL_SECOND / 2 + 10 * RL_MILLISECOND); /* signals are to be heard */
}

#define OTHERS 60000

static bool shrink_once(void *context)
{
	bool *shrunk = context;

	if (!*shrunk) {
		*shrunk = true;
		for_each(rig.redis, "for i = 1, ARGV[1] do redis.call('DEL', 'other' .. i) end", OTHERS);
	}
	return true;
}

static void none_is_missed_while_the_table_shrinks(void **state)
{
	struct rl_holders request = all_told();
	bool shrunk = false;
	struct rl_owner *owner = new_hooked_at_each_wait(shrink_once, &shrunk);

	(void)state;
	for_each(rig.redis, "for i = 1, ARGV[1] do redis.call('SET', 'other' .. i, 'x') end", OTHERS);
	take_many(rig.redis, (int)COUNT(told));
	rl_owner_begin_call(owner);
	assert_status(rl_owner_holders(owner, &request, &said), RL_OK);
	rl_owner_end_call(owner);
	assert_true(shrunk);
	assert_all_told_once();
}

static bool count_only(void *context, struct rl_text name, struct rl_text shown,
	const struct rl_holder *holder)
{
	(void)name;
	(void)holder;
	++*(size_t *)context;
	return true;
}

/* Among others, since an answer to SCAN may have no more than 8 MiB. */
static void names_without_bound_end_it(void **state)
{
	size_t count = 0;
	struct rl_holders request = {
		.pattern = NAME("*"), .limit = SIZE_MAX, .found = count_only, .context = &count
	};
	struct rl_owner *owner;
	char address[200];

	(void)state;
	snprintf(address, sizeof address, "%s?timeout=60", rig.server.address);
	owner = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
	for_each(rig.redis, "for i = 1, ARGV[1] do redis.call('SET', 'other' .. i, 'x') end", OTHERS);
	for_each(rig.redis,
		"local long = string.rep('x', 100000) "
		"for i = 1, ARGV[1] do redis.call('SET', 'lock@' .. i .. long, 'x') end",
		700);
	assert_status(rl_owner_holders(owner, &request, &said), RL_MISUSE);
	assert_non_null(strstr(said.message, "more than 64 MiB of locks' names"));
	assert_in_range(count, 500, 690);
	run("FLUSHALL");
	assert_status(rl_owner_holders(owner, &request, &said), RL_OK);
}

/* ---------------------------------------------------------------- faults */

static bool say_no(void *context)
{
	(void)context;
	return false;
}

static void the_hook_may_end_it(void **state)
{
	(void)state;
	assert_status(find(new_hooked_at_each_wait(say_no, NULL), "*"), RL_INTERRUPTED);
}

static void a_lost_connection_begins_anew(void **state)
{
	struct rl_holders request = all_told();

	(void)state;
	take_many(rig.redis, (int)COUNT(told));
	proxy_add(&proxy,
		(struct proxy_rule){ .word = "SCAN", .skip = 1, .times = 1, .fault = PROXY_CUT_AFTER });
	assert_status(rl_owner_holders(new_proxied(), &request, &said), RL_OK);
	assert_int_equal(proxy.struck, 1);
	assert_all_told_once();
	proxy_add(&proxy,
		(struct proxy_rule){ .word = "SCAN",
			.skip = 1,
			.times = 2,
			.fault = PROXY_CUT_BEFORE,
			.fails = true });
	assert_status(rl_owner_holders(new_proxied(), &request, &said), RL_UNREACHABLE);
}

static void what_is_no_answer_to_scan_is_told(void **state)
{
	static const char *const answers[] = { "+OK\r\n", "*2\r\n:0\r\n*0\r\n",
		"*2\r\n$1\r\nx\r\n*0\r\n", "*2\r\n$1\r\n0\r\n:1\r\n", "*2\r\n$1\r\n0\r\n*1\r\n:1\r\n",
		"*2\r\n$24\r\n123456789012345678901234\r\n*0\r\n", "*2\r\n$1\r\n0\r\n*999999\r\n" };

	(void)state;
	for (size_t i = 0; i < COUNT(answers); i++) {
		proxy_add(&proxy,
			(struct proxy_rule){
				.word = "SCAN", .times = 2, .fault = PROXY_ANSWER, .answer = answers[i] });
		assert_status(find(new_proxied(), "*"), RL_UNREACHABLE);
		proxy_let_go(&proxy);
	}
}

static void a_busy_server_is_asked_again(void **state)
{
	(void)state;
	take_many(rig.redis, 3);
	proxy_add(&proxy,
		(struct proxy_rule){ .word = "SCAN",
			.times = 2,
			.fault = PROXY_ANSWER,
			.answer = "-BUSY with a script\r\n" });
	assert_status(find(new_proxied(), "*"), RL_OK);
	assert_string_equal(names(), "n0 n1 n2");
}

/* Keys that are refused in a batch are looked at one by one. */
static void what_a_batch_leaves_open_is_looked_at(void **state)
{
	(void)state;
	take_many(rig.redis, 3);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_inspect,
			.skip = 1,
			.times = 1,
			.fault = PROXY_ANSWER,
			.answer = "-BUSY with a script\r\n" });
	assert_status(find(new_proxied(), "*"), RL_OK);
	assert_string_equal(names(), "n0 n1 n2");
	proxy_add(&proxy,
		(struct proxy_rule){
			.script = &rl_script_inspect, .skip = 1, .times = 1, .fault = PROXY_CUT_AFTER });
	assert_status(find(new_proxied(), "*"), RL_OK);
	assert_string_equal(names(), "n0 n1 n2");
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_inspect,
			.skip = 1,
			.times = 9,
			.fault = PROXY_ANSWER,
			.answer = "-NOPERM no\r\n" });
	assert_status(find(new_proxied(), "*"), RL_REFUSED);
}

static void flushed_scripts_are_sent_again(void **state)
{
	struct rl_owner *owner = new_owner();

	(void)state;
	take_many(rig.redis, 30);
	run("SCRIPT FLUSH");
	assert_status(find(owner, "*"), RL_OK);
	assert_int_equal(found.count, 30);
}

static void a_frozen_server_ends_it_at_the_deadline(void **state)
{
	struct rl_owner *owner = new_owner();
	struct prompt_moment began;

	(void)state;
	assert_status(find(owner, "*"), RL_OK);
	throwaway_freeze(&rig.server);
	owner->route->timeout = owner->route->patience = 200 * RL_MILLISECOND;
	began = prompt_now();
	assert_status(find(owner, "*"), RL_UNREACHABLE);
	expect_soon(prompt_since(began), 200 * RL_MILLISECOND + A_MOMENT);
	/* what comes now is to succeed */
	owner->route->timeout = owner->route->patience = 5 * RL_SECOND;
	kill(rig.server.pid, SIGCONT);
	assert_status(find(owner, "*"), RL_OK);
}

static void a_refusal_is_told(void **state)
{
	char address[200];

	(void)state;
	run("ACL SETUSER noscan on >x ~* &* +@all -scan");
	snprintf(address, sizeof address, "%s?user=noscan&password=x", rig.server.address);
	assert_status(
		find(new_owner_at(address, (struct rl_wait_hook){ .run = NULL }), "*"), RL_REFUSED);
	assert_string_equal(said.code, "NOPERM");
	assert_non_null(strstr(said.message, "ACL LOG"));
	run("ACL DELUSER noscan");
}

static void memory_that_runs_out_is_told(void **state)
{
	struct rl_owner *owner = new_owner();
	enum rl_status status = RL_NO_MEMORY;

	(void)state;
	take_many(rig.redis, 30);
	assert_status(find(owner, "*"), RL_OK);
	for (int left = 0; status != RL_OK; left++) {
		faults_memory(left);
		status = find(owner, "*");
		faults_memory(-1);
		if (status != RL_NO_MEMORY && status != RL_UNREACHABLE) {
			assert_status(status, RL_OK);
		}
		assert_in_range(left, 0, 1000);
	}
	assert_int_equal(found.count, 30);
}

/* ---------------------------------------------------------------- a majority */

#define NODES 3

static struct throwaway nodes[NODES];
static redisContext *redis[NODES];

static struct rl_owner *begin_majority(void)
{
	const char *addresses[NODES];

	for (size_t i = 0; i < NODES; i++) {
		assert_true(throwaway_start(&nodes[i], false, NULL));
		redis[i] = redisConnectUnix(nodes[i].socket);
		assert_non_null(redis[i]);
		addresses[i] = nodes[i].address;
	}
	return new_majority(addresses, NODES, (struct rl_wait_hook){ .run = NULL }, NULL);
}

static void end_majority(struct rl_owner *owner)
{
	for (size_t i = 0; i < NODES; i++) {
		kill(nodes[i].pid, SIGCONT);
	}
	end_owner(owner);
	for (size_t i = 0; i < NODES; i++) {
		redisFree(redis[i]);
		throwaway_stop(&nodes[i]);
	}
}

static void set(size_t node, const char *key)
{
	freeReplyObject(command(redis[node], "SET lock@%s foreign PX 600000", key));
}

/* Two are frozen: they have one timeout between them, and the third is not blamed. */
static void expect_no_majority(struct rl_owner *owner)
{
	struct prompt_moment began;

	owner->route->timeout = owner->route->patience = RL_SECOND;
	began = prompt_now();
	assert_status(find(owner, "*"), RL_UNREACHABLE);
	expect_soon(prompt_since(began), RL_SECOND + A_MOMENT);
	assert_non_null(strstr(said.message, "2 of 3 servers cannot be asked"));
	owner->route->timeout = owner->route->patience = 5 * RL_SECOND;
}

static void a_majority_decides_and_a_minority_is_nobodys(void **state)
{
	struct rl_owner *owner = begin_majority();

	(void)state;
	assert_status(own(owner, "ours", 60000), RL_OK);
	for (size_t i = 0; i < NODES; i++) {
		char alone[16];

		snprintf(alone, sizeof alone, "alone%zu", i);
		set(i, alone); /* what a minority holds is nobody's */
		set(i, "foreign");
		if (i > 0) {
			set(i, "two");
		}
	}
	assert_status(find(owner, "*"), RL_OK);
	assert_string_equal(names(), "foreign ours two");

	/*
	 * The first that is asked does not answer: the others are a majority, and of "two" too few are
	 * left.
	 */
	throwaway_freeze(&nodes[0]);
	assert_status(find(owner, "*"), RL_OK);
	assert_string_equal(names(), "foreign ours two");
	throwaway_freeze(&nodes[1]);
	expect_no_majority(owner);
	kill(nodes[0].pid, SIGCONT);
	throwaway_freeze(&nodes[2]);
	expect_no_majority(owner);
	end_majority(owner);
}

static void a_majority_tells_why_its_servers_refuse(void **state)
{
	struct rl_owner *owner = begin_majority();

	(void)state;
	freeReplyObject(command(redis[1], "ACL SETUSER default -scan"));
	assert_status(find(owner, "*"), RL_OK);
	freeReplyObject(command(redis[2], "ACL SETUSER default -scan"));
	assert_status(find(owner, "*"), RL_REFUSED);
	assert_string_equal(said.code, "NOPERM");
	assert_non_null(strstr(said.message, "2 of 3 servers refuse it"));
	assert_non_null(strstr(said.message, nodes[1].socket));
	assert_non_null(strstr(said.message, nodes[2].socket));
	end_majority(owner);
}

static void many_are_found_on_a_majority(void **state)
{
	struct rl_owner *owner = begin_majority();
	struct rl_holders request = all_told();

	(void)state;
	for (size_t i = 0; i < NODES; i++) {
		take_many(redis[i], (int)COUNT(told));
	}
	assert_status(rl_owner_holders(owner, &request, &said), RL_OK);
	assert_all_told_once();
	end_majority(owner);
}

#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)

int test_holders(void)
{
	const struct CMUnitTest tests[] = {
		test(held_locks_are_found_and_others_are_not),
		test(what_is_told_is_what_holder_tells),
		test(names_match_a_glob),
		test(the_prefix_is_no_glob),
		test(companions_are_no_locks),
		test(what_foreign_clients_put_there_is_found),
		test(a_baton_that_reached_nobody_is_free),
		test(the_longest_name_is_found),
		test(the_limit_and_the_listener_end_it),
		test(each_is_told_once_in_few_requests),
		test(after_a_request_the_server_has_as_long_for_others),
		test(none_is_missed_while_the_table_shrinks),
		test(names_without_bound_end_it),
		test(the_hook_may_end_it),
		test(a_lost_connection_begins_anew),
		test(what_is_no_answer_to_scan_is_told),
		test(a_busy_server_is_asked_again),
		test(what_a_batch_leaves_open_is_looked_at),
		test(flushed_scripts_are_sent_again),
		test(a_frozen_server_ends_it_at_the_deadline),
		test(a_refusal_is_told),
		test(memory_that_runs_out_is_told),
		test(a_majority_decides_and_a_minority_is_nobodys),
		test(a_majority_tells_why_its_servers_refuse),
		test(many_are_found_on_a_majority),
	};
	return cmocka_run_group_tests_name("holders", tests, rig_start, rig_stop);
}
