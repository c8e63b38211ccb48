/*
 * What the protocol's scripts do when the server lets them: taking, handing over, giving back,
 * extending, looking. test_scripts_faults.c has what stands in their way.
 */
#define _GNU_SOURCE
#include "script_rig.h"

#include "lock/attempt.h"
#include "lock/token.h"

#include <unistd.h>

/* ---------------------------------------------------------------- taking */

static void acquire_takes_a_free_lock(void **state)
{
	struct value token = new_token();
	redisReply *time;
	struct inspection seen = inspect(rig.redis);
	int64_t fence;

	assert_false(seen.has_value);
	assert_int_equal(seen.left, -2);
	assert_int_equal(seen.fence, 0);
	assert_int_equal(seen.waiting, 0);

	fence = take(token.text);
	time = command(rig.redis, "TIME");
	assert_in_range(strtoll(time->element[0]->str, NULL, 10) * 1000000 + strtoll(time->element[1]->str, NULL, 10),
		fence, fence + PATIENCE_MS * 1000);
	freeReplyObject(time);
	assert_holds(RL_KEY_LOCK, token.text);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_fence(fence);
	assert_lives(RL_KEY_FENCE, LEASE + GRACE);
	assert_false(rig_exists(RL_KEY_WAITING));
	assert_false(rig_exists(RL_KEY_WAKE));

	seen = inspect(rig.redis);
	assert_string_equal(seen.value, token.text);
	assert_in_range(seen.left, LEASE - PATIENCE_MS, LEASE);
	assert_int_equal(seen.fence, fence);
	assert_int_equal(seen.waiting, 0);
	inspection_free(&seen);
}

static void acquire_finds_a_taken_lock(void **state)
{
	struct value token = new_token();
	struct inspection seen;

	take(token.text);
	assert_in_range(ask(0), LEASE - PATIENCE_MS, LEASE);
	assert_false(rig_exists(RL_KEY_WAITING));
	assert_in_range(ask(FLAG), LEASE - PATIENCE_MS, LEASE);
	assert_lives(RL_KEY_WAITING, FLAG + 1000);
	assert_holds(RL_KEY_LOCK, token.text);
	seen = inspect(rig.redis);
	assert_int_equal(seen.waiting, 1);
	inspection_free(&seen);
}

static void the_waiting_flag_is_raised_again_before_it_falls(void **state)
{
	take(new_token().text);
	ask(FLAG);
	run("PEXPIRE %b %d", KEY(RL_KEY_WAITING), FLAG - 1);
	ask(FLAG);
	assert_lives(RL_KEY_WAITING, FLAG + 1000);
	run("PEXPIRE %b %d", KEY(RL_KEY_WAITING), 3 * FLAG);
	ask(FLAG); /* never lowered */
	assert_lives(RL_KEY_WAITING, 3 * FLAG);
	ask(0);
	assert_lives(RL_KEY_WAITING, 3 * FLAG);
}

static void acquire_sent_again_finds_the_same_grant(void **state)
{
	struct value token = new_token();
	int64_t fence = take(token.text);

	run("PEXPIRE %b 20000", KEY(RL_KEY_LOCK));
	assert_int_equal(take(token.text), fence);
	assert_lives(RL_KEY_LOCK, 20000); /* it began with the first */

	run("PEXPIRE %b %d", KEY(RL_KEY_LOCK), 10 * LEASE);
	assert_int_equal(take(token.text), fence);
	assert_lives(RL_KEY_LOCK, 10 * LEASE); /* what was prolonged meanwhile stays so */

	run("DEL %b", KEY(RL_KEY_FENCE));
	assert_true(take(token.text) > fence);
	assert_true(rig_exists(RL_KEY_FENCE));
}

static void times_beyond_a_million_are_written_out(void **state)
{
	/* 1e+8 to a careless script: the lease with the grace period, and the flag with its slack. */
	struct value token = new_token();
	int64_t lease = 100000000 - GRACE, flag = 100000000 - 1000;
	struct answer answer = acquire_on(rig.redis, token.text, lease, 0);
	struct script_call call;

	assert_int_equal(answer.code, 1);
	assert_lives(RL_KEY_FENCE, 100000000);
	ask(flag);
	assert_lives(RL_KEY_WAITING, 100000000);
	assert_int_equal(give_back(token.text, answer.value), PASSED);

	rig_expire(RL_KEY_LOCK);
	answer.value = take(token.text);
	make_extend(&call, text_of(token.text), answer.value, lease, RL_EXTEND_ANEW);
	assert_int_equal(script_run(rig.redis, &call).code, OURS);
	assert_lives(RL_KEY_FENCE, 100000000);
	run("DEL %b", KEY(RL_KEY_FENCE));
	assert_int_equal(script_run(rig.redis, &call).code, OURS);
	assert_lives(RL_KEY_FENCE, 100000000);

	/* The longest lease there is. */
	make_extend(&call, text_of(token.text), answer.value, 1000000000000, RL_EXTEND_ANEW);
	assert_int_equal(script_run(rig.redis, &call).code, OURS);
	assert_lives(RL_KEY_LOCK, 1000000000000);
	assert_lives(RL_KEY_FENCE, 1000000000000 + GRACE);
}

