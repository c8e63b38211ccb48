/*
 * Calls of an owner in the midst of another one that is about the same lock: at each of its waits,
 * in turn. So others use the owner while a call waits on a stack of its own.
 */
#include "owner_rig.h"
#include "prompt.h"
#include "waits.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAITS_MAX 20

static struct rl_owner *owner;
static struct rl_token token;
static bool has_acted;

/* --- what is under way --- */

static void take_exclusive(void)
{
	assert_status(own(owner, "job", LEASE), RL_OK);
}

static const struct rl_acquire a_share = { .is_shared = true, .lease_ms = LEASE };

static void take_share(void)
{
	assert_status(own_with(owner, "job", &a_share), RL_OK);
}

/* A new grant that was not answered: it is asked for again before anything else is. */
static void take_and_leave_pending(void)
{
	take_exclusive();
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend,
			.times = 2,
			.fault = PROXY_CUT_AFTER,
			.fails = true });
	assert_status(prolong(owner, "job", LEASE / 2), RL_UNREACHABLE);
}

/* What is to be released on the server is, before anything else is sent there. */
static void take_and_owe_a_release(void)
{
	take_exclusive();
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_acquire,
			.times = 2,
			.fault = PROXY_CUT_AFTER,
			.fails = true });
	assert_status(own(owner, "owed", LEASE), RL_UNREACHABLE);
}

static enum rl_status enter_again(void)
{
	return own(owner, "job", 2 * LEASE);
}

static enum rl_status share_again(void)
{
	return own_with(owner, "job", &a_share);
}

static enum rl_status lengthen(void)
{
	return prolong(owner, "job", 2 * LEASE);
}

static enum rl_status shorten(void)
{
	return prolong(owner, "job", LEASE / 2);
}

static enum rl_status prolong_late(void)
{
	expire_here(owner, "job");
	return prolong(owner, "job", LEASE);
}

static enum rl_status make_a_share(void)
{
	enum rl_status status;

	rl_owner_begin_call(owner);
	status = rl_owner_downgrade(owner, NAME("job"), &said);
	rl_owner_end_call(owner);
	return status;
}

static enum rl_status ask_whether_held(void)
{
	return look(owner, "job");
}

static enum rl_status check_late(void)
{
	expire_here(owner, "job");
	return check_lock(owner, "job");
}

static enum rl_status give_back(void)
{
	return disown(owner, "job");
}

static enum rl_status give_away(void)
{
	enum rl_status status = hand_over(owner, "job", 0, &token);

	if (status == RL_OK) {
		assert_status(adopt(owner, "job", &token, 0), RL_OK);
		rl_token_free(&token);
	}
	return status;
}

static const struct call {
	const char *name;
	void (*prepare)(void);
	enum rl_status (*run)(void);
} calls[] = {
	{ "again", take_exclusive, enter_again },
	{ "again, what is pending", take_and_leave_pending, enter_again },
	{ "again, behind what is owed", take_and_owe_a_release, enter_again },
	{ "a share again", take_share, share_again },
	{ "a share made exclusive", take_share, enter_again },
	{ "a longer lease", take_exclusive, lengthen },
	{ "a shorter lease", take_exclusive, shorten },
	{ "a shorter lease, what is pending", take_and_leave_pending, shorten },
	{ "a late lease", take_exclusive, prolong_late },
	{ "a late share", take_share, prolong_late },
	{ "a share made of it", take_exclusive, make_a_share },
	{ "whether it is held", take_exclusive, ask_whether_held },
	{ "whether what is pending is", take_and_leave_pending, ask_whether_held },
	{ "a check of a late one", take_exclusive, check_late },
	{ "a check of a late one, pending", take_and_leave_pending, check_late },
	{ "a release", take_exclusive, give_back },
	{ "a release of what is pending", take_and_leave_pending, give_back },
	{ "given away", take_exclusive, give_away },
};

/* --- what comes in between --- */

static const struct call *under_way;

/* That a new grant, or a longer lease, is out takes nothing from it. */
static void release(void)
{
	enum rl_status status = disown(owner, "job");

	assert_true(status == RL_OK || (under_way->run != shorten && under_way->run != lengthen));
}

static void release_all(void)
{
	disown_all(owner);
}

static void find_it_late(void)
{
	if (holds(owner, "job")) {
		expire_here(owner, "job");
	}
	check_lock(owner, "job");
}

static void find_it_lost(void)
{
	break_it(owner, "job");
	look(owner, "job");
	prolong(owner, "job", 2 * LEASE);
}

static void take_another(void)
{
	disown(owner, "job");
	own(owner, "job", LEASE);
}

static void one_more(void)
{
	own(owner, "job", LEASE);
}

static void longer(void)
{
	lengthen();
}

static void shorter(void)
{
	shorten();
}

static void away(void)
{
	give_away();
}

static void ask(void)
{
	look(owner, "job");
	look(owner, "owed");
}

static void (*const acts[])(void) = { release, release_all, find_it_late, find_it_lost,
	take_another, one_more, longer, shorter, away, ask };

