/*
 * Releases that nobody waits for: they are sent, their answers are read by whoever reads the
 * connection next, and a bad verdict is told once, by the owner's next call.
 */
#include "owner_rig.h"

#include "lock/owner/internal.h"

/* An owner, one of whose releases turns out to have been too late for its lock. */
static struct rl_owner *new_disappointed(const char *key)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "held", LEASE), RL_OK);
	assert_status(own(owner, key, LEASE), RL_OK);
	run("DEL lock@%s", key);
	assert_status(disown_unconfirmed(owner, key), RL_OK);
	let_it_arrive();
	return owner;
}

static void assert_key(const char *key)
{
	assert_non_null(said.key.data);
	assert_int_equal(said.key.length, strlen(key));
	assert_memory_equal(said.key.data, key, strlen(key));
}

static void it_is_sent_and_not_awaited(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	assert_false(holds(owner, "job"));
	await_free("job");
	for (int i = 0; i < 200; i++) {
		assert_status(own(owner, "job", LEASE), RL_OK); /* the answers are read on the way */
		assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	}
	assert_status(disown(owner, "job"), RL_NO);
	assert_int_equal(rl_owner_stats(owner)->requests, 402 + 200); /* behind a hash follows what frees the lock */
	assert_int_equal(rl_owner_stats(owner)->reconnects, 0);
}

static void only_the_last_level_is_sent(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(owner)->requests, 2);
	assert_status(look(owner, "job"), RL_OK);
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	await_free("job");
}

static void a_delay_goes_with_it(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(rl_owner_release(owner, NAME("job"), (struct rl_release_terms){ .delay_ms = 20000 }, &said), RL_OK);
	let_it_arrive();
	assert_in_range(server_left("job"), 20000 - PATIENCE_MS, 20000);
	assert_status(own(owner, "job", LEASE), RL_NO);
}

static void past_the_deadline_it_is_awaited(void **state)
{
	for (int taken = 0; taken < 2; taken++) {
		struct rl_owner *owner = new_owner();

		run("FLUSHALL");
		assert_status(own(owner, "job", LEASE), RL_OK);
		expire_here(owner, "job");
		expire_on_server("job");
		if (taken) {
			taken_between("job");
		}
		assert_status(disown_unconfirmed(owner, "job"), taken ? RL_LOST : RL_TIMED_OUT);
		assert_null(said.key.data); /* it is this call's own */
	}
}

static enum rl_status call(struct rl_owner *owner, int which)
{
	struct rl_lease_view lease;
	struct rl_holder holder;
	struct rl_token token;

	switch (which) {
		case 0:
			return own(owner, "other", LEASE);
		case 1:
			return own(owner, "held", LEASE);
		case 2:
			return disown(owner, "held");
		case 3:
			return disown_unconfirmed(owner, "held");
		case 4:
			return disown(owner, "job");
		case 5:
			return prolong(owner, "held", LEASE);
		case 6:
			return look(owner, "held");
		case 7:
			return check_lock(owner, "held");
		case 8:
			return rl_owner_lease(owner, NAME("held"), &lease, &said);
		case 9:
			return rl_owner_holder(owner, NAME("held"), &holder, &said);
		case 10:
			return hand_over(owner, "held", 0, &token);
		case 11:
			token = (struct rl_token){ .text = "x", .length = 1 };
			return adopt(owner, "other", &token, 0);
		default:
			return break_it(owner, "held");
	}
}

static void the_next_call_tells_it_once_and_does_nothing(void **state)
{
	for (int which = 0; which <= 12; which++) {
		struct rl_owner *owner;
		uint64_t requests;

		run("FLUSHALL");
		owner = new_disappointed("job");
		requests = rl_owner_stats(owner)->requests;
		assert_status(call(owner, which), RL_LOST);
		assert_key("job");
		assert_non_null(strstr(said.message, "\"job\""));
		assert_int_equal(rl_owner_stats(owner)->requests, requests);
		assert_int_equal(rl_owner_stats(owner)->lost, 1);
		assert_true(is_taken("held"));
		assert_false(is_taken("other"));
		assert_status(check_lock(owner, "held"), RL_OK); /* told once */
		assert_status(disown(owner, "held"), RL_OK);
		assert_status(check_lock(owner, "job"), RL_LOST);
		end_owner(owner);
	}
}

