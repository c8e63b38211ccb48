/*
 * What may happen to an owner's request on its way: answers that are lost, late, or nonsense;
 * servers that refuse for a moment, or for good. Nothing may be left locked, nothing be told
 * that is not so, and every call has one deadline.
 */
#include "owner_rig.h"
#include "prompt.h"
#include "stack.h"
#include "steps.h"

#include "lock/owner/internal.h"
#include "lock/protocol.h"
#include "lock/single/single.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void cut(const struct rl_script *script, unsigned times, enum proxy_fault how)
{
	proxy_add(&proxy,
		(struct proxy_rule){ .script = script,
			.times = times,
			.fault = how,
			.fails = times > 1 });
}

static void answer(const struct rl_script *script, unsigned times, const char *text)
{
	proxy_add(&proxy,
		(struct proxy_rule){
			.script = script, .times = times, .fault = PROXY_ANSWER, .answer = text });
}

/* After a take that failed, nobody knows how: the next contact leaves it free. */
static void check_undone(struct rl_owner *owner)
{
	assert_false(holds(owner, "job"));
	assert_status(own(owner, "another", LEASE), RL_OK);
	assert_false(is_taken("job"));
	assert_status(disown(owner, "another"), RL_OK);
}

/* ---------------------------------------------------------------- takes */

/* N3 */
static void a_take_whose_answer_was_lost_is_the_same_grant(void **state)
{
	struct rl_owner *owner = new_proxied();

	cut(&rl_script_acquire, 1, PROXY_CUT_AFTER);
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_int_equal(proxy.struck, 1);
	assert_int_equal(view(owner, "job").fence, stored_fence());
	assert_status(look(owner, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(owner)->reconnects, 1);
	assert_int_equal(rl_owner_stats(owner)->acquired, 1);
	assert_status(disown(owner, "job"), RL_OK);
}

/* N7: however often it is cut off, within the deadline; then that is told. */
static void a_call_that_is_cut_off_is_tried_again_until_its_deadline(void **state)
{
	static const enum proxy_fault faults[] = { PROXY_CUT_BEFORE, PROXY_CUT_AFTER };

	for (size_t i = 0; i < COUNT(faults); i++) {
		struct rl_owner *owner = new_proxied();
		struct proxy_rule rule = {
			.script = &rl_script_acquire, .times = 5, .fault = faults[i]
		};
		struct prompt_moment before;

		proxy_add(&proxy, rule);
		assert_status(own(owner, "job", LEASE), RL_OK);
		assert_int_equal(view(owner, "job").fence, stored_fence());
		rule.script = &rl_script_release;
		proxy_add(&proxy, rule);
		assert_status(disown(owner, "job"), RL_OK);
		assert_false(is_taken("job"));
		rule.script = &rl_script_acquire;
		rule.times = 1000000;
		proxy_add(&proxy, rule);
		owner->route->timeout = 300 * RL_MILLISECOND;
		before = prompt_now();
		assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
		expect_on_time(prompt_since(before), 200 * RL_MILLISECOND);
		owner->route->timeout = 5 * RL_SECOND;
		proxy_let_go(&proxy);
		check_undone(owner);
		end_owner(owner);
	}
}

static void a_take_that_stays_lost_is_undone(void **state)
{
	struct rl_owner *owner = new_proxied();

	cut(&rl_script_acquire, 2, PROXY_CUT_AFTER);
	assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
	assert_true(is_taken("job"));
	check_undone(owner);
}

static void a_take_that_stays_lost_is_undone_at_the_owners_end(void **state)
{
	struct rl_owner *owner = new_proxied();
	struct rl_release_summary summary;

	cut(&rl_script_acquire, 2, PROXY_CUT_AFTER);
	assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
	summary = disown_all(owner);
	assert_int_equal(summary.released + summary.failed + summary.lost + summary.timed_out, 0);
	assert_false(is_taken("job"));
}

static void a_take_that_never_arrived_leaves_nothing(void **state)
{
	struct rl_owner *owner = new_proxied();

	cut(&rl_script_acquire, 2, PROXY_CUT_BEFORE);
	assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
	assert_false(is_taken("job"));
	check_undone(owner);
}

static void nonsense_for_a_grant_is_undone(void **state)
{
	static const char *const texts[] = { "$-1\r\n", "*0\r\n", "*1\r\n:1\r\n", "*2\r\n:-1\r\n:5\r\n",
		"*3\r\n:1\r\n:2\r\n:3\r\n", "+OK\r\n", "*2\r\n$1\r\nx\r\n:5\r\n" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct rl_owner *owner = new_proxied();

		answer(&rl_script_acquire, 1, texts[i]);
		assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
		assert_non_null(strstr(said.message, "proxy.sock"));
		proxy_let_go(&proxy);
		check_undone(owner);
		end_owner(owner);
	}
}

/* It answers something else, so nobody knows what became of the call. */
static void a_fence_below_the_clock_is_no_grant(void **state)
{
	static const char *const texts[] = { ":-1\r\n", ":0\r\n", ":4\r\n", ":1700000000000000\r\n" };
	struct rl_owner *other = new_owner();

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct rl_owner *owner = new_proxied();

		answer(&rl_script_acquire, 1, texts[i]);
		assert_status(own(owner, "job", LEASE), RL_OK);
		assert_int_equal(rl_owner_stats(owner)->reconnects, 1);
		assert_true(is_taken("job"));
		assert_status(disown(owner, "job"), RL_OK);
		assert_status(own(other, "job", LEASE), RL_OK);
		answer(&rl_script_acquire, 1, texts[i]);
		assert_status(own(owner, "job", LEASE), RL_NO);
		assert_status(disown(other, "job"), RL_OK);
		proxy_let_go(&proxy);
		end_owner(owner);
	}
}