static void act(void *context)
{
	has_acted = true;
	(*(void (*const *)(void))context)();
}

/* --- both --- */

/* Whatever came of it: what the owner thinks to hold it can give back, and nothing stays. */
static void leave_nothing(void)
{
	struct rl_owner *other = new_owner();

	proxy_let_go(&proxy);
	disown_all(owner);
	assert_false(holds(owner, "job"));
	end_all(&owner, 1);
	end_owner(owner);
	await_free("owed");
	await_free("job");
	assert_status(own(other, "job", LEASE), RL_OK);
	assert_status(disown(other, "job"), RL_OK);
	end_owner(other);
	clock_reset();
}

/* False: the call has no more waits. */
static bool run_with(const struct call *call, void (*const *in_between)(void), int wait)
{
	enum rl_status status;

	has_acted = false;
	under_way = call;
	owner = new_proxied();
	call->prepare();
	waits_act_at(wait, act, (void *)in_between);
	status = call->run();
	waits_act_at(-1, NULL, NULL);
	assert_int_not_equal(status, RL_AGAIN);
	if (status == RL_OK && call->run == enter_again) {
		assert_true(holds(owner, "job"));
	}
	leave_nothing();
	return has_acted;
}

static void nothing_is_used_that_others_have_ended(void **state)
{
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		for (size_t j = 0; j < sizeof acts / sizeof acts[0]; j++) {
			int wait = 0;

			while (run_with(&calls[i], &acts[j], wait)) {
				wait++;
				assert_true(wait < WAITS_MAX);
			}
			if (wait == 0) {
				fail_msg("%s never waited", calls[i].name);
			}
		}
	}
}

/* --- what a hook runs while the lock changes --- */

static const struct change {
	void (*prepare)(void);
	enum rl_status (*run)(void);
	const char *what;
} changes[] = {
	{ take_exclusive, make_a_share, "being made a share" },
	{ take_share, enter_again, "being made exclusive" },
	{ take_exclusive, give_away, "being handed over" },
};

static const struct change *changing; /* NULL: the hook has nothing to do */
static long long was;

/* What the server has of it, as a number that each change makes another one. */
static long long is_now(void)
{
	return number("EVAL %s 2 lock@job rlock:f:{lock@job}:lock@job",
		"return 1000000 * redis.call('STRLEN', KEYS[1]) + redis.call('GET', KEYS[2])");
}

static bool is_changing(void *context)
{
	return changing != NULL;
}

static struct rl_owner *new_hooked_when(
	bool (*hook)(void *context), bool (*is_due)(void *context))
{
	return new_owner_at(proxy.address, (struct rl_wait_hook){ .run = hook, .is_due = is_due });
}

static enum rl_status change_it(const struct change *change)
{
	enum rl_status status;

	changing = change;
	waits_are_long(true);
	status = change->run();
	waits_are_long(false);
	assert_null(changing);
	return status;
}

/* The server has changed it, and nobody has heard of that yet. */
static bool use_it_within(void *context)
{
	const struct change *change = changing;

	changing = NULL;
	AWAIT(is_now() != was);
	assert_status(lengthen(), RL_MISUSE);
	assert_non_null(strstr(said.message, change->what));
	assert_status(make_a_share(), RL_MISUSE);
	assert_status(ask_whether_held(), RL_MISUSE);
	assert_status(give_back(), RL_MISUSE);
	assert_status(disown_all(owner).failure, RL_MISUSE);
	assert_status(check_lock(owner, "job"), RL_OK);
	return true;
}

/* A request about the lock as it was would be told that it is lost. */
static void what_changes_is_not_used_by_a_hook(void **state)
{
	for (size_t i = 0; i < COUNT(changes); i++) {
		owner = new_hooked_when(use_it_within, is_changing);
		changes[i].prepare();
		assert_status(changes[i].run(), RL_OK); /* now the server knows the script */
		disown_all(owner);
		changes[i].prepare();
		was = is_now();
		assert_status(change_it(&changes[i]), RL_OK);
		assert_true(view(owner, "job").is_shared == (changes[i].run == make_a_share));
		assert_int_equal(disown_all(owner).lost, 0);
		assert_false(is_taken("job"));
	}
}

static bool end_it(void *context)
{
	changing = NULL;
	return false;
}

/* Nobody may ever make another call, and the server answers when this one is over. */
static void what_a_hook_ends_leaves_nothing(void **state)
{
	for (size_t i = 0; i < COUNT(changes); i++) {
		owner = new_hooked_when(end_it, is_changing);
		changes[i].prepare();
		throwaway_freeze(&rig.server);
		print_message("# %s\n", changes[i].what);
		assert_status(change_it(&changes[i]), RL_INTERRUPTED);
		assert_false(holds(owner, "job"));
		kill(rig.server.pid, SIGCONT);
		AWAIT(!is_taken("job"));
		if (changes[i].run != give_away) {
			assert_status(check_lock(owner, "job"), RL_LOST);
			assert_true(said.unanswered); /* it is not asked who has it */
		}
	}
}

