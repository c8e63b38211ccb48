/*
 * An owner's locks: taking and giving back, the verdicts on what ended before, re-entrance,
 * new leases, check, and a machine that sleeps at any moment. On a real server, with the
 * server's time and ours set apart as each case wants.
 */
#define _GNU_SOURCE
#include "owner_rig.h"
#include "prompt.h"

#include "lock/owner/internal.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

/* ---------------------------------------------------------------- taking and giving back */

static void a_lock_is_taken_and_given_back(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();
	struct rl_lease_view lease;

	assert_status(own(owner, "job", LEASE), RL_OK);
	lease = view(owner, "job");
	assert_int_equal(lease.depth, 1);
	assert_int_equal(lease.fence, stored_fence());
	assert_null(lease.metadata.data);
	assert_in_range(lease.left, (LEASE - PATIENCE_MS) * RL_MILLISECOND,
		(LEASE - LEASE / 100 - 2) * RL_MILLISECOND);
	assert_holds(RL_KEY_LOCK, lease.token.data);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_status(look(owner, "job"), RL_OK);
	assert_status(check_lock(owner, "job"), RL_OK);

	assert_status(own(other, "job", LEASE), RL_NO);
	assert_status(look(other, "job"), RL_NO);
	assert_status(disown(other, "job"), RL_NO);
	assert_true(is_taken("job"));

	assert_status(disown(owner, "job"), RL_OK);
	assert_false(is_taken("job"));
	assert_false(holds(owner, "job"));
	assert_status(own(other, "job", LEASE), RL_OK);
	assert_true(view(other, "job").fence > lease.fence);
	assert_int_equal(rl_owner_stats(owner)->acquired, 1);
	assert_int_equal(rl_owner_stats(other)->busy, 1);
}

/* M1 */
static void what_is_not_held_is_a_no_without_a_request(void **state)
{
	struct rl_owner *owner = new_owner();
	struct rl_lease_view lease;
	struct rl_token token;

	assert_status(disown(owner, "job"), RL_NO);
	assert_status(disown_unconfirmed(owner, "job"), RL_NO);
	assert_status(prolong(owner, "job", LEASE), RL_NO);
	assert_status(look(owner, "job"), RL_NO);
	assert_status(hand_over(owner, "job", LEASE, &token), RL_NO);
	assert_status(rl_owner_lease(owner, NAME("job"), &lease, &said), RL_NO);
	assert_status(check_lock(owner, "job"), RL_MISUSE);
	assert_non_null(strstr(said.message, "\"job\""));
	assert_int_equal(rl_owner_stats(owner)->requests, 0);

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	assert_status(disown(owner, "job"), RL_NO);
	assert_int_equal(rl_owner_stats(owner)->requests, 2);
}

static void metadata_and_binary_keys_go_through(void **state)
{
	static const char key[] = "a\0{b}\n\xff", metadata[] = "who: \0 me";
	struct rl_owner *owner = new_owner(), *other = new_owner();
	struct rl_acquire request = {
		.key = { key, sizeof key }, .lease_ms = LEASE, .metadata = { metadata, sizeof metadata }
	};
	struct rl_lease_view lease;
	struct rl_holder holder;

	assert_status(rl_owner_acquire(owner, &request, &said), RL_OK);
	assert_status(rl_owner_lease(owner, request.key, &lease, &said), RL_OK);
	assert_int_equal(lease.metadata.length, sizeof metadata);
	assert_memory_equal(lease.metadata.data, metadata, sizeof metadata);

	assert_status(rl_owner_holder(other, request.key, &holder, &said), RL_OK);
	assert_int_equal(holder.metadata.length, sizeof metadata);
	assert_memory_equal(holder.metadata.data, metadata, sizeof metadata);
	assert_true(holder.owner.length > 0);
	assert_int_equal(holder.fence, lease.fence);
	assert_in_range(holder.left_ms, LEASE - PATIENCE_MS, LEASE);
	assert_false(holder.contended);
	rl_owner_holder_clear(&holder);

	request.metadata = NAME("");
	request.key.length--; /* another key */
	assert_status(rl_owner_acquire(owner, &request, &said), RL_OK);
	assert_status(rl_owner_lease(owner, request.key, &lease, &said), RL_OK);
	assert_non_null(lease.metadata.data); /* none is not empty */
	assert_int_equal(lease.metadata.length, 0);
}

