#include "connection.h"
#include "refusal.h"
#include "../base/machine.h"
#include "../base/socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JUST_NOW (RL_MILLISECOND / 50)

static enum rl_status broken(
	struct rl_connection *connection, struct rl_error *error, const char *reason)
{
	connection->broken = true;
	return rl_fail(error, RL_UNREACHABLE, "Redis at %s: %s", connection->address->name, reason);
}

static enum rl_status closed(
	struct rl_connection *connection, struct rl_error *error, const char *reason)
{
	connection->cut_off = true;
	broken(connection, error, reason);
	error->cause = RL_CAUSE_CLOSED;
	return RL_UNREACHABLE;
}

static enum rl_status socket_failed(
	struct rl_connection *connection, int failure, struct rl_error *error)
{
	char reason[256];

	return closed(connection, error,
		connection->transport->kind->text(connection->transport, failure, reason, sizeof reason));
}

static enum rl_status no_memory(struct rl_connection *connection, struct rl_error *error)
{
	connection->broken = true;
	return rl_fail_for_memory(error);
}

enum rl_status rl_connection_out_of_step(
	struct rl_connection *connection, struct rl_error *error)
{
	return broken(connection, error,
		"it answers what rlock has not asked; "
		"does the program write to a descriptor that it has not opened?");
}

enum rl_status rl_connection_too_late(struct rl_connection *connection, struct rl_error *error)
{
	return broken(
		connection, error, "no answer within the timeout; is the server overloaded or frozen?");
}

/* For answers that are taken in before anybody reads them. */
static bool has_room(const struct rl_connection *connection)
{
	return connection->reader->len - connection->reader->pos < RL_REPLY_MAX_BYTES;
}

/* To write, it also waits for something to read: the peer may wait until its answers are taken. */
void rl_connection_add_polls(const struct rl_connection *connection, struct rl_polls *polls)
{
	struct rl_transport *transport = connection->transport;
	bool to_write = rl_connection_has_unsent(connection);
	bool write = transport->kind->wants_write(transport, to_write);

	rl_polls_add(polls, transport->fd, !write || (to_write && has_room(connection)), write);
}

enum rl_status rl_connection_append(struct rl_connection *connection, size_t count,
	const struct rl_text *words, struct rl_error *error)
{
	if (!rl_output_append(&connection->output, words, count)) {
		return no_memory(connection, error);
	}
	connection->unanswered++;
	return RL_OK;
}

enum rl_status rl_connection_try_flush(struct rl_connection *connection, struct rl_error *error)
{
	struct rl_transport *transport = connection->transport;
	struct rl_output *output = &connection->output;
	size_t sent;

	for (; output->sent < output->length; output->sent += sent) {
		int failure = transport->kind->send(
			transport, output->bytes + output->sent, output->length - output->sent, &sent);

		if (failure) {
			return failure == RL_SOCKET_NOT_NOW ? RL_NO : socket_failed(connection, failure, error);
		}
	}
	rl_output_clear(output);
	return RL_OK;
}

bool rl_connection_has_sent(const struct rl_connection *connection)
{
	return connection->output.sent > 0 || connection->output.length == 0;
}

bool rl_connection_has_unsent(const struct rl_connection *connection)
{
	return connection->output.sent < connection->output.length;
}

/* RL_OK and a reply, or RL_NO: more bytes are needed. */
static enum rl_status parse_next(
	struct rl_connection *connection, const struct rl_reply **reply, struct rl_error *error)
{
	redisReader *reader = connection->reader;
	void *object = NULL;

	if (reader->pos == reader->len && !reader->err) {
		return RL_NO;
	}
	if (redisReaderGetReply(reader, &object) != REDIS_OK) {
		/*
		 * hiredis says "out of memory" whenever our reply functions refuse, so the two cannot be
		 * told apart.
		 */
		return broken(connection, error, "the answer is not one that Redis gives to rlock");
	}
	if (object) {
		connection->unanswered--;
		*reply = object;
		if (rl_refusal_is_of_others(*reply)) {
			return rl_connection_out_of_step(connection, error);
		}
		return RL_OK;
	}
	if (reader->len - reader->pos
		> (connection->replies.more ? RL_REPLY_MAX_TEXT : RL_REPLY_MAX_BYTES)) {
		return broken(connection, error, "the answer is longer than any that Redis gives to rlock");
	}
	return RL_NO;
}

