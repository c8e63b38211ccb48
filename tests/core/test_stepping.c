/*
 * One exchange alone (src/redis/exchange.h), stepped by hand on a connection: each answer byte by
 * byte, cut off and halted behind each; what the server did not run, riders, leaving and following.
 * How the connection is opened is test_opening.c's.
 */
#include "clock.h"
#include "faults.h"
#include "stepped.h"
#include "testing.h"
#include "throwaway.h"

#include <unistd.h>

static struct throwaway place; /* its folder has the server's socket */
static struct stand stand;
static struct rl_server *server;

/* --- what is answered, in rows --- */

struct answer {
	const char *wire;
	const char *told; /* what is told once it is there */
};

struct sending {
	const char *heard; /* NULL: this was the last one */
	struct answer answers[5];
};

struct row {
	const char *what, *commands;
	const char *rider; /* what comes of it, if there is one: "ok", and its number; "refused" */
	enum rl_naming naming;
	bool rider_matters;
	struct sending sendings[4];
};

#define ONE(wire)  wire "\r\n"
#define NOSCRIPT   ONE("-NOSCRIPT No matching script")
#define LATE(time) ONE("-LATE " time)

static const struct row rows[] = {
	{ "one", "s", NULL, RL_BY_HASH, false, { { "h0 ", { { ONE(":1"), "0=1 " } } } } },
	{ "a plain one", "p", NULL, RL_BY_HASH, false, { { "p0 ", { { ONE("+OK"), "0=OK(0) " } } } } },
	{ "every kind", "ppppp", NULL, RL_BY_HASH, false,
		{ { "p0 p1 p2 p3 p4 ",
			{ { "*2\r\n:1\r\n*2\r\n$1\r\nx\r\n:2\r\n", "0=(2) " }, { ONE("$-1"), "1=(0) " },
				{ "$3\r\nabc\r\n", "2=abc(0) " }, { "*0\r\n", "3=(0) " },
				{ ONE(":-5"), "4=-5 " } } } } },
	{ "refused", "s", NULL, RL_BY_HASH, false, { { "h0 ", { { ONE("-OOM full"), "0!OOM " } } } } },
	{ "some refused", "sss", NULL, RL_BY_HASH, false,
		{ { "h0 h1 h2 ",
			{ { ONE("-OOM full"), "0!OOM " }, { ONE(":1"), "1=1 " },
				{ ONE("-MOVED 1 127.0.0.1:1"), "2!MOVED " } } } } },
	{ "some left out", "-s-s", NULL, RL_BY_HASH, false,
		{ { "h1 h3 ", { { ONE(":1"), "1=1 " }, { ONE(":2"), "3=2 " } } } } },
	{ "by text once", "sss", NULL, RL_BY_TEXT_ONCE, false,
		{ { "t0 h1 h2 ",
			{ { ONE(":1"), "0=1 " }, { ONE(":2"), "1=2 " }, { ONE(":3"), "2=3 " } } } } },
	{ "by text", "ss", NULL, RL_BY_TEXT, false,
		{ { "t0 t1 ", { { ONE(":1"), "0=1 " }, { ONE(":2"), "1=2 " } } } } },
	{ "behind one ahead", "as", NULL, RL_BY_HASH, false,
		{ { "a h0 ", { { ONE(":7"), "" }, { ONE(":1"), "0=1 " } } } } },
	{ "an unknown script", "s", NULL, RL_BY_HASH, false,
		{ { "h0 ", { { NOSCRIPT, "" } } }, { "t0 ", { { ONE(":1"), "0=1 " } } } } },
	{ "an unknown script ahead of which something goes", "as", NULL, RL_BY_HASH, false,
		{ { "a h0 ", { { ONE(":7"), "" }, { NOSCRIPT, "" } } },
			{ "a t0 ", { { ONE(":7"), "" }, { ONE(":1"), "0=1 " } } } } },
	{ "a deadline by a clock that was wrong", "S", NULL, RL_BY_HASH, false,
		{ { "h0 ", { { LATE("5000000"), "" } } }, { "T0 ", { { ONE(":1"), "0=1 " } } } } },
	{ "an unknown script, and then that", "S", NULL, RL_BY_HASH, false,
		{ { "h0 ", { { NOSCRIPT, "" } } }, { "t0 ", { { LATE("5000000"), "" } } },
			{ "H0 ", { { ONE(":1"), "0=1 " } } } } },
	{ "the other way round", "S", NULL, RL_BY_TEXT_ONCE, false,
		{ { "t0 ", { { LATE("5000000"), "" } } }, { "H0 ", { { NOSCRIPT, "" } } },
			{ "T0 ", { { ONE(":1"), "0=1 " } } } } },
	{ "not more than twice", "s", NULL, RL_BY_HASH, false,
		{ { "h0 ", { { NOSCRIPT, "" } } }, { "t0 ", { { NOSCRIPT, "" } } },
			{ "t0 ", { { NOSCRIPT, "0!NOSCRIPT " } } } } },
	{ "late three times", "S", NULL, RL_BY_HASH, false,
		{ { "h0 ", { { LATE("5000000"), "" } } }, { "T0 ", { { LATE("6000000"), "" } } },
			{ "H0 ", { { LATE("7000000"), "0!LATE " } } } } },
	{ "of several one is unknown", "sss", NULL, RL_BY_HASH, false,
		{ { "h0 h1 h2 ", { { ONE(":1"), "0=1 " }, { NOSCRIPT, "" }, { ONE(":3"), "2=3 " } } },
			{ "t1 ", { { ONE(":2"), "1=2 " } } } } },
	{ "the first one", "sss", NULL, RL_BY_HASH, false,
		{ { "h0 h1 h2 ",
			  { { NOSCRIPT, "" }, { ONE(":2"), "1=2 " }, { ONE("-OOM full"), "2!OOM " } } },
			{ "t0 ", { { ONE(":1"), "0=1 " } } } } },
	{ "all of several, by text once", "sss", NULL, RL_BY_HASH, false,
		{ { "h0 h1 h2 ", { { NOSCRIPT, "" }, { NOSCRIPT, "" }, { NOSCRIPT, "" } } },
			{ "t0 h1 h2 ",
				{ { ONE(":1"), "0=1 " }, { ONE(":2"), "1=2 " }, { ONE(":3"), "2=3 " } } } } },
	{ "two for one reason each, one of them twice", "SpS", NULL, RL_BY_HASH, false,
		{ { "h0 p1 h2 ",
			  { { LATE("5000000"), "" }, { ONE("+OK"), "1=OK(0) " }, { NOSCRIPT, "" } } },
			{ "T0 H2 ", { { ONE(":1"), "0=1 " }, { LATE("6000000"), "" } } },
			{ "H2 ", { { ONE(":3"), "2=3 " } } } } },
	{ "a rider", "sr", "ok 2", RL_BY_HASH, false,
		{ { "h0 r ", { { ONE(":1"), "0=1 " }, { ONE(":2"), "" } } } } },
	{ "a rider that matters", "sr", "ok 2", RL_BY_HASH, true,
		{ { "h0 r ", { { ONE(":1"), "0=1 " }, { ONE(":2"), "" } } } } },
	{ "a rider behind several", "ssr", "ok 2", RL_BY_HASH, true,
		{ { "h0 h1 r ",
			{ { ONE(":1"), "0=1 " }, { ONE("-OOM full"), "1!OOM " }, { ONE(":2"), "" } } } } },
	{ "a refused rider", "sr", "refused", RL_BY_HASH, true,
		{ { "h0 r ", { { ONE(":1"), "0=1 " }, { ONE("-ERR not here"), "" } } } } },
	{ "a rider that answers with no number", "sr", "ok", RL_BY_HASH, true,
		{ { "h0 r ", { { ONE(":1"), "0=1 " }, { ONE("+OK"), "" } } } } },
	{ "a rider of an unknown script", "sr", "ok 2", RL_BY_HASH, true,
		{ { "h0 r ", { { NOSCRIPT, "" }, { ONE(":0"), "" } } },
			{ "t0 r ", { { ONE(":1"), "0=1 " }, { ONE(":2"), "" } } } } },
	{ "a refused rider of an unknown script", "sr", "ok 2", RL_BY_HASH, true,
		{ { "h0 r ", { { NOSCRIPT, "" }, { ONE("-ERR not here"), "" } } },
			{ "t0 r ", { { ONE(":1"), "0=1 " }, { ONE(":2"), "" } } } } },
};

