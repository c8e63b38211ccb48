/*
 * Waiting: how a lock reaches who waits, in which order, and what ends a wait. One thread plays
 * all parts: what others do meanwhile is done in the waiter's hook, which first runs when the
 * waiter is parked.
 */
#include "owner_rig.h"
#include "hostile.h"
#include "prompt.h"
#include "stack.h"
#include "steps.h"

#include "lock/acquire/wait.h"
#include "lock/owner/internal.h"
#include "lock/protocol.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* What happens in a wait, and what it may need. */
struct scene {
	struct rl_owner *holder, *waiter;
	redisContext *other;
	void (*act)(struct scene *scene); /* once, as soon as the waiter is parked */
	bool stop;                        /* the hook's word after that */
	bool delays;                      /* the act's release has a delay */
	rl_time later;
	int runs;
	enum rl_status inner;
	pid_t child;
};
static struct scene scene;

static bool play(void *context)
{
	if (scene.runs++ == 0 && scene.act) {
		scene.act(&scene);
	}
	return !scene.stop;
}

/* The holder has the lock, and the waiter none yet. */
static void set_scene_at(const char *address, void (*act)(struct scene *scene))
{
	scene = (struct scene){ .holder = new_owner(), .act = act };
	scene.waiter = new_owner_at(address, (struct rl_wait_hook){ .run = play });
	assert_status(own(scene.holder, "job", LEASE), RL_OK);
}

static void set_scene(void (*act)(struct scene *scene))
{
	set_scene_at(rig.server.address, act);
}

static struct prompt_time timed_wait(rl_time wait, enum rl_status expected)
{
	struct prompt_moment before = prompt_now();

	assert_status(own_waiting(scene.waiter, "job", LEASE, wait), expected);
	return prompt_since(before);
}

/*
 * The clock moves only while somebody waits: however long it takes to ask, there is time left to
 * park.
 */
static void exact_wait(rl_time wait, enum rl_status expected)
{
	clock_stop(rl_now());
	assert_status(own_waiting(scene.waiter, "job", LEASE, wait), expected);
	clock_reset();
}

/* ---------------------------------------------------------------- how it comes */

static void holder_gives_back(struct scene *scene)
{
	await_parked(1);
	assert_status(disown(scene->holder, "job"), RL_OK);
}

static void a_release_hands_over(void **state)
{
	int64_t fence;
	struct prompt_time took;

	set_scene(holder_gives_back);
	fence = view(scene.holder, "job").fence;
	took = timed_wait(10 * RL_SECOND, RL_OK);
	expect_soon(took, 900 * RL_MILLISECOND); /* woken, not found by the safety net */
	assert_true(view(scene.waiter, "job").fence > fence);
	assert_int_equal(view(scene.waiter, "job").fence, stored_fence());
	assert_in_range(view(scene.waiter, "job").left, (LEASE - PATIENCE_MS) * RL_MILLISECOND,
		LEASE * RL_MILLISECOND);
	assert_lives(RL_KEY_LOCK, LEASE);
	assert_int_equal(rl_owner_stats(scene.waiter)->waits, 1);
	assert_true(rl_owner_stats(scene.waiter)->waited > 0);
	assert_int_equal(rl_owner_stats(scene.waiter)->requests, 3); /* ask, park, claim */
	assert_int_equal(rl_owner_stats(scene.waiter)->reconnects, 0);
	assert_status(look(scene.waiter, "job"), RL_OK);
	assert_status(disown(scene.waiter, "job"), RL_OK);
}

static void first_is_served_first(struct scene *scene)
{
	struct word baton;

	await_parked(2);
	assert_status(disown(scene->holder, "job"), RL_OK);
	baton = read_word(scene->other);
	await_parked(1); /* nobody else was told */
	pass_on(baton);
}

static void waiters_are_served_in_order(void **state)
{
	set_scene(first_is_served_first);
	scene.other = park();
	expect_soon(timed_wait(10 * RL_SECOND, RL_OK), 900 * RL_MILLISECOND);
	redisFree(scene.other);
}

static void a_lease_that_ends_lets_in(void **state)
{
	struct prompt_moment before;
	struct prompt_time took;

	set_scene(NULL);
	before = prompt_now();
	run("PEXPIRE lock@job 200");
	timed_wait(10 * RL_SECOND, RL_OK);
	took = prompt_since(before);
	assert_true(took.took > 150 * RL_MILLISECOND);
	expect_soon(took, 200 * RL_MILLISECOND + A_MOMENT);
}

static void key_is_deleted(struct scene *scene)
{
	await_parked(1);
	run("DEL lock@job");
}

static void the_net_asks_beside_the_parked_connection(void **state)
{
	struct prompt_time took;

	set_scene_at(proxy.address, key_is_deleted);
	took = timed_wait(10 * RL_SECOND, RL_OK);
	assert_true(took.took > 900 * RL_MILLISECOND);
	expect_soon(took, 1100 * RL_MILLISECOND + A_MOMENT);
	assert_int_equal(proxy.connections, 2);
	await_parked(0);
	assert_status(disown(scene.waiter, "job"), RL_OK);
}

static void flag_is_lost(struct scene *scene)
{
	await_parked(1);
	run("DEL %b", KEY(RL_KEY_WAITING));
	assert_status(disown(scene->holder, "job"), RL_OK);
	assert_false(is_taken("job"));
}

static void the_net_catches_a_lost_flag(void **state)
{
	set_scene(flag_is_lost);
	expect_soon(timed_wait(10 * RL_SECOND, RL_OK), 1100 * RL_MILLISECOND + A_MOMENT);
}

/* So the place of its next wait has no end of its own. */
static void open_connections(struct rl_owner *owner, size_t count)
{
	struct rl_loan loans[2] = { { .connect_timeout = RL_SECOND, .deadline = RL_FOREVER } };
	struct rl_server *server;

	loans[1] = loans[0];
	assert_status(rl_route_locate(
					  owner->route, (struct rl_text){ "job", 3 }, RL_FOREVER, &server, &said),
		RL_OK);
	for (size_t i = 0; i < count; i++) {
		assert_status(borrow_within(server, &loans[i], &said), RL_OK);
	}
	for (size_t i = 0; i < count; i++) {
		rl_server_return(server, loans[i].connection);
	}
}

/* When the waiter has asked: its clock moves there and nowhere else. */
static rl_time asked_at[7];

static bool note_ask(void *context)
{
	if (scene.runs == 0 || asked_at[scene.runs - 1] != rl_now()) {
		asked_at[scene.runs++] = rl_now();
	}
	return (size_t)scene.runs < COUNT(asked_at);
}

static void note_asks(const char *address)
{

	scene.runs = 0;
	scene.waiter = new_owner_at(
		address, (struct rl_wait_hook){ .run = note_ask, .interval = LEASE * RL_MILLISECOND });
	open_connections(scene.waiter, 2);
	clock_stop(rl_now());
	assert_status(own_waiting(scene.waiter, "job", LEASE, LEASE * RL_MILLISECOND), RL_INTERRUPTED);
	clock_reset();
}

static void check_pauses(const char *address, int64_t least_ms, int64_t most_ms)
{
	bool differ = false;

	note_asks(address);
	for (size_t i = 1; i < COUNT(asked_at); i++) {
		rl_time pause = asked_at[i] - asked_at[i - 1];

		assert_in_range(pause, least_ms * RL_MILLISECOND, most_ms * RL_MILLISECOND);
		differ |= pause != asked_at[1] - asked_at[0];
	}
	assert_true(differ);
}