static void each_verdict_is_told(void **state)
{
	struct rl_owner *owner = new_owner();
	bool told[3] = { false };
	char key[16];

	for (int i = 0; i < 3; i++) {
		snprintf(key, sizeof key, "job%d", i);
		assert_status(own(owner, key, LEASE), RL_OK);
	}
	run("DEL lock@job0 lock@job1 lock@job2");
	for (int i = 0; i < 3; i++) {
		snprintf(key, sizeof key, "job%d", i);
		/* A verdict may have come in before the next one is sent. */
		while (disown_unconfirmed(owner, key) == RL_LOST) {
			told[said.key.data[3] - '0'] = true;
		}
	}
	let_it_arrive();
	while (own(owner, "other", LEASE) == RL_LOST) {
		assert_int_equal(said.key.length, 4);
		assert_false(told[said.key.data[3] - '0']);
		told[said.key.data[3] - '0'] = true;
	}
	assert_true(told[0] && told[1] && told[2]);
	assert_true(holds(owner, "other"));
}

static void releasing_everything_waits_for_them_and_counts(void **state)
{
	struct rl_owner *owner = new_disappointed("job");
	struct rl_release_summary summary = disown_all(owner);

	assert_int_equal(summary.released, 1);
	assert_int_equal(summary.lost, 1);
	assert_string_equal(summary.first_key, "job");
	assert_status(own(owner, "held", LEASE), RL_OK); /* nothing is left to tell */
}

static void a_refused_one_is_told_once_and_repeated(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("REPLICAOF 127.0.0.1 1");
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	let_it_arrive();
	run("REPLICAOF NO ONE");
	assert_true(is_taken("job"));
	assert_status(own(owner, "other", LEASE), RL_REFUSED);
	assert_key("job");
	assert_string_equal(said.code, "READONLY");
	assert_false(is_taken("other"));
	assert_status(own(owner, "other", LEASE), RL_OK);
	assert_false(is_taken("job"));
	assert_int_equal(disown_all(owner).failed, 0);
}

/* S8: what waited for the answer would have tried again. */
static void one_that_is_refused_for_a_moment_is_repeated_without_a_word(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("CONFIG SET min-replicas-to-write 1");
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	let_it_arrive();
	run("CONFIG SET min-replicas-to-write 0");
	assert_true(is_taken("job"));
	assert_status(own(owner, "other", LEASE), RL_OK);
	assert_false(is_taken("job"));
}

/* With no call in between: once more, and what that comes to is told. */
static void a_refused_one_is_repeated_at_the_end(void **state)
{
	for (int stays = 0; stays < 2; stays++) {
		struct rl_owner *owner = new_owner();
		struct rl_release_summary summary;

		assert_status(own(owner, "job", LEASE), RL_OK);
		run("REPLICAOF 127.0.0.1 1");
		assert_status(disown_unconfirmed(owner, "job"), RL_OK);
		let_it_arrive();
		if (!stays) {
			run("REPLICAOF NO ONE");
		}
		summary = disown_all(owner);
		run("REPLICAOF NO ONE");
		assert_int_equal(summary.failed, stays);
		assert_int_equal(summary.failure, stays ? RL_REFUSED : RL_OK);
		assert_int_equal(is_taken("job"), stays);
		assert_status(own(owner, "other", LEASE), RL_OK); /* told, and repeated */
		assert_false(is_taken("job"));
		end_owner(owner);
		run("FLUSHALL");
	}
}

static void a_refusal_that_is_awaited_is_told_at_once(void **state)
{
	const int64_t lease_ms = 2500; /* within a call's deadline */
	char address[160];
	bool advanced = true;

	redisFree(rig_connect_as("modest", "+@all"));
	snprintf(address, sizeof address, "%s?user=modest&password=x", rig.server.address);
	for (long reading = 0; advanced; reading++) {
		struct rl_owner *owner = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
		enum rl_status status;

		run("FLUSHALL");
		assert_status(own(owner, "job", lease_ms), RL_OK);
		run("ACL SETUSER modest -@scripting");
		clock_advance_at(reading, lease_ms * RL_MILLISECOND);
		status = disown_unconfirmed(owner, "job");
		advanced = clock_has_advanced();
		clock_advance_at(-1, 0);
		run("ACL SETUSER modest +@scripting");
		assert_status(status, advanced ? RL_REFUSED : RL_OK);
		clock_reset();
		end_owner(owner);
	}
}