/* One row, up to behind this byte of all that is answered. */
struct trial {
	const struct row *row;
	struct stepped stepped;
	char expected[256]; /* what it has told */
	size_t said;
};

static void fail_trial(const struct trial *trial, const char *why)
{
	fail_msg("%s, behind byte %zu: %s: \"%s\", not \"%s\"", trial->row->what, trial->said, why,
		trial->stepped.told, trial->expected);
}

static void expect_told(const struct trial *trial)
{
	if (strcmp(trial->stepped.told, trial->expected) != 0) {
		fail_trial(trial, "it has told");
	}
}

static bool expect_heard(const struct trial *trial, const char *expected)
{
	const char *heard = stand_heard(&stand);

	if (strcmp(heard, expected) != 0) {
		fail_msg("%s, behind byte %zu: the server has heard \"%s\", not \"%s\"", trial->row->what,
			trial->said, heard, expected);
	}
	return *expected;
}

static void begin(struct trial *trial, const struct row *row)
{
	*trial = (struct trial){ .row = row,
		.stepped = { .commands = row->commands, .rider_matters = row->rider_matters } };
	trial->stepped.exchange.naming = row->naming;
	clock_stop(rl_now());
	server = stand_server(&stand);
	stepped_begin(&trial->stepped, server);
	stepped_open(&trial->stepped, &stand);
}

static void finish(struct trial *trial, bool is_kept)
{
	stepped_end(&trial->stepped);
	if (stand.peer.fd > 0) {
		assert_int_equal(stand_is_left(&stand), !is_kept);
	}
	rl_server_unref(server);
	clock_reset();
}

static bool is_last(const struct sending *sending, size_t answer)
{
	return !sending->answers[answer + 1].wire && !sending[1].heard;
}

/* Byte by byte: between two of them nothing happens, and each of them is awaited. */
static void drip(struct trial *trial, const struct sending *sending, size_t i)
{
	const struct answer *answer = &sending->answers[i];

	for (const char *at = answer->wire; *at; at++) {
		assert_false(stepped_is_ready(&trial->stepped));
		assert_true(stepped_step(&trial->stepped) == RL_NO);
		expect_heard(trial, "");
		stand_say(&stand, at, 1);
		trial->said++;
		assert_true(stepped_is_ready(&trial->stepped));
		strcat(trial->expected, at[1] ? "" : answer->told);
		strcat(trial->expected, !at[1] && is_last(sending, i) ? "done" : "");
		stepped_go(&trial->stepped);
		expect_told(trial);
	}
}

static void check_rider(const struct trial *trial)
{
	const struct rl_rider *rider = &trial->stepped.rider;
	char outcome[32] = "none";

	if (!trial->row->rider) {
		return;
	}
	if (rider->status == RL_OK && rider->count > 0) {
		snprintf(outcome, sizeof outcome, "ok %d", (int)rider->numbers[0]);
	} else if (rider->status == RL_OK) {
		strcpy(outcome, "ok");
	} else if (rider->status == RL_REFUSED) {
		strcpy(outcome, "refused");
		assert_string_equal(trial->stepped.error.code, "ERR");
	}
	assert_string_equal(outcome, trial->row->rider);
}