/* H2 */
static void a_name_of_rlocks_own_keys_is_refused(void **state)
{
	struct rl_owner *owner = new_unprefixed();
	struct rl_holder holder;
	char *companion;

	assert_int_equal(asprintf(&companion, "%.*s", (int)rig.keys.of[RL_KEY_FENCE].length,
						 rig.keys.of[RL_KEY_FENCE].data),
		rig.keys.of[RL_KEY_FENCE].length);
	assert_status(own(owner, companion, LEASE), RL_INVALID);
	assert_status(break_it(owner, companion), RL_INVALID);
	assert_status(rl_owner_holder(owner, NAME(companion), &holder, &said), RL_INVALID);
	assert_int_equal(rl_owner_stats(owner)->requests, 0);
	assert_status(own(owner, "lock@job", LEASE), RL_OK);
	assert_true(is_taken("job"));
	free(companion);
}

/* M3, M5 */
static void what_others_put_there_is_busy(void **state)
{
	struct rl_owner *owner = new_owner();
	struct rl_holder holder;

	assert_status(rl_owner_holder(owner, NAME("job"), &holder, &said), RL_NO);
	run("SET lock@job redis-py NX PX 40000");
	assert_status(own(owner, "job", LEASE), RL_NO);
	assert_status(rl_owner_holder(owner, NAME("job"), &holder, &said), RL_OK);
	assert_int_equal(holder.owner.length, 0);
	assert_in_range(holder.left_ms, 40000 - PATIENCE_MS, 40000);
	assert_int_equal(holder.fence, 0);
	rl_owner_holder_clear(&holder);
	assert_holds(RL_KEY_LOCK, "redis-py");

	run("DEL lock@job");
	run("HSET lock@job a b");
	assert_status(own(owner, "job", LEASE), RL_NO);
	assert_status(own_waiting(owner, "job", LEASE, 50 * RL_MILLISECOND), RL_NO);
	assert_status(rl_owner_holder(owner, NAME("job"), &holder, &said), RL_OK);
	assert_int_equal(holder.left_ms, -1);
	assert_true(holder.contended);
	rl_owner_holder_clear(&holder);
}

static void a_delay_keeps_it_from_all(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();
	struct rl_holder holder;

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown_with_delay(owner, "job", 40000), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_NO);
	assert_status(own(other, "job", LEASE), RL_NO);
	assert_in_range(server_left("job"), 40000 - PATIENCE_MS, 40000);
	assert_status(rl_owner_holder(other, NAME("job"), &holder, &said), RL_OK);
	assert_int_equal(holder.kind, RL_HOLDER_COOLDOWN);
	assert_true(holder.owner.length > 0);
	assert_true(holder.fence > 0);
	rl_owner_holder_clear(&holder);
	expire_on_server("job");
	assert_status(own(other, "job", LEASE), RL_OK);
}

/* ---------------------------------------------------------------- verdicts on a release */

static void late_and_still_ours_is_in_time(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	expire_here(owner, "job");
	assert_status(disown(owner, "job"), RL_OK);
	assert_false(is_taken("job"));
	assert_int_equal(rl_owner_stats(owner)->timeouts, 0);
}

static void late_and_free_is_a_timeout(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	expire_here(owner, "job");
	clock_advance(7 * RL_SECOND);
	expire_on_server("job");
	assert_status(disown(owner, "job"), RL_TIMED_OUT);
	assert_in_range(said.late_by, 7 * RL_SECOND, 7 * RL_SECOND + PATIENCE_MS * RL_MILLISECOND);
	assert_false(said.held);
	assert_non_null(strstr(said.message, "\"job\""));
	assert_non_null(strstr(said.message, rig.server.socket));
	assert_status(disown(owner, "job"), RL_NO); /* a verdict is told once */
	assert_int_equal(rl_owner_stats(owner)->timeouts, 1);
	assert_int_equal(rl_owner_stats(owner)->lost, 0);
}

static void late_and_taken_since_is_lost(void **state)
{
	for (int still = 0; still < 2; still++) {
		struct rl_owner *owner = new_owner(), *other = new_owner();

		assert_status(own(owner, "job", LEASE), RL_OK);
		expire_here(owner, "job");
		expire_on_server("job");
		assert_status(own(other, "job", LEASE), RL_OK);
		if (!still) {
			assert_status(disown(other, "job"), RL_OK); /* even if it was released meanwhile */
		}
		assert_status(disown(owner, "job"), RL_LOST);
		assert_true(said.late_by > 0);
		assert_int_equal(is_taken("job"), still);
		if (still) {
			assert_status(look(other, "job"), RL_OK);
		}
	}
}

