/*
 * What waits on a stack of its own (src/base/stack.h), at each of its waits in turn: others use its
 * owner, nobody wants it any more, its owner ends, the process forks. Whatever comes of that,
 * nobody has the lock in the end, who waits behind gets it, and no stack is left. And the same on
 * the thread's own stack, by the hook of the call (src/base/hook.h).
 */
#include "owner_rig.h"
#include "prompt.h"
#include "stack.h"
#include "waits.h"

#include "base/poll.h"
#include "lock/acquire/pending.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS_MAX 40

static struct rl_owner *owner, *holder, *behind;
static struct rl_pending *pending, *next;
static bool is_silent; /* at the end, so that what is held cannot be given back */
static bool is_hooked; /* it is a call on the thread's own stack */
static struct rl_acquire hooked_terms;

/* ---------------------------------------------------------------- what is under way */

static struct rl_pending *request_of(struct rl_owner *by, bool is_shared, rl_time wait)
{
	const struct rl_acquire terms = { .key = NAME("job"),
		.lease_ms = 2 * LEASE,
		.is_shared = is_shared,
		.policy = RL_POLICY_WAIT,
		.wait = wait };
	struct rl_pending *made;

	if (is_hooked) {
		hooked_terms = terms;
		return NULL;
	}
	assert_status(rl_pending_begin(by, &terms, make_stack(), &made, &said), RL_OK);
	return made;
}

static void ask(void)
{
	pending = request_of(owner, false, RL_FOREVER);
}

static void ask_for_a_share(void)
{
	pending = request_of(owner, true, RL_FOREVER);
}

static void ask_with_a_connection(void)
{
	assert_status(own(owner, "warm", LEASE), RL_OK);
	assert_status(disown(owner, "warm"), RL_OK);
	ask();
}

static void ask_for_what_is_taken(void)
{
	assert_status(own(holder, "job", LEASE), RL_OK);
	ask_with_a_connection();
}

static void ask_shortly(void)
{
	assert_status(own(holder, "job", LEASE), RL_OK);
	pending = request_of(owner, false, 30 * RL_MILLISECOND);
}

static void ask_at_the_turnstile(void)
{
	const struct rl_acquire share = { .is_shared = true, .lease_ms = LEASE };

	assert_status(own_with(holder, "job", &share), RL_OK);
	ask_with_a_connection();
}

static void ask_again(void)
{
	assert_status(own(owner, "job", LEASE), RL_OK);
	ask();
}

static void ask_again_for_a_share(void)
{
	const struct rl_acquire share = { .is_shared = true, .lease_ms = LEASE };

	assert_status(own_with(owner, "job", &share), RL_OK);
	ask_for_a_share();
}

static void ask_to_upgrade(void)
{
	const struct rl_acquire share = { .is_shared = true, .lease_ms = LEASE };

	assert_status(own_with(owner, "job", &share), RL_OK);
	ask();
}

static void ask_to_upgrade_in_vain(void)
{
	const struct rl_acquire share = { .is_shared = true, .lease_ms = LEASE };

	assert_status(own_with(holder, "job", &share), RL_OK);
	ask_to_upgrade();
}

static void ask_again_for_what_is_pending(void)
{
	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend,
			.times = 2,
			.fault = PROXY_CUT_AFTER,
			.fails = true });
	assert_status(prolong(owner, "job", LEASE / 2), RL_UNREACHABLE);
	ask();
}

static void ask_behind_what_is_owed(void)
{
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_acquire,
			.times = 2,
			.fault = PROXY_CUT_AFTER,
			.fails = true });
	assert_status(own(owner, "owed", LEASE), RL_UNREACHABLE);
	ask();
}

static void ask_for_what_replicas_should_have(void)
{
	owner->route->replicas = 1;
	owner->route->timeout = 20 * RL_MILLISECOND; /* there are none */
	ask();
}

static const struct life {
	const char *name;
	void (*begin)(void);
	bool is_served; /* it is held by another, who gives it back once this waits in the queue */
} lives[] = {
	{ "a free lock", ask, false },
	{ "a share", ask_for_a_share, false },
	{ "a free lock, on a connection", ask_with_a_connection, false },
	{ "in the queue", ask_for_what_is_taken, true },
	{ "in vain", ask_shortly, false },
	{ "at the turnstile", ask_at_the_turnstile, true },
	{ "again", ask_again, false },
	{ "a share again", ask_again_for_a_share, false },
	{ "an upgrade", ask_to_upgrade, false },
	{ "an upgrade in vain", ask_to_upgrade_in_vain, false },
	{ "again, what is pending", ask_again_for_what_is_pending, false },
	{ "behind what is owed", ask_behind_what_is_owed, false },
	{ "with replicas", ask_for_what_replicas_should_have, false },
};