/* ---------------------------------------------------------------- giving back */

static void release_frees_the_lock(void **state)
{
	struct value token = new_token();
	int64_t fence = take(token.text);

	assert_int_equal(give_back(token.text, fence), FREED);
	assert_false(rig_exists(RL_KEY_LOCK));
	assert_false(rig_exists(RL_KEY_WAKE));
	assert_fence(fence);
	assert_int_equal(give_back(token.text, fence), GONE);
}

static void release_frees_a_take_whose_answer_was_lost(void **state)
{
	struct value token = new_token();
	int64_t fence = take(token.text);

	assert_int_equal(give_back(token.text, 0), FREED);
	take(token.text);
	ask(FLAG);
	assert_int_equal(give_back(token.text, 0), PASSED);
	run("LPOP %b", KEY(RL_KEY_WAKE));
	assert_true(stored_fence() > fence);
}

static void release_with_a_delay_keeps_the_lock_from_all(void **state)
{
	struct value token = new_token(), baton = new_baton();
	int64_t fence = take(token.text);
	char cooldown[128];
	struct inspection seen;

	snprintf(cooldown, sizeof cooldown, "-%s:host:1", baton.text);
	ask(0);
	assert_int_equal(release_on(rig.redis, token.text, fence, baton.text, 40000), FREED);
	assert_holds(RL_KEY_LOCK, cooldown);
	assert_lives(RL_KEY_LOCK, 40000);
	assert_false(rig_exists(RL_KEY_WAKE));
	assert_in_range(acquire_on(rig.redis, token.text, LEASE, 0).value, 40000 - PATIENCE_MS, 40000);
	ask(FLAG);
	seen = inspect(rig.redis);
	assert_string_equal(seen.value, cooldown);
	inspection_free(&seen);
	assert_int_equal(release_on(rig.redis, token.text, fence, baton.text, 40000), FREED);
	assert_int_equal(release_on(rig.redis, token.text, fence, new_baton().text, 40000), TAKEN);
	rig_expire(RL_KEY_LOCK);
	assert_true(take(token.text) > fence);
}

static void a_cooldown_tells_who_it_was(void **state)
{
	struct value baton = new_baton();
	char *metadata = malloc(RL_METADATA_MAX + 1), *token = malloc(RL_METADATA_MAX + 96), *cooldown = malloc(RL_METADATA_MAX + 96);
	int64_t fence;

	memset(metadata, ':', RL_METADATA_MAX);
	metadata[RL_METADATA_MAX] = '\0';
	sprintf(token, "%s:%s", new_token().text, metadata);
	sprintf(cooldown, "-%s:host:1:%s", baton.text, metadata);
	fence = take(token);
	assert_int_equal(release_on(rig.redis, token, fence, baton.text, 40000), FREED);
	assert_holds(RL_KEY_LOCK, cooldown);
	assert_int_equal(release_on(rig.redis, token, fence, baton.text, 40000), FREED);
	assert_holds(RL_KEY_LOCK, cooldown);

	/* Its metadata names other cooldowns, which it is not. */
	rig_expire(RL_KEY_LOCK);
	sprintf(token, "%s:-%s:", new_token().text, baton.text);
	fence = take(token);
	assert_int_equal(release_on(rig.redis, token, fence, new_baton().text, 40000), FREED);
	assert_int_equal(release_on(rig.redis, token, fence, baton.text, 40000), TAKEN);
	free(cooldown);
	free(token);
	free(metadata);
}

static void a_fence_outlives_its_cooldown(void **state)
{
	struct value token = new_token();
	int64_t fence = take(token.text);

	assert_int_equal(release_on(rig.redis, token.text, fence, new_baton().text, 100000000), FREED);
	assert_lives(RL_KEY_FENCE, 100000000 + WINDOW + GRACE);
	assert_fence(fence);
	rig_expire(RL_KEY_LOCK);
	fence = take(token.text);
	run("PEXPIRE %b 9000000", KEY(RL_KEY_FENCE));
	assert_int_equal(release_on(rig.redis, token.text, fence, new_baton().text, 10), FREED);
	assert_lives(RL_KEY_FENCE, 9000000);
}

/* Within MULTI. */
static void queue_call(const struct script_call *call)
{
	redisReply *reply = NULL;

	script_send(rig.redis, call);
	assert_int_equal(redisGetReply(rig.redis, (void **)&reply), REDIS_OK);
	assert_int_equal(reply->type, REDIS_REPLY_STATUS);
	freeReplyObject(reply);
}

static void queue_flag(void)
{
	freeReplyObject(command(rig.redis, "PTTL %b", KEY(RL_KEY_WAITING)));
}

