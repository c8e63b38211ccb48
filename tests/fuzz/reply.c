/*
 * What a hostile server may answer: the connection reads it or calls itself unusable, and takes
 * no more memory than it should. The first byte says how the bytes come: in pieces of so many.
 * Everything that the lock reads out of answers is fed with what came.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/socket.h"
#include "lock/lock_state.h"
#include "lock/protocol.h"
#include "redis/connection.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return rl_system_start() && rl_socket_start() ? 0 : -1;
}

static struct rl_address address = { .path = "/fuzz", .name = "/fuzz", .identity = "/fuzz" };

/* A connection whose other end is ours; as a handshake leaves it, without a greeting. */
static struct rl_connection *connect_to_us(int *other)
{
	struct rl_connection *connection;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0) {
		abort();
	}
	connection = rl_connection_on(ends[0], &address);
	if (!connection) {
		abort();
	}
	connection->unanswered = SIZE_MAX / 2;
	*other = ends[1];
	return connection;
}

static void touch(const struct rl_reply *reply, unsigned depth)
{
	if (depth > RL_REPLY_DEPTH || reply->count > RL_REPLY_NODES
		|| reply->length > 2 * RL_REPLY_MAX_BYTES) {
		abort();
	}
	if (reply->type == RL_REPLY_STRING || reply->type == RL_REPLY_ERROR
		|| reply->type == RL_REPLY_STATUS) {
		if (reply->text[reply->length] != '\0') {
			abort();
		}
	}
	for (size_t i = 0; i < reply->count; i++) {
		touch(&reply->elements[i], depth + 1);
	}
}

/* What the lock makes of it. */
static void use(struct rl_connection *connection, const struct rl_reply *reply)
{
	struct rl_lock_state state;
	struct rl_outcome outcome;
	struct rl_grant grant;
	struct rl_error error;
	bool was_broken = connection->broken;
	size_t length;

	touch(reply, 0);
	if (reply->type == RL_REPLY_ERROR) {
		rl_connection_refusal(connection, reply, &error);
	}
	rl_reply_is_error(reply, "NOSCRIPT");
	rl_reply_info_field(reply, "redis_version", &length);
	rl_reply_info_field(reply, "maxmemory_policy", &length);
	rl_protocol_parse_outcome(reply, &outcome);
	rl_protocol_parse_grant(reply, 1000, &grant);
	rl_lock_state_read(&state, reply);
	rl_lock_state_clear(&state);
	if (reply->type == RL_REPLY_STRING) {
		struct rl_value value = rl_token_read_value((struct rl_text){ reply->text, reply->length });

		if (value.token.length + value.owner.length + value.metadata.length > reply->length) {
			abort();
		}
	}
	connection->broken = was_broken; /* go on: the next answer is as good */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t piece = size ? data[0] + 1 : 1, at = 1;
	const struct rl_reply *reply;
	struct rl_connection *connection;
	struct rl_error error;
	enum rl_status status = RL_NO;
	int other;

	if (size > 65536) {
		return 0;
	}
	connection = connect_to_us(&other);
	while (at < size && status != RL_UNREACHABLE) {
		size_t length = piece < size - at ? piece : size - at;

		if (send(other, data + at, length, MSG_NOSIGNAL) != (ssize_t)length) {
			break;
		}
		at += length;
		while ((status = rl_connection_try_read(connection, &reply, &error)) == RL_OK) {
			use(connection, reply);
		}
	}
	close(other);
	while (status != RL_UNREACHABLE) {
		status = rl_connection_try_read(connection, &reply, &error);
		if (status == RL_OK) {
			use(connection, reply);
		}
	}
	if (rl_connection_is_usable(connection)) {
		abort();
	}
	rl_connection_close(connection);
	return 0;
}
