#include "call.h"
#include "../base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Between tries while a server says that it will be back, and while it has to be looked for. */
#define RETRY_PAUSE (10 * RL_MILLISECOND)
#define LOOK_PAUSE  (100 * RL_MILLISECOND)
/* So often a call goes at once where it is sent; then there is a loop. */
#define MAX_HOPS 5

/* Refusals that pass by themselves. */
static const char *const passing[] = { "BUSY", "LATE", "LOADING", "MASTERDOWN", "NOREPLICAS", "TRYAGAIN", "CLUSTERDOWN" };

bool rl_call_refusal_is_transient(const struct rl_error *refusal)
{
	for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++) {
		if (strcmp(refusal->code, passing[i]) == 0) {
			return true;
		}
	}
	return strstr(refusal->message, "max number of clients") != NULL;
}

/* session->server is set, and kept only if there is a connection in the end. */
static enum rl_status connect_session(
	struct rl_session *session, struct rl_route *route, rl_time deadline, struct rl_error *error)
{
	bool reconnected;
	enum rl_status status;

	rl_server_hold(session->server);
	status = rl_server_borrow(session->server, route->connect_timeout, deadline, &session->connection, &reconnected,
		error);
	route->reconnects += reconnected;
	if (status == RL_OK) {
		rl_route_note_eviction(route, session->server);
	}
	if (status != RL_OK) {
		rl_server_release(session->server);
	}
	return status;
}

enum rl_status rl_session_begin(struct rl_session *session, struct rl_route *route, struct rl_text key,
	rl_time deadline, struct rl_error *error)
{
	enum rl_status status;

	*session = (struct rl_session){ .server = NULL };
	status = route->locate(route, key, deadline, &session->server, error);
	return status == RL_OK ? connect_session(session, route, deadline, error) : status;
}

void rl_session_end(struct rl_session *session)
{
	if (session->connection) {
		rl_server_give_back(session->server, session->connection);
		rl_server_release(session->server);
		session->connection = NULL;
	}
}

bool rl_session_resume(struct rl_session *session)
{
	if (!rl_server_borrow_this(session->server, session->connection)) {
		session->connection = NULL;
		return false;
	}
	rl_server_hold(session->server);
	return true;
}

enum rl_status rl_session_mend(struct rl_session *session, struct rl_route *route, rl_time deadline, struct rl_error *error)
{
	struct rl_server *server = session->server;
	enum rl_status status;

	if (rl_connection_is_usable(session->connection)) {
		return RL_OK;
	}
	rl_server_hold(server);
	rl_session_end(session);
	status = connect_session(session, route, deadline, error);
	rl_server_release(server);
	if (status != RL_OK) {
		session->server = NULL;
	}
	return status;
}

enum rl_lesson rl_session_learn(struct rl_session *session, struct rl_route *route, struct rl_text key,
	const struct rl_reply *refusal, const struct rl_error *error)
{
	struct rl_failure failure = {
		.status = RL_REFUSED, .error = error, .words = refusal->text, .server = session->server
	};
	enum rl_lesson lesson = route->learn(route, key, &failure);

	if (lesson == RL_LESSON_ONCE) {
		rl_server_release(failure.elsewhere);
	}
	return lesson;
}

void rl_session_unreachable(const struct rl_session *session, struct rl_route *route, struct rl_text key,
	const struct rl_error *error)
{
	struct rl_failure failure = { .status = RL_UNREACHABLE, .error = error, .server = session->server };

	if (route->learn(route, key, &failure) == RL_LESSON_ONCE) {
		rl_server_release(failure.elsewhere);
	}
}

static enum rl_status append(struct rl_connection *connection, const struct rl_call *call, bool with_text,
	rl_time deadline, struct rl_error *error)
{
	static const char digits[] = "0123456789";
	struct rl_text words[3 + RL_CALL_KEYS + RL_CALL_ARGS];
	char until[RL_NUMBER_SIZE];
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
	if (call->until_arg && connection->clock_ahead != RL_CLOCK_UNKNOWN) {
		words[count + call->until_arg] =
			(struct rl_text){ until, rl_number_put(until, (deadline + connection->clock_ahead) / RL_MICROSECOND) };
	}
	count += call->arg_count;
	return rl_connection_append(connection, count, words, error);
}

static enum rl_status append_to(const struct rl_session *session, const struct rl_call *call, bool with_text,
	rl_time deadline, struct rl_error *error)
{
	static const struct rl_text asking = { "ASKING", 6 };
	enum rl_status status = RL_OK;

	if (session->asking) {
		status = rl_connection_append(session->connection, 1, &asking, error);
	}
	return status == RL_OK ? append(session->connection, call, with_text, deadline, error) : status;
}

