/*
 * The scripts that put one token in the place of another (replace), and that free a lock
 * whoever holds it (break).
 */
#include "script_rig.h"

#include <inttypes.h>

struct fence_text {
	char text[40];
};

/* As the grant's holder knows it after so many adoptions. */
static struct fence_text as_text(int64_t fence, int adoptions)
{
	struct fence_text result;

	snprintf(result.text, sizeof result.text, adoptions ? "%" PRId64 ":%d" : "%" PRId64, fence, adoptions);
	return result;
}

/* A release by a fence as text. */
static long long release_by_text(const char *token, const char *fence)
{
	struct script_call call;

	make_release(&call, text_of(token), 0, new_baton().text, 0);
	call.words[8] = fence; /* EVALSHA sha 4 L fence waiting wake token FENCE */
	call.lengths[8] = strlen(fence);
	return script_run(rig.redis, &call).code;
}

/* ---------------------------------------------------------------- replace */

static void replace_keeps_the_grant(void **state)
{
	struct value token = new_token(), successor = new_token();
	int64_t fence = take(token.text);
	struct replaced replaced;

	run("PEXPIRE %b 20000", KEY(RL_KEY_LOCK));
	replaced = replace(token.text, successor.text, 0, as_text(fence, 0).text);
	assert_int_equal(replaced.code, 1);
	assert_string_equal(replaced.fence, as_text(fence, 1).text);
	assert_in_range(replaced.left, 20000 - PATIENCE_MS, 20000);
	assert_holds(RL_KEY_LOCK, successor.text);
	assert_lives(RL_KEY_LOCK, 20000);
	assert_holds(RL_KEY_FENCE, as_text(fence, 1).text);
	assert_lives(RL_KEY_FENCE, LEASE + GRACE);

	replaced = replace(token.text, successor.text, 0, as_text(fence, 0).text); /* its answer was lost */
	assert_int_equal(replaced.code, 1);
	assert_string_equal(replaced.fence, as_text(fence, 1).text);
	assert_int_equal(give_back(token.text, fence), TAKEN);
	assert_int_equal(give_back(successor.text, fence), FREED);
}

static void replace_may_set_a_new_lease(void **state)
{
	struct value token = new_token(), successor = new_token();
	int64_t fence = take(token.text);
	struct replaced replaced = replace(token.text, successor.text, 10 * LEASE, as_text(fence, 0).text);

	assert_int_equal(replaced.code, 1);
	assert_int_equal(replaced.left, 10 * LEASE);
	assert_lives(RL_KEY_LOCK, 10 * LEASE);
	assert_lives(RL_KEY_FENCE, 10 * LEASE + GRACE);

	run("PEXPIRE %b 20000", KEY(RL_KEY_LOCK)); /* time goes by, and the answer was lost */
	replaced = replace(token.text, successor.text, 10 * LEASE, as_text(fence, 0).text);
	assert_in_range(replaced.left, 20000 - PATIENCE_MS, 20000); /* it began with the first */
	assert_lives(RL_KEY_LOCK, 20000);

	replaced = replace(successor.text, token.text, 20000, as_text(fence, 0).text);
	assert_lives(RL_KEY_LOCK, 20000);
	assert_lives(RL_KEY_FENCE, 10 * LEASE + GRACE);
}