/*
 * Each time it has been parked for twice as long, give or take the jitter; and no longer than 8 s
 * after the last ask.
 */
static void asks_grow_rarer(void **state)
{
	rl_time before = 0;

	set_scene(NULL);
	note_asks(rig.server.address);
	for (size_t i = 1; i < COUNT(asked_at); i++) {
		rl_time parked = asked_at[i] - asked_at[0];
		rl_time pause = i == 1 ? RL_SECOND : rl_time_earlier(before, 8 * RL_SECOND);

		assert_in_range(parked, before + pause + 1, before + pause + 100 * RL_MILLISECOND);
		before = parked;
	}
	assert_true(before > 24 * RL_SECOND);
}

/* So those that have come together do not ask together for ever. */
static void no_two_pauses_between_asks_are_alike(void **state)
{
	char unblocking[160];

	set_scene(NULL);
	redisFree(rig_connect_as("unblocking", "+@all -blpop"));
	snprintf(unblocking, sizeof unblocking, "%s?user=unblocking&password=x", rig.server.address);
	check_pauses(unblocking, 50, 100);
	/* Until the lease is over: that it is, the server knows a millisecond later. */
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_acquire,
			.times = 1000,
			.fault = PROXY_ANSWER,
			.answer = "*2\r\n:0\r\n:200\r\n" });
	check_pauses(proxy.address, 201, 204);
}

static void connections_are_killed(struct scene *scene)
{
	await_parked(1);
	run("CLIENT KILL TYPE normal SKIPME yes");
	assert_status(disown(scene->holder, "job"), RL_OK);
}

static void a_parked_connection_that_is_killed_is_replaced(void **state)
{
	set_scene(connections_are_killed);
	expect_soon(timed_wait(10 * RL_SECOND, RL_OK), 900 * RL_MILLISECOND + A_MOMENT);
}

/* Something else in the list than a baton: the first run pushes it, the second releases. */
static void junk_is_pushed(struct scene *scene)
{
	await_parked(1);
	run("RPUSH %b junk ~0123", KEY(RL_KEY_WAKE));
	scene->act = holder_gives_back;
	scene->runs = 0;
}

static void junk_in_the_list_is_no_baton(void **state)
{
	set_scene(junk_is_pushed);
	expect_soon(timed_wait(10 * RL_SECOND, RL_OK), 1100 * RL_MILLISECOND + A_MOMENT);
	assert_status(look(scene.waiter, "job"), RL_OK);
}

/* S17 */
static void without_blocking_commands_it_polls(void **state)
{
	char address[160];
	struct prompt_moment before;
	struct prompt_time took;
	rl_time requests;

	redisFree(rig_connect_as("unblocking", "+@all -blpop"));
	snprintf(address, sizeof address, "%s?user=unblocking&password=x", rig.server.address);
	scene = (struct scene){ .holder = new_owner(),
		.waiter = new_owner_at(address, (struct rl_wait_hook){ .run = NULL }) };
	assert_status(own(scene.holder, "job", LEASE), RL_OK);
	took = timed_wait(900 * RL_MILLISECOND, RL_NO);
	assert_true(took.took >= 900 * RL_MILLISECOND);
	expect_soon(took, 900 * RL_MILLISECOND + A_MOMENT);
	requests = (rl_time)rl_owner_stats(scene.waiter)->requests;
	/* every 50 to 100 ms */
	assert_true(requests <= 24 && requests + took.excused / (100 * RL_MILLISECOND) >= 5);
	before = prompt_now();
	run("PEXPIRE lock@job 400");
	timed_wait(10 * RL_SECOND, RL_OK);
	took = prompt_since(before);
	assert_true(took.took > 300 * RL_MILLISECOND);
	expect_soon(took, 400 * RL_MILLISECOND + A_MOMENT);
}

/* ---------------------------------------------------------------- without a second connection */

/* For nobody else than those that are there. */
static void server_is_full(void)
{
	run("CONFIG SET maxclients 1");
}

static void flag_is_lost_and_given_back(struct scene *scene)
{
	await_parked(1);
	run("DEL %b", KEY(RL_KEY_WAITING));
	assert_status(disown(scene->holder, "job"), RL_OK);
	assert_false(is_taken("job"));
}

/* It asks where it was parked. */
static void a_waiter_without_a_second_connection_comes_back(void **state)
{
	set_scene(flag_is_lost_and_given_back);
	open_connections(scene.waiter, 1);
	server_is_full();
	expect_soon(timed_wait(20 * RL_SECOND, RL_OK), 8 * RL_SECOND + A_MOMENT);
}

static int server_counts(const char *what)
{
	redisReply *reply = command(rig.redis, "INFO");
	int count = atoi(strstr(reply->str, what) + strlen(what));

	freeReplyObject(reply);
	return count;
}

static int connections_before;

static void connected_twice_and_given_back(struct scene *scene)
{
	await_parked(1);
	assert_int_equal(server_counts("connected_clients:"), connections_before + 1);
	holder_gives_back(scene);
}

/* The other one is there before it parks, so that its place need not end before the wait does. */
static void a_long_wait_opens_a_second_connection(void **state)
{
	set_scene(connected_twice_and_given_back);
	open_connections(scene.waiter, 1);
	connections_before = server_counts("connected_clients:");
	timed_wait(20 * RL_SECOND, RL_OK);
}

static int rejected;

static void rejected_and_given_back(struct scene *scene)
{
	if (server_counts("rejected_connections:") > rejected) {
		holder_gives_back(scene);
	} else {
		scene->runs = 0; /* it has not asked beside yet */
	}
}

static void asks_once(struct scene *scene)
{
	await_parked(1);
	assert_true(number("PTTL %b", KEY(RL_KEY_WAITING)) > 8500); /* until after it has come back */
	rejected = server_counts("rejected_connections:");
	clock_advance(11 * RL_SECOND / 10);
	scene->act = rejected_and_given_back;
	scene->runs = 0;
}

/* And hears meanwhile what comes: no ask beside tries on and on. */
static void a_waiter_without_a_second_connection_is_woken(void **state)
{
	set_scene(asks_once);
	open_connections(scene.waiter, 1);
	server_is_full();
	expect_soon(timed_wait(20 * RL_SECOND, RL_OK), 900 * RL_MILLISECOND);
}

static void second_is_lost_and_the_password_changed(struct scene *scene)
{
	struct rl_server *server;

	await_parked(1);
	assert_status(rl_route_locate(scene->waiter->route,
					  (struct rl_text){ "job", 3 }, RL_FOREVER, &server, &said),
		RL_OK);
	rl_server_drop_idle(server);
	run("ACL SETUSER rotated resetpass >y");
	clock_advance(11 * RL_SECOND / 10);
}

/* Such a place would never be left again, and nothing would say so. */
static void a_place_without_an_end_needs_a_second_connection(void **state)
{
	char address[160];

	redisFree(rig_connect_as("rotated", "+@all"));
	snprintf(address, sizeof address, "%s?user=rotated&password=x", rig.server.address);
	set_scene_at(address, second_is_lost_and_the_password_changed);
	open_connections(scene.waiter, 2);
	expect_soon(timed_wait(20 * RL_SECOND, RL_REFUSED), A_MOMENT);
	assert_string_equal(said.code, "WRONGPASS");
}

static void password_was_refused(struct scene *scene)
{
	redisReply *log = command(rig.redis, "ACL LOG");

	if (log->elements > 0) {
		holder_gives_back(scene);
	} else {
		scene->runs = 0; /* it has not asked beside yet */
	}
	freeReplyObject(log);
}

