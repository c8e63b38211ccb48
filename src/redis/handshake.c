#include "handshake.h"
#include "refusal.h"
#include "../base/process_name.h"
#include "../base/socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What a new connection sends first, in this order: no other answer counts before the one to AUTH.
 */
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
	struct rl_text auth[3] = { rl_text_of("AUTH") };
	size_t count = 1;

	if (connection->address->user) {
		auth[count++] = rl_text_of(connection->address->user);
	}
	auth[count++] = rl_text_of(connection->address->password);
	return rl_connection_append(connection, count, auth, error);
}

static enum rl_status append_greeting(
	struct rl_connection *connection, enum greeting step, struct rl_error *error)
{
	char number[16];
	struct rl_text words[3];
	size_t count = 2;

	switch (step) {
		case GREET_AUTH:
			return append_auth(connection, error);
		case GREET_SELECT:
			snprintf(number, sizeof number, "%d", connection->address->db);
			words[0] = rl_text_of("SELECT");
			words[1] = rl_text_of(number);
			break;
		case GREET_NAME:
			words[0] = rl_text_of("CLIENT");
			words[1] = rl_text_of("SETNAME");
			words[count++] = rl_process_client_name();
			break;
		default:
			words[0] = rl_text_of("INFO");
			words[1] = rl_text_of(step == GREET_SERVER ? "server" : "memory");
	}
	return rl_connection_append(connection, count, words, error);
}

/* As Redis says it up to 5.0, and from 6.0 on. */
static bool has_no_password(const struct rl_reply *refusal)
{
	return strstr(refusal->text, "no password is set")
		|| strstr(refusal->text, "without any password configured");
}

/*
 * A server that is too old for AUTH with a user, or a proxy, may repeat what it did not understand.
 * Its words are not shown, because the password may be among them.
 */
static enum rl_status auth_refused(
	struct rl_connection *connection, const struct rl_reply *reply, struct rl_error *error)
{
	char code[RL_ERROR_CODE_SIZE];

	rl_text_printable(
		code, sizeof code, (struct rl_text){ reply->text, strcspn(reply->text, " ") });
	rl_fail(error, RL_REFUSED, "Redis at %s refused the user or the password (%s)%s",
		connection->address->name, code,
		has_no_password(reply) ? ": it has no password, but the address gives one: leave it out, "
								 "or give it a user that the server knows"
							   : ": look at both in the address, where they are percent-encoded");
	memcpy(error->code, code, sizeof code);
	return RL_REFUSED;
}

/*
 * RL_OK: we can do without the name and the facts, which an ACL, a renamed command, a proxy or the
 * server's state may deny; but not without the login.
 */
static enum rl_status judge_refusal(struct rl_handshake *handshake, enum greeting step,
	const struct rl_reply *reply, struct rl_error *error)
{
	bool at_the_door = rl_refusal_is_at_the_door(reply->text);
	char code[RL_ERROR_CODE_SIZE];

	rl_reply_error_code(reply, code, sizeof code);
	if (step == GREET_AUTH && !at_the_door && rl_refusal_of_code(code) == RL_REFUSAL_LASTS) {
		return auth_refused(handshake->connection, reply, error);
	}
	if (step < GREET_NAME || at_the_door || strcmp(code, "NOAUTH") == 0) {
		return rl_connection_refusal(handshake->connection, reply, error);
	}
	rl_text_printable(handshake->denied, sizeof handshake->denied,
		(struct rl_text){ reply->text, reply->length });
	return RL_OK;
}

#define OLDEST_MAJOR 6
#define OLDEST_MINOR 2

static void note_version(struct rl_facts *facts, const struct rl_reply *info)
{
	size_t length;
	const char *version = rl_reply_info_field(info, "redis_version", &length);

	if (version) {
		rl_text_printable(
			facts->version, sizeof facts->version, (struct rl_text){ version, length });
	}
}

static enum rl_status check_version(
	const struct rl_connection *connection, struct rl_error *error)
{
	int major, minor;

	if (sscanf(connection->facts.version, "%d.%d", &major, &minor) != 2
		|| major > OLDEST_MAJOR || (major == OLDEST_MAJOR && minor >= OLDEST_MINOR)) {
		return RL_OK;
	}
	rl_fail(error, RL_REFUSED, "Redis at %s is version %s; rlock needs %d.%d or later",
		connection->address->name, connection->facts.version, OLDEST_MAJOR, OLDEST_MINOR);
	memcpy(error->code, "ERR", sizeof "ERR");
	return RL_REFUSED;
}