/* ---------------------------------------------------------------- steps */

static bool at_wait(void *context);

static void begin(const struct life *life)
{
	owner = is_hooked ? new_hooked_at_each_wait(at_wait, NULL) : new_proxied();
	holder = new_owner();
	behind = NULL;
	next = NULL;
	is_silent = false;
	life->begin();
}

static bool go_on(struct rl_pending *one)
{
	enum rl_status status;

	return rl_pending_go_on(one, &status, &said);
}

static bool is_readable(const struct rl_pending *one)
{
	struct rl_pollfd polled = { .fd = rl_pending_fd(one), .want_read = true };

	return rl_poll(&polled, 1, 0) == RL_POLL_READY;
}

/* False: it is over. What waits in the queue and is not served would wait for good. */
static bool step(const struct life *life)
{
	if (life->is_served && parked_clients() > 0 && holds(holder, "job") && !is_readable(pending)) {
		assert_status(disown(holder, "job"), RL_OK);
	}
	AWAIT(is_readable(pending) || (life->is_served && parked_clients() > 0));
	return !go_on(pending);
}

/* False: it was over before it came to this wait. */
static bool live_to(const struct life *life, unsigned wait)
{
	bool is_under_way = true;

	begin(life);
	for (unsigned i = 0; i < wait && is_under_way; i++) {
		is_under_way = step(life);
	}
	return is_under_way;
}

/* ---------------------------------------------------------------- the end */

/* By a token, or shared: what else there is keeps the lock for the next waiter, for a second. */
static bool is_held(void)
{
	static const char script[] = "local value = redis.call('GET', KEYS[1]) or ''\n"
								 "return string.find(value, '^[r+]') and 1 or 0";

	return number("EVAL %s 1 %b", script, KEY(RL_KEY_LOCK));
}

static void expect_free(void)
{
	if (!is_silent) {
		AWAIT(!is_held());
		await_free("owed");
	}
	AWAIT(parked_clients() == 0);
	run("FLUSHALL");
}

/* What it holds it can give back, for which there is time, unless nobody is there. */
static void end_its_owner(const struct life *life)
{
	owner->route->timeout = is_silent ? 20 * RL_MILLISECOND : 5 * RL_SECOND;
	end_all(&owner, 1);
	end_owner(owner);
	owner = NULL;
	assert_true(go_on(pending));
}

/* Whatever has come of it. */
static void leave_nothing(void)
{
	proxy_let_go(&proxy);
	disown_all(holder);
	if (owner) {
		end_its_owner(NULL);
	}
	end_owner(holder);
	if (behind) {
		AWAIT(go_on(next));
		rl_pending_end(next);
		end_all(&behind, 1);
		end_owner(behind);
	}
	rl_pending_end(pending);
	expect_free();
	assert_int_equal(stacks_left(), 0);
	clock_reset();
}

static void at_each_wait(void (*act)(const struct life *life))
{
	for (size_t i = 0; i < COUNT(lives); i++) {
		bool is_under_way = true;

		for (unsigned wait = 0; is_under_way; wait++) {
			print_message("# %s, %u\n", lives[i].name, wait);
			assert_true(wait < STEPS_MAX);
			is_under_way = live_to(&lives[i], wait);
			act(&lives[i]);
			leave_nothing();
		}
	}
}

/* ---------------------------------------------------------------- nobody wants it any more */

static void cancel(const struct life *life)
{
	rl_pending_cancel(pending);
	assert_true(go_on(pending));
}

static unsigned depth(void)
{
	return holds(owner, "job") ? view(owner, "job").depth : 0;
}

/* It takes nothing more, and is over as soon as the servers have answered. */
static void cancel_and_step(const struct life *life)
{
	struct prompt_moment before = prompt_now();
	unsigned was = depth();

	cancel(life);
	AWAIT((rl_owner_tidy(), pending->stack->is_over));
	expect_soon(prompt_since(before), A_MOMENT);
	assert_int_equal(depth(), was);
}

static void one_is_cancelled(void **state)
{
	at_each_wait(cancel_and_step);
}