/* ---------------------------------------------------------------- when it came */

static void a_verdict_that_came_in_time_may_be_read_late(void **state)
{
	for (int taken = 0; taken < 2; taken++) {
		struct rl_owner *owner = new_owner();

		assert_status(own(owner, "job", LEASE), RL_OK);
		run("DEL lock@job");
		if (taken) {
			taken_between("job");
		}
		assert_status(disown_unconfirmed(owner, "job"), RL_OK);
		let_it_arrive();
		clock_advance(LEASE * RL_MILLISECOND);
		assert_status(own(owner, "other", LEASE), RL_LOST);
		assert_key("job");
		assert_int_equal(said.late_by, 0);
		end_owner(owner);
	}
}

/* It is read by another owner, with the answer to what that one has asked. */
static void another_owner_may_read_it_late(void **state)
{
	struct rl_owner *owner = new_sharing(rig.server.address), *next = new_sharing(rig.server.address);

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("DEL lock@job");
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	let_it_arrive();
	clock_advance(LEASE * RL_MILLISECOND);
	assert_status(own(next, "job", LEASE), RL_OK);
	assert_status(own(owner, "other", LEASE), RL_LOST);
	assert_int_equal(said.late_by, 0);
}

/* An owner whose release is on its way while its lease runs out, here and on the server. */
static struct rl_owner *new_delayed(void)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE / 2), RL_OK);
	proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_release, .times = 1, .fault = PROXY_STALL });
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	expire_on_server("job");
	clock_advance(LEASE / 2 * RL_MILLISECOND); /* idle connections stay for longer */
	return owner;
}

static void one_that_had_not_come_at_the_deadline_is_late(void **state)
{
	struct rl_owner *owner = new_delayed();
	enum rl_status status;

	assert_false(holds(owner, "other")); /* any call looks */
	proxy_let_go(&proxy);
	while ((status = check_lock(owner, "other")) == RL_MISUSE) {
	}
	assert_status(status, RL_TIMED_OUT);
	assert_key("job");
	assert_true(said.late_by > 0);
}

struct asking {
	struct rl_owner *owner;
	uint64_t requests; /* before it asks */
};

/* Not before: what has come by then is told by the call itself. */
static void *let_go_when_it_has_asked(void *context)
{
	const struct asking *asking = context;

	for (int tries = 0; rl_owner_stats(asking->owner)->requests == asking->requests && tries < 10000; tries++) {
		pause_a_moment();
	}
	proxy_let_go(&proxy);
	return NULL;
}

static void one_that_comes_while_a_later_answer_is_awaited_is_late(void **state)
{
	struct rl_owner *owner = new_delayed();
	struct asking asking = { owner, rl_owner_stats(owner)->requests };
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, let_go_when_it_has_asked, &asking), 0);
	assert_status(own(owner, "other", LEASE), RL_OK);
	pthread_join(thread, NULL);
	assert_status(check_lock(owner, "other"), RL_TIMED_OUT);
	assert_key("job");
}

/* S1: nobody is there to send it again. */
static void a_flushed_script_cache_does_not_matter(void **state)
{
	struct rl_owner *owner = new_owner();

	for (int i = 0; i < 3; i++) { /* the first release goes by its text, those after it by their hash */
		assert_status(own(owner, "job", LEASE), RL_OK);
		run("SCRIPT FLUSH");
		assert_status(disown_unconfirmed(owner, "job"), RL_OK);
		await_free("job");
	}
}

/* It frees the lock, and nothing else: a cooldown stays, and what was passed on is the waiter's. */
static void what_follows_a_hash_changes_nothing(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	run("SET rlock:w:{lock@job}:lock@job 1 PX 60000");
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	let_it_arrive();
	assert_int_equal(number("LLEN rlock:q:{lock@job}:lock@job"), 1);
	assert_in_range(server_left("job"), 1, RL_CLAIM_WINDOW_MS);
	assert_status(own(owner, "job", LEASE), RL_OK); /* nobody took the baton */
	run("SCRIPT FLUSH");
	assert_status(rl_owner_release(owner, NAME("job"), (struct rl_release_terms){ .delay_ms = 20000 }, &said), RL_OK);
	let_it_arrive();
	assert_in_range(server_left("job"), 20000 - PATIENCE_MS, 20000);
}