/* A baton that is still in the list tells that. */
static void where_nobody_is_parked_the_flag_soon_falls(void **state)
{
	struct value token = new_token();
	int64_t fence = take(token.text);
	struct script_call call;
	redisReply *reply;

	ask(RL_FLAG_MS);
	run("PEXPIRE %b 60000", KEY(RL_KEY_WAITING));
	assert_int_equal(give_back(token.text, fence), PASSED);
	run("MULTI");
	make_acquire(&call, text_of(token.text), LEASE, 0);
	queue_call(&call);
	queue_flag();
	reply = command(rig.redis, "EXEC");
	fence = reply->element[0]->integer;
	assert_in_range(reply->element[1]->integer, 2450, 2500);
	freeReplyObject(reply);
	run("PEXPIRE %b 1000", KEY(RL_KEY_WAITING));
	give_back(token.text, fence);
	take(token.text);
	assert_true(number("PTTL %b", KEY(RL_KEY_WAITING)) <= 1000);
}

/* ---------------------------------------------------------------- handing over */

static void release_passes_the_lock_to_a_waiter(void **state)
{
	struct value token = new_token(), successor = new_token(), name = new_baton(), baton;
	int64_t fence = take(token.text), passed;
	redisContext *waiter = park();
	struct inspection seen;

	assert_int_equal(release_on(rig.redis, token.text, fence, name.text, 0), PASSED);
	baton = read_baton(waiter);
	assert_memory_equal(baton.text, name.text, strlen(name.text));
	assert_int_equal(baton.text[strlen(name.text)], ':');
	passed = fence_in(baton.text);
	assert_true(passed > fence);
	assert_holds(RL_KEY_LOCK, baton.text);
	assert_lives(RL_KEY_LOCK, WINDOW);
	assert_fence(passed);
	assert_lives(RL_KEY_FENCE, WINDOW + GRACE);
	assert_false(rig_exists(RL_KEY_WAKE));
	assert_true(rig_exists(RL_KEY_WAITING)); /* sticky: there may be more of them */
	seen = inspect(rig.redis);
	assert_string_equal(seen.value, baton.text); /* on its way: nobody else can have it */
	inspection_free(&seen);
	assert_int_equal(release_on(rig.redis, token.text, fence, name.text, 0), FREED); /* its answer was lost */

	assert_int_equal(claim_on(waiter, successor.text, baton.text), OURS);
	assert_holds(RL_KEY_LOCK, successor.text);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_fence(passed);
	assert_lives(RL_KEY_FENCE, LEASE + GRACE);
	/* Now its own release, come twice, cannot be told from a loss: the client knows that it had sent it in time. */
	assert_int_equal(release_on(rig.redis, token.text, fence, name.text, 0), TAKEN);
	assert_int_equal(give_back(successor.text, passed), PASSED);
	redisFree(waiter);
}

static void claim_sent_again_finds_the_same_lease(void **state)
{
	struct value token = new_token(), successor = new_token(), baton;
	int64_t fence = take(token.text);
	redisContext *waiter = park();

	give_back(token.text, fence);
	baton = read_baton(waiter);
	assert_int_equal(claim(successor.text, baton.text), OURS);
	run("PEXPIRE %b 20000", KEY(RL_KEY_LOCK));
	assert_int_equal(claim(successor.text, baton.text), OURS);
	assert_lives(RL_KEY_LOCK, 20000); /* it began with the first */
	run("PEXPIRE %b %d", KEY(RL_KEY_LOCK), 10 * LEASE);
	assert_int_equal(claim(successor.text, baton.text), OURS);
	assert_lives(RL_KEY_LOCK, 10 * LEASE); /* what was prolonged meanwhile stays so */
	assert_fence(fence_in(baton.text));
	assert_int_equal(claim(new_token().text, baton.text), TAKEN); /* it can be claimed once */
	assert_holds(RL_KEY_LOCK, successor.text);
	redisFree(waiter);
}

static void claim_puts_an_evicted_fence_back(void **state)
{
	struct value token = new_token(), baton;
	int64_t fence = take(token.text);
	redisContext *waiter = park();

	give_back(token.text, fence);
	baton = read_baton(waiter);
	run("DEL %b", KEY(RL_KEY_FENCE));
	assert_int_equal(claim(new_token().text, baton.text), OURS);
	assert_fence(fence_in(baton.text));
	assert_lives(RL_KEY_FENCE, LEASE + GRACE);
	redisFree(waiter);
}

static void a_baton_that_nobody_took_is_free(void **state)
{
	struct value token = new_token(), successor = new_token(), baton = new_baton();
	int64_t fence = take(token.text), passed, next;
	struct inspection seen;

	ask(FLAG);
	assert_int_equal(release_on(rig.redis, token.text, fence, baton.text, 0), PASSED);
	passed = stored_fence();
	assert_int_equal(number("LLEN %b", KEY(RL_KEY_WAKE)), 1);
	assert_lives(RL_KEY_WAKE, WINDOW);
	assert_true(number("EVAL %s 2 %b %b", "return redis.call('PTTL', KEYS[1]) - redis.call('PTTL', KEYS[2])",
					KEY(RL_KEY_WAKE), KEY(RL_KEY_LOCK))
		<= 5);
	seen = inspect(rig.redis);
	assert_false(seen.has_value);
	assert_int_equal(seen.left, -2);
	assert_int_equal(seen.fence, passed);
	assert_int_equal(seen.waiting, 1);
	inspection_free(&seen);
	assert_int_equal(release_on(rig.redis, token.text, fence, baton.text, 0), FREED);

	next = take(successor.text);
	assert_true(next > passed);
	assert_false(rig_exists(RL_KEY_WAKE));
	assert_holds(RL_KEY_LOCK, successor.text);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_fence(next);
	assert_lives(RL_KEY_FENCE, LEASE + GRACE);
	assert_int_equal(take(successor.text), next);
}

