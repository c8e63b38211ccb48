#include "dial.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int open_socket(int family)
{
#ifdef SOCK_CLOEXEC
	return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
	int fd = socket(family, SOCK_STREAM, 0);

	if (fd >= 0 && (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)) {
		close(fd);
		return -1;
	}
	return fd;
#endif
}

/* 0, or the errno of the failed connect. */
static int finish_connect(int fd, rl_time deadline)
{
	struct rl_pollfd poll = { .fd = fd, .want_write = true };
	enum rl_poll_result result;
	int failure = 0;
	socklen_t size = sizeof failure;

	do {
		result = rl_poll(&poll, 1, deadline);
	} while (result == RL_POLL_SIGNAL);
	if (result == RL_POLL_DEADLINE) {
		return ETIMEDOUT;
	}
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) < 0 ? errno : failure;
}

/* 0 and a descriptor, or an errno. */
static int connect_to(int family, const struct sockaddr *peer, socklen_t size, rl_time deadline, int *out)
{
	int failure = 0;
	int fd = open_socket(family);

	if (fd < 0) {
		return errno;
	}
	if (connect(fd, peer, size) < 0) {
		/* A unix socket whose backlog is full says EAGAIN and would not tell us when it is free. */
		failure = errno == EINPROGRESS || errno == EINTR ? finish_connect(fd, deadline) : errno;
	}
	if (failure) {
		close(fd);
		return failure;
	}
	*out = fd;
	return 0;
}

static enum rl_status unreachable(const struct rl_address *address, const char *reason, struct rl_error *error)
{
	return rl_fail(error, RL_UNREACHABLE, "Cannot connect to Redis at %s: %s", address->name, reason);
}

static enum rl_status dial_unix(const struct rl_address *address, rl_time deadline, int *fd, struct rl_error *error)
{
	struct sockaddr_un peer = { .sun_family = AF_UNIX };
	int failure;

	memcpy(peer.sun_path, address->path, strlen(address->path) + 1); /* its length was checked when it was parsed */
	while ((failure = connect_to(AF_UNIX, (struct sockaddr *)&peer, sizeof peer, deadline, fd)) == EAGAIN
		&& rl_now() < deadline) {
		rl_time pause = rl_now() + RL_MILLISECOND;

		rl_poll(NULL, 0, pause < deadline ? pause : deadline);
	}
	return failure ? unreachable(address, strerror(failure), error) : RL_OK;
}

static void tune(int fd)
{
	int on = 1;

	/* Best effort: without them it is slower to send, or to notice a dead peer. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
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
	failure = ETIMEDOUT;
	for (struct addrinfo *peer = peers; peer && rl_now() < deadline; peer = peer->ai_next) {
		failure = connect_to(peer->ai_family, peer->ai_addr, peer->ai_addrlen, deadline, fd);
		if (!failure) {
			break;
		}
	}
	freeaddrinfo(peers);
	if (failure) {
		return unreachable(address, strerror(failure), error);
	}
	tune(*fd);
	return RL_OK;
}

enum rl_status rl_dial(const struct rl_address *address, rl_time deadline, int *fd, struct rl_error *error)
{
	return address->kind == RL_ADDRESS_UNIX ? dial_unix(address, deadline, fd, error)
		: dial_tcp(address, deadline, fd, error);
}
