/*
 * Visitors of a site: asks a PHP-FPM for a page, each time by a connection of its own.
 *
 *     page SOCKET SCRIPT SESSION       orders and answers are those of turns.php
 *     page SOCKET SCRIPT               asks once, and prints what the page says
 *
 * A turn is a page: ASKED before the connection is made, RELEASED when PHP has closed it. Between
 * them the page has what it locks from GRANTED to RELEASING, which it says itself: it prints the
 * two, as hrtime() has them. HOLD_US goes to the page, as its query.
 */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* FastCGI 1.0: what a record begins with, and its types. */
enum {
	HEADER = 8,
	BEGIN_REQUEST = 1,
	END_REQUEST = 3,
	PARAMS = 4,
	STDIN = 5,
	STDOUT = 6
};

#define ROOM 8192

struct bytes {
	unsigned char data[ROOM];
	size_t length;
};

static struct sockaddr_un address = { .sun_family = AF_UNIX };
static const char *script, *session = "";

static void fail(const char *what)
{
	fprintf(stderr, "page: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* --- the request --- */

static void add(struct bytes *to, const void *bytes, size_t length)
{
	if (length > ROOM - to->length) {
		errno = EMSGSIZE;
		fail("the request");
	}
	memcpy(to->data + to->length, bytes, length);
	to->length += length;
}

static void add_record(struct bytes *to, int type, const void *content, size_t length)
{
	unsigned char header[HEADER] = { 1, type, 0, 1, length >> 8, length & 0xff };

	add(to, header, sizeof header);
	add(to, content, length);
}

/* Names and values are shorter than 128 bytes, whose lengths take one. */
static void add_param(struct bytes *to, const char *name, const char *format, ...)
{
	char value[128];
	va_list arguments;
	unsigned char lengths[2];

	va_start(arguments, format);
	if ((size_t)vsnprintf(value, sizeof value, format, arguments) >= sizeof value) {
		errno = EMSGSIZE;
		fail(name);
	}
	va_end(arguments);
	lengths[0] = strlen(name);
	lengths[1] = strlen(value);
	add(to, lengths, sizeof lengths);
	add(to, name, strlen(name));
	add(to, value, strlen(value));
}

static void make_request(struct bytes *request, int64_t hold_us)
{
	static const unsigned char responder[8] = { 0, 1 }; /* closes the connection when it is done */
	struct bytes params = { .length = 0 };

	add_param(&params, "SCRIPT_FILENAME", "%s", script);
	add_param(&params, "SCRIPT_NAME", "/page");
	add_param(&params, "REQUEST_URI", "/page");
	add_param(&params, "REQUEST_METHOD", "GET");
	add_param(&params, "SERVER_PROTOCOL", "HTTP/1.1");
	add_param(&params, "QUERY_STRING", "hold=%" PRId64, hold_us);
	add_param(&params, "HTTP_COOKIE", "PHPSESSID=%s", session);
	request->length = 0;
	add_record(request, BEGIN_REQUEST, responder, sizeof responder);
	add_record(request, PARAMS, params.data, params.length);
	add_record(request, PARAMS, "", 0);
	add_record(request, STDIN, "", 0);
}

/* --- the answer --- */

static int ask(const struct bytes *request)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) != 0
		|| send(fd, request->data, request->length, MSG_NOSIGNAL) != (ssize_t)request->length) {
		fail(address.sun_path);
	}
	return fd;
}

static void receive_all(int fd, struct bytes *answer)
{
	ssize_t count;

	answer->length = 0;
	while ((count = recv(fd, answer->data + answer->length, ROOM - answer->length, 0))
		> 0) {
		answer->length += (size_t)count;
	}
	if (count < 0) {
		fail("the answer");
	}
	close(fd);
}

/* Of all records, without the head of HTTP. Returns the text's end if PHP has said it is all. */
static const char *read_page(const struct bytes *answer, char text[ROOM + 1])
{
	size_t at = 0, length = 0;
	bool ended = false;
	char *body;

	while (answer->length - at >= HEADER) {
		const unsigned char *record = answer->data + at;
		size_t content = (size_t)record[4] << 8 | record[5], padding = record[6];

		if (HEADER + content + padding > answer->length - at) {
			break;
		}
		if (record[1] == STDOUT) {
			memcpy(text + length, record + HEADER, content);
			length += content;
		}
		ended = ended || record[1] == END_REQUEST;
		at += HEADER + content + padding;
	}
	text[length] = '\0';
	body = strstr(text, "\r\n\r\n");
	return ended && body ? body + 4 : NULL;
}

static const char *page(const struct bytes *request, char text[ROOM + 1])
{
	static struct bytes answer;
	const char *body;

	receive_all(ask(request), &answer);
	body = read_page(&answer, text);
	if (!body) {
		errno = EPROTO;
		fail(script);
	}
	return body;
}

/* --- turns --- */

struct turn {
	int64_t asked, granted, releasing, released;
};

static struct turn take_turn(const struct bytes *request)
{
	static char text[ROOM + 1];
	struct turn turn = { .asked = now() };
	const char *body = page(request, text);

	turn.released = now();
	if (sscanf(body, "%" SCNd64 " %" SCNd64, &turn.granted, &turn.releasing) != 2) {
		fprintf(stderr, "page: %s says: %s\n", script, body);
		exit(1);
	}
	return turn;
}

static void obey(const char *order)
{
	static struct turn *turns;
	static size_t room;
	struct bytes request;
	int64_t count, until, hold_us;
	size_t taken = 0;

	if (sscanf(order, "%" SCNd64 " %" SCNd64 " %" SCNd64, &count, &until, &hold_us) != 3) {
		errno = EINVAL;
		fail("the order");
	}
	make_request(&request, hold_us);
	while (count-- > 0 && (until == 0 || now() < until)) {
		if (taken == room) {
			room = room ? 2 * room : 1024;
			turns = realloc(turns, room * sizeof *turns);
			if (!turns) {
				fail("turns");
			}
		}
		turns[taken++] = take_turn(&request);
	}
	for (size_t i = 0; i < taken; i++) {
		printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", turns[i].asked,
			turns[i].granted, turns[i].releasing, turns[i].released);
	}
	printf("end\n");
	fflush(stdout);
}

int main(int count, char **arguments)
{
	char order[128];

	if (count < 3 || strlen(arguments[1]) >= sizeof address.sun_path) {
		fprintf(stderr, "usage: page SOCKET SCRIPT [SESSION]\n");
		return 2;
	}
	strcpy(address.sun_path, arguments[1]);
	script = arguments[2];
	if (count == 3) {
		static char text[ROOM + 1];
		struct bytes request;

		make_request(&request, 0);
		printf("%s\n", page(&request, text));
		return 0;
	}
	session = arguments[3];
	printf("ready\n");
	fflush(stdout);
	while (fgets(order, sizeof order, stdin)) {
		obey(order);
	}
	return 0;
}
