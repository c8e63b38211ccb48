/*
 * Detached locks: held by a name, whichever owner says it. What an owner remembers of its grants may be over, and answers
 * may be lost or late.
 */
#include "owner_rig.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "lock/owner/internal.h"
#include "lock/owner/detached_cache.h"

#define LONG (60 * LEASE)

/* ---------------------------------------------------------------- calls, all of the lock "job" */

static enum rl_status hold_key(struct rl_owner *owner, const char *key, const char *name, int64_t lease_ms, rl_time wait)
{
	return own_with(owner, key,
		&(struct rl_acquire){ .holder = NAME(name), .lease_ms = lease_ms, .wait = wait, .policy = RL_POLICY_WAIT });
}

static enum rl_status hold(struct rl_owner *owner, const char *name, int64_t lease_ms)
{
	return hold_key(owner, "job", name, lease_ms, 0);
}

static enum rl_status hold_waiting(struct rl_owner *owner, const char *name, rl_time wait)
{
	return hold_key(owner, "job", name, LEASE, wait);
}

static enum rl_status lengthen(struct rl_owner *owner, const char *name, int64_t lease_ms)
{
	said = (struct rl_error){ .held = false };
	return rl_owner_detached_prolongate(owner, NAME("job"), NAME(name), lease_ms, &said);
}

static enum rl_status let_go(struct rl_owner *owner, const char *name)
{
	said = (struct rl_error){ .held = false };
	return rl_owner_detached_release(owner, NAME("job"), NAME(name), 0, &said);
}

static enum rl_status seen(struct rl_owner *owner, const char *name)
{
	struct rl_detached_view view;

	said = (struct rl_error){ .held = false };
	return rl_owner_detached_look(owner, NAME("job"), NAME(name), &view, &said);
}

static int64_t fence_of(struct rl_owner *owner, const char *name)
{
	struct rl_detached_view view;

	assert_status(rl_owner_detached_look(owner, NAME("job"), NAME(name), &view, &said), RL_OK);
	return view.fence;
}

/* How many requests a call takes. */
#define assert_requests(owner, expected, call) \
 do { \
  uint64_t before = rl_owner_stats(owner)->requests; \
  call; \
  assert_int_equal(rl_owner_stats(owner)->requests - before, (expected)); \
 } while (0)

/* An owner whose server knows all scripts. */
static struct rl_owner *warmed(struct rl_owner *owner)
{
	struct rl_owner *other = new_owner();

	assert_status(hold(owner, "warm", LEASE), RL_OK);
	assert_status(lengthen(owner, "warm", LEASE), RL_OK);
	assert_status(lengthen(other, "warm", LEASE), RL_OK);
	assert_status(let_go(owner, "warm"), RL_OK);
	end_owner(other);
	return owner;
}

static struct rl_owner *new_hasty(void)
{
	char address[160];

	snprintf(address, sizeof address, "%s?timeout=0.3", proxy.address);
	return new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
}

static void fault(const struct rl_script *script, unsigned times, enum proxy_fault fault)
{
	proxy_add(&proxy, (struct proxy_rule){ .script = script, .times = times, .fault = fault });
}

/* ---------------------------------------------------------------- what is remembered */

static void a_pair_is_two_requests_where_it_is_remembered(void **state)
{
	struct rl_owner *owner = warmed(new_owner());

	assert_requests(owner, 1, assert_status(hold(owner, "me", LEASE), RL_OK));
	assert_requests(owner, 1, assert_status(lengthen(owner, "me", LEASE), RL_OK));
	assert_requests(owner, 1, assert_status(hold(owner, "me", LEASE), RL_OK));
	assert_requests(owner, 1, assert_status(let_go(owner, "me"), RL_OK));
	assert_requests(owner, 1, assert_status(let_go(owner, "me"), RL_NO));
	assert_false(is_taken("job"));
}

static void elsewhere_it_takes_one_more_to_find_it(void **state)
{
	struct rl_owner *owner = warmed(new_owner()), *other = new_owner();

	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_requests(other, 2, assert_status(let_go(other, "me"), RL_OK));
	assert_false(is_taken("job"));

	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_requests(other, 2, assert_status(lengthen(other, "me", LONG), RL_OK));
	assert_lives(RL_KEY_LOCK, LONG);
	assert_requests(other, 1, assert_status(let_go(other, "me"), RL_OK));
	assert_false(is_taken("job"));
}

/* It keeps what is left, and learns by the answer whether that is to grow. */
static void taken_elsewhere_it_grows_by_one_request_more(void **state)
{
	struct rl_owner *owner = warmed(new_owner()), *other = new_owner(), *third = new_owner();

	assert_status(hold(owner, "me", 2 * LEASE), RL_OK);
	assert_requests(other, 3, assert_status(hold(other, "me", LEASE), RL_OK));
	assert_lives(RL_KEY_LOCK, 2 * LEASE);
	assert_requests(third, 4, assert_status(hold(third, "me", LONG), RL_OK));
	assert_lives(RL_KEY_LOCK, LONG);
	assert_requests(third, 1, assert_status(let_go(third, "me"), RL_OK));
	assert_false(is_taken("job"));
}

