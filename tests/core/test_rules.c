/*
 * Rules of the protocol that no other test would miss: each test here fails if its rule is broken
 * (tests/mutations.list).
 */
#include "owner_rig.h"

#include <inttypes.h>
#include <pthread.h>

/* ---------------------------------------------------------------- scripts, word by word */

/* Where an argument stands in a call: EVALSHA, the script, the number of keys, the keys, the arguments. */
#define OF_FOUR(argument) (2 + 4 + (argument))
#define OF_TWO(argument)  (2 + 2 + (argument))

static void set_word(struct script_call *call, int at, const char *word)
{
	call->words[at] = word;
	call->lengths[at] = strlen(word);
	call->count = call->count > at ? call->count : at + 1;
}

static void assert_late(const struct script_call *call)
{
	assert_int_equal(strncmp(script_run(rig.redis, call).error, "LATE ", 5), 0);
}

/* A token's random part, as a release names it. */
static struct value baton_of(const char *token)
{
	struct value baton;

	snprintf(baton.text, sizeof baton.text, "~%s", strrchr(token, ':') + 1);
	return baton;
}

/* By a release of a holder that it may not be. Its answer. */
static long long close_token(const char *token, int64_t fence)
{
	struct value baton = baton_of(token);
	struct script_call call;

	make_release(&call, text_of(token), fence, baton.text, 0);
	set_word(&call, OF_FOUR(7), "1");
	return script_run(rig.redis, &call).code;
}

static void assert_closed(const char *token)
{
	struct script_call call;

	make_acquire(&call, text_of(token), LEASE, 0);
	assert_late(&call);
	assert_false(rig_exists(RL_KEY_LOCK));
}

/* --- waiting --- */

static void full_memory_raises_a_flag_that_is_about_to_fall(void **state)
{
	struct script_call call;

	take(new_token().text);
	ask(FLAG);
	run("PEXPIRE %b 10000", KEY(RL_KEY_WAITING));
	run("CONFIG SET maxmemory 1");
	make_acquire(&call, text_of(new_token().text), LEASE, FLAG);
	assert_int_equal(strncmp(script_run(rig.redis, &call).error, "OOM ", 4), 0);
	assert_lives(RL_KEY_WAITING, FLAG + 1000);
}

/* --- late copies --- */

static void an_acquire_past_until_throws_out_no_baton(void **state)
{
	struct value token = new_token();
	struct script_call call;
	int64_t fence = take(token.text);

	ask(FLAG);
	assert_int_equal(give_back(token.text, fence), PASSED);
	make_acquire(&call, text_of(new_token().text), LEASE, 0);
	set_word(&call, OF_FOUR(4), "1");
	assert_late(&call);
	assert_int_equal(number("LLEN %b", KEY(RL_KEY_WAKE)), 1);
}

static void an_extend_past_until_sets_nothing_anew(void **state)
{
	struct value token = new_token();
	int64_t fence = take(token.text);
	struct script_call call;

	rig_expire(RL_KEY_LOCK);
	make_extend(&call, text_of(token.text), fence, LEASE, RL_EXTEND_AGAIN);
	set_word(&call, OF_TWO(7), "1");
	assert_late(&call);
	assert_false(rig_exists(RL_KEY_LOCK));
}

static void an_extend_that_has_run_sets_nothing_anew(void **state)
{
	struct value token = new_token();
	int64_t fence = take(token.text);
	struct script_call call;

	make_extend(&call, text_of(token.text), fence, LEASE, RL_EXTEND_AGAIN);
	assert_int_equal(script_run(rig.redis, &call).code, OURS);
	rig_expire(RL_KEY_LOCK);
	assert_int_equal(script_run(rig.redis, &call).code, TAKEN);
	assert_false(rig_exists(RL_KEY_LOCK));
}

