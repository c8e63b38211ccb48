/*
 * How an exchange (src/redis/exchange.h) opens its connection, stepped by hand: whatever delays
 * that, no step waits, each says what is awaited, and no command has been sent if it fails.
 */
#include "clock.h"
#include "dead.h"
#include "faults.h"
#include "stepped.h"
#include "testing.h"
#include "throwaway.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct throwaway place; /* its folder has the sockets */
static struct stand stand;     /* a server on one of them, or at a port */
static struct rl_server *server;

static const struct rl_loan ordinary = { .connect_timeout = RL_SECOND };

/* Begins one command. The clock stands still. */
static void start_at(struct stepped *stepped, const char *address)
{
	clock_stop(rl_now());
	*stepped = (struct stepped){ .commands = "s", .exchange.loan = ordinary };
	stepped->exchange.loan.deadline = rl_now() + STEPPED_TIME;
	server = stepped_server(address);
	stepped_begin(stepped, server);
}

static void start(struct stepped *stepped)
{
	char text[160];

	snprintf(text, sizeof text, "%s%s", stand.hostile.port ? "redis://" : "",
		stand.hostile.address);
	start_at(stepped, text);
}

static void finish(struct stepped *stepped)
{
	stepped_end(stepped);
	rl_server_unref(server);
	clock_reset();
}

static void say(const char *words)
{
	stand_say(&stand, words, strlen(words));
}

/* From the connection that has been opened to the end. */
static void finish_well(struct stepped *stepped)
{
	stepped_open(stepped, &stand);
	AWAIT(*stand_heard(&stand));
	assert_string_equal(stand.heard, "h0 ");
	say(":1\r\n");
	AWAIT(!stepped_go(stepped));
	assert_string_equal(stepped->told, "0=1 done");
	finish(stepped);
}

/* It failed before it has sent a command. */
static void finish_badly(struct stepped *stepped, const char *words)
{
	assert_string_equal(stepped->told, "failed");
	if (!strstr(stepped->error.message, words)) {
		fail_msg("\"%s\" is not in: %s", words, stepped->error.message);
	}
	finish(stepped);
}

/* Looks only now and then, since nothing tells when to go on. */
static void expect_looks(struct stepped *stepped)
{
	for (int i = 0; i < 20; i++) {
		rl_time until = stepped_until(stepped);

		assert_int_equal(stepped_descriptors(stepped), 0);
		assert_in_range(until, rl_now() + 1, rl_now() + RL_MILLISECOND);
		assert_int_equal(stepped_step(stepped), RL_NO); /* it may be stepped at any time */
		clock_stop(until);
		assert_true(stepped_go(stepped));
	}
}

/* Nothing comes: it fails once it has taken as long as this since it began, and not before. */
static void sit_out(struct stepped *stepped, rl_time began, rl_time timeout)
{
	assert_true(stepped_until(stepped) <= began + timeout);
	clock_stop(began + timeout - 1);
	assert_true(stepped_step(stepped) == RL_NO);
	clock_stop(began + timeout);
	assert_false(stepped_go(stepped));
}

/* --- dialling --- */

/* Clients that are in the queue of a socket, up to where it is full. */
struct queue {
	int clients[16];
	size_t count;
};

static struct queue fill_queue(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct queue queue = { .count = 0 };

	strcpy(at.sun_path, stand.hostile.address + strlen("unix://"));
	do {
		assert_true(queue.count < COUNT(queue.clients));
		queue.clients[queue.count] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	} while (connect(queue.clients[queue.count++], (struct sockaddr *)&at, sizeof at) == 0);
	assert_int_equal(errno, EAGAIN);
	return queue;
}

static void empty_queue(struct queue *queue)
{
	while (queue->count > 0) {
		close(queue->clients[--queue->count]);
	}
	while (stand_is_knocked_at(&stand)) {
		stand_accept(&stand);
	}
}

