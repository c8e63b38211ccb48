/*
 * The scripts of locks that are shared: what each does, what a late copy of it finds, and what it costs.
 */
#include "script_rig.h"

#include <inttypes.h>

#define ANY  "0" /* until: whenever it comes */
#define PAST "1"

/* ---------------------------------------------------------------- calls */

/* Numbers as text, for a call's words. */
static const char *text(int64_t value)
{
	static char texts[16][24];
	static unsigned last;
	char *out = texts[++last % COUNT(texts)];

	snprintf(out, sizeof texts[0], "%" PRId64, value);
	return out;
}

/* Runs a script on these keys, "LFWQSTR" being all, with these words up to a NULL. */
static redisReply *call(const struct rl_script *script, const char *letters, ...)
{
	static const char all[] = "LFWQSTR";
	const char *words[24] = { "EVALSHA", script->sha1, text((int64_t)strlen(letters)) };
	size_t lengths[24] = { 7, strlen(script->sha1), strlen(words[2]) };
	int count = 3;
	redisReply *reply;
	va_list list;

	for (; *letters; letters++) {
		int key = (int)(strchr(all, *letters) - all);

		words[count] = rig.keys.text[key];
		lengths[count++] = rig.keys.length[key];
	}
	va_start(list, letters);
	for (const char *word; (word = va_arg(list, const char *));) {
		words[count] = word;
		lengths[count++] = strlen(word);
	}
	va_end(list);
	reply = redisCommandArgv(rig.redis, count, words, lengths);
	assert_non_null(reply);
	return reply;
}

struct result {
	long long parts[6];
	size_t count;
	bool late, is_number;
};

static struct result read_result(redisReply *reply)
{
	struct result result = { .count = 1, .parts = { reply->integer }, .is_number = reply->type == REDIS_REPLY_INTEGER };

	if (reply->type == REDIS_REPLY_ERROR) {
		result.late = strncmp(reply->str, "LATE ", 5) == 0;
		if (!result.late) {
			fail_msg("%s", reply->str);
		}
	} else if (reply->type == REDIS_REPLY_ARRAY) {
		result.count = reply->elements;
		for (size_t i = 0; i < reply->elements && i < COUNT(result.parts); i++) {
			redisReply *part = reply->element[i];

			result.parts[i] = part->type == REDIS_REPLY_INTEGER ? part->integer : strtoll(part->str, NULL, 10);
		}
	}
	freeReplyObject(reply);
	return result;
}

/* A grant is answered by its fence alone. */
static struct result read_grant(redisReply *reply)
{
	struct result result = read_result(reply);

	return result.is_number ? (struct result){ .count = 2, .parts = { 1, result.parts[0] } } : result;
}

struct ask {
	const char *token, *until, *want, *pass;
	int64_t lease_ms, flag_ms;
};

static struct result enter_with(struct ask ask)
{
	int64_t lease_ms = ask.lease_ms ? ask.lease_ms : LEASE;

	return read_grant(call(&rl_script_enter, "LFWQSTR", ask.token, text(lease_ms), text(lease_ms + GRACE), ask.until ? ask.until : ANY,
		text(ask.flag_ms), ask.want ? ask.want : "0", text(WINDOW), ask.pass ? ask.pass : "", NULL));
}

/* A share that is granted: its fence. */
static int64_t enter(const char *token)
{
	struct result result = enter_with((struct ask){ .token = token });

	assert_int_equal(result.parts[0], 1);
	return result.parts[1];
}

/* Waits: whether it is the first. */
static bool queue(const char *token, const char *want)
{
	struct result result = enter_with((struct ask){ .token = token, .want = want, .flag_ms = FLAG });

	assert_int_equal(result.count, 3);
	assert_int_equal(result.parts[0], 0);
	return result.parts[2];
}

static const char *baton_of(const char *token)
{
	static char batons[4][40];
	static unsigned last;
	char *out = batons[++last % COUNT(batons)];

	snprintf(out, sizeof batons[0], "~%s", strrchr(token, ':') + 1);
	return out;
}

static long long leave(const char *token, int64_t fence)
{
	return read_result(call(&rl_script_leave, "LFWQSTR", token, text(fence), baton_of(token), text(WINDOW), text(WINDOW + GRACE), NULL)).parts[0];
}

static long long leave_with_delay(const char *token, int64_t fence, int64_t delay_ms)
{
	return read_result(call(&rl_script_leave, "LFWQSTR", token, text(fence), baton_of(token), text(WINDOW), text(WINDOW + GRACE), text(delay_ms), NULL)).parts[0];
}

static long long leave_closing(const char *token, int64_t fence)
{
	return read_result(call(&rl_script_leave, "LFWQSTR", token, text(fence), baton_of(token), text(WINDOW), text(WINDOW + GRACE), "0", "1", NULL)).parts[0];
}

static long long extend_shared(const char *token, int64_t fence, int64_t lease_ms, int serial)
{
	return read_result(call(&rl_script_extend_shared, "LFS", token, text(fence), text(lease_ms), text(GRACE), text(serial), "0", NULL)).parts[0];
}

static long long extend_shared_longer(const char *token, int64_t fence, int64_t lease_ms, int serial)
{
	return read_result(call(&rl_script_extend_shared, "LFS", token, text(fence), text(lease_ms), text(GRACE), text(serial), "2", NULL)).parts[0];
}

static struct result extend_shared_again(const char *token, int64_t fence, int serial, const char *until)
{
	return read_result(call(&rl_script_extend_shared, "LFS", token, text(fence), text(LEASE), text(GRACE), text(serial), "1", until, "0", NULL));
}