static void late_without_a_fence_is_lost(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	expire_here(owner, "job");
	run("FLUSHALL");
	assert_status(disown(owner, "job"), RL_LOST);
	assert_true(said.late_by > 0);
	assert_non_null(strstr(said.message, "can no longer be told"));
}

/* S15, S16, M4 */
static void gone_before_the_deadline_is_lost(void **state)
{
	static const char *const causes[] = { "DEL lock@job", "FLUSHALL", "PEXPIREAT lock@job 1",
		"SET lock@job foreign" };

	for (size_t i = 0; i < COUNT(causes); i++) {
		struct rl_owner *owner = new_owner();

		run("FLUSHALL");
		assert_status(own(owner, "job", LEASE), RL_OK);
		run(causes[i]);
		assert_status(disown(owner, "job"), RL_LOST);
		assert_int_equal(said.late_by, 0);
		assert_non_null(strstr(said.message, "within its lease"));
		assert_status(disown(owner, "job"), RL_NO);
		assert_int_equal(rl_owner_stats(owner)->lost, 1);
		assert_int_equal(rl_owner_stats(owner)->timeouts, 0);
	}
	assert_holds(RL_KEY_LOCK, "foreign");
}

/* ---------------------------------------------------------------- re-entrance */

static void levels_count(void **state)
{
	struct rl_owner *owner = new_owner();
	uint64_t requests;

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_int_equal(view(owner, "job").depth, 3);
	requests = rl_owner_stats(owner)->requests;
	assert_int_equal(requests, 3);
	assert_status(disown_with_delay(owner, "job", 40000), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	assert_int_equal(view(owner, "job").depth, 1);
	assert_int_equal(rl_owner_stats(owner)->requests, requests); /* no I/O while surely safe */
	assert_true(is_taken("job"));
	assert_status(disown(owner, "job"), RL_OK);
	assert_false(is_taken("job"));
	assert_status(disown(owner, "job"), RL_NO);
}

static void the_longer_lease_counts(void **state)
{
	struct rl_owner *owner = new_owner();
	int64_t fence;
	rl_time left;

	assert_status(own(owner, "job", LEASE), RL_OK);
	fence = view(owner, "job").fence;
	assert_status(own(owner, "job", 10 * LEASE), RL_OK);
	assert_in_range(
		view(owner, "job").left, 9 * LEASE * RL_MILLISECOND, 10 * LEASE * RL_MILLISECOND);
	assert_lives(RL_KEY_LOCK, 10 * LEASE);

	left = view(owner, "job").left;
	for (int i = 0; i < 20; i++) {
		assert_status(own(owner, "job", 1), RL_OK);
	}
	/*
	 * A shorter one takes nothing away: neither ours, nor the margin by which the server's is
	 * longer.
	 */
	assert_in_range(
		view(owner, "job").left, left - PATIENCE_MS * RL_MILLISECOND, left + 100 * RL_MILLISECOND);
	assert_true(
		server_left("job") - view(owner, "job").left / RL_MILLISECOND > 10 * LEASE / 100 - 200);
	assert_in_range(server_left("job"), 10 * LEASE - PATIENCE_MS, 10 * LEASE + 100);
	assert_int_equal(view(owner, "job").fence, fence);
}

static void entering_what_is_over_tells_the_verdict(void **state)
{
	for (int taken = 0; taken < 2; taken++) {
		struct rl_owner *owner = new_owner();

		run("FLUSHALL");
		assert_status(own(owner, "job", LEASE), RL_OK);
		assert_status(own(owner, "job", LEASE), RL_OK);
		expire_here(owner, "job");
		expire_on_server("job");
		if (taken) {
			taken_between("job");
		}
		assert_status(own(owner, "job", LEASE), taken ? RL_LOST : RL_TIMED_OUT);
		assert_true(said.late_by > 0);
		assert_false(said.held);
		assert_false(holds(owner, "job")); /* on no level */
		assert_false(is_taken("job"));
		assert_status(disown(owner, "job"), RL_NO);
		assert_status(own(owner, "job", LEASE), RL_OK);
		assert_int_equal(view(owner, "job").depth, 1);
	}
}

static void entering_what_was_lost_in_time_is_lost(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("DEL lock@job");
	assert_status(own(owner, "job", LEASE), RL_LOST);
	assert_int_equal(said.late_by, 0);
	assert_false(holds(owner, "job"));
}

static void a_late_inner_level_asks(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	expire_here(owner, "job");
	assert_status(disown(owner, "job"), RL_OK); /* the server still had it */
	assert_int_equal(view(owner, "job").depth, 1);
	assert_true(is_taken("job"));
	assert_status(own(owner, "job", 3 * LEASE), RL_OK);
	expire_here(owner, "job");
	expire_on_server("job");
	assert_status(disown(owner, "job"), RL_TIMED_OUT);
	assert_status(disown(owner, "job"), RL_NO); /* the outer level's, too */
}

static void a_late_inner_level_that_was_taken_is_lost(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	expire_here(owner, "job");
	expire_on_server("job");
	taken_between("job");
	assert_status(disown(owner, "job"), RL_LOST);
	assert_status(disown(owner, "job"), RL_NO);
}

/* ---------------------------------------------------------------- a new lease */

static void prolongate_sets_the_lease(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(prolong(owner, "job", 10 * LEASE), RL_OK);
	assert_lives(RL_KEY_LOCK, 10 * LEASE);
	assert_in_range(
		view(owner, "job").left, 9 * LEASE * RL_MILLISECOND, 10 * LEASE * RL_MILLISECOND);
	assert_status(prolong(owner, "job", LEASE), RL_OK); /* shorter, too */
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_in_range(view(owner, "job").left, 0, LEASE * RL_MILLISECOND);
	expire_here(owner, "job");
	/* late, but the server had it still: there was no gap */
	assert_status(prolong(owner, "job", LEASE), RL_OK);
	assert_status(check_lock(owner, "job"), RL_OK);
}

static void prolongate_late_and_free_holds_it_again(void **state)
{
	struct rl_owner *owner = new_owner();
	int64_t fence;

	assert_status(own(owner, "job", LEASE), RL_OK);
	fence = view(owner, "job").fence;
	expire_here(owner, "job");
	clock_advance(3 * RL_SECOND);
	expire_on_server("job");
	assert_status(prolong(owner, "job", LEASE), RL_TIMED_OUT);
	assert_true(said.held);
	assert_in_range(said.late_by, 3 * RL_SECOND, (3000 + PATIENCE_MS) * RL_MILLISECOND);
	assert_status(look(owner, "job"), RL_OK);
	assert_status(check_lock(owner, "job"), RL_OK);
	assert_int_equal(view(owner, "job").fence, fence);
	assert_int_equal(rl_owner_stats(owner)->timeouts, 1);
	assert_status(disown(owner, "job"), RL_OK);
}

static void prolongate_late_and_taken_is_lost(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	expire_here(owner, "job");
	expire_on_server("job");
	taken_between("job");
	assert_status(prolong(owner, "job", LEASE), RL_LOST);
	assert_false(said.held);
	assert_false(holds(owner, "job"));
	assert_false(is_taken("job"));
	assert_status(prolong(owner, "job", LEASE), RL_NO);
}

static void prolongate_gone_in_time_is_lost(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("DEL lock@job");
	assert_status(prolong(owner, "job", LEASE), RL_LOST);
	assert_int_equal(said.late_by, 0);
	assert_false(is_taken("job"));
	assert_false(holds(owner, "job"));
}

static void a_doubtful_answer_only_shortens(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", 10 * LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend,
			.times = 2,
			.fault = PROXY_CUT_AFTER,
			.fails = true });
	assert_status(prolong(owner, "job", LEASE), RL_UNREACHABLE);
	assert_true(view(owner, "job").left <= LEASE * RL_MILLISECOND); /* it may have become that */

	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend,
			.times = 2,
			.fault = PROXY_CUT_AFTER,
			.fails = true });
	assert_status(prolong(owner, "job", 20 * LEASE), RL_UNREACHABLE);
	assert_true(view(owner, "job").left <= LEASE * RL_MILLISECOND);
	assert_status(disown(owner, "job"), RL_OK);
}

