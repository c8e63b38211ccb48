/*
 * Copies of a request that reach the server after the connection they were sent on was given up,
 * and after later requests were answered: none shortens, none takes or sets anew what its call is
 * over for, and none changes a verdict. The proxy keeps them, and delivers them when the test says
 * so.
 */
#include "owner_rig.h"

#include "lock/owner/internal.h"

/* Longer than any call may take that the proxy keeps. */
#define LONG (60 * LEASE)

static struct rl_token token;

static int clean(void **state)
{
	rl_token_free(&token);
	token = (struct rl_token){ .text = NULL };
	return owners_clean(state);
}

/*
 * Whose calls end soon, so that what names its deadline is late soon; but it has been given time to
 * connect.
 */
static struct rl_owner *new_hasty(void)
{
	struct rl_owner *owner = new_proxied();

	assert_status(look(owner, "job"), RL_NO);
	owner->route->timeout = owner->route->patience = 300 * RL_MILLISECOND;
	return owner;
}

static void keep(const struct rl_script *script, unsigned times)
{
	proxy_add(&proxy,
		(struct proxy_rule){ .script = script,
			.times = times,
			.fault = PROXY_LATE,
			.fails = times > 1 });
}

static long long server_clock(void)
{
	redisReply *reply = command(rig.redis, "TIME");
	long long clock = strtoll(reply->element[0]->str, NULL, 10) * 1000000
		+ strtoll(reply->element[1]->str, NULL, 10);

	freeReplyObject(reply);
	return clock;
}

/* Until nothing that a hasty owner has sent before may run any more. */
static void await_past_timeout(void)
{
	long long from = server_clock();

	while (server_clock() < from + 2 * 300000) {
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	}
}

/* What it has sent: on a busy machine there may have been no time for the second sending. */
static void deliver_what_was_hasty(void)
{
	AWAIT(proxy.struck >= 1);
	assert_in_range(proxy_deliver(&proxy), 1, 2);
}

/* --- extend --- */

static void l1_a_late_shorter_lease_makes_no_two_owners(void **state)
{
	struct rl_owner *owner = new_proxied(), *other = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	keep(&rl_script_extend, 2);
	assert_status(prolong(owner, "job", LEASE / 2), RL_UNREACHABLE);
	assert_status(prolong(owner, "job", LEASE / 2), RL_OK);
	assert_status(prolong(owner, "job", LONG), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 2);
	assert_true(server_left("job") > LONG - PATIENCE_MS);
	assert_status(own(other, "job", LEASE), RL_NO);
	assert_status(check_lock(owner, "job"), RL_OK);
}

static void l1_nor_does_it_shorten_when_its_call_is_over(void **state)
{
	struct rl_owner *owner = new_hasty();
	enum rl_status status = RL_UNREACHABLE;

	while (status != RL_OK) { /* on a busy machine */
		status = own(owner, "job", LEASE);
	}
	keep(&rl_script_extend, 2);
	assert_status(prolong(owner, "job", LEASE / 2), RL_UNREACHABLE);
	await_past_timeout();
	deliver_what_was_hasty();
	assert_true(server_left("job") > LEASE - PATIENCE_MS);
}

/* Whatever is called next: until that is answered, the earlier end counts. */
static void an_unanswered_shorter_lease_is_asked_for_first(void **state)
{
	for (int was_done = 0; was_done < 2; was_done++) {
		struct rl_owner *owner = new_proxied();
		int64_t fence;

		assert_status(own(owner, "job", LEASE), RL_OK);
		fence = view(owner, "job").fence;
		proxy_add(&proxy,
			(struct proxy_rule){ .script = &rl_script_extend,
				.times = 2,
				.fault = was_done ? PROXY_CUT_AFTER : PROXY_CUT_BEFORE,
				.fails = true });
		assert_status(prolong(owner, "job", LEASE / 2), RL_UNREACHABLE);
		assert_true(view(owner, "job").left <= LEASE / 2 * RL_MILLISECOND);
		assert_status(look(owner, "job"), RL_OK);
		assert_in_range(server_left("job"), 1, LEASE / 2);
		assert_int_equal(view(owner, "job").fence, fence + 1);
		assert_true(view(owner, "job").left <= LEASE / 2 * RL_MILLISECOND);
		assert_status(prolong(owner, "job", LONG), RL_OK);
		assert_true(view(owner, "job").left > LEASE * RL_MILLISECOND);
		assert_status(disown(owner, "job"), RL_OK);
		end_owner(owner);
	}
}