/* Each of two owners finds that the other has used the name since. */
static void what_is_remembered_may_be_over(void **state)
{
	struct rl_owner *owner = warmed(new_owner()), *other = warmed(new_owner());
	int64_t fence;

	assert_status(hold(owner, "me", LEASE), RL_OK);
	fence = fence_of(owner, "me");
	for (int turn = 0; turn < 2; turn++) {
		assert_status(lengthen(other, "me", LEASE), RL_OK);
		assert_requests(owner, 3, assert_status(lengthen(owner, "me", 2 * LEASE), RL_OK));
		assert_lives(RL_KEY_LOCK, 2 * LEASE);
		assert_status(hold(other, "me", LONG), RL_OK);
		assert_lives(RL_KEY_LOCK, LONG);
		assert_status(hold(owner, "me", LEASE), RL_OK);
		assert_lives(RL_KEY_LOCK, LONG);
	}
	assert_int_equal(fence_of(other, "me"), fence);
	assert_requests(other, 3, assert_status(let_go(other, "me"), RL_OK));
	assert_false(is_taken("job"));
	assert_status(lengthen(owner, "me", LEASE), RL_NO);
	assert_status(let_go(owner, "me"), RL_NO);
}

/* Each has its own name for the baton or the cooldown that its release leaves. */
static void of_two_releases_one_is_false(void **state)
{
	for (int delay_ms = 0; delay_ms <= LEASE; delay_ms += LEASE) {
		struct rl_owner *owner = new_owner(), *other = new_owner();

		run("FLUSHALL");
		assert_status(hold(owner, "me", LEASE), RL_OK);
		run("SET rlock:w:{lock@job}:lock@job 1"); /* somebody may wait */
		assert_status(rl_owner_detached_release(other, NAME("job"), NAME("me"), delay_ms, &said), RL_OK);
		assert_true(is_taken("job")); /* by a baton, or a cooldown */
		assert_status(let_go(owner, "me"), RL_NO);
		end_owner(owner);
		end_owner(other);
	}
}

static void a_later_grant_of_another_name_is_left_alone(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();

	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_status(let_go(other, "me"), RL_OK);
	assert_status(hold(other, "you", LEASE), RL_OK);
	assert_status(let_go(owner, "me"), RL_NO);
	assert_status(lengthen(owner, "me", LONG), RL_NO);
	assert_status(hold(owner, "me", LONG), RL_NO);
	assert_status(seen(owner, "you"), RL_OK);
	assert_lives(RL_KEY_LOCK, LEASE);
	/* Also of one that begins alike. */
	assert_status(let_go(owner, "yo"), RL_NO);
	assert_status(let_go(owner, "you!"), RL_NO);
	assert_status(let_go(owner, "you"), RL_OK);
}

/* By our clock it is over; the server still has it, or has it anew. */
static void it_is_forgotten_when_its_time_is_up(void **state)
{
	struct rl_owner *owner = warmed(new_owner());

	assert_status(hold(owner, "me", LEASE), RL_OK);
	clock_advance(LEASE * RL_MILLISECOND);
	assert_requests(owner, 2, assert_status(lengthen(owner, "me", LEASE), RL_OK));
	clock_advance(LEASE * RL_MILLISECOND);
	expire_on_server("job");
	assert_requests(owner, 1, assert_status(lengthen(owner, "me", LEASE), RL_NO)); /* it is never set anew */
	assert_false(is_taken("job"));
	assert_status(hold(owner, "me", LEASE), RL_OK);
	clock_advance(LEASE * RL_MILLISECOND);
	assert_requests(owner, 2, assert_status(let_go(owner, "me"), RL_OK));
}

static void only_so_many_are_remembered(void **state)
{
	struct rl_owner *owner = warmed(new_owner());
	char key[16];

	for (int i = 0; i <= RL_DETACHED_CACHE_MAX; i++) {
		snprintf(key, sizeof key, "job%d", i);
		assert_status(hold_key(owner, key, "me", i == 7 ? LEASE : LONG, 0), RL_OK);
	}
	assert_int_equal(owner->detached_cache.count, RL_DETACHED_CACHE_MAX);
	for (int i = 0; i <= RL_DETACHED_CACHE_MAX; i++) {
		snprintf(key, sizeof key, "job%d", i);
		assert_requests(owner, i == 7 ? 2 : 1,
			assert_status(rl_owner_detached_release(owner, NAME(key), NAME("me"), 0, &said), RL_OK));
	}
	assert_int_equal(owner->detached_cache.count, 0);
}

static void nothing_gives_it_back_by_itself(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();

	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_int_equal(rl_owner_held(owner), 0);
	assert_int_equal(disown_all(owner).released, 0);
	end_owner(owner);
	assert_true(is_taken("job"));
	assert_status(let_go(other, "me"), RL_OK);
}

static bool child_uses_a_name(void *context)
{
	struct rl_owner *owner = context;

	return lengthen(owner, "me", LEASE) == RL_OK && lengthen(owner, "me", LONG) == RL_OK && seen(owner, "me") == RL_OK
		&& hold(owner, "me", LEASE) == RL_OK;
}

/* Its extends would have its parent's serials. */
static void a_child_finds_it_anew(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_status(lengthen(owner, "me", LEASE), RL_OK);
	assert_true(in_child(child_uses_a_name, owner));
	assert_lives(RL_KEY_LOCK, LONG);
	assert_status(lengthen(owner, "me", LEASE), RL_OK);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_status(let_go(owner, "me"), RL_OK);
	assert_false(is_taken("job"));
}

/* ---------------------------------------------------------------- others */

static void attached_and_detached_exclude_each_other(void **state)
{
	struct rl_owner *owner = new_owner();
	struct rl_acquire terms = { .lease_ms = LEASE, .metadata = NAME("rlock1@6d65:h:1:0123456789abcdef0123456789abcdef") };
	struct rl_token token;

	assert_status(own_with(owner, "job", &terms), RL_OK);
	assert_status(hold(owner, "me", LEASE), RL_NO);
	assert_status(let_go(owner, "me"), RL_NO);
	assert_status(lengthen(owner, "me", LEASE), RL_NO);
	assert_status(disown(owner, "job"), RL_OK);

	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_NO);
	assert_status(disown(owner, "job"), RL_NO);
	token = ((struct rl_lease *)rl_table_find(&owner->detached_cache, NAME("job")))->token;
	assert_status(adopt(owner, "job", &token, LEASE), RL_NO);
	assert_status(break_it(owner, "job"), RL_OK);
	assert_status(let_go(owner, "me"), RL_NO);
}