static void a_full_queue_is_tried_again(void **state)
{
	struct queue queue = fill_queue();
	struct stepped stepped;

	start(&stepped);
	assert_true(stepped_go(&stepped));
	expect_looks(&stepped);
	empty_queue(&queue);
	clock_stop(stepped_until(&stepped));
	finish_well(&stepped);
}

static void a_full_queue_is_left_in_time(void **state)
{
	struct queue queue = fill_queue();
	struct stepped stepped;
	rl_time began;

	start(&stepped);
	began = rl_now();
	assert_true(stepped_go(&stepped));
	sit_out(&stepped, began, RL_SECOND);
	finish_badly(&stepped, "Cannot connect");
	empty_queue(&queue);
}

static void one_that_refuses_fails_at_once(void **state)
{
	static const char *const addresses[] = { "unix:///nonexistent/redis.sock",
		"redis://127.0.0.1:1", "redis://[::1]:1" };

	for (size_t i = 0; i < COUNT(addresses); i++) {
		struct stepped stepped;

		start_at(&stepped, addresses[i]);
		AWAIT(!stepped_go(&stepped));
		finish_badly(&stepped, "Cannot connect");
	}
}

static void one_that_is_dead_is_left_in_time(void **state)
{
	struct dead dead = dead_bury("127.0.0.2", stand.hostile.port);
	struct stepped stepped;
	char text[64];
	rl_time began;

	snprintf(text, sizeof text, "redis://127.0.0.2:%d", stand.hostile.port);
	start_at(&stepped, text);
	began = rl_now();
	assert_true(stepped_go(&stepped));
	assert_int_equal(stepped_descriptors(&stepped), 1);
	assert_int_equal(stepped_until(&stepped), began + RL_SECOND);
	sit_out(&stepped, began, RL_SECOND);
	finish_badly(&stepped, "Cannot connect");
	dead_exhume(&dead);
}

static void start_by_name(struct stepped *stepped, const char *const *records)
{
	char text[64];

	faults_resolve(records);
	snprintf(text, sizeof text, "redis://name.example:%d", stand.hostile.port);
	start_at(stepped, text);
}

/* Until its name is found. */
static void await_name(struct stepped *stepped)
{
	for (int tries = 0; stepped_descriptors(stepped) == 0; tries++) {
		assert_true(tries < 10000);
		pause_a_moment();
		clock_stop(rl_time_later(stepped_until(stepped), rl_now()));
		assert_true(stepped_go(stepped));
	}
}

static void a_name_is_looked_for_aside(void **state)
{
	static const char *const records[] = { "127.0.0.1", NULL };
	struct stepped stepped;

	faults_silence_names(true);
	start_by_name(&stepped, records);
	assert_true(stepped_go(&stepped));
	expect_looks(&stepped);
	faults_silence_names(false);
	await_name(&stepped);
	finish_well(&stepped);
}

static void a_silent_name_is_left_in_time(void **state)
{
	static const char *const records[] = { "127.0.0.1", NULL };
	struct stepped stepped;
	rl_time began;

	faults_silence_names(true);
	start_by_name(&stepped, records);
	began = rl_now();
	assert_true(stepped_go(&stepped));
	sit_out(&stepped, began, RL_SECOND);
	assert_int_equal(stepped.error.cause, RL_CAUSE_NAME);
	finish_badly(&stepped, "its name was not resolved within the timeout");
}

static void an_unknown_name_is_told(void **state)
{
	static const char *const none[] = { NULL };
	struct stepped stepped;

	start_by_name(&stepped, none);
	for (int tries = 0; stepped_go(&stepped); tries++) {
		assert_true(tries < 10000);
		pause_a_moment();
		clock_stop(stepped_until(&stepped));
	}
	assert_int_equal(stepped.error.cause, RL_CAUSE_NAME);
	finish_badly(&stepped, "Cannot connect");
}

