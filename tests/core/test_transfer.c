/*
 * Locks that change hands without being free in between: handed over, adopted, broken.
 */
#include "owner_rig.h"
#include "prompt.h"

#include "lock/owner/internal.h"

static struct rl_token token;

static int clean(void **state)
{
	rl_token_free(&token);
	return owners_clean(state);
}

/* A copy of what the owner's lease has as its token. */
static void copy_token(struct rl_owner *owner, const char *key)
{
	struct rl_lease_view lease = view(owner, key);

	rl_token_free(&token);
	token = (struct rl_token){ .text = malloc(lease.token.length), .length = lease.token.length };
	assert_non_null(token.text);
	memcpy(token.text, lease.token.data, lease.token.length);
}

static void a_lock_is_handed_over(void **state)
{
	struct rl_acquire terms = { .lease_ms = LEASE, .metadata = { "a:b\0c", 5 } };
	struct rl_owner *owner = new_owner(), *other = new_owner();
	struct rl_holder holder;
	int64_t fence;

	assert_status(own_with(owner, "job", &terms), RL_OK);
	fence = view(owner, "job").fence;
	assert_status(hand_over(owner, "job", 0, &token), RL_OK);
	assert_false(holds(owner, "job"));
	assert_status(disown(owner, "job"), RL_NO);
	assert_status(own(other, "job", LEASE), RL_NO); /* not free in between */
	assert_status(rl_owner_holder(other, NAME("job"), &holder, &said), RL_OK);
	assert_int_equal(holder.owner.length, 0);
	assert_true(holder.fence > fence);
	fence = holder.fence;
	rl_owner_holder_clear(&holder);

	assert_status(adopt(other, "job", &token, 0), RL_OK);
	assert_true(view(other, "job").fence > fence);
	assert_int_equal(view(other, "job").depth, 1);
	assert_int_equal(view(other, "job").metadata.length, 5);
	assert_memory_equal(view(other, "job").metadata.data, "a:b\0c", 5);
	assert_in_range(
		view(other, "job").left, (LEASE - PATIENCE_MS) * RL_MILLISECOND, LEASE * RL_MILLISECOND);
	assert_true(view(other, "job").left / RL_MILLISECOND < server_left("job"));
	assert_status(look(other, "job"), RL_OK);
	assert_status(adopt(owner, "job", &token, 0), RL_NO); /* once */
	assert_status(disown(other, "job"), RL_OK);
	assert_false(is_taken("job"));
	assert_status(check_lock(owner, "job"), RL_MISUSE); /* it gave it away: nothing was lost */
}

static void with_a_new_lease(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(hand_over(owner, "job", 10 * LEASE, &token), RL_OK);
	assert_lives(RL_KEY_LOCK, 10 * LEASE);
	assert_status(adopt(other, "job", &token, 0), RL_OK);
	assert_true(view(other, "job").left > 9 * LEASE * RL_MILLISECOND);
	copy_token(other, "job");
	assert_status(adopt(owner, "job", &token, 20 * LEASE), RL_OK);
	assert_true(view(owner, "job").left > 19 * LEASE * RL_MILLISECOND);
	assert_lives(RL_KEY_LOCK, 20 * LEASE);
}

static void who_is_adopted_from_learns_that_it_lost(void **state)
{
	for (int released = 0; released < 3; released++) {
		struct rl_owner *owner = new_owner(), *other = new_owner();

		run("FLUSHALL");
		assert_status(own(owner, "job", LEASE), RL_OK);
		copy_token(owner, "job");
		assert_status(adopt(other, "job", &token, 0), RL_OK);
		if (released) {
			assert_status(disown(other, "job"), RL_OK);
		}
		if (released == 2) {
			/* late as well: that nobody was granted it since does not say that it was not lost */
			expire_here(owner, "job");
		}
		assert_status(disown(owner, "job"), RL_LOST);
		assert_int_equal(is_taken("job"), !released);
		if (!released) {
			assert_status(disown(other, "job"), RL_OK);
		}
	}
}

static void an_adopter_that_is_late_is_only_late(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	copy_token(owner, "job");
	for (int i = 0; i < 3; i++) { /* the fence gets a zero more each time */
		assert_status(adopt(i % 2 ? owner : other, "job", &token, 0), RL_OK);
		copy_token(i % 2 ? owner : other, "job");
	}
	assert_status(prolong(other, "job", LEASE), RL_OK);
	expire_here(other, "job");
	expire_on_server("job");
	assert_status(prolong(other, "job", LEASE), RL_TIMED_OUT);
	assert_true(said.held);
	expire_here(other, "job");
	expire_on_server("job");
	assert_status(disown(other, "job"), RL_TIMED_OUT);
	assert_status(own(owner, "job", LEASE), RL_LOST);
}