static long long downgrade(const char *token, int64_t fence, int serial)
{
	return read_result(call(&rl_script_downgrade, "LFWQSTR", token, text(fence), text(serial), text(GRACE), text(WINDOW), NULL)).parts[0];
}

static struct result upgrade_until(const char *token, int64_t fence, int serial, const char *until)
{
	return read_result(call(&rl_script_upgrade, "LFQST", token, text(fence), text(LEASE), text(GRACE), text(serial), until, NULL));
}

static struct result upgrade(const char *token, int64_t fence, int serial)
{
	return upgrade_until(token, fence, serial, ANY);
}

static long long extend_exclusive(const char *token, int64_t fence, int serial, const char *again)
{
	return read_result(call(&rl_script_extend, "LF", token, text(fence), text(LEASE), text(GRACE), text(serial), again, ANY, NULL)).parts[0];
}

/* This share's time is over, and so is L's if it was the only one. */
static void end_share(const char *token)
{
	run("ZADD %b 1 %s", KEY(RL_KEY_SHARES), token);
	if (number("ZCOUNT %b 2 +inf", KEY(RL_KEY_SHARES)) == 0) {
		rig_expire(RL_KEY_LOCK);
	}
}

/* This one's was over so long ago, by the server's clock. */
static void end_share_before(const char *token, int64_t ms)
{
	redisReply *reply = command(rig.redis, "TIME");

	run("ZADD %b %s %s", KEY(RL_KEY_SHARES), text(1000 * atoll(reply->element[0]->str) - ms), token);
	freeReplyObject(reply);
}

static long long score(const char *member)
{
	redisReply *reply = command(rig.redis, "ZSCORE %b %s", KEY(RL_KEY_SHARES), member);
	long long value = reply->type == REDIS_REPLY_STRING ? strtoll(reply->str, NULL, 10) : 0;

	freeReplyObject(reply);
	return value;
}

/* What all keys hold, to see that nothing has changed. */
static uint64_t digest(void)
{
	uint64_t value = 14695981039346656037u;

	for (int key = 0; key < RL_KEY_COUNT; key++) {
		redisReply *reply = command(rig.redis, "DUMP %b", KEY(key));

		for (size_t i = 0; reply->type == REDIS_REPLY_STRING && i < reply->len; i++) {
			value = (value ^ (unsigned char)reply->str[i]) * 1099511628211u;
		}
		value = (value ^ (uint64_t)reply->type) * 1099511628211u;
		freeReplyObject(reply);
	}
	return value;
}

#define assert_changes_nothing(what) \
 do { \
  uint64_t before = digest(); \
  what; \
  assert_true(digest() == before); \
 } while (0)

/* ---------------------------------------------------------------- what they do */

static void a_share_is_in_the_set(void **state)
{
	struct value one = new_token(), two = new_token();
	int64_t first = enter(one.text), second = enter(two.text);

	assert_holds(RL_KEY_LOCK, "+shared");
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_true(second > first);
	assert_fence(second);
	assert_int_equal(score("F"), -second);
	assert_int_equal(score("E"), -first);
	assert_int_equal(leave(one.text, first), FREED);
	assert_int_equal(leave(one.text, first), GONE);
	assert_holds(RL_KEY_LOCK, "+shared");
	assert_int_equal(leave(two.text, second), FREED);
	assert_false(rig_exists(RL_KEY_LOCK));
	assert_int_equal(number("ZCARD %b", KEY(RL_KEY_SHARES)), 2); /* E and F */
	assert_true(number("PTTL %b", KEY(RL_KEY_SHARES)) > GRACE - PATIENCE_MS);
}

static void who_came_last_may_go_first(void **state)
{
	struct value one = new_token(), two = new_token();
	int64_t first = enter(one.text), second = enter(two.text);

	assert_int_equal(leave(two.text, second), FREED);
	assert_holds(RL_KEY_LOCK, "+shared");
	assert_int_equal(leave(one.text, first), FREED);
	assert_false(rig_exists(RL_KEY_LOCK));
}

static void shares_end_with_the_lock(void **state)
{
	struct value one = new_token(), two = new_token();

	enter(one.text);
	run("DEL %b", KEY(RL_KEY_LOCK));
	enter(two.text);
	assert_int_equal(number("ZCOUNT %b 0 inf", KEY(RL_KEY_SHARES)), 1);
}

/* Also if somebody had the lock exclusively in between, and if it is `again` that begins anew. */
static void they_do_not_begin_anew_with_it(void **state)
{
	struct value one = new_token(), two = new_token(), other = new_token();
	int64_t fence = enter(one.text);

	run("DEL %b", KEY(RL_KEY_LOCK));
	give_back(other.text, take(other.text));
	fence = enter(two.text);
	assert_int_equal(number("ZCOUNT %b 0 inf", KEY(RL_KEY_SHARES)), 1);

	enter(one.text);
	run("DEL %b", KEY(RL_KEY_LOCK));
	assert_int_equal(extend_shared_again(two.text, fence, 1, ANY).parts[0], GONE);
	assert_holds(RL_KEY_LOCK, "+shared");
	assert_int_equal(number("ZCOUNT %b 0 inf", KEY(RL_KEY_SHARES)), 1);
}

static void ended_shares_are_kept_for_a_minute(void **state)
{
	struct value one = new_token(), two = new_token();
	int64_t first = enter(one.text), second = enter(two.text);

	assert_int_equal(extend_shared(one.text, first, LEASE, 5), OURS);
	assert_int_equal(extend_shared(two.text, second, LEASE, 5), OURS);
	enter(new_token().text);
	end_share_before(one.text, 30000);
	end_share_before(two.text, 62000);
	enter(new_token().text);
	assert_changes_nothing(assert_int_equal(extend_shared_again(one.text, first, 4, ANY).parts[0], TAKEN)); /* its serial tells */
	assert_int_equal(number("ZCARD %b", KEY(RL_KEY_SHARES)), 9);                                            /* E and F, that one with its serial, and the last two */
}