/* Who is behind it in the queue gets the lock soon, though nobody steps what was cancelled. */
static void cancel_before_another(const struct life *life)
{
	struct prompt_moment before;

	if (!life->is_served || !holds(holder, "job")) {
		cancel(life);
		return;
	}
	behind = new_owner();
	next = request_of(behind, false, RL_FOREVER);
	while (parked_clients() == 0 || is_readable(next)) {
		assert_false(go_on(next));
	}
	assert_status(disown(holder, "job"), RL_OK);
	before = prompt_now();
	rl_pending_cancel(pending);
	AWAIT((rl_owner_tidy(), go_on(next)));
	expect_soon(prompt_since(before), A_MOMENT);
	assert_true(holds(behind, "job"));
}

static void the_next_is_told(void **state)
{
	at_each_wait(cancel_before_another);
}

static void its_owner_ends(void **state)
{
	at_each_wait(end_its_owner);
}

/* What goes on then is dropped soon. */
static void end_its_owner_in_silence(const struct life *life)
{
	is_silent = true;
	throwaway_freeze(&rig.server);
	end_its_owner(life);
	kill(rig.server.pid, SIGCONT);
}

static void its_owner_ends_in_silence(void **state)
{
	at_each_wait(end_its_owner_in_silence);
}

/* ---------------------------------------------------------------- others use its owner */

static void give_back(const struct life *life)
{
	disown(owner, "job");
}

static void give_all_back(const struct life *life)
{
	disown_all(owner);
}

static void prolong_it(const struct life *life)
{
	prolong(owner, "job", 3 * LEASE);
}

static void shorten_it(const struct life *life)
{
	prolong(owner, "job", LEASE / 2);
}

static void downgrade_it(const struct life *life)
{
	rl_owner_downgrade(owner, NAME("job"), &said);
}

static void look_at_it(const struct life *life)
{
	look(owner, "job");
	look(owner, "owed");
}

static void find_it_late(const struct life *life)
{
	if (holds(owner, "job")) {
		expire_here(owner, "job");
	}
	check_lock(owner, "job");
}

static void break_its_lock(const struct life *life)
{
	break_it(owner, "job");
	look(owner, "job");
}

static void give_it_away(const struct life *life)
{
	struct rl_token token;

	if (hand_over(owner, "job", 0, &token) == RL_OK) {
		adopt(owner, "job", &token, 0);
		rl_token_free(&token);
	}
}

static void take_another(const struct life *life)
{
	own(owner, "another", LEASE);
	disown(owner, "another");
}

static void (*const acts[])(const struct life *life) = { give_back, give_all_back, prolong_it,
	shorten_it, downgrade_it, look_at_it, find_it_late, break_its_lock, give_it_away,
	take_another };

static void (*in_between)(const struct life *life);

/* And it is gone on with, or given up. */
static void act_and_go_on(const struct life *life)
{
	in_between(life);
	for (unsigned steps = 0; steps < STEPS_MAX && step(life); steps++) {
	}
}

static void act_and_give_up(const struct life *life)
{
	in_between(life);
	cancel(life);
}

static void others_use_its_owner(void **state)
{
	for (size_t i = 0; i < COUNT(acts); i++) {
		in_between = acts[i];
		at_each_wait(act_and_go_on);
		at_each_wait(act_and_give_up);
	}
}

/* ---------------------------------------------------------------- fork */

static int be_a_child(void)
{
	bool is_refused = go_on(pending);

	rl_pending_end(pending);
	rl_owner_tidy();
	return is_refused && stacks_left() == 0 ? 0 : 1;
}

static void have_a_child(const struct life *life)
{
	pid_t child = fork();
	int ended;

	if (child == 0) {
		_exit(be_a_child());
	}
	assert_true(waitpid(child, &ended, 0) == child);
	assert_int_equal(ended, 0);
}

/* What leaves the queue by then is the parent's, too. */
static void cancel_and_fork(const struct life *life)
{
	cancel(life);
	have_a_child(life);
}

static void fork_and_go_on(const struct life *life)
{
	have_a_child(life);
	for (unsigned steps = 0; steps < STEPS_MAX && step(life); steps++) {
	}
}

static void the_process_forks(void **state)
{
	at_each_wait(fork_and_go_on);
	at_each_wait(cancel_and_fork);
}

/* ---------------------------------------------------------------- what it takes */

/* Sanitizers make frames larger. */
#define USED_MAX (64 * 1024)

static void it_is_small(void **state)
{
	skip_without_stacks();
	assert_in_range(stacks_used(), 1024, USED_MAX);
}

/* ---------------------------------------------------------------- on the thread's own stack */

static enum rl_status take(void)
{
	return own_with(owner, "job", &hooked_terms);
}

