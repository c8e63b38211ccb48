#include "dial.h"
#include "lookup.h"
#include "../base/socket.h"

#include <stdio.h>
#include <string.h>

/* If a record has not answered after this time, the next one is tried. */
#define HEAD_START (250 * RL_MILLISECOND)
/*
 * Looks at a name that is being looked up, of which nothing tells when it is found: one from a file
 * or a cache is there at once. Doubled each time.
 */
#define FIRST_NAP   (RL_MILLISECOND / 20)
#define LONGEST_NAP RL_MILLISECOND

static enum rl_status cannot_connect(
	const struct rl_address *address, const char *reason, struct rl_error *error)
{
	return rl_fail(
		error, RL_UNREACHABLE, "Cannot connect to Redis at %s: %s", address->name, reason);
}

static enum rl_status not_resolved(
	const struct rl_address *address, const char *reason, struct rl_error *error)
{
	cannot_connect(address, reason, error);
	error->cause = RL_CAUSE_NAME;
	return RL_UNREACHABLE;
}

static enum rl_status failed(const struct rl_dial *dial, int failure, struct rl_error *error)
{
	char reason[128];

	return cannot_connect(dial->address, rl_socket_text(failure, reason, sizeof reason), error);
}

/* 0: connected; RL_SOCKET_IN_PROGRESS; or a failure, without a socket. */
static int connect_to(int family, const struct sockaddr *peer, socklen_t size, int *fd)
{
	int failure = rl_socket_open(family, fd);

	if (failure) {
		return failure;
	}
	failure = rl_socket_connect(*fd, peer, size);
	if (failure && failure != RL_SOCKET_IN_PROGRESS) {
		rl_socket_close(*fd);
	}
	return failure;
}

static void close_all(struct rl_dial *dial)
{
	while (dial->count > 0) {
		rl_socket_close(dial->sockets[--dial->count]);
	}
}

static void drop(struct rl_dial *dial, size_t i)
{
	rl_socket_close(dial->sockets[i]);
	dial->sockets[i] = dial->sockets[--dial->count];
}

/* Keeps this one alone. */
static enum rl_status succeed(struct rl_dial *dial, size_t i)
{
	int fd = dial->sockets[i];

	dial->sockets[i] = dial->sockets[0];
	dial->sockets[0] = fd;
	while (dial->count > 1) {
		drop(dial, 1);
	}
	return RL_OK;
}

/* What is too long was refused when it was parsed, and a pin's own name is short. */
static int connect_to_path(const char *path, int *fd)
{
	struct sockaddr_un peer = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof peer.sun_path) {
		return RL_SOCKET_TOO_LONG;
	}
	memcpy(peer.sun_path, path, strlen(path) + 1);
	return connect_to(AF_UNIX, (struct sockaddr *)&peer, sizeof peer, fd);
}

static enum rl_status dial_unix(struct rl_dial *dial, struct rl_error *error)
{
	struct rl_pin pin;
	bool allowed = rl_pin_begin(&pin, dial->address->bounds, dial->address->path);
	int failure = allowed ? connect_to_path(pin.path, &dial->sockets[0]) : 0;

	rl_pin_end(&pin);
	if (!allowed) {
		return cannot_connect(dial->address, RL_OUT_OF_BOUNDS, error);
	}
	if (failure == RL_SOCKET_BUSY) {
		dial->look_at = rl_now() + LONGEST_NAP;
		return RL_NO;
	}
	if (failure && failure != RL_SOCKET_IN_PROGRESS) {
		return failed(dial, failure, error);
	}
	dial->look_at = RL_FOREVER;
	dial->count = 1;
	return failure ? RL_NO : RL_OK;
}

static void set(int fd, int level, int option, int value)
{
	setsockopt(fd, level, option, (const void *)&value, sizeof value);
}

/*
 * A connection that is parked in a wait is silent for as long as that lasts. Probes keep what is on
 * its way (NAT, firewalls) from forgetting it, and end it when they are not answered.
 */
#define PROBE_AFTER 10 /* seconds of silence */
#define PROBE_EVERY 3
#define PROBES      3

static void tune(int fd)
{
	/* Best effort: without them it is slower to send, or to notice a dead peer. */
	set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
	set(fd, IPPROTO_TCP, TCP_KEEPIDLE, PROBE_AFTER);
#elif defined(TCP_KEEPALIVE)
	set(fd, IPPROTO_TCP, TCP_KEEPALIVE, PROBE_AFTER);
#endif
#ifdef TCP_KEEPINTVL
	set(fd, IPPROTO_TCP, TCP_KEEPINTVL, PROBE_EVERY);
	set(fd, IPPROTO_TCP, TCP_KEEPCNT, PROBES);
#endif
#ifdef TCP_USER_TIMEOUT
	set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
		1000 * (PROBE_AFTER + PROBES * PROBE_EVERY)); /* the same for what was sent */
#endif
}

/*
 * How long each record has to itself: at most an equal part of the time, of which one part is for
 * the last answer.
 */
static rl_time head_start(const struct rl_dial *dial)
{
	rl_time shares = 1, share;

	for (const struct addrinfo *peer = dial->peers; peer; peer = peer->ai_next) {
		shares++;
	}
	share = dial->connect_timeout / shares;
	return rl_time_earlier(share, HEAD_START);
}

