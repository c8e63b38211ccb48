#define _GNU_SOURCE
#include "stepped.h"
#include "clock.h"
#include "prompt.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "redis/address_syntax.h"

#define STEP_MAX (5 * RL_MILLISECOND) /* one that waits takes longer */

static const struct rl_script script = { "return 1", 8,
	"1111111111111111111111111111111111111111" };

/* --- what it sends --- */

static enum rl_status write_ahead(struct stepped *stepped, bool is_told)
{
	static const struct rl_text ahead = { "AHEAD", 5 };

	return rl_exchange_write_ahead(
		&stepped->exchange, &ahead, 1, is_told ? stepped->ahead : NULL, &stepped->error);
}

static enum rl_status write_words(struct stepped *stepped, char kind, const char *key)
{
	char *bytes = stepped->large ? calloc(stepped->large, 1) : NULL; /* gone after this step */
	struct rl_text large = { bytes ? bytes : "", stepped->large };
	struct rl_text words[] = { { "PLAIN", 5 }, rl_text_of(key), large };
	struct rl_eval eval = { .script = &script,
		.keys = { words[1] },
		.key_count = 1,
		.args = { large, { "0", 1 } },
		.arg_count = 2,
		.until_arg = kind == 'S' ? 1 : 0 };
	enum rl_status status = kind == 'p'
		? rl_exchange_write(&stepped->exchange, words, 3, &stepped->error)
		: rl_exchange_write_script(
			&stepped->exchange, &eval, stepped->exchange.loan.deadline, &stepped->error);

	free(bytes);
	return status;
}

/* Where the command's letters begin. */
static const char *find(const char *commands, size_t index)
{
	for (; index > 0; index--) {
		commands += strspn(commands, "aA") + 1;
	}
	return commands;
}

static enum rl_status write_one(
	void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error)
{
	static const struct rl_text rides = { "RIDER", 5 };
	struct stepped *stepped = context;
	const char *at = find(stepped->commands, index);
	char key[16];
	enum rl_status status = RL_OK;

	assert_ptr_equal(exchange, &stepped->exchange);
	if (stepped->fails && index == exchange->count - 1) {
		return rl_fail_for_memory(error);
	}
	for (; (*at == 'a' || *at == 'A') && status == RL_OK; at++) {
		status = write_ahead(stepped, *at == 'A');
	}
	if (*at == '-' || status != RL_OK) {
		return status == RL_OK ? RL_NO : status;
	}
	snprintf(key, sizeof key, "k%zu", index);
	status = write_words(stepped, *at, key);
	return status == RL_OK && at[1] == 'r'
		? rl_exchange_ride(exchange, &stepped->rider, &rides, 1, error)
		: status;
}

/* --- its steps --- */

static void prepare(struct stepped *stepped, struct rl_server *server)
{
	struct rl_exchange *exchange = &stepped->exchange;

	exchange->server = server;
	exchange->write = write_one;
	exchange->context = stepped;
	exchange->count = 0;
	for (const char *at = stepped->commands; *at; at++) {
		exchange->count += !strchr("aAr", *at);
	}
	if (!exchange->loan.deadline) {
		exchange->loan.connect_timeout = exchange->loan.timeout = STEPPED_TIME;
		exchange->loan.deadline = rl_now() + STEPPED_TIME;
	}
	stepped->told[0] = '\0';
	rl_polls_begin(&stepped->polls);
	rl_polls_until(&stepped->polls, 0); /* the first step */
}

struct rl_server *stepped_server(const char *text)
{
	static const struct rl_address_defaults defaults = {
		.connect_timeout = STEPPED_TIME, .timeout = STEPPED_TIME
	};
	struct rl_address *address;
	struct rl_server *server;
	struct rl_error error;

	assert_int_equal(rl_address_parse(rl_text_of(text), &defaults, &address, &error), RL_OK);
	server = rl_server_new(address);
	assert_non_null(server);
	return server;
}

void stepped_begin(struct stepped *stepped, struct rl_server *server)
{
	prepare(stepped, server);
	rl_exchange_begin(&stepped->exchange);
}

