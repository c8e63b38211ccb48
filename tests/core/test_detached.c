/*
 * Detached locks: held by a name, whichever process says it. What one of them knows of the name's
 * grant may be over, and answers may be lost or late.
 */
#include "owner_rig.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lock/owner/internal.h"

#define LONG (60 * LEASE)

/* ---------------------------------------------------------------- calls, all of the lock "job" */

/* What one process knows of a name. */
#define NAMED(text) ((struct rl_detached){ .key = NAME("job"), .name = NAME(text) })
/* The names of a test: two processes say "me", and one says "you". */
static struct rl_detached me, there, you;

static atomic_uint alarms;

static void count_alarm(void *context)
{
	alarms++;
}

static int reset(void **state)
{
	alarms = 0;
	me = there = NAMED("me");
	you = NAMED("you");
	return owners_reset(state);
}

static int clean(void **state)
{
	rl_owner_detached_forget(&me);
	rl_owner_detached_forget(&there);
	rl_owner_detached_forget(&you);
	return owners_clean(state);
}

static enum rl_status hold_waiting(
	struct rl_owner *owner, struct rl_detached *name, int64_t lease_ms, rl_time wait)
{
	return own_with(owner, "job",
		&(struct rl_acquire){
			.detached = name, .lease_ms = lease_ms, .wait = wait, .policy = RL_POLICY_WAIT });
}

static enum rl_status hold(struct rl_owner *owner, struct rl_detached *name, int64_t lease_ms)
{
	return hold_waiting(owner, name, lease_ms, 0);
}

static enum rl_status lengthen(struct rl_owner *owner, struct rl_detached *name, int64_t lease_ms)
{
	said = (struct rl_error){ .held = false };
	return rl_owner_detached_prolongate(owner, name, lease_ms, &said);
}

static enum rl_status let_go(struct rl_owner *owner, struct rl_detached *name)
{
	said = (struct rl_error){ .held = false };
	return rl_owner_detached_release(owner, name, 0, &said);
}

static enum rl_status seen(struct rl_owner *owner, struct rl_detached *name)
{
	struct rl_detached_view view;

	said = (struct rl_error){ .held = false };
	return rl_owner_detached_look(owner, name, &view, &said);
}

static int64_t fence_of(struct rl_owner *owner, struct rl_detached *name)
{
	struct rl_detached_view view;

	assert_status(rl_owner_detached_look(owner, name, &view, &said), RL_OK);
	return view.fence;
}

/* How many requests a call takes. */
#define assert_requests(owner, expected, call) \
 do { \
  uint64_t before = rl_owner_stats(owner)->requests; \
  call; \
  assert_int_equal(rl_owner_stats(owner)->requests - before, (expected)); \
 } while (0)

static struct rl_owner *new_hasty(void)
{
	char address[160];

	snprintf(address, sizeof address, "%s?timeout=0.3", proxy.address);
	return new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
}

static void fault(const struct rl_script *script, unsigned times, enum proxy_fault fault)
{
	proxy_add(&proxy,
		(struct proxy_rule){ .script = script,
			.times = times,
			.fault = fault,
			.fails = times > 1 });
}

/* The server seems to find another grant than was asked for, so often. */
static void say_taken(const struct rl_script *script, unsigned times)
{
	proxy_add(&proxy,
		(struct proxy_rule){
			.script = script, .times = times, .fault = PROXY_ANSWER, .answer = "*1\r\n:3\r\n" });
}

/* ---------------------------------------------------------------- what is known of a grant */

static void a_pair_is_two_requests_where_it_is_known(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_requests(owner, 1, assert_status(hold(owner, &me, LEASE), RL_OK));
	assert_requests(owner, 1, assert_status(lengthen(owner, &me, LEASE), RL_OK));
	assert_requests(owner, 1, assert_status(hold(owner, &me, LEASE), RL_OK));
	assert_requests(owner, 1, assert_status(let_go(owner, &me), RL_OK));
	assert_requests(owner, 1, assert_status(let_go(owner, &me), RL_NO));
	assert_false(is_taken("job"));
}

static void elsewhere_it_takes_one_more_to_find_it(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(hold(owner, &me, LEASE), RL_OK);
	assert_requests(owner, 2, assert_status(lengthen(owner, &there, LONG), RL_OK));
	assert_lives(RL_KEY_LOCK, LONG);
	assert_requests(owner, 1, assert_status(let_go(owner, &there), RL_OK));
	assert_false(is_taken("job"));
	/* what it knew is over */
	assert_requests(owner, 2, assert_status(lengthen(owner, &me, LEASE), RL_NO));

	assert_status(hold(owner, &me, LEASE), RL_OK);
	assert_requests(owner, 2, assert_status(let_go(owner, &there), RL_OK));
	assert_status(let_go(owner, &me), RL_NO);
}

/* Each finds that the other has used the name since. */
static void what_is_known_may_be_over(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(hold(owner, &me, LEASE), RL_OK);
	for (int turn = 0; turn < 2; turn++) {
		assert_status(lengthen(owner, &there, LEASE), RL_OK);
		assert_requests(owner, 3, assert_status(lengthen(owner, &me, 2 * LEASE), RL_OK));
		assert_lives(RL_KEY_LOCK, 2 * LEASE);
		assert_status(hold(owner, &there, LONG), RL_OK);
		assert_lives(RL_KEY_LOCK, LONG);
		assert_status(hold(owner, &me, LEASE), RL_OK); /* which never shortens */
		assert_lives(RL_KEY_LOCK, LONG);
	}
	assert_int_equal(fence_of(owner, &there), fence_of(owner, &me));
	assert_requests(owner, 1, assert_status(let_go(owner, &there), RL_OK));
	assert_status(let_go(owner, &me), RL_NO);
}