/* The answer to a repetition counts from when that was sent, so it says less if it took long. */
static void what_was_told_of_an_unanswered_shorter_lease_holds(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend,
			.times = 2,
			.fault = PROXY_CUT_AFTER,
			.fails = true });
	assert_status(prolong(owner, "job", LEASE / 2), RL_UNREACHABLE);
	run("PEXPIRE lock@job %d", LEASE / 4);
	assert_status(look(owner, "job"), RL_OK);
	assert_true(view(owner, "job").left > LEASE / 4 * RL_MILLISECOND);
}

static void so_does_what_was_asked_for_if_a_repetition_is_answered(void **state)
{
	struct rl_owner *owner = new_proxied();
	char repeated[80];

	assert_status(own(owner, "job", LEASE), RL_OK);
	snprintf(repeated, sizeof repeated, "*3\r\n:2\r\n:%lld\r\n:%d\r\n",
		(long long)view(owner, "job").fence + 1, LEASE / 4);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_extend, .times = 1, .fault = PROXY_CUT_AFTER });
	proxy_add(&proxy,
		(struct proxy_rule){
			.script = &rl_script_extend, .times = 1, .fault = PROXY_ANSWER, .answer = repeated });
	assert_status(prolong(owner, "job", LEASE / 2), RL_OK);
	assert_in_range(view(owner, "job").left, LEASE / 4 * RL_MILLISECOND,
		LEASE / 2 * RL_MILLISECOND);
	assert_status(disown(owner, "job"), RL_OK);
}

static void a_shorter_lease_that_stays_unanswered_lengthens_nothing(void **state)
{
	struct rl_owner *owner = new_proxied();
	struct proxy_rule lost = {
		.script = &rl_script_extend, .times = 2, .fault = PROXY_CUT_BEFORE, .fails = true
	};

	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_add(&proxy, lost);
	assert_status(prolong(owner, "job", LEASE / 2), RL_UNREACHABLE);
	proxy_add(&proxy, lost);
	clock_advance(LEASE / 4 * RL_MILLISECOND);
	assert_status(prolong(owner, "job", LEASE / 2), RL_UNREACHABLE);
	assert_true(view(owner, "job").left <= LEASE / 4 * RL_MILLISECOND);
}

/*
 * A release asks first, too, since the grant may have another fence; and if that is not answered
 * either, it asks for no fence. So do those at the end.
 */
static void and_is_given_back_behind_it(void **state)
{
	for (int how = 0; how < 8; how++) {
		struct rl_owner *owner = new_proxied();

		struct proxy_rule lost = { .script = &rl_script_extend,
			.times = 2,
			.fault = how % 2 ? PROXY_CUT_AFTER : PROXY_CUT_BEFORE,
			.fails = true };

		proxy_let_go(&proxy); /* no rule is left over */
		assert_status(own(owner, "job", LEASE), RL_OK);
		proxy_add(&proxy, lost);
		assert_status(prolong(owner, "job", LEASE / 2), RL_UNREACHABLE);
		if (how >= 4) {
			proxy_add(&proxy, lost);
		}
		if (how % 4 < 2) {
			assert_status(disown(owner, "job"), RL_OK);
		} else {
			assert_int_equal(disown_all(owner).released, 1);
		}
		assert_false(is_taken("job"));
		end_owner(owner);
	}
}

/* It asks for no fence, and so what it finds may be what a late copy has taken. */
static void but_past_its_end_nobody_can_tell(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	keep(&rl_script_extend, 2);
	assert_status(prolong(owner, "job", LEASE / 2), RL_UNREACHABLE);
	keep(&rl_script_extend, 2);
	expire_here(owner, "job");
	assert_int_equal(disown_all(owner).lost, 1);
	assert_false(is_taken("job"));
}

static void l1_nor_does_a_late_longer_one_move_a_shorter(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	keep(&rl_script_extend, 2);
	assert_status(prolong(owner, "job", LONG), RL_UNREACHABLE);
	assert_status(prolong(owner, "job", LEASE / 2), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 2);
	assert_true(server_left("job") <= LEASE / 2);
}

/* --- what takes --- */

static void l3_a_late_adoption_robs_nobody(void **state)
{
	struct rl_owner *owner = new_owner(), *thief = new_hasty();
	struct rl_lease_view lease;

	assert_status(own(owner, "job", LONG), RL_OK);
	lease = view(owner, "job");
	token = (struct rl_token){ .text = exact_copy(lease.token.data, lease.token.length),
		.length = lease.token.length };
	keep(&rl_script_extend, 2);
	assert_status(adopt(thief, "job", &token, 100), RL_UNREACHABLE);
	await_past_timeout();
	deliver_what_was_hasty();
	assert_status(look(owner, "job"), RL_OK);
	assert_true(server_left("job") > LONG - PATIENCE_MS);
	assert_status(disown(owner, "job"), RL_OK);
}