static void a_baton_of_a_dead_waiter_blocks_for_its_window(void **state)
{
	struct value token = new_token(), late = new_token(), baton;
	int64_t fence = take(token.text);
	redisContext *waiter = park();

	give_back(token.text, fence);
	baton = read_baton(waiter);
	redisFree(waiter);
	assert_in_range(ask(0), WINDOW - PATIENCE_MS, WINDOW);
	assert_holds(RL_KEY_LOCK, baton.text);
	rig_expire(RL_KEY_LOCK);
	assert_int_equal(claim(late.text, baton.text), GONE);
	assert_false(rig_exists(RL_KEY_LOCK));
	token = new_token();
	fence = take(token.text);
	assert_int_equal(claim(late.text, baton.text), TAKEN);
	run("DEL %b", KEY(RL_KEY_WAITING));
	assert_int_equal(give_back(token.text, fence), FREED);
	assert_int_equal(claim(late.text, baton.text), TAKEN); /* though it is free again */
	assert_false(rig_exists(RL_KEY_LOCK));
	take(token.text);
	assert_holds(RL_KEY_LOCK, token.text);
	run("DEL %b", KEY(RL_KEY_FENCE));
	assert_int_equal(claim(late.text, baton.text), UNKNOWN);
	assert_holds(RL_KEY_LOCK, token.text);
}

static void a_stale_baton_reaches_nobody(void **state)
{
	struct value token = new_token(), stale = new_baton(), baton = new_baton();
	char pushed[96];
	int64_t fence = take(token.text);
	struct inspection seen;
	redisReply *list;

	/* An ask takes it out of the list, and leaves the lock alone. */
	snprintf(pushed, sizeof pushed, "%s:5", stale.text);
	run("RPUSH %b %s", KEY(RL_KEY_WAKE), pushed);
	ask(0);
	assert_false(rig_exists(RL_KEY_WAKE));
	assert_holds(RL_KEY_LOCK, token.text);
	run("RPUSH %b %s %s x", KEY(RL_KEY_WAKE), pushed, pushed);
	ask(FLAG);
	assert_false(rig_exists(RL_KEY_WAKE));

	/* A hand-over leaves only its own. */
	run("RPUSH %b %s", KEY(RL_KEY_WAKE), pushed);
	assert_int_equal(release_on(rig.redis, token.text, fence, baton.text, 0), PASSED);
	list = command(rig.redis, "LRANGE %b 0 -1", KEY(RL_KEY_WAKE));
	assert_int_equal(list->elements, 1);
	assert_holds(RL_KEY_LOCK, list->element[0]->str);
	freeReplyObject(list);

	/* What lies in the list without being L's value does not make a lock free. */
	run("DEL %b", KEY(RL_KEY_WAKE));
	run("RPUSH %b %s", KEY(RL_KEY_WAKE), pushed);
	seen = inspect(rig.redis);
	assert_true(seen.has_value);
	inspection_free(&seen);
}

static void waiters_are_served_in_order(void **state)
{
	struct value token = new_token(), second = new_token(), third = new_token(), baton;
	int64_t fence = take(token.text), passed;
	redisContext *gone = park(), *timed_out = rig_connect(), *first, *last;
	redisReply *id = command(timed_out, "CLIENT ID");
	struct script_call call;

	park_on(timed_out);
	first = park();
	last = park();
	redisFree(gone);
	await_parked(3);
	assert_int_equal(number("CLIENT UNBLOCK %lld", id->integer), 1); /* as when its time is over */
	freeReplyObject(id);
	await_parked(2);

	assert_int_equal(give_back(token.text, fence), PASSED);
	baton = read_baton(first);
	assert_int_equal(number("LLEN %b", KEY(RL_KEY_WAKE)), 0);
	passed = fence_in(baton.text);

	/* Claim and release in one write: the release behind the claim. */
	make_claim(&call, text_of(second.text), baton.text, LEASE);
	script_send(first, &call);
	baton = new_baton();
	make_release(&call, text_of(second.text), passed, baton.text, 0);
	script_send(first, &call);
	assert_int_equal(script_read(first).code, OURS);
	assert_int_equal(script_read(first).code, PASSED);

	baton = read_baton(last);
	assert_true(fence_in(baton.text) > passed);
	assert_int_equal(claim_on(last, third.text, baton.text), OURS);
	redisFree(timed_out);
	redisFree(first);
	redisFree(last);
}

