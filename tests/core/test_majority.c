/*
 * A majority of independent masters, real ones: what a lock on three and on five of them does
 * while they answer, are dead (T6, T8), frozen (T6), slow or late (T6), or have lost their data.
 */
#include "owner_rig.h"
#include "stack.h"
#include "prompt.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lock/votes.h"
#include "lock/owner/internal.h"

#define NODES 5

static struct node {
	struct throwaway server;
	struct proxy proxy;
	redisContext *redis;
} nodes[NODES];

/* ---------------------------------------------------------------- the rig */

static bool start_node(struct node *node)
{
	if (!throwaway_start(&node->server, false, NULL)) {
		return false;
	}
	node->redis = redisConnectUnix(node->server.socket);
	return node->redis && !node->redis->err;
}

static void stop_node(struct node *node)
{
	if (node->redis) {
		redisFree(node->redis);
		node->redis = NULL;
	}
	throwaway_stop(&node->server);
}

static int start_all(void **state)
{
	for (size_t i = 0; i < NODES; i++) {
		if (!start_node(&nodes[i])) {
			return -1;
		}
	}
	return rig_start(state);
}

static int stop_all(void **state)
{
	for (size_t i = 0; i < NODES; i++) {
		stop_node(&nodes[i]);
	}
	return rig_stop(state);
}

static int reset(void **state)
{
	for (size_t i = 0; i < NODES; i++) {
		freeReplyObject(command(nodes[i].redis, "FLUSHALL"));
		if (!proxy_start(&nodes[i].proxy, nodes[i].server.folder, nodes[i].server.socket)) {
			return -1;
		}
	}
	return owners_reset(state);
}

static int clean(void **state)
{
	for (size_t i = 0; i < NODES; i++) {
		if (nodes[i].server.pid) {
			kill(nodes[i].server.pid, SIGCONT);
		}
	}
	owners_clean(state);
	for (size_t i = 0; i < NODES; i++) {
		proxy_stop(&nodes[i].proxy);
		if (!nodes[i].redis && !start_node(&nodes[i])) {
			return -1;
		}
	}
	return 0;
}

static struct rl_owner *hooked_on(size_t count, struct rl_wait_hook hook)
{
	const char *addresses[NODES];

	for (size_t i = 0; i < count; i++) {
		addresses[i] = nodes[i].proxy.address;
	}
	return new_majority(addresses, count, hook, NULL);
}

static struct rl_owner *owner_on(size_t count)
{
	return hooked_on(count, (struct rl_wait_hook){ .run = NULL });
}

static long long ask_node(size_t node, const char *format, const char *key)
{
	redisReply *reply = command(nodes[node].redis, format, key);
	long long answer = reply->integer;

	assert_int_equal(reply->type, REDIS_REPLY_INTEGER);
	freeReplyObject(reply);
	return answer;
}

static bool has(size_t node, const char *key)
{
	return ask_node(node, "EXISTS lock@%s", key) == 1;
}

/* How many of `count` nodes have L. */
static size_t holders(size_t count, const char *key)
{
	size_t holding = 0;

	for (size_t i = 0; i < count; i++) {
		holding += nodes[i].redis && has(i, key);
	}
	return holding;
}

static void await_holders(size_t count, const char *key, size_t expected)
{
	for (int tries = 0; holders(count, key) != expected; tries++) {
		if (tries == 5000) {
			fail_msg("%zu nodes have \"%s\", not %zu", holders(count, key), key, expected);
		}
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}

/* What the nodes have answered before has come through their proxies. */
static void let_it_arrive_from(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		let_it_through(&nodes[i].proxy);
	}
}

static void freeze(size_t node)
{
	throwaway_freeze(&nodes[node].server);
}

static void thaw(size_t node)
{
	kill(nodes[node].server.pid, SIGCONT);
}

static void drop(size_t node, const char *key)
{
	freeReplyObject(command(nodes[node].redis, "DEL lock@%s", key));
}

/* As if somebody had taken and given it back on this node since. */
static void taken_since(size_t node, const char *key)
{
	redisReply *fence = command(nodes[node].redis, "GET rlock:f:{lock@%s}:lock@%s", key, key);

	drop(node, key);
	freeReplyObject(command(nodes[node].redis, "SET rlock:f:{lock@%s}:lock@%s %lld", key, key,
		strtoll(fence->str, NULL, 10) + 1));
	freeReplyObject(fence);
}

/* Connected to all, and the scripts are known there. */
static struct rl_owner *warmed(struct rl_owner *owner, size_t count)
{
	size_t warmed = 0;

	for (int tries = 0; warmed < count; tries++) {
		assert_true(tries < 10000);
		assert_status(own(owner, "warm", LEASE), RL_OK);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		warmed = holders(count, "warm");
		assert_status(disown(owner, "warm"), RL_OK);
		await_holders(count, "warm", 0);
	}
	return owner;
}

static struct rl_owner *warm(size_t count)
{
	return warmed(owner_on(count), count);
}

static atomic_uint alarms;

static void count_alarm(void *context)
{
	(void)context;
	alarms++;
}

/* `timeout`: of a call, in s. */
static struct rl_owner *warm_with(
	size_t count, const char *timeout, const struct rl_renewal_terms *terms)
{
	char texts[NODES][160];
	const char *addresses[NODES];

	for (size_t i = 0; i < count; i++) {
		snprintf(texts[i], sizeof texts[i], "%s?timeout=%s", nodes[i].proxy.address, timeout);
		addresses[i] = texts[i];
	}
	return warmed(
		new_majority(addresses, count, (struct rl_wait_hook){ .run = NULL }, terms), count);
}

/* A call's whole deadline is 1 s, but not while it connects: that has to succeed. */
static struct rl_owner *warm_and_hasty(size_t count)
{
	struct rl_owner *owner = warm(count);

	owner->route->timeout = owner->route->patience = RL_SECOND;
	return owner;
}

/* Renewed and alarmed; a call's whole deadline is 2 s. */
static struct rl_owner *warm_and_renewed(size_t count)
{
	static const struct rl_renewal_terms terms = {
		.renew = true, .max_hold = RL_FOREVER, .alarm = { .raise = count_alarm }
	};

	alarms = 0;
	return warm_with(count, "2", &terms);
}

#define THIRD (LEASE * RL_MILLISECOND / 3 + RL_MILLISECOND)

/*
 * With one node that does not answer the others are both needed, and what was given back may not
 * have got to one yet.
 */
static enum rl_status own_soon(struct rl_owner *owner, const char *key)
{
	return own_waiting(owner, key, LEASE, 5 * RL_SECOND);
}

