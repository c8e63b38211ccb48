#define _GNU_SOURCE
#include "scripted.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define WORD_SIZE 80
#define WIRE_SIZE 256

struct scripted scripted;
static struct peer left; /* what is on the connection that is not served any more */

const struct rl_script scripted_call = { "return 1", 8,
	"1111111111111111111111111111111111111111" };
const struct rl_script scripted_undo = { "return 2", 8,
	"2222222222222222222222222222222222222222" };
const struct rl_script scripted_next = { "return 3", 8,
	"3333333333333333333333333333333333333333" };

/* --- what is seen --- */

static void see(const struct peer *peer, const char *what)
{
	size_t length = strlen(scripted.seen);
	const char *letters = what[0] ? "ab" : "AB";

	if (scripted.last_server != peer->server || scripted.last_connection != peer->number) {
		length += (size_t)snprintf(scripted.seen + length, sizeof scripted.seen - length, "%s%c:",
			length ? " " : "", letters[peer->server - scripted.servers]);
		scripted.last_server = peer->server;
		scripted.last_connection = peer->number;
	}
	snprintf(scripted.seen + length, sizeof scripted.seen - length, "%s", what);
}

static bool runs(const struct peer *peer, const struct rl_script *script)
{
	return strcmp(peer->words[1], script->sha1) == 0 || strcmp(peer->words[1], script->text) == 0;
}

/* By what it calls its deadline, but for what is lost where microseconds are rounded. */
static bool knows_the_clock(const char *until)
{
	long long deadline = (scripted.deadline + scripted.clock_ahead) / RL_MICROSECOND;

	return scripted.clock_ahead && llabs(strtoll(until, NULL, 10) - deadline) <= 1;
}

/* Every sending has a moment of its own. */
static void note_sending(void)
{
	if (scripted.sending_count < sizeof scripted.sendings / sizeof scripted.sendings[0]) {
		scripted.sendings[scripted.sending_count++] = rl_now();
	}
	clock_advance(1);
}

static const char *name_call(const struct peer *peer)
{
	static const char *const names[] = { "h", "h1", "t", "t1", "H", "H1", "T", "T1" };
	const char *until = peer->words[peer->word_count - 1];
	bool by_text = strcmp(peer->words[0], "EVAL") == 0, timed = strcmp(until, "0") != 0;

	if (timed && !knows_the_clock(until)) {
		return "X";
	}
	return names[4 * timed + 2 * by_text + (strcmp(peer->words[2], "1") == 0)];
}

/*
 * Its time ends before the deadline, and takes most of what is left, or as much as is asked for at
 * once.
 */
static bool waits_well(const struct peer *peer)
{
	rl_time ends = atoi(peer->words[2]) * RL_MILLISECOND, left = scripted.deadline - rl_now();

	return atoi(peer->words[1]) == SCRIPTED_REPLICAS && ends > 0 && ends < SCRIPTED_TIME
		&& (ends == RL_SECOND / 2 || 2 * (ends + RL_MILLISECOND) > left);
}

static const char *name(const struct peer *peer)
{
	if (runs(peer, &scripted_call)) {
		note_sending();
		return name_call(peer);
	}
	if (strcmp(peer->words[0], "WAIT") == 0) {
		return waits_well(peer) ? "w" : "X";
	}
	if (runs(peer, &scripted_next)) {
		return "n";
	}
	if (runs(peer, &scripted_undo)) {
		return strcmp(peer->words[0], "EVAL") == 0 ? "u" : "X";
	}
	if (strcmp(peer->words[0], "CLUSTER") == 0) {
		return "m";
	}
	return strcmp(peer->words[0], "ASKING") == 0 ? "?" : "X";
}

/* --- what is done --- */

/* The script's next word, if it begins like that. */
static bool next(const char *beginning, char word[WORD_SIZE])
{
	char *at;
	unsigned long times = strtoul(scripted.rest, &at, 10);
	size_t length;

	at += times ? strlen("x ") : 0;
	length = strcspn(at, ",");
	if (!*at || strncmp(at, beginning, strlen(beginning)) != 0) {
		return false;
	}
	snprintf(word, WORD_SIZE, "%.*s", (int)length, at);
	if (++scripted.repeated >= times) {
		scripted.repeated = 0;
		scripted.rest = at + length + strspn(at + length, ", ");
	}
	return true;
}