static void costs(void **state)
{
	struct value one = new_token(), two = new_token();
	int64_t fence;

	leave(one.text, enter(one.text));
	cost_begin();
	fence = enter(two.text);
	assert_cost("mget 1, pexpire 1, set 2, time 1, zadd 1, zcard 1, zscore 1");
	cost_begin();
	leave(two.text, fence);
	assert_cost("del 1, mget 1, zrange 1, zrem 1");
}

static void a_client_of_the_first_version_sees_it_taken(void **state)
{
	struct value one = new_token(), other = new_token();
	int64_t fence = enter(one.text);
	struct answer answer = acquire_on(rig.redis, other.text, LEASE, FLAG);
	struct inspection inspection;

	assert_int_equal(answer.code, 0);
	assert_in_range(answer.value, LEASE - PATIENCE_MS, LEASE);
	assert_false(rig_exists(RL_KEY_WAITING)); /* it goes on with enter */
	assert_int_equal(give_back(other.text, fence), TAKEN);
	assert_int_equal(extend(other.text, fence), TAKEN);
	assert_int_equal(claim(other.text, "~0123456789abcdef0123456789abcdef:5"), TAKEN);
	inspection = inspect(rig.redis);
	assert_string_equal(inspection.value, "+shared"); /* without the set */
	inspection_free(&inspection);
	assert_int_equal(extend_shared(one.text, fence, LEASE, 1), OURS);

	assert_int_equal(break_lock("+shared", new_baton().text), FREED);
	assert_int_equal(extend_shared(one.text, fence, LEASE, 2), TAKEN);
	assert_int_equal(leave(one.text, fence), TAKEN);
}

static void a_grant_of_the_first_version_ends_the_era(void **state)
{
	struct value one = new_token(), two = new_token(), other = new_token();
	int64_t first = enter(one.text), second;

	end_share(one.text);
	second = enter(two.text);
	assert_int_equal(score("E"), -first);
	assert_int_equal(leave(one.text, first), GONE);
	assert_int_equal(leave(two.text, second), FREED);
	give_back(other.text, take(other.text));
	assert_int_equal(leave(one.text, first), TAKEN);
	second = enter(two.text);
	assert_int_equal(score("E"), -second);
	assert_int_equal(leave(one.text, first), TAKEN);
}

static void it_ends_the_era_also_where_no_share_was_left(void **state)
{
	struct value one = new_token(), two = new_token(), other = new_token();
	int64_t second;

	leave(one.text, enter(one.text));
	give_back(other.text, take(other.text));
	second = enter(two.text);
	assert_int_equal(score("E"), -second);
}

static void tickets_and_the_turnstile(void **state)
{
	struct value one = new_token(), two = new_token(), writer = new_token(), three = new_token();
	redisContext *waiter;
	struct value ticket;
	int64_t fence = enter(one.text), second;

	assert_true(queue(writer.text, "x"));
	assert_false(queue(two.text, "0"));
	assert_true(queue(writer.text, "x")); /* known by its token */
	assert_lives(RL_KEY_TURNSTILE, FLAG);
	assert_int_equal(leave(writer.text, 0), PASSED); /* gives up: a ticket for the next one */
	waiter = rig_connect();
	freeReplyObject(command(waiter, "PING"));
	redisAppendCommand(waiter, "BLPOP %b 0", KEY(RL_KEY_WAKE));
	ticket = read_baton(waiter);
	assert_int_equal(ticket.text[0], '=');
	assert_holds(RL_KEY_TURNSTILE, ticket.text);
	assert_false(queue(three.text, "0")); /* it is on its way */
	redisAppendCommand(waiter, "BLPOP %b 0", KEY(RL_KEY_WAKE));
	assert_int_equal(enter_with((struct ask){ .token = two.text, .flag_ms = FLAG, .pass = ticket.text }).parts[0], 1);
	second = stored_fence();
	ticket = read_baton(waiter); /* the next one's */
	assert_string_equal(ticket.text + 1, text(second));
	assert_int_equal(leave(two.text, second), FREED);
	assert_int_equal(leave(one.text, fence), PASSED);
	assert_holds(RL_KEY_LOCK, "+kept"); /* for the one with the ticket */
	assert_int_equal(enter_with((struct ask){ .token = writer.text, .want = "x", .flag_ms = FLAG, .pass = ticket.text }).parts[0], 1);
	assert_holds(RL_KEY_LOCK, writer.text);
	assert_false(rig_exists(RL_KEY_TURNSTILE));
	redisFree(waiter);
}

static void the_room_is_told(void **state)
{
	struct value one = new_token(), two = new_token(), third = new_token(), baton;
	int64_t first = enter(one.text), second = enter(two.text);

	assert_true(queue(third.text, "2"));
	assert_int_equal(leave(one.text, first), PASSED);
	assert_int_equal(number("LLEN %b", KEY(RL_KEY_ROOM)), 1);
	assert_int_equal(enter_with((struct ask){ .token = third.text, .want = "2", .flag_ms = FLAG }).parts[0], 1);
	assert_int_equal(leave(two.text, second), FREED);
	run("DEL %b %b %b", KEY(RL_KEY_TURNSTILE), KEY(RL_KEY_WAKE), KEY(RL_KEY_WAITING));
	baton = new_token();
	assert_true(queue(baton.text, "x"));
	assert_int_equal(leave(third.text, stored_fence()), PASSED);
	assert_holds(RL_KEY_LOCK, "+kept");
	assert_int_equal(ask(FLAG) <= WINDOW, true); /* not a newcomer's */
	assert_false(enter_with((struct ask){ .token = one.text, .flag_ms = FLAG }).parts[0]);
	assert_int_equal(enter_with((struct ask){ .token = baton.text, .want = "x", .flag_ms = FLAG }).parts[0], 1);
}