static void hold(void)
{
	assert_status(own(owner, "job", LEASE), RL_OK);
}

static void hold_twice(void)
{
	hold();
	hold();
}

static void hold_what_is_pending(void)
{
	hold();
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend,
			.times = 2,
			.fault = PROXY_CUT_AFTER,
			.fails = true });
	assert_status(prolong(owner, "job", LEASE / 2), RL_UNREACHABLE);
}

static void hold_late(void)
{
	hold();
	expire_here(owner, "job");
}

static void hold_some(void)
{
	hold();
	assert_status(own(owner, "second", LEASE), RL_OK);
	assert_status(own(owner, "third", LEASE), RL_OK);
}

static void let_another_hold(void)
{
	assert_status(own(holder, "job", LEASE), RL_OK);
}

static enum rl_status release_it(void)
{
	return disown(owner, "job");
}

static enum rl_status release_it_unheard(void)
{
	return disown_unconfirmed(owner, "job");
}

static enum rl_status release_all_of_it(void)
{
	struct rl_release_summary summary = disown_all(owner);

	return summary.failed ? summary.failure : RL_OK;
}

static enum rl_status make_it_longer(void)
{
	return prolong(owner, "job", 2 * LEASE);
}

static enum rl_status make_it_shorter(void)
{
	return prolong(owner, "job", LEASE / 2);
}

static enum rl_status make_it_a_share(void)
{
	return rl_owner_downgrade(owner, NAME("job"), &said);
}

static enum rl_status ask_about_it(void)
{
	return look(owner, "job");
}

static enum rl_status check_it(void)
{
	return check_lock(owner, "job");
}

static enum rl_status break_what_is_taken(void)
{
	return break_it(owner, "job");
}

static enum rl_status hand_it_over(void)
{
	struct rl_token token;
	enum rl_status status = hand_over(owner, "job", LEASE, &token);

	if (status == RL_OK) {
		adopt(holder, "job", &token, 0);
		rl_token_free(&token);
	}
	return status;
}

static enum rl_status take_all(void)
{
	struct rl_acquire_key keys[] = { { .name = NAME("another") }, { .name = NAME("job") } };
	struct rl_acquire_all request = {
		.keys = keys, .count = 2, .lease_ms = LEASE, .wait = 50 * RL_MILLISECOND
	};

	return rl_owner_acquire_all(owner, &request, &said);
}

static struct {
	const struct life *life; /* NULL: the call has not begun */
	bool (*act)(const struct life *life);
	unsigned left; /* waits until then */
	bool has_acted;
} hooked;

/* That it was free may be known by then, also to a child. */
static enum rl_status wait_until_free(void)
{
	enum rl_status status = rl_owner_wait_until_free(
		owner, NAME("job"), RL_FOREVER, NULL, &said);

	return hooked.has_acted ? RL_NO : status;
}

/* A call, and what is there before it. */
static const struct call {
	struct life life;
	enum rl_status (*run)(void);
} calls[] = {
	{ { .name = "a release", .begin = hold }, release_it },
	{ { .name = "a level's release", .begin = hold_twice }, release_it },
	{ { .name = "a release that nobody hears", .begin = hold }, release_it_unheard },
	{ { .name = "a release of what is pending", .begin = hold_what_is_pending }, release_it },
	{ { .name = "a release that comes late", .begin = hold_late }, release_it },
	{ { .name = "releases", .begin = hold_some }, release_all_of_it },
	{ { .name = "longer", .begin = hold }, make_it_longer },
	{ { .name = "shorter", .begin = hold }, make_it_shorter },
	{ { .name = "late, and again", .begin = hold_late }, make_it_longer },
	{ { .name = "pending, and longer", .begin = hold_what_is_pending }, make_it_longer },
	{ { .name = "a downgrade", .begin = hold }, make_it_a_share },
	{ { .name = "a look", .begin = hold }, ask_about_it },
	{ { .name = "a verdict", .begin = hold_late }, check_it },
	{ { .name = "a break", .begin = let_another_hold }, break_what_is_taken },
	{ { .name = "a hand-over", .begin = hold }, hand_it_over },
	{ { .name = "all", .begin = hold }, take_all },
	{ { .name = "all, in vain", .begin = let_another_hold }, take_all },
	{ { "until it is free", let_another_hold, true }, wait_until_free },
};

