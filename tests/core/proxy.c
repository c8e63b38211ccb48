#define _GNU_SOURCE
#include "proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BUFFER  (256 * 1024)
#define ANSWERS 1024

/* One direction's bytes that have come and were not passed on yet. */
struct stream {
	int fd; /* where they come from */
	size_t length;
	char bytes[BUFFER];
};

/* What happens to an answer that is out. */
struct due {
	int fault;          /* -1: nothing */
	const char *answer; /* PROXY_ANSWER */
	bool is_nonsense;   /* before the connection ends */
};

struct proxy_pair {
	struct stream client, server;
	struct due due[ANSWERS]; /* in order */
	size_t due_count;
	bool stalled, held;
	bool left; /* by its client, while stalled: what it had sent is on its way all the same */
};

/* A command that was kept. */
struct proxy_late {
	struct proxy_late *next;
	size_t length;
	char bytes[];
};

/* --- where a command and an answer end --- */

/* The whole line at `at`, without its end; `at` moves behind it. False: not all there. */
static bool take_line(const struct stream *stream, size_t *at, const char **line)
{
	const char *end = *at < stream->length ? memchr(stream->bytes + *at, '\n', stream->length - *at)
										   : NULL;

	*line = stream->bytes + *at;
	if (end) {
		*at = (size_t)(end + 1 - stream->bytes);
	}
	return end != NULL;
}

/* Skips one value of the protocol. */
static bool take_value(const struct stream *stream, size_t *at)
{
	const char *line;
	long long count;

	if (!take_line(stream, at, &line)) {
		return false;
	}
	count = strtoll(line + 1, NULL, 10);
	if (*line == '$' && count >= 0) {
		*at += (size_t)count + 2;
		return *at <= stream->length;
	}
	if (*line == '*') {
		while (count-- > 0) {
			if (!take_value(stream, at)) {
				return false;
			}
		}
	}
	return true;
}

struct word {
	const char *text;
	size_t length;
};

/* The first two words of the command that begins at `at`. */
static void read_words(const struct stream *stream, size_t at, struct word words[2])
{
	const char *line;
	long count;

	memset(words, 0, 2 * sizeof words[0]);
	take_line(stream, &at, &line);
	count = strtol(line + 1, NULL, 10);
	for (long i = 0; i < count && i < 2; i++) {
		take_line(stream, &at, &line);
		words[i] = (struct word){ stream->bytes + at, strtoul(line + 1, NULL, 10) };
		at += words[i].length + 2;
	}
}

static void drop_bytes(struct stream *stream, size_t at, size_t count)
{
	stream->length -= count;
	memmove(stream->bytes + at, stream->bytes + at + count, stream->length - at);
}

/* --- the rules --- */

static bool is_word(struct word word, const char *text)
{
	return word.length == strlen(text) && strncasecmp(word.text, text, word.length) == 0;
}

static bool matches(const struct proxy_rule *rule, const struct word words[2])
{
	if (!rule->script) {
		return is_word(words[0], rule->word);
	}
	return (is_word(words[0], "EVALSHA") && is_word(words[1], rule->script->sha1))
		|| (is_word(words[0], "EVAL") && is_word(words[1], rule->script->text));
}

/* Of the command that begins at `at`; its fault is -1: none applies. */
static struct due find_fault(struct proxy *proxy, const struct stream *stream, size_t at)
{
	struct word words[2];

	read_words(stream, at, words);
	for (size_t i = 0; i < proxy->rule_count; i++) {
		struct proxy_rule *rule = &proxy->rules[i];

		if (!matches(rule, words) || rule->times == 0) {
			continue;
		}
		if (rule->skip > 0) {
			rule->skip--;
			continue;
		}
		rule->times--;
		proxy->struck++;
		return (struct due){ .fault = (int)rule->fault,
			.answer = rule->answer,
			.is_nonsense = rule->fails && rule->times == 0 };
	}
	return (struct due){ .fault = -1 };
}

/* --- passing on --- */

static bool pass(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR) {
			return false;
		}
		bytes += sent > 0 ? sent : 0;
		length -= sent > 0 ? (size_t)sent : 0;
	}
	return true;
}