static void asks_with_the_old_password(struct scene *scene)
{
	await_parked(1);
	run("ACL LOG RESET");
	clock_advance(11 * RL_SECOND / 10);
	scene->act = password_was_refused;
	scene->runs = 0;
}

static void a_place_that_ends_by_itself_needs_none(void **state)
{
	char address[160];

	redisFree(rig_connect_as("rotated", "+@all"));
	snprintf(address, sizeof address, "%s?user=rotated&password=x", rig.server.address);
	set_scene_at(address, asks_with_the_old_password);
	open_connections(scene.waiter, 1);
	run("ACL SETUSER rotated resetpass >y");
	expect_soon(timed_wait(20 * RL_SECOND, RL_OK), 900 * RL_MILLISECOND);
}

/* ---------------------------------------------------------------- how it ends */

static void nobody_gets_in(struct scene *scene)
{
	await_parked(1);
}

/* The server would end a BLPOP by itself only when it next looks: ten times, or once, a second. */
/*
 * How much later than `wait` a wait that is nothing else ends, and a request after it: what the
 * machine can do just now.
 */
static rl_time machine_is_late(rl_time wait)
{
	rl_time before = clock_real();

	rl_poll(NULL, 0, rl_now() + wait);
	run("PING");
	return clock_real() - before - wait;
}

/*
 * The server looks at those that it has parked `hz` times a second: it is not its clock that
 * counts.
 */
/*
 * What the server says goes on as soon as the waiter leaves the queue: it has asked and parked
 * before.
 */
static void *let_go_at_the_end(void *unused)
{
	(void)unused;
	for (int tries = 0; rl_owner_stats(scene.waiter)->requests < 3 && tries < 10000; tries++) {
		pause_a_moment();
	}
	proxy_let_go(&proxy);
	return NULL;
}

static void a_lock_that_comes_at_the_very_end_is_ours(void **state)
{
	pthread_t thread;

	set_scene_at(proxy.address, holder_gives_back);
	proxy_add(&proxy, (struct proxy_rule){ .word = "BLPOP", .times = 1, .fault = PROXY_HOLD });
	assert_int_equal(pthread_create(&thread, NULL, let_go_at_the_end, NULL), 0);
	exact_wait(200 * RL_MILLISECOND, RL_OK);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_status(disown(scene.waiter, "job"), RL_OK);
}

static void *let_go_later(void *unused)
{
	(void)unused;
	nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	proxy_let_go(&proxy);
	return NULL;
}

/* It would have another timeout for parking, and another for the last ask. */
static void a_wait_that_was_over_before_it_was_answered_asks_no_more(void **state)
{
	uint64_t before;
	pthread_t thread;

	set_scene_at(proxy.address, NULL);
	before = rl_owner_stats(scene.waiter)->requests;
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_acquire, .times = 1, .fault = PROXY_HOLD });
	assert_int_equal(pthread_create(&thread, NULL, let_go_later, NULL), 0);
	assert_status(own_waiting(scene.waiter, "job", LEASE, 20 * RL_MILLISECOND), RL_NO);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(rl_owner_stats(scene.waiter)->requests - before, 1);
}

static void a_wait_ends_on_time(void **state)
{
	static const int hz[] = { 10, 1 };

	for (size_t i = 0; i < COUNT(hz); i++) {
		int late = 0;

		run("CONFIG SET hz %d", hz[i]);
		set_scene(nobody_gets_in);
		for (int round = 0; round < 5; round++) {
			rl_time wait = (100 + 30 * round) * RL_MILLISECOND, took = timed_wait(wait, RL_NO).took;

			assert_true(took >= wait);
			/* some requests end it */
			late += took > wait + 30 * RL_MILLISECOND + 4 * machine_is_late(wait);
			await_parked(0);
		}
		assert_true(late < 3);
		assert_status(disown(scene.holder, "job"), RL_OK);
		run("DEL %b", KEY(RL_KEY_WAITING));
	}
	run("CONFIG SET hz 10");
}

static void fail_fast_gives_up_at_once(void **state)
{
	struct rl_acquire terms = {
		.lease_ms = LEASE, .wait = 20 * RL_SECOND, .policy = RL_POLICY_FAIL_FAST
	};
	rl_time before = clock_real();

	set_scene(NULL);
	assert_status(own_with(scene.waiter, "job", &terms), RL_NO);
	run("PERSIST lock@job"); /* for ever is longer than anything */
	assert_status(own_with(scene.waiter, "job", &terms), RL_NO);
	assert_true(clock_real() - before < 5 * RL_SECOND);
	assert_false(rig_exists(RL_KEY_WAITING)); /* it announced no wait */
	assert_int_equal(scene.runs, 0);
}

static void fail_fast_waits_for_a_lease_that_ends_in_time(void **state)
{
	struct rl_acquire terms = {
		.lease_ms = LEASE, .wait = 10 * RL_SECOND, .policy = RL_POLICY_FAIL_FAST
	};

	set_scene(holder_gives_back);
	run("PEXPIRE lock@job 5000");
	assert_status(own_with(scene.waiter, "job", &terms), RL_OK);
	assert_true(scene.runs > 0);
}

static void lease_grows(struct scene *scene)
{
	await_parked(1);
	assert_status(prolong(scene->holder, "job", 10 * LEASE), RL_OK);
}

static void fail_fast_gives_up_when_the_lease_grows(void **state)
{
	struct rl_acquire terms = {
		.lease_ms = LEASE, .wait = 10 * RL_SECOND, .policy = RL_POLICY_FAIL_FAST
	};
	struct prompt_moment before;

	set_scene(lease_grows);
	run("PEXPIRE lock@job 5000");
	before = prompt_now();
	assert_status(own_with(scene.waiter, "job", &terms), RL_NO);
	/* at the next ask of the net */
	expect_soon(prompt_since(before), 1100 * RL_MILLISECOND + A_MOMENT);
}

static void waiter_is_stopped(struct scene *scene)
{
	await_parked(1);
	scene->stop = true;
}

static void a_hook_ends_the_wait(void **state)
{
	set_scene(waiter_is_stopped);
	expect_soon(timed_wait(10 * RL_SECOND, RL_INTERRUPTED), A_MOMENT);
	await_parked(0);
	assert_status(look(scene.holder, "job"), RL_OK);
	assert_false(holds(scene.waiter, "job"));
}

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
	signals++;
}

/* As the core looks for the last time before it sleeps. */
static bool signal_comes(void *context)
{
	pthread_kill(pthread_self(), SIGUSR1);
	return false;
}

static bool no_signal_has_come(void *context)
{
	return signals == 0;
}

static void a_signal_that_comes_before_the_sleep_is_heard(void **state)
{
	struct rl_wait_hook hook = {
		.run = no_signal_has_come, .interval = 60 * RL_SECOND, .is_due = signal_comes
	};
	void (*before)(int) = signal(SIGUSR1, count_signal);

	signals = 0;
	set_scene(NULL);
	scene.waiter = new_owner_at(rig.server.address, hook);
	expect_soon(timed_wait(10 * RL_SECOND, RL_INTERRUPTED), A_MOMENT);
	signal(SIGUSR1, before);
}

/* When the holder gives it back: by the next run of the hook it is the waiter's. */
static bool signal_comes_with_the_lock(void *context)
{
	if (scene.runs++ > 0) {
		return false;
	}
	await_parked(1);
	assert_status(disown(scene.holder, "job"), RL_OK);
	let_it_arrive();
	return true;
}