static void the_next_record_is_tried_beside_a_dead_one(void **state)
{
	static const char *const records[] = { "127.0.0.2", "127.0.0.1", NULL };
	struct dead dead = dead_bury("127.0.0.2", stand.hostile.port);
	struct stepped stepped;
	rl_time until;

	start_by_name(&stepped, records);
	stepped.exchange.loan.connect_timeout = 9 * RL_SECOND;
	stepped_go(&stepped);
	await_name(&stepped);
	until = stepped_until(&stepped);
	assert_int_equal(stepped_descriptors(&stepped), 1);
	assert_in_range(until, rl_now() + 1, rl_now() + RL_SECOND);
	assert_false(stand_is_knocked_at(&stand));
	clock_stop(until);
	stepped_step(&stepped);
	assert_int_equal(stepped_descriptors(&stepped), 2);
	AWAIT(stepped_is_ready(&stepped)); /* the second one is connected, whatever comes first */
	finish_well(&stepped);
	dead_exhume(&dead);
}

static void all_dead_records_are_left_in_time(void **state)
{
	static const char *const records[] = { "127.0.0.2", "127.0.0.3", NULL };
	struct dead dead[] = { dead_bury("127.0.0.2", stand.hostile.port),
		dead_bury("127.0.0.3", stand.hostile.port) };
	struct stepped stepped;
	rl_time began;

	start_by_name(&stepped, records);
	began = rl_now();
	stepped_go(&stepped);
	await_name(&stepped);
	while (stepped_descriptors(&stepped) < 2) {
		clock_stop(stepped_until(&stepped));
		assert_true(stepped_go(&stepped));
	}
	assert_int_equal(stepped_until(&stepped), began + RL_SECOND);
	sit_out(&stepped, began, RL_SECOND);
	finish_badly(&stepped, "Cannot connect");
	dead_exhume(&dead[0]);
	dead_exhume(&dead[1]);
}

/* --- the greeting --- */

static void start_greeting(struct stepped *stepped)
{
	start(stepped);
	assert_true(stepped_go(stepped));
	stand_accept(&stand);
	assert_string_equal(stand_heard(&stand), "c i i ");
}

static void the_greeting_comes_byte_by_byte(void **state)
{
	struct stepped stepped;

	start_greeting(&stepped);
	for (const char *at = STAND_GREETING; *at; at++) {
		assert_false(stepped_is_ready(&stepped));
		assert_int_equal(stepped_step(&stepped), RL_NO);
		assert_int_equal(stepped.exchange.state, RL_EXCHANGE_CONNECTING);
		assert_string_equal(stand_heard(&stand), "");
		stand_say(&stand, at, 1);
		assert_true(stepped_is_ready(&stepped));
		assert_true(stepped_go(&stepped));
	}
	assert_string_equal(stand_heard(&stand), "h0 ");
	say(":1\r\n");
	assert_false(stepped_go(&stepped));
	assert_string_equal(stepped.told, "0=1 done");
	finish(&stepped);
}

static void the_greeting_is_cut_off(void **state)
{
	for (size_t end = 0; end < strlen(STAND_GREETING); end++) {
		struct stepped stepped;

		start_greeting(&stepped);
		stand_say(&stand, STAND_GREETING, end);
		stand_hang_up(&stand);
		assert_false(stepped_go(&stepped));
		assert_int_equal(stepped.error.cause, RL_CAUSE_TURNED_AWAY);
		finish_badly(&stepped, "unanswered:");
	}
}

/* Not the time for dialling is its limit, but the deadline. */
static void the_greeting_is_halted(void **state)
{
	for (size_t end = 0; end < strlen(STAND_GREETING); end++) {
		struct stepped stepped;

		start_greeting(&stepped);
		stand_say(&stand, STAND_GREETING, end);
		assert_true(stepped_go(&stepped));
		assert_int_equal(stepped_until(&stepped), stepped.exchange.loan.deadline);
		sit_out(&stepped, rl_now(), STEPPED_TIME);
		finish_badly(&stepped, "no answer within the timeout");
	}
}