static void an_extend_sets_nothing_anew_that_another_had(void **state)
{
	struct value token = new_token(), other = new_token();
	int64_t fence = take(token.text);

	rig_expire(RL_KEY_LOCK);
	give_back(other.text, take(other.text));
	assert_int_equal(extend_again(token.text, fence), TAKEN);
	assert_false(rig_exists(RL_KEY_LOCK));
}

static void without_a_fence_an_extend_only_lengthens(void **state)
{
	struct value token = new_token();
	int64_t fence = take(token.text);

	run("PEXPIRE %b %d", KEY(RL_KEY_LOCK), 10 * LEASE);
	run("DEL %b", KEY(RL_KEY_FENCE));
	assert_int_equal(extend(token.text, fence), OURS);
	assert_lives(RL_KEY_LOCK, 10 * LEASE);
}

/* --- closed tokens --- */

static void what_is_closed_stays_closed(void **state)
{
	struct value token = new_token();
	redisReply *before, *after;

	take(new_token().text);
	rig_expire(RL_KEY_LOCK);
	close_token(token.text, 0);
	before = command(rig.redis, "GET %b", KEY(RL_KEY_FENCE));
	assert_closed(token.text);
	after = command(rig.redis, "GET %b", KEY(RL_KEY_FENCE));
	assert_string_equal(after->str, before->str);
	assert_closed(token.text);
	freeReplyObject(before);
	freeReplyObject(after);
}

static void a_closed_token_claims_nothing(void **state)
{
	struct value token = new_token(), successor = new_token(), baton;
	int64_t fence = take(token.text);
	redisContext *waiter = park();

	assert_int_equal(give_back(token.text, fence), PASSED);
	baton = read_baton(waiter);
	assert_int_equal(close_token(successor.text, 0), TAKEN);
	assert_int_equal(claim(successor.text, baton.text), TAKEN);
	assert_holds(RL_KEY_LOCK, baton.text);
	redisFree(waiter);
}

static void a_closed_token_replaces_nothing(void **state)
{
	struct value token = new_token(), successor = new_token();

	take(token.text);
	assert_int_equal(close_token(successor.text, 0), TAKEN);
	assert_int_equal(replace(token.text, successor.text, 0, "0").code, TAKEN);
	assert_holds(RL_KEY_LOCK, token.text);
}

/* Another's token is closed while the baton is on its way; then that is too old. */
static void a_claim_is_late_though_a_token_was_closed(void **state)
{
	struct value token = new_token(), baton;
	int64_t fence = take(token.text);
	redisContext *waiter = park();

	assert_int_equal(give_back(token.text, fence), PASSED);
	baton = read_baton(waiter);
	close_token(new_token().text, 0);
	rig_expire(RL_KEY_LOCK);
	assert_int_equal(claim(new_token().text, baton.text), GONE);
	redisFree(waiter);
}

static void the_last_64_that_were_closed_are_remembered(void **state)
{
	struct value tokens[65];
	redisReply *fence;

	take(new_token().text);
	rig_expire(RL_KEY_LOCK);
	for (size_t i = 0; i < 64; i++) {
		tokens[i] = new_token();
		close_token(tokens[i].text, 0);
	}
	assert_closed(tokens[0].text);
	assert_closed(tokens[63].text);

	tokens[64] = new_token();
	close_token(tokens[64].text, 0);
	assert_closed(tokens[64].text);
	assert_closed(tokens[1].text);
	fence = command(rig.redis, "GET %b", KEY(RL_KEY_FENCE));
	assert_int_equal(strlen(strrchr(fence->str, ':') + 1), 64 * (32 + 1) - 1);
	freeReplyObject(fence);
	take(tokens[0].text); /* long forgotten */
}

