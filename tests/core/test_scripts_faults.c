/*
 * What the protocol's scripts do when something stands in their way: keys of the wrong type,
 * garbage, full memory, a server that refuses writes, commands that the user may not run.
 *
 * In all of it: a script that answers with an error has changed nothing that counts, one that
 * answers "freed" has freed, and no companion key can keep the lock from being taken.
 */
#include "script_rig.h"

/* ---------------------------------------------------------------- keys that others wrote */

static const char *const other_types[] = { "RPUSH %b x", "SADD %b x", "HSET %b a b", "ZADD %b 1 x", "XADD %b * a b" };

static void a_lock_key_of_another_type_is_busy(void **state)
{
	for (size_t i = 0; i < COUNT(other_types); i++) {
		struct value token = new_token();
		struct inspection seen;

		rig_reset(NULL);
		run(other_types[i], KEY(RL_KEY_LOCK));
		assert_int_equal(ask(FLAG), -1);
		assert_int_equal(give_back(token.text, 5), UNKNOWN);
		assert_int_equal(extend(token.text, 5), UNKNOWN);
		assert_int_equal(claim(token.text, "~1:5"), UNKNOWN);
		seen = inspect(rig.redis);
		assert_false(seen.has_value);
		assert_int_equal(seen.left, -1);
		assert_int_equal(seen.fence, 0);
		assert_int_equal(seen.waiting, 1);

		rig_set(RL_KEY_FENCE, "5"); /* ours, and yet the key is not gone */
		assert_int_equal(give_back(token.text, 5), TAKEN);
		assert_int_equal(extend(token.text, 5), TAKEN);
		assert_int_equal(extend_again(token.text, 5), TAKEN);
		assert_int_equal(claim(token.text, "~1:5"), TAKEN);
		assert_fence(5);
		assert_true(rig_exists(RL_KEY_LOCK));
	}
}

static void a_companion_of_another_type_does_not_keep_the_lock(void **state)
{
	for (int key = RL_KEY_FENCE; key < RL_KEY_COUNT; key++) {
		for (size_t i = 0; i < COUNT(other_types); i++) {
			struct value token = new_token(), successor = new_token(), baton;
			struct inspection seen;
			redisContext *waiter;
			int64_t fence;

			rig_reset(NULL);
			run(other_types[i], KEY(key));
			seen = inspect(rig.redis);
			assert_int_equal(seen.left, -2);
			assert_int_equal(seen.fence, 0);
			assert_int_equal(seen.waiting, 0);
			fence = take(token.text);
			assert_fence(fence);
			assert_lives(RL_KEY_FENCE, LEASE + GRACE);
			run("DEL %b", KEY(key));
			run(other_types[i], KEY(key));
			assert_int_equal(extend(token.text, fence), OURS);
			run("DEL %b", KEY(key));
			run(other_types[i], KEY(key));
			waiter = park(); /* the ask clears the wake list's place: BLPOP would be refused */
			assert_int_equal(give_back(token.text, fence), PASSED);
			baton = read_baton(waiter);
			run("DEL %b", KEY(key));
			run(other_types[i], KEY(key));
			assert_int_equal(claim(successor.text, baton.text), OURS);
			if (key == RL_KEY_WAITING) {
				assert_int_equal(give_back(successor.text, fence_in(baton.text)), FREED);
			} else {
				assert_int_equal(give_back(successor.text, fence_in(baton.text)), PASSED);
				assert_true(stored_fence() > fence_in(baton.text));
			}
			take(token.text);
			redisFree(waiter);
		}
	}
}