/* The answer will not come: who knows whether it was done. */
static enum rl_status lose(struct rl_call *call, enum rl_status status)
{
	if (status == RL_UNREACHABLE) {
		call->unanswered++;
		call->maybe_done = true;
	}
	return status;
}

enum rl_status rl_call_queue(struct rl_route *route, const struct rl_call *call, struct rl_connection *connection,
	bool with_text, rl_time deadline, struct rl_error *error)
{
	enum rl_status status = append(connection, call, with_text, deadline, error);

	route->requests += status == RL_OK;
	return status;
}

/* --- replicas --- */

/* A server looks now and then whether the time of a WAIT is up. Its answer must come in time, too. */
#define WAIT_ENDS_LATE (110 * RL_MILLISECOND)
/* How long an answer to WAIT may take that nobody needs. As a rule it has arrived along with the one before. */
#define LEAVE_AFTER (10 * RL_MILLISECOND)

static bool wants_replicas(const struct rl_route *route, const struct rl_call *call)
{
	return route->replicas > 0 && call->replicated_up_to > 0;
}

enum rl_status rl_replicas_ask(struct rl_route *route, struct rl_connection *connection, rl_time deadline,
	struct rl_error *error)
{
	rl_time left = deadline - rl_now();
	int64_t left_ms = (left > 2 * WAIT_ENDS_LATE ? left - WAIT_ENDS_LATE : left / 2) / RL_MILLISECOND;
	char replicas[16], timeout[24];
	struct rl_text words[3] = { { "WAIT", 4 }, { replicas, 0 }, { timeout, 0 } };

	words[1].length = (size_t)snprintf(replicas, sizeof replicas, "%d", route->replicas);
	/* 0 would be for ever. */
	words[2].length = (size_t)snprintf(timeout, sizeof timeout, "%" PRId64, left_ms > 0 ? left_ms : 1);
	route->requests++;
	return rl_connection_append(connection, 3, words, error);
}

/* The code is the one that Redis has for it. */
static enum rl_status too_few_replicas(struct rl_error *error)
{
	memcpy(error->code, "NOREPLICAS", sizeof "NOREPLICAS");
	return RL_REFUSED;
}

enum rl_status rl_replicas_hear(const struct rl_route *route, struct rl_connection *connection, rl_time deadline,
	struct rl_error *error)
{
	const char *server = connection->address->name;
	struct rl_reply reply;
	enum rl_status status = rl_connection_read_aside(connection, deadline, &reply, error);

	if (status == RL_UNREACHABLE && rl_now() >= deadline) {
		rl_fail(error, RL_REFUSED, "Redis at %s: too few of %d replicas have said in time that they have it",
			server, route->replicas);
		return too_few_replicas(error);
	}
	if (status != RL_OK) {
		return status;
	}
	if (reply.type != RL_REPLY_INTEGER) {
		return rl_fail(error, RL_UNREACHABLE, "Redis at %s does not say how many replicas have it", server);
	}
	if (reply.integer < route->replicas) {
		rl_fail(error, RL_REFUSED, "Redis at %s: only %" PRId64 " of %d replicas have it", server, reply.integer,
			route->replicas);
		return too_few_replicas(error);
	}
	return RL_OK;
}

/* Whether the reply says that something was done for which replicas are asked. */
static bool was_done(const struct rl_call *call, const struct rl_reply *reply)
{
	if (reply->type == RL_REPLY_ARRAY && reply->count > 0) {
		reply = &reply->elements[0];
	}
	return reply->type == RL_REPLY_INTEGER && reply->integer > 0 && reply->integer <= call->replicated_up_to;
}

void rl_replicas_leave(struct rl_connection *connection)
{
	struct rl_reply reply;
	struct rl_error ignored;

	rl_connection_read_aside(connection, rl_now() + LEAVE_AFTER, &reply, &ignored);
}

static enum rl_status hear_replicas(const struct rl_route *route, struct rl_call *call, struct rl_connection *connection,
	const struct rl_reply *reply, rl_time deadline, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	if (!wants_replicas(route, call)) {
		return RL_OK;
	}
	if (!was_done(call, reply)) {
		rl_replicas_leave(connection);
		return RL_OK;
	}
	status = rl_replicas_hear(route, connection, deadline, error);
	call->maybe_done = status != RL_OK;
	call->too_few = status == RL_REFUSED;
	call->is_transient = call->too_few && rl_call_refusal_is_transient(error);
	return status;
}