/* A node that could not be told at once is told at the next contact. */
static void await_clean(struct rl_owner *owner, size_t count, const char *key)
{
	for (int tries = 0; holders(count, key) > 0; tries++) {
		assert_true(tries < 10000);
		look(owner, "held");
		if (own(owner, "contact", LEASE) == RL_OK) {
			disown(owner, "contact");
		}
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}

/* ---------------------------------------------------------------- all alive */

static void votes_make_one_answer(void **state)
{
	static const char letters[] = "-ogtun"; /* as the answers are numbered */
	static const struct {
		size_t nodes;
		const char *votes; /* o ours, g gone, t taken, u unknown, n by its name, . may still come */
		char answer;       /* or '-': not decided */
	} cases[] = {
		{ 3, "...", '-' },
		{ 3, "o..", '-' },
		{ 3, "oo.", 'o' },
		{ 3, "og.", '-' },
		{ 3, "ogg", 'g' },
		{ 3, "ogo", 'o' },
		{ 3, "gg.", 'g' },
		{ 3, "gt.", '-' },
		{ 3, "gtg", 'g' },
		{ 3, "gto", 'g' },
		{ 3, "tt.", 't' },
		{ 3, "to.", '-' },
		{ 3, "tog", 'g' },
		{ 3, "uu.", 'u' },
		{ 3, "ut.", 't' },
		{ 3, "nn.", 'n' },
		{ 3, "nu.", 'n' },
		{ 3, "un.", 'n' },
		{ 3, "nt.", 't' },
		{ 3, "tn.", 't' },
		{ 3, "nng", 'n' },
		{ 3, "ngg", 'g' },
		{ 3, "o", '-' },
		{ 3, "og", 'g' },
		{ 3, "ot", 't' },
		{ 3, "g", '-' },
		{ 3, "gg", 'g' },
		{ 5, "oo...", '-' },
		{ 5, "ooo..", 'o' },
		{ 5, "oogg.", '-' },
		{ 5, "ooggt", 'g' },
		{ 5, "ottt", 't' },
		{ 5, "ottg.", '-' },
		{ 5, "ottgo", 'g' },
		{ 5, "ggg..", 'g' },
		{ 1, "o", 'o' },
		{ 1, "g", 'g' },
		{ 1, "t", 't' },
		{ 4, "oo..", '-' },
		{ 4, "ooo.", 'o' },
		{ 4, "oogg", 'g' },
		{ 4, "ootg", 'g' },
		{ 4, "oott", 't' },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rl_votes tally;
		enum rl_answer answer;
		size_t open = 0;
		char said_so;

		rl_votes_begin(&tally, cases[i].nodes);
		for (const char *vote = cases[i].votes; *vote; vote++) {
			if (*vote == '.') {
				open++;
			} else {
				rl_votes_count(&tally,
					&(struct rl_outcome){
						.answer = (enum rl_answer)(strchr(letters, *vote) - letters) });
			}
		}
		said_so = !rl_votes_decide(&tally, open, &answer) ? '-' : letters[answer];
		if (said_so != cases[i].answer) {
			fail_msg("%zu nodes, \"%s\": %c, not %c", cases[i].nodes, cases[i].votes, said_so,
				cases[i].answer);
		}
	}
}

static void a_pair_takes_and_frees_all_nodes(void **state)
{
	for (size_t count = 2; count <= NODES; count++) {
		/* a node that is slow to connect is done without at first */
		struct rl_owner *owner = warm(count);

		assert_status(own(owner, "job", LEASE), RL_OK);
		await_holders(count, "job", count);
		assert_int_equal(view(owner, "job").fence, 0);
		assert_true(view(owner, "job").left > (LEASE - PATIENCE_MS) * RL_MILLISECOND);
		assert_status(look(owner, "job"), RL_OK);
		assert_status(disown(owner, "job"), RL_OK);
		await_holders(count, "job", 0);
		assert_status(disown(owner, "job"), RL_NO);
		assert_int_equal(rl_owner_stats(owner)->reconnects, 0);
		end_owner(owner);
	}
}

static void two_owners_exclude_each_other(void **state)
{
	struct rl_owner *holder = warm_with(3, "10", NULL), *other = warm_with(3, "10", NULL);

	assert_status(own(holder, "job", LEASE), RL_OK);
	await_holders(3, "job", 3); /* or the other one might come first to the third of them */
	assert_status(own(other, "job", LEASE), RL_NO);
	assert_status(own_waiting(other, "job", LEASE, 120 * RL_MILLISECOND), RL_NO);
	await_holders(3, "job", 3);
	assert_status(look(holder, "job"), RL_OK);
	assert_status(disown(holder, "job"), RL_OK);
	await_holders(3, "job", 0);
	assert_status(own(other, "job", LEASE), RL_OK);
}

static void what_a_failed_try_got_is_taken_back(void **state)
{
	struct rl_owner *owner = warm(3);

	freeReplyObject(command(nodes[0].redis, "SET lock@job foreign PX 60000"));
	freeReplyObject(command(nodes[1].redis, "SET lock@job foreign PX 60000"));
	for (int i = 0; i < 10; i++) {
		assert_status(own(owner, "job", LEASE), RL_NO);
	}
	let_it_arrive_from(3);
	await_holders(3, "job", 2);
	assert_false(has(2, "job"));
	drop(1, "job");
	/*
	 * One node that is another's does not matter; but with its refusal two have answered, and the
	 * last has little time left.
	 */
	assert_status(own_soon(owner, "job"), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	await_holders(3, "job", 1);
}

static void every_call_works(void **state)
{
	struct rl_owner *owner = warm(5), *other = warm(5);
	struct rl_holder holder;
	int64_t left_ms;

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_int_equal(view(owner, "job").depth, 2);
	assert_status(prolong(owner, "job", 2 * LEASE), RL_OK);
	let_it_arrive_from(5); /* before the other one asks */
	assert_status(rl_owner_is_locking(owner, NAME("job"), &left_ms, &said), RL_OK);
	assert_in_range(left_ms, 2 * LEASE - PATIENCE_MS, 2 * LEASE);
	assert_status(check_lock(owner, "job"), RL_OK);
	assert_status(rl_owner_holder(other, NAME("job"), &holder, &said), RL_OK);
	assert_true(holder.owner.length > 0);
	assert_int_equal(holder.fence, 0);
	assert_in_range(holder.left_ms, 2 * LEASE - PATIENCE_MS, 2 * LEASE);
	rl_owner_holder_clear(&holder);
	assert_status(disown(owner, "job"), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	assert_status(rl_owner_holder(other, NAME("job"), &holder, &said), RL_NO);
	assert_status(break_it(other, "job"), RL_NO);
}

static void a_delay_keeps_it_from_all(void **state)
{
	struct rl_owner *owner = warm(3), *other = warm(3);

	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(3, "job", 3); /* or the other one might come first to the third of them */
	assert_status(disown_with_delay(owner, "job", 20000), RL_OK);
	assert_status(own(other, "job", LEASE), RL_NO);
	assert_status(own(owner, "job", LEASE), RL_NO);
	await_holders(3, "job", 3);
}

static void many_are_given_back_as_one(void **state)
{
	struct rl_owner *owner = warm(3);
	struct rl_release_summary summary;
	uint64_t requests;
	char key[16];

	for (int i = 0; i < 300; i++) {
		snprintf(key, sizeof key, "many%d", i);
		assert_status(own(owner, key, LEASE), RL_OK);
	}
	requests = rl_owner_stats(owner)->requests;
	summary = disown_all(owner);
	assert_int_equal(summary.released, 300);
	assert_in_range(rl_owner_stats(owner)->requests - requests, 2 * 300, 3 * 300);
	for (int i = 0; i < 300; i++) {
		snprintf(key, sizeof key, "many%d", i);
		await_holders(3, key, 0);
	}
}

static void all_or_none(void **state)
{
	struct rl_owner *owner = warm(3), *other = warm(3);
	struct rl_acquire_key keys[] = { { .name = { "a", 1 } }, { .name = { "b", 1 } },
		{ .name = { "c", 1 } } };
	struct rl_acquire_all request = { .keys = keys, .count = 3, .lease_ms = LEASE };

	assert_status(own(other, "c", LEASE), RL_OK);
	assert_status(rl_owner_acquire_all(owner, &request, &said), RL_NO);
	await_holders(3, "a", 0);
	await_holders(3, "b", 0);
	assert_status(disown(other, "c"), RL_OK);
	await_holders(3, "c", 0);
	assert_status(rl_owner_acquire_all(owner, &request, &said), RL_OK);
	assert_int_equal(rl_owner_held(owner), 3);
}

/* ---------------------------------------------------------------- T6: a node that fails */

/*
 * Pairs that cost nothing more for it: nobody waits for a deadline, which is 5 s. The clock moves
 * only while somebody waits.
 */
static void assert_quick_pairs(struct rl_owner *owner, int pairs)
{
	struct prompt_moment before = prompt_now();
	rl_time began = rl_now();
	struct prompt_time took;

	clock_stop(began);
	for (int i = 0; i < pairs; i++) {
		assert_status(own_waiting(owner, "job", LEASE, 5 * RL_SECOND), RL_OK);
		assert_status(prolong(owner, "job", LEASE), RL_OK);
		assert_status(look(owner, "job"), RL_OK);
		assert_status(disown(owner, "job"), RL_OK);
	}
	took = prompt_since(before);
	took.took = rl_now() - began;
	expect_soon(took, 2 * RL_SECOND);
	clock_reset();
}

static void a_dead_node_costs_nothing(void **state)
{
	struct rl_owner *owner = warm(3);

	stop_node(&nodes[1]);
	proxy_cut(&nodes[1].proxy);
	assert_quick_pairs(owner, 50);
	end_owner(owner);
	assert_quick_pairs(owner_on(3), 50); /* that never saw it alive */
	assert_int_equal(holders(3, "job"), 0);
}

static void a_node_that_comes_back_is_used_again(void **state)
{
	struct rl_owner *owner = warm(3);

	proxy_stop(&nodes[1].proxy);
	assert_quick_pairs(owner, 5);
	assert_true(proxy_start(&nodes[1].proxy, nodes[1].server.folder, nodes[1].server.socket));
	clock_advance(2 * RL_SECOND);
	/* Its connection is opened beside the calls. */
	for (int tries = 0; holders(3, "job") < 3; tries++) {
		assert_true(tries < 10000);
		assert_status(own(owner, "job", LEASE), RL_OK);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		if (holders(3, "job") < 3) {
			assert_status(disown(owner, "job"), RL_OK);
		}
	}
	assert_status(disown(owner, "job"), RL_OK);
	await_holders(3, "job", 0);
}

static void a_frozen_node_costs_nothing_and_is_left_clean(void **state)
{
	for (int known = 0; known < 2; known++) {
		struct rl_owner *owner = known ? warm(3) : owner_on(3);
		char value[64] = "x";

		freeze(2);
		assert_quick_pairs(owner, 10);
		assert_status(own(owner, "other", LEASE), RL_OK);
		assert_status(disown(owner, "other"), RL_OK);
		thaw(2);
		await_holders(3, "job", 0);
		await_holders(3, "other", 0);
		assert_quick_pairs(owner, 10);
		assert_status(own(owner, value, LEASE), RL_OK);
		assert_status(disown(owner, value), RL_OK);
		assert_int_equal(rl_owner_stats(owner)->lost, 0);
		await_holders(3, value, 0);
		end_owner(owner);
	}
}

/* For longer than its answers are waited for, and with more of them out than are remembered. */
static void a_node_that_stays_frozen_is_left_alone(void **state)
{
	struct rl_owner *owner = warm(3);
	unsigned connections = nodes[2].proxy.connections;
	uint64_t requests;

	freeze(2);
	assert_quick_pairs(owner, 100);
	clock_advance(6 * RL_SECOND);
	assert_quick_pairs(owner, 1);
	requests = rl_owner_stats(owner)->requests;
	assert_quick_pairs(owner, 10);
	assert_int_equal(rl_owner_stats(owner)->requests - requests, 2 * 40);
	clock_advance(8 * RL_SECOND); /* then it is tried again, on another connection */
	assert_quick_pairs(owner, 1);
	AWAIT(nodes[2].proxy.connections > connections);
	thaw(2);
	clock_advance(6 * RL_SECOND);
	for (int tries = 0; holders(3, "back") < 3; tries++) {
		assert_true(tries < 10000);
		disown(owner, "back");
		assert_status(own_soon(owner, "back"), RL_OK);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	await_clean(owner, 3, "job");
}

static void late_answers_never_confuse(void **state)
{
	struct rl_owner *owner = warm(3), *other = warm(3);

	for (int round = 0; round < 20; round++) {
		proxy_add(&nodes[0].proxy,
			(struct proxy_rule){ .word = "EVALSHA", .times = 1, .fault = PROXY_HOLD });
		assert_status(own_soon(owner, "job"), RL_OK);
		assert_status(own_soon(owner, "second"), RL_OK);
		assert_status(disown(owner, "job"), RL_OK);
		assert_status(own_soon(other, "job"), RL_OK);
		proxy_let_go(&nodes[0].proxy);
		assert_status(own(owner, "job", LEASE), RL_NO);
		assert_status(look(owner, "second"), RL_OK);
		assert_status(look(other, "job"), RL_OK);
		assert_status(disown(other, "job"), RL_OK);
		assert_status(disown(owner, "second"), RL_OK);
	}
	await_holders(3, "job", 0);
	await_holders(3, "second", 0);
	assert_int_equal(rl_owner_stats(owner)->lost + rl_owner_stats(owner)->timeouts, 0);
}

/*
 * Its answer to the take comes after that of the others; what it says then is known when the
 * verdict is.
 */
static void a_late_refusal_is_no_loss(void **state)
{
	struct rl_owner *owner = warm(3);

	freeReplyObject(command(nodes[0].redis, "SET lock@job foreign PX 60000"));
	proxy_add(
		&nodes[0].proxy, (struct proxy_rule){ .word = "EVALSHA", .times = 1, .fault = PROXY_HOLD });
	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_let_go(&nodes[0].proxy);
	taken_since(1, "job"); /* one of ours is lost, too */
	assert_status(disown(owner, "job"), RL_LOST);
	await_holders(3, "job", 1);

	drop(0, "job");
	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(3, "job", 3);
	taken_since(1, "job"); /* and now a majority is left */
	assert_status(disown(owner, "job"), RL_OK);
	await_holders(3, "job", 0);
}

/* Node 0 refuses, and is heard to only when the others have granted it; or never. */
static void own_but_for_the_first(struct rl_owner *owner, bool heard)
{
	freeReplyObject(command(nodes[0].redis, "SET lock@job foreign PX 60000"));
	proxy_add(&nodes[0].proxy,
		(struct proxy_rule){ .script = &rl_script_acquire, .times = 1, .fault = PROXY_HOLD });
	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(3, "job", 3);
	AWAIT(nodes[0].proxy.struck == 1);
	if (!heard) {
		proxy_cut(&nodes[0].proxy);
	}
	proxy_let_go(&nodes[0].proxy);
}

static void a_node_that_never_granted_it_has_no_vote_on_its_renewal(void **state)
{
	struct rl_owner *owner = warm_and_renewed(3);

	own_but_for_the_first(owner, true);
	freeze(1);
	proxy_add(&nodes[0].proxy,
		(struct proxy_rule){
			.script = &rl_script_extend, .times = 2, .fault = PROXY_ANSWER, .answer = ":3\r\n" });
	clock_advance(THIRD);
	AWAIT(nodes[0].proxy.struck == 3 || alarms > 0); /* the second try: the first has ended */
	assert_int_equal(alarms, 0);
	assert_status(check_lock(owner, "job"), RL_OK);
	thaw(1);
	AWAIT(rl_owner_stats(owner)->renewals == 1);
	assert_status(disown(owner, "job"), RL_OK);
}

static void nor_on_its_release(void **state)
{
	struct rl_owner *owner = warm(3);

	own_but_for_the_first(owner, false);
	proxy_stop(&nodes[1].proxy);
	assert_status(disown(owner, "job"), RL_UNREACHABLE);
	assert_non_null(strstr(said.message,
		"1 of 3 servers cannot be asked, and too few of the others have the lock: a majority is 2; "));
}

/* Though the answer to a first sending was lost, which anywhere else is as good as a yes. */
static void nor_if_it_is_asked_twice(void **state)
{
	struct rl_owner *owner = warm(3);

	own_but_for_the_first(owner, false);
	proxy_stop(&nodes[1].proxy);
	/* with which the first one is connected again */
	assert_status(look(owner, "job"), RL_UNREACHABLE);
	proxy_add(&nodes[0].proxy,
		(struct proxy_rule){ .script = &rl_script_release, .times = 1, .fault = PROXY_CUT_AFTER });
	assert_status(disown(owner, "job"), RL_UNREACHABLE);
}

/* It was taken while two were away; they are back, and of those that have it one dies. */
static struct rl_owner *on_three_of_five_less_one(void)
{
	struct rl_owner *owner = warm(5);

	proxy_stop(&nodes[3].proxy);
	proxy_stop(&nodes[4].proxy);
	assert_status(own(owner, "seen", LEASE), RL_OK); /* that they are */
	assert_status(disown(owner, "seen"), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(5, "job", 3);
	for (size_t i = 3; i < 5; i++) {
		assert_true(proxy_start(&nodes[i].proxy, nodes[i].server.folder, nodes[i].server.socket));
	}
	clock_advance(2 * RL_SECOND);
	proxy_stop(&nodes[0].proxy);
	return owner;
}

static void too_few_of_those_that_have_it_are_no_majority(void **state)
{
	static const char words[] =
		"1 of 5 servers cannot be asked, and too few of the others have the lock: a majority is 3; ";
	struct rl_owner *owner = on_three_of_five_less_one();

	assert_status(prolong(owner, "job", LEASE), RL_UNREACHABLE);
	assert_memory_equal(said.message, words, strlen(words));
	assert_status(disown(owner, "job"), RL_UNREACHABLE);
	assert_memory_equal(said.message, words, strlen(words));
	/* four are a majority for all that is taken now */
	assert_status(own(owner, "other", LEASE), RL_OK);
}

static void who_looks_hears_all(void **state)
{
	struct rl_owner *owner = on_three_of_five_less_one();
	struct rl_holder holder;

	assert_status(look(owner, "job"), RL_UNREACHABLE); /* the one that is away may have it */
	assert_status(rl_owner_holder(owner, NAME("job"), &holder, &said), RL_NO);
	assert_true(proxy_start(&nodes[0].proxy, nodes[0].server.folder, nodes[0].server.socket));
	clock_advance(2 * RL_SECOND);
	proxy_stop(&nodes[3].proxy);
	assert_status(look(owner, "job"), RL_OK);
}

/* ---------------------------------------------------------------- late copies */

/* Longer than any call may take that a proxy keeps. */
#define LONG (60 * LEASE)

/* This script, so often, on this node: it comes when the test delivers it. */
static void keep(size_t node, const struct rl_script *script, unsigned times)
{
	proxy_add(&nodes[node].proxy,
		(struct proxy_rule){ .script = script,
			.times = times,
			.fault = PROXY_LATE,
			.fails = times > 1 });
}

static void deliver(size_t node, unsigned expected)
{
	assert_int_equal(proxy_deliver(&nodes[node].proxy), expected);
}

static long long node_left(size_t node, const char *key)
{
	return ask_node(node, "PTTL lock@%s", key);
}

/* Node 0 grants it to a second sending, and the first comes later. */
static void own_by_a_second_sending(struct rl_owner *owner, int64_t lease_ms)
{
	keep(0, &rl_script_acquire, 1);
	proxy_add(&nodes[2].proxy,
		(struct proxy_rule){ .script = &rl_script_acquire, .times = 1, .fault = PROXY_HOLD });
	assert_status(own(owner, "job", lease_ms), RL_OK);
	proxy_let_go(&nodes[2].proxy);
	await_holders(3, "job", 3);
}

static void late_by(size_t count, struct rl_owner *owner, const char *key)
{
	expire_here(owner, key);
	for (size_t i = 0; i < count; i++) {
		drop(i, key);
	}
}

/* Another had the lock when it came: having it there tells nothing. */
static void what_a_late_take_took_is_not_believed(void **state)
{
	struct rl_owner *owner = warm(3);

	own_by_a_second_sending(owner, LEASE / 20);
	late_by(3, owner, "job");
	taken_since(0, "job");
	taken_since(1, "job");
	deliver(0, 1);
	assert_true(has(0, "job"));
	assert_status(disown(owner, "job"), RL_LOST);
	await_clean(owner, 3, "job");
}

/*
 * Nor there where no answer came, so that the fence is not known with which a release would
 * compare.
 */
static void nor_where_it_was_never_answered(void **state)
{
	struct rl_owner *owner = warm(3);

	keep(0, &rl_script_acquire, 2);
	assert_status(own(owner, "job", LEASE / 20), RL_OK);
	await_holders(3, "job", 2);
	AWAIT(nodes[0].proxy.struck >= 1);
	late_by(3, owner, "job");
	warmed(owner, 3); /* all are connected again */
	taken_since(1, "job");
	assert_in_range(proxy_deliver(&nodes[0].proxy), 1, 2);
	assert_true(has(0, "job"));
	/* and not only late: of the three one has granted it to another */
	assert_status(disown(owner, "job"), RL_LOST);
	await_clean(owner, 3, "job");
}

/* The answer is heard, but only when the lease was over: the take may have been run late, too. */
static void nor_where_it_was_answered_too_late(void **state)
{
	struct rl_owner *owner = warm(3);

	proxy_add(&nodes[0].proxy,
		(struct proxy_rule){ .script = &rl_script_acquire, .times = 1, .fault = PROXY_STALL });
	assert_status(own(owner, "job", LEASE / 20), RL_OK);
	await_holders(3, "job", 2);
	AWAIT(nodes[0].proxy.struck == 1);
	expire_here(owner, "job");
	taken_since(1, "job");
	proxy_let_go(&nodes[0].proxy);
	AWAIT(has(0, "job"));
	let_it_arrive_from(3);
	assert_status(disown(owner, "job"), RL_LOST);
	await_clean(owner, 3, "job");
}

static void a_late_shorter_lease_makes_no_two_owners(void **state)
{
	struct rl_owner *owner = warm(3), *other = warm(3);

	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(3, "job", 3);
	warmed(owner, 3); /* each has been heard */
	for (size_t i = 0; i < 2; i++) {
		keep(i, &rl_script_extend, 2);
	}
	assert_status(prolong(owner, "job", LEASE / 2), RL_UNREACHABLE);
	warmed(owner, 3); /* all are connected again */
	assert_status(prolong(owner, "job", LONG), RL_OK);
	for (size_t i = 0; i < 2; i++) {
		AWAIT(node_left(i, "job") > LEASE);
		deliver(i, 2);
		assert_true(node_left(i, "job") > LONG - PATIENCE_MS);
	}
	assert_status(own(other, "job", LEASE), RL_NO);
	assert_status(check_lock(owner, "job"), RL_OK);
}

/* So no copy of a request shortens one there; and it is given back, whatever its fence is. */
static void a_node_whose_fence_is_not_known_keeps_the_longer_lease(void **state)
{
	for (int again = 0; again < 2; again++) {
		struct rl_owner *owner = warm(3);

		assert_status(own(owner, "job", LEASE), RL_OK);
		await_holders(3, "job", 3);
		warmed(owner, 3); /* each has been heard */
		proxy_add(&nodes[0].proxy,
			(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_HOLD });
		assert_status(prolong(owner, "job", LEASE / 2), RL_OK);
		AWAIT(node_left(0, "job") <= LEASE / 2);
		proxy_let_go(&nodes[0].proxy);
		if (again) {
			assert_status(prolong(owner, "job", LEASE / 4), RL_OK);
			let_it_arrive_from(3);
			assert_true(node_left(0, "job") > LEASE / 4);
			assert_true(node_left(1, "job") <= LEASE / 4);
		}
		assert_status(disown(owner, "job"), RL_OK);
		await_holders(3, "job", 0);
		end_owner(owner);
	}
}

static void scripts_that_are_flushed_are_not_noticed(void **state)
{
	struct rl_owner *owner = warm(3);

	for (int i = 0; i < 10; i++) {
		freeReplyObject(command(nodes[i % 3].redis, "SCRIPT FLUSH"));
		assert_status(own_soon(owner, "job"), RL_OK);
		freeReplyObject(command(nodes[(i + 1) % 3].redis, "SCRIPT FLUSH"));
		assert_status(disown(owner, "job"), RL_OK);
	}
	assert_status(own_soon(owner, "end"), RL_OK);
	assert_status(disown(owner, "end"), RL_OK);
	await_clean(owner, 3, "job");
	await_clean(owner, 3, "end");
}

/* How many of the two locks a and b are extended by one batch. */
static size_t extend_both(struct rl_owner *owner)
{
	struct rl_step steps[2];
	struct rl_batch_item items[2];
	struct rl_error why;
	struct rl_batch batch = { .route = owner->route,
		.items = items,
		.count = 2,
		.deadline = rl_now() + RL_SECOND,
		.error = &why };

	for (size_t i = 0; i < 2; i++) {
		struct rl_lease *lease;
		struct rl_error ignored;

		assert_int_equal(rl_owner_find(owner, rl_text_of(i ? "b" : "a"), &lease, &ignored), RL_OK);
		steps[i] = (struct rl_step){
			RL_STEP_EXTEND, .lease = lease, .lease_ms = LEASE, .how = RL_EXTEND_LONGER
		};
		items[i] = (struct rl_batch_item){ .step = &steps[i] };
	}
	owner->backend->run(&batch);
	return (size_t)items[0].answered + items[1].answered;
}

static void nor_where_many_are_sent_as_one(void **state)
{
	struct rl_owner *owner = warm(3);

	assert_status(own_soon(owner, "a"), RL_OK);
	assert_status(own_soon(owner, "b"), RL_OK);
	assert_int_equal(extend_both(owner), 2);
	for (size_t i = 0; i < 3; i++) {
		freeReplyObject(command(nodes[i].redis, "SCRIPT FLUSH"));
	}
	assert_int_equal(extend_both(owner), 2);
	assert_status(disown(owner, "a"), RL_OK);
	assert_status(disown(owner, "b"), RL_OK);
}

static void a_lost_answer_is_asked_for_again(void **state)
{
	struct rl_owner *owner = warm(3);

	for (int i = 0; i < 2; i++) {
		for (size_t node = 0; node < 3; node++) {
			proxy_add(&nodes[node].proxy,
				(struct proxy_rule){
					.word = "EVALSHA", .skip = (unsigned)i, .times = 1, .fault = PROXY_CUT_AFTER });
		}
		assert_status(own(owner, "job", LEASE), RL_OK);
		assert_status(disown(owner, "job"), RL_OK);
		await_clean(owner, 3, "job");
		for (size_t node = 0; node < 3; node++) {
			proxy_let_go(&nodes[node].proxy);
		}
	}
}

static void idle_connections_that_were_closed_are_not_noticed(void **state)
{
	struct rl_owner *owner = warm(3);

	for (size_t node = 0; node < 3; node++) {
		proxy_cut(&nodes[node].proxy);
	}
	assert_quick_pairs(owner, 3);
	assert_true(rl_owner_stats(owner)->reconnects >= 2);
}

static void a_refusal_for_a_moment_is_waited_out(void **state)
{
	struct rl_owner *owner = warm(3);

	for (size_t node = 0; node < 3; node++) {
		proxy_add(&nodes[node].proxy,
			(struct proxy_rule){ .word = "EVALSHA",
				.times = 2,
				.fault = PROXY_ANSWER,
				.answer = "-BUSY Redis is busy running a script.\r\n" });
	}
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
}

/* ---------------------------------------------------------------- T8: no majority */

static void without_a_majority_nothing_is_left(void **state)
{
	struct rl_owner *owner = warm(3);

	stop_node(&nodes[0]);
	stop_node(&nodes[1]);
	proxy_cut(&nodes[0].proxy);
	proxy_cut(&nodes[1].proxy);
	assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
	assert_non_null(strstr(said.message, "2 of 3"));
	assert_non_null(strstr(said.message, nodes[0].proxy.address + strlen("unix://")));
	assert_null(strstr(said.message, nodes[2].proxy.address + strlen("unix://")));
	await_holders(3, "job", 0);
	assert_status(own_waiting(owner, "job", LEASE, 100 * RL_MILLISECOND), RL_UNREACHABLE);
	await_holders(3, "job", 0);
}

static void when_most_are_frozen_the_deadline_counts(void **state)
{
	struct rl_owner *owner = warm_and_hasty(3);
	rl_time began;

	assert_status(own(owner, "mine", LEASE), RL_OK);
	await_holders(3, "mine", 3);
	freeze(0);
	freeze(1);
	clock_stop(rl_now()); /* but for what is waited for */
	began = rl_now();
	assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
	assert_int_equal(rl_now() - began, RL_SECOND);
	assert_non_null(strstr(said.message, "2 of 3 servers cannot be asked"));
	assert_non_null(strstr(said.message, "no answer within the timeout"));
	began = rl_now();
	assert_status(disown(owner, "mine"), RL_UNREACHABLE);
	assert_in_range(rl_now() - began, 0, RL_SECOND);
	clock_reset();
	thaw(0);
	thaw(1);
	await_holders(3, "job", 0); /* the takes were taken back behind them */
	await_clean(owner, 3, "mine");
}

static void all_or_none_have_one_deadline(void **state)
{
	struct rl_owner *owner = warm_and_hasty(3);
	struct rl_acquire_key keys[] = { { .name = { "a", 1 } }, { .name = { "b", 1 } } };
	struct rl_acquire_all request = { .keys = keys, .count = 2, .lease_ms = LEASE };
	rl_time began = rl_now();

	for (size_t i = 0; i < 2; i++) {
		proxy_add(&nodes[i].proxy,
			(struct proxy_rule){
				.script = &rl_script_acquire, .skip = 1, .times = 9, .fault = PROXY_STALL });
		proxy_add(&nodes[i].proxy,
			(struct proxy_rule){ .script = &rl_script_release, .times = 9, .fault = PROXY_STALL });
	}
	clock_stop(began);
	assert_status(rl_owner_acquire_all(owner, &request, &said), RL_UNREACHABLE);
	assert_in_range(rl_now() - began, RL_SECOND, RL_SECOND + 50 * RL_MILLISECOND);
	clock_reset();
	for (size_t i = 0; i < 2; i++) {
		proxy_let_go(&nodes[i].proxy);
	}
	await_clean(owner, 3, "a");
	await_clean(owner, 3, "b");
}

static void most_refuse_with_their_reason(void **state)
{
	struct rl_owner *owner = warm(3);

	for (size_t node = 0; node < 2; node++) {
		proxy_add(&nodes[node].proxy,
			(struct proxy_rule){ .word = "EVALSHA",
				.times = 1,
				.fault = PROXY_ANSWER,
				.answer = "-OOM command not allowed when used memory > 'maxmemory'.\r\n" });
	}
	assert_status(own(owner, "job", LEASE), RL_REFUSED);
	assert_string_equal(said.code, "OOM");
	await_holders(3, "job", 0);
}

static void refuse(size_t node, unsigned times, const char *answer)
{
	proxy_add(&nodes[node].proxy,
		(struct proxy_rule){
			.word = "EVALSHA", .times = times, .fault = PROXY_ANSWER, .answer = answer });
	proxy_add(&nodes[node].proxy,
		(struct proxy_rule){
			.word = "EVAL", .times = times, .fault = PROXY_ANSWER, .answer = answer });
}

#define READONLY "-READONLY You can't write against a read only replica.\r\n"
#define ALWAYS   1000000

/* Also while a new connection is being opened, or is waited for, when the time is up. */
static void nor_is_it_no_answer_if_they_refuse_to_the_end(void **state)
{
	struct rl_owner *owner = warm_and_hasty(3);

	refuse(0, ALWAYS, READONLY);
	refuse(1, ALWAYS, READONLY);
	assert_status(own(owner, "job", LEASE), RL_REFUSED);
	assert_string_equal(said.code, "READONLY");
	assert_non_null(strstr(said.message, "2 of 3 servers refuse it, so there is no majority; "));
	assert_null(strstr(said.message, "no answer"));
	await_holders(3, "job", 0);
}

/* Of two that refuse, the one that may soon not do so is what a majority waits for. */
static void the_refusal_that_decides_is_told_first(void **state)
{
	struct rl_owner *owner = warm_and_hasty(3);

	refuse(0, ALWAYS, "-NOPERM this user has no permissions\r\n");
	refuse(1, ALWAYS, "-NOREPLICAS Not enough good replicas to write.\r\n");
	assert_status(own(owner, "job", LEASE), RL_REFUSED);
	assert_string_equal(said.code, "NOREPLICAS");
	assert_true(strstr(said.message, "NOREPLICAS") < strstr(said.message, "NOPERM"));
}

/* As on a single server: there is room again within the call. */
static void servers_without_room_are_tried_again(void **state)
{
	for (size_t node = 0; node < 2; node++) {
		proxy_add(&nodes[node].proxy,
			(struct proxy_rule){ .word = "CLIENT",
				.times = 2,
				.fault = PROXY_ANSWER,
				.answer = "-ERR max number of clients reached\r\n" });
	}
	assert_status(own(owner_on(3), "job", LEASE), RL_OK);
}

/* Over TLS a server without room does so; or a proxy whose server is away. */
static void servers_that_turn_away_without_a_word_are_tried_again(void **state)
{
	for (size_t node = 0; node < 2; node++) {
		proxy_add(&nodes[node].proxy,
			(struct proxy_rule){ .word = "CLIENT",
				.times = 4,
				.fault = PROXY_CUT_BEFORE });
	}
	assert_status(own(owner_on(3), "job", LEASE), RL_OK);
}

static struct rl_owner *while_they_refuse;
static rl_time refused_until;

/* In a wait: the lock becomes free, and two nodes refuse it for a while. */
static bool refuse_for_a_while(void *context)
{
	if (while_they_refuse) {
		assert_status(disown(while_they_refuse, "job"), RL_OK);
		while_they_refuse = NULL;
		refuse(0, ALWAYS, READONLY);
		refuse(1, ALWAYS, READONLY);
		refused_until = rl_now() + 1200 * RL_MILLISECOND;
	} else if (rl_now() >= refused_until) {
		proxy_let_go(&nodes[0].proxy);
		proxy_let_go(&nodes[1].proxy);
	}
	return true;
}

/* An ask takes as long as a call may; the refusal passes a while after that. */
static void a_wait_goes_on_while_they_refuse(void **state)
{
	struct rl_owner *owner = hooked_on(3, (struct rl_wait_hook){ .run = refuse_for_a_while });

	while_they_refuse = warm(3);
	warmed(owner, 3);
	assert_status(own(while_they_refuse, "job", LEASE), RL_OK);
	owner->route->timeout = 800 * RL_MILLISECOND;
	owner->route->patience = 10 * RL_SECOND;
	assert_status(own_waiting(owner, "job", LEASE, 10 * RL_SECOND), RL_OK);
}

static void a_call_that_finds_them_so_does_not_wait(void **state)
{
	struct rl_owner *owner = warm(3);
	struct prompt_moment before;

	owner->route->timeout = 300 * RL_MILLISECOND;
	owner->route->patience = 60 * RL_SECOND;
	refuse(0, ALWAYS, READONLY);
	refuse(1, ALWAYS, READONLY);
	before = prompt_now();
	assert_status(own_waiting(owner, "job", LEASE, RL_FOREVER), RL_REFUSED);
	assert_string_equal(said.code, "READONLY");
	expect_soon(prompt_since(before), 300 * RL_MILLISECOND + A_MOMENT);
}

static void an_answer_that_comes_too_late_grants_nothing(void **state)
{
	struct rl_owner *owner = warm(3);

	for (size_t node = 0; node < 3; node++) {
		proxy_add(&nodes[node].proxy,
			(struct proxy_rule){ .word = "EVALSHA", .times = 1, .fault = PROXY_HOLD });
	}
	clock_advance_at(12, 2 * LEASE * RL_MILLISECOND);
	assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
	assert_true(clock_has_advanced());
	for (size_t node = 0; node < 3; node++) {
		proxy_let_go(&nodes[node].proxy);
	}
	/* a connection that was silent for as long as the clock jumped may be given up */
	await_clean(owner, 3, "job");
	assert_int_equal(rl_owner_held(owner), 0);
}

/* The clock moves on between the requests and the answers. */
static void a_lease_counts_from_before_the_first_request(void **state)
{
	/* the answers have time to come after that */
	struct rl_owner *owner = warm_with(3, "10", NULL);

	clock_advance_at(18, 4 * RL_SECOND);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_true(clock_has_advanced());
	assert_true(view(owner, "job").left <= LEASE * RL_MILLISECOND - 4 * RL_SECOND);
}

/* ---------------------------------------------------------------- verdicts */

/*
 * What all have answered has been read: each reads before it asks; who answers that last is not
 * missed.
 */
static void settle(size_t count, struct rl_owner *owner)
{
	let_it_arrive_from(count);
	assert_status(look(owner, "job"), RL_OK);
	let_it_arrive_from(count);
}

/* Past the deadline by our clock, and by that of so many nodes. */
static struct rl_owner *late_on(size_t count, size_t expired)
{
	struct rl_owner *owner = warm(count);

	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(count, "job", count);
	/* all have said what they hold, and none owes an answer for as long as the clock jumps */
	settle(count, owner);
	expire_here(owner, "job");
	for (size_t i = 0; i < expired; i++) {
		drop(i, "job");
	}
	return owner;
}

static void late_and_nobody_took_it(void **state)
{
	struct rl_owner *owner = late_on(3, 3);

	assert_status(disown(owner, "job"), RL_TIMED_OUT);
	owner = late_on(3, 2);
	assert_status(disown(owner, "job"), RL_TIMED_OUT);
	await_holders(3, "job", 0);
	owner = late_on(3, 1);
	assert_status(disown(owner, "job"), RL_OK); /* a majority still had it */
	await_holders(3, "job", 0);
}

static void late_and_a_majority_was_granted_to_another(void **state)
{
	struct rl_owner *owner = late_on(3, 0);

	taken_since(0, "job");
	assert_status(disown(owner, "job"), RL_OK); /* one node alone grants nothing */
	owner = late_on(3, 0);
	taken_since(0, "job");
	taken_since(2, "job");
	assert_status(disown(owner, "job"), RL_LOST);
	await_holders(3, "job", 0);
	owner = late_on(5, 0);
	taken_since(0, "job");
	taken_since(2, "job");
	drop(3, "job");
	drop(4, "job");
	assert_status(disown(owner, "job"), RL_TIMED_OUT);
}

static void gone_before_the_deadline_is_lost(void **state)
{
	struct rl_owner *owner = warm(3);

	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(3, "job", 3);
	drop(0, "job");
	assert_status(disown(owner, "job"), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(3, "job", 3);
	drop(0, "job");
	drop(1, "job");
	assert_status(disown(owner, "job"), RL_LOST);
	await_holders(3, "job", 0);
}

/* Which was in time on the node that did not answer the first sending, and on no other. */
static void so_it_is_though_an_answer_to_its_release_was_lost(void **state)
{
	struct rl_owner *owner = warm(3);

	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(3, "job", 3);
	proxy_add(&nodes[0].proxy,
		(struct proxy_rule){ .script = &rl_script_release, .times = 1, .fault = PROXY_CUT_AFTER });
	taken_since(1, "job");
	drop(2, "job");
	assert_status(disown(owner, "job"), RL_LOST);
}

static void prolonging_late_takes_it_anew_or_says_that_it_is_lost(void **state)
{
	struct rl_owner *owner = late_on(3, 2);

	assert_status(prolong(owner, "job", LEASE), RL_TIMED_OUT);
	assert_true(said.held);
	await_holders(3, "job", 3);
	assert_status(disown(owner, "job"), RL_OK);

	owner = late_on(3, 0);
	taken_since(0, "job");
	taken_since(2, "job");
	assert_status(prolong(owner, "job", LEASE), RL_LOST);
	assert_false(holds(owner, "job"));
	await_holders(3, "job", 0);

	owner = late_on(3, 3);
	assert_status(check_lock(owner, "job"), RL_TIMED_OUT);
}

static void broken_is_lost(void **state)
{
	struct rl_owner *owner = warm(3), *other = warm(3);

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(break_it(other, "job"), RL_OK);
	await_holders(3, "job", 0);
	assert_status(own(other, "job", LEASE), RL_OK);
	assert_status(disown(owner, "job"), RL_LOST);
	assert_status(look(other, "job"), RL_OK);
}

static void a_minority_is_no_holder(void **state)
{
	struct rl_owner *owner = warm(3);
	struct rl_holder holder;

	freeReplyObject(command(nodes[0].redis, "SET lock@job one PX 60000"));
	freeReplyObject(command(nodes[1].redis, "SET lock@job two PX 60000"));
	assert_status(rl_owner_holder(owner, NAME("job"), &holder, &said), RL_NO);
	freeReplyObject(command(nodes[1].redis, "SET lock@job one PX 50000"));
	assert_status(rl_owner_holder(owner, NAME("job"), &holder, &said), RL_OK);
	assert_int_equal(holder.owner.length, 0);
	assert_in_range(holder.left_ms, 50000 - PATIENCE_MS, 50000);
	rl_owner_holder_clear(&holder);
	assert_status(break_it(owner, "job"), RL_OK);
	await_holders(3, "job", 0);
}

static void unconfirmed_releases_are_sent_to_all(void **state)
{
	struct rl_owner *owner = warm(3);

	for (int i = 0; i < 100; i++) {
		assert_status(own(owner, "job", LEASE), RL_OK);
		assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	}
	await_holders(3, "job", 0);
}

/*
 * A node whose answer is not needed may have refused the copy, which nobody sends again: since this
 * side's clock has leapt, it can come too late.
 */
static void own_on_all(struct rl_owner *owner, size_t count, const char *key)
{
	for (int tries = 0;; tries++) {
		assert_true(tries < 50);
		assert_status(own(owner, key, LEASE), RL_OK);
		for (int naps = 0; naps < 500; naps++) {
			if (holders(count, key) == count) {
				return;
			}
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		}
		assert_status(disown(owner, key), RL_OK);
		await_clean(owner, count, key);
	}
}

/* It was sent in time, or it is judged: whenever its time ends meanwhile. */
static void unconfirmed_while_its_time_ends_is_told_of(void **state)
{
	struct rl_owner *owner = warm_with(3, "300", NULL);
	bool advanced = true;
	int in_time = 0;

	for (long reading = 0; advanced; reading++) {
		enum rl_status status;

		own_on_all(owner, 3, "job");
		clock_advance_at(reading, LEASE * RL_MILLISECOND);
		status = disown_unconfirmed(owner, "job");
		advanced = clock_has_advanced();
		clock_advance_at(-1, 0);
		if (status != RL_OK && status != RL_TIMED_OUT) {
			fail_msg("at reading %ld: %d %s", reading, status, said.message);
		}
		in_time += advanced && status == RL_OK;
		await_clean(owner, 3, "job");
	}
	assert_true(in_time > 0);
}

/* They were done: what the second sending finds is what came after. */
static void unconfirmed_answers_that_are_lost_are_no_loss(void **state)
{
	struct rl_owner *owner = warm(3);

	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(3, "job", 3);
	for (size_t node = 0; node < 2; node++) {
		proxy_add(&nodes[node].proxy,
			(struct proxy_rule){
				.script = &rl_script_release, .times = 1, .fault = PROXY_CUT_AFTER });
	}
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	await_clean(owner, 3, "job");
	for (int contact = 0; contact < 20; contact++) {
		assert_status(own_soon(owner, "next"), RL_OK);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		assert_status(disown(owner, "next"), RL_OK);
	}
	assert_int_equal(rl_owner_stats(owner)->lost, 0);
}

/* L7: found out by asking for the same lock. */
static void unconfirmed_that_were_lost_do_not_hold_up_the_next_take(void **state)
{
	struct rl_owner *owner = warm(3);

	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(3, "job", 3);
	for (size_t node = 0; node < 2; node++) {
		proxy_add(&nodes[node].proxy,
			(struct proxy_rule){
				.script = &rl_script_release, .times = 1, .fault = PROXY_ANSWER, .answer = "" });
		proxy_add(&nodes[node].proxy,
			(struct proxy_rule){
				.script = &rl_script_acquire, .times = 1, .fault = PROXY_CUT_BEFORE });
	}
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(owner)->lost, 0);
}

static void unconfirmed_without_a_majority_is_awaited(void **state)
{
	struct rl_owner *owner = warm(3);

	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(3, "job", 3);
	stop_node(&nodes[0]);
	proxy_cut(&nodes[0].proxy);
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	await_holders(3, "job", 0);
	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(3, "job", 2);
	proxy_stop(&nodes[1].proxy);
	assert_status(disown_unconfirmed(owner, "job"), RL_UNREACHABLE);
	for (int tries = 0; has(2, "job"); tries++) {
		assert_true(tries < 10000);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	assert_true(proxy_start(&nodes[1].proxy, nodes[1].server.folder, nodes[1].server.socket));
	clock_advance(2 * RL_SECOND);
	for (int tries = 0; has(1, "job"); tries++) {
		assert_true(tries < 10000);
		look(owner, "another");
		own(owner, "another", LEASE);
		disown(owner, "another");
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}

static void no_lock_changes_hands(void **state)
{
	struct rl_owner *owner = warm(3);
	struct rl_token token = { 0 };
	uint64_t requests = rl_owner_stats(owner)->requests;

	assert_status(hand_over(owner, "job", LEASE, &token), RL_MISUSE);
	assert_non_null(strstr(said.message, "detached()"));
	assert_status(own(owner, "job", LEASE), RL_OK);
	requests = rl_owner_stats(owner)->requests;
	assert_status(hand_over(owner, "job", LEASE, &token), RL_MISUSE);
	token.text = (char *)view(owner, "job").token.data;
	token.length = view(owner, "job").token.length;
	assert_status(adopt(owner, "job", &token, LEASE), RL_MISUSE);
	assert_non_null(strstr(said.message, "detached()"));
	assert_int_equal(rl_owner_stats(owner)->requests, requests); /* before anything is sent */
	assert_status(look(owner, "job"), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	await_holders(3, "job", 0);
}

/* Somebody took its expiry away on one of them. */
static void what_never_expires_on_one_expires_with_the_others(void **state)
{
	struct rl_owner *owner = warm(3);

	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(3, "job", 3);
	assert_int_equal(ask_node(0, "PERSIST lock@%s", "job"), 1);
	assert_status(prolong(owner, "job", 2 * LEASE), RL_OK);
	assert_in_range(view(owner, "job").left, 1, 2 * LEASE * RL_MILLISECOND);
	assert_status(disown(owner, "job"), RL_OK);
	await_holders(3, "job", 0);
}

/* ---------------------------------------------------------------- T7: waiting */

static void a_waiter_has_it_soon_after_the_release(void **state)
{
	struct rl_owner *waiter = warm(3);

	/* On a busy machine the lease may have ended before the waiter asks, but not always. */
	for (int tries = 0; rl_owner_stats(waiter)->waits == 0; tries++) {
		struct rl_owner *holder = warm(3);

		assert_true(tries < 5);
		assert_status(own(holder, "job", 600), RL_OK); /* and dies */
		assert_status(own_waiting(waiter, "job", LEASE, 5 * RL_SECOND), RL_OK);
		assert_status(disown(waiter, "job"), RL_OK);
		end_owner(holder);
	}
	assert_int_equal(rl_owner_stats(waiter)->waits, 1);
}

/* One node is held by somebody else and one is away, so each ask gets one that it gives back. */
static void pauses_after_splits_grow(void **state)
{
	struct rl_owner *waiter = warm(3);
	uint64_t before = rl_owner_stats(waiter)->requests, requests;
	struct prompt_moment began = prompt_now();

	freeReplyObject(command(nodes[0].redis, "SET lock@job foreign"));
	proxy_stop(&nodes[1].proxy);
	assert_status(own_waiting(waiter, "job", LEASE, RL_SECOND), RL_NO);
	requests = rl_owner_stats(waiter)->requests - before;
	assert_in_range(requests, 1, 300);
	assert_true(requests + (uint64_t)prompt_since(began).excused / (50 * RL_MILLISECOND) >= 10);
}

/*
 * All begin at once, on nodes that answer each in another order: whoever has some of them is in the
 * others' way.
 */
static bool contend(void *context)
{
	size_t which = *(size_t *)context;
	char texts[NODES][160];
	const char *addresses[NODES];
	struct rl_owner *owner;

	for (size_t i = 0; i < NODES; i++) {
		snprintf(
			texts[i], sizeof texts[i], "%s?timeout=10", nodes[(i + which) % NODES].server.address);
		addresses[i] = texts[i];
	}
	owner = new_majority(addresses, NODES, (struct rl_wait_hook){ .run = NULL }, NULL);
	for (int i = 0; i < 20; i++) {
		if (own_waiting(owner, "job", LEASE, 10 * RL_SECOND) != RL_OK
			|| disown(owner, "job") != RL_OK) {
			return false;
		}
	}
	end_owner(owner);
	return true;
}

static void waiters_that_split_the_nodes_have_it_soon(void **state)
{
	pid_t children[4];
	rl_time began = clock_real();

	/* A fork while a thread allocates may leave AddressSanitizer's memory locked in the child. */
	for (size_t i = 0; i < NODES; i++) {
		proxy_stop(&nodes[i].proxy);
	}
	for (size_t i = 0; i < COUNT(children); i++) {
		children[i] = fork();
		if (children[i] == 0) {
			_exit(contend(&i) ? 0 : 1);
		}
	}
	for (size_t i = 0; i < COUNT(children); i++) {
		int status;

		waitpid(children[i], &status, 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	/* 80 turns: the slowest way is that each waits for the longest pause. */
	assert_true(clock_real() - began < 20 * RL_SECOND);
	await_holders(NODES, "job", 0);
}

static bool stop_waiting(void *context)
{
	return --*(int *)context > 0;
}

static void a_hook_ends_the_wait(void **state)
{
	int left = 2;
	struct rl_owner *holder = warm(3);
	struct rl_owner *waiter = hooked_on(
		3, (struct rl_wait_hook){ .run = stop_waiting, .context = &left });

	assert_status(own(holder, "job", LEASE), RL_OK);
	assert_status(own_waiting(waiter, "job", LEASE, RL_FOREVER), RL_INTERRUPTED);
	assert_status(disown(holder, "job"), RL_OK);
	await_holders(3, "job", 0);
}

/* ---------------------------------------------------------------- the process */

static bool use_what_the_parent_holds(void *context)
{
	struct rl_owner *owner = context;
	bool fine = disown(owner, "job") == RL_MISUSE && own(owner, "childs", LEASE) == RL_OK
		&& disown(owner, "childs") == RL_OK;

	rl_owner_free(owner);
	return fine;
}

static void a_child_leaves_its_parents_alone(void **state)
{
	struct rl_owner *owner = warm(3);

	assert_status(own(owner, "unsent", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown_unconfirmed(owner, "unsent"), RL_OK);
	assert_true(in_child(use_what_the_parent_holds, owner));
	assert_status(look(owner, "job"), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	await_holders(3, "job", 0);
	await_holders(3, "unsent", 0);
}

static void a_child_leaves_what_is_pending_to_its_parent(void **state)
{
	const struct rl_acquire terms = { .key = rl_text_of("job"), .lease_ms = LEASE };
	struct rl_owner *owner = warm_and_renewed(3);
	struct rl_pending *pending;
	enum rl_status status;
	pid_t child;
	int ended;

	for (size_t i = 0; i < 3; i++) {
		proxy_add(&nodes[i].proxy,
			(struct proxy_rule){ .script = &rl_script_acquire, .times = 1, .fault = PROXY_HOLD });
	}
	assert_status(rl_pending_begin(owner, &terms, make_stack(), &pending, &said), RL_OK);
	for (size_t i = 0; i < 3; i++) {
		AWAIT(nodes[i].proxy.struck == 1);
	}
	child = fork();
	if (child == 0) {
		rl_pending_end(pending);
		_exit(stacks_left());
	}
	assert_true(waitpid(child, &ended, 0) == child);
	assert_int_equal(ended, 0);
	for (size_t i = 0; i < 3; i++) {
		proxy_let_go(&nodes[i].proxy);
	}
	AWAIT(rl_pending_go_on(pending, &status, &said));
	assert_status(status, RL_OK);
	rl_pending_end(pending);
	assert_status(disown(owner, "job"), RL_OK);
}

/* Its own connections are open by then, so that it could send something at once. */
static bool end_what_the_parent_asks_for(void *context)
{
	struct rl_owner *owner = context;
	bool fine = own(owner, "childs", LEASE) == RL_OK && disown(owner, "childs") == RL_OK;

	rl_owner_free(owner); /* and what is pending, before */
	return fine;
}

static void a_child_leaves_what_is_granted_to_its_parent(void **state)
{
	const struct rl_acquire terms = { .key = rl_text_of("job"), .lease_ms = LEASE };
	struct rl_owner *owner = warm(3);
	struct rl_pending *pending;
	enum rl_status status;

	assert_status(rl_pending_begin(owner, &terms, make_stack(), &pending, &said), RL_OK);
	await_holders(3, "job", 3);
	assert_true(in_child(end_what_the_parent_asks_for, owner));
	AWAIT(rl_pending_go_on(pending, &status, &said));
	assert_status(status, RL_OK);
	rl_pending_end(pending);
	assert_int_equal(holders(3, "job"), 3);
	assert_status(disown(owner, "job"), RL_OK);
}

static void memory_that_runs_out_leaves_nothing(void **state)
{
	struct rl_owner *other = warm(3);

	for (long count = 0; count < 200; count++) {
		struct rl_owner *owner = warm(3);

		faults_memory(count);
		if (own(owner, "job", LEASE) == RL_OK) {
			prolong(owner, "job", LEASE);
			look(owner, "job");
			disown_unconfirmed(owner, "job");
			own(owner, "job", LEASE);
			own(other, "job", LEASE);
			disown(owner, "job");
		}
		faults_memory_pause(true);
		if (!faults_memory_struck()) {
			count = 200;
		}
		faults_memory(-1);
		faults_memory_pause(false);
		disown_all(owner);
		disown_all(other);
		for (int i = 0; i < 20; i++) { /* contacts */
			own(owner, "contact", LEASE);
			disown(owner, "contact");
		}
		end_owner(owner);
	}
}

/* ---------------------------------------------------------------- the end */

/*
 * Connected to the servers themselves: what a closed connection had sent is for them alone to read.
 */
static struct rl_owner *warm_without_proxies(size_t count)
{
	const char *addresses[NODES];

	for (size_t i = 0; i < count; i++) {
		addresses[i] = nodes[i].server.address;
	}
	return warmed(
		new_majority(addresses, count, (struct rl_wait_hook){ .run = NULL }, NULL), count);
}

static bool has_logged(size_t node, const char *words)
{
	char path[96], line[512];
	bool found = false;
	FILE *log;

	snprintf(path, sizeof path, "%s/redis.log", nodes[node].server.folder);
	log = fopen(path, "r");
	assert_non_null(log);
	while (!found && fgets(line, sizeof line, log)) {
		found = strstr(line, words) != NULL;
	}
	fclose(log);
	return found;
}

/*
 * A server that has run the take, and cannot write the answer because the connection is closed,
 * never reads the release that came behind.
 */
static void a_connection_is_not_closed_before_the_release_is_read(void **state)
{
	static const char busy[] =
		"redis.log(redis.LOG_WARNING, 'busy after the take') for i = 1, 3e7 do end";
	redisContext *other = redisConnectUnix(nodes[2].server.socket);
	struct rl_owner *owner = warm_without_proxies(3);
	redisReply *reply;
	int written = 0;

	freeze(2);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_int_equal(redisAppendCommand(other, "EVAL %s 0", busy), REDIS_OK);
	while (!written) {
		assert_int_equal(redisBufferWrite(other, &written), REDIS_OK);
	}
	thaw(2);
	AWAIT(has_logged(2, "busy after the take"));
	assert_status(disown(owner, "job"), RL_OK);
	assert_int_equal(disown_all(owner).failed, 0);
	end_owner(owner);
	assert_int_equal(redisGetReply(other, (void **)&reply), REDIS_OK);
	freeReplyObject(reply);
	redisFree(other);
	await_holders(3, "job", 0);
}

static void nodes_that_stay_frozen_put_the_end_off_by_nothing(void **state)
{
	struct rl_owner *owner = warm_and_hasty(3);
	struct prompt_moment began;

	freeze(1);
	freeze(2);
	began = prompt_now();
	assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
	assert_int_equal(disown_all(owner).failed, 0);
	end_owner(owner);
	expect_soon(prompt_since(began), RL_SECOND + A_MOMENT);
}

/*
 * Only a take and a release have to be read. Renewals have not: their thread closes connections
 * while others wait for it.
 */
static void an_answer_that_nobody_hears_puts_the_end_off_by_nothing(void **state)
{
	struct rl_owner *owner = warm_with(3, "2", NULL);
	struct prompt_moment began;

	freeze(1);
	assert_status(break_it(owner, "job"), RL_NO); /* all that node 2 has been asked is answered */
	thaw(1);
	freeze(2);
	assert_status(break_it(owner, "job"), RL_NO);
	began = prompt_now();
	end_owner(owner);
	expect_soon(prompt_since(began), A_MOMENT);
}

/* It failed a moment ago, and is left alone; but nobody comes back to tell it. */
static void a_node_that_is_back_is_told_at_the_end(void **state)
{
	/* a tenth of it is what the end waits for a connection */
	struct rl_owner *owner = warm_with(3, "50", NULL);

	assert_status(own(owner, "job", LEASE), RL_OK);
	await_holders(3, "job", 3);
	proxy_stop(&nodes[2].proxy);
	assert_status(disown(owner, "job"), RL_OK);
	await_holders(3, "job", 1);
	assert_true(proxy_start(&nodes[2].proxy, nodes[2].server.folder, nodes[2].server.socket));
	assert_int_equal(end_all(&owner, 1).failed, 0);
	end_owner(owner);
	await_holders(3, "job", 0);
}

/* Nobody is left to do it later: two nodes of three refuse it, and then do it. */
static void what_most_refuse_at_the_end_is_asked_for_again(void **state)
{
	struct rl_owner *owners[] = { warm(3), warm(3) };
	struct rl_release_summary summary;

	assert_status(own(owners[0], "job", LEASE), RL_OK);
	assert_status(own(owners[1], "other", LEASE), RL_OK);
	await_holders(3, "job", 3);
	await_holders(3, "other", 3);
	for (size_t node = 0; node < 2; node++) {
		proxy_add(&nodes[node].proxy,
			(struct proxy_rule){ .script = &rl_script_release,
				.times = 9,
				.fault = PROXY_ANSWER,
				.answer = "-NOPERM this user\r\n" });
	}
	summary = end_all(owners, COUNT(owners));
	assert_int_equal(summary.released, 2);
	assert_int_equal(summary.failed, 0);
	await_holders(3, "job", 0);
	await_holders(3, "other", 0);
}

/* Only on a connection of its own does an owner's release come behind the take. */
static void owners_without_a_connection_in_common_end_one_by_one(void **state)
{
	struct rl_owner *owners[] = { warm(3), warm(3) };

	assert_status(own(owners[0], "other", LEASE), RL_OK);
	await_holders(3, "other", 3);
	proxy_add(&nodes[0].proxy,
		(struct proxy_rule){ .script = &rl_script_acquire, .times = 1, .fault = PROXY_STALL });
	assert_status(own(owners[1], "job", LEASE), RL_OK);
	AWAIT(nodes[0].proxy.struck == 1);
	assert_int_equal(end_all(owners, COUNT(owners)).released, 2);
	proxy_let_go(&nodes[0].proxy);
	AWAIT(ask_node(0, "EXISTS rlock:f:{lock@%s}:lock@job", "job") == 1);
	await_holders(3, "job", 0);
	await_holders(3, "other", 0);
}

/*
 * What is pending has a connection to each node, so that the next take opens another; and both owe
 * an answer.
 */
static void a_release_goes_behind_its_take_and_no_other(void **state)
{
	const struct rl_acquire terms = { .key = rl_text_of("other"), .lease_ms = LEASE };
	struct rl_owner *owner = warm(3);
	struct rl_pending *pending;
	enum rl_status status;

	proxy_add(&nodes[0].proxy,
		(struct proxy_rule){ .script = &rl_script_acquire, .times = 1, .fault = PROXY_HOLD });
	assert_status(rl_pending_begin(owner, &terms, make_stack(), &pending, &said), RL_OK);
	AWAIT(nodes[0].proxy.struck == 1);
	proxy_add(&nodes[0].proxy,
		(struct proxy_rule){ .script = &rl_script_acquire, .times = 1, .fault = PROXY_STALL });
	assert_status(own(owner, "job", LEASE), RL_OK);
	AWAIT(nodes[0].proxy.struck == 2);
	AWAIT(rl_pending_go_on(pending, &status, &said));
	assert_int_equal(status, RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	proxy_let_go(&nodes[0].proxy);
	AWAIT(ask_node(0, "EXISTS rlock:f:{lock@%s}:lock@job", "job") == 1);
	await_holders(3, "job", 0);
	rl_pending_end(pending);
}

int test_majority(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(votes_make_one_answer),
		cmocka_unit_test_setup_teardown(a_pair_takes_and_frees_all_nodes, reset, clean),
		cmocka_unit_test_setup_teardown(two_owners_exclude_each_other, reset, clean),
		cmocka_unit_test_setup_teardown(what_a_failed_try_got_is_taken_back, reset, clean),
		cmocka_unit_test_setup_teardown(every_call_works, reset, clean),
		cmocka_unit_test_setup_teardown(a_delay_keeps_it_from_all, reset, clean),
		cmocka_unit_test_setup_teardown(many_are_given_back_as_one, reset, clean),
		cmocka_unit_test_setup_teardown(all_or_none, reset, clean),
		cmocka_unit_test_setup_teardown(a_dead_node_costs_nothing, reset, clean),
		cmocka_unit_test_setup_teardown(a_node_that_comes_back_is_used_again, reset, clean),
		cmocka_unit_test_setup_teardown(
			a_frozen_node_costs_nothing_and_is_left_clean, reset, clean),
		cmocka_unit_test_setup_teardown(a_node_that_stays_frozen_is_left_alone, reset, clean),
		cmocka_unit_test_setup_teardown(late_answers_never_confuse, reset, clean),
		cmocka_unit_test_setup_teardown(a_late_refusal_is_no_loss, reset, clean),
		cmocka_unit_test_setup_teardown(
			a_node_that_never_granted_it_has_no_vote_on_its_renewal, reset, clean),
		cmocka_unit_test_setup_teardown(nor_on_its_release, reset, clean),
		cmocka_unit_test_setup_teardown(nor_if_it_is_asked_twice, reset, clean),
		cmocka_unit_test_setup_teardown(
			too_few_of_those_that_have_it_are_no_majority, reset, clean),
		cmocka_unit_test_setup_teardown(who_looks_hears_all, reset, clean),
		cmocka_unit_test_setup_teardown(what_a_late_take_took_is_not_believed, reset, clean),
		cmocka_unit_test_setup_teardown(nor_where_it_was_never_answered, reset, clean),
		cmocka_unit_test_setup_teardown(nor_where_it_was_answered_too_late, reset, clean),
		cmocka_unit_test_setup_teardown(a_late_shorter_lease_makes_no_two_owners, reset, clean),
		cmocka_unit_test_setup_teardown(
			a_node_whose_fence_is_not_known_keeps_the_longer_lease, reset, clean),
		cmocka_unit_test_setup_teardown(scripts_that_are_flushed_are_not_noticed, reset, clean),
		cmocka_unit_test_setup_teardown(nor_where_many_are_sent_as_one, reset, clean),
		cmocka_unit_test_setup_teardown(a_lost_answer_is_asked_for_again, reset, clean),
		cmocka_unit_test_setup_teardown(
			idle_connections_that_were_closed_are_not_noticed, reset, clean),
		cmocka_unit_test_setup_teardown(a_refusal_for_a_moment_is_waited_out, reset, clean),
		cmocka_unit_test_setup_teardown(without_a_majority_nothing_is_left, reset, clean),
		cmocka_unit_test_setup_teardown(when_most_are_frozen_the_deadline_counts, reset, clean),
		cmocka_unit_test_setup_teardown(all_or_none_have_one_deadline, reset, clean),
		cmocka_unit_test_setup_teardown(most_refuse_with_their_reason, reset, clean),
		cmocka_unit_test_setup_teardown(
			nor_is_it_no_answer_if_they_refuse_to_the_end, reset, clean),
		cmocka_unit_test_setup_teardown(the_refusal_that_decides_is_told_first, reset, clean),
		cmocka_unit_test_setup_teardown(servers_without_room_are_tried_again, reset, clean),
		cmocka_unit_test_setup_teardown(
			servers_that_turn_away_without_a_word_are_tried_again, reset, clean),
		cmocka_unit_test_setup_teardown(a_wait_goes_on_while_they_refuse, reset, clean),
		cmocka_unit_test_setup_teardown(a_call_that_finds_them_so_does_not_wait, reset, clean),
		cmocka_unit_test_setup_teardown(an_answer_that_comes_too_late_grants_nothing, reset, clean),
		cmocka_unit_test_setup_teardown(a_lease_counts_from_before_the_first_request, reset, clean),
		cmocka_unit_test_setup_teardown(late_and_nobody_took_it, reset, clean),
		cmocka_unit_test_setup_teardown(late_and_a_majority_was_granted_to_another, reset, clean),
		cmocka_unit_test_setup_teardown(gone_before_the_deadline_is_lost, reset, clean),
		cmocka_unit_test_setup_teardown(
			so_it_is_though_an_answer_to_its_release_was_lost, reset, clean),
		cmocka_unit_test_setup_teardown(
			prolonging_late_takes_it_anew_or_says_that_it_is_lost, reset, clean),
		cmocka_unit_test_setup_teardown(broken_is_lost, reset, clean),
		cmocka_unit_test_setup_teardown(a_minority_is_no_holder, reset, clean),
		cmocka_unit_test_setup_teardown(unconfirmed_releases_are_sent_to_all, reset, clean),
		cmocka_unit_test_setup_teardown(
			unconfirmed_answers_that_are_lost_are_no_loss, reset, clean),
		cmocka_unit_test_setup_teardown(
			unconfirmed_that_were_lost_do_not_hold_up_the_next_take, reset, clean),
		cmocka_unit_test_setup_teardown(unconfirmed_while_its_time_ends_is_told_of, reset, clean),
		cmocka_unit_test_setup_teardown(unconfirmed_without_a_majority_is_awaited, reset, clean),
		cmocka_unit_test_setup_teardown(no_lock_changes_hands, reset, clean),
		cmocka_unit_test_setup_teardown(
			what_never_expires_on_one_expires_with_the_others, reset, clean),
		cmocka_unit_test_setup_teardown(a_waiter_has_it_soon_after_the_release, reset, clean),
		cmocka_unit_test_setup_teardown(pauses_after_splits_grow, reset, clean),
		cmocka_unit_test_setup_teardown(waiters_that_split_the_nodes_have_it_soon, reset, clean),
		cmocka_unit_test_setup_teardown(a_hook_ends_the_wait, reset, clean),
		cmocka_unit_test_setup_teardown(a_child_leaves_its_parents_alone, reset, clean),
		cmocka_unit_test_setup_teardown(
			a_child_leaves_what_is_pending_to_its_parent, reset, clean),
		cmocka_unit_test_setup_teardown(
			a_child_leaves_what_is_granted_to_its_parent, reset, clean),
		cmocka_unit_test_setup_teardown(memory_that_runs_out_leaves_nothing, reset, clean),
		cmocka_unit_test_setup_teardown(
			a_connection_is_not_closed_before_the_release_is_read, reset, clean),
		cmocka_unit_test_setup_teardown(
			nodes_that_stay_frozen_put_the_end_off_by_nothing, reset, clean),
		cmocka_unit_test_setup_teardown(
			an_answer_that_nobody_hears_puts_the_end_off_by_nothing, reset, clean),
		cmocka_unit_test_setup_teardown(a_node_that_is_back_is_told_at_the_end, reset, clean),
		cmocka_unit_test_setup_teardown(
			what_most_refuse_at_the_end_is_asked_for_again, reset, clean),
		cmocka_unit_test_setup_teardown(
			owners_without_a_connection_in_common_end_one_by_one, reset, clean),
		cmocka_unit_test_setup_teardown(
			a_release_goes_behind_its_take_and_no_other, reset, clean),
	};

	return cmocka_run_group_tests(tests, start_all, stop_all);
}