/* Its place at the turnstile is worth nothing there: releases pass batons to the wake list. */
static void who_is_overtaken_goes_back_to_the_queue(void **state)
{
	struct value one = new_token(), writer = new_token(), other = new_token();

	enter(one.text);
	assert_true(queue(writer.text, "x"));
	end_share(one.text);
	take(other.text);
	assert_false(queue(writer.text, "x"));
	assert_false(rig_exists(RL_KEY_TURNSTILE));
}

static void an_upgrade_keeps_the_first_one(void **state)
{
	struct value one = new_token(), writer = new_token();
	int64_t fence = enter(one.text);

	assert_true(queue(writer.text, "x"));
	assert_int_equal(upgrade(one.text, fence, 1).parts[0], 1);
	assert_true(queue(writer.text, "x"));
	assert_int_equal(leave(one.text, stored_fence()), PASSED);
	assert_holds(RL_KEY_LOCK, "+kept");
	assert_int_equal(enter_with((struct ask){ .token = writer.text, .want = "x", .flag_ms = FLAG }).parts[0], 1);
}

/* It has reached nobody; whoever is about to park gets what it has come to. */
static void a_ticket_that_lies_in_the_list_gives_way(void **state)
{
	struct value one = new_token(), writer = new_token(), other = new_token(), baton;
	redisContext *waiter = rig_connect();
	int64_t fence = enter(one.text);

	/* To an upgrade: the next one that asks is not the first, since the lock is held exclusively. */
	assert_true(queue(writer.text, "x"));
	assert_int_equal(leave(writer.text, 0), PASSED);
	assert_int_equal(number("LLEN %b", KEY(RL_KEY_WAKE)), 1);
	assert_int_equal(upgrade(one.text, fence, 1).parts[0], 1);
	assert_false(rig_exists(RL_KEY_WAKE));
	assert_false(queue(other.text, "x"));

	/* To a baton. */
	assert_int_equal(downgrade(one.text, stored_fence(), 2), 1);
	assert_int_equal(number("LLEN %b", KEY(RL_KEY_WAKE)), 1);
	assert_int_equal(leave(one.text, fence), PASSED);
	redisAppendCommand(waiter, "BLPOP %b 0", KEY(RL_KEY_WAKE));
	baton = read_baton(waiter);
	assert_holds(RL_KEY_LOCK, baton.text);
	assert_false(rig_exists(RL_KEY_TURNSTILE));
	assert_int_equal(claim(other.text, baton.text), OURS);
	redisFree(waiter);
}

static void the_last_ask_gives_the_place_up(void **state)
{
	struct value one = new_token(), writer = new_token(), two = new_token();

	enter(one.text);
	assert_true(queue(writer.text, "x"));
	assert_false(queue(two.text, "0"));
	assert_int_equal(enter_with((struct ask){ .token = writer.text, .want = "x" }).parts[2], 0);
	assert_int_equal(number("LLEN %b", KEY(RL_KEY_WAKE)), 1);
	assert_int_equal(enter_with((struct ask){ .token = two.text, .flag_ms = FLAG }).parts[0], 1);
}

static void a_delay_becomes_a_cooldown(void **state)
{
	struct value one = new_token(), two = new_token(), three = new_token();
	int64_t first = enter(one.text), second = enter(two.text);
	char expected[128];

	assert_int_equal(leave_with_delay(one.text, first, 2 * LEASE), FREED);
	assert_lives(RL_KEY_LOCK, 2 * LEASE);
	assert_int_equal(enter_with((struct ask){ .token = three.text }).parts[0], 0);
	assert_int_equal(upgrade(two.text, second, 1).parts[0], 0);
	assert_int_equal(extend_shared(two.text, second, LEASE, 2), OURS);
	assert_int_equal(leave(two.text, second), FREED);
	snprintf(expected, sizeof expected, "-%s:host:1", baton_of(one.text));
	assert_holds(RL_KEY_LOCK, expected);
	assert_lives(RL_KEY_LOCK, 2 * LEASE);
}

static int reset(void **state)
{
	static const struct rl_script *const scripts[] = { &rl_script_enter, &rl_script_leave, &rl_script_extend_shared,
		&rl_script_replace_shared, &rl_script_upgrade, &rl_script_downgrade, &rl_script_break_shared, &rl_script_sharers };
	int status = rig_reset(state);

	for (size_t i = 0; status == 0 && i < COUNT(scripts); i++) {
		freeReplyObject(command(rig.redis, "SCRIPT LOAD %b", scripts[i]->text, scripts[i]->length));
	}
	return status;
}