/* Something comes all the time, but no answer. */
static void the_greeting_goes_on_for_ever(void **state)
{
	struct stepped stepped;
	rl_time deadline;

	start_greeting(&stepped);
	deadline = stepped.exchange.loan.deadline;
	say("+x");
	for (int i = 0; i < 100; i++) {
		say("x");
		assert_true(stepped_go(&stepped));
	}
	clock_stop(deadline);
	say("x");
	assert_false(stepped_go(&stepped));
	finish_badly(&stepped, "no answer within the timeout");
}

/* Nobody had looked for as long as the step is late; and had all of the time, if that is little. */
static void after_the_deadline_it_goes_on_for_as_long_as_that_is_late(void **state)
{
	static const rl_time late[] = { 0, RL_MILLISECOND, STEPPED_TIME / 2 };

	for (size_t i = 0; i < COUNT(late); i++) {
		struct stepped stepped;
		rl_time now;

		start_greeting(&stepped);
		now = stepped.exchange.loan.deadline + late[i];
		clock_stop(now);
		say("+OK\r\n");
		assert_int_equal(stepped_go(&stepped), late[i] > 0);
		if (late[i]) {
			assert_int_equal(stepped_until(&stepped), now + late[i]);
			sit_out(&stepped, now, late[i]);
		}
		finish_badly(&stepped, "no answer within the timeout");
	}
}

/* But for no longer than it had at the last look. */
static void nor_for_longer_than_there_was_left(void **state)
{
	struct stepped stepped;
	rl_time left;

	start_greeting(&stepped);
	clock_advance(STEPPED_TIME / 2);
	assert_true(stepped_go(&stepped));
	left = stepped.exchange.loan.deadline - rl_now();
	clock_advance(3 * STEPPED_TIME);
	say("+OK\r\n");
	assert_true(stepped_go(&stepped));
	assert_int_equal(stepped_until(&stepped), rl_now() + left);
	sit_out(&stepped, rl_now(), left);
	finish_badly(&stepped, "no answer within the timeout");
}

static void the_greeting_is_refused(void **state)
{
	static const struct {
		const char *words, *code;
	} refusals[] = {
		{ "-NOAUTH Authentication required.\r\n", "NOAUTH" },
		{ "-ERR max number of clients reached\r\n", "ERR" },
		{ "-DENIED Redis is running in protected mode\r\n", "DENIED" },
		{ "+OK\r\n$21\r\nredis_version:6.0.16\n\r\n", "ERR" },
	};

	for (size_t i = 0; i < COUNT(refusals); i++) {
		for (size_t end = 0; end < 2; end++) {
			const char *words = refusals[i].words;
			struct stepped stepped;

			start_greeting(&stepped);
			stand_say(&stand, words, end ? strlen(words) - 1 : 0);
			assert_true(stepped_go(&stepped));
			say(end ? words + strlen(words) - 1 : words);
			assert_int_equal(stepped_step(&stepped), RL_REFUSED);
			assert_string_equal(stepped.error.code, refusals[i].code);
			finish_badly(&stepped, "Redis at ");
		}
	}
}

/* --- TLS, with a server that has none --- */

static void start_tls(struct stepped *stepped)
{
	char text[160];

	if (!rl_tls_supported()) {
		skip();
	}
	snprintf(text, sizeof text, "rediss://%s?verify=0", stand.hostile.address);
	start_at(stepped, text);
	stepped_step(stepped);
	stand_accept(&stand);
	AWAIT(stepped_go(stepped) && stand_drain(&stand) > 0);
}

static void tls_is_halted(void **state)
{
	struct stepped stepped;

	start_tls(&stepped);
	assert_int_equal(stepped_descriptors(&stepped), 1);
	assert_false(stepped_is_ready(&stepped));
	sit_out(&stepped, rl_now(), RL_SECOND);
	finish_badly(&stepped, "TLS");
}

