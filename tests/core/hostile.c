#define _GNU_SOURCE
#include "hostile.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Registers the connection, so that hostile_stop() can end it. False: it is over. */
static bool take(struct hostile *server, int fd)
{
	bool ok;

	pthread_mutex_lock(&server->mutex);
	ok = !server->stopping;
	server->fd = ok ? fd : -1;
	pthread_mutex_unlock(&server->mutex);
	return ok;
}

static void drop(struct hostile *server, int fd)
{
	pthread_mutex_lock(&server->mutex);
	server->fd = -1;
	pthread_mutex_unlock(&server->mutex);
	close(fd);
}

static void *run(void *context)
{
	struct hostile *server = context;
	struct peer *peer = malloc(sizeof *peer);
	int fd;

	while ((fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		peer->server = server;
		peer->fd = fd;
		peer->number = ++server->connections;
		peer->input_length = 0;
		if (take(server, fd)) {
			server->serve(peer, server->context);
		}
		drop(server, fd);
	}
	free(peer);
	return NULL;
}

static void prepare(struct hostile *server, peer_function *serve, const void *context)
{
	memset(server, 0, sizeof *server);
	server->serve = serve;
	server->context = context;
	server->fd = -1;
	pthread_mutex_init(&server->mutex, NULL);
}

static bool begin(struct hostile *server, bool bound, int backlog)
{
	if (!bound || listen(server->listener, backlog) < 0
		|| (server->serve && pthread_create(&server->thread, NULL, run, server) != 0)) {
		close(server->listener);
		return false;
	}
	server->running = true;
	return true;
}

bool hostile_start(struct hostile *server, const char *folder, int backlog, peer_function *serve,
	const void *context)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	prepare(server, serve, context);
	snprintf(server->address, sizeof server->address, "unix://%s/hostile.sock", folder);
	strcpy(address.sun_path, server->address + strlen("unix://"));
	server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return begin(
		server, bind(server->listener, (struct sockaddr *)&address, sizeof address) == 0, backlog);
}

bool hostile_start_at_port(struct hostile *server, peer_function *serve, const void *context)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;
	bool bound;

	prepare(server, serve, context);
	server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bound = bind(server->listener, (struct sockaddr *)&address, sizeof address) == 0
		&& getsockname(server->listener, (struct sockaddr *)&address, &size) == 0;
	server->port = ntohs(address.sin_port);
	snprintf(server->address, sizeof server->address, "127.0.0.1:%d", server->port);
	return begin(server, bound, 5);
}

void hostile_stop(struct hostile *server)
{
	if (!server->running) {
		return;
	}
	pthread_mutex_lock(&server->mutex);
	server->stopping = true;
	if (server->fd >= 0) {
		shutdown(server->fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&server->mutex);
	shutdown(server->listener, SHUT_RDWR);
	if (server->serve) {
		pthread_join(server->thread, NULL);
	}
	close(server->listener);
	if (server->port == 0) {
		unlink(server->address + strlen("unix://"));
	}
	pthread_mutex_destroy(&server->mutex);
	server->running = false;
}

bool peer_write(struct peer *peer, const char *data, size_t length)
{
	while (length > 0) {
		ssize_t sent = send(peer->fd, data, length, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR) {
			return false;
		}
		if (sent > 0) {
			peer->server->written += (size_t)sent;
			data += sent;
			length -= (size_t)sent;
		}
	}
	return true;
}

bool peer_say(struct peer *peer, const char *text)
{
	return peer_write(peer, text, strlen(text));
}

static bool fill(struct peer *peer, int flags)
{
	ssize_t got;

	do {
		got = recv(peer->fd, peer->input + peer->input_length,
			sizeof peer->input - peer->input_length, flags);
	} while (got < 0 && errno == EINTR);
	peer->input_length += got > 0 ? (size_t)got : 0;
	return got > 0;
}

/* The number after `mark` at `at`, and the place behind its line; false if it is not all there. */
static bool read_head(const struct peer *peer, size_t *at, char mark, size_t *number)
{
	const char *start = peer->input + *at;
	const char *end = memchr(start, '\n', peer->input_length - *at);

	if (!end || *start != mark) {
		return false;
	}
	*number = strtoul(start + 1, NULL, 10);
	*at = (size_t)(end + 1 - peer->input);
	return true;
}

/* Takes a whole command off the input. */
static bool take_command(struct peer *peer)
{
	size_t at = 0, count, length;

	if (!read_head(peer, &at, '*', &count)) {
		return false;
	}
	memset(peer->words, 0, sizeof peer->words);
	for (size_t i = 0; i < count; i++) {
		if (!read_head(peer, &at, '$', &length) || peer->input_length - at < length + 2) {
			return false;
		}
		if (i == 0) {
			snprintf(peer->command, sizeof peer->command, "%.*s", (int)length, peer->input + at);
		}
		if (i < PEER_WORDS) {
			snprintf(peer->words[i], PEER_WORD_SIZE, "%.*s", (int)length, peer->input + at);
		}
		at += length + 2;
	}
	peer->word_count = count < PEER_WORDS ? count : PEER_WORDS;
	peer->input_length -= at;
	memmove(peer->input, peer->input + at, peer->input_length);
	return true;
}

bool peer_has_command(struct peer *peer)
{
	while (!take_command(peer)) {
		if (!fill(peer, MSG_DONTWAIT)) {
			return false;
		}
	}
	return true;
}

bool peer_read_command(struct peer *peer)
{
	for (;;) {
		while (!take_command(peer)) {
			if (!fill(peer, 0)) {
				return false;
			}
		}
		if (strcasecmp(peer->command, "INFO") != 0) {
			return true;
		}
		if (!peer_say(peer, "$0\r\n\r\n")) {
			return false;
		}
	}
}

bool peer_greet(struct peer *peer)
{
	do {
		if (!peer_read_command(peer) || !peer_say(peer, "+OK\r\n")) {
			return false;
		}
	} while (strcasecmp(peer->command, "CLIENT") != 0);
	return true;
}

void peer_await_end(struct peer *peer)
{
	do {
		peer->input_length = 0;
	} while (fill(peer, 0));
}

void hostile_sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}
