/*
 * Locks that are asked for and waited for in steps: no step waits, what nobody wants any more goes
 * on to others, and what ran out before it was told is not told.
 */
#include "owner_rig.h"
#include "prompt.h"
#include "stack.h"

#include "base/poll.h"
#include "lock/owner/internal.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct rl_pending *request_with(struct rl_owner *owner, struct rl_acquire terms)
{
	struct rl_pending *pending;

	terms.key = terms.key.data ? terms.key : NAME("job");
	terms.policy = RL_POLICY_WAIT;
	assert_status(rl_pending_begin(owner, &terms, make_stack(), &pending, &said), RL_OK);
	return pending;
}

static struct rl_pending *request(struct rl_owner *owner, int64_t lease_ms, rl_time wait)
{
	return request_with(owner, (struct rl_acquire){ .lease_ms = lease_ms, .wait = wait });
}

static void share(struct rl_owner *owner)
{
	struct rl_acquire terms = { .lease_ms = LEASE, .is_shared = true };

	assert_status(own_with(owner, "job", &terms), RL_OK);
}

/* False: not yet. */
static bool is_over(struct rl_pending *pending, enum rl_status expected)
{
	enum rl_status status;

	if (!rl_pending_go_on(pending, &status, &said)) {
		return false;
	}
	assert_status(status, expected);
	return true;
}

static bool is_readable(struct rl_pending *pending)
{
	struct rl_pollfd polled = { .fd = rl_pending_fd(pending), .want_read = true };

	return rl_poll(&polled, 1, 0) == RL_POLL_READY;
}

static void decide(struct rl_pending *pending, enum rl_status expected)
{
	AWAIT(is_over(pending, expected));
}

/* Steps it, for as long as it has something to do, until so many are parked. */
static void park_pending(struct rl_pending *pending, int parked)
{
	AWAIT(!is_over(pending, RL_OK) && parked_clients() == parked && !is_readable(pending));
}

/* There is an idle connection. */
static struct rl_owner *warm_owner(void)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "warm", LEASE), RL_OK);
	assert_status(disown(owner, "warm"), RL_OK);
	return owner;
}

/* ---------------------------------------------------------------- to its end */

static void it_is_woken_and_told_by_its_descriptor(void **state)
{
	struct rl_owner *holder = new_owner(), *waiter = new_owner();
	struct rl_pending *pending;
	struct prompt_moment before;

	assert_status(own(holder, "job", LEASE), RL_OK);
	pending = request(waiter, LEASE, RL_FOREVER);
	park_pending(pending, 1);
	before = prompt_now();
	assert_status(disown(holder, "job"), RL_OK);
	AWAIT(is_readable(pending));
	decide(pending, RL_OK);
	expect_soon(prompt_since(before), 900 * RL_MILLISECOND);
	assert_true(is_readable(pending));
	assert_true(is_over(pending, RL_OK));
	assert_true(holds(waiter, "job"));
	assert_int_equal(rl_owner_stats(waiter)->waits, 1);
	rl_pending_end(pending);
}

static void it_ends_on_time(void **state)
{
	struct rl_owner *holder = new_owner(), *waiter = warm_owner();
	struct rl_pending *pending;

	assert_status(own(holder, "job", LEASE), RL_OK);
	pending = request(waiter, LEASE, 100 * RL_MILLISECOND);
	decide(pending, RL_NO);
	assert_true(is_over(pending, RL_NO));
	rl_pending_end(pending);
	assert_int_equal(rl_owner_stats(waiter)->busy, 1);
}

static void no_other_call_asks_for_the_same(void **state)
{
	struct rl_owner *holder = new_owner(), *waiter = new_owner();
	struct rl_acquire terms = { .key = NAME("job"), .lease_ms = LEASE, .policy = RL_POLICY_WAIT };
	struct rl_acquire_key keys[] = { { .name = NAME("other") }, { .name = NAME("job") } };
	struct rl_acquire_all all = { .keys = keys, .count = 2, .lease_ms = LEASE };
	struct rl_pending *pending, *second;

	assert_status(own(holder, "job", LEASE), RL_OK);
	pending = request(waiter, LEASE, RL_FOREVER);
	assert_status(own(waiter, "job", LEASE), RL_MISUSE);
	assert_status(rl_pending_begin(waiter, &terms, make_stack(), &second, &said), RL_MISUSE);
	assert_status(rl_owner_acquire_all(waiter, &all, &said), RL_MISUSE);
	assert_false(is_taken("other"));
	rl_pending_cancel(pending);
	assert_status(own(waiter, "job", LEASE), RL_NO);
	assert_true(is_over(pending, RL_NO));
	rl_pending_end(pending);
}