/* Each has its own name for the baton or the cooldown that its release leaves. */
static void of_two_releases_one_is_false(void **state)
{
	for (int delay_ms = 0; delay_ms <= LEASE; delay_ms += LEASE) {
		struct rl_owner *owner = new_owner();

		run("FLUSHALL");
		assert_status(hold(owner, &me, LEASE), RL_OK);
		run("SET %b 1", KEY(RL_KEY_WAITING)); /* somebody may wait */
		assert_status(rl_owner_detached_release(owner, &there, delay_ms, &said), RL_OK);
		assert_true(is_taken("job")); /* by a baton, or a cooldown */
		assert_status(let_go(owner, &me), RL_NO);
	}
}

static void another_names_lock_is_left_alone(void **state)
{
	struct rl_detached shorter = NAMED("yo"), longer = NAMED("you!");
	struct rl_owner *owner = new_owner();

	assert_status(hold(owner, &me, LEASE), RL_OK);
	assert_status(let_go(owner, &there), RL_OK);
	assert_status(hold(owner, &you, LEASE), RL_OK);
	assert_status(let_go(owner, &me), RL_NO);
	assert_status(lengthen(owner, &me, LONG), RL_NO);
	assert_status(hold(owner, &me, LONG), RL_NO);
	assert_status(seen(owner, &you), RL_OK);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_status(let_go(owner, &shorter), RL_NO);
	assert_status(let_go(owner, &longer), RL_NO);
	assert_status(let_go(owner, &you), RL_OK);
}

static void nothing_gives_it_back_by_itself(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(hold(owner, &me, LEASE), RL_OK);
	assert_int_equal(rl_owner_held(owner), 0);
	assert_int_equal(disown_all(owner).released, 0);
	end_owner(owner);
	assert_true(is_taken("job"));
	assert_status(let_go(new_owner(), &me), RL_OK);
}

/* Nor is it set anew. */
static void what_ran_out_is_over(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(hold(owner, &me, LEASE), RL_OK);
	expire_on_server("job");
	assert_status(lengthen(owner, &me, LEASE), RL_NO);
	assert_status(let_go(owner, &me), RL_NO);
	assert_false(is_taken("job"));
}

static bool child_uses_a_name(void *context)
{
	struct rl_owner *owner = context;

	return lengthen(owner, &me, LEASE) == RL_OK && lengthen(owner, &me, LONG) == RL_OK
		&& seen(owner, &me) == RL_OK && hold(owner, &me, LEASE) == RL_OK;
}

static void a_child_may_say_it_too(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(hold(owner, &me, LEASE), RL_OK);
	assert_status(lengthen(owner, &me, LEASE), RL_OK);
	assert_true(in_child(child_uses_a_name, owner));
	assert_lives(RL_KEY_LOCK, LONG);
	assert_status(lengthen(owner, &me, LEASE), RL_OK);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_status(let_go(owner, &me), RL_OK);
	assert_false(is_taken("job"));
}

/* ---------------------------------------------------------------- others */