static void an_answer_ends_the_doubt(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", 10 * LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend,
			.times = 2,
			.fault = PROXY_CUT_AFTER,
			.fails = true });
	assert_status(prolong(owner, "job", LEASE), RL_UNREACHABLE);
	assert_status(prolong(owner, "job", 10 * LEASE), RL_OK);
	assert_true(view(owner, "job").left > 9 * LEASE * RL_MILLISECOND);
}

static void an_answer_of_nonsense_is_a_doubtful_one(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", 10 * LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){
			.script = &rl_script_extend, .times = 1, .fault = PROXY_ANSWER, .answer = ":99\r\n" });
	assert_status(prolong(owner, "job", LEASE), RL_UNREACHABLE);
	assert_true(view(owner, "job").left <= LEASE * RL_MILLISECOND);
}

/* ---------------------------------------------------------------- check */

static void check_asks_nobody_while_safe(void **state)
{
	struct rl_owner *owner = new_owner();
	uint64_t requests;

	assert_status(own(owner, "job", LEASE), RL_OK);
	requests = rl_owner_stats(owner)->requests;
	run("DEL lock@job"); /* which it cannot know */
	for (int i = 0; i < 100; i++) {
		assert_status(check_lock(owner, "job"), RL_OK);
	}
	assert_int_equal(rl_owner_stats(owner)->requests, requests);
}