static void each_answer_comes_byte_by_byte(void **state)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct trial trial;

		begin(&trial, &rows[i]);
		for (const struct sending *sending = rows[i].sendings; sending->heard; sending++) {
			expect_heard(&trial, sending->heard);
			assert_int_equal(trial.stepped.exchange.sent_at, rl_now());
			clock_advance(RL_MILLISECOND);
			for (size_t j = 0; sending->answers[j].wire; j++) {
				drip(&trial, sending, j);
			}
		}
		assert_true(stepped_is_over(&trial.stepped));
		assert_false(trial.stepped.exchange.is_unanswered);
		check_rider(&trial);
		finish(&trial, true);
	}
}

/* --- cut off and halted --- */

/* Up to behind so many bytes of all answers. False: there are not so many. */
static bool say_up_to(struct trial *trial, size_t end)
{
	for (const struct sending *sending = trial->row->sendings; sending->heard; sending++) {
		expect_heard(trial, sending->heard);
		for (size_t i = 0; sending->answers[i].wire; i++) {
			const char *wire = sending->answers[i].wire;
			size_t length = strlen(wire), left = end - trial->said;

			if (left < length) {
				stand_say(&stand, wire, left);
				trial->said += left;
				return true;
			}
			stand_say(&stand, wire, length);
			trial->said += length;
			strcat(trial->expected, sending->answers[i].told);
		}
		if (sending[1].heard) {
			assert_true(stepped_go(&trial->stepped));
		}
	}
	return false;
}

/* The answer to the rider is what is missing. */
static bool is_trailing(const struct trial *trial)
{
	return trial->stepped.exchange.state == RL_EXCHANGE_TRAILING;
}

/* Its own answers are there, and that of the rider is lost. */
static void expect_done_without_rider(struct trial *trial)
{
	strcat(trial->expected, "done");
	assert_int_equal(trial->stepped.rider.status, RL_UNREACHABLE);
	assert_false(trial->stepped.exchange.is_unanswered);
}

/* Whether the last of its own answers is there, and may be used. */
static bool is_answered(const struct trial *trial)
{
	const struct sending *sending = trial->row->sendings;
	size_t length = 0;

	for (; sending[1].heard; sending++) {
		for (size_t i = 0; sending->answers[i].wire; i++) {
			length += strlen(sending->answers[i].wire);
		}
	}
	for (size_t i = 0; sending->answers[i + 1].wire; i++) {
		length += strlen(sending->answers[i].wire);
	}
	return trial->row->rider && trial->said >= length;
}

/* What is sent again for lack of the script goes to a new connection if the rider was lost. */
static bool begins_anew(struct trial *trial)
{
	bool anew = trial->stepped.exchange.state == RL_EXCHANGE_CONNECTING;

	if (anew) {
		assert_null(trial->stepped.exchange.connection);
		assert_true(stand_is_knocked_at(&stand));
	}
	return anew;
}

static void expect_end(struct trial *trial, bool more)
{
	if (more && is_answered(trial)) {
		expect_done_without_rider(trial);
	} else {
		strcat(trial->expected, more ? "failed?" : "done");
	}
	expect_told(trial);
}

static void each_answer_is_cut_off(void **state)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		bool more = true;

		for (size_t end = 0; more; end++) {
			struct trial trial;

			begin(&trial, &rows[i]);
			more = say_up_to(&trial, end);
			stand_hang_up(&stand);
			assert_true(stepped_is_ready(&trial.stepped));
			stepped_go(&trial.stepped);
			if (more && trial.stepped.error.cause != RL_CAUSE_CLOSED) {
				fail_trial(&trial, trial.stepped.error.message);
			}
			if (begins_anew(&trial)) {
				stand_accept(&stand);
			} else {
				expect_end(&trial, more);
			}
			finish(&trial, false);
		}
	}
}

/* Nothing comes any more: it lasts until the deadline, and not longer. */
static void sit_out(struct trial *trial)
{
	struct stepped *stepped = &trial->stepped;
	rl_time deadline = stepped->exchange.loan.deadline;
	bool soon = is_trailing(trial) && !stepped->rider.matters;
	rl_time until = soon ? rl_now() + 10 * RL_MILLISECOND : deadline;

	assert_int_equal(stepped_descriptors(stepped), 1);
	assert_in_range(stepped_until(stepped), rl_now(), until);
	clock_stop(stepped_until(stepped) - 1);
	assert_false(stepped_is_ready(stepped));
	assert_true(stepped_go(&trial->stepped));
	clock_advance(1);
	assert_true(stepped_is_ready(stepped));
	stepped_go(&trial->stepped);
}

static void each_answer_is_halted(void **state)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		bool more = true;

		for (size_t end = 0; more; end++) {
			struct trial trial;

			begin(&trial, &rows[i]);
			more = say_up_to(&trial, end);
			assert_int_equal(stepped_go(&trial.stepped), more);
			if (more) {
				sit_out(&trial);
			}
			if (begins_anew(&trial)) {
				stand_accept(&stand);
			} else {
				expect_end(&trial, more);
			}
			assert_true(!more || strstr(trial.stepped.error.message, "within the timeout"));
			finish(&trial, !more);
		}
	}
}

/* --- what else is sent --- */

static void start_on(struct stepped *stepped, const char *commands)
{
	*stepped = (struct stepped){ .commands = commands };
	server = stand_server(&stand);
	stepped_begin(stepped, server);
	stepped_open(stepped, &stand);
}

/* Another one with the same server, on an idle connection. */
static void start_next(struct stepped *stepped, const char *commands)
{
	*stepped = (struct stepped){ .commands = commands };
	stepped_begin(stepped, server);
	assert_true(stepped_go(stepped));
}

