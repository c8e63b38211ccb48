#include "opening.h"
#include "../base/socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct rl_text word(const char *text)
{
	return (struct rl_text){ text, strlen(text) };
}

/* What a new connection says first, in this order: AUTH must be answered before anything else counts. */
enum greeting {
	GREET_AUTH,
	GREET_SELECT,
	GREET_NAME,
	GREET_SERVER,
	GREET_MEMORY,
	GREET_COUNT
};

static enum rl_status append_auth(struct rl_connection *connection, struct rl_error *error)
{
	struct rl_text auth[3] = { word("AUTH") };
	size_t count = 1;

	if (connection->address->user) {
		auth[count++] = word(connection->address->user);
	}
	auth[count++] = word(connection->address->password);
	return rl_connection_append(connection, count, auth, error);
}

static enum rl_status append_greeting(struct rl_connection *connection, enum greeting step, struct rl_error *error)
{
	char number[16];
	struct rl_text words[3];
	size_t count = 2;

	switch (step) {
		case GREET_AUTH:
			return append_auth(connection, error);
		case GREET_SELECT:
			snprintf(number, sizeof number, "%d", connection->address->db);
			words[0] = word("SELECT");
			words[1] = word(number);
			break;
		case GREET_NAME:
			words[0] = word("CLIENT");
			words[1] = word("SETNAME");
			words[count++] = word("rlock");
			break;
		default:
			words[0] = word("INFO");
			words[1] = word(step == GREET_SERVER ? "server" : "memory");
	}
	return rl_connection_append(connection, count, words, error);
}

/* As Redis says it up to 5.0, and from 6.0 on. */
static bool has_no_password(const struct rl_reply *refusal)
{
	return strstr(refusal->text, "no password is set") || strstr(refusal->text, "without any password configured");
}

/*
 * A server too old for AUTH with a user, or a proxy, may repeat what it did not understand:
 * its words are not repeated here, for the password would be among them.
 */
static enum rl_status auth_refused(struct rl_connection *connection, const struct rl_reply *reply, struct rl_error *error)
{
	char code[RL_ERROR_CODE_SIZE];

	rl_printable(code, sizeof code, reply->text, strcspn(reply->text, " "));
	rl_fail(error, RL_REFUSED, "Redis at %s refused the user or the password (%s)%s", connection->address->name, code,
		has_no_password(reply) ? ": it has no password, but the address gives one: leave it out, "
								 "or give it a user that the server knows"
							   : "");
	memcpy(error->code, code, sizeof code);
	return RL_REFUSED;
}

/* A name and facts are a convenience that an ACL or the server's state may deny; a closed door is not. */
static bool may_be_denied(enum greeting step, const struct rl_reply *reply)
{
	if (step > GREET_NAME) {
		return !rl_reply_is_error(reply, "NOAUTH");
	}
	if (step != GREET_NAME) {
		return false;
	}
	return rl_reply_is_error(reply, "NOPERM") || rl_reply_is_error(reply, "LOADING")
		|| rl_reply_is_error(reply, "BUSY") || rl_reply_is_error(reply, "MASTERDOWN");
}

#define OLDEST_MAJOR 6
#define OLDEST_MINOR 2

static enum rl_status check_version(const struct rl_connection *connection, const struct rl_reply *info, struct rl_error *error)
{
	size_t length;
	const char *version = rl_info_field(info, "redis_version", &length);
	int major, minor;
	char text[32];

	if (!version || sscanf(version, "%d.%d", &major, &minor) != 2
		|| major > OLDEST_MAJOR || (major == OLDEST_MAJOR && minor >= OLDEST_MINOR)) {
		return RL_OK;
	}
	rl_fail(error, RL_REFUSED, "Redis at %s is version %s; rlock needs %d.%d or later", connection->address->name,
		rl_printable(text, sizeof text, version, length), OLDEST_MAJOR, OLDEST_MINOR);
	memcpy(error->code, "ERR", sizeof "ERR");
	return RL_REFUSED;
}

static bool evicts(const struct rl_reply *info)
{
	size_t length, policy_length;
	const char *limit = rl_info_field(info, "maxmemory", &length);
	const char *policy = rl_info_field(info, "maxmemory_policy", &policy_length);

	return limit && policy && !(length == 1 && *limit == '0')
		&& !(policy_length == strlen("noeviction") && strncmp(policy, "noeviction", policy_length) == 0);
}