static void who_was_adopted_from_learns_that_it_lost(void **state)
{
	struct value token = new_token(), successor = new_token();
	int64_t fence = take(token.text);
	struct fence_text adopted = as_text(fence, 1);
	struct replaced replaced = replace(token.text, successor.text, 0, "0");
	struct inspection seen;

	assert_int_equal(replaced.code, 1);
	assert_string_equal(replaced.fence, adopted.text);
	assert_holds(RL_KEY_FENCE, adopted.text);
	seen = inspect(rig.redis);
	assert_int_equal(seen.fence, fence); /* the same number */
	inspection_free(&seen);
	replaced = replace(token.text, successor.text, 0, "0"); /* its answer was lost: it counts once */
	assert_string_equal(replaced.fence, adopted.text);

	assert_int_equal(give_back(token.text, fence), TAKEN);
	assert_int_equal(extend_again(token.text, fence), TAKEN);
	assert_int_equal(release_by_text(successor.text, adopted.text), FREED);
	assert_int_equal(give_back(token.text, fence), TAKEN); /* though it is free again */
	assert_int_equal(extend_again(token.text, fence), TAKEN);
	assert_false(rig_exists(RL_KEY_LOCK));
	assert_int_equal(release_by_text(successor.text, adopted.text), GONE); /* the adopter is only late */
	assert_true(take(token.text) > fence);
}

static void an_adopted_fence_rises_like_any_other(void **state)
{
	struct value token = new_token(), successor = new_token();
	int64_t ahead = 8000000000000000;
	redisContext *waiter;
	struct value baton;

	run("SET %b %lld", KEY(RL_KEY_FENCE), (long long)ahead);
	assert_int_equal(take(token.text), ahead + 1);
	replace(token.text, successor.text, 0, "0");
	assert_int_equal(take(successor.text), ahead + 1); /* acquire sent again */
	waiter = park();
	assert_int_equal(release_by_text(successor.text, as_text(ahead + 1, 1).text), PASSED);
	baton = read_baton(waiter);
	assert_int_equal(fence_in(baton.text), ahead + 2);
	redisFree(waiter);
}

static void replace_is_told_what_happened(void **state)
{
	struct value token = new_token(), successor = new_token(), other = new_token();
	int64_t fence = take(token.text);
	const struct fence_text text = as_text(fence, 0);

	rig_expire(RL_KEY_LOCK);
	assert_int_equal(replace(token.text, successor.text, LEASE, text.text).code, GONE);
	assert_int_equal(replace(token.text, successor.text, LEASE, "0").code, TAKEN);
	assert_false(rig_exists(RL_KEY_LOCK));
	take(other.text);
	assert_int_equal(replace(token.text, successor.text, LEASE, text.text).code, TAKEN);
	assert_holds(RL_KEY_LOCK, other.text);
	run("DEL %b", KEY(RL_KEY_FENCE));
	assert_int_equal(replace(token.text, successor.text, LEASE, text.text).code, UNKNOWN);
	run("DEL %b", KEY(RL_KEY_LOCK));
	run("HSET %b a b", KEY(RL_KEY_LOCK));
	rig_set(RL_KEY_FENCE, text.text);
	assert_int_equal(replace(token.text, successor.text, LEASE, text.text).code, TAKEN);
}

/* What may lie at the fence key instead of the fence. */
static void spoil_fence(int how)
{
	static const char *const garbage[] = { "abc", "1e9", "" };

	run("DEL %b", KEY(RL_KEY_FENCE));
	if (how < (int)COUNT(garbage)) {
		rig_set(RL_KEY_FENCE, garbage[how]);
	} else if (how == COUNT(garbage)) {
		run("HSET %b a b", KEY(RL_KEY_FENCE));
	}
}

static void replace_makes_up_for_a_fence_that_is_gone(void **state)
{
	for (int how = 0; how < 5; how++) {
		struct value token = new_token(), successor = new_token();
		struct replaced replaced;
		struct fence_text text;
		int64_t fence;

		rig_reset(NULL);
		fence = take(token.text);
		text = as_text(fence, 0);
		spoil_fence(how);
		replaced = replace(token.text, successor.text, 0, text.text);
		assert_string_equal(replaced.fence, as_text(fence, 1).text); /* its user knew it */

		spoil_fence(how);
		replaced = replace(successor.text, token.text, 0, "0");
		assert_in_range(strtoll(replaced.fence, NULL, 10), fence + 1, fence + 60000000); /* the clock */
		assert_holds(RL_KEY_FENCE, replaced.fence);
	}
}