static void every_step_keeps_what_is_closed(void **state)
{
	struct value closed = new_token(), token = new_token(), other = new_token();
	int64_t fence;

	take(new_token().text);
	rig_expire(RL_KEY_LOCK);
	close_token(closed.text, 0);

	fence = take(token.text);
	rig_expire(RL_KEY_LOCK);
	assert_closed(closed.text);

	fence = take(token.text);
	assert_int_equal(extend(token.text, fence), OURS);
	rig_expire(RL_KEY_LOCK);
	assert_closed(closed.text);

	take(token.text);
	assert_int_equal(replace(token.text, other.text, 0, "0").code, 1);
	rig_expire(RL_KEY_LOCK);
	assert_closed(closed.text);

	take(token.text);
	assert_int_equal(break_lock(token.text, new_baton().text), FREED);
	assert_closed(closed.text);

	fence = take(token.text);
	ask(FLAG);
	assert_int_equal(give_back(token.text, fence), PASSED);
	rig_expire(RL_KEY_LOCK);
	assert_closed(closed.text);
}

static void closing_keeps_all_that_is_behind_the_fence(void **state)
{
	struct value token = new_token(), adopter = new_token(), other = new_token();
	int64_t fence = take(token.text);
	struct replaced replaced = replace(token.text, adopter.text, 0, "0");
	struct script_call call;
	char expected[128];

	make_extend(&call, text_of(adopter.text), 0, LEASE, RL_EXTEND_ANEW);
	set_word(&call, OF_TWO(2), replaced.fence);
	set_word(&call, OF_TWO(5), "7");
	assert_int_equal(script_run(rig.redis, &call).code, OURS);
	for (int i = 0; i < 2; i++) { /* and is done once, however often it is sent */
		close_token(other.text, 0);
		snprintf(expected, sizeof expected, "%" PRId64 ":1:7:%s", fence, baton_of(other.text).text + 1);
		assert_holds(RL_KEY_FENCE, expected);
	}
}

static void closing_moves_the_fences_end_only_later(void **state)
{
	take(new_token().text);
	run("PEXPIRE %b %d", KEY(RL_KEY_FENCE), 10 * GRACE);
	close_token(new_token().text, 0);
	assert_lives(RL_KEY_FENCE, 10 * GRACE);
}

/* --- fences --- */

static int64_t server_clock(int64_t *microseconds)
{
	redisReply *reply = command(rig.redis, "TIME");
	int64_t seconds = strtoll(reply->element[0]->str, NULL, 10);

	*microseconds = strtoll(reply->element[1]->str, NULL, 10);
	freeReplyObject(reply);
	return seconds * 1000000 + *microseconds;
}

/* In the first tenth of a second, where the clock's microseconds have fewer digits. */
static int64_t await_a_tenth(void)
{
	int64_t microseconds = 1000000, clock = 0;

	while (microseconds >= 50000) {
		clock = server_clock(&microseconds);
	}
	return clock;
}

static void a_fence_is_the_clock_in_microseconds(void **state)
{
	struct value token = new_token();
	int64_t clock = await_a_tenth(), fence = take(token.text);

	assert_in_range(fence, clock, clock + PATIENCE_MS * 1000);
	ask(FLAG);
	clock = await_a_tenth();
	assert_int_equal(give_back(token.text, fence), PASSED);
	assert_in_range(stored_fence(), clock, clock + PATIENCE_MS * 1000);
}

static void a_break_keeps_a_fence_that_is_ahead(void **state)
{
	struct value token = new_token();
	int64_t ignored, ahead = server_clock(&ignored) + 10 * (int64_t)LEASE * 1000;

	run("SET %b %lld", KEY(RL_KEY_FENCE), (long long)ahead);
	take(token.text);
	assert_int_equal(break_lock(token.text, new_baton().text), FREED);
	assert_fence(ahead + 2);
	assert_lives(RL_KEY_FENCE, WINDOW + GRACE + 10 * LEASE);
}