static void tell_first(struct rl_connection *connection, const struct rl_reply *reply)
{
	struct rl_deferred *deferred = connection->deferred;

	connection->deferred = deferred->next;
	connection->deferred_count--;
	connection->overdue = false;
	connection->owed_since = connection->used_at = rl_now();
	if (reply) {
		rl_connection_learn(connection, reply, deferred->sent_at);
	}
	deferred->on_reply(deferred, reply);
}

/* The same, for the first answer that somebody waits for. */
static enum rl_status parse(
	struct rl_connection *connection, const struct rl_reply **reply, struct rl_error *error)
{
	enum rl_status status;

	while ((status = parse_next(connection, reply, error)) == RL_OK && connection->deferred) {
		tell_first(connection, *reply);
	}
	if (status == RL_OK) {
		connection->has_slept = false;
	}
	return status;
}

/* What is there, or what a wait has received. */
static int receive(struct rl_connection *connection, size_t *length)
{
	struct rl_transport *transport = connection->transport;

	if (connection->has_received) {
		connection->has_received = false;
		*length = connection->received;
		return connection->receive_failure;
	}
	return transport->kind->receive(transport, transport->buffer, transport->buffer_size, length);
}

/* What has come, if anything has. */
static enum rl_status fill(struct rl_connection *connection, struct rl_error *error)
{
	struct rl_transport *transport = connection->transport;
	size_t length;
	int failure = receive(connection, &length);

	if (failure == RL_SOCKET_NOT_NOW) {
		return RL_OK;
	}
	if (failure) {
		return socket_failed(connection, failure, error);
	}
	if (length == 0) {
		return closed(connection, error, "the server closed the connection");
	}
	if (redisReaderFeed(connection->reader, transport->buffer, length) != REDIS_OK) {
		return broken(connection, error, "out of memory for the answer");
	}
	return RL_OK;
}

enum rl_status rl_connection_fill(struct rl_connection *connection, struct rl_error *error)
{
	return has_room(connection) ? fill(connection, error) : RL_OK;
}

enum rl_status rl_connection_try_read(struct rl_connection *connection,
	const struct rl_reply **reply, struct rl_error *error)
{
	enum rl_status status = connection->has_received ? RL_NO : parse(connection, reply, error);
	size_t had = connection->reader->len + 1;

	/* all that has come, which may be more than there is room for at a time */
	while (status == RL_NO && connection->reader->len != had) {
		had = connection->reader->len;
		status = fill(connection, error);
		if (status == RL_OK) {
			status = parse(connection, reply, error);
		}
	}
	return status;
}

static void receive_patiently(void *receiver)
{
	struct rl_connection *connection = receiver;
	struct rl_transport *transport = connection->transport;

	connection->has_slept = connection->has_received = true;
	connection->receive_failure = transport->kind->receive_patiently(
		transport, transport->buffer, transport->buffer_size, &connection->received);
}

/* Only the first wait for an answer is patient: it is near, or it may be long in coming. */
void rl_connection_awaits_answer(struct rl_connection *connection, struct rl_polls *polls)
{
	rl_connection_add_polls(connection, polls);
	if (connection->patient && !connection->has_slept) {
		polls->receive = receive_patiently;
		polls->receiver = connection;
	}
}

bool rl_connection_is_amid_answer(const struct rl_connection *connection)
{
	const redisReader *reader = connection->reader;

	return reader->ridx >= 0 || reader->pos < reader->len;
}

static void forget(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	free(deferred);
}

bool rl_connection_defer_to_nobody(struct rl_connection *connection, bool has_to_run)
{
	struct rl_deferred *deferred = malloc(sizeof *deferred);

	if (deferred) {
		*deferred = (struct rl_deferred){ .on_reply = forget, .need_not_run = !has_to_run };
		rl_connection_defer(connection, deferred);
	}
	return deferred != NULL;
}