/* Behind one that nobody wants any more, and that is still under way. */
static void the_second_one_is_refused_and_not_the_first(void **state)
{
	struct rl_owner *owner = warm_owner();
	struct rl_acquire terms = { .key = NAME("job"), .lease_ms = LEASE, .policy = RL_POLICY_WAIT };
	struct rl_pending *unwanted, *first, *second;

	throwaway_freeze(&rig.server);
	unwanted = request(owner, LEASE, RL_FOREVER);
	rl_pending_cancel(unwanted);
	first = request(owner, LEASE, RL_FOREVER);
	assert_status(rl_pending_begin(owner, &terms, make_stack(), &second, &said), RL_MISUSE);
	kill(rig.server.pid, SIGCONT);
	decide(first, RL_OK);
	rl_pending_end(first);
	rl_pending_end(unwanted);
	assert_status(disown(owner, "job"), RL_OK);
}

static void a_grant_that_ran_out_before_it_was_told_is_not_told(void **state)
{
	struct rl_owner *owner = warm_owner();
	struct rl_pending *pending = request(owner, LEASE, RL_FOREVER);

	let_it_arrive();
	AWAIT(is_taken("job"));
	clock_advance(2 * LEASE * RL_MILLISECOND);
	run("DEL lock@job");
	assert_false(is_over(pending, RL_OK));
	decide(pending, RL_OK);
	assert_true(is_taken("job"));
	assert_true(view(owner, "job").left > 0);
	rl_pending_end(pending);
	clock_reset();
}

static void what_is_held_goes_a_level_deeper(void **state)
{
	struct rl_owner *owner = new_owner();
	struct rl_pending *pending;

	assert_status(own(owner, "job", LEASE), RL_OK);
	pending = request(owner, 2 * LEASE, RL_FOREVER);
	assert_int_equal(view(owner, "job").depth, 1);
	decide(pending, RL_OK);
	assert_int_equal(view(owner, "job").depth, 2);
	assert_lives(RL_KEY_LOCK, 2 * LEASE);
	rl_pending_end(pending);

	pending = request(owner, LEASE, RL_FOREVER);
	rl_pending_end(pending);
	assert_int_equal(view(owner, "job").depth, 2);

	pending = request(owner, LEASE, RL_FOREVER);
	let_it_arrive();
	run("DEL lock@job");
	assert_status(disown(owner, "job"), RL_OK);
	assert_status(disown(owner, "job"), RL_LOST);
	decide(pending, RL_OK);
	assert_int_equal(view(owner, "job").depth, 1);
	rl_pending_end(pending);
}

/* What is told then is about a grant that is no more. */
static void what_is_held_may_change_meanwhile(void **state)
{
	struct rl_owner *owner = warm_owner();
	struct rl_pending *pending;

	assert_status(own(owner, "job", LEASE), RL_OK);
	pending = request(owner, 10 * LEASE, RL_FOREVER);
	let_it_arrive();
	assert_status(prolong(owner, "job", LEASE / 2), RL_OK);
	decide(pending, RL_OK);
	assert_lives(RL_KEY_LOCK, 10 * LEASE);
	rl_pending_end(pending);
}