static void note_clock(struct rl_opening *opening, const struct rl_reply *info)
{
	size_t length;
	const char *clock = rl_info_field(info, "server_time_usec", &length);

	if (clock) {
		rl_connection_note_clock(opening->connection, strtoll(clock, NULL, 10), opening->greeted_at);
	}
}

static enum rl_status judge_greeting(struct rl_opening *opening, enum greeting step,
	const struct rl_reply *reply, struct rl_error *error)
{
	struct rl_connection *connection = opening->connection;

	if (reply->type == RL_REPLY_ERROR) {
		if (step == GREET_AUTH) {
			return auth_refused(connection, reply, error);
		}
		return may_be_denied(step, reply) ? RL_OK : rl_connection_refusal(connection, reply, error);
	}
	if (step == GREET_MEMORY) {
		connection->may_evict = evicts(reply);
	}
	if (step != GREET_SERVER) {
		return RL_OK;
	}
	note_clock(opening, reply);
	return check_version(connection, reply, error);
}

/* A server that speaks TLS closes at what is none, or says so in bytes that are no answer. */
static enum rl_status suspect_tls(const struct rl_opening *opening, struct rl_error *error)
{
	const struct rl_address *address = opening->address;

	if (address->kind == RL_ADDRESS_TCP && !address->tls && !opening->heard) {
		rl_fail(error, RL_UNREACHABLE, "%s; does the server speak TLS on this port, which is rediss://?", error->message);
	}
	return RL_UNREACHABLE;
}

/* A server that turns us away says why, and closes without having read what we said. */
static enum rl_status turned_away(const struct rl_opening *opening, struct rl_error *error)
{
	struct rl_connection *connection = opening->connection;
	const struct rl_reply *reply;
	struct rl_error told;
	enum rl_status status = rl_connection_try_read(connection, &reply, &told);

	if (status == RL_OK && reply->type == RL_REPLY_ERROR) {
		return rl_connection_refusal(connection, reply, error);
	}
	if (status == RL_UNREACHABLE && connection->tls) {
		*error = told; /* in the words of TLS, if our certificate is not what it wants */
	}
	return suspect_tls(opening, error);
}

static bool is_wanted(const struct rl_opening *opening, enum greeting step)
{
	switch (step) {
		case GREET_AUTH:
			return opening->address->password != NULL;
		case GREET_SELECT:
			return opening->address->db != 0;
		case GREET_NAME:
			return true;
		default:
			return !opening->known;
	}
}

/* It is short, and the socket is new: the system takes it whole. */
static enum rl_status say_greeting(struct rl_opening *opening, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	for (int step = 0; step < GREET_COUNT && status == RL_OK; step++) {
		if (is_wanted(opening, step)) {
			status = append_greeting(opening->connection, step, error);
		}
	}
	if (status == RL_OK) {
		status = rl_connection_flush(opening->connection, rl_now(), error);
	}
	return status == RL_UNREACHABLE ? turned_away(opening, error) : status;
}

/* RL_NO: more of the answers are to come. */
static enum rl_status hear_greeting(struct rl_opening *opening, struct rl_error *error)
{
	const struct rl_reply *reply;
	enum rl_status status = RL_OK;

	for (; opening->answered < GREET_COUNT && status == RL_OK; opening->answered++) {
		if (!is_wanted(opening, opening->answered)) {
			continue;
		}
		status = rl_connection_try_read(opening->connection, &reply, error);
		if (status == RL_UNREACHABLE) {
			return suspect_tls(opening, error);
		}
		if (status == RL_OK) {
			opening->heard = true;
			status = judge_greeting(opening, opening->answered, reply, error);
		}
		if (status != RL_OK) {
			return status;
		}
	}
	return RL_OK;
}

static enum rl_status greet(struct rl_opening *opening, struct rl_error *error)
{
	enum rl_status status;

	opening->greeted_at = rl_now();
	status = say_greeting(opening, error);
	opening->greeted = true;
	return status == RL_OK ? RL_NO : status;
}

/* RL_NO: it is under way. */
static enum rl_status shake_hands(struct rl_opening *opening, struct rl_error *error)
{
	enum rl_status status = rl_tls_shake_hands(opening->connection->tls, opening->address, error);

	return status == RL_OK ? greet(opening, error) : status;
}

/* The socket is connected. */
static enum rl_status begin_on(struct rl_opening *opening, struct rl_error *error)
{
	int fd = rl_dial_take(&opening->dial);
	enum rl_status status;