/* Where the server does not tell its clock. */
static void what_answers_a_release_is_no_grant(void **state)
{
	for (int answered = 1; answered <= 4; answered++) {
		struct rl_owner *owner = new_proxied();
		char text[16];

		proxy_add(&proxy,
			(struct proxy_rule){ .word = "INFO",
				.times = 1,
				.fault = PROXY_ANSWER,
				.answer = "-NOPERM not for you\r\n" });
		snprintf(text, sizeof text, ":%d\r\n", answered);
		answer(&rl_script_acquire, 1, text);
		assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
		assert_int_equal(proxy.struck, 2 * answered);
		proxy_let_go(&proxy);
		check_undone(owner);
		end_owner(owner);
	}
}

/* S10, S11 */
static void a_frozen_server_is_left_at_the_deadline_and_undoes(void **state)
{
	struct rl_owner *owner = new_owner();
	struct prompt_moment before;

	assert_status(own(owner, "before", LEASE), RL_OK);
	throwaway_freeze(&rig.server);
	owner->route->timeout = owner->route->patience = 200 * RL_MILLISECOND;
	before = prompt_now();
	assert_status(own(owner, "job", 3600000), RL_UNREACHABLE);
	expect_on_time(prompt_since(before), 200 * RL_MILLISECOND);
	assert_non_null(strstr(said.message, "timeout"));
	/* what comes now is to succeed */
	owner->route->timeout = owner->route->patience = 5 * RL_SECOND;
	kill(rig.server.pid, SIGCONT);
	await_free("job"); /* the release was written behind it */
	check_undone(owner);
	assert_status(disown(owner, "before"), RL_OK);
}

/* Undoing what is left of an earlier call takes no deadline of its own. */
static void what_is_to_be_undone_does_not_prolong_a_call(void **state)
{
	struct rl_owner *owner;
	char address[128];
	struct prompt_moment before;

	snprintf(address, sizeof address, "%s?timeout=2", proxy.address);
	owner = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
	cut(&rl_script_acquire, 2, PROXY_CUT_AFTER);
	assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
	assert_true(is_taken("job"));

	throwaway_freeze(&rig.server);
	before = prompt_now();
	assert_status(own(owner, "another", LEASE), RL_UNREACHABLE);
	expect_soon(prompt_since(before), 2 * RL_SECOND + A_MOMENT);
	kill(rig.server.pid, SIGCONT);
	assert_status(own(owner, "third", LEASE), RL_OK);
	assert_false(is_taken("job"));
	await_free("another");
}

static void what_is_to_be_undone_goes_before_any_request(void **state)
{
	for (int call = 0; call < 5; call++) {
		struct rl_owner *owner = new_proxied();
		struct rl_holder holder;

		run("FLUSHALL");
		assert_status(own(owner, "another", LEASE), RL_OK);
		cut(&rl_script_acquire, 2, PROXY_CUT_AFTER);
		assert_status(own(owner, "job", LEASE), RL_UNREACHABLE);
		assert_true(is_taken("job"));
		proxy_let_go(&proxy);
		switch (call) {
			case 0:
				assert_status(look(owner, "another"), RL_OK);
				break;
			case 1:
				assert_status(prolong(owner, "another", LEASE), RL_OK);
				break;
			case 2:
				assert_status(disown(owner, "another"), RL_OK);
				break;
			case 3:
				assert_status(break_it(owner, "nothing"), RL_NO);
				break;
			default:
				assert_status(rl_owner_holder(owner, NAME("nothing"), &holder, &said), RL_NO);
		}
		assert_false(is_taken("job"));
		end_owner(owner);
	}
}

/* ---------------------------------------------------------------- two connections */

/* A take that is stepped by hand, on a connection that was idle. */
struct taking {
	struct rl_owner *owner;
	struct rl_lease *lease;
	struct rl_step step;
	struct rl_take take;
	struct rl_request request;
};

static void begin_taking(struct taking *taking)
{
	const struct rl_lease_terms terms = { .prefix = NAME("lock@"), .name = NAME("job") };

	taking->owner = new_proxied();
	taking->owner->route->timeout = RL_SECOND; /* half of it is borne with */
	assert_status(own(taking->owner, "another", LEASE), RL_OK);
	clock_advance(RL_MILLISECOND); /* it was not used just now */
	assert_status(rl_lease_new(&terms, &taking->lease, &said), RL_OK);
	taking->step = (struct rl_step){
		RL_STEP_ACQUIRE, .lease = taking->lease, .lease_ms = LEASE
	};
	rl_request_begin(&taking->request, taking->owner->route,
		rl_step_form_take(&taking->take, &taking->step), rl_now() + 60 * RL_SECOND);
}

static void run_request(void *request)
{
	assert_status(rl_request_run(request, &said), RL_INTERRUPTED);
}