static void a_baton_can_be_passed_on(void **state)
{
	/* One that came after the end of a wait: its holder gives it back unclaimed. */
	struct value token = new_token(), name = new_baton(), baton, again;
	int64_t fence = take(token.text);
	redisContext *first = park(), *second = park();

	release_on(rig.redis, token.text, fence, name.text, 0);
	baton = read_baton(first);
	assert_int_equal(release_on(first, baton.text, fence_in(baton.text), name.text, 0), PASSED);
	again = read_baton(second);
	assert_true(fence_in(again.text) > fence_in(baton.text));
	assert_holds(RL_KEY_LOCK, again.text);
	assert_int_equal(release_on(first, baton.text, fence_in(baton.text), name.text, 0), FREED); /* sent twice */
	assert_holds(RL_KEY_LOCK, again.text);
	run("DEL %b", KEY(RL_KEY_WAITING));
	assert_int_equal(release_on(second, again.text, fence_in(again.text), name.text, 0), FREED);
	assert_false(rig_exists(RL_KEY_LOCK));
	redisFree(first);
	redisFree(second);
}

/* ---------------------------------------------------------------- verdicts */

static void a_late_release_is_told_what_happened(void **state)
{
	struct value token = new_token(), other = new_token();
	int64_t fence = take(token.text), others;

	rig_expire(RL_KEY_LOCK);
	assert_int_equal(give_back(token.text, fence), GONE);
	others = take(other.text);
	assert_int_equal(give_back(token.text, fence), TAKEN);
	assert_holds(RL_KEY_LOCK, other.text);
	assert_int_equal(give_back(other.text, others), FREED);
	assert_int_equal(give_back(token.text, fence), TAKEN); /* though it is free again */
	run("DEL %b", KEY(RL_KEY_FENCE));
	assert_int_equal(give_back(token.text, fence), UNKNOWN);
	assert_false(rig_exists(RL_KEY_LOCK));
}

static void a_late_extend_is_told_what_happened(void **state)
{
	struct value token = new_token(), other = new_token();
	int64_t fence = take(token.text), others;

	rig_expire(RL_KEY_LOCK);
	assert_int_equal(extend(token.text, fence), GONE);
	assert_false(rig_exists(RL_KEY_LOCK));
	others = take(other.text);
	assert_int_equal(extend(token.text, fence), TAKEN);
	assert_int_equal(extend_again(token.text, fence), TAKEN);
	assert_holds(RL_KEY_LOCK, other.text);
	give_back(other.text, others);
	assert_int_equal(extend(token.text, fence), TAKEN);
	assert_int_equal(extend_again(token.text, fence), TAKEN);
	assert_false(rig_exists(RL_KEY_LOCK));
	run("DEL %b", KEY(RL_KEY_FENCE));
	assert_int_equal(extend(token.text, fence), UNKNOWN);
	assert_int_equal(extend_again(token.text, fence), UNKNOWN);
	assert_false(rig_exists(RL_KEY_LOCK));
}

static void extend_sets_a_new_lease(void **state)
{
	struct value token = new_token();
	int64_t fence = take(token.text);
	struct script_call call;

	run("PEXPIRE %b 20000", KEY(RL_KEY_LOCK));
	run("PEXPIRE %b 20000", KEY(RL_KEY_FENCE));
	assert_int_equal(extend(token.text, fence), OURS);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_lives(RL_KEY_FENCE, LEASE + GRACE);

	/* A shorter one too; but the fence's end only ever moves later. */
	make_extend(&call, text_of(token.text), fence, 20000, RL_EXTEND_ANEW);
	assert_int_equal(script_run(rig.redis, &call).code, OURS);
	assert_lives(RL_KEY_LOCK, 20000);
	assert_lives(RL_KEY_FENCE, LEASE + GRACE);

	run("DEL %b", KEY(RL_KEY_FENCE));
	assert_int_equal(extend(token.text, fence), OURS);
	assert_fence(fence); /* evicted, put back */
	assert_lives(RL_KEY_FENCE, LEASE + GRACE);
	assert_int_equal(extend_again(token.text, fence), OURS); /* our clock was wrong: nothing to set anew */
	assert_int_equal(give_back(token.text, fence), FREED);
}

static void extend_may_leave_a_longer_lease(void **state)
{
	struct value token = new_token();
	int64_t fence = take(token.text);
	struct script_call call;

	make_extend(&call, text_of(token.text), fence, LEASE / 2, RL_EXTEND_LONGER);
	assert_int_equal(script_run(rig.redis, &call).code, OURS);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_lives(RL_KEY_FENCE, LEASE + GRACE);
	make_extend(&call, text_of(token.text), fence, 2 * LEASE, RL_EXTEND_LONGER);
	assert_int_equal(script_run(rig.redis, &call).code, OURS);
	assert_lives(RL_KEY_LOCK, 2 * LEASE);
	assert_lives(RL_KEY_FENCE, 2 * LEASE + GRACE);

	rig_expire(RL_KEY_LOCK);
	make_extend(&call, text_of(token.text), fence, LEASE, RL_EXTEND_LONGER);
	assert_int_equal(script_run(rig.redis, &call).code, GONE); /* it sets nothing anew */
	assert_false(rig_exists(RL_KEY_LOCK));
}