static void check_repeats_the_verdict_until_taken_anew(void **state)
{
	for (int taken = 0; taken < 2; taken++) {
		enum rl_status verdict = taken ? RL_LOST : RL_TIMED_OUT;
		struct rl_owner *owner = new_owner();
		uint64_t requests;
		rl_time late_by;

		run("FLUSHALL");
		assert_status(own(owner, "job", LEASE), RL_OK);
		expire_here(owner, "job");
		expire_on_server("job");
		if (taken) {
			taken_between("job");
		}
		assert_status(check_lock(owner, "job"), verdict);
		late_by = said.late_by;
		assert_true(late_by > 0);
		assert_false(holds(owner, "job"));
		requests = rl_owner_stats(owner)->requests;
		for (int i = 0; i < 3; i++) {
			assert_status(check_lock(owner, "job"), verdict);
			assert_true(said.late_by == late_by);
		}
		assert_status(disown(owner, "job"), RL_NO);
		assert_status(check_lock(owner, "job"), verdict);
		assert_int_equal(rl_owner_stats(owner)->requests, requests);
		/* counted once */
		assert_int_equal(rl_owner_stats(owner)->timeouts + rl_owner_stats(owner)->lost, 1);

		assert_status(own(owner, "job", LEASE), RL_OK);
		assert_status(check_lock(owner, "job"), RL_OK);
		assert_status(disown(owner, "job"), RL_OK);
		assert_status(check_lock(owner, "job"), RL_MISUSE);
	}
}

static void check_late_ends_it_though_the_server_had_it_still(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	expire_here(owner, "job");
	assert_status(check_lock(owner, "job"), RL_TIMED_OUT);
	assert_false(is_taken("job"));
}

static void check_late_without_a_server_is_lost(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	expire_here(owner, "job");
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_release,
			.times = 2,
			.fault = PROXY_CUT_BEFORE,
			.fails = true });
	assert_status(check_lock(owner, "job"), RL_LOST);
	assert_status(check_lock(owner, "job"), RL_LOST);
	assert_true(is_taken("job"));
	assert_status(own(owner, "another", LEASE), RL_OK); /* the next contact */
	assert_false(is_taken("job"));
}

static void the_last_thousand_losses_are_remembered(void **state)
{
	struct rl_owner *owner = new_owner();
	char key[16];

	for (int i = 0; i < 1003; i++) {
		snprintf(key, sizeof key, "job%d", i);
		assert_status(own(owner, key, LEASE), RL_OK);
	}
	run("FLUSHALL");
	for (int i = 0; i < 1003; i++) {
		snprintf(key, sizeof key, "job%d", i);
		assert_status(disown(owner, key), RL_LOST);
	}
	for (int i = 0; i < 1003; i++) {
		snprintf(key, sizeof key, "job%d", i);
		assert_status(check_lock(owner, key), i < 3 ? RL_MISUSE : RL_LOST);
	}
	/* In the middle, at both ends, and then all. */
	assert_status(own(owner, "job500", LEASE), RL_OK);
	assert_status(own(owner, "job3", LEASE), RL_OK);
	assert_status(own(owner, "job1002", LEASE), RL_OK);
	run("DEL lock@job500 lock@job3");
	assert_status(disown(owner, "job500"), RL_LOST);
	assert_status(disown(owner, "job3"), RL_LOST);
	assert_status(disown(owner, "job1002"), RL_OK);
	for (int i = 3; i < 1002; i++) {
		snprintf(key, sizeof key, "job%d", i);
		assert_status(check_lock(owner, key), RL_LOST);
	}
	assert_status(check_lock(owner, "job1002"), RL_MISUSE);
}