static void one_whose_connection_broke_is_repeated(void **state)
{
	static const enum proxy_fault faults[] = { PROXY_CUT_BEFORE, PROXY_CUT_AFTER };

	for (size_t i = 0; i < COUNT(faults); i++) {
		struct rl_owner *owner = new_proxied();

		assert_status(own(owner, "job", LEASE), RL_OK);
		proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_release, .times = 1, .fault = faults[i] });
		assert_status(disown_unconfirmed(owner, "job"), RL_OK);
		while (proxy.struck <= i) {
			let_it_arrive();
		}
		assert_status(own(owner, "other", LEASE), RL_OK);
		assert_status(disown(owner, "other"), RL_OK);
		await_free("job");
		assert_int_equal(rl_owner_stats(owner)->lost, 0);
		proxy_let_go(&proxy);
		end_owner(owner);
	}
}

/* L6: its bytes are lost, which is found out by asking for the same lock. */
static struct rl_owner *new_with_lost_release(void)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_release, .times = 1, .fault = PROXY_ANSWER, .answer = "" });
	proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_acquire, .times = 1, .fault = PROXY_CUT_BEFORE });
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	return owner;
}

static void the_next_take_does_not_find_its_own_lease(void **state)
{
	struct rl_owner *owner = new_with_lost_release();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_int_equal(proxy.struck, 2);
	assert_int_equal(view(owner, "job").depth, 1);
	assert_status(disown(owner, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(owner)->lost, 0);
}

static void a_wait_does_not_wait_for_its_own_lease(void **state)
{
	struct rl_owner *owner = new_with_lost_release();

	/* The first repetition is lost, too. */
	proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_release, .times = 2, .fault = PROXY_CUT_BEFORE });
	assert_status(own_waiting(owner, "job", LEASE, 10 * RL_SECOND), RL_OK);
	assert_int_equal(proxy.struck, 4);
	assert_status(disown(owner, "job"), RL_OK);
}

static bool lose_a_release(void *context)
{
	struct rl_owner *owner = context;

	if (proxy.struck == 0) {
		assert_status(own(owner, "job", LEASE), RL_OK);
		proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_release, .times = 1, .fault = PROXY_ANSWER, .answer = "" });
		assert_status(disown_unconfirmed(owner, "job"), RL_OK);
		while (proxy.struck == 0) {
			let_it_arrive();
		}
	}
	return true;
}

/* Sent while the connection that is used next was lent to a wait: no answer behind it tells that it was lost. */
static void one_that_is_out_elsewhere_does_not_hold_up_the_next_take(void **state)
{
	struct rl_owner *owner = new_sharing(proxy.address), *waiter = new_sharing(proxy.address);

	run("SET lock@wanted foreign PX 60000");
	waiter->hook = (struct rl_wait_hook){ .run = lose_a_release, .context = owner };
	assert_status(own_waiting(waiter, "wanted", LEASE, 200 * RL_MILLISECOND), RL_NO);
	assert_int_equal(proxy.struck, 1);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
}

static void what_another_holds_is_asked_for_once(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();
	uint64_t requests;

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	await_free("job");
	assert_status(own(other, "job", LEASE), RL_OK);
	requests = rl_owner_stats(owner)->requests;
	assert_status(own(owner, "job", LEASE), RL_NO);
	assert_int_equal(rl_owner_stats(owner)->requests, requests + 1);
}

static void one_that_cannot_be_sent_is_sent_as_ever(void **state)
{
	struct rl_owner *owner = new_owner(), *cut_off = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("CLIENT KILL TYPE normal SKIPME yes");
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	await_free("job");

	assert_status(own(cut_off, "job", LEASE), RL_OK);
	proxy_stop(&proxy);
	assert_status(disown_unconfirmed(cut_off, "job"), RL_UNREACHABLE);
	assert_false(holds(cut_off, "job"));
	assert_true(proxy_start(&proxy, rig.server.folder, rig.server.socket));
	assert_status(own(cut_off, "other", LEASE), RL_OK);
	assert_false(is_taken("job"));
}