static void a_signal_that_comes_with_the_lock_ends_the_wait(void **state)
{
	set_scene(NULL);
	scene.waiter = new_hooked(signal_comes_with_the_lock, NULL);
	expect_soon(timed_wait(10 * RL_SECOND, RL_INTERRUPTED), A_MOMENT);
	assert_int_equal(scene.runs, 2);
	assert_int_equal(rl_owner_stats(scene.waiter)->requests, 4); /* ask, park, claim, give back */
	assert_false(holds(scene.waiter, "job"));
	assert_status(own(scene.holder, "job", LEASE), RL_OK); /* it is free at once */
}

static void something_comes_as_the_waiter_is_stopped(struct scene *scene)
{
	await_parked(1);
	scene->other = park(); /* behind us */
	if (scene->delays) {
		assert_status(disown_with_delay(scene->holder, "job", LEASE), RL_OK);
		run("DEL lock@job"); /* the delay is over */
	} else {
		assert_status(disown(scene->holder, "job"), RL_OK);
	}
	let_it_arrive();
	scene->stop = true;
}

/* C13: a baton, or the word to ask. */
static void what_comes_too_late_is_passed_on(void **state)
{
	for (int is_word = 0; is_word < 2; is_word++) {
		set_scene(something_comes_as_the_waiter_is_stopped);
		scene.delays = is_word;
		assert_status(own_waiting(scene.waiter, "job", LEASE, 10 * RL_SECOND), RL_INTERRUPTED);
		assert_int_equal(read_word(scene.other).text[0], '~');
		redisFree(scene.other);
		run("FLUSHALL");
	}
}

static jmp_buf fatal_error;

static void call_never_returns(struct scene *scene)
{
	await_parked(1);
	longjmp(fatal_error, 1);
}

static void lock_comes_and_call_never_returns(struct scene *scene)
{
	await_parked(1);
	assert_status(disown(scene->holder, "job"), RL_OK);
	longjmp(fatal_error, 1);
}

/* As when PHP gives up a suspended fiber. */
static void abandon_wait(void)
{
	if (setjmp(fatal_error) == 0) {
		own_waiting(scene.waiter, "job", LEASE, 10 * RL_SECOND);
		fail_msg("the call has returned");
	}
	end_owner(scene.waiter);
}

static void an_owner_ends_a_wait_whose_call_never_returns(void **state)
{
	set_scene(call_never_returns);
	abandon_wait();
	await_parked(0);
	assert_status(disown(scene.holder, "job"), RL_OK);
	assert_status(own(scene.holder, "job", LEASE), RL_OK);
}

static void and_passes_on_the_lock_that_comes(void **state)
{
	set_scene(lock_comes_and_call_never_returns);
	abandon_wait();
	assert_status(own(scene.holder, "job", LEASE), RL_OK);
}

static bool call_never_returns_with_the_lock(void *context)
{
	if (scene.runs++ > 0) {
		longjmp(fatal_error, 1);
	}
	holder_gives_back(&scene);
	let_it_arrive();
	return true;
}

static void and_gives_back_the_lock_that_was_granted(void **state)
{
	set_scene(NULL);
	scene.waiter = new_hooked(call_never_returns_with_the_lock, NULL);
	abandon_wait();
	assert_int_equal(scene.runs, 2);
	assert_status(own(scene.holder, "job", LEASE), RL_OK);
}

static void what_is_taken_for_ages_is_waited_for_like_any_other(void **state)
{
	struct rl_owner *owner = new_owner();

	run("SET lock@job redis-py PX 9000000000000000");
	assert_status(own_waiting(owner, "job", LEASE, RL_SECOND / 2), RL_NO);
	/* and not on and on; a BLPOP that ends early costs two more */
	assert_in_range(rl_owner_stats(owner)->requests, 1, 9);
}

/* ---------------------------------------------------------------- hooks that use the owner */

static void the_same_owner_is_used(struct scene *scene)
{
	struct rl_owner *owner = scene->waiter;

	await_parked(1);
	assert_status(own(owner, "another", LEASE), RL_OK);
	assert_status(own(owner, "another", 2 * LEASE), RL_OK);
	assert_status(prolong(owner, "another", LEASE), RL_OK);
	assert_status(check_lock(owner, "another"), RL_OK);
	assert_status(look(owner, "another"), RL_OK);
	assert_status(disown(owner, "job"), RL_NO);
	assert_status(own(owner, "job", LEASE), RL_NO);
	/* a wait within the wait */
	assert_status(own_waiting(owner, "job", LEASE, 50 * RL_MILLISECOND), RL_NO);
	assert_status(disown(owner, "another"), RL_OK);
	assert_status(disown_unconfirmed(owner, "another"), RL_OK);
	await_parked(1);
	assert_status(disown(scene->holder, "job"), RL_OK);
}

/* C14 */
static void a_hook_may_use_the_same_owner(void **state)
{
	set_scene(the_same_owner_is_used);
	assert_status(own_waiting(scene.waiter, "job", LEASE, 10 * RL_SECOND), RL_OK);
	assert_int_equal(view(scene.waiter, "job").depth, 1);
	assert_false(is_taken("another"));
}

static void everything_is_released(struct scene *scene)
{
	await_parked(1);
	assert_status(own(scene->waiter, "another", LEASE), RL_OK);
	assert_int_equal(disown_all(scene->waiter).released, 1);
	assert_status(disown(scene->holder, "job"), RL_OK);
}

static void a_hook_may_release_everything(void **state)
{
	set_scene(everything_is_released);
	assert_status(own_waiting(scene.waiter, "job", LEASE, 10 * RL_SECOND), RL_OK);
}

static void the_hook_takes_it(struct scene *scene)
{
	await_parked(1);
	run("DEL lock@job"); /* nobody is woken */
	assert_status(own(scene->waiter, "job", LEASE), RL_OK);
}

static void what_the_hook_took_is_reentered(void **state)
{
	set_scene(the_hook_takes_it);
	assert_status(own_waiting(scene.waiter, "job", LEASE, RL_FOREVER), RL_OK);
	assert_int_equal(view(scene.waiter, "job").depth, 2);
	assert_status(look(scene.waiter, "job"), RL_OK);
	assert_status(disown(scene.waiter, "job"), RL_OK);
	assert_status(disown(scene.waiter, "job"), RL_OK);
	assert_status(disown(scene.waiter, "job"), RL_NO);
}

static void the_hook_takes_and_loses_it(struct scene *scene)
{
	the_hook_takes_it(scene);
	run("DEL lock@job");
}

static void what_the_hook_took_and_lost_is_lost(void **state)
{
	set_scene(the_hook_takes_and_loses_it);
	assert_status(own_waiting(scene.waiter, "job", LEASE, 10 * RL_SECOND), RL_LOST);
	assert_status(look(scene.waiter, "job"), RL_NO);
	assert_int_equal(rl_owner_stats(scene.waiter)->lost, 1);
	assert_status(check_lock(scene.waiter, "job"), RL_LOST);
	assert_status(own(scene.waiter, "job", LEASE), RL_OK); /* taken anew */
	assert_status(check_lock(scene.waiter, "job"), RL_OK);
}

static void the_process_forks(struct scene *scene)
{
	await_parked(1);
	scene->child = fork();
	if (scene->child > 0) {
		int status;

		assert_int_equal(waitpid(scene->child, &status, 0), scene->child);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		await_parked(1); /* our connection has not suffered */
		assert_status(disown(scene->holder, "job"), RL_OK);
	}
}