/* Until so many rules have struck, and the second connection is there or not. */
static void take_until(struct taking *taking, unsigned struck, enum rl_exchange_state state)
{
	const struct rl_exchange *exchange = &taking->request.exchange;
	struct rl_stack *stack = make_stack();
	struct rl_polls polls;

	rl_stack_begin(stack, run_request, &taking->request);
	do {
		rl_stack_resume(stack);
		assert_false(stack->is_over);
		polls = *stack->polls;
		rl_polls_until(&polls, rl_now() + 10 * RL_MILLISECOND);
		assert_int_equal(rl_polls_wait(&polls), RL_WANTED);
	} while (proxy.struck != struck || exchange->state != state);
	drop_stack(stack);
}

static void end_taking(struct taking *taking)
{
	rl_request_end(&taking->request);
	rl_lease_free(taking->lease);
	proxy_let_go(&proxy);
	assert_status(disown(taking->owner, "another"), RL_OK);
	end_owner(taking->owner);
}

/* So many connections have run it, or are about to be asked, and say nothing. */
static void fall_silent(struct taking *taking, int stage)
{
	enum rl_exchange_state state = stage == 1 ? RL_EXCHANGE_CONNECTING : RL_EXCHANGE_AWAITING;

	begin_taking(taking);
	cut(&rl_script_acquire, stage == 2 ? 2 : 1, PROXY_HOLD);
	if (stage == 1) {
		proxy_add(
			&proxy, (struct proxy_rule){ .word = "CLIENT", .times = 1, .fault = PROXY_STALL });
	}
	take_until(taking, stage == 0 ? 1 : 2, state);
	assert_true(is_taken("job"));
	assert_int_equal(taking->request.exchange.silent.connection != NULL, stage > 0);
}

/* Nobody may ever make another call. */
static void what_is_given_up_is_undone_on_both(void **state)
{
	for (int stage = 0; stage < 3; stage++) {
		struct taking taking;

		proxy.struck = 0;
		fall_silent(&taking, stage);
		rl_request_end(&taking.request);
		await_free("job");
		assert_true(taking.take.words.call.doubt.fate_unknown);
		end_taking(&taking);
	}
}

/* They are the parent's. */
static void a_child_leaves_both_alone(void **state)
{
	for (int stage = 0; stage < 3; stage++) {
		struct taking taking;
		struct rl_grant grant;
		int how;
		pid_t child;

		proxy.struck = 0;
		fall_silent(&taking, stage);
		child = fork();
		if (child == 0) {
			rl_request_end(&taking.request);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &how, 0), child);
		assert_int_equal(how, 0);
		let_it_through(&proxy);
		assert_true(is_taken("job"));
		proxy_let_go(&proxy);
		assert_status(rl_request_run(&taking.request, &said), RL_OK);
		assert_true(rl_protocol_parse_grant(taking.request.reply, LEASE, &grant));
		assert_int_equal(grant.fence, stored_fence());
		run("DEL lock@job");
		end_taking(&taking);
	}
}

/* ---------------------------------------------------------------- releases */

/* N4 */
static void a_release_whose_answer_was_lost_was_in_time(void **state)
{
	static const char *const answers[] = { NULL, ":2\r\n", ":3\r\n", ":4\r\n" };

	for (size_t i = 0; i < COUNT(answers); i++) {
		struct rl_owner *owner = new_proxied();

		assert_status(own(owner, "job", LEASE), RL_OK);
		cut(&rl_script_release, 1, PROXY_CUT_AFTER);
		if (answers[i]) {
			/* to the second: whatever became of it since */
			answer(&rl_script_release, 1, answers[i]);
		}
		assert_status(disown(owner, "job"), RL_OK);
		assert_false(is_taken("job"));
		proxy_let_go(&proxy);
		assert_int_equal(rl_owner_stats(owner)->lost, 0);
		end_owner(owner);
	}
}

/* On another connection, as one that is sent alone. */
static void many_whose_answers_were_lost_are_sent_once_more(void **state)
{
	static const char *const names[] = { "job", "another" };
	struct rl_owner *owner = new_proxied();
	struct rl_step steps[COUNT(names)];
	struct rl_batch_item items[COUNT(names)];
	struct rl_batch batch = { .route = owner->route,
		.items = items,
		.count = COUNT(names),
		.deadline = rl_now() + 10 * RL_SECOND,
		.error = &said };

	for (size_t i = 0; i < COUNT(names); i++) {
		assert_status(own(owner, names[i], LEASE), RL_OK);
		steps[i] = (struct rl_step){ RL_STEP_EXTEND,
			.lease = (struct rl_lease *)rl_table_find(&owner->leases, rl_text_of(names[i])),
			.lease_ms = LEASE };
		items[i] = (struct rl_batch_item){ .step = &steps[i] };
	}
	cut(&rl_script_extend, 1, PROXY_CUT_AFTER);
	assert_status(rl_single_run(&batch), RL_OK);
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_true(items[i].answered);
		assert_int_equal(items[i].outcome.answer, RL_ANSWER_OURS);
		assert_true(steps[i].doubt.copy_out);
	}
	assert_int_equal(proxy.struck, 1);
	assert_int_equal(rl_owner_stats(owner)->reconnects, 1);
	end_owner(owner);
}

static void a_late_release_whose_answer_was_lost_is_not(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	expire_here(owner, "job");
	cut(&rl_script_release, 1, PROXY_CUT_AFTER);
	assert_status(disown(owner, "job"), RL_TIMED_OUT);
	assert_false(is_taken("job"));
}