void stepped_follow(struct stepped *stepped, struct stepped *other)
{
	prepare(stepped, other->exchange.server);
	rl_exchange_follow(&stepped->exchange, &other->exchange);
}

bool stepped_is_over(const struct stepped *stepped)
{
	return stepped->exchange.state == RL_EXCHANGE_DONE
		|| stepped->exchange.state == RL_EXCHANGE_FAILED;
}

bool stepped_is_ready(const struct stepped *stepped)
{
	struct rl_polls polls = stepped->polls;

	return rl_now() >= polls.until || rl_poll(polls.fds, polls.count, 0) == RL_POLL_READY;
}

rl_time stepped_until(const struct stepped *stepped)
{
	return stepped->polls.until;
}

size_t stepped_descriptors(const struct stepped *stepped)
{
	return stepped->polls.count;
}

static void note(struct stepped *stepped, const char *text)
{
	size_t length = strlen(stepped->told);

	snprintf(stepped->told + length, sizeof stepped->told - length, "%s", text);
}

static void note_answer(struct stepped *stepped)
{
	const struct rl_reply *reply = stepped->exchange.reply;
	size_t index = stepped->exchange.index;
	char text[64];

	if (reply->type == RL_REPLY_ERROR) {
		snprintf(text, sizeof text, "%zu!%.*s ", index, (int)strcspn(reply->text, " "),
			reply->text);
	} else if (reply->type == RL_REPLY_INTEGER) {
		snprintf(text, sizeof text, "%zu=%lld ", index, (long long)reply->integer);
	} else {
		snprintf(text, sizeof text, "%zu=%.*s(%zu) ", index, (int)reply->length,
			reply->type == RL_REPLY_ARRAY || !reply->text ? "" : reply->text, reply->count);
	}
	note(stepped, text);
}

static void note_step(struct stepped *stepped, enum rl_status status)
{
	const struct rl_exchange *exchange = &stepped->exchange;

	if (status == RL_NO) {
		assert_false(stepped_is_over(stepped));
		assert_true(exchange->state == RL_EXCHANGE_CONNECTING || exchange->connection);
		assert_true(stepped_descriptors(stepped) > 0 || stepped_until(stepped) < RL_FOREVER);
	} else if (status == RL_OK && exchange->state != RL_EXCHANGE_DONE) {
		note_answer(stepped);
	} else {
		assert_int_equal(
			exchange->state, status == RL_OK ? RL_EXCHANGE_DONE : RL_EXCHANGE_FAILED);
		note(stepped, status == RL_OK ? "done" : "failed");
		note(stepped, exchange->is_unanswered ? "?" : "");
	}
}

static rl_time spent(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * RL_SECOND + time.tv_nsec;
}

/* What is large is copied, and TLS calculates: then only what it sleeps counts. */
static bool works_hard(const struct stepped *stepped)
{
	const struct rl_exchange *exchange = &stepped->exchange;

	return stepped->large > 0 || exchange->count > 100 || rl_server_address(exchange->server)->tls;
}

/* It has neither slept nor tried for long. */
static void expect_no_wait(const struct stepped *stepped, struct prompt_moment began, rl_time spent)
{
	bool is_excused = works_hard(stepped);
	rl_time took = clock_real() - began.at - (is_excused ? spent : 0);

	if (took >= STEP_MAX && took - prompt_since(began).excused >= STEP_MAX) {
		fail_msg("a step took %lld us", (long long)(took / RL_MICROSECOND));
	}
}

enum rl_status stepped_step(struct stepped *stepped)
{
	struct prompt_moment began = prompt_now();
	rl_time spent_before = spent();
	enum rl_status status;

	assert_false(stepped_is_over(stepped));
	rl_polls_begin(&stepped->polls);
	status = rl_exchange_go_on(&stepped->exchange, &stepped->polls, &stepped->error);
	expect_no_wait(stepped, began, spent() - spent_before);
	note_step(stepped, status);
	return status;
}

bool stepped_go(struct stepped *stepped)
{
	enum rl_status status;

	for (int steps = 0; !stepped_is_over(stepped); steps++) {
		assert_true(steps < 100000);
		status = stepped_step(stepped);
		stepped->rider.matters |= status == RL_OK && stepped->rider_matters;
		if (status == RL_NO && !stepped_is_ready(stepped)) {
			return true;
		}
	}
	return false;
}