static void its_holder_is_shown_without_the_name(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();
	struct rl_acquire terms = { .holder = NAME("me"), .lease_ms = LEASE, .metadata = NAME("a:b") };
	struct rl_holder holder;
	char pid[24];

	assert_status(own_with(owner, "job", &terms), RL_OK);
	assert_status(lengthen(other, "me", LEASE), RL_OK); /* which leaves everything as it is */
	assert_status(rl_owner_holder(other, NAME("job"), &holder, &said), RL_OK);
	snprintf(pid, sizeof pid, ":%ld", (long)getpid());
	assert_memory_equal(holder.owner + holder.owner_length - strlen(pid), pid, strlen(pid));
	assert_int_equal(holder.metadata_length, 3);
	assert_memory_equal(holder.metadata, "a:b", 3);
	assert_int_equal(holder.fence, fence_of(owner, "me"));
	rl_owner_holder_clear(&holder);
}

/* ---------------------------------------------------------------- waiting */

static struct rl_owner *helper;
static int hook_runs;

static bool let_go_in_hook(void *context)
{
	if (hook_runs++ == 0) {
		await_parked(1);
		assert_status(let_go(helper, context), RL_OK);
	}
	return true;
}

/* Whoever it is for has not claimed it. */
static void a_baton_is_no_names(void **state)
{
	struct rl_owner *owner = warmed(new_owner());

	run("SET lock@job ~0123456789abcdef0123456789abcdef:5");
	assert_requests(owner, 1, assert_status(let_go(owner, "me"), RL_NO));
	run("SET lock@job ~0123456789abcdef0123456789abcdef:5 PX 60000");
	assert_requests(owner, 1, assert_status(let_go(owner, "me"), RL_NO));
}

/* The name that waits gets the lock elsewhere: the server's time for the other's is over, and the hook takes it. */
static bool take_in_hook(void *context)
{
	if (hook_runs++ == 0) {
		await_parked(1);
		expire_on_server("job");
		assert_status(hold(helper, context, LONG), RL_OK);
	}
	return true;
}

static void a_wait_ends_when_its_own_name_has_the_lock(void **state)
{
	struct rl_owner *owner = new_hooked(take_in_hook, "me"), *other = new_owner();

	helper = new_owner();
	hook_runs = 0;
	assert_status(own(other, "job", LEASE), RL_OK);
	assert_status(hold_waiting(owner, "me", 60 * RL_SECOND), RL_OK); /* at its next ask */
	assert_lives(RL_KEY_LOCK, LONG);
	assert_status(let_go(owner, "me"), RL_OK);
	assert_status(own(helper, "job", LEASE), RL_OK);
}

static struct rl_owner *waiting;

static bool take_with_the_same_owner(void *context)
{
	if (hook_runs++ == 0) {
		await_parked(1);
		expire_on_server("job");
		assert_status(hold(waiting, context, LONG), RL_OK);
	}
	return true;
}

static void or_when_the_same_owner_has_taken_it_meanwhile(void **state)
{
	struct rl_owner *other = new_owner();

	waiting = new_hooked(take_with_the_same_owner, "me");
	hook_runs = 0;
	assert_status(own(other, "job", LEASE), RL_OK);
	assert_status(hold_waiting(waiting, "me", 60 * RL_SECOND), RL_OK);
	assert_lives(RL_KEY_LOCK, LONG);
	assert_int_equal(rl_owner_stats(waiting)->acquired, 2);
	assert_status(let_go(waiting, "me"), RL_OK);
}

/* What the owner remembers of its name was ended elsewhere, and another has the lock: that ends no wait. */
static void a_wait_lasts_though_its_name_had_the_lock_before(void **state)
{
	struct rl_owner *owner = new_hooked(let_go_in_hook, "you");

	helper = new_owner();
	hook_runs = -1; /* the other has it for a while yet */
	assert_status(hold(owner, "me", LONG), RL_OK);
	assert_status(let_go(helper, "me"), RL_OK);
	assert_status(hold(helper, "you", LONG), RL_OK);
	assert_status(hold_waiting(owner, "me", 20 * RL_SECOND), RL_OK);
	assert_status(let_go(owner, "me"), RL_OK);
}

/* Nor what may be over, or was found to be, where servers replace each other, and the first ask fails. */
static void nor_does_it_before_the_server_has_answered(void **state)
{
	for (int in_doubt = 0; in_doubt < 2; in_doubt++) {
		struct rl_owner *owner = new_proxied();

		helper = new_owner();
		owner->route->patience = 2 * owner->route->timeout;
		assert_status(hold(owner, "me", LEASE), RL_OK);
		if (in_doubt) {
			fault(&rl_script_extend, 2, PROXY_CUT_AFTER);
			assert_status(lengthen(owner, "me", LONG), RL_UNREACHABLE);
		} else {
			assert_status(let_go(helper, "me"), RL_OK);
		}
		fault(&rl_script_acquire, 2, PROXY_CUT_BEFORE);
		assert_status(hold_waiting(owner, "me", 20 * RL_SECOND), RL_OK);
		assert_status(let_go(owner, "me"), RL_OK);
		assert_status(hold(helper, "you", LEASE), RL_OK);
		assert_status(let_go(helper, "you"), RL_OK);
		end_owner(owner);
	}
}