static void extend_may_set_anew_what_nobody_took(void **state)
{
	struct value token = new_token();
	int64_t fence = take(token.text);

	rig_expire(RL_KEY_LOCK);
	run("PEXPIRE %b 20000", KEY(RL_KEY_FENCE));
	assert_int_equal(extend_again(token.text, fence), GONE);
	assert_holds(RL_KEY_LOCK, token.text);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_fence(fence);
	assert_lives(RL_KEY_FENCE, LEASE + GRACE);
	assert_int_equal(give_back(token.text, fence), FREED);
}

static void a_foreign_lock_is_respected(void **state)
{
	struct value token = new_token();
	struct inspection seen;
	int64_t fence = take(token.text);

	rig_expire(RL_KEY_LOCK);
	run("SET %b redis-py NX PX 40000", KEY(RL_KEY_LOCK));
	assert_int_equal(give_back(token.text, fence), TAKEN);
	assert_int_equal(extend(token.text, fence), TAKEN);
	assert_int_equal(extend_again(token.text, fence), TAKEN);
	assert_in_range(ask(FLAG), 40000 - PATIENCE_MS, 40000);
	assert_holds(RL_KEY_LOCK, "redis-py");

	rig_set(RL_KEY_LOCK, "for ever");
	run("DEL %b", KEY(RL_KEY_FENCE));
	assert_int_equal(ask(0), -1);
	seen = inspect(rig.redis);
	assert_string_equal(seen.value, "for ever");
	assert_int_equal(seen.left, -1);
	assert_int_equal(seen.fence, 0);
	inspection_free(&seen);

	rig_set(RL_KEY_LOCK, "");
	assert_int_equal(ask(0), -1);
	seen = inspect(rig.redis);
	assert_true(seen.has_value); /* an empty value is one */
	assert_int_equal(seen.length, 0);
	inspection_free(&seen);
}

/* ---------------------------------------------------------------- fences */

static int64_t ahead_of_the_clock(long long seconds)
{
	redisReply *time = command(rig.redis, "TIME");
	int64_t result = (strtoll(time->element[0]->str, NULL, 10) + seconds) * 1000000;

	freeReplyObject(time);
	return result;
}

static void fences_do_not_fall_when_the_clock_does(void **state)
{
	/* The last fence came from a clock that was 10,000 s ahead. Each later one counts up, and is kept until then. */
	const long long ahead_ms = 10000000;
	int64_t ahead = ahead_of_the_clock(ahead_ms / 1000);
	struct value token = new_token(), baton;
	redisContext *waiter;

	run("SET %b %lld PX %lld", KEY(RL_KEY_FENCE), (long long)ahead, ahead_ms + LEASE + GRACE);
	assert_int_equal(take(token.text), ahead + 1);
	assert_fence(ahead + 1);
	assert_lives(RL_KEY_FENCE, ahead_ms + LEASE + GRACE + 1);

	waiter = park();
	assert_int_equal(give_back(token.text, ahead + 1), PASSED);
	baton = read_baton(waiter);
	assert_int_equal(fence_in(baton.text), ahead + 2);
	assert_lives(RL_KEY_FENCE, ahead_ms + WINDOW + GRACE + 1);

	assert_int_equal(claim(token.text, baton.text), OURS);
	assert_lives(RL_KEY_FENCE, ahead_ms + WINDOW + GRACE + 1);
	assert_int_equal(extend(token.text, ahead + 2), OURS);
	assert_lives(RL_KEY_FENCE, ahead_ms + WINDOW + GRACE + 1);
	rig_expire(RL_KEY_LOCK);
	assert_int_equal(extend_again(token.text, ahead + 2), GONE);
	assert_lives(RL_KEY_FENCE, ahead_ms + WINDOW + GRACE + 1);

	assert_int_equal(give_back(token.text, ahead + 2), PASSED); /* fence 3, which nobody takes */
	assert_int_equal(take(new_token().text), ahead + 4);
	redisFree(waiter);
}

static void a_hand_over_rises_above_both_fences(void **state)
{
	int64_t ahead = ahead_of_the_clock(10000);
	struct value token = new_token();

	/* The stored one is gone: above the holder's own. */
	take(token.text);
	ask(FLAG);
	run("DEL %b", KEY(RL_KEY_FENCE));
	assert_int_equal(give_back(token.text, ahead), PASSED);
	assert_fence(ahead + 1);
	/* The holder never learnt its own: above the stored one. */
	assert_int_equal(take(token.text), ahead + 2);
	assert_int_equal(give_back(token.text, 0), PASSED);
	assert_fence(ahead + 3);
}