static void a_break_that_cannot_count_leaves_no_fence(void **state)
{
	struct value token = new_token();
	redisContext *redis = rig_connect_as("noset", "+@all -set");
	int64_t fence = take(token.text);
	struct script_call call;

	make_break(&call, text_of(token.text), new_baton().text);
	assert_int_equal(script_run(redis, &call).code, FREED);
	assert_false(rig_exists(RL_KEY_LOCK));
	assert_int_equal(give_back(token.text, fence), UNKNOWN);
	redisFree(redis);
}

static void the_serials_of_a_new_holder_begin_anew(void **state)
{
	struct value token = new_token(), adopter = new_token();
	int64_t fence = take(token.text);
	struct script_call call;
	struct replaced replaced;

	make_extend(&call, text_of(token.text), fence, LEASE, RL_EXTEND_ANEW);
	set_word(&call, OF_TWO(5), "7");
	assert_int_equal(script_run(rig.redis, &call).code, OURS);
	replaced = replace(token.text, adopter.text, 0, "0");
	make_extend(&call, text_of(adopter.text), 0, 10 * LEASE, RL_EXTEND_ANEW);
	set_word(&call, OF_TWO(2), replaced.fence);
	set_word(&call, OF_TWO(5), "1");
	assert_int_equal(script_run(rig.redis, &call).code, OURS);
	assert_lives(RL_KEY_LOCK, 10 * LEASE);
}

/* ---------------------------------------------------------------- what a client does */

/* What goes by on our clock while the server's answer is held. */
#define DELAY (20 * RL_SECOND)

/* Patient enough for that; and connected. */
static struct rl_owner *new_patient(void)
{
	char address[160];
	struct rl_owner *owner;

	snprintf(address, sizeof address, "%s?timeout=600", proxy.address);
	owner = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
	assert_status(own(owner, "another", LEASE), RL_OK);
	assert_status(disown(owner, "another"), RL_OK);
	return owner;
}

struct delay {
	pthread_t thread;
	unsigned struck; /* by then the proxy has the answer */
	rl_time by;
};

static void *pass_time(void *context)
{
	const struct delay *delay = context;

	for (int tries = 0; proxy.struck < delay->struck && tries < 10000; tries++) {
		pause_a_moment();
	}
	clock_advance(delay->by);
	proxy_let_go(&proxy);
	return NULL;
}

/* The proxy's `rules`-th rule from now holds an answer: meanwhile our clock goes on. */
static void begin_delay(struct delay *delay, unsigned rules, rl_time by)
{
	*delay = (struct delay){ .struck = proxy.struck + rules, .by = by };
	assert_int_equal(pthread_create(&delay->thread, NULL, pass_time, delay), 0);
}

static void end_delay(struct delay *delay)
{
	pthread_join(delay->thread, NULL);
}

static void hold(const struct rl_script *script)
{
	proxy_add(&proxy, (struct proxy_rule){ .script = script, .times = 1, .fault = PROXY_HOLD });
}

static void assert_counts_from_before(struct rl_owner *owner)
{
	assert_true(view(owner, "job").left <= LEASE * RL_MILLISECOND - DELAY);
	assert_true(view(owner, "job").left > 0);
}

static void a_lease_counts_from_before_its_request(void **state)
{
	struct rl_owner *owner = new_patient(), *adopter = new_patient();
	struct rl_token token;
	struct delay delay;

	hold(&rl_script_acquire);
	begin_delay(&delay, 1, DELAY);
	assert_status(own(owner, "job", LEASE), RL_OK);
	end_delay(&delay);
	assert_counts_from_before(owner);

	hold(&rl_script_extend);
	begin_delay(&delay, 1, DELAY);
	assert_status(prolong(owner, "job", LEASE), RL_OK);
	end_delay(&delay);
	assert_counts_from_before(owner);

	assert_status(hand_over(owner, "job", LEASE, &token), RL_OK);
	hold(&rl_script_replace);
	begin_delay(&delay, 1, DELAY);
	assert_status(adopt(adopter, "job", &token, LEASE), RL_OK);
	end_delay(&delay);
	assert_counts_from_before(adopter);
	rl_token_free(&token);
}

