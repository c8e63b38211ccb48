/*
 * Rules of the client (tests/model/README.md) that no other test would miss.
 */
#include "owner_rig.h"

#include <inttypes.h>
#include <pthread.h>

/* What goes by on our clock while the server's answer is held. */
#define DELAY (20 * RL_SECOND)

/* Patient enough for that; and connected. */
static struct rl_owner *new_patient(void)
{
	char address[160];
	struct rl_owner *owner;

	snprintf(address, sizeof address, "%s?timeout=300", proxy.address);
	owner = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
	assert_status(own(owner, "another", LEASE), RL_OK);
	assert_status(disown(owner, "another"), RL_OK);
	return owner;
}

struct delay {
	pthread_t thread;
	unsigned struck; /* by then the proxy has the answer */
	rl_time by;
	bool loses; /* that answer never comes */
};

static void *pass_time(void *context)
{
	const struct delay *delay = context;

	for (int tries = 0; proxy.struck < delay->struck && tries < 10000; tries++) {
		pause_a_moment();
	}
	clock_advance(delay->by);
	if (delay->loses) {
		proxy_cut(&proxy);
	}
	proxy_let_go(&proxy);
	return NULL;
}

/* The proxy is going to hold an answer: meanwhile our clock goes on. */
static void begin(struct delay *delay, rl_time by, bool loses)
{
	*delay = (struct delay){ .struck = proxy.struck + 1, .by = by, .loses = loses };
	assert_int_equal(pthread_create(&delay->thread, NULL, pass_time, delay), 0);
}

static void begin_delay(struct delay *delay, rl_time by)
{
	begin(delay, by, false);
}

static void end_delay(struct delay *delay)
{
	pthread_join(delay->thread, NULL);
}

static void hold(const struct rl_script *script)
{
	proxy_add(&proxy, (struct proxy_rule){ .script = script, .times = 1, .fault = PROXY_HOLD });
}

static void answer(const struct rl_script *script, const char *text)
{
	proxy_add(&proxy,
		(struct proxy_rule){ .script = script, .times = 1, .fault = PROXY_ANSWER, .answer = text });
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
	begin_delay(&delay, DELAY);
	assert_status(own(owner, "job", LEASE), RL_OK);
	end_delay(&delay);
	assert_counts_from_before(owner);

	hold(&rl_script_extend);
	begin_delay(&delay, DELAY);
	assert_status(prolong(owner, "job", LEASE), RL_OK);
	end_delay(&delay);
	assert_counts_from_before(owner);

	assert_status(hand_over(owner, "job", LEASE, &token), RL_OK);
	hold(&rl_script_extend);
	begin_delay(&delay, DELAY);
	assert_status(adopt(adopter, "job", &token, LEASE), RL_OK);
	end_delay(&delay);
	assert_counts_from_before(adopter);
	rl_token_free(&token);
}

static void a_lease_counts_from_before_its_first_sending(void **state)
{
	struct rl_owner *owner = new_patient();
	struct delay delay;

	hold(&rl_script_acquire);
	begin(&delay, DELAY, true);
	assert_status(own(owner, "job", LEASE), RL_OK);
	end_delay(&delay);
	assert_counts_from_before(owner);
}

static void a_grant_that_is_over_when_it_is_heard_of_is_none(void **state)
{
	struct rl_owner *owner = new_patient();
	struct delay delay;

	hold(&rl_script_acquire);
	begin_delay(&delay, (LEASE + 1) * RL_MILLISECOND);
	assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
	end_delay(&delay);
	assert_non_null(strstr(said.message, "had run out when the answer came"));
	assert_false(holds(owner, "job"));
	assert_status(own(owner, "another", LEASE), RL_OK); /* the next contact */
	assert_false(is_taken("job"));
}