static void attached_and_detached_exclude_each_other(void **state)
{
	struct rl_owner *owner = new_owner();
	struct rl_acquire terms = { .lease_ms = LEASE, .metadata = NAME("rlock1@6d65:") };

	assert_status(own_with(owner, "job", &terms), RL_OK);
	assert_status(hold(owner, &me, LEASE), RL_NO);
	assert_status(let_go(owner, &me), RL_NO);
	assert_status(lengthen(owner, &me, LEASE), RL_NO);
	assert_status(disown(owner, "job"), RL_OK);

	assert_status(hold(owner, &me, LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_NO);
	assert_status(disown(owner, "job"), RL_NO);
	assert_status(adopt(owner, "job", &me.grant->token, LEASE), RL_NO);
	assert_status(break_it(owner, "job"), RL_OK);
	assert_status(let_go(owner, &me), RL_NO);
}

static void its_holder_is_shown_without_the_name(void **state)
{
	struct rl_owner *owner = new_owner();
	struct rl_acquire terms = { .detached = &me, .lease_ms = LEASE, .metadata = NAME("a:b") };
	struct rl_holder holder;
	char pid[24];

	assert_status(own_with(owner, "job", &terms), RL_OK);
	assert_status(lengthen(owner, &there, LEASE), RL_OK); /* which leaves everything as it is */
	assert_status(rl_owner_holder(owner, NAME("job"), &holder, &said), RL_OK);
	assert_int_equal(holder.kind, RL_HOLDER_DETACHED);
	snprintf(pid, sizeof pid, ":%ld", (long)getpid());
	assert_memory_equal(holder.owner.data + holder.owner.length - strlen(pid), pid, strlen(pid));
	assert_int_equal(holder.metadata.length, 3);
	assert_memory_equal(holder.metadata.data, "a:b", 3);
	assert_int_equal(holder.fence, fence_of(owner, &me));
	rl_owner_holder_clear(&holder);
}

/* ---------------------------------------------------------------- waiting */

static struct rl_owner *helper;
static int hook_runs;

/* Another process of the name gets it, when the holder's time is over. */
static bool take_there(void *context)
{
	if (hook_runs++ == 0) {
		await_parked(1);
		expire_on_server("job");
		assert_status(hold(helper, &there, LONG), RL_OK);
	}
	return true;
}

static void a_wait_ends_when_its_own_name_has_the_lock(void **state)
{
	/* by its last ask, too */
	static const rl_time waits[] = { 60 * RL_SECOND, 300 * RL_MILLISECOND };
	struct rl_owner *owner = new_hooked(take_there, NULL);

	helper = new_owner();
	for (size_t i = 0; i < COUNT(waits); i++) {
		hook_runs = 0;
		assert_status(own(new_owner(), "job", LEASE), RL_OK);
		assert_status(hold_waiting(owner, &me, LEASE, waits[i]), RL_OK);
		assert_lives(RL_KEY_LOCK, LONG);
		assert_status(let_go(owner, &me), RL_OK);
		run("DEL lock@job %b", KEY(RL_KEY_WAITING));
	}
}

static void a_busy_one_stays_busy(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();

	assert_status(own(other, "job", LEASE), RL_OK);
	assert_requests(owner, 1, assert_status(hold(owner, &me, LEASE), RL_NO));
	assert_status(hold_waiting(owner, &me, LEASE, 100 * RL_MILLISECOND), RL_NO);
	assert_int_equal(rl_owner_stats(owner)->busy, 2);
	assert_status(disown(other, "job"), RL_OK);
	assert_status(own(other, "job", LEASE), RL_OK); /* nothing of the tries is left */
}

/* ---------------------------------------------------------------- answers that are lost */

static void a_take_that_stays_unanswered_is_undone(void **state)
{
	struct rl_owner *owner = new_proxied();

	fault(&rl_script_acquire, 2, PROXY_CUT_AFTER);
	assert_status(hold(owner, &me, LEASE), RL_UNREACHABLE);
	assert_status(lengthen(owner, &me, LEASE), RL_NO); /* the next contact, which comes first */
	assert_false(is_taken("job"));
	assert_status(hold(owner, &me, LEASE), RL_OK);
	assert_status(let_go(owner, &me), RL_OK);
}

/* It is the name's: what is undone is that very grant. */
static void but_not_if_another_process_has_taken_it_since(void **state)
{
	struct rl_owner *owner = new_proxied(), *other = new_owner();

	fault(&rl_script_acquire, 2, PROXY_CUT_AFTER);
	assert_status(hold(owner, &me, LEASE), RL_UNREACHABLE);
	assert_status(hold(other, &there, LEASE), RL_OK);
	disown_all(owner); /* a contact */
	assert_true(is_taken("job"));
	assert_status(let_go(other, &there), RL_OK);
}

/* Nor if it had the lock before. */
static void nor_what_the_name_had_before(void **state)
{
	struct rl_owner *owner = new_proxied(), *other = new_owner();

	assert_status(hold(other, &there, LEASE), RL_OK);
	fault(&rl_script_acquire, 2, PROXY_CUT_AFTER);
	assert_status(hold(owner, &me, LEASE), RL_UNREACHABLE);
	disown_all(owner); /* a contact */
	assert_true(is_taken("job"));
	assert_status(let_go(other, &there), RL_OK);
}

static void a_late_prolongation_changes_nothing(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(hold(owner, &me, LEASE), RL_OK);
	for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
		struct rl_detached *name = elsewhere ? &there : &me;

		fault(&rl_script_extend, 2, PROXY_LATE);
		assert_status(lengthen(owner, name, LEASE / 2), RL_UNREACHABLE);
		assert_status(lengthen(owner, name, LONG), RL_OK);
		assert_int_equal(proxy_deliver(&proxy), 2);
		assert_lives(RL_KEY_LOCK, LONG);
	}
	assert_status(let_go(owner, &me), RL_OK);
}

/* It may have been done, and whoever says the name finds what is left. */
static void a_prolongation_whose_answer_is_lost_loses_nothing(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(hold(owner, &me, LEASE), RL_OK);
	fault(&rl_script_extend, 2, PROXY_CUT_AFTER);
	assert_status(lengthen(owner, &me, LONG), RL_UNREACHABLE);
	assert_lives(RL_KEY_LOCK, LONG);
	disown_all(owner); /* a contact */
	assert_status(seen(owner, &there), RL_OK);
	assert_status(hold(owner, &me, 2 * LEASE), RL_OK);
	assert_lives(RL_KEY_LOCK, LONG);
	assert_status(let_go(owner, &me), RL_OK);
	assert_false(is_taken("job"));
}

static void a_release_whose_answer_is_lost_once_is_done(void **state)
{
	for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
		struct rl_owner *owner = new_proxied();

		assert_status(hold(owner, &me, LEASE), RL_OK);
		fault(&rl_script_release, 1, PROXY_CUT_AFTER);
		assert_status(let_go(owner, elsewhere ? &there : &me), RL_OK);
		assert_false(is_taken("job"));
	}
}

/*
 * The sending that was lost has done nothing, since another process has prolonged it: so that is
 * released.
 */