static void what_is_no_number_is_no_fence(void **state)
{
	char digits[401];
	const char *const garbage[] = { "", "abc", "1e9", "1e400", "inf", "nan", "0x10", "8e15", "-5", "+5", " 7", "7 ", "1.5",
		"9007199254740991", "9007199254740993", "18446744073709551616", digits };

	memset(digits, '9', 400);
	digits[400] = '\0';
	for (size_t i = 0; i < COUNT(garbage); i++) {
		struct value token = new_token(), baton;
		struct inspection seen;
		redisContext *waiter;
		int64_t clock, fence;

		rig_reset(NULL);
		clock = take(token.text);
		give_back(token.text, clock);

		/* Taking begins at the clock again. */
		rig_set(RL_KEY_FENCE, garbage[i]);
		seen = inspect(rig.redis);
		assert_int_equal(seen.fence, 0);
		fence = take(token.text);
		assert_in_range(fence, clock + 1, clock + 60000000);
		assert_fence(fence);

		/* The same request again: the grant gets another fence. */
		rig_set(RL_KEY_FENCE, garbage[i]);
		assert_in_range(take(token.text), fence + 1, clock + 60000000);

		/* Nobody's but the holder's: for all others it is lost. */
		rig_set(RL_KEY_FENCE, garbage[i]);
		assert_int_equal(give_back(new_token().text, fence), TAKEN);
		assert_int_equal(extend(token.text, fence), OURS);

		/* Handing over rises above the holder's own. */
		waiter = park();
		assert_int_equal(give_back(token.text, fence), PASSED);
		baton = read_baton(waiter);
		assert_in_range(fence_in(baton.text), fence + 1, clock + 60000000);
		assert_fence(fence_in(baton.text));
		rig_set(RL_KEY_FENCE, garbage[i]);
		assert_int_equal(claim(new_token().text, baton.text), OURS);
		redisFree(waiter);
	}
}

static void fences_count_to_the_end_of_exact_numbers(void **state)
{
	struct value token = new_token();

	rig_set(RL_KEY_FENCE, "9007199254740989");
	assert_int_equal(take(token.text), 9007199254740990);
	assert_int_equal(take(token.text), 9007199254740990);
	assert_fence(9007199254740990);
	ask(FLAG);
	assert_int_equal(give_back(token.text, 9007199254740990), PASSED);
	assert_fence(9007199254740991);
	assert_lives(RL_KEY_FENCE, number("PTTL %b", KEY(RL_KEY_FENCE)));
	run("DEL %b %b", KEY(RL_KEY_LOCK), KEY(RL_KEY_WAITING));
	assert_true(take(token.text) < 9007199254740990); /* nothing to count on from: the clock */
}

static int lua_memory(void)
{
	redisReply *reply = command(rig.redis, "INFO memory");
	const char *line = strstr(reply->str, "used_memory_lua:");
	int bytes;

	assert_non_null(line);
	bytes = atoi(line + strlen("used_memory_lua:"));
	freeReplyObject(reply);
	return bytes;
}

static void a_huge_foreign_value_is_read_in_part(void **state)
{
	struct inspection seen;

	run("SETRANGE %b 3000000 x", KEY(RL_KEY_LOCK));
	seen = inspect(rig.redis);
	assert_int_equal(seen.length, 70000);
	assert_int_equal(seen.left, -1);
	inspection_free(&seen);
	for (int i = 0; i < 3; i++) { /* one of them may be when the server collects its garbage */
		assert_int_equal(ask(FLAG), -1);
		assert_true(lua_memory() < 2000000);
	}

	/* And one that begins like our own value, however long, is still another's. */
	for (size_t length = 43; length < 190; length++) {
		char value[200] = "rlock1:host:1:0123456789abcdef0123456789abcdef:";

		memset(value + strlen(value), 'm', sizeof value - strlen(value));
		value[length + 1] = '\0';
		rig_set(RL_KEY_LOCK, value);
		value[length] = '\0';
		assert_int_equal(acquire_on(rig.redis, value, LEASE, 0).code, 0);
	}
}

/* ---------------------------------------------------------------- full memory */

static void fill_memory(void)
{
	run("CONFIG SET maxmemory-policy noeviction");
	run("CONFIG SET maxmemory 1");
}

static void full_memory_refuses_a_take_and_leaves_nothing(void **state)
{
	struct script_call call;
	struct answer answer;

	fill_memory();
	make_acquire(&call, text_of(new_token().text), LEASE, FLAG);
	answer = script_run(rig.redis, &call);
	assert_non_null(strstr(answer.error, "OOM "));
	assert_int_equal(number("DBSIZE"), 0);
}