/* ---------------------------------------------------------------- K4: the machine sleeps */

static void asleep_beyond_the_deadline_it_is_unsafe_at_once(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	clock_advance(LEASE * RL_MILLISECOND);
	assert_int_equal(view(owner, "job").left, 0);
	expire_on_server("job");
	assert_status(check_lock(owner, "job"), RL_TIMED_OUT);
	assert_false(is_taken("job")); /* nothing was extended first */
}

/* What must hold however long the machine slept, and when. */
enum sleepy {
	SLEEPY_TAKE,
	SLEEPY_ENTER,
	SLEEPY_PROLONG,
	SLEEPY_PROLONG_GONE,
	SLEEPY_RELEASE,
	SLEEPY_RELEASE_GONE,
	SLEEPY_UNCONFIRMED,
	SLEEPY_CHECK,
	SLEEPY_KINDS
};

static enum rl_status act(struct rl_owner *owner, enum sleepy kind)
{
	switch (kind) {
		case SLEEPY_TAKE:
		case SLEEPY_ENTER:
			return own(owner, "job", LEASE);
		case SLEEPY_PROLONG:
		case SLEEPY_PROLONG_GONE:
			return prolong(owner, "job", LEASE);
		case SLEEPY_UNCONFIRMED:
			return disown_unconfirmed(owner, "job");
		case SLEEPY_CHECK:
			return check_lock(owner, "job");
		default:
			return disown(owner, "job");
	}
}

static void asleep_at_any_moment_no_answer_is_wrong(void **state)
{
	for (int kind = 0; kind < SLEEPY_KINDS; kind++) {
		bool advanced = true;

		for (long reading = 0; advanced; reading++) {
			struct rl_owner *owner = new_owner();
			bool gone = kind == SLEEPY_PROLONG_GONE || kind == SLEEPY_RELEASE_GONE;
			enum rl_status status;

			run("FLUSHALL");
			clock_reset();
			if (kind != SLEEPY_TAKE) {
				assert_status(own(owner, "job", LEASE), RL_OK);
			}
			if (gone) {
				run("DEL lock@job");
			}
			clock_advance_at(reading, 2 * LEASE * RL_MILLISECOND);
			status = act(owner, kind);
			advanced = clock_has_advanced();
			clock_advance_at(-1, 0);

			if (status == RL_OK && (kind <= SLEEPY_PROLONG) && view(owner, "job").left > 0) {
				assert_true(is_taken("job"));
				assert_true(server_left("job") > view(owner, "job").left / RL_MILLISECOND);
			}
			if (status == RL_OK && kind == SLEEPY_TAKE && reading > 0 && !advanced) {
				assert_true(view(owner, "job").left > 0);
			}
			if (status == RL_TIMED_OUT) {
				assert_true(said.late_by > 0);
				assert_int_equal(said.held, is_taken("job") && holds(owner, "job"));
			}
			if (status == RL_LOST && said.late_by == 0) {
				assert_true(gone);
			}
			if (gone) {
				/* A release that was sent in time, and not answered then, may be what took it. */
				assert_true(status != RL_OK || (kind == SLEEPY_RELEASE_GONE && advanced));
			}
			if ((status == RL_TIMED_OUT && !said.held) || status == RL_LOST
				|| !holds(owner, "job")) {
				assert_false(holds(owner, "job"));
				assert_status(own(owner, "another", LEASE), RL_OK); /* the next contact */
				assert_false(is_taken("job"));
			}
			assert_true(reading < 1000);
			end_owner(owner);
		}
	}
}