/* Tries one record more, or several if they fail at once. 0: connected, or under way. */
static int try_next(struct rl_dial *dial, enum rl_status *status)
{
	int failure = RL_SOCKET_TIMED_OUT;

	while (dial->next && dial->count < RL_DIAL_MAX) {
		struct addrinfo *peer = dial->next;

		dial->next = peer->ai_next;
		failure = connect_to(
			peer->ai_family, peer->ai_addr, peer->ai_addrlen, &dial->sockets[dial->count]);
		if (failure == 0 || failure == RL_SOCKET_IN_PROGRESS) {
			dial->count++;
			*status = failure == 0 ? succeed(dial, dial->count - 1) : RL_NO;
			return 0;
		}
	}
	return failure;
}

/* What is awaited next, if it is not over. */
static enum rl_status conclude(
	struct rl_dial *dial, enum rl_status status, int failure, struct rl_error *error)
{
	if (status == RL_OK) {
		if (!dial->address->path) {
			tune(dial->sockets[0]);
		}
		return RL_OK;
	}
	return dial->count == 0 ? failed(dial, failure, error) : RL_NO;
}

static enum rl_status begin_next(struct rl_dial *dial, struct rl_error *error)
{
	enum rl_status status = RL_NO;
	int failure = try_next(dial, &status);

	dial->look_at = dial->next ? rl_now() + head_start(dial) : RL_FOREVER;
	return conclude(dial, status, failure, error);
}

/* RL_NO also while the name is being looked up. */
static enum rl_status dial_peers(struct rl_dial *dial, struct rl_error *error)
{
	int failure;

	if (!rl_lookup_result(dial->lookup, &dial->peers, &failure)) {
		dial->look_at = rl_now() + dial->nap;
		dial->nap = rl_time_earlier(2 * dial->nap, LONGEST_NAP);
		return RL_NO;
	}
	if (failure) {
		return not_resolved(dial->address, gai_strerror(failure), error);
	}
	dial->next = dial->peers;
	return begin_next(dial, error);
}

static enum rl_status dial_tcp(struct rl_dial *dial, struct rl_error *error)
{
	dial->lookup = rl_lookup_begin(dial->address->host, dial->address->port);
	return dial->lookup ? dial_peers(dial, error) : rl_fail_for_memory(error);
}

/* Under way, it waits for its sockets, or a moment. */
static enum rl_status await(
	const struct rl_dial *dial, enum rl_status status, struct rl_polls *polls)
{
	for (size_t i = 0; status == RL_NO && i < dial->count; i++) {
		rl_polls_add(polls, dial->sockets[i], false, true);
	}
	if (status == RL_NO) {
		rl_polls_until(polls, dial->look_at);
	}
	return status;
}

enum rl_status rl_dial_begin(struct rl_dial *dial, const struct rl_address *address,
	rl_time connect_timeout, struct rl_polls *polls, struct rl_error *error)
{
	enum rl_status status;

	*dial = (struct rl_dial){ .address = address,
		.connect_timeout = connect_timeout,
		.look_at = RL_FOREVER,
		.nap = FIRST_NAP };
	status = address->path ? dial_unix(dial, error) : dial_tcp(dial, error);
	return await(dial, status, polls);
}

/*
 * Looks at all its sockets. RL_OK: one is connected; RL_NO: none is. `*failure`: the last of
 * those that failed.
 */
static enum rl_status look(struct rl_dial *dial, int *failure)
{
	for (size_t i = 0; i < dial->count;) {
		int outcome = rl_socket_outcome(dial->sockets[i]);

		if (outcome == RL_SOCKET_IN_PROGRESS) {
			i++;
			continue;
		}
		if (outcome == 0) {
			return succeed(dial, i);
		}
		*failure = outcome;
		drop(dial, i);
	}
	return RL_NO;
}

static enum rl_status go_on(struct rl_dial *dial, struct rl_error *error)
{
	int failure = 0;
	enum rl_status status;

	if (dial->count == 0) {
		/* its queue was full */
		return dial->lookup ? dial_peers(dial, error) : dial_unix(dial, error);
	}
	status = look(dial, &failure);
	if (status == RL_NO && dial->next && (failure || rl_now() >= dial->look_at)) {
		return begin_next(dial, error);
	}
	return conclude(dial, status, failure, error);
}

enum rl_status rl_dial_go_on(
	struct rl_dial *dial, struct rl_polls *polls, struct rl_error *error)
{
	return await(dial, go_on(dial, error), polls);
}

enum rl_status rl_dial_too_late(const struct rl_dial *dial, struct rl_error *error)
{
	if (dial->lookup && !dial->peers) {
		return not_resolved(dial->address,
			"its name was not resolved within the timeout; does the name server answer?", error);
	}
	return failed(dial, dial->count == 0 ? RL_SOCKET_BUSY : RL_SOCKET_TIMED_OUT, error);
}

int rl_dial_take(struct rl_dial *dial)
{
	dial->count = 0;
	return dial->sockets[0];
}

void rl_dial_end(struct rl_dial *dial)
{
	close_all(dial);
	if (dial->lookup) {
		rl_lookup_end(dial->lookup);
		dial->lookup = NULL;
	}
}