static void a_cooldown_of_shares_is_no_loss(void **state)
{
	struct value one = new_token(), two = new_token(), other = new_token(), next = new_token();
	int64_t first = enter(one.text), second = enter(two.text), third;

	end_share(one.text);
	assert_int_equal(leave_with_delay(two.text, second, LEASE), FREED);
	assert_int_equal(extend_shared(one.text, first, LEASE, 1), GONE);
	assert_changes_nothing(assert_int_equal(extend_shared_again(one.text, first, 2, ANY).parts[0], TAKEN));
	assert_int_equal(upgrade(one.text, first, 3).parts[0], GONE);
	assert_int_equal(leave(one.text, first), GONE);

	rig_expire(RL_KEY_LOCK);
	third = take(other.text);
	assert_int_equal(leave_with_delay(other.text, third, LEASE), FREED);
	assert_int_equal(leave(one.text, first), TAKEN); /* the cooldown of an exclusive grant */
	rig_expire(RL_KEY_LOCK);
	enter(next.text);
	assert_int_equal(leave(one.text, first), TAKEN); /* of an era before */
}

static void without_the_set_nobody_enters(void **state)
{
	struct value one = new_token(), two = new_token();
	int64_t fence = enter(one.text);

	run("DEL %b", KEY(RL_KEY_SHARES));
	assert_int_equal(enter_with((struct ask){ .token = two.text }).parts[0], 0);
	assert_int_equal(enter_with((struct ask){ .token = two.text, .want = "x" }).parts[0], 0);
	assert_int_equal(leave(one.text, fence), GONE);
	rig_expire(RL_KEY_LOCK);
	run("SET %b nonsense", KEY(RL_KEY_SHARES));
	run("HSET %b a b", KEY(RL_KEY_TURNSTILE));
	fence = enter(two.text);
	assert_int_equal(leave(two.text, fence), FREED);
}

/* ---------------------------------------------------------------- what comes late */

/* Whatever its token is: a share, or what has become of one; or gone. */
static void a_leave_closes_its_token(void **state)
{
	struct value share = new_token(), upgraded = new_token(), ended = new_token();
	int64_t fence = enter(share.text);

	assert_int_equal(leave_closing(share.text, fence), FREED);
	assert_true(enter_with((struct ask){ .token = share.text }).late);
	fence = upgrade(upgraded.text, enter(upgraded.text), 1).parts[1];
	assert_int_equal(leave_closing(upgraded.text, fence), FREED);
	assert_true(enter_with((struct ask){ .token = upgraded.text, .want = "x" }).late);
	fence = enter(ended.text);
	rig_expire(RL_KEY_LOCK);
	assert_int_equal(leave_closing(ended.text, fence), GONE);
	assert_true(enter_with((struct ask){ .token = ended.text }).late);
	assert_false(rig_exists(RL_KEY_LOCK));
}

/* A late copy of the request that took the lock has taken it again, after its end: that is not what is given back. */
static void a_leave_that_closes_believes_no_other_grant(void **state)
{
	struct value one = new_token();
	int64_t fence = take(one.text);

	rig_expire(RL_KEY_LOCK);
	take(one.text);
	assert_int_equal(leave_closing(one.text, fence), TAKEN);
	assert_false(rig_exists(RL_KEY_LOCK));
}

static void a_late_enter_does_nothing(void **state)
{
	struct value one = new_token(), two = new_token(), late = new_token();
	int64_t fence = enter(one.text);
	struct result result;

	run("RPUSH %b x", KEY(RL_KEY_WAKE));
	assert_changes_nothing(assert_true(enter_with((struct ask){ .token = late.text, .until = PAST, .flag_ms = FLAG }).late));
	assert_changes_nothing(assert_true(enter_with((struct ask){ .token = late.text, .until = PAST, .want = "x", .flag_ms = FLAG }).late));
	run("DEL %b", KEY(RL_KEY_WAKE));

	/* Given back, and closed. */
	leave_closing(late.text, 0);
	run("RPUSH %b x", KEY(RL_KEY_WAKE));
	assert_changes_nothing(assert_true(enter_with((struct ask){ .token = late.text, .flag_ms = FLAG }).late));
	enter(two.text); /* keeps what is closed */
	assert_true(enter_with((struct ask){ .token = late.text }).late);
	leave(one.text, fence);
	leave(two.text, stored_fence());
	assert_true(enter_with((struct ask){ .token = late.text }).late);
	assert_true(enter_with((struct ask){ .token = late.text, .want = "x" }).late);
	assert_false(rig_exists(RL_KEY_LOCK));

	/* With a pass that was good once. */
	fence = enter(one.text);
	run("RPUSH %b x", KEY(RL_KEY_WAKE));
	assert_changes_nothing(result = enter_with((struct ask){ .token = two.text, .flag_ms = FLAG, .pass = "=1" }));
	assert_int_equal(result.parts[0], 2);
	assert_changes_nothing(result = enter_with((struct ask){ .token = two.text, .flag_ms = FLAG, .pass = "~0123:5" }));
	assert_int_equal(result.parts[0], 2);
}

static void an_enter_that_comes_twice_begins_no_lease(void **state)
{
	struct value one = new_token(), two = new_token();
	int64_t fence = enter(one.text);

	assert_int_equal(extend_shared(one.text, fence, LEASE / 2, 1), OURS);
	assert_changes_nothing(assert_int_equal(enter(one.text), fence));
	assert_lives(RL_KEY_LOCK, LEASE / 2);
	fence = upgrade(one.text, fence, 2).parts[1];
	assert_changes_nothing(assert_int_equal(enter(one.text), fence));
	assert_int_equal(downgrade(one.text, fence, 3), 1);
	assert_changes_nothing(assert_int_equal(enter(one.text), fence));
	assert_changes_nothing(assert_int_equal(enter_with((struct ask){ .token = one.text, .want = "x", .flag_ms = FLAG }).parts[1], fence));
	assert_int_equal(leave(one.text, fence), FREED);

	/* Exclusive from the beginning. */
	fence = enter_with((struct ask){ .token = two.text, .want = "x" }).parts[1];
	run("PEXPIRE %b %d", KEY(RL_KEY_LOCK), LEASE / 2);
	assert_changes_nothing(assert_int_equal(enter_with((struct ask){ .token = two.text, .want = "x" }).parts[1], fence));
	assert_lives(RL_KEY_LOCK, LEASE / 2);
}