static void say(const char *words)
{
	stand_say(&stand, words, strlen(words));
}

/* The exchange is answered like this, and is over with it. */
static void answer(struct stepped *stepped, const char *words, const char *told)
{
	say(words);
	assert_false(stepped_go(stepped));
	assert_string_equal(stepped->told, told);
}

static void the_deadline_is_told_by_the_servers_clock(void **state)
{
	struct stepped stepped;
	rl_time sent_at;
	char until[32];

	clock_stop(1000 * RL_SECOND);
	start_on(&stepped, "S");
	assert_string_equal(stand_heard(&stand), "h0 ");
	sent_at = stepped.exchange.sent_at;
	clock_advance(RL_SECOND);
	say(LATE("7000000000"));
	assert_true(stepped_go(&stepped));
	assert_string_equal(stand_heard(&stand), "T0 ");
	snprintf(until, sizeof until, "%lld",
		(long long)(7000000000 + (stepped.exchange.loan.deadline - sent_at) / RL_MICROSECOND));
	assert_string_equal(stand.peer.words[5], until);
	answer(&stepped, ":1\r\n", "0=1 done");
	stepped_end(&stepped);
	/* What is known of it is known to those that follow. */
	start_next(&stepped, "S");
	assert_string_equal(stand_heard(&stand), "H0 ");
	answer(&stepped, ":1\r\n", "0=1 done");
	stepped_end(&stepped);
	rl_server_unref(server);
	clock_reset();
}

/* The same for answers as for a greeting (test_opening.c). */
static void after_the_deadline_it_goes_on_for_as_long_as_that_is_late(void **state)
{
	static const rl_time late[] = { RL_MILLISECOND, STEPPED_TIME / 2 };

	for (size_t i = 0; i < COUNT(late); i++) {
		struct stepped stepped;

		start_on(&stepped, "ss");
		clock_stop(stepped.exchange.loan.deadline + late[i]);
		say(":1\r\n");
		assert_true(stepped_go(&stepped));
		assert_int_equal(stepped_until(&stepped), rl_now() + late[i]);
		clock_advance(late[i]);
		assert_false(stepped_go(&stepped));
		assert_string_equal(stepped.told, "0=1 failed?");
		stepped_end(&stepped);
		rl_server_unref(server);
		clock_reset();
	}
}

/* Of which some are sent again. */
static void as_many_as_there_may_be(void **state)
{
	static char commands[RL_EXCHANGE_MAX + 1];
	struct stepped stepped;

	memset(commands, 's', RL_EXCHANGE_MAX);
	start_on(&stepped, commands);
	for (size_t i = 0; i < RL_EXCHANGE_MAX; i++) {
		bool unknown = i % 100 == 99 || i == RL_EXCHANGE_MAX - 1;

		assert_true(peer_read_command(&stand.peer));
		say(unknown ? NOSCRIPT : ":1\r\n");
		stepped.told[0] = '\0';
		assert_true(stepped_go(&stepped));
		assert_string_equal(stepped.told + strcspn(stepped.told, "="), unknown ? "" : "=1 ");
		assert_true(unknown || strtoul(stepped.told, NULL, 10) == i);
	}
	assert_string_equal(
		stand_heard(&stand), "t99 h199 h299 h399 h499 h599 h699 h799 h899 h999 h1023 ");
	for (size_t i = 0; i < 11; i++) {
		say(":2\r\n");
	}
	stepped.told[0] = '\0';
	assert_false(stepped_go(&stepped));
	assert_string_equal(stepped.told,
		"99=2 199=2 299=2 399=2 499=2 599=2 699=2 799=2 899=2 999=2 1023=2 done");
	stepped_end(&stepped);
	rl_server_unref(server);
}

static void with_nothing_to_send_it_is_done(void **state)
{
	struct stepped stepped = { .commands = "--" };

	server = stand_server(&stand);
	stepped_begin(&stepped, server);
	assert_true(stepped_go(&stepped));
	stand_accept(&stand);
	say(STAND_GREETING);
	assert_false(stepped_go(&stepped));
	assert_string_equal(stepped.told, "done");
	assert_null(stepped.exchange.reply);
	stepped_end(&stepped);
	assert_false(stand_is_left(&stand));
	rl_server_unref(server);
}

/* What was written of the others must not go out with what follows. */
static void what_cannot_be_written_fails(void **state)
{
	struct stepped stepped = { .commands = "ss", .fails = true };

	server = stand_server(&stand);
	stepped_begin(&stepped, server);
	assert_true(stepped_go(&stepped));
	stand_accept(&stand);
	stand_heard(&stand);
	say(STAND_GREETING);
	assert_false(stepped_go(&stepped));
	assert_string_equal(stepped.told, "failed");
	stepped_end(&stepped);
	assert_string_equal(stand_heard(&stand), "");
	assert_true(stand_is_left(&stand));
	rl_server_unref(server);
}

static void an_answer_too_many_ends_the_connection(void **state)
{
	struct stepped stepped;

	start_on(&stepped, "s");
	answer(&stepped, ":1\r\n:2\r\n", "0=1 done");
	stepped_end(&stepped);
	assert_true(stand_is_left(&stand));
	rl_server_unref(server);
}

/* An answer of so many parts, in pieces of which the first ends within it. */
static void say_parts(struct stepped *stepped, int parts)
{
	char head[16];

	snprintf(head, sizeof head, "*%d\r\n", parts);
	say(head);
	for (int i = 0; i < parts; i++) {
		say(":1\r\n");
		if (!stepped_is_over(stepped) && i < parts - 1) {
			stepped_go(stepped);
		}
	}
}