/* The last ask of a wait looks, too. */
static void or_at_its_very_end(void **state)
{
	struct rl_owner *owner = new_hooked(take_in_hook, "me"), *other = new_owner();

	helper = new_owner();
	hook_runs = 0;
	assert_status(own(other, "job", LEASE), RL_OK);
	assert_status(hold_waiting(owner, "me", 300 * RL_MILLISECOND), RL_OK);
	assert_status(let_go(owner, "me"), RL_OK);
}

static void a_busy_one_stays_busy(void **state)
{
	struct rl_owner *owner = warmed(new_owner()), *other = new_owner();

	assert_status(own(other, "job", LEASE), RL_OK);
	assert_requests(owner, 1, assert_status(hold(owner, "me", LEASE), RL_NO));
	assert_status(hold_waiting(owner, "me", 100 * RL_MILLISECOND), RL_NO);
	assert_int_equal(rl_owner_stats(owner)->busy, 2);
	assert_status(disown(other, "job"), RL_OK);
	assert_status(own(other, "job", LEASE), RL_OK); /* nothing of the tries is left */
}

/* ---------------------------------------------------------------- answers that are lost */

static void a_take_that_stays_unanswered_is_undone(void **state)
{
	struct rl_owner *owner = new_proxied();

	fault(&rl_script_acquire, 2, PROXY_CUT_AFTER);
	assert_status(hold(owner, "me", LEASE), RL_UNREACHABLE);
	proxy_let_go(&proxy);
	assert_status(lengthen(owner, "me", LEASE), RL_NO); /* the next contact, which comes first */
	assert_false(is_taken("job"));
	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_status(let_go(owner, "me"), RL_OK);
}

/* What is undone is that grant alone, and not what another process made of it. */
static void but_not_if_another_process_uses_it(void **state)
{
	struct rl_owner *owner = new_proxied(), *other = new_owner();

	fault(&rl_script_acquire, 2, PROXY_CUT_AFTER);
	assert_status(hold(owner, "me", LEASE), RL_UNREACHABLE);
	proxy_let_go(&proxy);
	assert_status(hold(other, "me", LEASE), RL_OK);
	disown_all(owner); /* a contact */
	assert_true(is_taken("job"));
	assert_status(let_go(other, "me"), RL_OK);
}

static void a_late_copy_of_a_take_takes_nothing_after_a_release_elsewhere(void **state)
{
	struct rl_owner *owner = new_proxied(), *other = new_owner();

	fault(&rl_script_acquire, 1, PROXY_LATE);
	assert_status(hold(owner, "me", LEASE), RL_OK); /* by its second sending */
	assert_status(let_go(other, "me"), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 1);
	assert_false(is_taken("job"));
}

static void nor_after_one_here(void **state)
{
	struct rl_owner *owner = new_proxied();

	fault(&rl_script_acquire, 1, PROXY_LATE);
	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_status(let_go(owner, "me"), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 1);
	assert_false(is_taken("job"));
}

static void a_late_prolongation_changes_nothing(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(hold(owner, "me", LEASE), RL_OK);
	fault(&rl_script_extend, 2, PROXY_LATE);
	assert_status(lengthen(owner, "me", LEASE / 2), RL_UNREACHABLE);
	proxy_let_go(&proxy);
	assert_status(lengthen(owner, "me", LONG), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 2);
	assert_lives(RL_KEY_LOCK, LONG);
	assert_status(let_go(owner, "me"), RL_OK);
}

static void nor_does_a_late_one_from_elsewhere(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_proxied();

	assert_status(hold(owner, "me", LEASE), RL_OK);
	fault(&rl_script_replace, 2, PROXY_LATE);
	assert_status(lengthen(other, "me", LEASE / 2), RL_UNREACHABLE);
	proxy_let_go(&proxy);
	assert_status(lengthen(other, "me", LONG), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 2);
	assert_lives(RL_KEY_LOCK, LONG);
	assert_status(let_go(owner, "me"), RL_OK);
	assert_false(is_taken("job"));
}

/* A take that was held up on its way began a lease that lasts longer than whoever took it knows; others are told so. */
static void taking_it_again_never_cuts_what_others_were_told(void **state)
{
	struct rl_owner *owner = warmed(new_owner());

	assert_status(hold(owner, "me", LEASE), RL_OK);
	run("PEXPIRE %b %d", KEY(RL_KEY_LOCK), LONG);
	assert_requests(owner, 1, assert_status(hold(owner, "me", LEASE), RL_OK));
	assert_lives(RL_KEY_LOCK, LONG);
	assert_status(let_go(owner, "me"), RL_OK);
}

static void taking_it_again_never_cuts_an_unanswered_prolongation(void **state)
{
	for (int was_done = 0; was_done < 2; was_done++) {
		struct rl_owner *owner = new_proxied();

		assert_status(hold(owner, "me", LEASE), RL_OK);
		fault(&rl_script_extend, 2, was_done ? PROXY_CUT_AFTER : PROXY_LATE);
		assert_status(lengthen(owner, "me", LONG), RL_UNREACHABLE);
		proxy_let_go(&proxy);
		assert_status(hold(owner, "me", 2 * LEASE), RL_OK);
		proxy_deliver(&proxy);
		assert_lives(RL_KEY_LOCK, was_done ? LONG : 2 * LEASE);
		assert_requests(owner, 1, assert_status(let_go(owner, "me"), RL_OK));
		assert_false(is_taken("job"));
		end_owner(owner);
	}
}