static void full_memory_lets_replace(void **state)
{
	struct value token = new_token(), successor = new_token();
	int64_t fence = take(token.text);

	run("CONFIG SET maxmemory 1");
	assert_int_equal(replace(token.text, successor.text, 0, as_text(fence, 0).text).code, 1);
	assert_holds(RL_KEY_LOCK, successor.text);
}

/* ---------------------------------------------------------------- break */

static void break_frees_what_was_seen(void **state)
{
	struct value token = new_token(), other = new_token(), baton = new_baton();
	int64_t fence = take(token.text);

	assert_int_equal(break_lock(other.text, baton.text), 0);
	assert_holds(RL_KEY_LOCK, token.text);
	assert_int_equal(break_lock(token.text, baton.text), FREED);
	assert_false(rig_exists(RL_KEY_LOCK));
	assert_true(stored_fence() > fence);
	assert_lives(RL_KEY_FENCE, WINDOW + GRACE);
	assert_int_equal(give_back(token.text, fence), TAKEN);
	assert_int_equal(extend_again(token.text, fence), TAKEN);
	assert_int_equal(break_lock(token.text, baton.text), 0);

	take(other.text);
	assert_int_equal(break_lock(token.text, baton.text), 0); /* another's by now */
	assert_holds(RL_KEY_LOCK, other.text);
}

static void break_frees_one_grant_alone(void **state)
{
	struct value token = new_token(), baton = new_baton();
	int64_t fence = take(token.text), other;

	assert_int_equal(break_grant(token.text, fence - 1, baton.text), 0);
	assert_int_equal(break_grant(token.text, fence + 1, baton.text), 0);
	assert_holds(RL_KEY_LOCK, token.text);
	assert_fence(fence);
	assert_int_equal(break_grant(token.text, fence, baton.text), FREED);
	assert_false(rig_exists(RL_KEY_LOCK));

	/* A late copy of what took it has taken it anew: the same value, and another grant. */
	other = take(token.text);
	assert_int_equal(break_grant(token.text, fence, baton.text), 0);
	assert_holds(RL_KEY_LOCK, token.text);
	run("DEL %b", KEY(RL_KEY_FENCE)); /* evicted: it cannot be told */
	assert_int_equal(break_grant(token.text, other, baton.text), 0);

	/* After it has changed hands, it still is the same grant. */
	run("SET %b %lld:1:7", KEY(RL_KEY_FENCE), (long long)other);
	assert_int_equal(break_grant(token.text, other, baton.text), FREED);
}

static void break_passes_the_lock_to_a_waiter(void **state)
{
	struct value token = new_token(), name = new_baton(), baton;
	int64_t fence = take(token.text);
	redisContext *waiter = park();

	assert_int_equal(break_lock(token.text, name.text), PASSED);
	baton = read_baton(waiter);
	assert_memory_equal(baton.text, name.text, strlen(name.text));
	assert_true(fence_in(baton.text) > fence);
	assert_fence(fence_in(baton.text));
	assert_holds(RL_KEY_LOCK, baton.text);
	assert_lives(RL_KEY_LOCK, WINDOW);
	assert_int_equal(break_lock(token.text, name.text), FREED); /* sent twice */
	assert_holds(RL_KEY_LOCK, baton.text);
	assert_int_equal(give_back(token.text, fence), TAKEN);
	assert_int_equal(claim(new_token().text, baton.text), OURS);
	redisFree(waiter);
}