static void what_does_not_hold_it_adopts_nothing(void **state)
{
	static const char *const texts[] = { "", "x", "rlock1:", "rlock1:0123:h:1", "foreign",
		"~0123456789abcdef0123456789abcdef", "-~0123456789abcdef0123456789abcdef:",
		"-~0123456789abcdef0123456789abcdef:host:1" };
	struct rl_owner *owner = new_owner(), *other = new_owner();
	struct rl_token text;

	assert_status(own(owner, "job", LEASE), RL_OK);
	for (size_t i = 0; i < COUNT(texts); i++) {
		text = (struct rl_token){ .text = (char *)texts[i], .length = strlen(texts[i]) };
		assert_status(adopt(other, "job", &text, 0), RL_NO);
	}
	assert_int_equal(rl_owner_stats(other)->requests, 0);
	copy_token(owner, "job");
	assert_status(adopt(other, "another", &token, LEASE), RL_NO);
	assert_false(is_taken("another"));
	token.text[strlen("rlock1:")] ^= 1;
	assert_status(adopt(other, "job", &token, LEASE), RL_NO);
	assert_status(disown(owner, "job"), RL_OK);
	token.text[strlen("rlock1:")] ^= 1;
	assert_status(adopt(other, "job", &token, LEASE), RL_NO); /* given back already */
	assert_false(is_taken("job"));
}

/* Somebody took its expiry away. */
static void what_never_expires_can_be_adopted(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("PERSIST lock@job");
	copy_token(owner, "job");
	assert_status(adopt(other, "job", &token, 0), RL_OK);
	assert_int_equal(server_left("job"), -1);
	assert_true(view(other, "job").left > 1000 * RL_SECOND);
	assert_status(disown(other, "job"), RL_OK);
	assert_false(is_taken("job"));
}

/* Or gave it one beyond all times that a clock here can have. */
static void what_expires_in_ages_can_be_adopted(void **state)
{
	static const char *const ages[] = { "PEXPIRE lock@job 9200000000001",
		"PEXPIRE lock@job 9000000000000000" };

	for (size_t i = 0; i < COUNT(ages); i++) {
		struct rl_owner *owner = new_owner(), *other = new_owner();

		assert_status(own(owner, "job", LEASE), RL_OK);
		run(ages[i]);
		copy_token(owner, "job");
		assert_status(adopt(other, "job", &token, 0), RL_OK);
		assert_true(view(other, "job").left > 1000 * RL_SECOND);
		assert_status(disown(other, "job"), RL_OK);
	}
}

static void what_is_as_good_as_over_adopts_nothing(void **state)
{
	for (int i = 0; i < 20; i++) {
		struct rl_owner *owner = new_owner(), *other = new_owner();

		assert_status(own(owner, "job", LEASE), RL_OK);
		copy_token(owner, "job");
		run("PEXPIRE lock@job 2");
		assert_status(adopt(other, "job", &token, 0), RL_NO);
		assert_status(own(other, "another", LEASE), RL_OK);
		assert_false(is_taken("job"));
		end_owner(owner);
		end_owner(other);
		run("FLUSHALL");
	}
}

static void ones_own_lock_can_be_adopted(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	copy_token(owner, "job");
	assert_status(adopt(owner, "job", &token, 0), RL_OK);
	assert_int_equal(view(owner, "job").depth, 1);
	assert_status(check_lock(owner, "job"), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	assert_false(is_taken("job"));
}

static void handing_over_what_is_gone_tells_the_verdict(void **state)
{
	for (int how = 0; how < 3; how++) {
		struct rl_owner *owner = new_owner();

		run("FLUSHALL");
		assert_status(own(owner, "job", LEASE), RL_OK);
		if (how > 0) {
			expire_here(owner, "job");
		}
		expire_on_server("job");
		if (how > 1) {
			taken_between("job");
		}
		assert_status(hand_over(owner, "job", LEASE, &token), how == 1 ? RL_TIMED_OUT : RL_LOST);
		assert_null(token.text);
		assert_false(said.held);
		assert_false(is_taken("job"));
		assert_false(holds(owner, "job"));
	}
}

/* ---------------------------------------------------------------- answers that are lost */

static void a_hand_over_whose_answer_was_lost_is_done(void **state)
{
	struct rl_owner *owner = new_proxied(), *other = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_CUT_AFTER });
	assert_status(hand_over(owner, "job", 0, &token), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_CUT_AFTER });
	assert_status(adopt(other, "job", &token, 0), RL_OK);
	assert_status(look(other, "job"), RL_OK);
	assert_status(disown(other, "job"), RL_OK);
}