/* It was done, and the next call finds what it has left. */
static void a_prolongation_elsewhere_whose_answer_is_lost_loses_nothing(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_proxied();

	assert_status(hold(owner, "me", LEASE), RL_OK);
	fault(&rl_script_replace, 2, PROXY_CUT_AFTER);
	assert_status(lengthen(other, "me", LONG), RL_UNREACHABLE);
	proxy_let_go(&proxy);
	assert_lives(RL_KEY_LOCK, LONG);
	disown_all(other);
	assert_status(seen(other, "me"), RL_OK);
	assert_status(lengthen(other, "me", LEASE), RL_OK);
	assert_status(let_go(owner, "me"), RL_OK);
	assert_false(is_taken("job"));
}

static void a_release_whose_answer_is_lost_once_is_done(void **state)
{
	for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
		struct rl_owner *owner = new_owner(), *other = new_proxied();

		assert_status(hold(elsewhere ? owner : other, "me", LEASE), RL_OK);
		fault(&rl_script_release, 1, PROXY_CUT_AFTER);
		assert_status(let_go(other, "me"), RL_OK);
		assert_false(is_taken("job"));
		end_owner(owner);
		end_owner(other);
	}
}

/* The sending that was lost has done nothing, since another process has prolonged it: so that is released. */
static void a_release_that_is_lost_once_finds_what_another_process_made(void **state)
{
	struct rl_owner *owner = new_proxied(), *other = new_owner();

	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_status(lengthen(other, "me", LEASE), RL_OK);
	fault(&rl_script_release, 1, PROXY_CUT_BEFORE);
	assert_status(let_go(owner, "me"), RL_OK);
	assert_false(is_taken("job"));
}

static void a_release_that_stays_unanswered_is_repeated(void **state)
{
	for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
		struct rl_owner *owner = new_owner(), *other = new_proxied();

		assert_status(hold(elsewhere ? owner : other, "me", LEASE), RL_OK);
		fault(&rl_script_release, 2, PROXY_CUT_BEFORE);
		assert_status(let_go(other, "me"), RL_UNREACHABLE);
		proxy_let_go(&proxy);
		assert_true(is_taken("job"));
		assert_status(seen(other, "me"), RL_NO); /* the next contact */
		assert_false(is_taken("job"));
		end_owner(owner);
		end_owner(other);
	}
}

/* The answer to a look that finds what L holds now, with so much left. */
static const char *found_with_left(char *answer, size_t size, int left_ms)
{
	redisReply *value = command(rig.redis, "GET lock@job");

	assert_int_equal(value->type, REDIS_REPLY_STRING);
	snprintf(answer, size, "*4\r\n$%zu\r\n%s\r\n:%d\r\n$-1\r\n:0\r\n", value->len, value->str, left_ms);
	freeReplyObject(value);
	return answer;
}

/* The process that has the lock prolongs it under its own token, after the look and before the token is replaced. */
static void taking_it_elsewhere_never_cuts_what_was_prolonged_meanwhile(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_proxied();
	char answer[512];

	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_status(lengthen(owner, "me", LONG), RL_OK);
	proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_inspect, .times = 1, .fault = PROXY_ANSWER, .answer = found_with_left(answer, sizeof answer, 10) });
	assert_status(hold(other, "me", LEASE), RL_OK);
	assert_lives(RL_KEY_LOCK, LONG);
	assert_status(let_go(other, "me"), RL_OK);
}

/* Another process of the name seems to take it over before it has grown. */
static void nor_fails_if_it_changes_hands_before_it_grows(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_proxied();

	assert_status(hold(owner, "me", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_ANSWER, .answer = ":3\r\n" });
	assert_status(hold(other, "me", LONG), RL_OK);
	assert_lives(RL_KEY_LOCK, LONG);
	assert_status(let_go(other, "me"), RL_OK);
	assert_false(is_taken("job"));
}

/* Another process of the name seems to prolong it between look and release. */
static void a_release_catches_what_changes_hands(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_proxied();

	assert_status(hold(owner, "me", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_release, .times = 1, .fault = PROXY_ANSWER, .answer = ":3\r\n" });
	assert_status(let_go(other, "me"), RL_OK);
	assert_false(is_taken("job"));

	assert_status(hold(owner, "me", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_replace, .times = 1, .fault = PROXY_ANSWER, .answer = "*1\r\n:3\r\n" });
	assert_status(lengthen(other, "me", LONG), RL_OK);
	assert_lives(RL_KEY_LOCK, LONG);
}

static void and_gives_up_at_the_deadline(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_hasty();

	assert_status(hold(owner, "me", LEASE), RL_OK);
	proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_release, .times = 1000000, .fault = PROXY_ANSWER, .answer = ":3\r\n" });
	assert_status(let_go(other, "me"), RL_UNREACHABLE);
	proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_replace, .times = 1000000, .fault = PROXY_ANSWER, .answer = "*1\r\n:3\r\n" });
	assert_status(lengthen(other, "me", LEASE), RL_UNREACHABLE);
	assert_status(hold(other, "me", LEASE), RL_UNREACHABLE);
	assert_status(seen(owner, "me"), RL_OK);
}

static void *let_go_too_late(void *context)
{
	AWAIT(proxy.struck == *(const unsigned *)context);
	clock_advance(2 * LEASE * RL_MILLISECOND);
	proxy_let_go(&proxy);
	return NULL;
}

static void an_answer_that_comes_too_late_is_no_success(void **state)
{
	for (int prolongs = 0; prolongs < 2; prolongs++) {
		struct rl_owner *owner = warmed(new_proxied());
		unsigned held = proxy.struck + 1;
		enum rl_status status;
		uint64_t before;
		pthread_t thread;

		assert_status(hold(owner, "me", LEASE), RL_OK);
		before = rl_owner_stats(owner)->requests;
		fault(&rl_script_extend, 1, PROXY_HOLD);
		assert_int_equal(pthread_create(&thread, NULL, let_go_too_late, &held), 0);
		status = prolongs ? lengthen(owner, "me", LEASE) : hold(owner, "me", LEASE);
		pthread_join(thread, NULL);
		if (prolongs || status != RL_OK) {
			assert_status(status, RL_UNREACHABLE);
		} else {
			assert_true(rl_owner_stats(owner)->requests > before + 1); /* it was asked for anew */
		}
		let_go(owner, "me");
		let_go(owner, "me"); /* after a failure the first one only makes contact */
		assert_false(is_taken("job"));
	}
}