static bool evicts(const struct rl_reply *info)
{
	size_t length, policy_length;
	const char *limit = rl_reply_info_field(info, "maxmemory", &length);
	const char *policy = rl_reply_info_field(info, "maxmemory_policy", &policy_length);

	return limit && policy && !(length == 1 && *limit == '0')
		&& !(policy_length == strlen("noeviction")
			&& strncmp(policy, "noeviction", policy_length) == 0);
}

/*
 * Only one that is as Redis makes it: a proxy may show anything, and the same for several servers.
 */
static void note_run_id(struct rl_facts *facts, const struct rl_reply *info)
{
	size_t length;
	const char *run_id = rl_reply_info_field(info, "run_id", &length);

	if (run_id && length == RL_RUN_ID_SIZE - 1 && strspn(run_id, "0123456789abcdef") >= length
		&& strspn(run_id, "0") < length) {
		memcpy(facts->run_id, run_id, length);
	}
}

static void note_clock(struct rl_handshake *handshake, const struct rl_reply *info)
{
	size_t length;
	const char *clock = rl_reply_info_field(info, "server_time_usec", &length);

	if (clock) {
		rl_connection_note_clock(
			handshake->connection, strtoll(clock, NULL, 10), handshake->greeted_at);
	}
}

static enum rl_status judge_greeting(struct rl_handshake *handshake, enum greeting step,
	const struct rl_reply *reply, struct rl_error *error)
{
	struct rl_connection *connection = handshake->connection;

	if (reply->type == RL_REPLY_ERROR) {
		return judge_refusal(handshake, step, reply, error);
	}
	if (step == GREET_MEMORY) {
		connection->facts.may_evict = evicts(reply);
	}
	if (step != GREET_SERVER) {
		return RL_OK;
	}
	note_clock(handshake, reply);
	note_run_id(&connection->facts, reply);
	note_version(&connection->facts, reply);
	return check_version(connection, error);
}

static bool is_wanted(const struct rl_handshake *handshake, enum greeting step)
{
	switch (step) {
		case GREET_AUTH:
			return handshake->address->password != NULL;
		case GREET_SELECT:
			return handshake->address->db != 0;
		case GREET_NAME:
			return true;
		default:
			return !handshake->version_ok;
	}
}

/*
 * A server that speaks TLS closes a connection that does not, or says so in bytes that Redis would
 * not send. A proxy may close one for a command that it does not know.
 */
static enum rl_status doubt_peer(const struct rl_handshake *handshake, struct rl_error *error)
{
	static const char *const names[GREET_COUNT] = {
		"AUTH", "SELECT", "CLIENT SETNAME", "INFO server", "INFO memory"
	};
	const struct rl_address *address = handshake->address;
	const char *denied = handshake->denied;
	const char *or_tls = !address->path && !address->tls && !handshake->heard
		? ", or does the server speak TLS on this port, which is rediss://, or tls=1 for several"
		: "";
	bool was_closed = error->cause == RL_CAUSE_CLOSED;
	char sent[64];
	size_t length = 0;

	if (strstr(error->message, "; ")) {
		error->cause = RL_CAUSE_OTHER; /* it is known better: an alert of TLS says what is wanted */
		return RL_UNREACHABLE;
	}
	for (unsigned step = handshake->answered; step < GREET_COUNT; step++) {
		if (is_wanted(handshake, step)) {
			length += (size_t)snprintf(
				sent + length, sizeof sent - length, "%s%s", length ? ", " : "", names[step]);
		}
	}
	rl_fail(error, RL_UNREACHABLE,
		"%s; unanswered: %s%s%s: is it a proxy that does not know one of these%s?", error->message,
		sent, *denied ? ", after it had said " : "", denied, or_tls);
	if (was_closed) {
		error->cause = RL_CAUSE_TURNED_AWAY;
	}
	return RL_UNREACHABLE;
}