	opening->connection = rl_connection_on(fd, opening->address);
	if (!opening->connection) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	if (!opening->address->tls) {
		return greet(opening, error);
	}
	status = rl_tls_begin(opening->address, fd, &opening->connection->tls, error);
	return status == RL_OK ? shake_hands(opening, error) : status;
}

enum rl_status rl_opening_begin(struct rl_opening *opening, const struct rl_address *address, bool known,
	rl_time connect_timeout, struct rl_error *error)
{
	enum rl_status status;

	*opening = (struct rl_opening){
		.address = address, .known = known, .began = rl_now(), .connect_timeout = connect_timeout
	};
	status = rl_dial_begin(&opening->dial, address, connect_timeout, error);
	return status == RL_OK ? begin_on(opening, error) : status;
}

enum rl_status rl_opening_go_on(struct rl_opening *opening, struct rl_error *error)
{
	enum rl_status status;

	if (opening->greeted) {
		return hear_greeting(opening, error);
	}
	if (opening->connection) {
		return shake_hands(opening, error);
	}
	status = rl_dial_go_on(&opening->dial, error);
	return status == RL_OK ? begin_on(opening, error) : status;
}

struct rl_pollfd rl_opening_awaits(const struct rl_opening *opening)
{
	struct rl_connection *connection = opening->connection;
	bool write = connection && connection->tls && rl_tls_wants_write(connection->tls);

	if (connection) {
		return (struct rl_pollfd){ .fd = rl_connection_fd(connection), .want_read = !write, .want_write = write };
	}
	return (struct rl_pollfd){ .fd = opening->dial.fd, .want_write = true };
}

rl_time rl_opening_look_at(const struct rl_opening *opening)
{
	return opening->connection ? RL_FOREVER : opening->dial.look_at;
}

rl_time rl_opening_until(const struct rl_opening *opening, rl_time deadline)
{
	rl_time dialled_by = opening->began + opening->connect_timeout;

	return opening->greeted || deadline < dialled_by ? deadline : dialled_by;
}

enum rl_status rl_opening_too_late(const struct rl_opening *opening, struct rl_error *error)
{
	if (opening->greeted) {
		return rl_connection_too_late(opening->connection, error);
	}
	return opening->connection ? rl_tls_too_late(opening->address, error) : rl_dial_too_late(&opening->dial, error);
}

struct rl_connection *rl_opening_take(struct rl_opening *opening)
{
	struct rl_connection *connection = opening->connection;

	opening->connection = NULL;
	rl_connection_be_patient(connection);
	return connection;
}

void rl_opening_end(struct rl_opening *opening)
{
	rl_dial_end(&opening->dial);
	if (opening->connection) {
		rl_connection_close(opening->connection);
		opening->connection = NULL;
	}
}

/* RL_OK: it may go on; RL_UNREACHABLE: time is up. */
static enum rl_status await(const struct rl_opening *opening, rl_time deadline, struct rl_error *error)
{
	struct rl_pollfd awaited = rl_opening_awaits(opening);
	rl_time until = rl_opening_until(opening, deadline);
	rl_time soon = rl_now() + RL_MILLISECOND, look_at = rl_opening_look_at(opening);
	enum rl_poll_result result;

	if (awaited.fd < 0 && soon < until) {
		rl_poll(NULL, 0, soon);
		return RL_OK;
	}
	do {
		result = rl_poll(&awaited, awaited.fd >= 0, look_at < until ? look_at : until);
	} while (result == RL_POLL_SIGNAL);
	return result == RL_POLL_READY || look_at < until ? RL_OK : rl_opening_too_late(opening, error);
}

enum rl_status rl_connection_open(const struct rl_address *address, bool known, rl_time connect_timeout, rl_time deadline,
	struct rl_connection **out, struct rl_error *error)
{
	struct rl_opening opening;
	enum rl_status status = rl_opening_begin(&opening, address, known, connect_timeout, error);

	while (status == RL_NO) {
		status = await(&opening, deadline, error);
		if (status == RL_OK) {
			status = rl_opening_go_on(&opening, error);
		}
		if (status == RL_NO && rl_now() >= rl_opening_until(&opening, deadline)) {
			status = rl_opening_too_late(&opening, error); /* a drip is always ready */
		}
	}
	if (status == RL_OK) {
		*out = rl_opening_take(&opening);
	}
	rl_opening_end(&opening);
	return status;
}