static void a_fork_leaves_the_wait_to_the_parent(void **state)
{
	enum rl_status status;

	set_scene(the_process_forks);
	status = own_waiting(scene.waiter, "job", LEASE, 10 * RL_SECOND);
	if (scene.child == 0) {
		_exit(status == RL_MISUSE && strstr(said.message, "forked") && !holds(scene.waiter, "job")
				? 0
				: 1);
	}
	assert_status(status, RL_OK);
	assert_status(look(scene.waiter, "job"), RL_OK);
}

/* ---------------------------------------------------------------- tries of its own */

struct plan {
	unsigned tries, last; /* how many; and after how many the key is deleted */
	unsigned asked;
};

static bool next_try(void *context, unsigned attempt, rl_time *pause)
{
	struct plan *plan = context;

	plan->asked++;
	assert_int_equal(attempt, plan->asked);
	*pause = 20 * RL_MILLISECOND;
	if (attempt == plan->last) {
		run("DEL lock@job");
	}
	return attempt <= plan->tries;
}

static void a_strategy_finds_what_wakes_nobody(void **state)
{
	struct rl_owner *owner = new_owner();
	struct plan plan = { .tries = 100, .last = 4 };
	struct rl_retry retry = { next_try, &plan };
	struct rl_acquire terms = {
		.lease_ms = LEASE, .wait = 10 * RL_SECOND, .policy = RL_POLICY_WAIT, .retry = &retry
	};
	struct prompt_moment before = prompt_now();

	run("SET lock@job foreign");
	assert_status(own_with(owner, "job", &terms), RL_OK);
	expect_soon(prompt_since(before), 900 * RL_MILLISECOND);
	assert_int_equal(plan.asked, 4);
}

static void a_strategys_end_ends_the_wait(void **state)
{
	struct rl_owner *owner = new_owner();
	struct plan plan = { .tries = 3 };
	struct rl_retry retry = { next_try, &plan };
	struct rl_acquire terms = {
		.lease_ms = LEASE, .wait = RL_FOREVER, .policy = RL_POLICY_WAIT, .retry = &retry
	};
	rl_time before = clock_real();

	run("SET lock@job foreign");
	assert_status(own_with(owner, "job", &terms), RL_NO);
	assert_true(clock_real() - before >= 60 * RL_MILLISECOND);
	assert_int_equal(plan.asked, 4);
	plan = (struct plan){ .tries = 0 };
	assert_status(own_with(owner, "job", &terms), RL_NO); /* asks once */
	assert_int_equal(plan.asked, 1);
}

/* The second time it is asked in the queue, and somebody else takes what comes. */
static bool gives_up_as_it_comes(void *holder, unsigned attempt, rl_time *pause)
{
	*pause = 20 * RL_MILLISECOND;
	if (attempt == 1) {
		return true;
	}
	await_parked(1);
	assert_status(disown(holder, "job"), RL_OK);
	run("SET lock@job foreign");
	return false;
}

static void what_came_when_it_was_given_up_is_no_grant(void **state)
{
	struct rl_owner *holder = new_owner(), *waiter = new_owner();
	struct rl_retry retry = { gives_up_as_it_comes, holder };
	struct rl_acquire terms = {
		.lease_ms = LEASE, .wait = RL_FOREVER, .policy = RL_POLICY_WAIT, .retry = &retry
	};

	assert_status(own(holder, "job", LEASE), RL_OK);
	assert_status(own_with(waiter, "job", &terms), RL_NO);
	assert_false(holds(waiter, "job"));
}

/* ---------------------------------------------------------------- faults on the way */

static void lose_claims(unsigned times, enum proxy_fault fault)
{
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_acquire,
			.skip = 1,
			.times = times,
			.fault = fault,
			.fails = times > 1 });
}

/* N6: it was done, and its answer lost. */
static void a_lost_claim_is_sent_again(void **state)
{
	set_scene_at(proxy.address, holder_gives_back);
	lose_claims(1, PROXY_CUT_AFTER);
	assert_status(own_waiting(scene.waiter, "job", LEASE, 10 * RL_SECOND), RL_OK);
	assert_int_equal(proxy.struck, 1);
	assert_status(look(scene.waiter, "job"), RL_OK);
	assert_int_equal(view(scene.waiter, "job").fence, stored_fence());
}

/*
 * Its connections are gone, and it still has time: so it asks with another token. A copy of the
 * undo comes later.
 */
static void a_claim_that_stays_lost_is_asked_for_anew(void **state)
{
	set_scene_at(proxy.address, holder_gives_back);
	lose_claims(2, PROXY_CUT_AFTER);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_release, .times = 1, .fault = PROXY_LATE });
	assert_status(own_waiting(scene.waiter, "job", LEASE, 10 * RL_SECOND), RL_OK);
	assert_int_equal(proxy.struck, 3);
	assert_int_equal(proxy_deliver(&proxy), 1);
	assert_status(look(scene.waiter, "job"), RL_OK);
	run("DEL %b", KEY(RL_KEY_WAITING));
	assert_status(disown(scene.waiter, "job"), RL_OK);
	assert_false(is_taken("job")); /* nor by the token of the claim */
}

static void a_claim_that_is_given_up_is_undone(void **state)
{
	static const enum proxy_fault faults[] = { PROXY_CUT_AFTER, PROXY_HOLD };
	char address[128];

	snprintf(address, sizeof address, "%s?timeout=0.5", proxy.address);
	for (size_t i = 0; i < COUNT(faults); i++) {
		set_scene_at(address, holder_gives_back);
		lose_claims(1000, faults[i]);
		assert_status(own_waiting(scene.waiter, "job", LEASE, 2 * RL_SECOND), RL_UNREACHABLE);
		assert_false(holds(scene.waiter, "job"));
		/* what comes now is to succeed */
		scene.waiter->route->timeout = scene.waiter->route->patience = 5 * RL_SECOND;
		proxy_let_go(&proxy);
		run("DEL %b", KEY(RL_KEY_WAITING));
		assert_status(own(scene.waiter, "another", LEASE), RL_OK);
		/* at once, or with the baton of an undo that went out before the flag was taken down */
		await_free("job");
		run("FLUSHALL");
	}
}

/* C6: it is another's by then. */
static void a_claim_that_comes_too_late_goes_on_waiting(void **state)
{
	set_scene_at(proxy.address, holder_gives_back);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_acquire,
			.skip = 1,
			.times = 1,
			.fault = PROXY_ANSWER,
			.answer = "*2\r\n:0\r\n:200\r\n" });
	assert_status(own_waiting(scene.waiter, "job", LEASE, 10 * RL_SECOND), RL_OK);
	assert_status(look(scene.waiter, "job"), RL_OK);
}

static void server_becomes_a_replica(struct scene *scene)
{
	await_parked(1);
	run("REPLICAOF 127.0.0.1 1");
}

/* S7: it may be a master again. */
static void a_server_that_stays_a_replica_is_told_at_the_end(void **state)
{
	struct prompt_time took;

	set_scene(server_becomes_a_replica);
	scene.waiter->route->timeout = scene.waiter->route->patience = 300 * RL_MILLISECOND;
	took = timed_wait(RL_SECOND, RL_REFUSED);
	assert_true(took.took >= RL_SECOND);
	expect_soon(took, RL_SECOND + 300 * RL_MILLISECOND + A_MOMENT);
	/* its last try has 0.1 s, and a busy machine may need more */
	if (strcmp(said.code, "LATE") != 0) {
		assert_string_equal(said.code, "READONLY");
	}
}