static void a_release_that_never_arrived_is_repeated(void **state)
{
	static const enum proxy_fault faults[] = { PROXY_CUT_BEFORE, PROXY_CUT_AFTER };

	for (size_t i = 0; i < COUNT(faults); i++) {
		struct rl_owner *owner = new_proxied();

		assert_status(own(owner, "job", LEASE), RL_OK);
		cut(&rl_script_release, 2, faults[i]);
		assert_status(disown(owner, "job"), RL_UNREACHABLE);
		assert_status(disown(owner, "job"), RL_NO); /* after an exception it is no longer ours */
		proxy_let_go(&proxy);
		check_undone(owner);
		end_owner(owner);
	}
}

static void a_release_without_a_server_is_repeated(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	proxy_stop(&proxy);
	assert_status(disown(owner, "job"), RL_UNREACHABLE);
	assert_true(is_taken("job"));
	assert_true(proxy_start(&proxy, rig.server.folder, rig.server.socket));
	check_undone(owner);
}

/* What is no answer must not become one when it is read into fewer bits. */
static void nonsense_for_a_new_grant_is_told(void **state)
{
	static const char *const texts[] = { "*1\r\n:77\r\n", "*1\r\n:4294967299\r\n",
		"*3\r\n:4294967297\r\n$1\r\n5\r\n:5000\r\n" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct rl_owner *owner = new_proxied();
		struct rl_token token;

		assert_status(own(owner, "job", LEASE), RL_OK);
		answer(&rl_script_extend, 1, texts[i]);
		assert_status(hand_over(owner, "job", LEASE, &token), RL_UNREACHABLE);
		proxy_let_go(&proxy);
		run("DEL lock@job");
		end_owner(owner);
	}
}

/* No sum of times overflows; the sanitizer would tell. */
static void a_waiter_bounds_what_it_is_told(void **state)
{
	static const char *const numbers[] = { "9223372036854775807", "-9223372036854775808" };
	char text[200];

	assert_status(own(new_owner(), "job", LEASE), RL_OK);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		const char *n = numbers[i];
		struct rl_owner *owner = new_proxied();

		snprintf(text, sizeof text, "*3\r\n:0\r\n:%s\r\n:0\r\n", n);
		answer(&rl_script_acquire, 1000, text);
		assert_status(own_waiting(owner, "job", LEASE, RL_SECOND / 5), RL_NO);
		assert_in_range(rl_owner_stats(owner)->requests, 1, 9);
		proxy_let_go(&proxy);
		end_owner(owner);
	}
}

static void nonsense_for_a_release_is_repeated(void **state)
{
	static const char *const texts[] = { ":0\r\n:9\r\n", ":6\r\n", "$-1\r\n", "*0\r\n", "+OK\r\n" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct rl_owner *owner = new_proxied();

		assert_status(own(owner, "job", LEASE), RL_OK);
		answer(&rl_script_release, 1, texts[i]);
		assert_status(disown(owner, "job"), RL_UNREACHABLE);
		proxy_let_go(&proxy);
		check_undone(owner);
		run("FLUSHALL");
		end_owner(owner);
	}
}

/*
 * What a program writes that takes the descriptor for its own. The clock is stopped: the connection
 * was used just now, and nobody looks at it; or later, when the answer has come.
 */
static void intrude(struct rl_owner *owner, const char *text, bool answered)
{
	struct rl_server *server;
	struct rl_connection *connection = lend_for(owner->route, "lock@job", &server);
	int fd = connection->transport->fd;

	assert_true(write(fd, text, strlen(text)) > 0);
	rl_server_return(server, connection);
	if (answered) {
		assert_int_equal(poll(&(struct pollfd){ fd, POLLIN, 0 }, 1, 10000), 1);
		clock_advance(RL_MILLISECOND);
	}
}

/* The answers that come are out of step, and none must pass for that to something else. */
static void what_others_write_into_it_grants_nothing(void **state)
{
	static const struct {
		const char *text;
		enum rl_status released;
	} cases[] = { { "Hello world\r\n", RL_REFUSED }, { "Processing 7\r\n", RL_OK },
		{ "get\r\n", RL_OK }, { "SET a b\r\n", RL_UNREACHABLE },
		{ "STRLEN none\r\n", RL_UNREACHABLE } };
	struct rl_owner *other = new_owner();

	clock_stop(rl_now());
	for (size_t i = 0; i < 2 * COUNT(cases); i++) {
		struct rl_owner *owner = new_owner();
		bool answered = i >= COUNT(cases);

		assert_status(own(owner, "job", LEASE), RL_OK);
		intrude(owner, cases[i % COUNT(cases)].text, answered);
		assert_status(disown(owner, "job"), answered ? RL_OK : cases[i].released);
		assert_false(is_taken("job"));
		assert_status(own(other, "job", LEASE), RL_OK);
		assert_status(own(owner, "job", LEASE), RL_NO);
		assert_false(holds(owner, "job"));
		assert_status(disown(other, "job"), RL_OK);
		run("FLUSHALL");
		end_owner(owner);
	}
}

/* A release with a delay that is repeated keeps its delay. */
static void a_delay_outlasts_lost_answers(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	cut(&rl_script_release, 1, PROXY_CUT_AFTER);
	assert_status(disown_with_delay(owner, "job", 40000), RL_OK);
	assert_in_range(server_left("job"), 40000 - PATIENCE_MS, 40000);
}