static bool fork_within(void *context)
{
	pid_t child;
	int ended;

	changing = NULL;
	child = fork();
	if (child > 0) {
		assert_int_equal(waitpid(child, &ended, 0), child);
		assert_int_equal(ended, 0);
	}
	return true;
}

/* It is told so by the call itself, and from then on. */
static void what_changes_in_the_midst_of_a_fork_is_the_parents(void **state)
{
	pid_t parent = getpid();
	enum rl_status status;

	for (size_t i = 0; i < COUNT(changes); i++) {
		owner = new_hooked_when(fork_within, is_changing);
		changes[i].prepare();
		print_message("# %s\n", changes[i].what);
		rl_owner_begin_call(owner);
		status = change_it(&changes[i]);
		rl_owner_end_call(owner);
		if (getpid() != parent) {
			_exit(status == RL_INTERRUPTED && ask_whether_held() == RL_MISUSE ? 0 : 1);
		}
		assert_status(status, RL_OK);
		assert_int_equal(disown_all(owner).lost, 0);
		assert_false(is_taken("job"));
	}
}

/* The server has made it exclusive by then, and does not make it a share again. */
static bool end_its_owner(void *context)
{
	changing = NULL;
	AWAIT(is_now() != was);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_downgrade,
			.times = 1,
			.fault = PROXY_ANSWER,
			.answer = "-OOM command not allowed when used memory > 'maxmemory'.\r\n" });
	end_all(&owner, 1);
	return false;
}

static void an_upgrade_whose_owner_a_hook_ends_leaves_nothing(void **state)
{
	owner = new_hooked_when(end_its_owner, is_changing);
	take_share();
	assert_status(enter_again(), RL_OK); /* now the server knows the script */
	disown_all(owner);
	take_share();
	was = is_now();
	rl_owner_begin_call(owner);
	assert_status(change_it(&changes[1]), RL_INTERRUPTED);
	rl_owner_end_call(owner);
	assert_int_equal(proxy.struck, 1);
	AWAIT(!is_taken("job"));
}

/* --- what a hook gives back while others are taken --- */

static bool has_first(void *context)
{
	return holds(owner, "a");
}

static bool give_first_back(void *context)
{
	assert_status(disown(owner, "a"), RL_OK);
	return true;
}

static void what_a_hook_gives_back_is_not_among_all(void **state)
{
	struct rl_acquire_key keys[] = { { .name = NAME("a") }, { .name = NAME("b") } };
	struct rl_acquire_all request = { .keys = keys, .count = 2, .lease_ms = LEASE };
	enum rl_status status;

	owner = new_hooked_when(give_first_back, has_first);
	waits_are_long(true);
	rl_owner_begin_call(owner);
	status = rl_owner_acquire_all(owner, &request, &said);
	rl_owner_end_call(owner);
	waits_are_long(false);
	assert_status(status, RL_MISUSE);
	assert_non_null(strstr(said.message, "\"a\" was given back"));
	assert_false(is_taken("a"));
	assert_false(is_taken("b"));
}

/* --- what a hook takes while that is waited for --- */

static struct rl_owner *holder; /* NULL: the hook has nothing to do */

static bool has_holder(void *context)
{
	return holder != NULL;
}

/* It was seen to be held by then. */
static bool take_it_over(void *context)
{
	struct rl_owner *before = holder;

	holder = NULL;
	let_it_through(&proxy);
	assert_status(disown(before, "job"), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	return true;
}

static void what_a_hook_takes_is_not_free(void **state)
{
	enum rl_status status;

	holder = new_owner();
	owner = new_hooked_when(take_it_over, has_holder);
	assert_status(own(holder, "job", LEASE), RL_OK);
	waits_are_long(true);
	rl_owner_begin_call(owner);
	status = rl_owner_wait_until_free(owner, NAME("job"), 50 * RL_MILLISECOND, NULL, &said);
	rl_owner_end_call(owner);
	waits_are_long(false);
	assert_status(status, RL_NO);
	assert_null(holder);
	assert_int_equal(view(owner, "job").depth, 1);
}

int test_meanwhile(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_changes_is_not_used_by_a_hook, owners_reset, owners_clean),
		cmocka_unit_test_setup_teardown(
			what_a_hook_ends_leaves_nothing, owners_reset, owners_clean),
		cmocka_unit_test_setup_teardown(
			what_changes_in_the_midst_of_a_fork_is_the_parents, owners_reset, owners_clean),
		cmocka_unit_test_setup_teardown(
			an_upgrade_whose_owner_a_hook_ends_leaves_nothing, owners_reset, owners_clean),
		cmocka_unit_test_setup_teardown(
			what_a_hook_gives_back_is_not_among_all, owners_reset, owners_clean),
		cmocka_unit_test_setup_teardown(
			what_a_hook_takes_is_not_free, owners_reset, owners_clean),
		cmocka_unit_test_setup_teardown(
			nothing_is_used_that_others_have_ended, owners_reset, owners_clean),
	};

	return cmocka_run_group_tests(tests, rig_start, rig_stop);
}