void rl_connection_defer(struct rl_connection *connection, struct rl_deferred *deferred)
{
	struct rl_deferred **last = &connection->deferred;

	if (!connection->deferred) {
		connection->owed_since = connection->silent_at = rl_now();
	}
	while (*last) {
		last = &(*last)->next;
	}
	deferred->connection = connection;
	deferred->sent_at = connection->sent_at;
	deferred->next = NULL;
	*last = deferred;
	connection->deferred_count++;
}

void rl_connection_read_deferred(struct rl_connection *connection)
{
	const struct rl_reply *reply;
	struct rl_error ignored;
	enum rl_status status = RL_OK;
	bool has_looked = false;

	if (!rl_connection_is_ours(connection)) {
		return; /* what comes is the parent's */
	}
	while (connection->deferred && status == RL_OK) {
		status = parse_next(connection, &reply, &ignored);
		if (status == RL_OK) {
			tell_first(connection, reply);
		} else if (status == RL_NO && has_looked) {
			connection->silent_at = rl_now();
			return;
		} else if (status == RL_NO) {
			has_looked = true;
			status = fill(connection, &ignored);
		}
	}
	while (connection->deferred) {
		tell_first(connection, NULL); /* it broke */
	}
}

void rl_connection_catch_up(struct rl_connection *connection)
{
	if (connection->deferred && rl_connection_is_usable(connection)
		&& rl_now() - connection->silent_at >= JUST_NOW) {
		rl_connection_read_deferred(connection);
	}
}

bool rl_connection_has_run(const struct rl_connection *connection, const struct rl_script *script)
{
	for (size_t i = 0; i < RL_SCRIPTS_MAX; i++) {
		if (connection->scripts_run[i] == script) {
			return true;
		}
	}
	return false;
}

void rl_connection_note_run(struct rl_connection *connection, const struct rl_script *script)
{
	size_t i = 0;

	while (i < RL_SCRIPTS_MAX - 1 && connection->scripts_run[i]
		&& connection->scripts_run[i] != script) {
		i++;
	}
	connection->scripts_run[i] = script;
}

void rl_connection_hang_up(struct rl_connection *connection)
{
	shutdown(connection->transport->fd, RL_SOCKET_SENDING);
	connection->broken = true;
}

void rl_connection_note_clock(struct rl_connection *connection, int64_t clock_us, rl_time sent_at)
{
	if (clock_us > 0 && clock_us < INT64_MAX / RL_MICROSECOND) {
		connection->facts.clock_ahead = clock_us * RL_MICROSECOND - sent_at;
	}
}

bool rl_connection_learn(
	struct rl_connection *connection, const struct rl_reply *refusal, rl_time sent_at)
{
	if (rl_reply_is_error(refusal, "NOSCRIPT")) {
		/* the script cache was flushed: the server has run none */
		memset(connection->scripts_run, 0, sizeof connection->scripts_run);
		return true;
	}
	if (rl_reply_is_error(refusal, "LATE")) {
		rl_connection_note_clock(
			connection, strtoll(refusal->text + strlen("LATE"), NULL, 10), sent_at);
		return true;
	}
	return false;
}

bool rl_connection_is_usable(const struct rl_connection *connection)
{
	const redisReader *reader = connection->reader;

	return !connection->broken && !connection->misplaced
		&& connection->unanswered == connection->deferred_count
		&& (connection->deferred || reader->pos == reader->len)
		&& rl_connection_is_ours(connection);
}

bool rl_connection_was_just_used(const struct rl_connection *connection, rl_time now)
{
	return now - connection->used_at < JUST_NOW;
}

bool rl_connection_is_still_usable(struct rl_connection *connection, rl_time now)
{
	struct rl_error ignored;

	return rl_connection_is_usable(connection)
		&& (connection->deferred || rl_connection_was_just_used(connection, now)
			|| (fill(connection, &ignored) == RL_OK && rl_connection_is_usable(connection)));
}

/*
 * What to do about it, where that can be known. To Valkey 9.1 and later Lua is a module, which may
 * be left out.
 */