/* ---------------------------------------------------------------- extends, looks */

/* N5 */
static void an_extend_whose_answer_was_lost_is_done(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	cut(&rl_script_extend, 1, PROXY_CUT_AFTER);
	assert_status(prolong(owner, "job", 10 * LEASE), RL_OK);
	assert_true(view(owner, "job").left > 9 * LEASE * RL_MILLISECOND);
	assert_lives(RL_KEY_LOCK, 10 * LEASE);
}

static void a_gap_is_told_though_the_first_answer_was_lost(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	expire_here(owner, "job");
	expire_on_server("job");
	cut(&rl_script_extend, 1, PROXY_CUT_AFTER);
	/* the second finds what the first has set */
	assert_status(prolong(owner, "job", LEASE), RL_TIMED_OUT);
	assert_true(said.held);
	assert_status(look(owner, "job"), RL_OK);
}

static void a_failed_reentry_changes_no_depth(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	cut(&rl_script_extend, 2, PROXY_CUT_AFTER);
	assert_status(own(owner, "job", 2 * LEASE), RL_UNREACHABLE);
	assert_int_equal(view(owner, "job").depth, 1);
	assert_true(view(owner, "job").left > 0 && view(owner, "job").left <= LEASE * RL_MILLISECOND);
	assert_status(disown(owner, "job"), RL_OK);
	assert_false(is_taken("job"));
}

static void nonsense_for_a_holder_is_told(void **state)
{
	static const char *const texts[] = { ":1\r\n", "*3\r\n$-1\r\n:1\r\n$-1\r\n",
		"*4\r\n$-1\r\n$1\r\n5\r\n$-1\r\n:0\r\n", "*4\r\n$-1\r\n:5\r\n$-1\r\n$-1\r\n" };
	struct rl_owner *owner = new_proxied();
	struct rl_holder holder;

	assert_status(own(owner, "job", LEASE), RL_OK);
	for (size_t i = 0; i < COUNT(texts); i++) {
		answer(&rl_script_inspect, 1, texts[i]);
		assert_status(rl_owner_holder(owner, NAME("job"), &holder, &said), RL_UNREACHABLE);
		proxy_let_go(&proxy);
	}
	assert_status(look(owner, "job"), RL_OK);
}

/* ---------------------------------------------------------------- the script cache */

/* S1 */
static void a_flushed_script_cache_is_not_noticed(void **state)
{
	struct rl_owner *owner = new_owner(), *other = new_owner();
	struct rl_holder holder;
	struct rl_token token;

	run("SCRIPT FLUSH");
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(own(owner, "job", LEASE), RL_OK);
	run("SCRIPT FLUSH");
	assert_status(prolong(owner, "job", LEASE), RL_OK);
	assert_status(look(owner, "job"), RL_OK);
	run("SCRIPT FLUSH");
	assert_status(rl_owner_holder(owner, NAME("job"), &holder, &said), RL_OK);
	rl_owner_holder_clear(&holder);
	assert_status(hand_over(owner, "job", 0, &token), RL_OK);
	run("SCRIPT FLUSH");
	assert_status(adopt(other, "job", &token, 0), RL_OK);
	rl_token_free(&token);
	assert_status(disown(other, "job"), RL_OK);
	assert_status(own(other, "job", LEASE), RL_OK);
	run("SCRIPT FLUSH");
	assert_status(break_it(owner, "job"), RL_OK);
	run("SCRIPT FLUSH");
	assert_status(disown(other, "job"), RL_LOST);
	assert_int_equal(rl_owner_stats(owner)->reconnects, 0);
}

/* ---------------------------------------------------------------- connections */