static void a_release_that_is_lost_once_finds_what_another_process_made(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(hold(owner, &me, LEASE), RL_OK);
	assert_status(lengthen(owner, &there, LEASE), RL_OK);
	fault(&rl_script_release, 1, PROXY_CUT_BEFORE);
	assert_status(let_go(owner, &me), RL_OK);
	assert_false(is_taken("job"));
}

static void a_release_that_stays_unanswered_is_repeated(void **state)
{
	for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
		struct rl_owner *owner = new_proxied();

		assert_status(hold(owner, &me, LEASE), RL_OK);
		fault(&rl_script_release, 2, PROXY_CUT_BEFORE);
		assert_status(let_go(owner, elsewhere ? &there : &me), RL_UNREACHABLE);
		assert_true(is_taken("job"));
		assert_status(seen(owner, &me), RL_NO); /* the next contact */
		assert_false(is_taken("job"));
	}
}

static void a_late_release_does_not_end_the_names_next_grant(void **state)
{
	struct rl_owner *owner = new_proxied(), *other = new_owner();

	assert_status(hold(owner, &me, LEASE), RL_OK);
	fault(&rl_script_release, 2, PROXY_LATE);
	assert_status(let_go(owner, &me), RL_UNREACHABLE);
	assert_status(hold(other, &there, LEASE), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 2);
	disown_all(owner); /* nor does its repetition */
	assert_status(let_go(other, &there), RL_OK);
}

/* Another process of the name seems to prolong it between look and release. */
static void what_changes_hands_is_caught(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(hold(owner, &me, LEASE), RL_OK);
	say_taken(&rl_script_extend, 1);
	assert_status(lengthen(owner, &there, LONG), RL_OK);
	assert_lives(RL_KEY_LOCK, LONG);
	say_taken(&rl_script_release, 2);
	assert_status(let_go(owner, &there), RL_OK);
	assert_false(is_taken("job"));
}

static void until_the_deadline(void **state)
{
	struct rl_owner *owner = new_owner(), *hasty = new_hasty();

	assert_status(hold(owner, &me, LEASE), RL_OK);
	say_taken(&rl_script_release, 1000000);
	say_taken(&rl_script_extend, 1000000);
	assert_status(let_go(hasty, &there), RL_UNREACHABLE);
	assert_status(lengthen(hasty, &there, LEASE), RL_UNREACHABLE);
	assert_status(seen(owner, &me), RL_OK);
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
		struct rl_owner *owner = new_proxied();
		unsigned held = proxy.struck + 1;
		enum rl_status status;
		pthread_t thread;

		owner->route->timeout = owner->route->patience = 10 * LEASE * RL_MILLISECOND;
		assert_status(hold(owner, &me, LEASE), RL_OK);
		fault(prolongs ? &rl_script_extend : &rl_script_acquire, 1, PROXY_HOLD);
		assert_int_equal(pthread_create(&thread, NULL, let_go_too_late, &held), 0);
		status = prolongs ? lengthen(owner, &me, LEASE) : hold(owner, &me, LEASE);
		pthread_join(thread, NULL);
		assert_status(status, RL_UNREACHABLE);
		let_go(owner, &there);
		assert_false(is_taken("job"));
	}
}

static void asleep_at_any_moment_it_leaves_nothing_behind(void **state)
{
	struct rl_owner *owner = new_owner();

	for (int prolongs = 0; prolongs < 2; prolongs++) {
		for (long reading = 0; reading < 40; reading++) {
			enum rl_status status;

			assert_status(hold(owner, &me, LEASE), RL_OK);
			clock_advance_at(reading, 2 * LEASE * RL_MILLISECOND);
			status = prolongs ? lengthen(owner, &me, LEASE) : hold(owner, &me, LEASE);
			clock_advance_at(-1, 0);
			assert_true(status == RL_OK || status == RL_UNREACHABLE || status == RL_NO);
			let_go(owner, &me);
			assert_false(is_taken("job"));
		}
	}
}

/* ---------------------------------------------------------------- renewed by who took it */

#define THIRD (LEASE * RL_MILLISECOND / 3 + RL_MILLISECOND)
/* L is made to live for so long where a test wants to see it renewed. */
#define SHORT_MS 20000

static const struct rl_renewal_terms alarmed = {
	.alarm = { .raise = count_alarm }
};

static struct rl_owner *new_alarmed(void)
{
	return new_with_terms(rig.server.address, alarmed);
}

static enum rl_status hold_renewed(
	struct rl_owner *owner, struct rl_detached *name, rl_time renewed_for)
{
	return own_with(owner, "job",
		&(struct rl_acquire){ .detached = name,
			.lease_ms = LEASE,
			.policy = RL_POLICY_WAIT,
			.renewed_for = renewed_for });
}

static uint64_t renewals(struct rl_owner *owner)
{
	return rl_owner_stats(owner)->renewals;
}

/* A third of the lease goes by, and it is renewed. */
static void assert_renewed(struct rl_owner *owner, int64_t lease_ms)
{
	uint64_t before = renewals(owner);

	run("PEXPIRE lock@job %d", SHORT_MS);
	clock_advance(THIRD);
	AWAIT(renewals(owner) > before);
	assert_true(server_left("job") > lease_ms - PATIENCE_MS);
}