void stepped_end(struct stepped *stepped)
{
	rl_exchange_end(&stepped->exchange);
}

/* --- its server --- */

struct rl_server *stand_server(const struct stand *stand)
{
	char text[128];

	snprintf(text, sizeof text, "%s%s", stand->hostile.port ? "redis://" : "",
		stand->hostile.address);
	return stepped_server(text);
}

static bool is_ready(int fd, short events, int timeout_ms)
{
	struct pollfd look = { .fd = fd, .events = events };

	return poll(&look, 1, timeout_ms) == 1;
}

bool stand_is_knocked_at(const struct stand *stand)
{
	return is_ready(stand->hostile.listener, POLLIN, 0);
}

void stand_accept(struct stand *stand)
{
	stand_hang_up(stand);
	assert_true(is_ready(stand->hostile.listener, POLLIN, 10000));
	stand->peer.server = &stand->hostile;
	stand->peer.fd = accept4(stand->hostile.listener, NULL, NULL, SOCK_CLOEXEC);
	stand->peer.input_length = 0;
	assert_true(stand->peer.fd > 0);
}

/* What it says of its deadline. */
static bool is_timed(const struct peer *peer)
{
	return peer->word_count == 6 && strcmp(peer->words[5], "0") != 0;
}

static void name(const struct peer *peer, char *text, size_t size)
{
	static const struct {
		const char *command, *letter;
	} names[] = { { "CLIENT", "c" }, { "INFO", "i" }, { "AHEAD", "a" }, { "RIDER", "r" } };
	const char *letters = is_timed(peer) ? "HT" : "ht";

	snprintf(text, size, "X ");
	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(peer->command, names[i].command) == 0) {
			snprintf(text, size, "%s ", names[i].letter);
		}
	}
	if (strcmp(peer->command, "PLAIN") == 0) {
		snprintf(text, size, "p%s ", peer->words[1] + 1);
	} else if (strcmp(peer->command, "EVALSHA") == 0
		&& strcmp(peer->words[1], script.sha1) == 0) {
		snprintf(text, size, "%c%s ", letters[0], peer->words[3] + 1);
	} else if (strcmp(peer->command, "EVAL") == 0 && strcmp(peer->words[1], script.text) == 0) {
		snprintf(text, size, "%c%s ", letters[1], peer->words[3] + 1);
	}
}

const char *stand_heard(struct stand *stand)
{
	size_t length = 0;

	stand->heard[0] = '\0';
	while (peer_has_command(&stand->peer)) {
		name(&stand->peer, stand->heard + length, sizeof stand->heard - length);
		length += strlen(stand->heard + length);
	}
	return stand->heard;
}

size_t stand_drain(struct stand *stand)
{
	static char room[65536];
	size_t drained = 0;
	ssize_t got;

	while ((got = recv(stand->peer.fd, room, sizeof room, MSG_DONTWAIT)) > 0) {
		drained += (size_t)got;
	}
	return drained;
}

void stand_say(struct stand *stand, const char *bytes, size_t length)
{
	assert_true(peer_write(&stand->peer, bytes, length));
}

void stand_hang_up(struct stand *stand)
{
	if (stand->peer.fd > 0) {
		close(stand->peer.fd);
		stand->peer.fd = -1;
	}
}

bool stand_is_left(struct stand *stand)
{
	stand_drain(stand);
	return is_ready(stand->peer.fd, POLLRDHUP, 0);
}

void stepped_open(struct stepped *stepped, struct stand *stand)
{
	bool is_known;

	assert_true(stepped_go(stepped));
	stand_accept(stand);
	AWAIT(stepped_go(stepped) && *stand_heard(stand)); /* over TCP it takes a moment */
	is_known = strcmp(stand->heard, "c ") == 0;
	assert_true(is_known || strcmp(stand->heard, "c i i ") == 0);
	stand_say(stand, STAND_GREETING, is_known ? strlen("+OK\r\n") : strlen(STAND_GREETING));
	AWAIT(stepped_go(stepped) && stepped->exchange.connection);
}