/* It cannot be taken now, but it can be passed on, if those who wait are still seen to wait. */
static void full_memory_keeps_the_flag_up(void **state)
{
	struct script_call call;

	take(new_token().text);
	ask(FLAG);
	run("PEXPIRE %b %d", KEY(RL_KEY_WAITING), FLAG - 1);
	fill_memory();
	make_acquire(&call, text_of(new_token().text), LEASE, FLAG);
	assert_int_equal(strncmp(script_run(rig.redis, &call).error, "OOM ", 4), 0);
	assert_lives(RL_KEY_WAITING, FLAG + 1000);
	make_acquire(&call, text_of(new_token().text), LEASE, 0);
	assert_int_equal(strncmp(script_run(rig.redis, &call).error, "OOM ", 4), 0);
}

static void full_memory_lets_go(void **state)
{
	struct value token = new_token(), baton = new_baton();
	char cooldown[128];
	int64_t fence = take(token.text);

	fill_memory();
	assert_int_equal(give_back(token.text, fence), FREED);
	assert_false(rig_exists(RL_KEY_LOCK));

	run("CONFIG SET maxmemory 0");
	fence = take(token.text);
	fill_memory();
	assert_int_equal(release_on(rig.redis, token.text, fence, baton.text, 40000), FREED);
	snprintf(cooldown, sizeof cooldown, "-%s:host:1", baton.text);
	assert_holds(RL_KEY_LOCK, cooldown);
	assert_lives(RL_KEY_LOCK, 40000);
}

static void full_memory_lets_hand_over(void **state)
{
	struct value token = new_token(), successor = new_token(), baton;
	int64_t fence = take(token.text);
	redisContext *waiter = park();

	fill_memory();
	assert_int_equal(give_back(token.text, fence), PASSED);
	baton = read_baton(waiter);
	assert_fence(fence_in(baton.text));
	run("DEL %b", KEY(RL_KEY_FENCE)); /* evicted */
	assert_int_equal(claim(successor.text, baton.text), OURS);
	assert_holds(RL_KEY_LOCK, successor.text);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_fence(fence_in(baton.text));
	redisFree(waiter);
}

static void full_memory_lets_extend(void **state)
{
	struct value token = new_token();
	int64_t fence = take(token.text);

	run("PEXPIRE %b 20000", KEY(RL_KEY_LOCK));
	fill_memory();
	assert_int_equal(extend(token.text, fence), OURS);
	assert_lives(RL_KEY_LOCK, LEASE);
	run("DEL %b", KEY(RL_KEY_FENCE));
	assert_int_equal(extend(token.text, fence), OURS);
	assert_fence(fence);
	rig_expire(RL_KEY_LOCK);
	assert_int_equal(extend_again(token.text, fence), GONE);
	assert_holds(RL_KEY_LOCK, token.text);
	assert_lives(RL_KEY_LOCK, LEASE);
}

/* ---------------------------------------------------------------- a server that refuses writes */

static void assert_refused(const struct script_call *call, const char *code)
{
	struct answer answer = script_run(rig.redis, call);

	if (!strstr(answer.error, code)) {
		fail_msg("expected %s, got %lld %s", code, answer.code, answer.error);
	}
}