static void a_grant_that_comes_too_late_is_given_back(void **state)
{
	struct rl_owner *owner = new_owner();
	bool given_back = false;

	for (long reading = 0; reading < 30; reading++) {
		enum rl_status status;

		clock_advance_at(reading, LEASE * RL_MILLISECOND / 2);
		status = own(owner, "job", LEASE / 4);
		clock_advance_at(-1, 0);
		if (status == RL_UNREACHABLE) {
			given_back = true;
			assert_status(own(owner, "another", LEASE), RL_OK); /* the next contact */
			assert_status(disown(owner, "another"), RL_OK);
			assert_false(is_taken("job"));
			assert_false(holds(owner, "job"));
		} else {
			assert_status(status, RL_OK);
			assert_status(disown(owner, "job"), RL_OK);
		}
	}
	assert_true(given_back);
}

/* ---------------------------------------------------------------- fork */

struct family {
	struct rl_owner *owner;
};

static bool child_uses_its_parents_lock(void *context)
{
	struct rl_owner *owner = ((struct family *)context)->owner;
	struct rl_lease_view lease;
	struct rl_token token;

	return own(owner, "job", LEASE) == RL_MISUSE && disown(owner, "job") == RL_MISUSE
		&& disown_unconfirmed(owner, "job") == RL_MISUSE
		&& prolong(owner, "job", LEASE) == RL_MISUSE && look(owner, "job") == RL_MISUSE
		&& check_lock(owner, "job") == RL_MISUSE && hand_over(owner, "job", 0, &token) == RL_MISUSE
		&& rl_owner_lease(owner, NAME("job"), &lease, &said) == RL_MISUSE
		&& strstr(said.message, "fork") != NULL
		&& rl_owner_held(owner) == 0
		/* Other keys work, on connections of its own. */
		&& own(owner, "childs", LEASE) == RL_OK && rl_owner_held(owner) == 1
		&& look(owner, "childs") == RL_OK && disown_all(owner).released == 1
		&& rl_owner_held(owner) == 0 && disown(owner, "job") == RL_MISUSE; /* for good */
}

/* Another may have it by then: so a lease that was over before anybody could rely on it ends. */
static void an_extension_that_comes_too_late_ends_it(void **state)
{
	char address[160];

	snprintf(address, sizeof address, "%s?timeout=300", rig.server.address);
	for (int prolongs = 0; prolongs < 2; prolongs++) {
		bool ended = false;

		for (long reading = 0; reading < 30; reading++) {
			struct rl_owner *owner = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
			bool advanced;
			enum rl_status status;

			assert_status(own(owner, "job", LEASE / 4), RL_OK);
			clock_advance_at(reading, LEASE * RL_MILLISECOND / 2);
			status = prolongs ? prolong(owner, "job", LEASE / 4) : own(owner, "job", LEASE / 4);
			advanced = clock_has_advanced();
			clock_advance_at(-1, 0);
			if (status == RL_OK) {
				assert_true(!advanced || view(owner, "job").left > 0);
				disown_all(owner);
			} else {
				ended = true;
				assert_status(status, RL_TIMED_OUT);
				assert_false(said.held);
				assert_true(said.late_by > 0);
				assert_false(holds(owner, "job"));
				assert_status(check_lock(owner, "job"), RL_TIMED_OUT);
			}
			assert_false(is_taken("job"));
			end_owner(owner);
		}
		assert_true(ended);
	}
}