static void two_thousand_grants_have_rising_fences(void **state)
{
	int64_t highest = 0;

	for (int i = 0; i < 2000; i++) {
		struct value token = new_token();
		struct answer answer = acquire_on(rig.redis, token.text, LEASE, i % 3 ? 0 : FLAG);

		assert_int_equal(answer.code, 1);
		assert_true(answer.value > highest);
		highest = answer.value;
		if (i % 5 == 0) {
			rig_set(RL_KEY_WAITING, "1");
			assert_int_equal(give_back(token.text, highest), PASSED);
			run("DEL %b", KEY(RL_KEY_WAITING));
		} else {
			assert_int_equal(give_back(token.text, highest), FREED);
		}
	}
}

/* ---------------------------------------------------------------- values */

static void metadata_of_64_kib_goes_through_all_steps(void **state)
{
	size_t length = 7 + 64 + 1 + 20 + 1 + 32 + 1 + 65536; /* the longest token */
	char *text = malloc(length);
	struct rl_text token = { text, length };
	struct script_call call;
	struct inspection seen;
	struct answer grant;
	struct value baton;
	redisContext *waiter;

	assert_non_null(text);
	for (size_t i = 0; i < length; i++) {
		text[i] = (char)i; /* every byte there is */
	}
	memcpy(text, "rlock1:", 7);
	make_acquire(&call, token, LEASE, 0);
	grant = script_run(rig.redis, &call);
	assert_int_equal(grant.code, 1);
	assert_int_equal(script_run(rig.redis, &call).value, grant.value);
	seen = inspect(rig.redis);
	assert_int_equal(seen.length, length);
	assert_memory_equal(seen.value, text, length);
	inspection_free(&seen);

	text[length - 1]++; /* the last byte tells */
	make_acquire(&call, token, LEASE, 0);
	assert_int_equal(script_run(rig.redis, &call).code, 0);
	make_release(&call, token, grant.value, new_baton().text, 0);
	assert_int_equal(script_run(rig.redis, &call).code, TAKEN);
	text[length - 1]--;

	make_extend(&call, token, grant.value, LEASE, RL_EXTEND_ANEW);
	assert_int_equal(script_run(rig.redis, &call).code, OURS);
	make_release(&call, token, grant.value, new_baton().text, 0);
	assert_int_equal(script_run(rig.redis, &call).code, FREED);

	take("rlock1:h:1:x");
	waiter = park();
	assert_int_equal(give_back("rlock1:h:1:x", 0), PASSED);
	baton = read_baton(waiter);
	make_claim(&call, token, baton.text, LEASE);
	assert_int_equal(script_run(waiter, &call).code, OURS);
	assert_int_equal(number("STRLEN %b", KEY(RL_KEY_LOCK)), length);
	redisFree(waiter);
	free(text);
}

static void metadata_cannot_pass_for_a_sent_release(void **state)
{
	/* What stands at another's lock is not ours because our baton's name occurs in it. */
	struct value token = new_token(), baton = new_baton();
	int64_t fence = take(token.text);
	static const char *const forms[] = {
		"rlock1:h:1:0123:%s:5", "rlock1:h:1:0123:-%s", "%s", "%s5", "-%s5", "--%s", "x%s:5", "x-%s"
	};

	for (size_t i = 0; i < COUNT(forms); i++) {
		char value[160];

		snprintf(value, sizeof value, forms[i], baton.text);
		rig_set(RL_KEY_LOCK, value);
		assert_int_equal(release_on(rig.redis, token.text, fence, baton.text, 0), TAKEN);
		assert_holds(RL_KEY_LOCK, value);
	}
}

/* ---------------------------------------------------------------- costs */

static void costs(void **state)
{
	struct value token = new_token(), successor = new_token(), baton;
	struct inspection seen;
	redisContext *waiter;
	int64_t fence;

	cost_begin();
	fence = take(token.text);
	assert_cost("set 2, time 1");
	cost_begin();
	assert_int_equal(give_back(token.text, fence), FREED);
	assert_cost("del 1, mget 1");

	fence = take(token.text);
	cost_begin();
	assert_int_equal(extend(token.text, fence), OURS);
	assert_cost("mget 1, pexpire 1, pttl 1, set 1");
	cost_begin();
	ask(0);
	assert_cost("getrange 1, lpop 1, pttl 1, set 1, time 1");
	cost_begin();
	ask(FLAG);
	assert_cost("getrange 1, lpop 1, pttl 2, set 2, time 1");
	cost_begin();
	ask(FLAG);
	assert_cost("getrange 1, lpop 1, pttl 2, set 1, time 1");

	waiter = park();
	cost_begin();
	assert_int_equal(give_back(token.text, fence), PASSED);
	baton = read_baton(waiter);
	assert_cost("mget 1, pexpire 2, rpush 1, set 2, time 1");
	cost_begin();
	assert_int_equal(claim(successor.text, baton.text), OURS);
	assert_cost("mget 1, pexpire 1, pttl 1, set 1");

	assert_int_equal(give_back(successor.text, fence_in(baton.text)), PASSED);
	cost_begin();
	take(token.text);
	assert_cost("del 1, getrange 1, lpop 1, pexpire 1, pttl 1, set 3, time 1");
	cost_begin();
	seen = inspect(rig.redis);
	assert_cost("getrange 1, lpop 1, mget 1, pttl 1");
	inspection_free(&seen);
	redisFree(waiter);
}