static void keep_late(struct proxy *proxy, const char *bytes, size_t length)
{
	struct proxy_late **link = &proxy->lates, *late = malloc(sizeof *late + length);

	if (!late) {
		return;
	}
	while (*link) {
		link = &(*link)->next;
	}
	*late = (struct proxy_late){ .length = length };
	memcpy(late->bytes, bytes, length);
	*link = late;
}

/* The connection is to end, and is of no more use. */
static bool end(struct proxy_pair *pair, struct due due)
{
	if (due.is_nonsense) {
		pass(pair->client.fd, "?\r\n", 3);
	}
	return false;
}

static bool expect(struct proxy_pair *pair, struct due due)
{
	if (pair->due_count == ANSWERS) {
		return false;
	}
	pair->due[pair->due_count++] = due;
	return true;
}

/*
 * All in one piece, as a server that was frozen finds them in its socket: one that reads two
 * commands one by one meets a closed connection when it answers the first, and never reads the
 * second. False: the pair ends.
 */
static bool pass_commands(struct proxy *proxy, struct proxy_pair *pair)
{
	struct stream *from = &pair->client;
	size_t at = 0, after;
	bool goes_on = true;

	while (goes_on && !pair->stalled && (after = at, take_value(from, &after))) {
		struct due due = find_fault(proxy, from, at);

		switch (due.fault) {
			case PROXY_STALL:
				pair->stalled = true;
				break;
			case PROXY_LATE:
				keep_late(proxy, from->bytes + at, after - at);
				goes_on = end(pair, due);
				break;
			case PROXY_CUT_BEFORE:
				goes_on = end(pair, due);
				break;
			case PROXY_ANSWER:
				drop_bytes(from, at, after - at);
				goes_on = expect(pair, due);
				break;
			default:
				at = after;
				goes_on = expect(pair, due);
		}
	}
	goes_on = pass(pair->server.fd, from->bytes, at) && goes_on;
	drop_bytes(from, 0, at);
	return goes_on;
}

static void drop_due(struct proxy_pair *pair)
{
	if (pair->due_count) {
		pair->due_count--;
		memmove(pair->due, pair->due + 1, pair->due_count * sizeof pair->due[0]);
	}
}

/* The next answer, if it is there. False: the pair ends. */
static bool pass_answer(struct proxy_pair *pair, bool *passed)
{
	struct due due = pair->due_count ? pair->due[0] : (struct due){ .fault = -1 };
	size_t after = 0;

	*passed = false;
	if (due.fault == PROXY_ANSWER) {
		drop_due(pair);
		*passed = true;
		return pass(pair->client.fd, due.answer, strlen(due.answer));
	}
	if (!take_value(&pair->server, &after)) {
		return true;
	}
	if (due.fault == PROXY_CUT_AFTER) {
		return end(pair, due);
	}
	if (due.fault == PROXY_HOLD) {
		pair->due[0].fault = -1;
		pair->held = true;
		return true;
	}
	drop_due(pair);
	if (!pass(pair->client.fd, pair->server.bytes, after)) {
		return false;
	}
	drop_bytes(&pair->server, 0, after);
	*passed = true;
	return true;
}

static bool pass_answers(struct proxy_pair *pair)
{
	bool passed = true;

	while (!pair->held && passed) {
		if (!pass_answer(pair, &passed)) {
			return false;
		}
	}
	return true;
}

/* `flags`: 0, or MSG_DONTWAIT. False: nothing more comes. */
static bool fill(struct stream *stream, int flags)
{
	ssize_t got;

	if (stream->length == BUFFER) {
		return true;
	}
	do {
		got = recv(stream->fd, stream->bytes + stream->length, BUFFER - stream->length, flags);
	} while (got < 0 && errno == EINTR);
	stream->length += got > 0 ? (size_t)got : 0;
	return got > 0 || (got < 0 && errno == EAGAIN);
}

/* All that its client has sent by now, and whether it has left. */
static void catch_up(struct proxy_pair *pair)
{
	size_t before;

	do {
		before = pair->client.length;
		pair->left = !fill(&pair->client, MSG_DONTWAIT);
	} while (pair->client.length > before);
}

/* --- its connections --- */