static void asleep_at_any_moment_it_leaves_nothing_behind(void **state)
{
	struct rl_owner *owner = new_owner();

	for (int prolongs = 0; prolongs < 2; prolongs++) {
		for (long reading = 0; reading < 40; reading++) {
			enum rl_status status;

			assert_status(hold(owner, "me", LEASE), RL_OK);
			clock_advance_at(reading, 2 * LEASE * RL_MILLISECOND);
			status = prolongs ? lengthen(owner, "me", LEASE) : hold(owner, "me", LEASE);
			clock_advance_at(-1, 0);
			assert_true(status == RL_OK || status == RL_UNREACHABLE || status == RL_NO);
			let_go(owner, "me");
			let_go(owner, "me"); /* after a failure the first one only makes contact */
			assert_false(is_taken("job"));
		}
	}
}

/* ---------------------------------------------------------------- a majority */

#define NODES 3

static struct throwaway nodes[NODES];
static struct proxy proxies[NODES];

static int start_nodes(void **state)
{
	for (size_t i = 0; i < NODES; i++) {
		if (!throwaway_start(&nodes[i], false, NULL)) {
			return -1;
		}
	}
	return rig_start(state);
}

static int stop_nodes(void **state)
{
	for (size_t i = 0; i < NODES; i++) {
		throwaway_stop(&nodes[i]);
	}
	return rig_stop(state);
}

static int reset_nodes(void **state)
{
	for (size_t i = 0; i < NODES; i++) {
		redisContext *redis = redisConnectUnix(nodes[i].socket);

		freeReplyObject(command(redis, "FLUSHALL"));
		redisFree(redis);
		if (!proxy_start(&proxies[i], nodes[i].folder, nodes[i].socket)) {
			return -1;
		}
	}
	return owners_reset(state);
}

static int clean_nodes(void **state)
{
	for (size_t i = 0; i < NODES; i++) {
		kill(nodes[i].pid, SIGCONT);
	}
	owners_clean(state);
	for (size_t i = 0; i < NODES; i++) {
		proxy_stop(&proxies[i]);
	}
	return 0;
}

static struct rl_owner *on_majority(void)
{
	const char *addresses[NODES];

	for (size_t i = 0; i < NODES; i++) {
		addresses[i] = proxies[i].address;
	}
	return new_majority(addresses, NODES, (struct rl_wait_hook){ .run = NULL }, NULL);
}

static size_t holding_nodes(void)
{
	size_t holding = 0;

	for (size_t i = 0; i < NODES; i++) {
		redisContext *redis = redisConnectUnix(nodes[i].socket);
		redisReply *reply = command(redis, "EXISTS lock@job");

		holding += reply->integer == 1;
		freeReplyObject(reply);
		redisFree(redis);
	}
	return holding;
}

/* A first use does not wait for all connections, and what was not sent then never is. */
static void hold_on_all(struct rl_owner *owner)
{
	for (int tries = 0;; tries++) {
		assert_true(tries < 10000);
		assert_status(hold(owner, "me", LEASE), RL_OK);
		pause_a_moment();
		if (holding_nodes() == NODES) {
			return;
		}
		assert_status(let_go(owner, "me"), RL_OK);
		AWAIT(holding_nodes() == 0);
	}
}

static void a_majority_knows_the_name_everywhere(void **state)
{
	struct rl_owner *owner = on_majority(), *other = on_majority();

	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_status(seen(other, "me"), RL_OK);
	assert_int_equal(fence_of(other, "me"), 0);
	assert_status(hold(other, "you", LEASE), RL_NO);
	assert_status(let_go(other, "you"), RL_NO);
	assert_status(lengthen(owner, "me", LEASE), RL_OK);
	for (int turn = 0; turn < 2; turn++) {
		assert_status(lengthen(other, "me", LEASE), RL_OK);
		assert_status(lengthen(other, "me", LONG), RL_OK);
		assert_status(lengthen(owner, "me", LEASE), RL_OK);
		assert_status(hold(other, "me", LONG), RL_OK);
		assert_status(hold(owner, "me", LEASE), RL_OK);
	}
	assert_status(let_go(other, "me"), RL_OK);
	AWAIT(holding_nodes() == 0);
	assert_status(let_go(owner, "me"), RL_NO);
	assert_status(lengthen(owner, "me", LEASE), RL_NO);

	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_status(let_go(owner, "me"), RL_OK);
	AWAIT(holding_nodes() == 0);
	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_status(let_go(other, "me"), RL_OK);
	AWAIT(holding_nodes() == 0);
}

static void a_majority_does_without_a_node(void **state)
{
	struct rl_owner *owner = on_majority(), *other = on_majority();

	proxy_stop(&proxies[0]);
	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_status(lengthen(other, "me", LONG), RL_OK);
	assert_status(lengthen(owner, "me", LEASE), RL_OK);
	assert_status(let_go(other, "me"), RL_OK);
	AWAIT(holding_nodes() == 0);
	assert_status(hold(owner, "me", LEASE), RL_OK);
	assert_status(let_go(other, "me"), RL_OK);
	AWAIT(holding_nodes() == 0);
	proxy_stop(&proxies[1]);
	assert_status(hold(owner, "me", LEASE), RL_UNREACHABLE);
	assert_status(let_go(other, "me"), RL_UNREACHABLE);
}