static void what_is_in_doubt_is_settled_first(void **state)
{
	for (int was_done = 0; was_done < 2; was_done++) {
		struct rl_owner *owner = new_proxied();
		struct rl_pending *pending;
		int64_t fence;

		assert_status(own(owner, "job", LEASE), RL_OK);
		fence = view(owner, "job").fence;
		proxy_add(&proxy,
			(struct proxy_rule){ .script = &rl_script_extend,
				.times = 2,
				.fault = was_done ? PROXY_CUT_AFTER : PROXY_CUT_BEFORE,
				.fails = true });
		assert_status(prolong(owner, "job", LEASE / 2), RL_UNREACHABLE);
		pending = request(owner, 2 * LEASE, RL_FOREVER);
		decide(pending, RL_OK);
		assert_int_equal(view(owner, "job").fence, fence + 1);
		assert_int_equal(view(owner, "job").depth, 2);
		assert_lives(RL_KEY_LOCK, 2 * LEASE);
		rl_pending_end(pending);
		disown_all(owner);
	}
}

/* ---------------------------------------------------------------- a share becomes exclusive */

static void a_share_becomes_exclusive(void **state)
{
	struct rl_owner *owner = warm_owner(), *other = warm_owner();
	struct rl_pending *pending;

	share(owner);
	share(other);
	pending = request(owner, LEASE, RL_FOREVER);
	decide(pending, RL_NO);
	rl_pending_end(pending);
	assert_true(view(owner, "job").is_shared);
	assert_int_equal(rl_owner_stats(owner)->busy, 1);

	assert_status(disown(other, "job"), RL_OK);
	pending = request(owner, 2 * LEASE, RL_FOREVER);
	decide(pending, RL_OK);
	rl_pending_end(pending);
	assert_false(view(owner, "job").is_shared);
	assert_int_equal(view(owner, "job").depth, 2);
	assert_lives(RL_KEY_LOCK, 2 * LEASE);
	assert_status(disown(owner, "job"), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	assert_false(is_taken("job"));
}

/* Otherwise the first request finds the server without the script, and so is not done at once. */
static void let_it_know_upgrades(void)
{
	struct rl_owner *owner = new_owner();

	share(owner);
	assert_status(own(owner, "job", LEASE), RL_OK);
	disown_all(owner);
}

/* A release of the share would find no share. */
static void other_calls_hear_of_it_first(void **state)
{
	struct rl_owner *owner = warm_owner();
	struct rl_pending *pending;

	let_it_know_upgrades();
	share(owner);
	pending = request(owner, LEASE, RL_FOREVER);
	assert_status(check_lock(owner, "job"), RL_OK);
	let_it_arrive();
	assert_status(disown(owner, "job"), RL_OK);
	assert_false(is_taken("job"));
	decide(pending, RL_OK);
	assert_int_equal(view(owner, "job").depth, 1);
	rl_pending_end(pending);
	assert_status(disown(owner, "job"), RL_OK);

	share(owner);
	pending = request(owner, LEASE, RL_FOREVER);
	let_it_arrive();
	assert_int_equal(disown_all(owner).lost, 0);
	assert_false(is_taken("job"));
	rl_pending_end(pending);
}

/* Whether that was heard of, or not yet. */
static void nobody_wants_it_any_more(void **state)
{
	let_it_know_upgrades();
	for (int was_heard = 0; was_heard < 2; was_heard++) {
		struct rl_owner *owner = warm_owner(), *other = warm_owner();
		struct rl_pending *pending;

		share(owner);
		pending = request(owner, LEASE, RL_FOREVER);
		let_it_arrive();
		if (was_heard) {
			assert_status(prolong(owner, "job", 2 * LEASE), RL_OK);
		}
		rl_pending_end(pending);
		AWAIT((rl_owner_tidy(), number("STRLEN lock@job") == strlen("+shared"))
			&& view(owner, "job").is_shared);
		share(other);
		assert_int_equal(view(owner, "job").depth, 1);
		assert_status(disown(owner, "job"), RL_OK);
		assert_status(disown(other, "job"), RL_OK);
		assert_false(is_taken("job"));
	}
}

/* Nor when it is given back just then: that waits for what takes it back. */
static void what_is_taken_back_is_given_back(void **state)
{
	let_it_know_upgrades();
	for (int all = 0; all < 2; all++) {
		struct rl_owner *owner = warm_owner();
		struct rl_pending *pending;

		share(owner);
		pending = request(owner, LEASE, RL_FOREVER);
		let_it_arrive();
		assert_status(look(owner, "job"), RL_OK); /* which hears of it */
		assert_false(view(owner, "job").is_shared);
		rl_pending_cancel(pending);
		AWAIT(number("STRLEN lock@job") == strlen("+shared"));
		if (all) {
			assert_int_equal(disown_all(owner).released, 1);
		} else {
			assert_status(disown(owner, "job"), RL_OK);
		}
		assert_false(is_taken("job"));
		assert_status(check_lock(owner, "job"), RL_MISUSE);
		rl_pending_end(pending);
	}
}

/* What is late then is told as late, though another step has found that out. */
static void what_is_late_once_it_is_taken_back_is_no_loss(void **state)
{
	struct rl_owner *owner = warm_owner();
	struct rl_pending *pending;

	let_it_know_upgrades();
	owner->route->timeout = 10 * LEASE * RL_MILLISECOND; /* the lease ends within the calls */
	share(owner);
	pending = request(owner, LEASE, RL_FOREVER);
	let_it_arrive();
	assert_status(look(owner, "job"), RL_OK);
	rl_pending_cancel(pending);
	AWAIT(number("STRLEN lock@job") == strlen("+shared"));
	expire_here(owner, "job");
	AWAIT((rl_owner_tidy(), !holds(owner, "job") && check_lock(owner, "job") != RL_MISUSE));
	assert_status(check_lock(owner, "job"), RL_TIMED_OUT);
	rl_pending_end(pending);
}

static long long fence_now(void)
{
	return number(
		"EVAL %s 1 %b", "return tonumber(redis.call('GET', KEYS[1]))", KEY(RL_KEY_FENCE));
}

/* Without another call: what takes it back is behind it. */
static void an_upgrade_is_taken_back_behind_it(void **state)
{
	struct rl_owner *owner = warm_owner(), *other = warm_owner();
	struct rl_pending *pending;
	long long fence;

	let_it_know_upgrades();
	share(owner);
	fence = fence_now();
	throwaway_freeze(&rig.server);
	pending = request(owner, LEASE, RL_FOREVER);
	rl_pending_end(pending);
	kill(rig.server.pid, SIGCONT);
	AWAIT(fence_now() > fence
		&& number("STRLEN lock@job") == strlen("+shared"));
	share(other);
	assert_true(view(owner, "job").is_shared);
	assert_status(disown(owner, "job"), RL_OK);
	assert_status(disown(other, "job"), RL_OK);
	assert_false(is_taken("job"));
}

static void what_was_heard_by_another_may_change_again(void **state)
{
	struct rl_owner *owner = warm_owner();
	struct rl_pending *pending;
	struct rl_error error;

	let_it_know_upgrades();
	share(owner);
	pending = request(owner, LEASE, RL_FOREVER);
	let_it_arrive();
	assert_status(rl_owner_downgrade(owner, rl_text_of("job"), &error), RL_OK);
	decide(pending, RL_OK);
	assert_false(view(owner, "job").is_shared);
	rl_pending_end(pending);
	assert_status(disown(owner, "job"), RL_OK);
}

/* And then somebody does, while it is still out. */
static void one_that_is_let_go_of_is_taken_over(void **state)
{
	for (int is_shared = 0; is_shared < 2; is_shared++) {
		struct rl_owner *owner = warm_owner();
		struct rl_pending *pending;

		share(owner);
		throwaway_freeze(&rig.server);
		pending = request(owner, LEASE, RL_FOREVER);
		rl_pending_end(pending);
		pending = request_with(
			owner, (struct rl_acquire){ .lease_ms = LEASE, .is_shared = is_shared == 1 });
		assert_false(is_over(pending, RL_OK));
		kill(rig.server.pid, SIGCONT);
		decide(pending, RL_OK);
		assert_int_equal(view(owner, "job").depth, 2);
		rl_pending_end(pending);
		assert_int_equal(disown_all(owner).lost, 0);
		assert_false(is_taken("job"));
	}
}

static void nobody_can_tell_what_became_of_it(void **state)
{
	struct rl_owner *owner = new_proxied();
	struct rl_pending *pending;

	share(owner);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_upgrade,
			.times = 2,
			.fault = PROXY_CUT_AFTER,
			.fails = true });
	pending = request(owner, LEASE, RL_FOREVER);
	decide(pending, RL_UNREACHABLE);
	rl_pending_end(pending);
	assert_false(holds(owner, "job"));
	assert_true(is_taken("job"));
	assert_status(own(owner, "other", LEASE), RL_OK); /* the next contact */
	assert_false(is_taken("job"));
}