/* What another renewal at the same time would have done as well. */
static void assert_not_renewed(struct rl_owner *owner)
{
	struct rl_owner *sentry = new_with_terms(
		rig.server.address, (struct rl_renewal_terms){ .renew = true, .max_hold = RL_FOREVER });
	uint64_t before = renewals(owner);

	assert_status(own(sentry, "sentry", LEASE), RL_OK);
	clock_advance(THIRD);
	AWAIT(renewals(sentry) == 1);
	assert_status(disown(sentry, "sentry"), RL_OK);
	assert_int_equal(renewals(owner), before);
}

/* It was asked for once more, and that was not granted. */
static void assert_ends_quietly(struct rl_owner *owner)
{
	assert_not_renewed(owner);
	AWAIT(check_lock(owner, "job") == RL_MISUSE);
	assert_int_equal(alarms, 0);
	assert_status(rl_owner_alarm(owner, &said), RL_OK);
	assert_int_equal(rl_owner_stats(owner)->lost, 0);
	assert_not_renewed(owner);
}

static void what_was_taken_so_is_renewed(void **state)
{
	struct rl_owner *owner = new_owner();
	int64_t fence;

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	fence = fence_of(owner, &me);
	for (int i = 0; i < 4; i++) {
		assert_renewed(owner, LEASE);
		assert_status(check_lock(owner, "job"), RL_OK);
	}
	assert_int_equal(fence_of(owner, &me), fence);
	assert_renewed(owner, LEASE);
	assert_requests(owner, 1, assert_status(let_go(owner, &me), RL_OK));
	assert_false(is_taken("job"));
	assert_status(check_lock(owner, "job"), RL_MISUSE);
}

static void whatever_its_owner_renews_besides(void **state)
{
	struct rl_owner *owner = new_with_terms(
		rig.server.address, (struct rl_renewal_terms){ .renew = true, .max_hold = RL_FOREVER });

	assert_status(hold(owner, &me, LEASE), RL_OK);
	assert_not_renewed(owner);
	assert_status(check_lock(owner, "job"), RL_MISUSE);
	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_renewed(owner, LEASE);
	assert_status(hold(owner, &me, LEASE), RL_OK); /* which does not say so */
	assert_not_renewed(owner);
}

static void it_is_renewed_after_a_wait(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();

	assert_status(own(other, "job", 200), RL_OK);
	assert_status(own_with(owner, "job",
					  &(struct rl_acquire){ .detached = &me,
						  .lease_ms = LEASE,
						  .wait = RL_FOREVER,
						  .policy = RL_POLICY_WAIT,
						  .renewed_for = RL_FOREVER }),
		RL_OK);
	assert_renewed(owner, LEASE);
}

static void not_for_longer_than_is_said(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(hold_renewed(owner, &me, THIRD + 5 * RL_SECOND), RL_OK);
	assert_renewed(owner, LEASE);
	assert_not_renewed(owner);
	assert_true(is_taken("job"));
	assert_status(check_lock(owner, "job"), RL_OK);
	clock_advance(LEASE * RL_MILLISECOND);
	assert_status(check_lock(owner, "job"), RL_TIMED_OUT);
	assert_non_null(strstr(said.message, "autoRenew ended with maxHold"));
	assert_true(is_taken("job"));
}

static void the_renewal_ends_with_whoever_knows_it(void **state)
{
	struct rl_owner *owner = new_owner(), *ending = new_owner();

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_renewed(owner, LEASE);
	rl_owner_detached_forget(&me);
	assert_not_renewed(owner);
	assert_true(is_taken("job"));

	assert_status(hold_renewed(ending, &me, RL_FOREVER), RL_OK);
	assert_renewed(ending, LEASE);
	assert_int_equal(disown_all(ending).released, 0);
	assert_renewed(ending, LEASE);
	assert_int_equal(end_all(&ending, 1).released, 0);
	assert_not_renewed(ending);
	assert_true(is_taken("job"));

	assert_status(hold_renewed(ending, &me, RL_FOREVER), RL_OK);
	end_owner(ending);
	assert_null(me.grant->task); /* it may be forgotten afterwards */
	assert_not_renewed(owner);
	assert_true(is_taken("job"));
}

static bool the_child_renews_nothing(void *owner)
{
	bool ok = check_lock(owner, "job") == RL_MISUSE && seen(owner, &me) == RL_OK
		&& lengthen(owner, &me, LEASE) == RL_OK;

	rl_owner_detached_forget(&me);
	return ok && hold_renewed(owner, &there, RL_FOREVER) == RL_OK;
}

static void a_child_does_not_renew_it(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_renewed(owner, LEASE);
	assert_true(in_child(the_child_renews_nothing, owner));
	assert_ends_quietly(owner); /* it has said the name */
}

static void its_own_calls_go_on_renewing(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(lengthen(owner, &me, LONG), RL_OK);
	assert_not_renewed(owner); /* not yet */
	assert_status(lengthen(owner, &me, LEASE), RL_OK);
	assert_renewed(owner, LEASE);
	assert_status(seen(owner, &me), RL_OK);
	assert_renewed(owner, LEASE);
	clock_advance(THIRD / 2);
	assert_status(rl_owner_detached_downgrade(owner, &me, &said), RL_OK);
	clock_advance(THIRD / 2); /* as early as it would have been */
	AWAIT(renewals(owner) == 3);
	assert_status(check_lock(owner, "job"), RL_OK);
	assert_status(let_go(owner, &me), RL_OK);
	assert_false(is_taken("job"));
}