static long long on_node(size_t node, const char *line)
{
	redisContext *redis = redisConnectUnix(nodes[node].socket);
	redisReply *reply = command(redis, line);
	long long number = reply->integer;

	assert_int_equal(reply->type, REDIS_REPLY_INTEGER);
	freeReplyObject(reply);
	redisFree(redis);
	return number;
}

/* A prolongation has reached two nodes, and so been a success, before the token was replaced; one of them does not answer. */
static void what_a_majority_was_prolonged_to_is_never_cut(void **state)
{
	struct rl_owner *owner = on_majority(), *other = on_majority();
	char longer[64];

	hold_on_all(owner);
	snprintf(longer, sizeof longer, "PEXPIRE lock@job %d", LONG);
	assert_int_equal(on_node(0, longer), 1);
	assert_int_equal(on_node(1, longer), 1);
	throwaway_freeze(&nodes[1]);
	assert_status(hold(other, "me", 2 * LEASE), RL_OK);
	assert_true(on_node(0, "PTTL lock@job") > LONG / 2);
	assert_true(on_node(2, "PTTL lock@job") > LONG / 2);
}

/* What a node has not answered yet is released there later. */
static void a_frozen_node_is_released_when_it_thaws(void **state)
{
	struct rl_owner *owner = on_majority(), *other = on_majority();

	hold_on_all(owner);
	throwaway_freeze(&nodes[0]);
	assert_status(let_go(other, "me"), RL_OK);
	kill(nodes[0].pid, SIGCONT);
	AWAIT(seen(other, "me") == RL_NO && holding_nodes() == 0); /* by the next contact */
}

static void a_release_from_a_majority_that_is_lost_is_repeated(void **state)
{
	struct rl_owner *owner = on_majority(), *other = on_majority();

	hold_on_all(owner);
	for (size_t i = 0; i < NODES; i++) {
		proxy_add(&proxies[i], (struct proxy_rule){ .script = &rl_script_release, .times = 2, .fault = PROXY_CUT_BEFORE });
	}
	assert_status(let_go(other, "me"), RL_UNREACHABLE);
	for (size_t i = 0; i < NODES; i++) {
		proxy_let_go(&proxies[i]);
	}
	AWAIT(seen(other, "me") == RL_NO && holding_nodes() == 0);
}

/* The token that another process of the name has put on this node. */
static const char *token_on(size_t node)
{
	static char token[80];

	snprintf(token, sizeof token, "rlock1@6d65:host:1:%032zx", 10 + node);
	return token;
}

static redisReply *ask_node(size_t node, const char *words, const char *word)
{
	redisContext *redis = redisConnectUnix(nodes[node].socket);
	redisReply *reply = redisCommand(redis, words, word);

	redisFree(redis);
	assert_non_null(reply);
	return reply;
}

/* What processes that say the name "me" at once may leave: another token on each node. */
static void split(void)
{
	for (size_t i = 0; i < NODES; i++) {
		freeReplyObject(ask_node(i, "SET lock@job %s PX 60000", token_on(i)));
	}
}

static bool hold_alike(void)
{
	redisReply *first = ask_node(0, "GET lock@job", NULL);
	bool alike = first->type == REDIS_REPLY_STRING;

	for (size_t i = 1; i < NODES; i++) {
		redisReply *reply = ask_node(i, "GET lock@job", NULL);

		alike = alike && reply->type == REDIS_REPLY_STRING && strcmp(first->str, reply->str) == 0;
		freeReplyObject(reply);
	}
	freeReplyObject(first);
	return alike;
}

/* An owner that has a connection to each node. */
static struct rl_owner *on_all(void)
{
	struct rl_owner *owner = on_majority();

	hold_on_all(owner);
	assert_status(let_go(owner, "me"), RL_OK);
	AWAIT(holding_nodes() == 0);
	return owner;
}

static void a_name_has_what_its_tokens_have_together(void **state)
{
	struct rl_owner *owner = on_all(), *other = on_all();

	split();
	assert_status(seen(owner, "me"), RL_OK);
	assert_status(seen(owner, "you"), RL_NO);
	assert_status(lengthen(owner, "you", LEASE), RL_NO);
	assert_status(lengthen(owner, "me", LONG), RL_OK);
	AWAIT(hold_alike());
	assert_status(let_go(owner, "me"), RL_OK);
	AWAIT(holding_nodes() == 0);

	split();
	assert_status(hold(other, "me", LEASE), RL_OK);
	AWAIT(hold_alike());
	assert_status(let_go(owner, "me"), RL_OK);
	AWAIT(holding_nodes() == 0);
}

static void a_release_releases_each_of_them(void **state)
{
	struct rl_owner *owner = on_all();

	split();
	assert_status(let_go(owner, "you"), RL_NO);
	assert_status(let_go(owner, "me"), RL_OK);
	AWAIT(holding_nodes() == 0);
	for (size_t i = 0; i < NODES; i++) {
		redisReply *reply = ask_node(i, "GET rlock:f:{lock@job}:lock@job", NULL);

		assert_non_null(strstr(reply->str, strrchr(token_on(i), ':') + 1)); /* closed */
		freeReplyObject(reply);
	}
}

static void what_a_node_has_not_answered_is_released_there_later(void **state)
{
	struct rl_owner *owner = on_all();

	split();
	proxy_add(&proxies[2], (struct proxy_rule){ .script = &rl_script_release, .times = 2, .fault = PROXY_CUT_BEFORE });
	assert_status(let_go(owner, "me"), RL_OK);
	AWAIT(seen(owner, "me") == RL_NO && holding_nodes() == 0);
}