/* ---------------------------------------------------------------- given up */

static void a_take_that_is_out_is_undone_behind(void **state)
{
	struct rl_owner *owner = warm_owner();

	rl_pending_end(request(owner, LEASE, RL_FOREVER));
	let_it_arrive();
	await_free("job");
	assert_false(holds(owner, "job"));
}

/* It has been done, and WAIT is out, for as long as the call may take. */
static void it_is_given_up_while_replicas_are_asked(void **state)
{
	struct rl_owner *owner = warm_owner();
	struct rl_pending *pending;

	owner->route->replicas = 1;
	pending = request(owner, LEASE, RL_FOREVER);
	AWAIT(is_taken("job"));
	assert_false(is_over(pending, RL_OK));
	rl_pending_end(pending);
	AWAIT(!is_taken("job"));
}

static void a_grant_that_nobody_was_told_of_goes_with_it(void **state)
{
	struct rl_owner *owner = warm_owner();
	struct rl_pending *pending = request(owner, LEASE, RL_FOREVER);

	AWAIT(is_taken("job") && is_readable(pending));
	rl_pending_cancel(pending);
	await_free("job");
	assert_true(is_over(pending, RL_NO));
	rl_pending_end(pending);
}

static void a_baton_that_has_come_is_passed_on_at_once(void **state)
{
	struct rl_owner *holder = new_owner(), *first = new_owner(), *second = new_owner();
	struct rl_pending *leaving, *next;
	struct prompt_moment before;

	assert_status(own(holder, "job", LEASE), RL_OK);
	leaving = request(first, LEASE, RL_FOREVER);
	park_pending(leaving, 1);
	next = request(second, LEASE, RL_FOREVER);
	park_pending(next, 2);
	before = prompt_now();
	assert_status(disown(holder, "job"), RL_OK);
	AWAIT(is_readable(leaving));
	rl_pending_end(leaving);
	decide(next, RL_OK);
	expect_soon(prompt_since(before), A_MOMENT);
	rl_pending_end(next);
}