/* A copy that ran before may have begun it; and a name may have had it already. */
static void what_is_left_is_what_the_server_says(void **state)
{
	struct rl_owner *owner = new_proxied();

	answer(&rl_script_acquire, "*2\r\n:7\r\n:10000\r\n");
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_true(view(owner, "job").left < 10 * RL_SECOND);
	answer(&rl_script_extend, "*3\r\n:1\r\n:7\r\n:20000\r\n");
	assert_status(prolong(owner, "job", LEASE), RL_OK);
	assert_true(view(owner, "job").left < 20 * RL_SECOND);
	answer(&rl_script_extend, "*3\r\n:1\r\n:8\r\n:3000\r\n");
	assert_status(prolong(owner, "job", 5000), RL_OK);
	assert_true(view(owner, "job").left < 3 * RL_SECOND);
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
		/* by then it asks again at the latest */
		assert_true(number("PTTL %b", KEY(RL_KEY_WAITING)) > 1100);
	}
	return true;
}

static void the_flag_outlives_the_time_until_the_next_ask(void **state)
{
	scene.over = false;
	assert_status(own(new_owner(), "job", LEASE), RL_OK);
	assert_status(
		own_waiting(new_hooked(has_its_flag, NULL), "job", LEASE, 300 * RL_MILLISECOND), RL_NO);
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
	assert_status(
		own_waiting(new_hooked(loses_its_flag, NULL), "job", LEASE, 300 * RL_MILLISECOND), RL_NO);
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

/* A timeout of nothing would be one without an end, where nobody may unblock the waiter. */
static void the_shortest_wait_ends_by_itself(void **state)
{
	struct rl_owner *waiter = new_owner();
	rl_time began;

	assert_status(own(new_owner(), "job", LEASE), RL_OK);
	run("ACL SETUSER default -client");
	clock_stop(rl_now()); /* it goes on only while somebody waits in vain */
	began = rl_now();
	assert_status(own_waiting(waiter, "job", LEASE, RL_MILLISECOND / 2), RL_NO);
	assert_true(rl_now() - began < 90 * RL_MILLISECOND);
	run("ACL SETUSER default +@all");
}

/* --- a slot that moves: its lock's key alone will do --- */

/* For one sending, with all keys. */
static void move_slot(const struct rl_script *script)
{
	answer(script, "-TRYAGAIN Multiple keys request during rehashing of slot\r\n");
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
	assert_holds(RL_KEY_FENCE, fence);

	run("SET %b 1", KEY(RL_KEY_WAITING));
	move_slot(&rl_script_release);
	assert_status(disown(owner, "job"), RL_OK);
	assert_false(is_taken("job")); /* passed to nobody */
}

static void the_first_key_alone_is_not_believed_past_the_deadline(void **state)
{
	struct rl_owner *owner = new_proxied();

	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_acquire, .times = 1, .fault = PROXY_LATE });
	assert_status(own(owner, "job", LEASE / 100), RL_OK);
	expire_here(owner, "job");
	expire_on_server("job");
	taken_between("job");
	assert_int_equal(proxy_deliver(&proxy), 1);
	assert_true(is_taken("job"));
	move_slot(&rl_script_extend);
	assert_status(prolong(owner, "job", LEASE), RL_LOST);
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
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_acquire, .times = 1, .fault = PROXY_STALL });
	assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
	run("ACL SETUSER default +@all");
	end_owner(owner);
	proxy_let_go(&proxy);
	AWAIT(rig_exists(RL_KEY_FENCE)); /* it was taken */
	await_free("job");
}

int test_rules(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	const struct CMUnitTest tests[] = {
		test(a_lease_counts_from_before_its_request),
		test(a_lease_counts_from_before_its_first_sending),
		test(a_grant_that_is_over_when_it_is_heard_of_is_none),
		test(what_is_left_is_what_the_server_says),
		test(the_flag_outlives_the_time_until_the_next_ask),
		test(the_last_ask_raises_no_flag),
		test(who_cannot_park_polls_and_raises_no_flag),
		test(the_shortest_wait_ends_by_itself),
		test(while_a_slot_moves_the_first_key_will_do),
		test(the_first_key_alone_is_not_believed_past_the_deadline),
		test(what_is_given_up_is_undone_behind_it),
	};

	return cmocka_run_group_tests_name("rules", tests, rig_start, rig_stop);
}