static enum rl_status send_as(struct rl_route *route, struct rl_call *call, struct rl_session *session,
	bool with_text, rl_time deadline, struct rl_error *error)
{
	enum rl_status status;

	if (call->unanswered == 0) {
		call->sent_at = rl_now();
	}
	status = append_to(session, call, with_text, deadline, error);
	if (status != RL_OK) {
		return status;
	}
	route->requests++;
	if (wants_replicas(route, call)) {
		status = rl_replicas_ask(route, session->connection, deadline, error);
		if (status != RL_OK) {
			return status;
		}
	}
	status = rl_connection_flush(session->connection, deadline, error);
	/* A connection that has ended takes none of it: then it was surely not done. */
	return rl_connection_has_sent(session->connection) ? lose(call, status) : status;
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

/* That to ASKING comes first, and says nothing. */
static enum rl_status read_answer(
	struct rl_session *session, rl_time deadline, const struct rl_reply **reply, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	if (session->asking) {
		status = rl_connection_read(session->connection, deadline, reply, error);
	}
	return status == RL_OK ? rl_connection_read(session->connection, deadline, reply, error) : status;
}

bool rl_call_was_late(struct rl_connection *connection, const struct rl_reply *reply, rl_time sent_at)
{
	if (!rl_reply_is_error(reply, "LATE")) {
		return false;
	}
	rl_connection_note_clock(connection, strtoll(reply->text + strlen("LATE"), NULL, 10), sent_at);
	return true;
}

/* Each happens once at most: then the server knows the script, and we know its clock. */
#define MEND_MAX 2

enum rl_status rl_call_answer(struct rl_route *route, struct rl_call *call, struct rl_session *session,
	rl_time deadline, const struct rl_reply **reply, struct rl_error *error)
{
	enum rl_status status = read_answer(session, deadline, reply, error);

	for (int mended = 0; status == RL_OK && mended < MEND_MAX; mended++) {
		bool unknown = rl_reply_is_error(*reply, "NOSCRIPT");

		if (!unknown && !rl_call_was_late(session->connection, *reply, call->sent_at)) {
			break;
		}
		if (wants_replicas(route, call)) {
			rl_replicas_leave(session->connection);
			status = rl_session_mend(session, route, deadline, error);
		}
		if (status == RL_OK) {
			status = send_as(route, call, session, unknown, deadline, error);
		}
		if (status != RL_OK) {
			return status;
		}
		status = read_answer(session, deadline, reply, error);
	}
	if (status != RL_OK) {
		return lose(call, status);
	}
	if ((*reply)->type == RL_REPLY_ERROR) {
		if (wants_replicas(route, call)) {
			rl_replicas_leave(session->connection);
		}
		return rl_connection_refusal(session->connection, *reply, error);
	}
	call->maybe_done = false;
	return lose(call, hear_replicas(route, call, session->connection, *reply, deadline, error));
}

void rl_call_abandon(struct rl_call *call, struct rl_session *session)
{
	struct rl_error ignored;

	/*
	 * By its text: who thaws late may have lost its script cache before it gets there. The call
	 * stays doubtful: a server that reads the two one by one meets the closed connection when it
	 * answers the first, and may never read the second.
	 */
	if (session->connection && call->undo && append_to(session, call->undo, true, 0, &ignored) == RL_OK) {
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
static bool pause_before_retry(rl_time pause, rl_time deadline)
{
	rl_time until = rl_now() + pause;

	if (until >= deadline) {
		return false;
	}
	while (rl_poll(NULL, 0, until) == RL_POLL_SIGNAL) {
	}
	return true;
}

/* One call under way, over all its tries. */
struct run {
	struct rl_route *route;
	struct rl_call *call;
	rl_time deadline;
	struct rl_session *session;
	bool reconnected; /* a connection broke, and another was tried */
	unsigned hops;
	bool sent_on;                /* the last try was redirected, and that is no loop yet */
	struct rl_server *elsewhere; /* where the next try goes, this once; or NULL */
};

static enum rl_status begin_try(struct run *run, struct rl_error *error)
{
	struct rl_session *session = run->session;
	enum rl_status status;

	if (!run->elsewhere) {
		return rl_session_begin(session, run->route, run->call->keys[0], run->deadline, error);
	}
	*session = (struct rl_session){ .server = run->elsewhere, .asking = true };
	status = connect_session(session, run->route, run->deadline, error);
	rl_server_release(run->elsewhere);
	run->elsewhere = NULL;
	if (status != RL_OK) {
		session->server = NULL;
	}
	return status;
}

static enum rl_status try_once(struct run *run, const struct rl_reply **reply, struct rl_error *error)
{
	enum rl_status status = begin_try(run, error);

	if (status == RL_OK) {
		status = exchange(run->route, run->call, run->session, run->deadline, reply, error);
	}
	return status;
}

/* The server closed it. Most likely it was idle for too long, or there was a restart: once more, on a new connection. */
static bool reconnect(struct run *run)
{
	rl_server_drop_idle(run->session->server);
	if (run->reconnected) {
		return false;
	}
	rl_session_end(run->session);
	run->reconnected = true;
	run->route->reconnects++;
	return true;
}

/* While a slot moves, a script with several keys waits until all are in one place again. */
static bool can_do_with_less(const struct rl_call *call, const struct rl_error *error)
{
	return call->lock_key_alone_ok && call->key_count > 1 && strcmp(error->code, "TRYAGAIN") == 0;
}

/* The route's lesson of a failed try, whose session is ended. True: another try is worth it. */
static bool learn(struct run *run, struct rl_failure *failure)
{
	enum rl_lesson lesson = run->route->learn(run->route, run->call->keys[0], failure);

	rl_session_end(run->session);
	run->elsewhere = lesson == RL_LESSON_ONCE ? failure->elsewhere : NULL;
	run->sent_on = (lesson == RL_LESSON_ONCE || lesson == RL_LESSON_AGAIN) && run->hops < MAX_HOPS;
	run->call->is_transient = lesson != RL_LESSON_NONE || (failure->status == RL_REFUSED && rl_call_refusal_is_transient(failure->error));
	switch (lesson) {
		case RL_LESSON_AGAIN:
		case RL_LESSON_ONCE:
			return ++run->hops <= MAX_HOPS ? rl_now() < run->deadline : pause_before_retry(RETRY_PAUSE, run->deadline);
		case RL_LESSON_LATER:
			return pause_before_retry(LOOK_PAUSE, run->deadline);
		default:
			return run->call->is_transient && pause_before_retry(RETRY_PAUSE, run->deadline);
	}
}

/* After a failed try, whose session is ended here. True: another is worth it. */
static bool try_again(struct run *run, enum rl_status status, const struct rl_reply *reply, const struct rl_error *error)
{
	bool connected = run->session->connection != NULL;
	struct rl_failure failure = {
		.status = status,
		.error = error,
		.words = status == RL_REFUSED && connected ? reply->text : NULL,
		.server = run->session->server,
	};

	run->sent_on = false;
	if (status != RL_REFUSED && status != RL_UNREACHABLE) {
		rl_session_end(run->session);
		return false;
	}
	if (run->call->too_few) {
		/* The replicas may follow another master by now. */
		run->route->learn(run->route, run->call->keys[0], &failure);
		rl_session_end(run->session);
		return false;
	}
	if (status == RL_REFUSED && can_do_with_less(run->call, error)) {
		rl_session_end(run->session);
		run->call->key_count = 1;
		return rl_now() < run->deadline;
	}
	if (status == RL_UNREACHABLE && connected && rl_now() >= run->deadline) {
		run->call->is_transient = run->route->learn(run->route, run->call->keys[0], &failure) != RL_LESSON_NONE;
		rl_call_abandon(run->call, run->session);
		return false;
	}
	if (status == RL_UNREACHABLE && connected && reconnect(run)) {
		return true;
	}
	return learn(run, &failure);
}

enum rl_status rl_call_run(struct rl_route *route, struct rl_call *call, rl_time deadline,
	struct rl_session *session, const struct rl_reply **reply, struct rl_error *error)
{
	struct run run = { .route = route, .call = call, .deadline = deadline, .session = session };
	struct rl_error refusal = { .code = "" };
	enum rl_status status;

	*reply = NULL;
	while ((status = try_once(&run, reply, error)) != RL_OK && try_again(&run, status, *reply, error)) {
		/* A redirection explains nothing unless it is a loop, and ASK less than what the node said that it named. */
		if (status == RL_REFUSED && !run.sent_on && (!run.elsewhere || !refusal.code[0])) {
			refusal = *error;
		}
	}
	/* Time ran out on a last try: why it was not done before says more. */
	if (refusal.code[0] && (run.elsewhere || (status == RL_UNREACHABLE && rl_now() >= deadline))) {
		*error = refusal;
		status = RL_REFUSED;
	}
	if (status == RL_REFUSED) {
		rl_route_advise(route, error);
	}
	if (run.elsewhere) {
		rl_server_release(run.elsewhere);
	}
	return status;
}