static void one_that_comes_later_is_passed_on_at_the_next_contact(void **state)
{
	struct rl_owner *holder = new_owner(), *first = new_proxied(), *second = new_owner();
	struct rl_pending *leaving, *next;

	assert_status(own(holder, "job", LEASE), RL_OK);
	leaving = request(first, LEASE, RL_FOREVER);
	park_pending(leaving, 1);
	next = request(second, LEASE, RL_FOREVER);
	park_pending(next, 2);
	rl_pending_end(leaving);
	AWAIT(parked_clients() == 1);
	rl_owner_tidy();
	assert_status(disown(holder, "job"), RL_OK);
	decide(next, RL_OK);
	rl_pending_end(next);
}

/* The lock may be free: so it is asked for, for the sake of others, and nobody hears the answer. */
static void the_word_to_ask_takes_nothing(void **state)
{
	for (int was_polled = 0; was_polled < 2; was_polled++) {
		struct rl_owner *holder = new_owner(), *waiter = new_owner();
		struct rl_pending *pending;

		assert_status(own(holder, "job", LEASE), RL_OK);
		pending = request(waiter, LEASE, RL_FOREVER);
		park_pending(pending, 1);
		run("DEL lock@job");
		run("LPUSH %b -", KEY(RL_KEY_WAKE));
		AWAIT(is_readable(pending));
		if (was_polled && is_over(pending, RL_OK)) {
			disown_all(waiter);
		}
		rl_pending_end(pending);
		let_it_arrive();
		await_free("job");
		assert_true(parked_clients() == 0);
	}
}