static bool is_told(const char **word, const char *to)
{
	bool told = strncmp(*word, to, strlen(to)) == 0;

	if (told) {
		*word += strlen(to);
		*word += strspn(*word, " ");
	}
	return told;
}

/* The bytes of an answer, behind those that are to be sent together with it. */
static size_t form(char wire[WIRE_SIZE], const char *answer)
{
	size_t length = (size_t)snprintf(wire, WIRE_SIZE, "%s", scripted.held);

	scripted.held[0] = '\0';
	for (const char *at = answer; *at; at++) {
		const char *text = *at == ' ' && *answer == '*' ? "\r\n" : (char[]){ *at, '\0' };
		bool is_place = *at == '@' && at[1] >= '0' && at[1] <= '2';

		if (is_place) {
			at++;
			text = *at == '0' ? "127.0.0.1:1" : scripted.servers[*at - '1'].address;
		}
		length += (size_t)snprintf(
			wire + length, WIRE_SIZE - length, "%s%s", is_place ? "1 " : "", text);
	}
	return length + (size_t)snprintf(wire + length, WIRE_SIZE - length, *answer ? "\r\n" : "");
}

static void drip(struct peer *peer, const char *wire, size_t length)
{
	for (size_t i = 0; i < length && peer_write(peer, wire + i, 1); i++) {
		int unread = 1;

		for (int tries = 0; tries < 10000 && unread; tries++) {
			hostile_sleep_ms(1);
			ioctl(peer->fd, TIOCOUTQ, &unread);
		}
	}
}

/* What was said before is read first: it would be found late by nobody's fault but the test's. */
static void fall_silent(struct peer *peer)
{
	int unread = 1;

	for (int tries = 0; tries < 1000 && (unread || !clock_is_waited_by()); tries++) {
		hostile_sleep_ms(1);
		ioctl(peer->fd, TIOCOUTQ, &unread);
	}
	scripted.silent = true;
	clock_stop(scripted.deadline);
}

/* What is to be late is not there before its time. */
static void say(struct peer *peer, const char *wire, size_t length, bool late, bool cuts)
{
	if (late) {
		clock_hold();
	}
	peer_write(peer, wire, length);
	if (cuts) {
		shutdown(peer->fd, SHUT_RDWR);
	}
	if (late) {
		clock_stop(scripted.deadline - 5 * RL_MILLISECOND);
		clock_let_go();
	}
}

static void note_clock(const char *word)
{
	long long clock;

	if (sscanf(word, "-LATE %lld", &clock) == 1) {
		scripted.clock_ahead = clock * RL_MICROSECOND
			- scripted.sendings[scripted.sending_count - 1];
	}
}

static bool answer(struct peer *peer, const char *word);

static void answer_first(const struct peer *peer, const char *word)
{
	struct peer first = { .server = peer->server, .fd = scripted.left };

	scripted.left = scripted.first < 0 ? scripted.left : -1; /* before it is heard */
	answer(&first, word);
}

/* False: the connection ends. */
static bool answer(struct peer *peer, const char *word)
{
	bool to_first = is_told(&word, "first"), to_both = is_told(&word, "both");
	bool drips = is_told(&word, "drip"), late = is_told(&word, "late"), cuts, halts;
	char wire[WIRE_SIZE];
	size_t length;

	if (to_first) {
		scripted.first = scripted.left;
	}
	if (to_first || to_both) {
		answer_first(peer, word);
	}
	if (to_first) {
		return true;
	}
	if (is_told(&word, "die")) {
		scripted.dead = true;
		shutdown(peer->server->listener, SHUT_RDWR);
	}
	cuts = is_told(&word, "cut");
	halts = is_told(&word, "halt");
	note_clock(word);
	length = form(wire, word);
	if (length > 4 && memcmp(wire + length - 4, " &\r\n", 4) == 0) {
		snprintf(scripted.held, sizeof scripted.held, "%.*s\r\n", (int)length - 4, wire);
		return true;
	}
	if (drips) {
		drip(peer, wire, length);
		return true;
	}
	if (cuts || halts) {
		scripted.cuts = length > scripted.cuts ? length : scripted.cuts;
		length = length < scripted.cut_at ? length : scripted.cut_at;
	}
	say(peer, wire, length, late, cuts);
	if (halts) {
		fall_silent(peer);
	}
	return !cuts;
}