/* A server that turns us away says why, and closes without having read what we said. */
static enum rl_status turned_away(const struct rl_handshake *handshake, struct rl_error *error)
{
	struct rl_connection *connection = handshake->connection;
	const struct rl_reply *reply;
	struct rl_error told;
	enum rl_status status = rl_connection_try_read(connection, &reply, &told);

	if (status == RL_OK && reply->type == RL_REPLY_ERROR) {
		return rl_connection_refusal(connection, reply, error);
	}
	if (status == RL_UNREACHABLE && handshake->tls) {
		*error = told; /* in the words of TLS, if our certificate is not what it wants */
	}
	return doubt_peer(handshake, error);
}

static enum rl_status send_greeting(struct rl_handshake *handshake, struct rl_error *error)
{
	enum rl_status status = rl_connection_try_flush(handshake->connection, error);

	return status == RL_UNREACHABLE ? turned_away(handshake, error) : status;
}

static enum rl_status say_greeting(struct rl_handshake *handshake, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	for (int step = 0; step < GREET_COUNT && status == RL_OK; step++) {
		if (is_wanted(handshake, step)) {
			status = append_greeting(handshake->connection, step, error);
		}
	}
	return status == RL_OK ? send_greeting(handshake, error) : status;
}

/* RL_NO: more of the answers are to come. */
static enum rl_status hear_greeting(struct rl_handshake *handshake, struct rl_error *error)
{
	const struct rl_reply *reply;
	enum rl_status status = RL_OK;

	for (; handshake->answered < GREET_COUNT && status == RL_OK; handshake->answered++) {
		if (!is_wanted(handshake, handshake->answered)) {
			continue;
		}
		status = rl_connection_try_read(handshake->connection, &reply, error);
		if (status == RL_UNREACHABLE) {
			return doubt_peer(handshake, error);
		}
		if (status == RL_OK) {
			handshake->heard++;
			status = judge_greeting(handshake, handshake->answered, reply, error);
		}
		if (status != RL_OK) {
			return status;
		}
	}
	return RL_OK;
}

static enum rl_status greet(struct rl_handshake *handshake, struct rl_error *error)
{
	enum rl_status status;

	handshake->greeted_at = rl_now();
	status = say_greeting(handshake, error);
	handshake->greeted = true;
	return status == RL_OK ? RL_NO : status; /* the answers are to come */
}

/* RL_NO: it is under way. */
static enum rl_status shake_hands(struct rl_handshake *handshake, struct rl_error *error)
{
	enum rl_status status = rl_tls_shake_hands(handshake->tls, handshake->address, error);

	return status == RL_OK ? greet(handshake, error) : status;
}

/* The socket is connected. */
static enum rl_status begin_on(struct rl_handshake *handshake, struct rl_error *error)
{
	int fd = rl_dial_take(&handshake->dial);
	enum rl_status status;

	handshake->connection = rl_connection_on(fd, handshake->address);
	if (!handshake->connection) {
		return rl_fail_for_memory(error);
	}
	if (!handshake->address->tls) {
		return greet(handshake, error);
	}
	status = rl_tls_begin(handshake->address, fd, &handshake->tls, error);
	if (status != RL_OK) {
		return status;
	}
	handshake->connection->transport = rl_tls_transport(handshake->tls);
	return shake_hands(handshake, error);
}

/* By when what is done at present has to be done. */
static rl_time limit(const struct rl_handshake *handshake)
{
	rl_time dialled_by = handshake->began + handshake->connect_timeout;

	return handshake->greeted ? handshake->deadline
							  : rl_time_earlier(handshake->deadline, dialled_by);
}

static enum rl_status too_late(const struct rl_handshake *handshake, struct rl_error *error)
{
	if (handshake->greeted) {
		return rl_connection_too_late(handshake->connection, error);
	}
	return handshake->connection ? rl_tls_too_late(handshake->address, error)
								 : rl_dial_too_late(&handshake->dial, error);
}

/* It was refused, for certificates that may have been replaced. */
static bool is_worth_another(const struct rl_handshake *handshake)
{
	return handshake->tls && handshake->heard == 0
		&& rl_tls_reread(handshake->tls, handshake->address) && !handshake->has_dialled_again;
}

/* Once more, from the beginning and in the same time, with the certificates that there are now. */
static enum rl_status dial_again(
	struct rl_handshake *handshake, struct rl_polls *polls, struct rl_error *error)
{
	enum rl_status status;