static void longer_answers_are_allowed_to_who_asks(void **state)
{
	struct stepped stepped = { .commands = "s", .exchange.reply_nodes = 200 };

	server = stand_server(&stand);
	stepped_begin(&stepped, server);
	stepped_open(&stepped, &stand);
	say_parts(&stepped, 200);
	assert_false(stepped_go(&stepped));
	assert_string_equal(stepped.told, "0=(200) done");
	stepped_end(&stepped);
	start_next(&stepped, "s");
	stand_say(&stand, "*200\r\n:1\r\n:1\r\n", 14);
	assert_false(stepped_go(&stepped));
	assert_string_equal(stepped.told, "failed?");
	stepped_end(&stepped);
	rl_server_unref(server);
}

/* Answers whatever was said, on whichever connection. It does not know the script. */
static void serve(void)
{
	static const struct {
		char letter;
		const char *answer;
	} answers[] = { { 'c', "+OK\r\n" }, { 'i', "$0\r\n\r\n" }, { 'a', ":0\r\n" },
		{ 'h', NOSCRIPT }, { 't', ":1\r\n" }, { 'r', ":2\r\n" } };

	if (stand_is_knocked_at(&stand)) {
		stand_accept(&stand);
	}
	for (const char *at = stand_heard(&stand); *at; at = strchr(at, ' ') + 1) {
		for (size_t i = 0; i < COUNT(answers); i++) {
			if (*at == answers[i].letter) {
				say(answers[i].answer);
			}
		}
	}
}

/* At every allocation. */
static void memory_that_runs_out_is_told(void **state)
{
	bool struck = true;

	for (long failing = 0; struck; failing++) {
		struct stepped stepped = { .commands = "asr", .rider_matters = true };

		assert_true(failing < 1000);
		server = stand_server(&stand);
		stepped_begin(&stepped, server);
		faults_memory(failing);
		while (stepped_go(&stepped)) {
			serve();
		}
		struck = faults_memory_struck();
		faults_memory(-1);
		assert_true(struck || strcmp(stepped.told, "0=1 done") == 0);
		stepped_end(&stepped);
		rl_server_unref(server);
	}
}

/* --- a socket that takes a part only --- */

static void every_part_that_is_sent_counts(void **state)
{
	bool broke = true;

	for (long part = 0; broke; part++) {
		struct stepped stepped;

		start_on(&stepped, "s");
		answer(&stepped, ":1\r\n", "0=1 done");
		stepped_end(&stepped);
		stepped = (struct stepped){ .commands = "sp" };
		stepped_begin(&stepped, server);
		faults_break_sending(part);
		if (stepped_go(&stepped)) { /* the system has taken all of it */
			stand_hang_up(&stand);
			stepped_go(&stepped);
		}
		broke = faults_sending_broke();
		faults_break_sending(-1);
		assert_string_equal(stepped.told, part ? "failed?" : "failed");
		assert_int_equal(stepped.exchange.is_unanswered, part > 0);
		stepped_end(&stepped);
		rl_server_unref(server);
	}
}

#define LARGE (2 * 1024 * 1024)

/* A request of which the system has taken as much as it does. */
static void start_large(struct stepped *stepped, size_t length)
{
	start_on(stepped, "s");
	answer(stepped, ":1\r\n", "0=1 done");
	stepped_end(stepped);
	stand_heard(&stand);
	*stepped = (struct stepped){ .commands = "s", .large = length };
	stepped_begin(stepped, server);
	assert_true(stepped_go(stepped));
	assert_int_equal(stepped->exchange.state, RL_EXCHANGE_SENDING);
	assert_false(stepped_is_ready(stepped));
}

static void it_sends_on_as_it_is_taken(void **state)
{
	struct stepped stepped;
	size_t drained = 0;
	unsigned steps = 0;

	start_large(&stepped, LARGE);
	while (stepped.exchange.state == RL_EXCHANGE_SENDING) {
		size_t taken = stand_drain(&stand);

		assert_true(taken > 0);
		drained += taken;
		assert_true(stepped_is_ready(&stepped));
		assert_true(stepped_go(&stepped));
		steps++;
	}
	assert_true(steps > 3);
	assert_true(drained + stand_drain(&stand) > LARGE);
	answer(&stepped, ":1\r\n", "0=1 done");
	stepped_end(&stepped);
	assert_false(stand_is_left(&stand));
	rl_server_unref(server);
}

static void a_part_is_cut_off(void **state)
{
	struct stepped stepped;

	start_large(&stepped, LARGE);
	stand_drain(&stand);
	stand_hang_up(&stand);
	assert_true(stepped_is_ready(&stepped));
	assert_false(stepped_go(&stepped));
	assert_string_equal(stepped.told, "failed?");
	stepped_end(&stepped);
	rl_server_unref(server);
}

static void a_part_is_halted(void **state)
{
	struct stepped stepped;

	start_large(&stepped, LARGE);
	assert_int_equal(stepped_until(&stepped), stepped.exchange.loan.deadline);
	clock_stop(stepped.exchange.loan.deadline - 1);
	assert_true(stepped_go(&stepped));
	clock_advance(1);
	assert_false(stepped_go(&stepped));
	assert_string_equal(stepped.told, "failed?");
	stepped_end(&stepped);
	rl_server_unref(server);
	clock_reset();
}

/* Both sides would wait to write, each until the other reads; and no step takes in all there is. */
static void answers_are_taken_in_meanwhile(void **state)
{
	static char flood[64 * 1024];
	struct stepped stepped;
	size_t said = 0;

	start_large(&stepped, LARGE);
	memset(flood, 'x', sizeof flood);
	say("$4000000\r\n");
	for (; stepped.exchange.connection->reader->len < RL_REPLY_MAX_BYTES; said += sizeof flood) {
		assert_true(said < 4000000);
		stand_say(&stand, flood, sizeof flood);
		assert_true(stepped_go(&stepped));
	}
	assert_int_equal(stepped.exchange.state, RL_EXCHANGE_SENDING);
	stand_say(&stand, flood, sizeof flood);
	assert_false(stepped_is_ready(&stepped)); /* more is not taken in, and does not wake it */
	stepped_end(&stepped);
	rl_server_unref(server);
}

