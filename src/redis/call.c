#include "call.h"

#include <stdio.h>
#include <string.h>

/* Between tries while a server says that it will be back. */
#define RETRY_PAUSE (10 * RL_MILLISECOND)

/* Refusals that pass by themselves. */
static const char *const passing[] = { "BUSY", "LOADING", "MASTERDOWN", "NOREPLICAS", "TRYAGAIN", "CLUSTERDOWN" };

static bool is_passing(const struct rl_error *refusal)
{
	for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++) {
		if (strcmp(refusal->code, passing[i]) == 0) {
			return true;
		}
	}
	return strstr(refusal->message, "max number of clients") != NULL;
}

enum rl_status rl_session_begin(struct rl_session *session, struct rl_route *route, struct rl_text key,
	rl_time deadline, struct rl_error *error)
{
	enum rl_status status;
	bool reconnected;

	session->connection = NULL;
	status = route->locate(route, key, deadline, &session->server, error);
	if (status == RL_OK) {
		status = rl_server_borrow(session->server, deadline, &session->connection, &reconnected, error);
		route->reconnects += reconnected;
	}
	if (status == RL_OK && rl_server_may_evict_once(session->server)) {
		route->evicting = rl_server_address(session->server)->name;
	}
	return status;
}

void rl_session_end(struct rl_session *session)
{
	if (session->connection) {
		rl_server_give_back(session->server, session->connection);
		session->connection = NULL;
	}
}

static enum rl_status append(struct rl_connection *connection, const struct rl_call *call, bool with_text,
	struct rl_error *error)
{
	static const char digits[] = "0123456789";
	struct rl_text words[3 + RL_CALL_KEYS + RL_CALL_ARGS];
	size_t count = 0;

	if (with_text) {
		words[count++] = (struct rl_text){ "EVAL", 4 };
		words[count++] = (struct rl_text){ call->script->text, call->script->length };
	} else {
		words[count++] = (struct rl_text){ "EVALSHA", 7 };
		words[count++] = (struct rl_text){ call->script->sha1, 40 };
	}
	words[count++] = (struct rl_text){ &digits[call->key_count], 1 };
	memcpy(&words[count], call->keys, call->key_count * sizeof words[0]);
	count += call->key_count;
	memcpy(&words[count], call->args, call->arg_count * sizeof words[0]);
	count += call->arg_count;
	return rl_connection_append(connection, count, words, error);
}

/* The answer will not come: who knows whether it was done. */
static enum rl_status lose(struct rl_call *call, enum rl_status status)
{
	if (status == RL_UNREACHABLE) {
		call->lost++;
		call->doubtful = true;
	}
	return status;
}

static enum rl_status send_as(struct rl_route *route, struct rl_call *call, struct rl_session *session,
	bool with_text, rl_time deadline, struct rl_error *error)
{
	enum rl_status status;

	call->sent_at = rl_now();
	status = append(session->connection, call, with_text, error);
	if (status != RL_OK) {
		return status;
	}
	route->requests++;
	return lose(call, rl_connection_flush(session->connection, deadline, error));
}

enum rl_status rl_call_send(struct rl_route *route, struct rl_call *call, struct rl_session *session,
	rl_time deadline, struct rl_error *error)
{
	return send_as(route, call, session, false, deadline, error);
}

enum rl_status rl_call_send_text(struct rl_route *route, struct rl_call *call, struct rl_session *session,
	rl_time deadline, struct rl_error *error)
{
	return send_as(route, call, session, true, deadline, error);
}

enum rl_status rl_call_answer(struct rl_route *route, struct rl_call *call, struct rl_session *session,
	rl_time deadline, const struct rl_reply **reply, struct rl_error *error)
{
	enum rl_status status = rl_connection_read(session->connection, deadline, reply, error);

	if (status == RL_OK && rl_reply_is_error(*reply, "NOSCRIPT")) {
		status = send_as(route, call, session, true, deadline, error);
		if (status != RL_OK) {
			return status;
		}
		status = rl_connection_read(session->connection, deadline, reply, error);
	}
	if (status != RL_OK) {
		return lose(call, status);
	}
	if ((*reply)->type == RL_REPLY_ERROR) {
		return rl_connection_refusal(session->connection, *reply, error);
	}
	call->doubtful = false;
	return RL_OK;
}

void rl_call_abandon(struct rl_call *call, struct rl_session *session)
{
	struct rl_error ignored;

	/*
	 * By its text: who thaws late may have lost its script cache before it gets there. The call
	 * stays doubtful: a server that reads the two one by one meets the closed connection when it
	 * answers the first, and may never read the second.
	 */
	if (call->undo && append(session->connection, call->undo, true, &ignored) == RL_OK) {
		rl_connection_flush(session->connection, rl_now(), &ignored);
	}
	rl_session_end(session);
}

static enum rl_status exchange(struct rl_route *route, struct rl_call *call, struct rl_session *session,
	rl_time deadline, const struct rl_reply **reply, struct rl_error *error)
{
	enum rl_status status = rl_call_send(route, call, session, deadline, error);

	return status == RL_OK ? rl_call_answer(route, call, session, deadline, reply, error) : status;
}

/* False: no time left for another try. */
static bool pause_before_retry(rl_time deadline)
{
	rl_time until = rl_now() + RETRY_PAUSE;

	if (until >= deadline) {
		return false;
	}
	while (rl_poll(NULL, 0, until) == RL_POLL_SIGNAL) {
	}
	return true;
}

static enum rl_status try_once(struct rl_route *route, struct rl_call *call, rl_time deadline,
	struct rl_session *session, const struct rl_reply **reply, struct rl_error *error)
{
	enum rl_status status = rl_session_begin(session, route, call->keys[0], deadline, error);

	if (status == RL_OK) {
		status = exchange(route, call, session, deadline, reply, error);
	}
	return status;
}

/*
 * After a failed try, whose session is ended here. True: another is worth it.
 */
static bool try_again(struct rl_route *route, struct rl_call *call, rl_time deadline, struct rl_session *session,
	enum rl_status status, bool *reconnected, struct rl_error *error)
{
	bool cut_off = status == RL_UNREACHABLE && session->connection;

	if (cut_off && rl_now() >= deadline) {
		rl_call_abandon(call, session);
		return false;
	}
	rl_session_end(session);
	if (cut_off) {
		/* Most likely it was idle for too long, or there was a restart. Once more, on a new connection. */
		rl_server_drop_idle(session->server);
		if (*reconnected) {
			return false;
		}
		*reconnected = true;
		route->reconnects++;
		return true;
	}
	return status == RL_REFUSED && (route->learn(route, call->keys[0], error) || is_passing(error))
		&& pause_before_retry(deadline);
}

enum rl_status rl_call_run(struct rl_route *route, struct rl_call *call, rl_time deadline,
	struct rl_session *session, const struct rl_reply **reply, struct rl_error *error)
{
	struct rl_error refusal = { .code = "" };
	bool reconnected = false;
	enum rl_status status;

	while ((status = try_once(route, call, deadline, session, reply, error)) != RL_OK
		&& try_again(route, call, deadline, session, status, &reconnected, error)) {
		if (status == RL_REFUSED) {
			refusal = *error;
		}
	}
	/* Time ran out on a last try: why it was not done before says more. */
	if (status == RL_UNREACHABLE && refusal.code[0] && rl_now() >= deadline) {
		*error = refusal;
		status = RL_REFUSED;
	}
	return status;
}