/* It is not known which grant it is. */
static void after_a_failure_it_is_not(void **state)
{
	struct rl_owner *owner = new_hasty();

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	fault(&rl_script_extend, 2, PROXY_CUT_AFTER);
	assert_status(lengthen(owner, &me, LEASE), RL_UNREACHABLE);
	assert_not_renewed(owner);
	assert_status(lengthen(owner, &me, LEASE), RL_OK);
	assert_not_renewed(owner);
}

/* ---------------------------------------------------------------- what others do to it */

static void what_the_name_does_elsewhere_ends_the_renewal(void **state)
{
	struct rl_owner *owner = new_alarmed(), *other = new_owner();

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(lengthen(other, &there, LEASE / 2), RL_OK);
	assert_ends_quietly(owner);
	assert_true(server_left("job") <= LEASE / 2);
	assert_status(lengthen(owner, &me, LEASE), RL_OK); /* it is its own still */
	assert_not_renewed(owner);

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(hold(other, &there, LEASE / 2), RL_OK);
	assert_ends_quietly(owner);

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(let_go(other, &there), RL_OK);
	assert_ends_quietly(owner);
	assert_false(is_taken("job"));
	assert_status(lengthen(owner, &me, LEASE), RL_NO);

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(rl_owner_detached_downgrade(other, &there, &said), RL_OK);
	assert_ends_quietly(owner);
	assert_status(let_go(other, &there), RL_OK);

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(rl_owner_detached_downgrade(owner, &me, &said), RL_OK);
	assert_status(let_go(other, &there), RL_OK);
	assert_ends_quietly(owner); /* a share */

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(rl_owner_detached_release(other, &there, LEASE, &said), RL_OK);
	assert_ends_quietly(owner); /* a cooldown */
}

/* Nor is what this process finds of it then its own grant. */
static void also_before_that_is_noticed(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(lengthen(other, &there, LEASE), RL_OK);
	assert_status(lengthen(owner, &me, LEASE), RL_OK);
	assert_not_renewed(owner);
}

static enum rl_status told(struct rl_owner *owner)
{
	said = (struct rl_error){ .held = false };
	return rl_owner_alarm(owner, &said);
}

static void assert_alarmed(struct rl_owner *owner, enum rl_status verdict)
{
	clock_advance(THIRD);
	AWAIT(alarms == 1);
	alarms = 0;
	assert_status(told(owner), verdict);
	assert_int_equal(said.key.length, 3);
	assert_memory_equal(said.key.data, "job", 3);
	assert_status(told(owner), RL_OK);
	assert_status(check_lock(owner, "job"), verdict);
	assert_status(check_lock(owner, "job"), verdict);
	assert_status(lengthen(owner, &me, LEASE), RL_NO);
}

static void a_loss_is_told(void **state)
{
	struct rl_owner *owner = new_alarmed(), *other = new_owner();

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	run("DEL lock@job");
	assert_alarmed(owner, RL_LOST);
	assert_false(is_taken("job"));

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(check_lock(owner, "job"), RL_OK); /* taken anew */
	assert_status(break_it(other, "job"), RL_OK);
	assert_alarmed(owner, RL_LOST);

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(break_it(other, "job"), RL_OK);
	assert_status(own(other, "job", SHORT_MS), RL_OK);
	assert_alarmed(owner, RL_LOST);
	assert_true(server_left("job") <= SHORT_MS);
	assert_status(disown(other, "job"), RL_OK);

	/* Released by the name, and taken since: that cannot be told from the others. */
	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(let_go(other, &there), RL_OK);
	assert_status(own(other, "job", SHORT_MS), RL_OK);
	assert_alarmed(owner, RL_LOST);
	assert_true(server_left("job") <= SHORT_MS);
	assert_int_equal(rl_owner_stats(owner)->lost, 4);
}

static void without_an_alarm_check_tells_it(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(own(owner, "sentry", LEASE), RL_OK);
	run("DEL lock@job");
	clock_advance(THIRD);
	AWAIT(check_lock(owner, "job") == RL_LOST);
	assert_status(check_lock(owner, "job"), RL_LOST);
	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(check_lock(owner, "job"), RL_OK);
	assert_status(let_go(owner, &me), RL_OK);
	assert_status(check_lock(owner, "job"), RL_MISUSE);
}

/* All that its time being over says is that it is late: it is not released. */
static void so_is_that_its_time_is_over(void **state)
{
	struct rl_owner *owner = new_alarmed(), *other = new_owner();

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	clock_advance(LEASE * RL_MILLISECOND);
	AWAIT(alarms == 1);
	alarms = 0;
	assert_status(told(owner), RL_TIMED_OUT);
	assert_true(is_taken("job"));
	assert_not_renewed(owner);

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	expire_on_server("job");
	clock_advance(LEASE * RL_MILLISECOND);
	assert_status(check_lock(owner, "job"), RL_TIMED_OUT);
	assert_false(is_taken("job"));
	assert_status(told(owner), RL_OK);

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	expire_on_server("job");
	assert_status(own(other, "job", LEASE), RL_OK);
	clock_advance(LEASE * RL_MILLISECOND);
	assert_status(check_lock(owner, "job"), RL_LOST);
	assert_status(disown(other, "job"), RL_OK);

	alarms = 0;
	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(lengthen(other, &there, LEASE), RL_OK);
	clock_advance(LEASE * RL_MILLISECOND);
	AWAIT(alarms == 1);
	assert_status(told(owner), RL_OK); /* the name has it, elsewhere */
	assert_status(check_lock(owner, "job"), RL_MISUSE);
}