/* ---------------------------------------------------------------- names, in a cluster */

static int start_cluster(void **state)
{
	static const char *const arguments[] = { "--cluster-enabled", "yes", NULL };
	bool ok = false;

	rig_start_with(arguments, true);
	run("CLUSTER ADDSLOTSRANGE 0 16383");
	for (int tries = 0; tries < 10000 && !ok; tries++) {
		redisReply *reply = command(rig.redis, "CLUSTER INFO");

		ok = strstr(reply->str, "cluster_state:ok") != NULL;
		freeReplyObject(reply);
		usleep(1000);
	}
	return ok ? 0 : -1;
}

static void every_kind_of_name_works(void **state)
{
	static const struct rl_text names[] = {
		{ "a", 1 }, { "a b", 3 }, { "{x}", 3 }, { "a{x}b", 5 }, { "{}", 2 }, { "a{}b{c}", 7 }, { "{", 1 }, { "}", 1 },
		{ "}{", 2 }, { "a}b", 3 }, { "{{x}}", 5 }, { "user:{42}:p", 11 }, { "\xc3\xa9\n\0", 4 }, { "", 0 }
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		struct value token = new_token();
		struct inspection seen;
		int64_t fence;

		rig_use_lock(names[i].data, names[i].length);
		fence = take(token.text);
		ask(FLAG);
		assert_int_equal(extend(token.text, fence), OURS);
		seen = inspect(rig.redis);
		assert_string_equal(seen.value, token.text);
		inspection_free(&seen);
		assert_int_equal(give_back(token.text, fence), PASSED);
		assert_true(take(token.text) > fence);
	}
}

int test_scripts(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(acquire_takes_a_free_lock, rig_reset),
		cmocka_unit_test_setup(acquire_finds_a_taken_lock, rig_reset),
		cmocka_unit_test_setup(the_waiting_flag_is_raised_again_before_it_falls, rig_reset),
		cmocka_unit_test_setup(acquire_sent_again_finds_the_same_grant, rig_reset),
		cmocka_unit_test_setup(times_beyond_a_million_are_written_out, rig_reset),
		cmocka_unit_test_setup(release_frees_the_lock, rig_reset),
		cmocka_unit_test_setup(release_frees_a_take_whose_answer_was_lost, rig_reset),
		cmocka_unit_test_setup(release_with_a_delay_keeps_the_lock_from_all, rig_reset),
		cmocka_unit_test_setup(a_cooldown_tells_who_it_was, rig_reset),
		cmocka_unit_test_setup(a_fence_outlives_its_cooldown, rig_reset),
		cmocka_unit_test_setup(where_nobody_is_parked_the_flag_soon_falls, rig_reset),
		cmocka_unit_test_setup(release_passes_the_lock_to_a_waiter, rig_reset),
		cmocka_unit_test_setup(claim_sent_again_finds_the_same_lease, rig_reset),
		cmocka_unit_test_setup(claim_puts_an_evicted_fence_back, rig_reset),
		cmocka_unit_test_setup(a_baton_that_nobody_took_is_free, rig_reset),
		cmocka_unit_test_setup(a_baton_of_a_dead_waiter_blocks_for_its_window, rig_reset),
		cmocka_unit_test_setup(a_stale_baton_reaches_nobody, rig_reset),
		cmocka_unit_test_setup(waiters_are_served_in_order, rig_reset),
		cmocka_unit_test_setup(a_baton_can_be_passed_on, rig_reset),
		cmocka_unit_test_setup(a_late_release_is_told_what_happened, rig_reset),
		cmocka_unit_test_setup(a_late_extend_is_told_what_happened, rig_reset),
		cmocka_unit_test_setup(extend_sets_a_new_lease, rig_reset),
		cmocka_unit_test_setup(extend_may_leave_a_longer_lease, rig_reset),
		cmocka_unit_test_setup(extend_may_set_anew_what_nobody_took, rig_reset),
		cmocka_unit_test_setup(a_foreign_lock_is_respected, rig_reset),
		cmocka_unit_test_setup(fences_do_not_fall_when_the_clock_does, rig_reset),
		cmocka_unit_test_setup(a_hand_over_rises_above_both_fences, rig_reset),
		cmocka_unit_test_setup(two_thousand_grants_have_rising_fences, rig_reset),
		cmocka_unit_test_setup(metadata_of_64_kib_goes_through_all_steps, rig_reset),
		cmocka_unit_test_setup(metadata_cannot_pass_for_a_sent_release, rig_reset),
		cmocka_unit_test_setup(costs, rig_reset),
	};

	const struct CMUnitTest in_a_cluster[] = {
		cmocka_unit_test(every_kind_of_name_works),
	};

	return cmocka_run_group_tests_name("scripts", tests, rig_start, rig_stop)
		+ cmocka_run_group_tests_name("scripts, in a cluster", in_a_cluster, start_cluster, rig_stop);
}