/* N7, S13 */
static void a_dead_connection_is_replaced(void **state)
{
	struct rl_owner *owner = new_owner();

	assert_status(own(owner, "job", LEASE), RL_OK);
	run("CLIENT KILL TYPE normal SKIPME yes");
	assert_status(look(owner, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(owner)->reconnects, 1);
	assert_status(disown(owner, "job"), RL_OK);
}

/* S13 in the worst moment: it is found dead only when it is used. */
static void a_connection_that_dies_under_a_request_is_replaced(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	cut(&rl_script_extend, 1, PROXY_CUT_BEFORE);
	assert_status(look(owner, "job"), RL_OK);
	assert_int_equal(rl_owner_stats(owner)->reconnects, 1);
}

/*
 * A server or a proxy that allows no BLPOP, and says so by closing: pauses keep it from being
 * flooded.
 */
static void pauses_grow_while_the_server_ends_connections(void **state)
{
	struct rl_owner *owner = new_proxied();
	unsigned connections;

	run("SET lock@job foreign PX 60000");
	proxy_add(
		&proxy, (struct proxy_rule){ .word = "BLPOP", .times = 100000, .fault = PROXY_CUT_BEFORE });
	assert_status(own_waiting(owner, "job", LEASE, 2 * RL_SECOND), RL_NO);
	connections = proxy.connections;
	/* 0, 10, 20, 40, 80, 160, 320, 640, 1000 ms; each may be half as long. */
	if (connections < 5 || connections > 15) {
		fail_msg("%u connections", connections);
	}
	proxy_let_go(&proxy);
	run("DEL lock@job");
	assert_status(own(owner, "job", LEASE), RL_OK); /* and no later than a call may take */
}

/* N7: all connections are ended again and again, but each has worked before. */
static void connections_that_have_worked_are_replaced_at_once(void **state)
{
	struct rl_owner *owner = new_proxied();
	struct prompt_moment before = prompt_now();

	for (int i = 0; i < 12; i++) {
		assert_status(own(owner, "job", LEASE), RL_OK);
		assert_status(disown(owner, "job"), RL_OK);
		proxy_cut(&proxy);
	}
	expect_soon(prompt_since(before), 500 * RL_MILLISECOND); /* pauses would add up to more */
}

/* ---------------------------------------------------------------- refusals */

/* S6: a managed server fails over by its name, and the old master lives on as a replica. */
static void a_name_leads_to_the_new_master(void **state)
{
	static const char *const old[] = { "127.0.0.1", NULL }, *const new[] = { "127.0.0.2", NULL };
	struct throwaway first, second;
	struct rl_owner *owner;
	redisContext *redis;
	char address[96], port[16];
	const char *const arguments[] = { "--bind", "127.0.0.2", "--port", port, NULL };

	assert_true(throwaway_start(&first, true, NULL));
	snprintf(port, sizeof port, "%d", first.port);
	assert_true(throwaway_start(&second, false, arguments));
	snprintf(address, sizeof address, "redis://locks.example:%d", first.port);
	owner = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
	faults_resolve(old);
	assert_status(own(owner, "job", LEASE), RL_OK);
	redis = redisConnectUnix(first.socket);
	freeReplyObject(redisCommand(redis, "REPLICAOF 127.0.0.1 1"));
	owner->route->timeout = 300 * RL_MILLISECOND;
	assert_status(own(owner, "other", LEASE), RL_REFUSED);
	assert_string_equal(said.code, "READONLY");
	assert_null(strstr(said.message, "give the address of its master"));
	owner->route->timeout = 5 * RL_SECOND;
	faults_resolve(new);
	assert_status(own(owner, "other", LEASE), RL_OK);
	assert_status(disown(owner, "other"), RL_OK);
	assert_status(disown(owner, "job"), RL_LOST); /* the write was lost */
	faults_resolve(NULL);
	redisFree(redis);
	throwaway_stop(&first);
	throwaway_stop(&second);
}

/* S2, S6, S8, T2, T3 */
static void passing_refusals_are_ridden_out(void **state)
{
	static const char *const texts[] = { "BUSY Redis is busy", "LOADING Redis is loading",
		"MASTERDOWN Link down", "NOREPLICAS Not enough", "READONLY You can't write",
		"TRYAGAIN Multiple keys", "CLUSTERDOWN The cluster is down" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct rl_owner *owner;
		char text[64], code[16];
		struct prompt_moment before;
		struct prompt_time took;

		snprintf(text, sizeof text, "-%s\r\n", texts[i]);
		snprintf(code, sizeof code, "%.*s", (int)strcspn(texts[i], " "), texts[i]);
		owner = new_proxied();
		answer(&rl_script_acquire, 5, text);
		assert_status(own(owner, "job", LEASE), RL_OK);
		assert_status(disown(owner, "job"), RL_OK);
		proxy_let_go(&proxy);

		owner->route->timeout = 700 * RL_MILLISECOND;
		answer(&rl_script_acquire, 1000, text);
		before = prompt_now();
		assert_status(own(owner, "job", LEASE), RL_REFUSED);
		took = prompt_since(before);
		assert_true(took.took > 600 * RL_MILLISECOND);
		expect_soon(took, 700 * RL_MILLISECOND + A_MOMENT);
		assert_string_equal(said.code, code);
		assert_non_null(strstr(said.message, texts[i]));
		proxy_let_go(&proxy);
		end_owner(owner);
	}
}

/* S3, S5, A2 */
static void other_refusals_are_told_at_once(void **state)
{
	static const char *const texts[] = { "OOM command not allowed", "MISCONF Redis is configured",
		"NOPERM this user", "ERR no" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct rl_owner *owner = new_proxied();
		char text[64];

		snprintf(text, sizeof text, "-%s\r\n", texts[i]);
		answer(&rl_script_acquire, 1000, text);
		assert_status(own(owner, "job", LEASE), RL_REFUSED);
		assert_int_equal(strncmp(said.code, texts[i], strlen(said.code)), 0);
		assert_int_equal(proxy.struck, i + 1);
		assert_int_equal(rl_owner_stats(owner)->requests, 1);
		proxy_let_go(&proxy);
		end_owner(owner);
	}
}

/*
 * A2, S5, S6, S8: what is refused and could be done a moment later is done at the next contact,
 * with its delay.
 */
static void a_release_that_was_refused_is_repeated(void **state)
{
	static const char *const texts[] = { "-NOPERM this user\r\n",
		"-MISCONF Redis is configured\r\n", "-READONLY You can't write\r\n",
		"-NOREPLICAS Not enough\r\n" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct rl_owner *owner = new_proxied();

		owner->route->timeout = 300 * RL_MILLISECOND;
		assert_status(own(owner, "job", LEASE), RL_OK);
		answer(&rl_script_release, 1000, texts[i]);
		assert_status(disown_with_delay(owner, "job", LEASE), RL_REFUSED);
		assert_non_null(strstr(said.message, "next contact"));
		assert_status(disown(owner, "job"), RL_NO); /* after an exception it is no longer ours */
		assert_true(is_taken("job"));
		owner->route->timeout = 5 * RL_SECOND;
		proxy_let_go(&proxy);
		assert_status(own(owner, "another", LEASE), RL_OK);
		assert_true(is_taken("job"));
		assert_status(own(owner, "job", LEASE), RL_NO); /* it is the delay */
		run("DEL lock@job lock@another");
		end_owner(owner);
	}
}

static void one_that_was_refused_is_repeated_at_the_owners_end(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(owner, "job", LEASE), RL_OK);
	answer(&rl_script_release, 1000, "-NOPERM this user\r\n");
	assert_status(disown(owner, "job"), RL_REFUSED);
	proxy_let_go(&proxy);
	assert_true(is_taken("job"));
	assert_int_equal(disown_all(owner).failed, 0);
	assert_false(is_taken("job"));
}

