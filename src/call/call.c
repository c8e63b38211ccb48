#include "call.h"
#include "replicas.h"
#include "../base/number.h"
#include "../base/poll.h"
#include "../redis/refusal.h"

#include <stdlib.h>
#include <string.h>

/* A call follows this many redirections without a pause. More than these are a loop. */
#define MAX_HOPS 5

/* --- sending --- */

static bool wants_text(struct rl_connection *connection, const struct rl_script *script,
	enum rl_naming naming)
{
	if (naming == RL_BY_HASH
		|| (naming == RL_BY_TEXT_ONCE && rl_connection_has_run(connection, script))) {
		return false;
	}
	rl_connection_note_run(connection, script);
	return true;
}

static enum rl_status append(struct rl_connection *connection, const struct rl_call *call,
	enum rl_naming naming, rl_time deadline, struct rl_error *error)
{
	static const char digits[] = "0123456789";
	struct rl_text words[3 + RL_CALL_KEYS + RL_CALL_ARGS];
	char until[RL_NUMBER_SIZE];
	size_t count = 0;

	if (wants_text(connection, call->script, naming)) {
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
		words[count + call->until_arg] = (struct rl_text){ until,
			rl_number_put(until, (deadline + connection->clock_ahead) / RL_MICROSECOND) };
	}
	count += call->arg_count;
	return rl_connection_append(connection, count, words, error);
}

static enum rl_status append_to(const struct rl_session *session, const struct rl_call *call,
	enum rl_naming naming, rl_time deadline, struct rl_error *error)
{
	static const struct rl_text asking = { "ASKING", 6 };
	enum rl_status status = RL_OK;

	if (session->asking) {
		status = rl_connection_append(session->connection, 1, &asking, error);
	}
	return status == RL_OK ? append(session->connection, call, naming, deadline, error) : status;
}

/* Without an answer, nobody knows whether the call was done. */
static enum rl_status note_unanswered(struct rl_call *call, enum rl_status status)
{
	if (status == RL_UNREACHABLE) {
		call->unanswered++;
		call->maybe_done = true;
	}
	return status;
}

enum rl_status rl_call_queue(struct rl_route *route, const struct rl_call *call,
	struct rl_connection *connection, enum rl_naming naming, rl_time deadline,
	struct rl_error *error)
{
	enum rl_status status = append(connection, call, naming, deadline, error);

	route->requests += status == RL_OK;
	return status;
}

static bool wants_replicas(const struct rl_route *route, const struct rl_call *call)
{
	return route->replicas > 0 && call->replicated_up_to > 0;
}

bool rl_call_was_done(
	const struct rl_route *route, const struct rl_call *call, const struct rl_reply *reply)
{
	const struct rl_reply *first = reply->type == RL_REPLY_ARRAY && reply->count > 0
		? reply->elements
		: reply;

	return wants_replicas(route, call) && first->type == RL_REPLY_INTEGER && first->integer > 0
		&& first->integer <= call->replicated_up_to;
}

static enum rl_status hear_replicas(const struct rl_route *route, struct rl_call *call,
	struct rl_connection *connection, const struct rl_reply *reply, rl_time deadline,
	struct rl_error *error)
{
	enum rl_status status;

	if (!wants_replicas(route, call)) {
		return RL_OK;
	}
	status = rl_replicas_hear(
		route, connection, rl_call_was_done(route, call, reply), deadline, error);
	call->maybe_done = status != RL_OK;
	call->too_few = status == RL_REFUSED;
	call->is_transient = call->too_few && rl_refusal_passes_soon(error);
	return status;
}

enum rl_status rl_call_send(struct rl_route *route, struct rl_call *call,
	struct rl_session *session, enum rl_naming naming, rl_time deadline, struct rl_error *error)
{
	enum rl_status status;

	if (call->unanswered == 0) {
		call->sent_at = rl_now();
	}
	status = append_to(session, call, naming, deadline, error);
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
	return rl_connection_has_sent(session->connection) ? note_unanswered(call, status) : status;
}

/* --- the answer --- */

/* The answer to ASKING comes first, and says nothing. */
static enum rl_status read_answer(struct rl_session *session, rl_time deadline,
	const struct rl_reply **reply, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	if (session->asking) {
		status = rl_connection_read(session->connection, deadline, reply, error);
	}
	return status == RL_OK ? rl_connection_read(session->connection, deadline, reply, error)
						   : status;
}

bool rl_call_is_mended(
	struct rl_connection *connection, const struct rl_reply *refusal, rl_time sent_at)
{
	if (rl_reply_is_error(refusal, "NOSCRIPT")) {
		rl_connection_forget_run(connection);
		return true;
	}
	if (rl_reply_is_error(refusal, "LATE")) {
		rl_connection_note_clock(
			connection, strtoll(refusal->text + strlen("LATE"), NULL, 10), sent_at);
		return true;
	}
	return false;
}

/* A server's clock may be set back by as much while it is connected. */
#define SET_BACK (3600 * RL_SECOND)

/*
 * Only a call that takes a lock can be undone, and a number is its fence, which is no less than the
 * server's clock. Where that was set back the next connection learns it.
 */