static void a_hand_over_that_stays_lost_is_undone(void **state)
{
	static const enum proxy_fault faults[] = { PROXY_CUT_BEFORE, PROXY_CUT_AFTER };

	for (size_t i = 0; i < COUNT(faults); i++) {
		struct rl_owner *owner = new_proxied();

		assert_status(own(owner, "job", LEASE), RL_OK);
		proxy_add(&proxy,
			(struct proxy_rule){ .script = &rl_script_extend,
				.times = 2,
				.fault = faults[i],
				.fails = true });
		assert_status(hand_over(owner, "job", 0, &token), RL_UNREACHABLE);
		assert_false(holds(owner, "job"));
		assert_status(own(owner, "another", LEASE), RL_OK);
		assert_false(is_taken("job"));
		proxy_let_go(&proxy);
		end_owner(owner);
		run("FLUSHALL");
	}
}

static void a_hand_over_that_reached_nobody_is_not_done(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_stop(&proxy);
	assert_status(hand_over(owner, "job", 0, &token), RL_UNREACHABLE);
	assert_true(holds(owner, "job")); /* and so it is still ours */
	assert_true(proxy_start(&proxy, rig.server.folder, rig.server.socket));
	assert_status(look(owner, "job"), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend,
			.times = 1,
			.fault = PROXY_ANSWER,
			.answer = "-NOPERM no\r\n" });
	assert_status(hand_over(owner, "job", 0, &token), RL_REFUSED);
	assert_status(disown(owner, "job"), RL_OK);
}

static void an_adoption_that_stays_lost_is_undone(void **state)
{
	struct rl_owner *owner = new_proxied(), *other = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(hand_over(owner, "job", 0, &token), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend,
			.times = 2,
			.fault = PROXY_CUT_AFTER,
			.fails = true });
	assert_status(adopt(other, "job", &token, 0), RL_UNREACHABLE);
	assert_false(holds(other, "job"));
	assert_status(own(other, "another", LEASE), RL_OK);
	assert_false(is_taken("job"));
}

static void nonsense_for_a_transfer_is_told(void **state)
{
	static const char *const texts[] = { "+OK\r\n", ":5\r\n", "*0\r\n", "*1\r\n$1\r\n1\r\n",
		"*2\r\n:1\r\n:5\r\n", "*3\r\n:1\r\n$1\r\nx\r\n:5\r\n", "*3\r\n:1\r\n:-5\r\n:5\r\n",
		"*3\r\n:1\r\n:5\r\n$-1\r\n" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct rl_owner *owner = new_proxied();

		assert_status(own(owner, "job", LEASE), RL_OK);
		copy_token(owner, "job");
		proxy_add(&proxy,
			(struct proxy_rule){ .script = &rl_script_extend,
				.times = 2,
				.fault = PROXY_ANSWER,
				.answer = texts[i] });
		assert_status(adopt(owner, "job", &token, 0), RL_UNREACHABLE);
		rl_token_free(&token);
		assert_status(hand_over(owner, "job", 0, &token), RL_UNREACHABLE);
		assert_null(token.text);
		proxy_let_go(&proxy);
		assert_true(disown_all(owner).lost == 0);
		end_owner(owner);
		run("FLUSHALL");
	}
}

/* ---------------------------------------------------------------- break */

static void a_broken_lock_is_free_and_lost(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();
	int64_t fence;

	assert_status(break_it(other, "job"), RL_NO);
	assert_status(own(owner, "job", LEASE), RL_OK);
	fence = view(owner, "job").fence;
	assert_status(break_it(other, "job"), RL_OK);
	assert_false(is_taken("job"));
	assert_status(break_it(other, "job"), RL_NO);
	assert_status(disown(owner, "job"), RL_LOST);
	assert_int_equal(said.late_by, 0);

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_true(view(owner, "job").fence > fence);
	assert_status(break_it(owner, "job"), RL_OK); /* one's own, too */
	expire_here(owner, "job");
	assert_status(disown(owner, "job"), RL_LOST); /* late as well, but lost */
}

static void what_foreign_clients_put_there_can_be_broken(void **state)
{
	struct rl_owner *owner = new_owner();

	run("SET lock@job foreign");
	assert_status(break_it(owner, "job"), RL_OK);
	assert_false(is_taken("job"));
	run("SET lock@job %s", "");
	assert_status(break_it(owner, "job"), RL_OK);
	assert_false(is_taken("job"));
	run("HSET lock@job a b");
	assert_status(break_it(owner, "job"), RL_OK);
	assert_false(is_taken("job"));
	assert_status(own(owner, "job", LEASE), RL_OK);
}