static void of_two_names_each_is_told(void **state)
{
	struct rl_owner *owner = new_alarmed();

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	run("DEL lock@job");
	assert_status(hold_renewed(owner, &you, RL_FOREVER), RL_OK);
	clock_advance(THIRD);
	AWAIT(alarms == 1);
	assert_status(told(owner), RL_LOST);
	assert_status(check_lock(owner, "job"), RL_OK);
	assert_renewed(owner, LEASE);
}

static void without_a_thread_nothing_is_sent(void **state)
{
	struct rl_owner *owner = new_owner();
	struct rlimit files, none;
	uint64_t requests;

	assert_status(look(owner, "job"), RL_NO); /* it has its connection */
	rl_renewal_stop();
	requests = rl_owner_stats(owner)->requests;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	none = (struct rlimit){ .rlim_cur = 3, .rlim_max = files.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_MISUSE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
	assert_int_equal(rl_owner_stats(owner)->requests, requests);
	assert_false(is_taken("job"));
	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
}

/* Whoever says the name may release it. */
static void a_wait_for_it_is_not_refused(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(own_waiting(other, "job", LEASE, 50 * RL_MILLISECOND), RL_NO);
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
	return reset(state);
}

static int clean_nodes(void **state)
{
	for (size_t i = 0; i < NODES; i++) {
		kill(nodes[i].pid, SIGCONT);
	}
	clean(state);
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

/*
 * What a node was not heard to have of another process's grants stays there until its lease ends,
 * and is nobody's.
 */
static bool is_minority(size_t count)
{
	return count <= NODES / 2;
}

/* A first use does not wait for all connections, and what was not sent then never is. */
static void hold_on_all(struct rl_owner *owner)
{
	for (int tries = 0;; tries++) {
		assert_true(tries < 10000);
		assert_status(hold(owner, &me, LEASE), RL_OK);
		pause_a_moment();
		if (holding_nodes() == NODES) {
			return;
		}
		assert_status(let_go(owner, &me), RL_OK);
		AWAIT(holding_nodes() == 0);
	}
}

static void a_majority_knows_the_name_everywhere(void **state)
{
	struct rl_owner *owner = on_majority(), *other = on_majority();

	assert_status(hold(owner, &me, LEASE), RL_OK);
	assert_int_equal(fence_of(other, &there), 0);
	assert_status(hold(other, &you, LEASE), RL_NO);
	assert_status(let_go(other, &you), RL_NO);
	for (int turn = 0; turn < 2; turn++) {
		assert_status(lengthen(other, &there, LONG), RL_OK);
		assert_status(lengthen(owner, &me, LEASE), RL_OK);
		assert_status(hold(other, &there, LONG), RL_OK);
		assert_status(hold(owner, &me, LEASE), RL_OK);
	}
	assert_status(let_go(other, &there), RL_OK);
	AWAIT(is_minority(holding_nodes()));
	assert_status(let_go(owner, &me), RL_NO);
	assert_status(lengthen(owner, &me, LEASE), RL_NO);
}

static void a_majority_does_without_a_node(void **state)
{
	struct rl_owner *owner = on_majority(), *other = on_majority();

	proxy_stop(&proxies[0]);
	assert_status(hold(owner, &me, LEASE), RL_OK);
	assert_status(lengthen(other, &there, LONG), RL_OK);
	assert_status(lengthen(owner, &me, LEASE), RL_OK);
	assert_status(let_go(other, &there), RL_OK);
	AWAIT(holding_nodes() == 0);
	proxy_stop(&proxies[1]);
	assert_status(hold(owner, &me, LEASE), RL_UNREACHABLE);
	assert_status(let_go(other, &there), RL_UNREACHABLE);
}

/* What a node has not answered yet is released there later. */
static void a_frozen_node_is_released_when_it_thaws(void **state)
{
	struct rl_owner *owner = on_majority();

	hold_on_all(owner);
	throwaway_freeze(&nodes[0]);
	assert_status(let_go(owner, &me), RL_OK);
	kill(nodes[0].pid, SIGCONT);
	AWAIT(seen(owner, &me) == RL_NO && holding_nodes() == 0); /* by the next contact */
}

static void a_release_from_a_majority_that_is_lost_is_repeated(void **state)
{
	struct rl_owner *owner = on_majority(), *other = on_majority();

	hold_on_all(owner);
	for (size_t i = 0; i < NODES; i++) {
		proxy_add(&proxies[i],
			(struct proxy_rule){ .script = &rl_script_release,
				.times = 2,
				.fault = PROXY_CUT_BEFORE,
				.fails = true });
	}
	assert_status(let_go(other, &there), RL_UNREACHABLE);
	for (size_t i = 0; i < NODES; i++) {
		proxy_let_go(&proxies[i]);
	}
	AWAIT(seen(other, &there) == RL_NO && holding_nodes() == 0);
}

static void a_take_that_no_majority_answers_is_undone(void **state)
{
	struct rl_owner *owner = on_majority();

	hold_on_all(owner);
	assert_status(let_go(owner, &me), RL_OK);
	AWAIT(holding_nodes() == 0);
	for (size_t i = 0; i < NODES; i++) {
		proxy_add(&proxies[i],
			(struct proxy_rule){ .script = &rl_script_acquire,
				.times = 2,
				.fault = PROXY_CUT_AFTER,
				.fails = true });
	}
	assert_status(hold(owner, &me, LEASE), RL_UNREACHABLE);
	AWAIT(seen(owner, &me) == RL_NO && holding_nodes() == 0);
}

/*
 * Each node may have another grant of the name, by processes that say it at once: together they are
 * the name's lock.
 */
static void a_name_has_what_its_grants_have_together(void **state)
{
	struct rl_owner *owner = on_majority();

	hold_on_all(owner); /* so that there is a connection to each */
	for (size_t i = 0; i < NODES; i++) {
		redisContext *redis = redisConnectUnix(nodes[i].socket);

		freeReplyObject(
			command(redis, "SET lock@job rlock1@6d65:%032d:host:1 PX %d", (int)i, LEASE));
		redisFree(redis);
	}
	assert_status(seen(owner, &there), RL_OK);
	assert_status(seen(owner, &you), RL_NO);
	assert_status(let_go(owner, &you), RL_NO);
	assert_status(lengthen(owner, &there, LONG), RL_OK);
	assert_status(let_go(owner, &there), RL_OK);
	AWAIT(is_minority(holding_nodes()));
}

static void a_majority_renews_it_until_the_name_ends_that(void **state)
{
	struct rl_owner *owner = on_majority(), *other = on_majority();

	hold_on_all(owner);
	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	clock_advance(THIRD);
	AWAIT(renewals(owner) == 1);
	assert_status(lengthen(other, &there, LEASE), RL_OK);
	assert_ends_quietly(owner);

	assert_status(hold_renewed(owner, &me, RL_FOREVER), RL_OK);
	assert_status(let_go(other, &there), RL_OK);
	AWAIT(holding_nodes() == 0);
	assert_ends_quietly(owner);
}

int test_detached(void)
{
#define test(name)       cmocka_unit_test_setup_teardown(name, reset, clean)
#define test_nodes(name) cmocka_unit_test_setup_teardown(name, reset_nodes, clean_nodes)
	const struct CMUnitTest tests[] = {
		test(a_pair_is_two_requests_where_it_is_known),
		test(elsewhere_it_takes_one_more_to_find_it),
		test(what_is_known_may_be_over),
		test(of_two_releases_one_is_false),
		test(another_names_lock_is_left_alone),
		test(nothing_gives_it_back_by_itself),
		test(what_ran_out_is_over),
		test(a_child_may_say_it_too),
		test(attached_and_detached_exclude_each_other),
		test(its_holder_is_shown_without_the_name),
		test(a_wait_ends_when_its_own_name_has_the_lock),
		test(a_busy_one_stays_busy),
		test(a_take_that_stays_unanswered_is_undone),
		test(but_not_if_another_process_has_taken_it_since),
		test(nor_what_the_name_had_before),
		test(a_late_prolongation_changes_nothing),
		test(a_prolongation_whose_answer_is_lost_loses_nothing),
		test(a_release_whose_answer_is_lost_once_is_done),
		test(a_release_that_is_lost_once_finds_what_another_process_made),
		test(a_release_that_stays_unanswered_is_repeated),
		test(a_late_release_does_not_end_the_names_next_grant),
		test(what_changes_hands_is_caught),
		test(until_the_deadline),
		test(an_answer_that_comes_too_late_is_no_success),
		test(asleep_at_any_moment_it_leaves_nothing_behind),
		test(what_was_taken_so_is_renewed),
		test(whatever_its_owner_renews_besides),
		test(it_is_renewed_after_a_wait),
		test(not_for_longer_than_is_said),
		test(the_renewal_ends_with_whoever_knows_it),
		test(a_child_does_not_renew_it),
		test(its_own_calls_go_on_renewing),
		test(after_a_failure_it_is_not),
		test(what_the_name_does_elsewhere_ends_the_renewal),
		test(also_before_that_is_noticed),
		test(a_loss_is_told),
		test(without_an_alarm_check_tells_it),
		test(so_is_that_its_time_is_over),
		test(of_two_names_each_is_told),
		test(without_a_thread_nothing_is_sent),
		test(a_wait_for_it_is_not_refused),
	};
	const struct CMUnitTest majority[] = {
		test_nodes(a_majority_knows_the_name_everywhere),
		test_nodes(a_majority_does_without_a_node),
		test_nodes(a_frozen_node_is_released_when_it_thaws),
		test_nodes(a_release_from_a_majority_that_is_lost_is_repeated),
		test_nodes(a_take_that_no_majority_answers_is_undone),
		test_nodes(a_name_has_what_its_grants_have_together),
		test_nodes(a_majority_renews_it_until_the_name_ends_that),
	};

	return cmocka_run_group_tests_name("detached", tests, rig_start, rig_stop)
		+ cmocka_run_group_tests_name("detached on a majority", majority, start_nodes, stop_nodes);
}