/* The hook. What waits in the queue is served, and so is what was brought there. */
static bool at_wait(void *context)
{
	const struct life *life = hooked.life;

	if (!life) {
		return true;
	}
	if ((life->is_served || hooked.has_acted) && parked_clients() > 0 && holds(holder, "job")) {
		disown(holder, "job"); /* or it is broken by now */
	}
	if (hooked.has_acted || hooked.left-- > 0) {
		return true;
	}
	hooked.has_acted = true;
	return hooked.act(life);
}

static enum rl_status run_hooked(const struct life *life, enum rl_status (*call)(void))
{
	pid_t process = getpid();
	enum rl_status status;

	waits_are_long(true);
	hooked.life = life;
	rl_owner_begin_call(owner);
	status = call();
	if (getpid() != process) {
		_exit(status == RL_OK || check_lock(owner, "job") == RL_LOST ? 1 : 0);
	}
	rl_owner_end_call(owner);
	hooked.life = NULL;
	waits_are_long(false);
	return status;
}

/* Without another call of its owner, which may hold what it held before. */
static void expect_undone(void)
{
	disown_all(holder);
	if (depth() == 0 && !holds(owner, "second")) {
		AWAIT(!is_held());
	}
}

static void leave_nothing_behind(void)
{
	proxy_let_go(&proxy);
	disown_all(holder);
	owner->route->timeout = 5 * RL_SECOND;
	end_all(&owner, 1);
	end_owner(owner);
	end_owner(holder);
	expect_free();
	clock_reset();
}

static void hook_one(const struct life *life, enum rl_status (*call)(void),
	bool (*act)(const struct life *life), void (*expect)(enum rl_status status))
{
	hooked.has_acted = true;
	for (unsigned wait = 0; hooked.has_acted; wait++) {
		print_message("# hooked, %s, %u\n", life->name, wait);
		assert_true(wait < STEPS_MAX);
		begin(life);
		hooked.act = act;
		hooked.left = wait;
		hooked.has_acted = false;
		expect(run_hooked(life, call));
		leave_nothing_behind();
	}
}

static void at_each_wait_of_a_call(
	bool (*act)(const struct life *life), void (*expect)(enum rl_status status))
{
	is_hooked = true;
	for (size_t i = 0; i < COUNT(lives); i++) {
		hook_one(&lives[i], take, act, expect);
	}
	for (size_t i = 0; i < COUNT(calls); i++) {
		hook_one(&calls[i].life, calls[i].run, act, expect);
	}
	is_hooked = false;
}

static struct prompt_moment thrown_at;

static bool throw_up(const struct life *life)
{
	thrown_at = prompt_now();
	return false;
}

static void expect_interrupted(enum rl_status status)
{
	if (hooked.has_acted) {
		expect_soon(prompt_since(thrown_at), A_MOMENT);
		assert_int_not_equal(status, RL_OK);
		expect_undone();
	}
}

static void a_hook_ends_its_call(void **state)
{
	at_each_wait_of_a_call(throw_up, expect_interrupted);
}

static bool close_it(const struct life *life)
{
	end_all(&owner, 1);
	return false;
}

static void expect_anything(enum rl_status status)
{
}

static void a_hook_ends_the_owner(void **state)
{
	at_each_wait_of_a_call(close_it, expect_anything);
}

static bool use_its_owner(const struct life *life)
{
	in_between(life);
	return true;
}

static bool use_its_owner_and_throw(const struct life *life)
{
	in_between(life);
	return false;
}

static void a_hook_uses_the_owner(void **state)
{
	for (size_t i = 0; i < COUNT(acts); i++) {
		in_between = acts[i];
		at_each_wait_of_a_call(use_its_owner, expect_anything);
		at_each_wait_of_a_call(use_its_owner_and_throw, expect_anything);
	}
}

static bool fork_in_hook(const struct life *life)
{
	pid_t child = fork();
	int ended;

	if (child > 0) {
		assert_true(waitpid(child, &ended, 0) == child);
		assert_int_equal(ended, 0);
	}
	return true;
}

static void a_hook_forks(void **state)
{
	at_each_wait_of_a_call(fork_in_hook, expect_anything);
}

int test_stacks(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	const struct CMUnitTest tests[] = {
		test(one_is_cancelled),
		test(the_next_is_told),
		test(its_owner_ends),
		test(its_owner_ends_in_silence),
		test(others_use_its_owner),
		test(the_process_forks),
		test(it_is_small),
		test(a_hook_ends_its_call),
		test(a_hook_ends_the_owner),
		test(a_hook_uses_the_owner),
		test(a_hook_forks),
	};

	return cmocka_run_group_tests_name("stacks", tests, rig_start, rig_stop);
}