	rl_handshake_end(handshake);
	handshake->has_dialled_again = true;
	handshake->greeted = false;
	handshake->answered = handshake->heard = 0;
	handshake->denied[0] = '\0';
	status = rl_dial_begin(
		&handshake->dial, handshake->address, handshake->connect_timeout, polls, error);
	return status == RL_OK ? begin_on(handshake, error) : status;
}

static enum rl_status advance(
	struct rl_handshake *handshake, struct rl_polls *polls, struct rl_error *error)
{
	enum rl_status status;

	if (handshake->greeted) {
		status = rl_connection_has_unsent(handshake->connection) ? send_greeting(handshake, error)
																 : RL_OK;
		return status == RL_OK ? hear_greeting(handshake, error) : status;
	}
	if (handshake->connection) {
		return shake_hands(handshake, error);
	}
	status = rl_dial_go_on(&handshake->dial, polls, error);
	return status == RL_OK ? begin_on(handshake, error) : status;
}

/* How far it is. It gets further a few times, and not with each byte. */
static int stage(const struct rl_handshake *handshake)
{
	if (handshake->greeted) {
		return -1 - (int)handshake->heard;
	}
	return handshake->tls ? 2 + rl_tls_stage(handshake->tls) : handshake->dial.peers != NULL;
}

/* Under way, it waits for its connection; while it has none, the dial has said what for. */
static enum rl_status await(
	const struct rl_handshake *handshake, enum rl_status status, struct rl_polls *polls)
{
	if (status == RL_NO) {
		rl_polls_until(polls, limit(handshake));
	}
	if (status == RL_NO && handshake->connection) {
		rl_connection_add_polls(handshake->connection, polls);
	}
	return status;
}

enum rl_status rl_handshake_begin(struct rl_handshake *handshake, const struct rl_address *address,
	bool version_ok, rl_time connect_timeout, rl_time deadline, struct rl_polls *polls,
	struct rl_error *error)
{
	enum rl_status status;

	*handshake = (struct rl_handshake){ .address = address,
		.version_ok = version_ok,
		.began = rl_now(),
		.connect_timeout = connect_timeout,
		.deadline = deadline };
	handshake->is_late = handshake->began >= deadline;
	handshake->looked_at = handshake->began;
	status = rl_dial_begin(&handshake->dial, address, connect_timeout, polls, error);
	if (status == RL_OK) {
		status = begin_on(handshake, error);
	}
	return await(handshake, status, polls);
}

static enum rl_status go_on(
	struct rl_handshake *handshake, struct rl_polls *polls, struct rl_error *error)
{
	int before = stage(handshake);
	const size_t count = rl_polls_count(polls);
	enum rl_status status = advance(handshake, polls, error);
	rl_time now, looked_at, by;

	if (status == RL_UNREACHABLE && is_worth_another(handshake)) {
		rl_polls_back_to(polls, count);
		status = dial_again(handshake, polls, error);
	}
	now = rl_now();
	looked_at = handshake->looked_at;
	handshake->looked_at = now;
	if ((status != RL_OK && status != RL_NO) || now < limit(handshake)) {
		return status;
	}
	if (handshake->is_late || stage(handshake) == before) {
		return status == RL_NO ? too_late(handshake, error) : status;
	}
	by = rl_time_moved(limit(handshake), looked_at, now) - limit(handshake);
	handshake->began += by;
	handshake->deadline += by;
	return status;
}

enum rl_status rl_handshake_go_on(
	struct rl_handshake *handshake, struct rl_polls *polls, struct rl_error *error)
{
	size_t count = rl_polls_count(polls);
	enum rl_status status = go_on(handshake, polls, error);

	if (status != RL_NO) {
		rl_polls_back_to(polls, count); /* a dial that is too late is closed */
	}
	return await(handshake, status, polls);
}

struct rl_connection *rl_handshake_take(struct rl_handshake *handshake)
{
	struct rl_connection *connection = handshake->connection;

	handshake->connection = NULL;
	rl_connection_be_patient(connection);
	return connection;
}

void rl_handshake_end(struct rl_handshake *handshake)
{
	rl_dial_end(&handshake->dial);
	if (handshake->connection) {
		rl_connection_close(handshake->connection);
		handshake->connection = NULL;
	}
	handshake->tls = NULL;
}