static void tls_is_cut_off(void **state)
{
	static const char *const before[] = { "", "\x16\x03\x03", "-ERR no\r\n" };

	for (size_t i = 0; i < COUNT(before); i++) {
		struct stepped stepped;

		start_tls(&stepped);
		say(before[i]);
		stand_hang_up(&stand);
		AWAIT(!stepped_go(&stepped));
		finish_badly(&stepped, "Redis at ");
	}
}

/* --- terms of the loan --- */

static void after_the_deadline_it_fails(void **state)
{
	struct stepped stepped;

	start(&stepped);
	stepped.exchange.loan.deadline = rl_now();
	assert_false(stepped_go(&stepped));
	finish_badly(&stepped, "");
}

/* A connection that the server closes soon after it was opened. */
static void break_one(struct stepped *stepped)
{
	stepped_begin(stepped, server);
	stepped_open(stepped, &stand);
	stand_hang_up(&stand);
	assert_false(stepped_go(stepped));
	assert_string_equal(stepped->told, "failed?");
	stepped_end(stepped);
}

static void it_pauses_before_the_next(void **state)
{
	for (int is_short = 0; is_short < 2; is_short++) {
		rl_time longest = is_short ? 2 * RL_MILLISECOND : 10 * RL_MILLISECOND;
		struct stepped stepped;
		rl_time until;

		start(&stepped);
		stepped_end(&stepped);
		break_one(&stepped);
		break_one(&stepped);
		if (is_short) {
			stepped.exchange.loan.deadline = rl_now() + 2 * longest;
		}
		stepped_begin(&stepped, server);
		assert_true(stepped_go(&stepped));
		until = stepped_until(&stepped);
		assert_int_equal(stepped_descriptors(&stepped), 0);
		assert_in_range(until, rl_now() + 1, rl_now() + longest);
		clock_stop(until - 1);
		assert_true(stepped_go(&stepped));
		assert_false(stand_is_knocked_at(&stand));
		clock_stop(until);
		finish_well(&stepped);
	}
}

/* Of an idle connection that the server has closed it is told; nothing was sent there. */
static void a_closed_one_is_replaced(void **state)
{
	struct stepped stepped;

	start(&stepped);
	stepped_open(&stepped, &stand);
	say(":1\r\n");
	assert_false(stepped_go(&stepped));
	stepped_end(&stepped);
	stand_hang_up(&stand);
	clock_advance(RL_SECOND);
	stepped_begin(&stepped, server);
	stepped_step(&stepped);
	assert_true(stepped.exchange.loan.reconnected);
	finish_well(&stepped);
}

static void start_side_by_side(struct stepped *stepped, bool insist)
{
	stepped->exchange.loan = (struct rl_loan){ .connect_timeout = RL_SECOND,
		.deadline = rl_now() + STEPPED_TIME,
		.side_by_side = true,
		.insist = insist,
		.timeout = STEPPED_TIME };
	stepped_begin(stepped, server);
}

/* At every byte of the greeting the next one goes on with it. */
static void side_by_side_an_opening_is_left_to_the_next(void **state)
{
	struct stepped stepped;

	start(&stepped);
	stepped_end(&stepped);
	start_side_by_side(&stepped, false);
	assert_true(stepped_go(&stepped));
	stand_accept(&stand);
	assert_string_equal(stand_heard(&stand), "c i i ");
	for (const char *at = STAND_GREETING; *at; at++) {
		rl_exchange_abandon(&stepped.exchange, NULL);
		assert_int_equal(stepped.exchange.state, RL_EXCHANGE_DONE);
		stepped_end(&stepped);
		start_side_by_side(&stepped, false);
		stand_say(&stand, at, 1);
		assert_true(stepped_go(&stepped));
		assert_false(stand_is_knocked_at(&stand));
	}
	assert_string_equal(stand_heard(&stand), "h0 ");
	say(":1\r\n");
	assert_false(stepped_go(&stepped));
	finish(&stepped);
}