static void l3_nor_does_a_late_copy_of_one_that_was_done(void **state)
{
	struct rl_owner *owner = new_owner(), *adopter = new_proxied();

	assert_status(own(owner, "job", LONG), RL_OK);
	assert_status(hand_over(owner, "job", 0, &token), RL_OK);
	keep(&rl_script_extend, 1);
	assert_status(adopt(adopter, "job", &token, LEASE), RL_OK);
	assert_status(prolong(adopter, "job", LONG), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 1);
	assert_true(server_left("job") > LONG - PATIENCE_MS);
	assert_status(look(adopter, "job"), RL_OK);
	assert_status(prolong(adopter, "job", LEASE), RL_OK);
	assert_true(server_left("job") <= LEASE);
}

/*
 * Two adopters of one grant: the former one's late release is not told that nobody has had it
 * since.
 */
static void l3_nor_is_a_former_adopter_only_late(void **state)
{
	struct rl_owner *owners[3] = { new_owner(), new_owner(), new_owner() };

	assert_status(own(owners[0], "job", LEASE), RL_OK);
	for (int i = 1; i < 3; i++) {
		struct rl_lease_view lease = view(owners[i - 1], "job");

		rl_token_free(&token);
		token = (struct rl_token){ .text = exact_copy(lease.token.data, lease.token.length),
			.length = lease.token.length };
		assert_status(adopt(owners[i], "job", &token, 0), RL_OK);
	}
	expire_here(owners[2], "job");
	expire_on_server("job");
	assert_status(disown(owners[0], "job"), RL_LOST);
	assert_status(disown(owners[1], "job"), RL_LOST);
	assert_status(disown(owners[2], "job"), RL_TIMED_OUT);
}

static void l4_a_late_take_takes_nothing(void **state)
{
	struct rl_owner *owner = new_hasty();

	keep(&rl_script_acquire, 2);
	assert_status(own(owner, "job", LONG), RL_UNREACHABLE);
	end_owner(owner); /* nobody is there to undo it */
	await_past_timeout();
	deliver_what_was_hasty();
	assert_false(is_taken("job"));
}

/* The second sending found it taken, and the first comes when it is free. */
static void l4_a_take_is_undone_though_it_was_told_of_another(void **state)
{
	struct rl_owner *owner = new_proxied(), *other = new_owner();

	assert_status(own(other, "job", LEASE), RL_OK);
	keep(&rl_script_acquire, 1);
	assert_status(own(owner, "job", LEASE), RL_NO);
	assert_status(disown(other, "job"), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 1);
	assert_true(is_taken("job"));
	assert_status(own(owner, "another", LEASE), RL_OK); /* the next contact */
	assert_false(is_taken("job"));
}

/* Within the lease, too: whoever was in between had a higher fence. */
static void l4_what_was_broken_is_lost_whatever_a_copy_took(void **state)
{
	for (int how = 0; how < 4; how++) {
		struct rl_owner *owner = new_proxied();

		keep(&rl_script_acquire, 1);
		assert_status(own(owner, "job", LONG), RL_OK);
		assert_status(break_it(new_owner(), "job"), RL_OK);
		taken_between("job");
		assert_int_equal(proxy_deliver(&proxy), 1);
		assert_true(is_taken("job"));
		switch (how) {
			case 0:
				assert_status(disown(owner, "job"), RL_LOST);
				break;
			case 1:
				assert_status(prolong(owner, "job", LEASE), RL_LOST);
				break;
			case 2:
				assert_status(hand_over(owner, "job", 0, &token), RL_LOST);
				break;
			default:
				assert_status(look(owner, "job"), RL_NO);
		}
		end_owner(owner);
		run("DEL lock@job");
	}
}

static void l4_a_late_take_does_not_shorten(void **state)
{
	struct rl_owner *owner = new_proxied();

	keep(&rl_script_acquire, 1);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(prolong(owner, "job", LONG), RL_OK);
	assert_int_equal(proxy_deliver(&proxy), 1);
	assert_true(server_left("job") > LONG - PATIENCE_MS);
	assert_status(disown(owner, "job"), RL_OK);
}

static void l4_a_late_break_breaks_nothing(void **state)
{
	struct rl_owner *owner = new_owner(), *admin = new_hasty();

	assert_status(own(owner, "job", LONG), RL_OK);
	keep(&rl_script_release, 2);
	assert_status(break_it(admin, "job"), RL_UNREACHABLE);
	await_past_timeout();
	deliver_what_was_hasty();
	assert_status(look(owner, "job"), RL_OK);
}

/*
 * A short lease ran out while a first sending of its take was out, which took it anew: another may
 * have been in between.
 */
