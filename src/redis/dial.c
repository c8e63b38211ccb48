#include "dial.h"
#include "../base/socket.h"

#include <stdio.h>
#include <string.h>

static int finish_connect(int fd, rl_time deadline)
{
	struct rl_pollfd poll = { .fd = fd, .want_write = true };
	enum rl_poll_result result;

	do {
		result = rl_poll(&poll, 1, deadline);
	} while (result == RL_POLL_SIGNAL);
	return result == RL_POLL_DEADLINE ? RL_SOCKET_TIMED_OUT : rl_socket_outcome(fd);
}

/* 0 and a descriptor, or a failure. */
static int connect_to(int family, const struct sockaddr *peer, socklen_t size, rl_time deadline, int *out)
{
	int fd;
	int failure = rl_socket_open(family, &fd);

	if (failure) {
		return failure;
	}
	failure = rl_socket_connect(fd, peer, size);
	if (failure == RL_SOCKET_PENDING) {
		failure = finish_connect(fd, deadline);
	}
	if (failure) {
		rl_socket_close(fd);
		return failure;
	}
	*out = fd;
	return 0;
}

static enum rl_status unreachable(const struct rl_address *address, const char *reason, struct rl_error *error)
{
	return rl_fail(error, RL_UNREACHABLE, "Cannot connect to Redis at %s: %s", address->name, reason);
}

static enum rl_status failed(const struct rl_address *address, int failure, struct rl_error *error)
{
	char reason[128];

	return unreachable(address, rl_socket_text(failure, reason, sizeof reason), error);
}

static enum rl_status dial_unix(const struct rl_address *address, rl_time deadline, int *fd, struct rl_error *error)
{
	struct sockaddr_un peer = { .sun_family = AF_UNIX };
	int failure;

	memcpy(peer.sun_path, address->path, strlen(address->path) + 1); /* its length was checked when it was parsed */
	while ((failure = connect_to(AF_UNIX, (struct sockaddr *)&peer, sizeof peer, deadline, fd)) == RL_SOCKET_BUSY
		&& rl_now() < deadline) {
		rl_time pause = rl_now() + RL_MILLISECOND;

		rl_poll(NULL, 0, pause < deadline ? pause : deadline);
	}
	return failure ? failed(address, failure, error) : RL_OK;
}

static void tune(int fd)
{
	int on = 1;

	/* Best effort: without them it is slower to send, or to notice a dead peer. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, (const void *)&on, sizeof on);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, (const void *)&on, sizeof on);
}

static enum rl_status dial_tcp(const struct rl_address *address, rl_time deadline, int *fd, struct rl_error *error)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct addrinfo *peers;
	char port[16];
	int failure;

	snprintf(port, sizeof port, "%d", address->port);
	failure = getaddrinfo(address->host, port, &hints, &peers);
	if (failure) {
		return unreachable(address, gai_strerror(failure), error);
	}
	failure = RL_SOCKET_TIMED_OUT;
	for (struct addrinfo *peer = peers; peer && rl_now() < deadline; peer = peer->ai_next) {
		failure = connect_to(peer->ai_family, peer->ai_addr, peer->ai_addrlen, deadline, fd);
		if (!failure) {
			break;
		}
	}
	freeaddrinfo(peers);
	if (failure) {
		return failed(address, failure, error);
	}
	tune(*fd);
	return RL_OK;
}

enum rl_status rl_dial(const struct rl_address *address, rl_time deadline, int *fd, struct rl_error *error)
{
	return address->kind == RL_ADDRESS_UNIX
		? dial_unix(address, deadline, fd, error)
		: dial_tcp(address, deadline, fd, error);
}