static void an_extend_may_leave_a_longer_lease(void **state)
{
	struct value one = new_token();
	int64_t fence = enter(one.text);

	assert_int_equal(extend_shared_longer(one.text, fence, LEASE / 2, 1), OURS);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_int_equal(extend_shared_longer(one.text, fence, 2 * LEASE, 2), OURS);
	assert_lives(RL_KEY_LOCK, 2 * LEASE);
	end_share(one.text);
	assert_changes_nothing(assert_int_equal(extend_shared_longer(one.text, fence, LEASE, 3), GONE));
}

static void a_late_extend_changes_nothing(void **state)
{
	struct value one = new_token(), two = new_token();
	int64_t fence = enter(one.text), newer;

	enter(two.text);
	assert_int_equal(extend_shared(one.text, fence, 2 * LEASE, 2), OURS);
	assert_changes_nothing(assert_int_equal(extend_shared(one.text, fence, LEASE / 2, 1), OURS));
	assert_changes_nothing(assert_int_equal(extend_shared(one.text, fence, 9 * LEASE, 2), OURS));

	/* Its share was taken again by a late copy of enter: another one. */
	end_share(one.text);
	newer = enter(one.text);
	assert_changes_nothing(assert_int_equal(extend_shared(one.text, fence, LEASE / 2, 9), TAKEN));
	assert_int_equal(upgrade(one.text, fence, 9).parts[0], 3);
	assert_int_equal(leave_closing(one.text, fence), TAKEN);
	assert_int_equal(leave(one.text, newer), GONE); /* that was ended */
}

static void a_late_again_sets_nothing_anew(void **state)
{
	struct value one = new_token(), two = new_token();
	int64_t fence = enter(one.text);

	enter(two.text);
	end_share(one.text);
	assert_changes_nothing(assert_true(extend_shared_again(one.text, fence, 4, PAST).late));
	assert_int_equal(extend_shared_again(one.text, fence, 5, ANY).parts[0], GONE);
	assert_int_equal(extend_shared(one.text, fence, LEASE, 6), OURS);
	end_share(one.text);
	assert_changes_nothing(assert_int_equal(extend_shared_again(one.text, fence, 5, ANY).parts[0], TAKEN)); /* overtaken */
	assert_int_equal(leave_closing(one.text, fence), GONE);
	assert_changes_nothing(assert_int_equal(extend_shared_again(one.text, fence, 7, ANY).parts[0], TAKEN)); /* closed */
	end_share(two.text);
	assert_changes_nothing(assert_int_equal(extend_shared_again(one.text, fence, 8, ANY).parts[0], TAKEN));
}

static void again_keeps_the_limit_and_the_delay(void **state)
{
	struct value one = new_token(), two = new_token();
	int64_t fence = enter(one.text), other;

	enter(two.text);
	other = stored_fence();
	end_share(one.text);
	assert_int_equal(read_result(call(&rl_script_extend_shared, "LFS", one.text, text(fence), text(LEASE), text(GRACE), "1", "1", ANY, "1", NULL)).parts[0], TAKEN);
	enter(new_token().text);
	assert_int_equal(leave_with_delay(two.text, other, LEASE), FREED);
	assert_int_equal(extend_shared_again(one.text, fence, 2, ANY).parts[0], TAKEN);
}

static void a_late_downgrade_changes_nothing(void **state)
{
	struct value one = new_token(), two = new_token();
	int64_t fence = take(one.text), newer;

	assert_int_equal(extend_exclusive(one.text, fence, 2, "0"), OURS);
	assert_changes_nothing(assert_int_equal(downgrade(one.text, fence, 1), TAKEN)); /* overtaken by that extend */
	assert_int_equal(downgrade(one.text, fence, 3), 1);
	assert_changes_nothing(assert_int_equal(downgrade(one.text, fence, 3), 1)); /* twice */
	newer = upgrade(one.text, fence, 4).parts[1];
	assert_changes_nothing(assert_int_equal(downgrade(one.text, fence, 3), TAKEN));
	assert_holds(RL_KEY_LOCK, one.text);
	assert_int_equal(leave(one.text, newer), FREED);
	assert_changes_nothing(assert_int_equal(downgrade(one.text, newer, 5), GONE));
	take(two.text);
	assert_changes_nothing(assert_int_equal(downgrade(one.text, newer, 5), TAKEN));
}

/* A share that a late enter has taken again is not what the downgrade has made. */
static void a_downgrade_believes_no_other_share(void **state)
{
	struct value one = new_token();
	int64_t fence = upgrade(one.text, enter(one.text), 1).parts[1];

	rig_expire(RL_KEY_LOCK);
	enter(one.text);
	assert_int_equal(downgrade(one.text, fence, 2), TAKEN);
}

static void what_was_exclusive_stays_shared(void **state)
{
	struct value one = new_token();
	int64_t fence = take(one.text);

	assert_int_equal(downgrade(one.text, fence, 3), 1);
	assert_changes_nothing(assert_int_equal(extend_exclusive(one.text, fence, 9, "1"), TAKEN));
	assert_int_equal(leave(one.text, fence), FREED);
	assert_changes_nothing(assert_int_equal(extend_exclusive(one.text, fence, 2, "1"), TAKEN)); /* nobody's */
	assert_int_equal(number("EXISTS %b", KEY(RL_KEY_LOCK)), 0);
}