/* The first one has run, and its answer is lost; time goes by until the second. */
static void a_lease_counts_from_before_its_first_sending(void **state)
{
	static const struct rl_script *const scripts[] = { &rl_script_acquire, &rl_script_extend };

	for (size_t i = 0; i < COUNT(scripts); i++) {
		struct rl_owner *owner = new_patient();
		struct delay delay;

		if (i) {
			assert_status(own(owner, "job", LEASE), RL_OK);
		}
		proxy_add(&proxy, (struct proxy_rule){ .script = scripts[i], .times = 1, .fault = PROXY_CUT_AFTER });
		proxy_add(&proxy, (struct proxy_rule){ .word = "CLIENT", .times = 1, .fault = PROXY_HOLD }); /* a new connection's */
		begin_delay(&delay, 2, DELAY);
		assert_status(i ? prolong(owner, "job", LEASE) : own(owner, "job", LEASE), RL_OK);
		end_delay(&delay);
		assert_counts_from_before(owner);
		assert_status(disown(owner, "job"), RL_OK);
		end_owner(owner);
	}
}

static void a_grant_that_is_over_when_it_is_heard_of_is_none(void **state)
{
	struct rl_owner *owner = new_patient();
	struct delay delay;

	hold(&rl_script_acquire);
	begin_delay(&delay, 1, (LEASE + 1) * RL_MILLISECOND);
	assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
	end_delay(&delay);
	assert_non_null(strstr(said.message, "had run out when the answer came"));
	assert_false(holds(owner, "job"));
	assert_status(own(owner, "another", LEASE), RL_OK); /* the next contact */
	assert_false(is_taken("job"));
}

/* --- late copies --- */

static void keep(const struct rl_script *script, unsigned times)
{
	proxy_add(&proxy, (struct proxy_rule){ .script = script, .times = times, .fault = PROXY_LATE });
}

static bool lets_the_copy_take_it(void *context)
{
	bool *done = context;

	if (!*done) {
		*done = true;
		run("DEL lock@job");
		assert_int_equal(proxy_deliver(&proxy), 1);
		run("PEXPIRE lock@job %d", LEASE / 2); /* time goes by */
	}
	return true;
}

/* The second sending of an ask was told that it is taken; the wait goes on, and the first sending takes it. */
static void what_a_late_ask_takes_is_not_believed(void **state)
{
	bool done = false;
	struct rl_owner *holder = new_owner();
	struct rl_owner *waiter = new_owner_at(proxy.address, (struct rl_wait_hook){ .run = lets_the_copy_take_it, .context = &done });

	assert_status(own(holder, "job", 10 * LEASE), RL_OK);
	keep(&rl_script_acquire, 1);
	assert_status(own_waiting(waiter, "job", LEASE, 60 * RL_SECOND), RL_OK);
	assert_true(done);
	assert_true(view(waiter, "job").left < server_left("job") * RL_MILLISECOND);
}

/* --- waiting --- */

static struct {
	struct rl_owner *holder, *waiter;
	bool over;
} scene;

static bool has_its_flag(void *context)
{
	if (!scene.over) {
		scene.over = true;
		await_parked(1);
		assert_true(number("PTTL %b", KEY(RL_KEY_WAITING)) > 1100); /* by then it asks again at the latest */
	}
	return true;
}

static void the_flag_outlives_the_time_until_the_next_ask(void **state)
{
	scene.over = false;
	assert_status(own(new_owner(), "job", LEASE), RL_OK);
	assert_status(own_waiting(new_hooked(has_its_flag, NULL), "job", LEASE, 300 * RL_MILLISECOND), RL_NO);
	assert_true(scene.over);
}

static bool loses_its_flag(void *context)
{
	if (!scene.over) {
		scene.over = true;
		await_parked(1);
		run("DEL %b", KEY(RL_KEY_WAITING));
	}
	return true;
}