/* `refuse` makes the server refuse all writes with `code`; `accept` ends that. */
static void check_refusals(const char *refuse, const char *accept, const char *code)
{
	struct value token = new_token(), name = new_baton(), baton;
	struct script_call call;
	redisContext *waiter;
	int64_t fence;

	/* Taking. */
	run(refuse);
	make_acquire(&call, text_of(token.text), LEASE, FLAG);
	assert_refused(&call, code);
	run(accept);
	assert_int_equal(number("DBSIZE"), 0);

	/* Giving back, extending. */
	fence = take(token.text);
	run("PEXPIRE %b 20000", KEY(RL_KEY_LOCK));
	run(refuse);
	make_release(&call, text_of(token.text), fence, name.text, 0);
	assert_refused(&call, code);
	make_release(&call, text_of(token.text), fence, name.text, 5000);
	assert_refused(&call, code);
	make_extend(&call, text_of(token.text), fence, LEASE, RL_EXTEND_ANEW);
	assert_refused(&call, code);
	run(accept);
	assert_holds(RL_KEY_LOCK, token.text);
	assert_lives(RL_KEY_LOCK, 20000);

	/* Setting anew. */
	rig_expire(RL_KEY_LOCK);
	run(refuse);
	make_extend(&call, text_of(token.text), fence, LEASE, RL_EXTEND_AGAIN);
	assert_refused(&call, code);
	run(accept);
	assert_false(rig_exists(RL_KEY_LOCK));

	/* Handing over. */
	fence = take(token.text);
	ask(FLAG);
	run(refuse);
	make_release(&call, text_of(token.text), fence, name.text, 0);
	assert_refused(&call, code);
	run(accept);
	assert_holds(RL_KEY_LOCK, token.text);
	assert_fence(fence);
	assert_false(rig_exists(RL_KEY_WAKE));

	/* Claiming. */
	waiter = park();
	release_on(rig.redis, token.text, fence, name.text, 0);
	baton = read_baton(waiter);
	run(refuse);
	make_claim(&call, text_of(token.text), baton.text, LEASE);
	assert_refused(&call, code);
	run(accept);
	assert_holds(RL_KEY_LOCK, baton.text);
	assert_lives(RL_KEY_LOCK, WINDOW);
	redisFree(waiter);
}

static void a_replica_refuses(void **state)
{
	struct value token = new_token(), other = new_token();
	struct script_call call;

	check_refusals("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE", "READONLY ");

	/* It may be behind: so it is not believed that a lock is free, or another's. */
	run("REPLICAOF 127.0.0.1 1");
	make_inspect(&call);
	assert_refused(&call, "READONLY ");
	make_replace(&call, text_of(token.text), text_of(other.text), LEASE, "0");
	assert_refused(&call, "READONLY ");
	run("REPLICAOF NO ONE");
}

static void too_few_replicas_refuse(void **state)
{
	check_refusals("CONFIG SET min-replicas-to-write 1", "CONFIG SET min-replicas-to-write 0", "NOREPLICAS ");
}

/* ---------------------------------------------------------------- barred commands */

static void without_list_commands_the_lock_is_freed(void **state)
{
	struct value token = new_token(), holder = new_token();
	redisContext *redis = rig_connect_as("nolist", "+@all -@list");
	struct inspection seen;
	int64_t fence, passed;

	fence = acquire_on(redis, token.text, LEASE, 0).value;
	assert_int_equal(acquire_on(redis, new_token().text, LEASE, FLAG).code, 0);
	assert_int_equal(release_on(redis, token.text, fence, new_baton().text, 0), FREED); /* somebody waits, but cannot be told */
	assert_false(rig_exists(RL_KEY_LOCK));
	assert_false(rig_exists(RL_KEY_WAKE));

	/* Whether a baton is still free cannot be seen: it is not ours to take. */
	take(holder.text);
	assert_int_equal(give_back(holder.text, 0), PASSED);
	passed = stored_fence();
	seen = inspect(redis);
	assert_true(seen.has_value);
	inspection_free(&seen);
	assert_int_equal(acquire_on(redis, token.text, LEASE, 0).code, 0);
	assert_fence(passed);
	redisFree(redis);
}

static void without_a_push_the_lock_is_freed(void **state)
{
	struct value token = new_token(), baton = new_baton();
	redisContext *redis = rig_connect_as("nopush", "+@all -rpush");
	int64_t fence = take(token.text);

	ask(FLAG);
	assert_int_equal(release_on(redis, token.text, fence, baton.text, 0), FREED);
	assert_false(rig_exists(RL_KEY_LOCK));
	assert_true(stored_fence() > fence);
	assert_int_equal(release_on(redis, token.text, fence, baton.text, 0), TAKEN);
	redisFree(redis);
}