static bool is_older(const struct rl_connection *connection, const struct rl_call *call,
	const struct rl_reply *reply)
{
	return call->undo && call->unanswered == 0 && reply->type == RL_REPLY_INTEGER
		&& connection->clock_ahead != RL_CLOCK_UNKNOWN
		&& reply->integer
		< (call->sent_at + connection->clock_ahead - SET_BACK) / RL_MICROSECOND;
}

static enum rl_status hear(struct rl_route *route, struct rl_call *call, struct rl_session *session,
	rl_time deadline, const struct rl_reply **reply, struct rl_error *error)
{
	enum rl_status status;

	if (call->reply_nodes > 0) {
		/* until the session ends */
		rl_reply_allow(&session->connection->replies, call->reply_nodes);
	}
	status = read_answer(session, deadline, reply, error);
	for (int mends = 0; status == RL_OK && (*reply)->type == RL_REPLY_ERROR
		 && mends < RL_CALL_MENDS_MAX
		 && rl_call_is_mended(session->connection, *reply, call->sent_at);
		 mends++) {
		if (wants_replicas(route, call)) {
			rl_replicas_hear(route, session->connection, false, deadline, error);
			status = rl_session_mend(session, route, deadline, error);
		}
		if (status == RL_OK) {
			status = rl_call_send(route, call, session, RL_BY_TEXT_ONCE, deadline, error);
		}
		if (status != RL_OK) {
			return status;
		}
		status = read_answer(session, deadline, reply, error);
	}
	if (status != RL_OK) {
		return note_unanswered(call, status);
	}
	if ((*reply)->type == RL_REPLY_ERROR) {
		if (wants_replicas(route, call)) {
			rl_replicas_hear(route, session->connection, false, deadline, error);
		}
		return rl_connection_refusal(session->connection, *reply, error);
	}
	if (is_older(session->connection, call, *reply)) {
		return note_unanswered(call, rl_connection_out_of_step(session->connection, error));
	}
	call->maybe_done = false;
	return note_unanswered(
		call, hear_replicas(route, call, session->connection, *reply, deadline, error));
}

/*
 * The undo goes by its text, because a server that thaws late may have lost its script cache before
 * it gets there. The call stays in doubt: a server that reads the two one by one meets the closed
 * connection when it answers the first, and may never read the second.
 */
static void send_undo(struct rl_call *call, struct rl_session *session)
{
	struct rl_error ignored;

	if (call->undo && append_to(session, call->undo(call), RL_BY_TEXT, 0, &ignored) == RL_OK) {
		rl_connection_flush(session->connection, rl_now(), &ignored);
	}
}

/* --- tries --- */

/* One call under way, over all its tries. */
struct run {
	struct rl_route *route;
	struct rl_call *call;
	rl_time deadline;
	struct rl_session *session;
	bool reconnected; /* a connection broke, and another was tried */
	unsigned hops;
	/* the last try was sent on to another server, and that is no loop yet */
	bool redirected;
	struct rl_server *elsewhere; /* where the next try goes, this once; or NULL */
	bool connected;              /* the last try had a connection */
	rl_time pause;               /* before the next try */
	bool out_of_time;            /* another try would be worth it */
};

static enum rl_status begin_try(struct run *run, struct rl_error *error)
{
	enum rl_status status;

	if (!run->elsewhere) {
		return rl_session_begin(run->session, run->route, run->call->keys[0], run->deadline, error);
	}
	status = rl_session_begin_at(run->session, run->route, run->elsewhere, run->deadline, error);
	run->session->asking = true;
	rl_server_unref(run->elsewhere);
	run->elsewhere = NULL;
	return status;
}

static enum rl_status try_once(
	struct run *run, const struct rl_reply **reply, struct rl_error *error)
{
	enum rl_status status = begin_try(run, error);

	if (status == RL_OK) {
		status = rl_call_send(
			run->route, run->call, run->session, RL_BY_HASH, run->deadline, error);
	}
	if (status == RL_OK) {
		status = hear(run->route, run->call, run->session, run->deadline, reply, error);
	}
	return status;
}

/*
 * The server closed it. Most likely it was idle for too long, or there was a restart: once more, on
 * a new connection.
 */
static bool reconnect(struct run *run)
{
	rl_server_drop_idle(run->session->server);
	if (run->reconnected) {
		return false;
	}
	run->reconnected = true;
	run->route->reconnects++;
	return true;
}

/* While a slot moves, a script with several keys waits until all are in one place again. */
static bool can_do_with_less(const struct rl_call *call, const struct rl_error *error)
{
	return call->lock_key_alone_ok && call->key_count > 1 && strcmp(error->code, "TRYAGAIN") == 0;
}

/*
 * Another try is worth it if the route knows of another server now, or looks for one, or the
 * refusal is transient.
 */