static void break_frees_foreign_locks(void **state)
{
	struct value baton = new_baton();
	struct inspection seen;
	struct script_call call;

	rig_set(RL_KEY_LOCK, "for ever");
	assert_int_equal(break_lock("", baton.text), 0);
	assert_int_equal(break_lock("for ever", baton.text), FREED);
	assert_false(rig_exists(RL_KEY_LOCK));
	assert_int_equal(break_lock("", baton.text), 0); /* nothing there */

	run("HSET %b a b", KEY(RL_KEY_LOCK));
	assert_int_equal(break_lock("x", baton.text), 0);
	assert_int_equal(break_lock("", baton.text), FREED);
	assert_false(rig_exists(RL_KEY_LOCK));

	run("SETRANGE %b 100000 x", KEY(RL_KEY_LOCK));
	seen = inspect(rig.redis); /* a part of it */
	make_break(&call, (struct rl_text){ seen.value, seen.length }, baton.text);
	assert_int_equal(script_run(rig.redis, &call).code, FREED);
	assert_false(rig_exists(RL_KEY_LOCK));
	inspection_free(&seen);
}

static void break_leaves_only_its_own_baton(void **state)
{
	struct value token = new_token(), name = new_baton();
	redisReply *list;

	take(token.text);
	ask(FLAG);
	run("RPUSH %b stale", KEY(RL_KEY_WAKE));
	assert_int_equal(break_lock(token.text, name.text), PASSED);
	assert_lives(RL_KEY_WAKE, WINDOW);
	list = command(rig.redis, "LRANGE %b 0 -1", KEY(RL_KEY_WAKE));
	assert_int_equal(list->elements, 1);
	assert_holds(RL_KEY_LOCK, list->element[0]->str);
	freeReplyObject(list);
}

static void break_needs_neither_lists_nor_time(void **state)
{
	struct value token = new_token();
	struct script_call call;
	redisContext *redis;
	int64_t fence;

	make_break(&call, text_of(token.text), new_baton().text);
	fence = take(token.text);
	ask(FLAG);
	redis = rig_connect_as("nolist", "+@all -@list");
	assert_int_equal(script_run(redis, &call).code, FREED);
	assert_false(rig_exists(RL_KEY_LOCK));
	assert_true(stored_fence() > fence);
	redisFree(redis);

	run("DEL %b", KEY(RL_KEY_WAITING));
	fence = take(token.text);
	redis = rig_connect_as("notime", "+@all -time");
	assert_int_equal(script_run(redis, &call).code, FREED);
	assert_fence(fence + 1);
	redisFree(redis);
}

static void full_memory_lets_break(void **state)
{
	struct value token = new_token();
	int64_t fence = take(token.text);
	redisContext *waiter = park();
	struct value baton;

	run("CONFIG SET maxmemory 1");
	assert_int_equal(break_lock(token.text, new_baton().text), PASSED);
	baton = read_baton(waiter);
	assert_true(fence_in(baton.text) > fence);
	redisFree(waiter);
}

int test_scripts_transfer(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(replace_keeps_the_grant, rig_reset),
		cmocka_unit_test_setup(replace_may_set_a_new_lease, rig_reset),
		cmocka_unit_test_setup(who_was_adopted_from_learns_that_it_lost, rig_reset),
		cmocka_unit_test_setup(an_adopted_fence_rises_like_any_other, rig_reset),
		cmocka_unit_test_setup(replace_is_told_what_happened, rig_reset),
		cmocka_unit_test_setup(replace_makes_up_for_a_fence_that_is_gone, rig_reset),
		cmocka_unit_test_setup(full_memory_lets_replace, rig_reset),
		cmocka_unit_test_setup(break_frees_what_was_seen, rig_reset),
		cmocka_unit_test_setup(break_frees_one_grant_alone, rig_reset),
		cmocka_unit_test_setup(break_passes_the_lock_to_a_waiter, rig_reset),
		cmocka_unit_test_setup(break_frees_foreign_locks, rig_reset),
		cmocka_unit_test_setup(break_leaves_only_its_own_baton, rig_reset),
		cmocka_unit_test_setup(break_needs_neither_lists_nor_time, rig_reset),
		cmocka_unit_test_setup(full_memory_lets_break, rig_reset),
	};

	return cmocka_run_group_tests_name("scripts_transfer", tests, rig_start, rig_stop);
}