/* S14 */
static void too_many_clients_pass(void **state)
{
	struct rl_owner *owner = new_proxied();

	proxy_add(&proxy,
		(struct proxy_rule){ .word = "CLIENT",
			.times = 3,
			.fault = PROXY_ANSWER,
			.answer = "-ERR max number of clients reached\r\n" });
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_int_equal(proxy.struck, 3);
}

/* ---------------------------------------------------------------- what INFO says */

static enum rl_status first_contact(const char *server_info)
{
	static char text[256];
	struct rl_owner *owner = new_proxied();
	enum rl_status status;

	snprintf(text, sizeof text, "$%zu\r\n%s\r\n", strlen(server_info), server_info);
	proxy_add(&proxy,
		(struct proxy_rule){ .word = "INFO", .times = 1, .fault = PROXY_ANSWER, .answer = text });
	status = own(owner, "job", LEASE);
	if (status == RL_OK) {
		assert_status(disown(owner, "job"), RL_OK);
	}
	proxy_let_go(&proxy);
	end_owner(owner);
	return status;
}

/* S18 */
static void too_old_a_server_is_refused(void **state)
{
	static const char *const old[] = { "redis_version:6.0.16\r\n",
		"# Server\r\nredis_version:5.0.14\r\nredis_mode:x\r\n", "redis_version:2.8.19",
		"redis_version:6.1.240\r\n" };
	static const char *const new[] = { "redis_version:6.2.0\r\n", "redis_version:7.0.15\r\n",
		"redis_version:255.255.255\r\n", "", "redis_version:\r\n", "redis_version:unknown\r\n",
		"xredis_version:5.0\r\n", "redis_git_sha1:0\r\n" };

	for (size_t i = 0; i < COUNT(old); i++) {
		assert_status(first_contact(old[i]), RL_REFUSED);
		assert_non_null(strstr(said.message, "6.2"));
		assert_non_null(strstr(said.message, "proxy.sock"));
	}
	for (size_t i = 0; i < COUNT(new); i++) {
		assert_status(first_contact(new[i]), RL_OK);
	}
}

static void without_scripting_it_is_told_at_once(void **state)
{
	struct rl_owner *owner;
	char address[160];

	redisFree(rig_connect_as("scriptless", "+@all -eval -evalsha"));
	snprintf(address, sizeof address, "%s?user=scriptless&password=x", rig.server.address);
	owner = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
	assert_status(own_waiting(owner, "job", LEASE, 10 * RL_SECOND), RL_REFUSED);
	assert_string_equal(said.code, "NOPERM");
	assert_int_equal(rl_owner_stats(owner)->requests, 1);
}

/* As Valkey 9.1 says it, where Lua is a module. */
static void without_lua_it_is_told_what_to_do(void **state)
{
	struct rl_owner *owner = new_proxied();

	proxy_add(&proxy,
		(struct proxy_rule){ .word = "EVALSHA",
			.times = 10,
			.fault = PROXY_ANSWER,
			.answer = "-NOSCRIPT No matching script.\r\n" });
	proxy_add(&proxy,
		(struct proxy_rule){ .word = "EVAL",
			.times = 10,
			.fault = PROXY_ANSWER,
			.answer = "-ERR Could not find scripting engine 'lua'\r\n" });
	assert_status(own_waiting(owner, "job", LEASE, 10 * RL_SECOND), RL_REFUSED);
	assert_string_equal(said.code, "ERR");
	assert_non_null(strstr(said.message, "proxy.sock"));
	assert_non_null(strstr(said.message, "Could not find scripting engine 'lua'"));
	assert_non_null(strstr(said.message, "loadmodule"));
	proxy_let_go(&proxy);
	end_owner(owner);
}

static void without_info_and_setname_it_works(void **state)
{
	struct rl_owner *owner;
	char address[160];

	redisFree(rig_connect_as("modest", "+@all -info -client"));
	snprintf(address, sizeof address, "%s?user=modest&password=x", rig.server.address);
	owner = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_null(rl_owner_evicting_once(owner));
	assert_status(disown(owner, "job"), RL_OK);
}