struct breaking {
	struct rl_owner *owner;
	int runs;
};

static bool break_once(void *context)
{
	struct breaking *breaking = context;

	if (breaking->runs++ == 0) {
		await_parked(1);
		assert_status(break_it(breaking->owner, "job"), RL_OK);
	}
	return true;
}

static void a_break_wakes_who_waits(void **state)
{
	struct rl_owner *owner = new_owner();
	struct breaking breaking = { .owner = new_owner() };
	struct rl_owner *waiter = new_hooked(break_once, &breaking);
	struct prompt_moment before = prompt_now();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own_waiting(waiter, "job", LEASE, 10 * RL_SECOND), RL_OK);
	expect_soon(prompt_since(before), 900 * RL_MILLISECOND);
	assert_status(disown(owner, "job"), RL_LOST);
	assert_status(disown(waiter, "job"), RL_OK);
}

static void a_break_sent_twice_breaks_once(void **state)
{
	struct rl_owner *owner = new_owner(), *admin = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_release, .times = 1, .fault = PROXY_CUT_AFTER });
	assert_status(break_it(admin, "job"), RL_OK);
	assert_false(is_taken("job"));

	assert_status(own(admin, "job", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_release,
			.times = 2,
			.fault = PROXY_CUT_BEFORE,
			.fails = true });
	assert_status(break_it(admin, "job"), RL_UNREACHABLE);
	assert_status(look(admin, "job"), RL_OK);
}

/* Each break finds another grant than the look before it. */
static void a_lock_that_changes_hands_is_broken_all_the_same(void **state)
{
	struct rl_owner *owner = new_owner(), *admin = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_release,
			.times = 3,
			.fault = PROXY_ANSWER,
			.answer = "*1\r\n:3\r\n" });
	assert_status(break_it(admin, "job"), RL_OK);
	assert_int_equal(proxy.struck, 3);
	assert_false(is_taken("job"));
}

static void a_lock_that_became_free_meanwhile_is_free(void **state)
{
	static const char free_now[] = "*4\r\n$-1\r\n:-2\r\n$-1\r\n:0\r\n";
	struct rl_owner *owner = new_owner(), *admin = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_release,
			.times = 1,
			.fault = PROXY_ANSWER,
			.answer = "*1\r\n:3\r\n" });
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_inspect,
			.skip = 1,
			.times = 1,
			.fault = PROXY_ANSWER,
			.answer = free_now });
	assert_status(break_it(admin, "job"), RL_NO);
	assert_int_equal(proxy.struck, 2);
}

/* A number that is not rlock's, in one of its keys: the same at each look. */
static void what_stays_the_same_is_not_broken_for_ever(void **state)
{
	struct rl_owner *owner = new_owner(), *admin = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_release,
			.times = 1000000,
			.fault = PROXY_ANSWER,
			.answer = "*1\r\n:3\r\n" });
	assert_status(break_it(admin, "job"), RL_MISUSE);
	assert_in_range(proxy.struck, 1, 10);
	assert_status(look(owner, "job"), RL_OK);
}

int test_transfer(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, clean)
	const struct CMUnitTest tests[] = {
		test(a_lock_is_handed_over),
		test(with_a_new_lease),
		test(who_is_adopted_from_learns_that_it_lost),
		test(an_adopter_that_is_late_is_only_late),
		test(what_does_not_hold_it_adopts_nothing),
		test(what_never_expires_can_be_adopted),
		test(what_expires_in_ages_can_be_adopted),
		test(what_is_as_good_as_over_adopts_nothing),
		test(ones_own_lock_can_be_adopted),
		test(handing_over_what_is_gone_tells_the_verdict),
		test(a_hand_over_whose_answer_was_lost_is_done),
		test(a_hand_over_that_stays_lost_is_undone),
		test(a_hand_over_that_reached_nobody_is_not_done),
		test(an_adoption_that_stays_lost_is_undone),
		test(nonsense_for_a_transfer_is_told),
		test(a_broken_lock_is_free_and_lost),
		test(what_foreign_clients_put_there_can_be_broken),
		test(a_break_wakes_who_waits),
		test(a_break_sent_twice_breaks_once),
		test(a_lock_that_changes_hands_is_broken_all_the_same),
		test(a_lock_that_became_free_meanwhile_is_free),
		test(what_stays_the_same_is_not_broken_for_ever),
	};

	return cmocka_run_group_tests_name("transfer", tests, rig_start, rig_stop);
}