static void without_time_fences_count(void **state)
{
	redisContext *redis = rig_connect_as("notime", "+@all -time");
	int64_t last = 0;

	for (int i = 0; i < 3; i++) {
		struct value token = new_token();
		struct answer answer = acquire_on(redis, token.text, LEASE, 0);

		assert_int_equal(answer.code, 1);
		assert_int_equal(answer.value, last + 1);
		assert_fence(last + 1);
		assert_lives(RL_KEY_FENCE, LEASE + GRACE);
		rig_set(RL_KEY_WAITING, "1");
		assert_int_equal(release_on(redis, token.text, last + 1, new_baton().text, 0), PASSED);
		assert_fence(last + 2);
		assert_lives(RL_KEY_FENCE, WINDOW + GRACE);
		last += 2;
	}
	redisFree(redis);
}

static void what_cannot_be_done_without_is_an_error(void **state)
{
	static const struct {
		const char *command;
		bool taken; /* whether the lock is taken when it is asked for */
	} acquire_needs[] = { { "set", false }, { "getrange", true }, { "pttl", true } };
	static const struct {
		const char *command;
		bool waiting; /* whether somebody waits */
	} release_needs[] = { { "mget", false }, { "del", false }, { "mget", true }, { "pexpire", true } };
	struct value token = new_token();
	struct script_call call;
	char rights[64];

	for (size_t i = 0; i < COUNT(acquire_needs); i++) {
		redisContext *redis;

		rig_reset(NULL);
		if (acquire_needs[i].taken) {
			take(token.text);
		}
		snprintf(rights, sizeof rights, "+@all -%s", acquire_needs[i].command);
		redis = rig_connect_as("barred", rights);
		make_acquire(&call, text_of(new_token().text), LEASE, 0);
		assert_true(script_run(redis, &call).error[0]);
		assert_int_equal(rig_exists(RL_KEY_LOCK), acquire_needs[i].taken);
		redisFree(redis);
	}
	for (size_t i = 0; i < COUNT(release_needs); i++) {
		redisContext *redis;

		rig_reset(NULL);
		take(token.text);
		if (release_needs[i].waiting) {
			ask(FLAG);
		}
		snprintf(rights, sizeof rights, "+@all -%s", release_needs[i].command);
		redis = rig_connect_as("barred", rights);
		make_release(&call, text_of(token.text), 1, new_baton().text, 0);
		assert_true(script_run(redis, &call).error[0]);
		assert_holds(RL_KEY_LOCK, token.text);
		redisFree(redis);
	}
}

int test_scripts_faults(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_lock_key_of_another_type_is_busy, rig_reset),
		cmocka_unit_test_setup(a_companion_of_another_type_does_not_keep_the_lock, rig_reset),
		cmocka_unit_test_setup(what_is_no_number_is_no_fence, rig_reset),
		cmocka_unit_test_setup(fences_count_to_the_end_of_exact_numbers, rig_reset),
		cmocka_unit_test_setup(a_huge_foreign_value_is_read_in_part, rig_reset),
		cmocka_unit_test_setup(full_memory_refuses_a_take_and_leaves_nothing, rig_reset),
		cmocka_unit_test_setup(full_memory_keeps_the_flag_up, rig_reset),
		cmocka_unit_test_setup(full_memory_lets_go, rig_reset),
		cmocka_unit_test_setup(full_memory_lets_hand_over, rig_reset),
		cmocka_unit_test_setup(full_memory_lets_extend, rig_reset),
		cmocka_unit_test_setup(a_replica_refuses, rig_reset),
		cmocka_unit_test_setup(too_few_replicas_refuse, rig_reset),
		cmocka_unit_test_setup(without_list_commands_the_lock_is_freed, rig_reset),
		cmocka_unit_test_setup(without_a_push_the_lock_is_freed, rig_reset),
		cmocka_unit_test_setup(without_time_fences_count, rig_reset),
		cmocka_unit_test_setup(what_cannot_be_done_without_is_an_error, rig_reset),
	};

	return cmocka_run_group_tests_name("scripts_faults", tests, rig_start, rig_stop);
}