static const char *advice_on_refusal(const char *code, const char *words)
{
	if (strcmp(code, "NOAUTH") == 0) {
		return " Its password goes into the address, percent-encoded: redis://:password@host, "
			   "unix:///path?password=..., a sentinel's as sentinel_password=... "
			   "(in PHP the constructor's $servers or the ini setting rlock.servers; "
			   "for the command, --servers or RLOCK_SERVERS)";
	}
	if (rl_refusal_is_at_the_door(words)) {
		return strcmp(code, "DENIED") == 0
			? "; other machines are let in once that user has a password (which the address gives, too), "
			  "or by protected-mode no, on a network without strangers"
			: "; raise its maxclients, or see by CLIENT LIST whose connections they are";
	}
	return strstr(words, "Could not find scripting engine")
		? "; rlock's locks are Lua scripts: load the server's Lua module (loadmodule in its configuration)"
		: "";
}

enum rl_status rl_connection_refusal(struct rl_connection *connection,
	const struct rl_reply *reply, struct rl_error *error)
{
	char text[256], code[RL_ERROR_CODE_SIZE];
	size_t length;
	const char *words = rl_reply_error_words(reply, &length);

	rl_reply_error_code(reply, code, sizeof code);
	if (rl_refusal_is_at_the_door(words)) {
		length = strcspn(words, "."); /* where it is protected mode, a page of ways out follows */
	}
	rl_fail(error, RL_REFUSED, "Redis at %s refused: %s%s", connection->address->name,
		rl_text_printable(text, sizeof text, (struct rl_text){ words, length }),
		advice_on_refusal(code, words));
	memcpy(error->code, code, sizeof code);
	connection->misplaced |= rl_refusal_of(error) == RL_REFUSAL_MISPLACED;
	return RL_REFUSED;
}

void rl_connection_be_patient(struct rl_connection *connection)
{
	connection->patient = connection->transport->kind->receive_patiently
		&& rl_socket_be_patient(connection->transport->fd);
}

struct rl_connection *rl_connection_on(int fd, const struct rl_address *address)
{
	struct rl_connection *connection = calloc(1, sizeof *connection);

	if (!connection) {
		rl_socket_close(fd);
		return NULL;
	}
	connection->plain = (struct rl_transport){ .kind = &rl_transport_plain,
		.fd = fd,
		.buffer = connection->buffer,
		.buffer_size = sizeof connection->buffer };
	connection->transport = &connection->plain;
	connection->address = address;
	connection->facts.clock_ahead = RL_CLOCK_UNKNOWN;
	connection->generation = rl_system_generation();
	connection->opened_at = rl_now();
	connection->reader = redisReaderCreate();
	if (!connection->reader) {
		rl_connection_close(connection);
		return NULL;
	}
	rl_reply_attach(connection->reader, &connection->replies);
	return connection;
}

static bool owes_what_counts(const struct rl_connection *connection)
{
	const struct rl_deferred *deferred = connection->deferred;

	while (deferred && deferred->need_not_run) {
		deferred = deferred->next;
	}
	return deferred != NULL;
}

struct parting {
	struct rl_connection *connection;
	rl_time until;
};

/* What is not out yet has no answer. */
static enum rl_status hear_owed(void *machine, struct rl_polls *polls, struct rl_error *error)
{
	const struct parting *parting = machine;
	struct rl_connection *connection = parting->connection;

	rl_connection_read_deferred(connection);
	if (!owes_what_counts(connection) || connection->overdue || rl_now() >= parting->until
		|| !rl_connection_is_ours(connection)) {
		return RL_OK;
	}
	rl_connection_try_flush(connection, error);
	rl_polls_until(polls, parting->until);
	rl_connection_add_polls(connection, polls);
	return RL_NO;
}

void rl_connection_drain(struct rl_connection *connection, rl_time timeout)
{
	struct parting parting = { connection, connection->owed_since + timeout };
	struct rl_error ignored;

	rl_machine_run(hear_owed, &parting, &ignored);
	rl_connection_close(connection);
}

void rl_connection_close(struct rl_connection *connection)
{
	while (connection->deferred) {
		tell_first(connection, NULL);
	}
	connection->transport->kind->free(connection->transport);
	rl_socket_close(connection->plain.fd);
	if (connection->reader) {
		redisReaderFree(connection->reader);
	}
	rl_output_free(&connection->output);
	rl_reply_reset(&connection->replies);
	free(connection);
}