static void server_is_a_master_again(struct scene *scene)
{
	if (rl_now() < scene->later) {
		scene->runs = 0;
		return;
	}
	run("REPLICAOF NO ONE");
	run("DEL lock@job");
}

static void server_is_a_replica_for_long(struct scene *scene)
{
	run("REPLICAOF 127.0.0.1 1");
	scene->later = rl_now() + RL_SECOND;
	scene->act = server_is_a_master_again;
	scene->runs = 0;
}

static void a_server_that_is_a_master_again_lets_in(void **state)
{
	set_scene(server_is_a_replica_for_long);
	scene.waiter->route->timeout = scene.waiter->route->patience = 300 * RL_MILLISECOND;
	assert_status(own_waiting(scene.waiter, "job", LEASE, 60 * RL_SECOND), RL_OK);
	assert_status(disown(scene.waiter, "job"), RL_OK);
}

/* Whoever has not been told that the lock is taken has nothing to wait for. */
static void a_server_that_cannot_serve_is_borne_with_for_one_call(void **state)
{
	static const struct {
		const char *answer, *code;
		int at_least; /* ms */
	} refusals[] = {
		{ "-READONLY You can't write\r\n", "READONLY", 300 },
		{ "-LOADING Redis is loading\r\n", "LOADING", 300 },
		{ "-NOREPLICAS Not enough\r\n", "NOREPLICAS", 300 },
		{ "-BUSY Redis is busy\r\n", "BUSY", 300 },
		{ "-MISCONF Errors\r\n", "MISCONF", 0 },
		{ "-OOM command not allowed\r\n", "OOM", 0 },
	};

	for (size_t i = 0; i < 2 * COUNT(refusals); i++) {
		const rl_time wait = i % 2 ? RL_FOREVER : 60 * RL_SECOND;
		struct rl_owner *owner = new_proxied();
		struct prompt_moment before;
		struct prompt_time took;

		owner->route->timeout = 300 * RL_MILLISECOND;
		owner->route->patience = 60 * RL_SECOND; /* as where servers replace each other */
		proxy_add(&proxy,
			(struct proxy_rule){ .script = &rl_script_acquire,
				.times = 100000,
				.fault = PROXY_ANSWER,
				.answer = refusals[i / 2].answer });
		before = prompt_now();
		assert_status(own_waiting(owner, "job", LEASE, wait), RL_REFUSED);
		took = prompt_since(before);
		assert_string_equal(said.code, refusals[i / 2].code);
		assert_true(took.took >= (refusals[i / 2].at_least - 20) * RL_MILLISECOND);
		expect_soon(took, 300 * RL_MILLISECOND + A_MOMENT);
		proxy_let_go(&proxy);
		end_owner(owner);
	}
}

static void server_comes_back(struct scene *scene)
{
	await_parked(1);
	proxy_cut(&proxy);
	assert_status(disown(scene->holder, "job"), RL_OK);
}

/* A client is evicted so, again and again; or a proxy does so. */
static void a_server_that_closes_connections_is_there(void **state)
{
	static const char *const words[] = { NULL, "CLIENT" }; /* of an ask, and of a greeting */
	char address[128];

	snprintf(address, sizeof address, "%s?timeout=0.3", proxy.address);
	for (size_t i = 0; i < COUNT(words); i++) {
		set_scene_at(address, server_comes_back);
		proxy_add(&proxy,
			(struct proxy_rule){ .script = words[i] ? NULL : &rl_script_acquire,
				.word = words[i],
				.skip = words[i] ? 4 : 1,
				.times = 12,
				.fault = PROXY_CUT_BEFORE });
		assert_status(own_waiting(scene.waiter, "job", LEASE, 60 * RL_SECOND), RL_OK);
		assert_int_equal(proxy.struck, 12 * (i + 1));
		run("FLUSHALL");
	}
}

/* The net's next ask is due, and is refused. */
static void memory_is_full(struct scene *scene)
{
	await_parked(1);
	run("CONFIG SET maxmemory 1");
	clock_advance(11 * RL_SECOND / 10);
}

static bool has_asked_twice(struct scene *scene)
{
	bool has = rl_owner_stats(scene->waiter)->requests >= 3;

	scene->runs = has; /* else it acts again */
	return has;
}

static void full_and_given_back(struct scene *scene)
{
	if (has_asked_twice(scene)) {
		assert_status(disown(scene->holder, "job"), RL_OK);
	}
}

static void memory_is_full_and_it_is_given_back(struct scene *scene)
{
	memory_is_full(scene);
	scene->act = full_and_given_back;
	scene->runs = 0;
}

/* S3 */
static void full_memory_does_not_end_a_wait(void **state)
{
	set_scene(memory_is_full_and_it_is_given_back);
	exact_wait(10 * RL_SECOND, RL_OK);
	assert_int_equal(rl_owner_stats(scene.waiter)->requests, 4); /* ask, park, ask, claim */
	run("CONFIG SET maxmemory 0");
	assert_status(look(scene.waiter, "job"), RL_OK);
}

/* S5: what the server says to the ask beside the parked connection. */
static void a_disk_that_cannot_be_written_does_not_end_a_wait(void **state)
{
	set_scene_at(proxy.address, full_and_given_back);
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_acquire,
			.skip = 1,
			.times = 1,
			.fault = PROXY_ANSWER,
			.answer = "-MISCONF Redis is configured to save RDB snapshots\r\n" });
	exact_wait(10 * RL_SECOND, RL_OK);
	assert_int_equal(rl_owner_stats(scene.waiter)->requests, 4); /* ask, park, ask, claim */
	assert_status(look(scene.waiter, "job"), RL_OK);
}

static void is_told_to_ask(struct scene *scene)
{
	await_parked(1);
	run("RPUSH %b -", KEY(RL_KEY_WAKE));
	scene->act = full_and_given_back;
	scene->runs = 0;
}

/* Nor does it when we have left the queue to ask. */
static void full_memory_ends_no_wait_outside_the_queue(void **state)
{
	struct proxy_rule refusal = {
		.script = &rl_script_acquire, .skip = 1, .times = 1, .fault = PROXY_ANSWER
	};

	refusal.answer = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
	set_scene_at(proxy.address, is_told_to_ask);
	proxy_add(&proxy, refusal);
	exact_wait(10 * RL_SECOND, RL_OK);
	assert_int_equal(proxy.struck, 1);
	assert_status(look(scene.waiter, "job"), RL_OK);
}

/* Any other refusal of the ask beside our place says nothing of that, either. */
static void what_only_guards_a_wait_does_not_end_it(void **state)
{
	struct proxy_rule refusal = {
		.script = &rl_script_acquire, .skip = 1, .times = 1, .fault = PROXY_ANSWER
	};

	refusal.answer = "-NOPERM no\r\n";
	set_scene_at(proxy.address, full_and_given_back);
	proxy_add(&proxy, refusal);
	exact_wait(8 * RL_SECOND, RL_OK);
	assert_int_equal(rl_owner_stats(scene.waiter)->requests, 4); /* ask, park, ask, claim */
	assert_status(look(scene.waiter, "job"), RL_OK);
}

static void memory_is_full_and_it_is_gone(struct scene *scene)
{
	memory_is_full(scene);
	run("DEL lock@job");
}