static void it_leaves_the_queue_without_a_second_connection_too(void **state)
{
	struct rl_owner *holder = new_owner(), *waiter = new_owner();
	struct rl_pending *pending;
	struct prompt_moment before;

	assert_status(own(holder, "job", LEASE), RL_OK);
	pending = request(waiter, LEASE, 5 * RL_SECOND);
	park_pending(pending, 1);
	before = prompt_now();
	rl_pending_end(pending);
	AWAIT(parked_clients() == 0);
	expect_soon(prompt_since(before), A_MOMENT);
}

static void an_owners_end_ends_what_is_pending(void **state)
{
	struct rl_owner *holder = new_owner(), *waiter = new_owner();
	struct rl_pending *pending;

	assert_status(own(holder, "job", LEASE), RL_OK);
	pending = request(waiter, LEASE, RL_FOREVER);
	park_pending(pending, 1);
	end_all(&waiter, 1);
	assert_int_equal(parked_clients(), 0);
	assert_true(is_readable(pending));
	assert_true(is_over(pending, RL_NO));
	end_owner(waiter);
	assert_true(is_over(pending, RL_NO));
	rl_pending_end(pending);
}

/* ---------------------------------------------------------------- no step waits */

enum fault {
	FREEZE,  /* the server answers nothing any more */
	STUFF,   /* and the system takes nothing of what is sent */
	SILENCE, /* connections have ended, and its name cannot be looked up */
	FAULTS
};

static struct {
	struct throwaway server;
	redisContext *redis;
	struct rl_owner *holder, *owner;
	struct rl_pending *all[5];
} scene;

static bool is_one_parked(void)
{
	redisReply *clients = command(scene.redis, "INFO clients");
	bool is_one = strstr(clients->str, "blocked_clients:1\r") != NULL;

	freeReplyObject(clients);
	return is_one;
}

/* One owner has a share and two locks, and is parked for one more. */
static void set_scene(void)
{
	static const char *const localhost[] = { "127.0.0.1", NULL };
	const struct rl_wait_hook none = { .run = NULL };
	struct rl_acquire terms = { .lease_ms = LEASE, .is_shared = true };
	char address[64];

	faults_resolve(localhost);
	assert_true(throwaway_start(&scene.server, true, NULL));
	scene.redis = redisConnectUnix(scene.server.socket);
	snprintf(address, sizeof address, "redis://locks.test:%d?timeout=0.1", scene.server.port);
	scene.holder = new_owner_at(scene.server.address, none);
	scene.owner = new_owner_at(address, none);
	assert_status(own(scene.holder, "job", LEASE), RL_OK);
	assert_status(own(scene.owner, "held", LEASE), RL_OK);
	assert_status(own(scene.owner, "doubtful", LEASE), RL_OK);
	assert_status(own_with(scene.owner, "shared", &terms), RL_OK);
	scene.all[0] = request(scene.owner, LEASE, RL_FOREVER);
	AWAIT(!is_over(scene.all[0], RL_OK) && is_one_parked() && !is_readable(scene.all[0]));
}

static void end_scene(void)
{
	faults_silence_names(false);
	faults_fill_sockets(false);
	end_owner(scene.owner);
	end_owner(scene.holder);
	redisFree(scene.redis);
	throwaway_stop(&scene.server);
	faults_resolve(NULL);
}

static void strike(enum fault fault)
{
	if (fault == SILENCE) {
		faults_silence_names(true);
		freeReplyObject(command(scene.redis, "CLIENT KILL TYPE normal SKIPME yes"));
	} else {
		throwaway_freeze(&scene.server);
		faults_fill_sockets(fault == STUFF);
	}
}

static void live_through(void)
{
	static const char *const keys[] = { "free", "held", "shared", "doubtful" };

	for (size_t i = 0; i < COUNT(keys); i++) {
		scene.all[i + 1] = request_with(
			scene.owner, (struct rl_acquire){ .key = rl_text_of(keys[i]), .lease_ms = LEASE });
	}
	for (int i = 0; i < 100; i++) {
		for (size_t j = 0; j < COUNT(scene.all); j++) {
			assert_false(is_over(scene.all[j], RL_OK));
		}
	}
	for (size_t j = 0; j < COUNT(scene.all); j++) {
		rl_pending_end(scene.all[j]);
	}
	rl_owner_tidy();
}