static void a_late_upgrade_changes_nothing(void **state)
{
	struct value one = new_token(), two = new_token();
	int64_t fence = enter(one.text), other = enter(two.text), newer;

	assert_int_equal(upgrade(one.text, fence, 1).parts[0], 0);
	assert_int_equal(leave(two.text, other), FREED);
	assert_changes_nothing(assert_int_equal(upgrade(one.text, fence, 1).parts[0], 0)); /* it was refused before */
	assert_changes_nothing(assert_true(upgrade_until(one.text, fence, 2, PAST).late));
	newer = upgrade(one.text, fence, 2).parts[1];
	assert_true(newer > other);
	assert_changes_nothing(assert_int_equal(upgrade(one.text, fence, 2).parts[1], newer)); /* twice */
	assert_int_equal(downgrade(one.text, newer, 3), 1);
	assert_changes_nothing(assert_int_equal(upgrade(one.text, fence, 2).parts[0], 3));
	assert_int_equal(leave(one.text, newer), FREED);
	assert_changes_nothing(assert_int_equal(upgrade(one.text, newer, 4).parts[0], 2));
}

/* The token in L is not enough: a late acquire has put it there. */
static void an_upgrade_believes_no_other_grant(void **state)
{
	struct value one = new_token();
	int64_t fence = take(one.text);

	assert_int_equal(downgrade(one.text, fence, 1), 1);
	end_share(one.text);
	take(one.text);
	assert_int_equal(upgrade(one.text, fence, 2).parts[0], 3);
}

static void a_late_replace_changes_nothing(void **state)
{
	struct value one = new_token(), two = new_token(), three = new_token();
	int64_t fence = enter(one.text);
#define REPLACE(old, new, until) \
 read_result(call(&rl_script_replace_shared, "LFS", (old).text, (new).text, "0", text(GRACE), text(fence), until, NULL))

	assert_changes_nothing(assert_true(REPLACE(one, two, PAST).late));
	assert_int_equal(REPLACE(one, two, ANY).parts[1], fence);
	assert_changes_nothing(assert_int_equal(REPLACE(one, two, ANY).parts[1], fence)); /* twice */
	assert_int_equal(leave(one.text, fence), GONE);
	assert_int_equal(extend_shared(two.text, fence, LEASE, 1), OURS);
	leave_closing(three.text, 0);
	assert_changes_nothing(assert_int_equal(REPLACE(two, three, ANY).parts[0], 3));
	assert_int_equal(REPLACE(two, one, ANY).parts[0], 1);
	assert_changes_nothing(assert_int_equal(REPLACE(two, three, ANY).parts[0], 2));
	assert_int_equal(leave(one.text, fence), FREED);
}

static void a_late_break_ends_nothing(void **state)
{
	struct value one = new_token(), two = new_token();
	int64_t fence = enter(one.text);
	redisReply *reply;

	enter(two.text);
#define BREAK(fence, until) call(&rl_script_break_shared, "LFS", text(fence), text(GRACE), until, NULL)
	assert_changes_nothing(assert_true(read_result(BREAK(fence, PAST)).late));
	assert_changes_nothing(assert_int_equal(read_result(BREAK(fence - 1, ANY)).count, 0));
	reply = BREAK(fence, ANY);
	assert_int_equal(reply->elements, 1);
	assert_string_equal(reply->element[0]->str, one.text);
	freeReplyObject(reply);
	assert_changes_nothing(assert_true(read_result(call(&rl_script_leave, "LFWQSTR", one.text, "0", baton_of(one.text), text(WINDOW),
													   text(WINDOW + GRACE), "0", "1", PAST, NULL))
										   .late));
	assert_int_equal(extend_shared(one.text, fence, LEASE, 1), OURS); /* until it is ended */
	assert_int_equal(leave_closing(one.text, 0), FREED);
	assert_int_equal(extend_shared(one.text, fence, LEASE, 2), TAKEN); /* not late: lost */
}

static void a_break_of_a_delay_may_come_twice(void **state)
{
	struct value one = new_token(), two = new_token(), breaker = new_token();
	int64_t fence;

	enter(one.text);
	fence = enter(two.text);
	assert_int_equal(leave_with_delay(two.text, fence, LEASE), FREED);
	end_share(one.text);
	for (int sending = 1; sending <= 2; sending++) {
		redisReply *reply = call(&rl_script_break_shared, "LFS", text(fence), text(GRACE), ANY, breaker.text, NULL);

		assert_int_equal(reply->elements, 1);
		assert_string_equal(reply->element[0]->str, breaker.text);
		freeReplyObject(reply);
	}
	assert_int_equal(leave_closing(breaker.text, 0), FREED);
	assert_false(rig_exists(RL_KEY_LOCK));
}

/*
 * Before Redis 7.2, PEXPIRE deletes a key whose new end passes while it runs, as may be if that is a millisecond from then.
 * In this copy of a script, each PEXPIRE of L comes to that.
 */
static struct rl_script ending_meanwhile(const struct rl_script *script)
{
	static const char prefix[] =
		"local redis = (function(real) "
		"local function run(how) return function(command, ...) "
		"if command == 'PEXPIRE' and (...) == KEYS[1] then return how('DEL', (...)) end "
		"return how(command, ...) end end "
		"return {call = run(real.call), pcall = run(real.pcall)} end)(redis) ";
	struct rl_script copy = { .name = script->name };
	char text[16384];
	redisReply *reply;