static void full_memory_is_told_at_the_end(void **state)
{
	set_scene(memory_is_full_and_it_is_gone);
	exact_wait(1200 * RL_MILLISECOND, RL_REFUSED);
	assert_string_equal(said.code, "OOM");
	run("CONFIG SET maxmemory 0");
	assert_false(holds(scene.waiter, "job"));
	await_parked(0);
	assert_status(own(scene.waiter, "another", LEASE), RL_OK);
}

static void full_no_more(struct scene *scene)
{
	if (has_asked_twice(scene)) {
		run("CONFIG SET maxmemory 0");
		clock_advance(10 * RL_SECOND);
	}
}

static void memory_is_full_for_a_while(struct scene *scene)
{
	memory_is_full(scene);
	scene->act = full_no_more;
	scene->runs = 0;
}

static void memory_that_was_full_is_no_news_at_the_end(void **state)
{
	set_scene(memory_is_full_for_a_while);
	assert_status(own_waiting(scene.waiter, "job", LEASE, 10 * RL_SECOND), RL_NO);
}

static struct prompt_moment gone;

static void server_goes_away(struct scene *scene)
{
	await_parked(1);
	scene->waiter->route->timeout = scene->waiter->route->patience = 300 * RL_MILLISECOND;
	proxy_stop(&proxy);
	gone = prompt_now();
}

static void a_server_that_goes_away_ends_the_wait(void **state)
{
	struct prompt_time took;

	set_scene_at(proxy.address, server_goes_away);
	timed_wait(10 * RL_SECOND, RL_UNREACHABLE);
	took = prompt_since(gone);
	assert_true(took.took > 200 * RL_MILLISECOND);
	expect_soon(took, 300 * RL_MILLISECOND + A_MOMENT); /* it might have come back */
}

static void a_connection_that_is_cut_in_the_wait_is_replaced(void **state)
{
	set_scene_at(proxy.address, server_comes_back);
	assert_status(own_waiting(scene.waiter, "job", LEASE, 10 * RL_SECOND), RL_OK);
	assert_true(proxy.connections >= 2);
}

/* The last try goes behind the BLPOP; here its answer never comes. */
static void a_last_try_that_is_lost_is_undone(void **state)
{
	char address[128];

	snprintf(address, sizeof address, "%s?timeout=1", proxy.address);
	set_scene_at(address, nobody_gets_in);
	run("PEXPIRE lock@job 100000");
	proxy_add(&proxy,
		(struct proxy_rule){
			.script = &rl_script_acquire, .skip = 1, .times = 1000, .fault = PROXY_CUT_AFTER });
	assert_status(own_waiting(scene.waiter, "job", LEASE, 100 * RL_MILLISECOND), RL_UNREACHABLE);
	assert_true(proxy.struck > 1);
	/* what comes now is to succeed */
	scene.waiter->route->timeout = scene.waiter->route->patience = 5 * RL_SECOND;
	proxy_let_go(&proxy);
	assert_status(disown(scene.holder, "job"), RL_OK);
	assert_status(own(scene.waiter, "another", LEASE), RL_OK);
}

static void a_last_try_that_is_lost_once_is_repeated(void **state)
{
	set_scene_at(proxy.address, nobody_gets_in);
	run("PEXPIRE lock@job 100000");
	proxy_add(&proxy,
		(struct proxy_rule){
			.script = &rl_script_acquire, .skip = 1, .times = 1, .fault = PROXY_CUT_AFTER });
	exact_wait(100 * RL_MILLISECOND, RL_NO);
	assert_int_equal(proxy.struck, 1);
}

/*
 * The BLPOP never arrives, and nothing tells so: half of the call's time is for leaving, and the
 * other for the ask.
 */
static void a_place_that_leads_nowhere_leaves_time_for_the_last_ask(void **state)
{
	char address[128];
	rl_time before;

	snprintf(address, sizeof address, "%s?timeout=1", proxy.address);
	set_scene_at(address, NULL);
	proxy_add(&proxy, (struct proxy_rule){ .word = "BLPOP", .times = 1, .fault = PROXY_STALL });
	clock_stop(rl_now());
	before = rl_now();
	assert_status(own_waiting(scene.waiter, "job", LEASE, 100 * RL_MILLISECOND), RL_NO);
	assert_in_range(rl_now() - before, 600 * RL_MILLISECOND, 800 * RL_MILLISECOND);
	clock_reset();
	assert_int_equal(proxy.struck, 1);
}

static void something_comes_at_the_end(struct scene *scene)
{
	await_parked(1);
	run("RPUSH %b junk", KEY(RL_KEY_WAKE));
	await_parked(0);
	clock_advance(10 * RL_SECOND);
}

/*
 * What comes then is heard before the time is seen to be up, and what is asked then has a call's
 * time, too.
 */
static void an_answer_at_the_end_leaves_time_for_the_last_ask(void **state)
{
	char address[128];

	snprintf(address, sizeof address, "%s?timeout=1", rig.server.address);
	set_scene_at(address, something_comes_at_the_end);
	assert_status(own_waiting(scene.waiter, "job", LEASE, 10 * RL_SECOND), RL_NO);
}

static void server_freezes(struct scene *scene)
{
	await_parked(1);
	scene->waiter->route->timeout = 50 * RL_MILLISECOND;
	throwaway_freeze(&rig.server);
}

/*
 * Its answer has not come when the call's time is up: the connection is given up, and with it the
 * place in the queue.
 */
static void a_last_try_that_is_silent_to_the_end_fails(void **state)
{
	set_scene(server_freezes);
	run("PEXPIRE lock@job 100000");
	exact_wait(300 * RL_MILLISECOND, RL_UNREACHABLE);
	kill(rig.server.pid, SIGCONT);
	assert_status(disown(scene.holder, "job"), RL_OK);
}

/* ---------------------------------------------------------------- replicas */

static void released_long_ago(struct scene *scene)
{
	assert_status(disown(scene->holder, "job"), RL_OK);
	clock_advance(10 * RL_SECOND); /* of a patience of 5 s */
}

/*
 * T4: the server is there all the time. That it is away for a moment after that is another matter,
 * and another patience.
 */
static void replicas_are_waited_for_as_long_as_it_may_last(void **state)
{
	set_scene_at(proxy.address, released_long_ago);
	scene.waiter->route->replicas = 1;
	proxy_add(&proxy,
		(struct proxy_rule){
			.word = "WAIT", .times = 3, .fault = PROXY_ANSWER, .answer = ":0\r\n" });
	proxy_add(&proxy,
		(struct proxy_rule){
			.word = "WAIT", .times = 100, .fault = PROXY_ANSWER, .answer = ":1\r\n" });
	proxy_add(&proxy,
		(struct proxy_rule){ .script = &rl_script_acquire,
			.skip = 3,
			.times = 2,
			.fault = PROXY_CUT_BEFORE,
			.fails = true });
	timed_wait(60 * RL_SECOND, RL_OK);
	/* once more where the deadline was that of an ask that was closed */
	assert_in_range(proxy.struck, 6, 7);
	assert_status(disown(scene.waiter, "job"), RL_OK);
}

/* T4 */
static void replicas_are_waited_for_no_longer_than_that(void **state)
{
	scene = (struct scene){ .act = NULL };
	scene.waiter = new_owner_at(proxy.address, (struct rl_wait_hook){ .run = play });
	scene.waiter->route->replicas = 1;
	proxy_add(&proxy,
		(struct proxy_rule){
			.word = "WAIT", .times = 10000, .fault = PROXY_ANSWER, .answer = ":0\r\n" });
	expect_soon(timed_wait(200 * RL_MILLISECOND, RL_REFUSED), 200 * RL_MILLISECOND + A_MOMENT);
	assert_string_equal(said.code, "NOREPLICAS");
	assert_false(is_taken("job"));
}