/* The clock stands still, but for whoever waits. */
static void no_step_waits(void **state)
{
	for (enum fault fault = FREEZE; fault < FAULTS; fault++) {
		rl_time began;

		set_scene();
		strike(fault);
		assert_status(prolong(scene.owner, "doubtful", LEASE / 2), RL_UNREACHABLE);
		began = rl_now();
		clock_stop(began);
		live_through();
		assert_true(rl_now() == began);
		clock_reset();
		end_scene();
	}
}

static void a_server_that_stays_silent_fails_it_as_a_call(void **state)
{
	struct rl_owner *owner = warm_owner();
	struct rl_pending *pending;

	throwaway_freeze(&rig.server);
	pending = request(owner, LEASE, RL_FOREVER);
	assert_false(is_over(pending, RL_OK));
	clock_advance(6 * RL_SECOND);
	AWAIT(is_readable(pending) || (clock_advance(RL_SECOND), false));
	decide(pending, RL_UNREACHABLE);
	assert_true(is_over(pending, RL_NO));
	rl_pending_end(pending);
	clock_reset();
	kill(rig.server.pid, SIGCONT);
}

/* ---------------------------------------------------------------- fork */

static void a_child_leaves_it_to_the_parent(void **state)
{
	struct rl_owner *holder = new_owner(), *waiter = warm_owner();
	struct rl_pending *pending, *asking;
	enum rl_status status;
	pid_t child;
	int ended;

	assert_status(own(holder, "job", LEASE), RL_OK);
	pending = request(waiter, LEASE, RL_FOREVER);
	park_pending(pending, 1);
	asking = request(holder, LEASE, RL_FOREVER);
	child = fork();
	if (child == 0) {
		bool refused = rl_pending_go_on(pending, &status, &said) && status == RL_MISUSE
			&& rl_pending_go_on(asking, &status, &said) && status == RL_MISUSE;

		rl_pending_cancel(pending);
		rl_pending_end(pending);
		rl_pending_end(asking);
		_exit(refused ? 0 : 1);
	}
	assert_true(waitpid(child, &ended, 0) == child);
	assert_int_equal(ended, 0);
	decide(asking, RL_OK);
	park_pending(pending, 1);
	assert_status(disown(holder, "job"), RL_OK);
	assert_status(disown(holder, "job"), RL_OK);
	decide(pending, RL_OK);
	rl_pending_end(asking);
	rl_pending_end(pending);
}

int test_pending(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	const struct CMUnitTest tests[] = {
		test(it_is_woken_and_told_by_its_descriptor),
		test(it_ends_on_time),
		test(no_other_call_asks_for_the_same),
		test(the_second_one_is_refused_and_not_the_first),
		test(a_grant_that_ran_out_before_it_was_told_is_not_told),
		test(what_is_held_goes_a_level_deeper),
		test(what_is_held_may_change_meanwhile),
		test(what_is_in_doubt_is_settled_first),
		test(a_share_becomes_exclusive),
		test(other_calls_hear_of_it_first),
		test(nobody_wants_it_any_more),
		test(what_is_taken_back_is_given_back),
		test(what_is_late_once_it_is_taken_back_is_no_loss),
		test(an_upgrade_is_taken_back_behind_it),
		test(what_was_heard_by_another_may_change_again),
		test(one_that_is_let_go_of_is_taken_over),
		test(nobody_can_tell_what_became_of_it),
		test(a_take_that_is_out_is_undone_behind),
		test(it_is_given_up_while_replicas_are_asked),
		test(a_grant_that_nobody_was_told_of_goes_with_it),
		test(a_baton_that_has_come_is_passed_on_at_once),
		test(one_that_comes_later_is_passed_on_at_the_next_contact),
		test(the_word_to_ask_takes_nothing),
		test(it_leaves_the_queue_without_a_second_connection_too),
		test(an_owners_end_ends_what_is_pending),
		test(no_step_waits),
		test(a_server_that_stays_silent_fails_it_as_a_call),
		test(a_child_leaves_it_to_the_parent),
	};

	return cmocka_run_group_tests_name("pending", tests, rig_start, rig_stop);
}