static void the_last_ask_raises_no_flag(void **state)
{
	scene.over = false;
	assert_status(own(new_owner(), "job", LEASE), RL_OK);
	assert_status(own_waiting(new_hooked(loses_its_flag, NULL), "job", LEASE, 300 * RL_MILLISECOND), RL_NO);
	assert_true(scene.over);
	assert_false(rig_exists(RL_KEY_WAITING));
}

/* The first ask raised it, when it was not known yet that there is no parking. */
static bool loses_its_flag_later(void *context)
{
	if (++*(int *)context == 4) {
		run("DEL %b", KEY(RL_KEY_WAITING));
	}
	return true;
}

static void who_cannot_park_polls_and_raises_no_flag(void **state)
{
	int looks = 0;
	struct rl_owner *waiter = new_hooked(loses_its_flag_later, &looks);

	assert_status(own(new_owner(), "job", LEASE), RL_OK);
	run("ACL SETUSER default -blpop");
	assert_status(own_waiting(waiter, "job", LEASE, 900 * RL_MILLISECOND), RL_NO);
	run("ACL SETUSER default +@all");
	assert_true(rl_owner_stats(waiter)->requests >= 6);
	assert_true(looks >= 4);
	assert_false(rig_exists(RL_KEY_WAITING));
}

/* A timeout of nothing would be one without an end. */
static void the_shortest_wait_ends_by_itself(void **state)
{
	struct rl_owner *waiter = new_owner();
	rl_time began;

	assert_status(own(new_owner(), "job", LEASE), RL_OK);
	clock_stop(rl_now()); /* it goes on only while somebody waits in vain */
	began = rl_now();
	assert_status(own_waiting(waiter, "job", LEASE, RL_MILLISECOND / 2), RL_NO);
	assert_true(rl_now() - began < 90 * RL_MILLISECOND);
}

/* --- a slot that moves: its lock's key alone will do --- */

/* For one sending with all keys, after so many with the first one alone. */
static void move_slot_for(const struct rl_script *script, unsigned after)
{
	proxy_add(&proxy, (struct proxy_rule){ .script = script, .skip = after, .times = 1, .fault = PROXY_ANSWER, .answer = "-TRYAGAIN Multiple keys request during rehashing of slot\r\n" });
}

static void move_slot(const struct rl_script *script)
{
	move_slot_for(script, 0);
}

static void while_a_slot_moves_the_first_key_will_do(void **state)
{
	struct rl_owner *owner = new_proxied();
	char fence[32];

	assert_status(own(owner, "job", LEASE), RL_OK);
	snprintf(fence, sizeof fence, "%" PRId64, view(owner, "job").fence);
	move_slot(&rl_script_extend);
	assert_status(prolong(owner, "job", 10 * LEASE), RL_OK);
	assert_true(server_left("job") > LEASE);
	assert_holds(RL_KEY_FENCE, fence); /* and no serial */

	ask(FLAG);
	move_slot(&rl_script_release);
	assert_status(disown(owner, "job"), RL_OK);
	assert_false(is_taken("job")); /* passed to nobody */
}

static void an_extend_with_the_first_key_overtakes_nothing(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	keep(&rl_script_extend, 2);
	assert_status(prolong(owner, "job", LEASE / 2), RL_UNREACHABLE);
	for (int i = 0; i < 2; i++) {
		move_slot(&rl_script_extend);
		assert_status(prolong(owner, "job", 10 * LEASE), RL_OK);
	}
	assert_int_equal(proxy_deliver(&proxy), 2); /* it may yet run */
	assert_true(view(owner, "job").left < server_left("job") * RL_MILLISECOND);
}

static void the_first_key_alone_is_not_believed_past_the_deadline(void **state)
{
	struct rl_owner *owner = new_proxied();

	keep(&rl_script_acquire, 1);
	assert_status(own(owner, "job", LEASE / 100), RL_OK);
	expire_here(owner, "job");
	expire_on_server("job");
	taken_between("job");
	assert_int_equal(proxy_deliver(&proxy), 1);
	assert_true(is_taken("job"));
	move_slot(&rl_script_extend);
	assert_status(prolong(owner, "job", LEASE), RL_LOST);
}