	assert_in_range(sizeof prefix + script->length, 0, sizeof text);
	memcpy(text, prefix, sizeof prefix);
	memcpy(text + sizeof prefix - 1, script->text, script->length);
	reply = command(rig.redis, "SCRIPT LOAD %b", text, sizeof prefix - 1 + script->length);
	assert_int_equal(reply->type, REDIS_REPLY_STRING);
	snprintf(copy.sha1, sizeof copy.sha1, "%s", reply->str);
	freeReplyObject(reply);
	return copy;
}

static void give_back_slowly(const struct rl_script *script, const char *letters, const char *token, int64_t fence,
	int64_t delay_ms, long long expected)
{
	struct rl_script slow = ending_meanwhile(script);
	struct result result = read_result(call(&slow, letters, token, text(fence), baton_of(token), text(WINDOW), text(WINDOW + GRACE),
		text(delay_ms), NULL));

	assert_int_equal(result.parts[0], expected);
	assert_lives(RL_KEY_LOCK, delay_ms ? delay_ms : WINDOW);
	rig_reset(NULL);
}

/* A lock without an end would be taken for ever. */
static void what_ends_meanwhile_still_has_an_end(void **state)
{
	struct value one = new_token(), writer = new_token();
	struct rl_script slow;
	int64_t fence;

	give_back_slowly(&rl_script_release, "LFWQ", one.text, take(one.text), LEASE, FREED);
	fence = take(one.text);
	ask(FLAG);
	give_back_slowly(&rl_script_release, "LFWQ", one.text, fence, 0, PASSED);

	reset(state);
	give_back_slowly(&rl_script_leave, "LFWQSTR", one.text, enter(one.text), LEASE, FREED);
	reset(state);
	fence = enter(one.text);
	assert_true(queue(writer.text, "x"));
	give_back_slowly(&rl_script_leave, "LFWQSTR", one.text, fence, 0, PASSED);
	reset(state);
	fence = enter(one.text);
	run("SET %b 1 PX 60000", KEY(RL_KEY_WAITING));
	give_back_slowly(&rl_script_leave, "LFWQSTR", one.text, fence, 0, PASSED);
	reset(state);
	fence = enter(one.text);
	run("SET %b =1 PX %d", KEY(RL_KEY_TURNSTILE), WINDOW);
	give_back_slowly(&rl_script_leave, "LFWQSTR", one.text, fence, 0, PASSED);

	reset(state);
	fence = take(one.text);
	slow = ending_meanwhile(&rl_script_downgrade);
	assert_int_equal(read_result(call(&slow, "LFWQSTR", one.text, text(fence), "1", text(GRACE), text(WINDOW), NULL)).parts[0], 1);
	assert_lives(RL_KEY_LOCK, LEASE);
}

int test_scripts_shared(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_share_is_in_the_set, reset),
		cmocka_unit_test_setup(who_came_last_may_go_first, reset),
		cmocka_unit_test_setup(shares_end_with_the_lock, reset),
		cmocka_unit_test_setup(they_do_not_begin_anew_with_it, reset),
		cmocka_unit_test_setup(ended_shares_are_kept_for_a_minute, reset),
		cmocka_unit_test_setup(costs, reset),
		cmocka_unit_test_setup(a_client_of_the_first_version_sees_it_taken, reset),
		cmocka_unit_test_setup(a_grant_of_the_first_version_ends_the_era, reset),
		cmocka_unit_test_setup(it_ends_the_era_also_where_no_share_was_left, reset),
		cmocka_unit_test_setup(tickets_and_the_turnstile, reset),
		cmocka_unit_test_setup(the_room_is_told, reset),
		cmocka_unit_test_setup(who_is_overtaken_goes_back_to_the_queue, reset),
		cmocka_unit_test_setup(an_upgrade_keeps_the_first_one, reset),
		cmocka_unit_test_setup(a_ticket_that_lies_in_the_list_gives_way, reset),
		cmocka_unit_test_setup(the_last_ask_gives_the_place_up, reset),
		cmocka_unit_test_setup(a_delay_becomes_a_cooldown, reset),
		cmocka_unit_test_setup(a_cooldown_of_shares_is_no_loss, reset),
		cmocka_unit_test_setup(without_the_set_nobody_enters, reset),
		cmocka_unit_test_setup(a_leave_closes_its_token, reset),
		cmocka_unit_test_setup(a_leave_that_closes_believes_no_other_grant, reset),
		cmocka_unit_test_setup(a_late_enter_does_nothing, reset),
		cmocka_unit_test_setup(an_enter_that_comes_twice_begins_no_lease, reset),
		cmocka_unit_test_setup(an_extend_may_leave_a_longer_lease, reset),
		cmocka_unit_test_setup(a_late_extend_changes_nothing, reset),
		cmocka_unit_test_setup(a_late_again_sets_nothing_anew, reset),
		cmocka_unit_test_setup(again_keeps_the_limit_and_the_delay, reset),
		cmocka_unit_test_setup(a_late_downgrade_changes_nothing, reset),
		cmocka_unit_test_setup(a_downgrade_believes_no_other_share, reset),
		cmocka_unit_test_setup(what_was_exclusive_stays_shared, reset),
		cmocka_unit_test_setup(a_late_upgrade_changes_nothing, reset),
		cmocka_unit_test_setup(an_upgrade_believes_no_other_grant, reset),
		cmocka_unit_test_setup(a_late_replace_changes_nothing, reset),
		cmocka_unit_test_setup(a_late_break_ends_nothing, reset),
		cmocka_unit_test_setup(a_break_of_a_delay_may_come_twice, reset),
		cmocka_unit_test_setup(what_ends_meanwhile_still_has_an_end, reset),
	};

	return cmocka_run_group_tests(tests, rig_start, rig_stop);
}