/* A4 */
static void a_server_that_may_evict_locks_is_told_of_once(void **state)
{
	static const struct {
		const char *memory, *policy;
		bool evicts;
	} cases[] = { { "0", "allkeys-lru", false }, { "100mb", "noeviction", false },
		{ "100mb", "allkeys-lru", true }, { "100mb", "volatile-ttl", true } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rl_owner *owner = new_owner();
		const char *name;

		run("CONFIG SET maxmemory %s maxmemory-policy %s", cases[i].memory, cases[i].policy);
		assert_null(rl_owner_evicting_once(owner)); /* nothing was asked yet */
		assert_status(own(owner, "job", LEASE), RL_OK);
		name = rl_owner_evicting_once(owner);
		assert_int_equal(name != NULL, cases[i].evicts);
		if (name) {
			assert_string_equal(name, rig.server.socket);
		}
		assert_status(disown(owner, "job"), RL_OK);
		run("CLIENT KILL TYPE normal SKIPME yes");
		assert_status(own(owner, "job", LEASE), RL_OK);
		assert_null(rl_owner_evicting_once(owner));
		assert_status(disown(owner, "job"), RL_OK);
	}
	run("CONFIG SET maxmemory 0 maxmemory-policy noeviction");
}

/* The server's word on its append-only file, and what it means. */
static void a_durable_lock_counts_once_it_is_on_disk(void **state)
{
	static const struct {
		const char *answer, *code; /* NULL: it counts */
		int replicas;
	} cases[] = { { "*2\r\n:1\r\n:0\r\n", NULL, 0 }, { "*2\r\n:1\r\n:2\r\n", NULL, 2 },
		{ "*2\r\n:0\r\n:0\r\n", "NOREPLICAS", 0 }, { "*2\r\n:0\r\n:2\r\n", "NOREPLICAS", 2 },
		{ "*2\r\n:1\r\n:1\r\n", "NOREPLICAS", 2 },
		{ "-ERR unknown command 'WAITAOF', with args beginning with: \r\n", "NOAOF", 0 },
		{ "-ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.\r\n", "NOAOF",
			0 },
		{ "-NOPERM User shop has no permissions to run the 'waitaof' command\r\n", "NOPERM", 0 } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rl_owner *owner = new_proxied();

		owner->route->durable = true;
		owner->route->replicas = cases[i].replicas;
		proxy_add(&proxy,
			(struct proxy_rule){
				.word = "WAITAOF",
				.times = 100,
				.fault = PROXY_ANSWER,
				.answer = cases[i].answer });
		assert_status(own(owner, "job", LEASE), cases[i].code ? RL_REFUSED : RL_OK);
		assert_string_equal(cases[i].code ? said.code : "", cases[i].code ? cases[i].code : "");
		assert_int_equal(holds(owner, "job"), !cases[i].code);
		if (cases[i].code) {
			await_free("job");
		} else {
			assert_status(disown(owner, "job"), RL_OK);
		}
		end_owner(owner);
		proxy_let_go(&proxy);
	}
}

int test_call(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	const struct CMUnitTest tests[] = {
		test(a_take_whose_answer_was_lost_is_the_same_grant),
		test(a_call_that_is_cut_off_is_tried_again_until_its_deadline),
		test(a_take_that_stays_lost_is_undone),
		test(a_take_that_stays_lost_is_undone_at_the_owners_end),
		test(a_take_that_never_arrived_leaves_nothing),
		test(nonsense_for_a_grant_is_undone),
		test(a_fence_below_the_clock_is_no_grant),
		test(what_answers_a_release_is_no_grant),
		test(a_frozen_server_is_left_at_the_deadline_and_undoes),
		cmocka_unit_test_setup_teardown(
			what_is_to_be_undone_does_not_prolong_a_call, owners_reset, owners_clean),
		test(what_is_to_be_undone_goes_before_any_request),
		test(what_is_given_up_is_undone_on_both),
		test(a_child_leaves_both_alone),
		test(a_release_whose_answer_was_lost_was_in_time),
		test(many_whose_answers_were_lost_are_sent_once_more),
		test(a_late_release_whose_answer_was_lost_is_not),
		test(a_release_that_never_arrived_is_repeated),
		test(a_release_without_a_server_is_repeated),
		test(nonsense_for_a_new_grant_is_told),
		test(a_waiter_bounds_what_it_is_told),
		test(nonsense_for_a_release_is_repeated),
		test(what_others_write_into_it_grants_nothing),
		test(a_delay_outlasts_lost_answers),
		test(an_extend_whose_answer_was_lost_is_done),
		test(a_gap_is_told_though_the_first_answer_was_lost),
		test(a_failed_reentry_changes_no_depth),
		test(nonsense_for_a_holder_is_told),
		test(a_flushed_script_cache_is_not_noticed),
		test(a_dead_connection_is_replaced),
		test(a_connection_that_dies_under_a_request_is_replaced),
		test(passing_refusals_are_ridden_out),
		test(other_refusals_are_told_at_once),
		test(a_release_that_was_refused_is_repeated),
		test(one_that_was_refused_is_repeated_at_the_owners_end),
		test(a_name_leads_to_the_new_master),
		test(pauses_grow_while_the_server_ends_connections),
		test(connections_that_have_worked_are_replaced_at_once),
		test(too_many_clients_pass),
		test(too_old_a_server_is_refused),
		test(without_scripting_it_is_told_at_once),
		test(without_lua_it_is_told_what_to_do),
		test(without_info_and_setname_it_works),
		test(a_server_that_may_evict_locks_is_told_of_once),
		test(a_durable_lock_counts_once_it_is_on_disk),
	};

	return cmocka_run_group_tests_name("call", tests, rig_start, rig_stop);
}