/* --- riders --- */

static void start_rider(struct stepped *stepped, const char *words, bool matters)
{
	clock_stop(rl_now());
	start_on(stepped, "sr");
	assert_string_equal(stand_heard(&stand), "h0 r ");
	say(words);
	assert_int_equal(stepped_step(stepped), RL_OK);
	assert_int_equal(stepped->rider.status, RL_NO);
	stepped->rider.matters = matters;
	assert_true(stepped_go(stepped));
	assert_int_equal(stepped->exchange.state, RL_EXCHANGE_TRAILING);
}

static void end_rider(struct stepped *stepped, bool is_kept)
{
	assert_string_equal(stepped->told, "0=abc(0) done");
	stepped_end(stepped);
	assert_int_equal(stand_is_left(&stand), !is_kept);
	rl_server_unref(server);
	clock_reset();
}

#define ABC "$3\r\nabc\r\n"

/* The answer to the last command is still what it was. */
static void a_rider_leaves_the_reply_as_it_is(void **state)
{
	static const char *const answers[] = { ":7\r\n", "$5\r\nother\r\n", "*2\r\n:1\r\n$2\r\nxy\r\n",
		"-ERR no\r\n" };
	static const size_t numbers[] = { 1, 0, 1, 0 };

	for (size_t i = 0; i < COUNT(answers); i++) {
		struct stepped stepped;

		start_rider(&stepped, ABC, true);
		say(answers[i]);
		assert_false(stepped_go(&stepped));
		assert_int_equal(stepped.rider.status, i < 3 ? RL_OK : RL_REFUSED);
		assert_int_equal(stepped.rider.count, numbers[i]);
		assert_int_equal(stepped.exchange.reply->length, 3);
		assert_string_equal(stepped.exchange.reply->text, "abc");
		end_rider(&stepped, true);
	}
}

static void a_rider_that_matters_may_be_late(void **state)
{
	struct stepped stepped;

	start_rider(&stepped, ABC, true);
	assert_int_equal(stepped_until(&stepped), stepped.exchange.loan.deadline);
	clock_stop(stepped.exchange.loan.deadline - 1);
	assert_true(stepped_go(&stepped));
	say(":2\r\n");
	assert_false(stepped_go(&stepped));
	assert_int_equal(stepped.rider.status, RL_OK);
	assert_int_equal(stepped.rider.numbers[0], 2);
	end_rider(&stepped, true);
}

static void a_rider_that_does_not_is_left_soon(void **state)
{
	struct stepped stepped;

	start_rider(&stepped, ABC, false);
	assert_int_equal(stepped_until(&stepped), rl_now() + 10 * RL_MILLISECOND);
	clock_advance(10 * RL_MILLISECOND);
	assert_false(stepped_go(&stepped));
	assert_int_equal(stepped.rider.status, RL_UNREACHABLE);
	end_rider(&stepped, false);
}

/* And no later than the deadline. */
static void a_rider_is_left_at_the_deadline(void **state)
{
	struct stepped stepped;

	clock_stop(rl_now());
	start_on(&stepped, "sr");
	clock_stop(stepped.exchange.loan.deadline - RL_MILLISECOND);
	say(ABC);
	assert_true(stepped_go(&stepped));
	assert_int_equal(stepped_until(&stepped), stepped.exchange.loan.deadline);
	clock_advance(RL_MILLISECOND);
	assert_false(stepped_go(&stepped));
	assert_int_equal(stepped.rider.status, RL_UNREACHABLE);
	end_rider(&stepped, false);
}

/* What was not run is sent once more, on another connection: on this one its answer is out. */
static void lost_with_a_rider_it_goes_on_elsewhere(void **state)
{
	for (int cut = 0; cut < 2; cut++) {
		struct stepped stepped;

		clock_stop(rl_now());
		start_on(&stepped, "ssr");
		stand_heard(&stand);
		say(":1\r\n" NOSCRIPT);
		assert_true(stepped_go(&stepped));
		assert_string_equal(stepped.told, "0=1 ");
		if (cut) {
			stand_hang_up(&stand);
		} else {
			clock_advance(10 * RL_MILLISECOND);
		}
		assert_true(stepped_go(&stepped));
		stand_accept(&stand);
		assert_string_equal(stand_heard(&stand), "c ");
		say("+OK\r\n");
		assert_true(stepped_go(&stepped));
		assert_string_equal(stand_heard(&stand), "t1 r ");
		answer(&stepped, ":2\r\n:3\r\n", "0=1 1=2 done");
		assert_int_equal(stepped.rider.status, RL_OK);
		assert_int_equal(stepped.rider.numbers[0], 3);
		stepped_end(&stepped);
		assert_false(stand_is_left(&stand));
		rl_server_unref(server);
		clock_reset();
	}
}

/* --- leaving --- */

struct late {
	struct rl_deferred deferred;
	char told[16];
};

static struct late lates[4];
static char late_order[64];

static void hear_late(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct late *late = (struct late *)deferred;
	size_t length = strlen(late_order);

	snprintf(late_order + length, sizeof late_order - length, "%d=%s ", (int)(late - lates),
		!reply ? "lost" : reply->type == RL_REPLY_ERROR ? "refused"
														: "there");
}

/* Nobody is told of the second one. */
static struct rl_deferred *note_late(void *context, size_t index)
{
	lates[index].deferred = (struct rl_deferred){ .on_reply = hear_late };
	return index == 1 ? NULL : &lates[index].deferred;
}