/* For a second. */
static void side_by_side_a_failure_is_remembered(void **state)
{
	struct stepped stepped;

	start(&stepped);
	stepped_end(&stepped);
	start_side_by_side(&stepped, false);
	assert_true(stepped_go(&stepped));
	stand_accept(&stand);
	stand_hang_up(&stand);
	assert_false(stepped_go(&stepped));
	stepped_end(&stepped);
	for (rl_time by = 0; by < RL_SECOND; by += RL_SECOND - 1) {
		clock_advance(by);
		start_side_by_side(&stepped, false);
		assert_int_equal(stepped_step(&stepped), RL_UNREACHABLE);
		assert_string_equal(stepped.told, "failed");
		assert_false(stand_is_knocked_at(&stand));
		stepped_end(&stepped);
	}
	start_side_by_side(&stepped, true);
	assert_true(stepped_go(&stepped));
	assert_true(stand_is_knocked_at(&stand));
	finish_well(&stepped);
}

static void left_alone_an_opening_is_closed(void **state)
{
	struct stepped stepped;

	start_greeting(&stepped);
	rl_exchange_abandon(&stepped.exchange, NULL);
	stepped_end(&stepped);
	assert_true(stand_is_left(&stand));
	rl_server_unref(server);
	clock_reset();
}

/* --- */

static int set_up_socket(void **state)
{
	return hostile_start(&stand.hostile, place.folder, 0, NULL, NULL) ? 0 : -1;
}

static int set_up_port(void **state)
{
	return hostile_start_at_port(&stand.hostile, NULL, NULL) ? 0 : -1;
}

static int tidy(void **state)
{
	clock_reset();
	faults_silence_names(false);
	faults_resolve(NULL);
	stand_hang_up(&stand);
	hostile_stop(&stand.hostile);
	return 0;
}

static int begin(void **state)
{
	return throwaway_start(&place, false, NULL) ? 0 : -1;
}

static int end(void **state)
{
	throwaway_stop(&place);
	return 0;
}

int test_opening(void)
{
#define at_socket(name) cmocka_unit_test_setup_teardown(name, set_up_socket, tidy)
#define at_port(name)   cmocka_unit_test_setup_teardown(name, set_up_port, tidy)
	static const struct CMUnitTest tests[] = {
		at_socket(a_full_queue_is_tried_again),
		at_socket(a_full_queue_is_left_in_time),
		at_socket(one_that_refuses_fails_at_once),
		at_port(one_that_is_dead_is_left_in_time),
		at_port(a_name_is_looked_for_aside),
		at_port(a_silent_name_is_left_in_time),
		at_port(an_unknown_name_is_told),
		at_port(the_next_record_is_tried_beside_a_dead_one),
		at_port(all_dead_records_are_left_in_time),
		at_socket(the_greeting_comes_byte_by_byte),
		at_socket(the_greeting_is_cut_off),
		at_socket(the_greeting_is_halted),
		at_socket(the_greeting_goes_on_for_ever),
		at_socket(after_the_deadline_it_goes_on_for_as_long_as_that_is_late),
		at_socket(nor_for_longer_than_there_was_left),
		at_socket(the_greeting_is_refused),
		at_port(tls_is_halted),
		at_port(tls_is_cut_off),
		at_socket(after_the_deadline_it_fails),
		at_socket(it_pauses_before_the_next),
		at_socket(a_closed_one_is_replaced),
		at_socket(side_by_side_an_opening_is_left_to_the_next),
		at_socket(side_by_side_a_failure_is_remembered),
		at_socket(left_alone_an_opening_is_closed),
	};

	return cmocka_run_group_tests_name("opening", tests, begin, end);
}