static void end_pair(struct proxy *proxy, size_t i)
{
	close(proxy->pairs[i]->client.fd);
	close(proxy->pairs[i]->server.fd);
	free(proxy->pairs[i]);
	proxy->pairs[i] = NULL;
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void begin_pair(struct proxy *proxy)
{
	int client = accept4(proxy->listener, NULL, NULL, SOCK_CLOEXEC);
	int server = client < 0 ? -1 : connect_to(proxy->socket);
	size_t i = 0;

	while (i < PROXY_PAIRS && proxy->pairs[i]) {
		i++;
	}
	if (server >= 0 && i < PROXY_PAIRS && (proxy->pairs[i] = malloc(sizeof *proxy->pairs[i]))) {
		struct proxy_pair *pair = proxy->pairs[i];

		pair->client.fd = client;
		pair->server.fd = server;
		pair->client.length = pair->server.length = pair->due_count = 0;
		pair->stalled = pair->held = pair->left = false;
		proxy->connections++;
		return;
	}
	if (client >= 0) {
		close(client);
	}
	if (server >= 0) {
		close(server);
	}
}

/* Answers that would be held when they come. */
static void let_go_what_is_due(struct proxy_pair *pair)
{
	for (size_t i = 0; i < pair->due_count; i++) {
		if (pair->due[i].fault == PROXY_HOLD) {
			pair->due[i].fault = -1;
		}
	}
}

/*
 * In the test's own thread, so that it is done when the call returns: what has stalled would meet
 * the rules that the test adds next.
 */
static void go_on(struct proxy *proxy, bool let_go, bool cut)
{
	for (size_t i = 0; i < PROXY_PAIRS; i++) {
		struct proxy_pair *pair = proxy->pairs[i];

		if (pair && let_go) {
			catch_up(pair);
			pair->stalled = pair->held = false;
			let_go_what_is_due(pair);
		}
		if (pair
			&& (cut || !pass_commands(proxy, pair) || (pair->left && !pair->stalled)
				|| !pass_answers(pair))) {
			end_pair(proxy, i);
		}
	}
}

/* The thread looks at its connections anew. */
static void wake(struct proxy *proxy)
{
	ssize_t ignored = write(proxy->wake[1], "", 1);

	(void)ignored;
}

static void has_woken(struct proxy *proxy)
{
	char bytes[64];

	while (read(proxy->wake[0], bytes, sizeof bytes) == sizeof bytes) {
	}
}

static void serve(struct proxy *proxy, size_t i, short client, short server)
{
	struct proxy_pair *pair = proxy->pairs[i];
	bool go_on = true;

	if (client) {
		/* the test's own thread may have caught up meanwhile */
		pair->left = !fill(&pair->client, MSG_DONTWAIT);
		go_on = pair->left ? pair->stalled : pass_commands(proxy, pair);
	}
	if (go_on && server) {
		go_on = fill(&pair->server, MSG_DONTWAIT);
	}
	if (!go_on || !pass_answers(pair)) {
		end_pair(proxy, i);
	}
}

static void *run(void *context)
{
	struct proxy *proxy = context;
	struct pollfd polled[2 + 2 * PROXY_PAIRS];

	sem_post(&proxy->begun);
	for (;;) {
		polled[0] = (struct pollfd){ .fd = proxy->listener, .events = POLLIN };
		polled[1] = (struct pollfd){ .fd = proxy->wake[0], .events = POLLIN };
		pthread_mutex_lock(&proxy->mutex);
		for (size_t i = 0; i < PROXY_PAIRS; i++) {
			const struct proxy_pair *pair = proxy->pairs[i];

			polled[2 + 2 * i] = (struct pollfd){ .fd = pair && !pair->left ? pair->client.fd : -1,
				.events = POLLIN };
			polled[3 + 2 * i] = (struct pollfd){ .fd = pair ? pair->server.fd : -1,
				.events = POLLIN };
		}
		pthread_mutex_unlock(&proxy->mutex);
		if (poll(polled, 2 + 2 * PROXY_PAIRS, -1) < 0) {
			continue;
		}
		pthread_mutex_lock(&proxy->mutex);
		if (polled[1].revents) {
			has_woken(proxy);
		}
		if (proxy->stopping) {
			pthread_mutex_unlock(&proxy->mutex);
			break;
		}
		for (size_t i = 0; i < PROXY_PAIRS; i++) {
			if (proxy->pairs[i] && proxy->pairs[i]->client.fd == polled[2 + 2 * i].fd) {
				serve(proxy, i, polled[2 + 2 * i].revents, polled[3 + 2 * i].revents);
			}
		}
		if (polled[0].revents) {
			begin_pair(proxy);
		}
		pthread_mutex_unlock(&proxy->mutex);
	}
	for (size_t i = 0; i < PROXY_PAIRS; i++) {
		if (proxy->pairs[i]) {
			end_pair(proxy, i);
		}
	}
	return NULL;
}

/* --- for the test --- */

bool proxy_start(struct proxy *proxy, const char *folder, const char *server_socket)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	memset(proxy, 0, sizeof *proxy);
	snprintf(proxy->address, sizeof proxy->address, "unix://%s/proxy.sock", folder);
	snprintf(proxy->socket, sizeof proxy->socket, "%s", server_socket);
	strcpy(address.sun_path, proxy->address + strlen("unix://"));
	pthread_mutex_init(&proxy->mutex, NULL);
	sem_init(&proxy->begun, 0, 0);
	proxy->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (pipe2(proxy->wake, O_CLOEXEC | O_NONBLOCK) < 0
		|| bind(proxy->listener, (struct sockaddr *)&address, sizeof address) < 0
		|| listen(proxy->listener, 16) < 0
		|| pthread_create(&proxy->thread, NULL, run, proxy) != 0) {
		return false;
	}
	while (sem_wait(&proxy->begun) != 0) {
	}
	proxy->running = true;
	return true;
}

