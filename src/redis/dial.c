#include "dial.h"
#include "../base/socket.h"

#include <stdio.h>
#include <string.h>

static enum rl_status unreachable(const struct rl_address *address, const char *reason, struct rl_error *error)
{
	return rl_fail(error, RL_UNREACHABLE, "Cannot connect to Redis at %s: %s", address->name, reason);
}

static enum rl_status failed(const struct rl_dial *dial, int failure, struct rl_error *error)
{
	char reason[128];

	return unreachable(dial->address, rl_socket_text(failure, reason, sizeof reason), error);
}

static void close_socket(struct rl_dial *dial)
{
	if (dial->fd >= 0) {
		rl_socket_close(dial->fd);
		dial->fd = -1;
	}
}

/* 0: connected; RL_SOCKET_PENDING; or a failure, without a socket. */
static int connect_to(struct rl_dial *dial, int family, const struct sockaddr *peer, socklen_t size)
{
	int failure = rl_socket_open(family, &dial->fd);

	if (failure) {
		dial->fd = -1;
		return failure;
	}
	failure = rl_socket_connect(dial->fd, peer, size);
	if (failure && failure != RL_SOCKET_PENDING) {
		close_socket(dial);
	}
	return failure;
}

static enum rl_status dial_unix(struct rl_dial *dial, struct rl_error *error)
{
	struct sockaddr_un peer = { .sun_family = AF_UNIX };
	int failure;

	memcpy(peer.sun_path, dial->address->path, strlen(dial->address->path) + 1); /* its length was checked when it was parsed */
	failure = connect_to(dial, AF_UNIX, (struct sockaddr *)&peer, sizeof peer);
	if (failure == RL_SOCKET_PENDING || failure == RL_SOCKET_BUSY) {
		return RL_NO;
	}
	return failure ? failed(dial, failure, error) : RL_OK;
}

static void tune(int fd)
{
	int on = 1;

	/* Best effort: without them it is slower to send, or to notice a dead peer. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, (const void *)&on, sizeof on);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, (const void *)&on, sizeof on);
}

/* From dial->peer on, the first that does not fail at once; `failure` is that of the one before. */
static enum rl_status dial_peers(struct rl_dial *dial, int failure, struct rl_error *error)
{
	for (; dial->peer; dial->peer = dial->peer->ai_next) {
		failure = connect_to(dial, dial->peer->ai_family, dial->peer->ai_addr, dial->peer->ai_addrlen);
		if (failure == RL_SOCKET_PENDING) {
			return RL_NO;
		}
		if (failure == 0) {
			tune(dial->fd);
			return RL_OK;
		}
	}
	return failed(dial, failure, error);
}

static enum rl_status dial_tcp(struct rl_dial *dial, struct rl_error *error)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	char port[16];
	int failure;

	snprintf(port, sizeof port, "%d", dial->address->port);
	failure = getaddrinfo(dial->address->host, port, &hints, &dial->peers);
	if (failure) {
		dial->peers = NULL;
		return unreachable(dial->address, gai_strerror(failure), error);
	}
	dial->peer = dial->peers;
	return dial_peers(dial, 0, error);
}

enum rl_status rl_dial_begin(struct rl_dial *dial, const struct rl_address *address, struct rl_error *error)
{
	*dial = (struct rl_dial){ .address = address, .fd = -1 };
	return address->kind == RL_ADDRESS_UNIX ? dial_unix(dial, error) : dial_tcp(dial, error);
}

enum rl_status rl_dial_go_on(struct rl_dial *dial, struct rl_error *error)
{
	int failure;

	if (dial->fd < 0) {
		return dial_unix(dial, error); /* its queue was full */
	}
	failure = rl_socket_outcome(dial->fd);
	if (failure) {
		close_socket(dial);
		if (!dial->peer) {
			return failed(dial, failure, error);
		}
		dial->peer = dial->peer->ai_next;
		return dial_peers(dial, failure, error);
	}
	if (dial->peer) {
		tune(dial->fd);
	}
	return RL_OK;
}

enum rl_status rl_dial_too_late(const struct rl_dial *dial, struct rl_error *error)
{
	return failed(dial, dial->fd < 0 ? RL_SOCKET_BUSY : RL_SOCKET_TIMED_OUT, error);
}

int rl_dial_take(struct rl_dial *dial)
{
	int fd = dial->fd;

	dial->fd = -1;
	return fd;
}

void rl_dial_end(struct rl_dial *dial)
{
	close_socket(dial);
	if (dial->peers) {
		freeaddrinfo(dial->peers);
		dial->peers = NULL;
	}
}