/* The others' tokens are a part of the name's lock as long as nothing has taken their place. */
static void a_token_that_lost_its_majority_is_left_until_it_is_replaced(void **state)
{
	struct rl_owner *owner = on_all(), *other = on_all();

	for (int turn = 0; turn < 2; turn++) {
		hold_on_all(owner);
		freeReplyObject(ask_node(1, "SET lock@job %s PX 60000", token_on(1)));
		freeReplyObject(ask_node(2, "SET lock@job %s PX 60000", token_on(2)));
		assert_status(turn == 0 ? lengthen(owner, "me", LEASE) : hold(owner, "me", LEASE), RL_OK);
		AWAIT(hold_alike());
		assert_status(let_go(other, "me"), RL_OK);
		AWAIT(holding_nodes() == 0);
	}
}

/* Another process may have been faster on some nodes, and a majority suffices. */
static void a_release_releases_what_a_take_has_missed(void **state)
{
	struct rl_owner *owner = on_all();

	split();
	freeReplyObject(ask_node(1, "SET lock@job %s PX 60000", token_on(0)));
	proxy_add(&proxies[2],
		(struct proxy_rule){ .script = &rl_script_inspect, .times = 1, .fault = PROXY_ANSWER, .answer = "*4\r\n$-1\r\n:-2\r\n$-1\r\n:0\r\n" });
	assert_status(lengthen(owner, "me", LONG), RL_OK);
	assert_false(hold_alike());
	assert_status(let_go(owner, "me"), RL_OK);
	AWAIT(holding_nodes() == 0);
}

/* A try to take over puts its token on one node; by the next look the others have been released. */
static void what_came_too_late_for_a_majority_is_given_back(void **state)
{
	struct rl_owner *owner = on_all();

	split();
	for (size_t i = 1; i < NODES; i++) {
		proxy_add(&proxies[i],
			(struct proxy_rule){ .script = &rl_script_replace, .times = 1, .fault = PROXY_ANSWER, .answer = "*1\r\n:3\r\n" });
		proxy_add(&proxies[i],
			(struct proxy_rule){ .script = &rl_script_inspect, .skip = 1, .times = 1, .fault = PROXY_ANSWER, .answer = "*4\r\n$-1\r\n:-2\r\n$-1\r\n:0\r\n" });
	}
	assert_status(lengthen(owner, "me", LONG), RL_NO);
	AWAIT(holding_nodes() == NODES - 1);
}

int test_detached(void)
{
#define test(name)       cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
#define test_nodes(name) cmocka_unit_test_setup_teardown(name, reset_nodes, clean_nodes)
	const struct CMUnitTest tests[] = {
		test(a_pair_is_two_requests_where_it_is_remembered),
		test(elsewhere_it_takes_one_more_to_find_it),
		test(taken_elsewhere_it_grows_by_one_request_more),
		test(what_is_remembered_may_be_over),
		test(of_two_releases_one_is_false),
		test(a_later_grant_of_another_name_is_left_alone),
		test(it_is_forgotten_when_its_time_is_up),
		test(only_so_many_are_remembered),
		test(nothing_gives_it_back_by_itself),
		test(a_child_finds_it_anew),
		test(attached_and_detached_exclude_each_other),
		test(its_holder_is_shown_without_the_name),
		test(a_baton_is_no_names),
		test(a_wait_ends_when_its_own_name_has_the_lock),
		test(or_when_the_same_owner_has_taken_it_meanwhile),
		test(or_at_its_very_end),
		test(a_wait_lasts_though_its_name_had_the_lock_before),
		test(nor_does_it_before_the_server_has_answered),
		test(a_busy_one_stays_busy),
		test(a_take_that_stays_unanswered_is_undone),
		test(but_not_if_another_process_uses_it),
		test(a_late_copy_of_a_take_takes_nothing_after_a_release_elsewhere),
		test(nor_after_one_here),
		test(a_late_prolongation_changes_nothing),
		test(nor_does_a_late_one_from_elsewhere),
		test(taking_it_again_never_cuts_what_others_were_told),
		test(taking_it_again_never_cuts_an_unanswered_prolongation),
		test(a_prolongation_elsewhere_whose_answer_is_lost_loses_nothing),
		test(a_release_whose_answer_is_lost_once_is_done),
		test(a_release_that_is_lost_once_finds_what_another_process_made),
		test(a_release_that_stays_unanswered_is_repeated),
		test(taking_it_elsewhere_never_cuts_what_was_prolonged_meanwhile),
		test(nor_fails_if_it_changes_hands_before_it_grows),
		test(a_release_catches_what_changes_hands),
		test(and_gives_up_at_the_deadline),
		test(an_answer_that_comes_too_late_is_no_success),
		test(asleep_at_any_moment_it_leaves_nothing_behind),
	};
	const struct CMUnitTest majority[] = {
		test_nodes(a_majority_knows_the_name_everywhere),
		test_nodes(a_majority_does_without_a_node),
		test_nodes(what_a_majority_was_prolonged_to_is_never_cut),
		test_nodes(a_frozen_node_is_released_when_it_thaws),
		test_nodes(a_release_from_a_majority_that_is_lost_is_repeated),
		test_nodes(a_name_has_what_its_tokens_have_together),
		test_nodes(a_release_releases_each_of_them),
		test_nodes(what_a_node_has_not_answered_is_released_there_later),
		test_nodes(a_token_that_lost_its_majority_is_left_until_it_is_replaced),
		test_nodes(a_release_releases_what_a_take_has_missed),
		test_nodes(what_came_too_late_for_a_majority_is_given_back),
	};

	return cmocka_run_group_tests_name("detached", tests, rig_start, rig_stop)
		+ cmocka_run_group_tests_name("detached on a majority", majority, start_nodes, stop_nodes);
}