static void leave(struct stepped *stepped, bool is_told)
{
	late_order[0] = '\0';
	rl_exchange_abandon(&stepped->exchange, is_told ? note_late : NULL);
	assert_int_equal(stepped->exchange.state, RL_EXCHANGE_DONE);
	stepped_end(stepped);
}

/* Left behind each byte, its connection is as good as new, and late answers are nobody else's. */
static void answers_that_are_out_are_left(void **state)
{
	static const char wire[] = ":1\r\n:2\r\n-OOM full\r\n$3\r\nabc\r\n";

	for (size_t end = 0; end < sizeof wire - 1; end++) {
		struct stepped stepped, next;

		start_on(&stepped, "ssss");
		stand_say(&stand, wire, end);
		assert_true(stepped_go(&stepped));
		leave(&stepped, true);
		stand_heard(&stand);
		start_next(&next, "s");
		assert_string_equal(stand_heard(&stand), "h0 ");
		stand_say(&stand, wire + end, sizeof wire - 1 - end);
		assert_true(stepped_go(&next));
		answer(&next, ":5\r\n", "0=5 done");
		assert_string_equal(late_order,
			end < 4 ? "0=there 2=refused 3=there " : end < 19 ? "2=refused 3=there "
															  : "3=there ");
		stepped_end(&next);
		assert_false(stand_is_left(&stand));
		rl_server_unref(server);
	}
}

/* Leaves a command, sends such an answer to it after all, and then the same command again. */
static void leave_and_repeat(
	struct stepped *stepped, enum rl_naming naming, bool is_told, const char *late)
{
	*stepped = (struct stepped){ .commands = "S", .exchange.naming = naming };
	server = stand_server(&stand);
	stepped_begin(stepped, server);
	stepped_open(stepped, &stand);
	leave(stepped, is_told);
	stand_heard(&stand);
	say(late);
	clock_advance(RL_SECOND);
	stepped_begin(stepped, server);
	assert_true(stepped_go(stepped));
}

static void what_is_left_teaches_as_well(void **state)
{
	for (int is_told = 0; is_told < 2; is_told++) {
		struct stepped stepped;
		char until[32];

		clock_stop(1000 * RL_SECOND);
		leave_and_repeat(&stepped, RL_BY_HASH, is_told, LATE("7000000000"));
		assert_string_equal(stand_heard(&stand), "H0 ");
		snprintf(until, sizeof until, "%lld",
			(long long)(7000000000
				+ (stepped.exchange.loan.deadline - 1000 * RL_SECOND) / RL_MICROSECOND));
		assert_string_equal(stand.peer.words[5], until);
		answer(&stepped, ":1\r\n", "0=1 done");
		stepped_end(&stepped);
		rl_server_unref(server);
		leave_and_repeat(&stepped, RL_BY_TEXT_ONCE, is_told, NOSCRIPT);
		assert_string_equal(stand_heard(&stand), "t0 ");
		answer(&stepped, ":1\r\n", "0=1 done");
		stepped_end(&stepped);
		rl_server_unref(server);
		clock_reset();
	}
}

/* Ended without a word, it may have been sent; and nothing is read there any more. */
static void one_that_is_ended_is_unanswered(void **state)
{
	for (int answers = 0; answers < 3; answers++) {
		struct stepped stepped;

		start_on(&stepped, "ss");
		stand_say(&stand, ":1\r\n:2\r\n", (size_t)answers * 4);
		assert_int_equal(stepped_go(&stepped), answers < 2);
		stepped_end(&stepped);
		assert_int_equal(stepped.exchange.is_unanswered, answers < 2);
		assert_int_equal(stand_is_left(&stand), answers < 2);
		rl_server_unref(server);
	}
}

static void those_who_wait_are_told_of_the_end(void **state)
{
	struct stepped stepped;

	start_on(&stepped, "sss");
	leave(&stepped, true);
	assert_string_equal(late_order, "");
	stand_hang_up(&stand);
	rl_server_unref(server);
	assert_string_equal(late_order, "0=lost 2=lost ");
}

static void nobody_has_to_be_told(void **state)
{
	struct stepped stepped, next;

	start_on(&stepped, "sssr");
	leave(&stepped, false);
	stand_heard(&stand);
	start_next(&next, "s");
	say(":1\r\n:2\r\n" NOSCRIPT ":4\r\n");
	assert_true(stepped_go(&next));
	answer(&next, ":5\r\n", "0=5 done");
	assert_string_equal(late_order, "");
	stepped_end(&next);
	rl_server_unref(server);
}

/* It goes with what is sent next, and before that. */
static void what_is_unsent_goes_with_the_next(void **state)
{
	struct stepped stepped, next;
	size_t drained = 0;

	start_large(&stepped, LARGE);
	leave(&stepped, true);
	next = (struct stepped){ .commands = "p" };
	stepped_begin(&next, server);
	assert_true(stepped_go(&next));
	while (next.exchange.state == RL_EXCHANGE_SENDING) {
		drained += stand_drain(&stand);
		assert_true(stepped_go(&next));
	}
	drained += stand_drain(&stand);
	assert_true(drained > LARGE);
	say(":1\r\n");
	assert_true(stepped_go(&next));
	assert_string_equal(late_order, "0=there ");
	answer(&next, ":2\r\n", "0=2 done");
	stepped_end(&next);
	assert_false(stand_is_left(&stand));
	rl_server_unref(server);
}

static void a_rider_that_is_out_is_left(void **state)
{
	struct stepped stepped, next;

	start_on(&stepped, "sr");
	leave(&stepped, true);
	stand_heard(&stand);
	start_next(&next, "s");
	say(":1\r\n:2\r\n");
	assert_true(stepped_go(&next));
	assert_string_equal(late_order, "0=there ");
	answer(&next, ":3\r\n", "0=3 done");
	stepped_end(&next);
	rl_server_unref(server);
}