/* T4: they should have nothing of it. */
static void a_busy_lock_is_busy_without_replicas(void **state)
{
	struct rl_owner *owner = new_proxied();

	assert_status(own(new_owner(), "job", LEASE), RL_OK);
	owner->route->replicas = 1;
	proxy_add(&proxy,
		(struct proxy_rule){
			.word = "WAIT", .times = 100, .fault = PROXY_ANSWER, .answer = ":0\r\n" });
	assert_status(own(owner, "job", LEASE), RL_NO);
}

/* Busy at first, then to be had; what a BLPOP brings is an array of nothing. */
static void bring_nothing(struct peer *peer, const void *context)
{
	bool asked = false;

	if (!peer_greet(peer)) {
		return;
	}
	while (peer_read_command(peer)) {
		bool asks = strncmp(peer->command, "EVAL", 4) == 0;
		const char *grant = asked ? "*2\r\n:7\r\n:60000\r\n" : "*2\r\n:0\r\n:60000\r\n";
		const char *other = strcmp(peer->command, "CLIENT") == 0 ? ":5\r\n" : "*0\r\n";

		if (!peer_say(peer, asks ? grant : other)) {
			return;
		}
		asked |= asks;
	}
}

static void an_empty_array_is_no_baton(void **state)
{
	struct hostile hostile;
	struct rl_owner *waiter;

	assert_true(hostile_start(&hostile, rig.server.folder, 5, bring_nothing, NULL));
	waiter = new_owner_at(hostile.address, (struct rl_wait_hook){ .run = NULL });
	assert_status(own_waiting(waiter, "job", LEASE, 10 * RL_SECOND), RL_OK);
	end_owner(waiter);
	hostile_stop(&hostile);
}

/* ---------------------------------------------------------------- stepped by somebody else */

static struct rl_pending *wait_beside(struct rl_owner *owner, const char *key)
{
	struct rl_acquire terms = { .key = rl_text_of(key),
		.lease_ms = LEASE,
		.policy = RL_POLICY_WAIT,
		.wait = 10 * RL_SECOND };
	struct rl_pending *pending;

	assert_status(rl_pending_begin(owner, &terms, make_stack(), &pending, &said), RL_OK);
	return pending;
}

static bool is_had(struct rl_pending *pending)
{
	enum rl_status status;
	bool is_over = rl_pending_go_on(pending, &status, &said);

	assert_status(is_over ? status : RL_OK, RL_OK);
	return is_over;
}

static void several_waits_of_one_owner_are_stepped_side_by_side(void **state)
{
	static const char *const keys[] = { "a", "b" };
	struct rl_pending *waits[COUNT(keys)];

	set_scene(NULL);
	for (size_t i = 0; i < COUNT(keys); i++) {
		assert_status(own(scene.holder, keys[i], LEASE), RL_OK);
		waits[i] = wait_beside(scene.waiter, keys[i]);
	}
	AWAIT(!is_had(waits[0]) && !is_had(waits[1]) && parked_clients() == 2);
	for (size_t i = COUNT(keys); i-- > 0;) {
		assert_status(disown(scene.holder, keys[i]), RL_OK);
		AWAIT(is_had(waits[i]) && (i == 0 || !is_had(waits[0])));
		rl_pending_end(waits[i]);
		assert_true(holds(scene.waiter, keys[i]));
	}
	assert_int_equal(scene.runs, 0); /* nobody runs a hook */
}

int test_wait(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)
	const struct CMUnitTest tests[] = {
		test(a_release_hands_over),
		test(waiters_are_served_in_order),
		test(a_lease_that_ends_lets_in),
		test(the_net_asks_beside_the_parked_connection),
		test(the_net_catches_a_lost_flag),
		test(asks_grow_rarer),
		test(a_waiter_without_a_second_connection_comes_back),
		test(a_long_wait_opens_a_second_connection),
		test(a_waiter_without_a_second_connection_is_woken),
		test(a_place_without_an_end_needs_a_second_connection),
		test(a_place_that_ends_by_itself_needs_none),
		test(no_two_pauses_between_asks_are_alike),
		test(a_parked_connection_that_is_killed_is_replaced),
		test(junk_in_the_list_is_no_baton),
		test(an_empty_array_is_no_baton),
		test(without_blocking_commands_it_polls),
		test(a_lock_that_comes_at_the_very_end_is_ours),
		test(a_wait_that_was_over_before_it_was_answered_asks_no_more),
		test(a_wait_ends_on_time),
		test(fail_fast_gives_up_at_once),
		test(fail_fast_waits_for_a_lease_that_ends_in_time),
		test(fail_fast_gives_up_when_the_lease_grows),
		test(an_owner_ends_a_wait_whose_call_never_returns),
		test(and_passes_on_the_lock_that_comes),
		test(and_gives_back_the_lock_that_was_granted),
		test(several_waits_of_one_owner_are_stepped_side_by_side),
		test(what_is_taken_for_ages_is_waited_for_like_any_other),
		test(a_hook_ends_the_wait),
		test(a_signal_that_comes_before_the_sleep_is_heard),
		test(a_signal_that_comes_with_the_lock_ends_the_wait),
		test(what_comes_too_late_is_passed_on),
		test(a_hook_may_use_the_same_owner),
		test(a_hook_may_release_everything),
		test(what_the_hook_took_is_reentered),
		test(what_the_hook_took_and_lost_is_lost),
		test(a_fork_leaves_the_wait_to_the_parent),
		test(a_strategy_finds_what_wakes_nobody),
		test(a_strategys_end_ends_the_wait),
		test(what_came_when_it_was_given_up_is_no_grant),
		test(a_lost_claim_is_sent_again),
		test(a_claim_that_stays_lost_is_asked_for_anew),
		test(a_claim_that_is_given_up_is_undone),
		test(a_claim_that_comes_too_late_goes_on_waiting),
		test(a_server_that_stays_a_replica_is_told_at_the_end),
		test(a_server_that_is_a_master_again_lets_in),
		test(a_server_that_cannot_serve_is_borne_with_for_one_call),
		test(a_server_that_closes_connections_is_there),
		test(full_memory_does_not_end_a_wait),
		test(a_disk_that_cannot_be_written_does_not_end_a_wait),
		test(full_memory_ends_no_wait_outside_the_queue),
		test(what_only_guards_a_wait_does_not_end_it),
		test(full_memory_is_told_at_the_end),
		test(memory_that_was_full_is_no_news_at_the_end),
		test(a_server_that_goes_away_ends_the_wait),
		test(a_connection_that_is_cut_in_the_wait_is_replaced),
		test(a_last_try_that_is_lost_is_undone),
		test(a_last_try_that_is_silent_to_the_end_fails),
		test(a_last_try_that_is_lost_once_is_repeated),
		test(a_place_that_leads_nowhere_leaves_time_for_the_last_ask),
		test(an_answer_at_the_end_leaves_time_for_the_last_ask),
		test(replicas_are_waited_for_as_long_as_it_may_last),
		test(replicas_are_waited_for_no_longer_than_that),
		test(a_busy_lock_is_busy_without_replicas),
	};

	return cmocka_run_group_tests_name("wait", tests, rig_start, rig_stop);
}