static bool obey(struct peer *peer, const char *word)
{
	struct linger none = { .l_onoff = 1 };

	if (strcmp(word, "reset") == 0) {
		setsockopt(peer->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
		return false;
	}
	if (strcmp(word, "leave") == 0) {
		left = *peer; /* with what it has read */
		scripted.left = left.fd = dup(peer->fd);
		return false;
	}
	return strcmp(word, "hold") == 0 || answer(peer, word);
}

void scripted_hear_left(void)
{
	if (scripted.left >= 0) {
		while (peer_read_command(&left)) {
			see(&left, name(&left));
		}
		close(scripted.left);
		scripted.left = -1;
	}
}

static bool tell_map(struct peer *peer)
{
	char map[WIRE_SIZE];

	snprintf(map, sizeof map,
		"*2\r\n*3\r\n:0\r\n:16382\r\n*2\r\n$9\r\n127.0.0.1\r\n:%d\r\n"
		"*3\r\n:16383\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:%d\r\n",
		scripted.servers[0].port, scripted.servers[1].port);
	return peer_say(peer, map);
}

static bool greet(struct peer *peer)
{
	char word[WORD_SIZE];

	see(peer, "");
	if (!next("(", word)) {
		return peer_greet(peer);
	}
	if (!peer_read_command(peer) || !answer(peer, word + 1)) {
		return false;
	}
	if (scripted.silent || scripted.first >= 0) {
		peer_await_end(peer);
	}
	return true;
}

/* The other side has ended it, or the request was longer than there is room for. */
static void end(struct peer *peer)
{
	char word[WORD_SIZE];

	if (peer->input_length == sizeof peer->input && !next("torn", word) && next("stuck", word)) {
		fall_silent(peer);
		peer_await_end(peer);
	}
}

static bool serve_one(struct peer *peer)
{
	char word[WORD_SIZE] = "-ERR this was not expected";
	const char *seen;

	if (!peer_read_command(peer)) {
		end(peer);
		return false;
	}
	seen = name(peer);
	see(peer, seen);
	if (*seen == 'n') {
		return peer_say(peer, ":1\r\n") && !scripted.closes;
	}
	if (*seen == 'm') {
		return tell_map(peer);
	}
	return scripted.silent || (next("", word), obey(peer, word));
}

static void serve_first(void)
{
	if (scripted.first >= 0) {
		while (serve_one(&left)) {
		}
		close(scripted.first);
		scripted.first = -1;
	}
}

static void serve(struct peer *peer, const void *context)
{
	if (greet(peer)) {
		while (serve_one(peer)) {
		}
	}
	serve_first();
	if (scripted.last_server == peer->server) {
		scripted.silent = false;
	}
}

/* --- */

bool scripted_start(const char *folder)
{
	scripted.silent = scripted.dead = false;
	scripted.left = scripted.first = -1;
	scripted_say("");
	return folder ? hostile_start(&scripted.servers[0], folder, 5, serve, NULL)
				  : hostile_start_at_port(&scripted.servers[0], serve, NULL)
			&& hostile_start_at_port(&scripted.servers[1], serve, NULL);
}

void scripted_stop(void)
{
	hostile_stop(&scripted.servers[0]);
	hostile_stop(&scripted.servers[1]);
}

void scripted_say(const char *script)
{
	scripted.rest = script;
	scripted.repeated = 0;
	scripted.seen[0] = scripted.held[0] = '\0';
	scripted.sending_count = 0;
	scripted.last_server = NULL;
	scripted.clock_ahead = 0;
}