static bool consult_route(struct run *run, struct rl_failure *failure)
{
	enum rl_lesson lesson = rl_route_learn(run->route, run->call->keys[0], failure);
	bool is_redirection = lesson == RL_LESSON_ONCE || lesson == RL_LESSON_AGAIN;

	run->elsewhere = lesson == RL_LESSON_ONCE ? failure->elsewhere : NULL;
	run->redirected = is_redirection && run->hops < MAX_HOPS;
	run->call->is_transient = lesson != RL_LESSON_NONE
		|| rl_refusal_passes_soon(failure->error);
	if (lesson == RL_LESSON_LATER) {
		run->pause = RL_CALL_LOOK_PAUSE;
	} else if (!is_redirection || ++run->hops > MAX_HOPS) {
		run->pause = RL_CALL_RETRY_PAUSE;
	}
	return run->call->is_transient;
}

/*
 * What is to be done about a failed try, whose session is still there. True: another try is worth
 * it.
 */
static bool judge_failure(struct run *run, enum rl_status status, const struct rl_reply *reply,
	const struct rl_error *error)
{
	bool connected = run->connected = run->session->connection != NULL;
	struct rl_failure failure = {
		.status = status,
		.error = error,
		.words = status == RL_REFUSED && connected ? reply->text : NULL,
		.server = run->session->server,
	};

	run->redirected = false;
	run->pause = 0;
	if (status != RL_REFUSED && status != RL_UNREACHABLE) {
		return false;
	}
	if (run->call->too_few) {
		/* The replicas may follow another master by now. */
		rl_route_learn(run->route, run->call->keys[0], &failure);
		return false;
	}
	if (status == RL_REFUSED && can_do_with_less(run->call, error)) {
		run->call->key_count = 1;
		return true;
	}
	if (status == RL_UNREACHABLE) {
		run->hops = 0; /* it led nowhere, and so in no circle */
	}
	if (status == RL_UNREACHABLE && connected && rl_now() >= run->deadline) {
		run->call->is_transient = rl_route_learn(run->route, run->call->keys[0], &failure)
			!= RL_LESSON_NONE;
		send_undo(run->call, run->session);
		return false;
	}
	if (status == RL_UNREACHABLE && connected && reconnect(run)) {
		return true;
	}
	return consult_route(run, &failure);
}

bool rl_call_pause(rl_time pause, rl_time deadline)
{
	rl_time until = rl_now() + pause;

	if (until >= deadline) {
		return false;
	}
	while (pause && rl_poll(NULL, 0, until) == RL_POLL_SIGNAL) {
	}
	return true;
}

/* After a failed try. True: another one is worth it, and there is time for it. */
static bool try_again(struct run *run, enum rl_status status, const struct rl_reply *reply,
	const struct rl_error *error)
{
	bool worthwhile = judge_failure(run, status, reply, error);

	rl_session_end(run->session);
	if (run->call->is_hasty && run->pause == RL_CALL_RETRY_PAUSE) {
		return false;
	}
	run->out_of_time = worthwhile && !rl_call_pause(run->pause, run->deadline);
	return worthwhile && !run->out_of_time;
}

/* A failed try that says why the call is not done, for when the later ones say less. */
struct reason {
	enum rl_status status; /* RL_OK: there was none */
	struct rl_error error;
};

/*
 * A redirection explains nothing unless it is a loop, and ASK less than what became of the node
 * that it named. `sent_on`: the try was at such a node.
 */
static void note_reason(struct reason *reason, const struct run *run, enum rl_status status,
	bool sent_on, const struct rl_error *error)
{
	bool explains = status == RL_REFUSED
		? !run->redirected && (!run->elsewhere || reason->status == RL_OK)
		: sent_on || rl_refusal_passes_soon(error)
			|| (!run->connected && reason->status == RL_OK);

	if (explains) {
		*reason = (struct reason){ status, *error };
	}
}

/*
 * Time ran out on a last try, or on the look for a server before it: why it was not done before
 * says more.
 */
static enum rl_status tell_reason(const struct reason *reason, const struct run *run,
	enum rl_status status, struct rl_error *error)
{
	bool says_less = run->elsewhere || run->redirected
		|| (status == RL_UNREACHABLE && (run->out_of_time || rl_now() >= run->deadline));

	if (reason->status != RL_OK && says_less) {
		*error = reason->error;
		status = reason->status;
		run->call->is_transient = true; /* otherwise it had not been tried again */
	}
	if (status == RL_REFUSED) {
		rl_advice_add(run->route->kind->advice, error);
	}
	return status;
}

enum rl_status rl_call_run(struct rl_route *route, struct rl_call *call, rl_time deadline,
	struct rl_session *session, const struct rl_reply **reply, struct rl_error *error)
{
	struct run run = { .route = route, .call = call, .deadline = deadline, .session = session };
	struct reason reason;
	enum rl_status status;
	bool sent_on = false;

	*reply = NULL;
	reason.status = RL_OK;
	while ((status = try_once(&run, reply, error)) != RL_OK
		&& try_again(&run, status, *reply, error)) {
		note_reason(&reason, &run, status, sent_on, error);
		sent_on = run.redirected;
	}
	if (status == RL_OK) {
		return RL_OK;
	}
	status = tell_reason(&reason, &run, status, error);
	if (run.elsewhere) {
		rl_server_unref(run.elsewhere);
	}
	return status;
}