/* The clock jumps past the deadline while it is sent: then true would say too much. */
static void one_that_was_sent_too_late_is_awaited(void **state)
{
	bool advanced = true;

	for (long reading = 0; advanced; reading++) {
		struct rl_owner *owner = new_proxied();
		enum rl_status status;

		run("FLUSHALL");
		assert_status(own(owner, "job", LEASE), RL_OK);
		owner->route->timeout = 100 * RL_MILLISECOND; /* from now on there is no answer to be waited for */
		proxy_add(&proxy, (struct proxy_rule){ .script = &rl_script_release, .times = 100, .fault = PROXY_STALL });
		clock_stop(rl_now()); /* but for that, and while an answer is awaited */
		clock_advance_at(reading, LEASE * RL_MILLISECOND);
		status = disown_unconfirmed(owner, "job");
		advanced = clock_has_advanced();
		clock_advance_at(-1, 0);
		if (advanced) {
			assert_status(status, RL_UNREACHABLE);
		} else {
			assert_status(status, RL_OK);
		}
		proxy_let_go(&proxy);
		clock_reset();
		end_owner(owner);
	}
}

/* ---------------------------------------------------------------- ends */

static void an_owner_may_end_before_the_answer_comes(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	end_owner(owner);
	await_free("job");
}

static void an_answer_to_an_owner_that_has_ended_is_read_by_the_next(void **state)
{
	struct rl_owner *owner = new_sharing(rig.server.address), *next = new_sharing(rig.server.address);

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("DEL lock@job");
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	end_owner(owner);
	assert_status(own(next, "job", LEASE), RL_OK); /* on the same connection */
	assert_int_equal(rl_owner_stats(next)->reconnects, 0);
	assert_int_equal(rl_owner_stats(next)->lost, 0);
}

static void an_answer_may_be_read_by_another_owner(void **state)
{
	struct rl_owner *owner = new_sharing(rig.server.address), *next = new_sharing(rig.server.address);

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("DEL lock@job");
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	assert_status(own(next, "job", LEASE), RL_OK);
	assert_status(own(owner, "other", LEASE), RL_LOST);
	assert_key("job");
	assert_status(look(next, "job"), RL_OK);
}

static bool child_goes_on(void *context)
{
	struct rl_owner *owner = context;

	/* The parent's answer is nothing to us. */
	return own(owner, "childs", LEASE) == RL_OK && disown(owner, "childs") == RL_OK
		&& disown_all(owner).lost == 0 && (end_owner(owner), true);
}

static void a_child_leaves_the_answer_to_its_parent(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("DEL lock@job");
	assert_status(disown_unconfirmed(owner, "job"), RL_OK);
	assert_true(in_child(child_goes_on, owner));
	let_it_arrive();
	assert_status(own(owner, "other", LEASE), RL_LOST);
	assert_key("job");
	assert_int_equal(rl_owner_stats(owner)->reconnects, 0);
}

int test_unconfirmed(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	const struct CMUnitTest tests[] = {
		test(it_is_sent_and_not_awaited),
		test(only_the_last_level_is_sent),
		test(a_delay_goes_with_it),
		test(past_the_deadline_it_is_awaited),
		test(the_next_call_tells_it_once_and_does_nothing),
		test(each_verdict_is_told),
		test(releasing_everything_waits_for_them_and_counts),
		test(a_refused_one_is_told_once_and_repeated),
		test(one_that_is_refused_for_a_moment_is_repeated_without_a_word),
		test(a_refused_one_is_repeated_at_the_end),
		test(a_refusal_that_is_awaited_is_told_at_once),
		test(a_verdict_that_came_in_time_may_be_read_late),
		test(another_owner_may_read_it_late),
		test(one_that_had_not_come_at_the_deadline_is_late),
		test(one_that_comes_while_a_later_answer_is_awaited_is_late),
		test(a_flushed_script_cache_does_not_matter),
		test(what_follows_a_hash_changes_nothing),
		test(one_whose_connection_broke_is_repeated),
		test(the_next_take_does_not_find_its_own_lease),
		test(a_wait_does_not_wait_for_its_own_lease),
		test(one_that_is_out_elsewhere_does_not_hold_up_the_next_take),
		test(what_another_holds_is_asked_for_once),
		test(one_that_cannot_be_sent_is_sent_as_ever),
		test(one_that_was_sent_too_late_is_awaited),
		test(an_owner_may_end_before_the_answer_comes),
		test(an_answer_to_an_owner_that_has_ended_is_read_by_the_next),
		test(an_answer_may_be_read_by_another_owner),
		test(a_child_leaves_the_answer_to_its_parent),
	};

	return cmocka_run_group_tests_name("unconfirmed", tests, rig_start, rig_stop);
}