void proxy_stop(struct proxy *proxy)
{
	if (!proxy->running) {
		return;
	}
	pthread_mutex_lock(&proxy->mutex);
	proxy->stopping = true;
	pthread_mutex_unlock(&proxy->mutex);
	wake(proxy);
	pthread_join(proxy->thread, NULL);
	while (proxy->lates) {
		struct proxy_late *late = proxy->lates;

		proxy->lates = late->next;
		free(late);
	}
	close(proxy->listener);
	close(proxy->wake[0]);
	close(proxy->wake[1]);
	unlink(proxy->address + strlen("unix://"));
	pthread_mutex_destroy(&proxy->mutex);
	sem_destroy(&proxy->begun);
	proxy->running = false;
}

void proxy_add(struct proxy *proxy, struct proxy_rule rule)
{
	pthread_mutex_lock(&proxy->mutex);
	if (proxy->rule_count < PROXY_RULES) {
		proxy->rules[proxy->rule_count++] = rule;
	}
	pthread_mutex_unlock(&proxy->mutex);
}

void proxy_let_go(struct proxy *proxy)
{
	pthread_mutex_lock(&proxy->mutex);
	proxy->rule_count = 0;
	go_on(proxy, true, false);
	pthread_mutex_unlock(&proxy->mutex);
	wake(proxy);
}

/* One command on a connection of its own. */
static void deliver(const struct proxy *proxy, const struct proxy_late *late)
{
	struct stream *answer = malloc(sizeof *answer);
	size_t end = 0;

	if (!answer) {
		return;
	}
	*answer = (struct stream){ .fd = connect_to(proxy->socket) };
	if (answer->fd >= 0 && pass(answer->fd, late->bytes, late->length)) {
		while (fill(answer, 0) && !take_value(answer, &end)) {
			end = 0;
		}
	}
	close(answer->fd);
	free(answer);
}

unsigned proxy_deliver(struct proxy *proxy)
{
	struct proxy_late *late;
	unsigned count = 0;

	pthread_mutex_lock(&proxy->mutex);
	while ((late = proxy->lates)) {
		proxy->lates = late->next;
		deliver(proxy, late);
		free(late);
		count++;
	}
	pthread_mutex_unlock(&proxy->mutex);
	return count;
}

void proxy_cut(struct proxy *proxy)
{
	pthread_mutex_lock(&proxy->mutex);
	go_on(proxy, false, true);
	pthread_mutex_unlock(&proxy->mutex);
	wake(proxy);
}