/* C7, C8 */
static void a_child_has_none_of_its_parents_locks(void **state)
{
	struct family family = { new_owner() };

	assert_status(own(family.owner, "job", LEASE), RL_OK);
	assert_true(in_child(child_uses_its_parents_lock, &family));
	assert_false(is_taken("childs"));
	assert_status(look(family.owner, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(family.owner)->reconnects, 0);
	assert_status(disown(family.owner, "job"), RL_OK);
}

static bool child_frees(void *context)
{
	end_owner(((struct family *)context)->owner);
	return true;
}

static void a_child_that_frees_the_owner_leaves_the_lock(void **state)
{
	struct family family = { new_owner() };

	assert_status(own(family.owner, "job", LEASE), RL_OK);
	assert_true(in_child(child_frees, &family));
	assert_status(look(family.owner, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(family.owner)->reconnects, 0);
	assert_int_equal(rl_owner_held(family.owner), 1);
}

/* ---------------------------------------------------------------- replicas */

/*
 * T4: the server has done it and said so, but what replicas have is not known in time: for want of
 * them, too.
 */
static void what_replicas_do_not_acknowledge_in_time_is_given_back(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(look(owner, "job"), RL_NO); /* it is connected */
	owner->route->replicas = 1;
	owner->route->timeout = owner->route->patience = RL_SECOND;
	proxy_add(&proxy, (struct proxy_rule){ .word = "WAIT", .times = 1, .fault = PROXY_HOLD });
	assert_status(own(owner, "job", LEASE), RL_REFUSED);
	assert_string_equal(said.code, "NOREPLICAS");
	await_free("job");
	/* what comes now is to succeed */
	owner->route->timeout = owner->route->patience = 5 * RL_SECOND;
	assert_int_equal(disown_all(owner).failed, 0);
	proxy_add(&proxy,
		(struct proxy_rule){
			.word = "WAIT", .times = 1, .fault = PROXY_ANSWER, .answer = ":1\r\n" });
	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_add(&proxy, (struct proxy_rule){ .word = "WAIT", .times = 1, .fault = PROXY_HOLD });
	owner->route->timeout = owner->route->patience = RL_SECOND;
	assert_status(prolong(owner, "job", LEASE), RL_REFUSED);
	assert_string_equal(said.code, "NOREPLICAS");
	owner->route->timeout = owner->route->patience = 5 * RL_SECOND;
	assert_status(disown(owner, "job"), RL_OK);
}

/* ---------------------------------------------------------------- timeouts */

/* They are each owner's own, though they share the connection. */
static void a_shared_connection_has_each_callers_timeout(void **state)
{
	char patient[160], hurried[160];
	struct rl_owner *first, *second;
	struct prompt_moment before;

	snprintf(patient, sizeof patient, "%s?timeout=60", rig.server.address);
	snprintf(hurried, sizeof hurried, "%s?timeout=0.1", rig.server.address);
	first = new_sharing(patient);
	second = new_sharing(hurried);
	assert_status(own(first, "job", LEASE), RL_OK);
	throwaway_freeze(&rig.server);
	before = prompt_now();
	assert_status(own(second, "other", LEASE), RL_UNREACHABLE);
	expect_soon(prompt_since(before), 100 * RL_MILLISECOND + A_MOMENT);
	kill(rig.server.pid, SIGCONT);
}

int test_owner(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	const struct CMUnitTest tests[] = {
		test(a_lock_is_taken_and_given_back),
		test(what_is_not_held_is_a_no_without_a_request),
		test(metadata_and_binary_keys_go_through),
		test(a_name_of_rlocks_own_keys_is_refused),
		test(what_others_put_there_is_busy),
		test(a_delay_keeps_it_from_all),
		test(late_and_still_ours_is_in_time),
		test(late_and_free_is_a_timeout),
		test(late_and_taken_since_is_lost),
		test(late_without_a_fence_is_lost),
		test(gone_before_the_deadline_is_lost),
		test(levels_count),
		test(the_longer_lease_counts),
		test(entering_what_is_over_tells_the_verdict),
		test(entering_what_was_lost_in_time_is_lost),
		test(a_late_inner_level_asks),
		test(a_late_inner_level_that_was_taken_is_lost),
		test(prolongate_sets_the_lease),
		test(prolongate_late_and_free_holds_it_again),
		test(prolongate_late_and_taken_is_lost),
		test(prolongate_gone_in_time_is_lost),
		test(a_doubtful_answer_only_shortens),
		test(an_answer_ends_the_doubt),
		test(an_answer_of_nonsense_is_a_doubtful_one),
		test(check_asks_nobody_while_safe),
		test(check_repeats_the_verdict_until_taken_anew),
		test(check_late_ends_it_though_the_server_had_it_still),
		test(check_late_without_a_server_is_lost),
		test(the_last_thousand_losses_are_remembered),
		test(asleep_beyond_the_deadline_it_is_unsafe_at_once),
		test(asleep_at_any_moment_no_answer_is_wrong),
		test(a_grant_that_comes_too_late_is_given_back),
		test(an_extension_that_comes_too_late_ends_it),
		test(a_child_has_none_of_its_parents_locks),
		test(a_child_that_frees_the_owner_leaves_the_lock),
		test(what_replicas_do_not_acknowledge_in_time_is_given_back),
		test(a_shared_connection_has_each_callers_timeout),
	};

	return cmocka_run_group_tests_name("owner", tests, rig_start, rig_stop);
}