static void l4_what_a_late_take_took_is_not_believed(void **state)
{
	struct rl_owner *owner = new_proxied();

	for (int i = 0; i < 2; i++) {
		const char *job = i ? "a" : "b";

		keep(&rl_script_acquire, 1);
		assert_status(own(owner, job, LEASE / 100), RL_OK);
		expire_here(owner, job);
		expire_on_server(job);
		taken_between(job);
		assert_int_equal(proxy_deliver(&proxy), 1);
		assert_true(is_taken(job));
		assert_status(i ? prolong(owner, job, LEASE) : disown(owner, job), RL_LOST);
	}
}

/* --- the server's clock --- */

/* What we think of it is wrong: its answer says so, and nobody notices. */
static void a_clock_that_was_set_is_learnt_anew(void **state)
{
	struct rl_owner *owner = new_proxied();
	uint64_t requests;
	char late[40];

	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	/* A minute ahead of where we think. */
	snprintf(late, sizeof late, "-LATE %lld000000\r\n", (long long)time(NULL) + 60);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_acquire,
			.times = 1,
			.fault = PROXY_ANSWER,
			.answer = late });
	requests = rl_owner_stats(owner)->requests;
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_int_equal(rl_owner_stats(owner)->requests, requests + 2);
	assert_status(disown(owner, "job"), RL_OK);
}

/* Nothing is late for a server whose clock we do not know. */
static void where_the_clock_is_unknown_nothing_is_late(void **state)
{
	struct rl_owner *owner = new_proxied();

	proxy_add(&proxy,
		(struct proxy_rule){
			.word = "INFO", .times = 1000, .fault = PROXY_ANSWER, .answer = "-NOPERM no\r\n" });
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_true(proxy.struck > 0);
	/* it was not late, which would have told the clock */
	assert_int_equal(rl_owner_stats(owner)->requests, 1);
	assert_status(disown(owner, "job"), RL_OK);
}

/* Nor for scripts that may not look at it. */
static void nor_where_scripts_have_no_clock(void **state)
{
	struct rl_owner *one, *two;
	char address[160];

	redisFree(rig_connect_as("timeless", "+@all -time"));
	snprintf(address, sizeof address, "%s?user=timeless&password=x", rig.server.address);
	one = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
	two = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
	assert_status(own(one, "job", LEASE), RL_OK);
	assert_int_equal(rl_owner_stats(one)->requests, 1);
	expire_here(one, "job");
	expire_on_server("job");
	assert_status(prolong(one, "job", LEASE), RL_TIMED_OUT); /* it is set again */
	assert_status(hand_over(one, "job", 0, &token), RL_OK);
	assert_status(adopt(two, "job", &token, 0), RL_OK);
	assert_status(break_it(one, "job"), RL_OK);
	assert_false(is_taken("job"));
}

static void what_is_late_again_and_again_is_told(void **state)
{
	struct rl_owner *owner = new_hasty();

	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_acquire,
			.times = 100000,
			.fault = PROXY_ANSWER,
			.answer = "-LATE 1\r\n" });
	assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
}

int test_late(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, clean)
	const struct CMUnitTest tests[] = {
		test(l1_a_late_shorter_lease_makes_no_two_owners),
		test(l1_nor_does_a_late_longer_one_move_a_shorter),
		test(l1_nor_does_it_shorten_when_its_call_is_over),
		test(an_unanswered_shorter_lease_is_asked_for_first),
		test(what_was_told_of_an_unanswered_shorter_lease_holds),
		test(so_does_what_was_asked_for_if_a_repetition_is_answered),
		test(a_shorter_lease_that_stays_unanswered_lengthens_nothing),
		test(and_is_given_back_behind_it),
		test(but_past_its_end_nobody_can_tell),
		test(l3_a_late_adoption_robs_nobody),
		test(l3_nor_does_a_late_copy_of_one_that_was_done),
		test(l3_nor_is_a_former_adopter_only_late),
		test(l4_a_late_take_takes_nothing),
		test(l4_a_take_is_undone_though_it_was_told_of_another),
		test(l4_what_was_broken_is_lost_whatever_a_copy_took),
		test(l4_a_late_take_does_not_shorten),
		test(l4_what_a_late_take_took_is_not_believed),
		test(l4_a_late_break_breaks_nothing),
		test(a_clock_that_was_set_is_learnt_anew),
		test(where_the_clock_is_unknown_nothing_is_late),
		test(nor_where_scripts_have_no_clock),
		test(what_is_late_again_and_again_is_told),
	};

	return cmocka_run_group_tests_name("late", tests, rig_start, rig_stop);
}