/* Of a longer answer a part may have been read, for which there is room no longer. */
static void a_longer_answer_is_not_left(void **state)
{
	struct stepped stepped = { .commands = "s", .exchange.reply_nodes = 1000 };

	server = stand_server(&stand);
	stepped_begin(&stepped, server);
	stepped_open(&stepped, &stand);
	say("*200\r\n:1\r\n:1\r\n$3\r\na");
	assert_true(stepped_go(&stepped));
	leave(&stepped, true);
	assert_string_equal(late_order, "0=lost ");
	assert_true(stand_is_left(&stand));
	rl_server_unref(server);
}

/* A part of its answer may have been read aside. */
static void one_that_trails_is_closed(void **state)
{
	struct stepped stepped;

	start_rider(&stepped, ABC "$3\r\nx", true);
	leave(&stepped, true);
	assert_true(stand_is_left(&stand));
	assert_string_equal(late_order, "");
	rl_server_unref(server);
	clock_reset();
}

static void one_ahead_is_told_of(void **state)
{
	struct stepped stepped = { .commands = "As", .ahead = &lates[3].deferred };

	late_order[0] = '\0';
	lates[3].deferred.on_reply = hear_late;
	server = stand_server(&stand);
	stepped_begin(&stepped, server);
	stepped_open(&stepped, &stand);
	assert_string_equal(stand_heard(&stand), "a h0 ");
	say(":0\r\n");
	assert_true(stepped_go(&stepped));
	assert_string_equal(late_order, "3=there ");
	answer(&stepped, ":1\r\n", "0=1 done");
	stepped_end(&stepped);
	rl_server_unref(server);
}

/* --- following --- */

static void one_follows_on_the_same_connection(void **state)
{
	struct stepped first, second = { .commands = "ss" };

	start_on(&first, "s");
	answer(&first, ":1\r\n", "0=1 done");
	stepped_follow(&second, &first);
	assert_null(first.exchange.connection);
	assert_non_null(second.exchange.connection);
	stepped_end(&first);
	stand_heard(&stand);
	assert_true(stepped_go(&second));
	assert_string_equal(stand_heard(&stand), "h0 h1 ");
	answer(&second, ":2\r\n:3\r\n", "0=2 1=3 done");
	stepped_end(&second);
	assert_false(stand_is_left(&stand));
	assert_false(stand_is_knocked_at(&stand));
	rl_server_unref(server);
}

/* But not on one that broke, or on which something is out. */
static void after_a_failure_it_follows_on_another(void **state)
{
	for (int way = 0; way < 2; way++) {
		struct stepped first, second = { .commands = "s" };

		clock_stop(rl_now());
		start_on(&first, "sr");
		if (way) {
			stand_hang_up(&stand);
		} else {
			say(":1\r\n");
			assert_true(stepped_go(&first));
			clock_advance(10 * RL_MILLISECOND);
		}
		assert_false(stepped_go(&first));
		stepped_follow(&second, &first);
		assert_null(second.exchange.connection);
		stepped_end(&first);
		stepped_open(&second, &stand);
		assert_string_equal(stand_heard(&stand), "h0 ");
		answer(&second, ":2\r\n", "0=2 done");
		stepped_end(&second);
		rl_server_unref(server);
		clock_reset();
	}
}

/* A test that failed leaves nothing to the next. */
static int tidy(void **state)
{
	clock_reset();
	faults_memory(-1);
	faults_break_sending(-1);
	while (stand_is_knocked_at(&stand)) {
		stand_accept(&stand);
	}
	stand_hang_up(&stand);
	return 0;
}

static int start(void **state)
{
	return throwaway_start(&place, false, NULL)
			&& hostile_start(&stand.hostile, place.folder, 5, NULL, NULL)
		? 0
		: -1;
}

static int end(void **state)
{
	stand_hang_up(&stand);
	hostile_stop(&stand.hostile);
	throwaway_stop(&place);
	return 0;
}

int test_stepping(void)
{
#define test(name) cmocka_unit_test_teardown(name, tidy)
	static const struct CMUnitTest tests[] = {
		test(each_answer_comes_byte_by_byte),
		test(each_answer_is_cut_off),
		test(each_answer_is_halted),
		test(the_deadline_is_told_by_the_servers_clock),
		test(after_the_deadline_it_goes_on_for_as_long_as_that_is_late),
		test(as_many_as_there_may_be),
		test(with_nothing_to_send_it_is_done),
		test(what_cannot_be_written_fails),
		test(an_answer_too_many_ends_the_connection),
		test(longer_answers_are_allowed_to_who_asks),
		test(memory_that_runs_out_is_told),
		test(every_part_that_is_sent_counts),
		test(it_sends_on_as_it_is_taken),
		test(a_part_is_cut_off),
		test(a_part_is_halted),
		test(answers_are_taken_in_meanwhile),
		test(a_rider_leaves_the_reply_as_it_is),
		test(a_rider_that_matters_may_be_late),
		test(a_rider_that_does_not_is_left_soon),
		test(a_rider_is_left_at_the_deadline),
		test(lost_with_a_rider_it_goes_on_elsewhere),
		test(answers_that_are_out_are_left),
		test(what_is_left_teaches_as_well),
		test(one_that_is_ended_is_unanswered),
		test(those_who_wait_are_told_of_the_end),
		test(nobody_has_to_be_told),
		test(what_is_unsent_goes_with_the_next),
		test(a_rider_that_is_out_is_left),
		test(a_longer_answer_is_not_left),
		test(one_that_trails_is_closed),
		test(one_ahead_is_told_of),
		test(one_follows_on_the_same_connection),
		test(after_a_failure_it_follows_on_another),
	};

	return cmocka_run_group_tests_name("stepping", tests, start, end);
}