static void a_release_with_the_first_key_is_sent_again_to_close(void **state)
{
	struct rl_owner *owner = new_proxied();

	keep(&rl_script_acquire, 1);
	assert_status(own(owner, "job", LEASE), RL_OK);
	move_slot_for(&rl_script_release, 0);
	move_slot_for(&rl_script_release, 1); /* and still, when it is sent again */
	assert_status(disown(owner, "job"), RL_OK);
	assert_status(own(owner, "another", LEASE), RL_OK); /* the next contact */
	assert_status(own(owner, "third", LEASE), RL_OK);   /* and the one after it */
	assert_int_equal(proxy_deliver(&proxy), 1);
	assert_false(is_taken("job"));
}

/* --- giving up --- */

/* Where the client may not ask for the server's clock, no request says until when it may run. */
static void what_is_given_up_is_undone_behind_it(void **state)
{
	char address[160];
	struct rl_owner *owner;

	run("ACL SETUSER default -info");
	snprintf(address, sizeof address, "%s?timeout=0.3", proxy.address);
	owner = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
	proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_acquire, .times = 1, .fault = PROXY_STALL });
	assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
	run("ACL SETUSER default +@all");
	end_owner(owner);
	proxy_let_go(&proxy);
	AWAIT(rig_exists(RL_KEY_FENCE)); /* it was taken */
	await_free("job");
}

int test_rules(void)
{
#define script_test(name) cmocka_unit_test_setup(name, rig_reset)
#define owner_test(name)  cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	const struct CMUnitTest tests[] = {
		script_test(full_memory_raises_a_flag_that_is_about_to_fall),
		script_test(an_acquire_past_until_throws_out_no_baton),
		script_test(an_extend_past_until_sets_nothing_anew),
		script_test(an_extend_that_has_run_sets_nothing_anew),
		script_test(an_extend_sets_nothing_anew_that_another_had),
		script_test(without_a_fence_an_extend_only_lengthens),
		script_test(what_is_closed_stays_closed),
		script_test(a_closed_token_claims_nothing),
		script_test(a_closed_token_replaces_nothing),
		script_test(a_claim_is_late_though_a_token_was_closed),
		script_test(the_last_64_that_were_closed_are_remembered),
		script_test(every_step_keeps_what_is_closed),
		script_test(closing_keeps_all_that_is_behind_the_fence),
		script_test(closing_moves_the_fences_end_only_later),
		script_test(a_fence_is_the_clock_in_microseconds),
		script_test(a_break_keeps_a_fence_that_is_ahead),
		script_test(a_break_that_cannot_count_leaves_no_fence),
		script_test(the_serials_of_a_new_holder_begin_anew),
		owner_test(a_lease_counts_from_before_its_request),
		owner_test(a_lease_counts_from_before_its_first_sending),
		owner_test(a_grant_that_is_over_when_it_is_heard_of_is_none),
		owner_test(what_a_late_ask_takes_is_not_believed),
		owner_test(the_flag_outlives_the_time_until_the_next_ask),
		owner_test(the_last_ask_raises_no_flag),
		owner_test(who_cannot_park_polls_and_raises_no_flag),
		owner_test(the_shortest_wait_ends_by_itself),
		owner_test(while_a_slot_moves_the_first_key_will_do),
		owner_test(an_extend_with_the_first_key_overtakes_nothing),
		owner_test(the_first_key_alone_is_not_believed_past_the_deadline),
		owner_test(a_release_with_the_first_key_is_sent_again_to_close),
		owner_test(what_is_given_up_is_undone_behind_it),
	};

	return cmocka_run_group_tests_name("rules", tests, rig_start, rig_stop);
}
