#include "call.h"
#include "../base/assert.h"
#include "../base/poll.h"
#include "../redis/refusal.h"

#include <string.h>

/* A call follows this many redirections without a pause. More than these are a loop. */
#define MAX_HOPS 5

static const struct rl_text asking = { "ASKING", 6 };

/* --- a try: sending, and the answer --- */

enum rl_status rl_call_write(struct rl_route *route, const struct rl_call *call, rl_time deadline,
	struct rl_exchange *exchange, struct rl_error *error)
{
	route->requests++;
	return rl_exchange_write_script(exchange, &call->eval, deadline, error);
}

enum rl_status rl_call_nonsense(struct rl_exchange *exchange, struct rl_error *error)
{
	exchange->connection->broken = true;
	return rl_fail(error, RL_UNREACHABLE,
		"Redis at %s: the answer is not one that rlock's scripts give",
		rl_server_address(exchange->server)->name);
}

bool rl_call_wants_replicas(const struct rl_route *route, int64_t up_to)
{
	return (route->replicas > 0 || route->durable) && up_to > 0;
}

bool rl_call_was_done(const struct rl_route *route, int64_t up_to, const struct rl_reply *reply)
{
	const struct rl_reply *first = reply->type == RL_REPLY_ARRAY && reply->count > 0
		? reply->elements
		: reply;

	return rl_call_wants_replicas(route, up_to) && first->type == RL_REPLY_INTEGER
		&& first->integer > 0 && first->integer <= up_to;
}

static enum rl_status write_call(
	void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error)
{
	struct rl_request *request = context;
	struct rl_call *call = request->call;
	enum rl_status status = RL_OK;

	rl_route_note_eviction(request->route, exchange->server);
	request->was_silent |= exchange->was_silent;
	if (rl_exchange_is_repeated(exchange)) {
		rl_doubt_lost(&call->doubt);
	}
	if (!call->doubt.copy_out) {
		call->sent_at = exchange->sent_at;
	}
	if (request->is_asking) {
		status = rl_exchange_write_ahead(exchange, &asking, 1, NULL, error);
	}
	if (status == RL_OK) {
		status = rl_call_write(
			request->route, call, rl_exchange_listens_until(exchange), exchange, error);
	}
	return status == RL_OK && rl_call_wants_replicas(request->route, call->replicated_up_to)
		? rl_replicas_ask(request->route, exchange, &request->replicas, error)
		: status;
}

/* What takes it back, behind it; the call stays in doubt. */
static enum rl_status write_undo(
	void *context, struct rl_exchange *exchange, struct rl_error *error)
{
	struct rl_request *request = context;
	const struct rl_call *undo = request->call->undo(request->call);
	enum rl_status status = request->is_asking
		? rl_exchange_write(exchange, &asking, 1, error)
		: RL_OK;

	return status == RL_OK ? rl_exchange_write_script(exchange, &undo->eval, 0, error) : status;
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
	return call->undo && !call->doubt.copy_out && reply->type == RL_REPLY_INTEGER
		&& connection->facts.clock_ahead != RL_CLOCK_UNKNOWN
		&& reply->integer
		< (call->sent_at + connection->facts.clock_ahead - SET_BACK) / RL_MICROSECOND;
}

/* What was done counts only once enough replicas have it. */
static enum rl_status judge_replicas(struct rl_request *request, struct rl_error *error)
{
	struct rl_call *call = request->call;
	enum rl_status status = RL_OK;

	if (request->replicas.matters) {
		status = rl_replicas_judge(
			request->route, &request->exchange, &request->replicas, error);
	}
	call->doubt.fate_unknown = status != RL_OK;
	call->too_few = status == RL_REFUSED;
	call->is_transient = call->too_few && rl_refusal_passes_soon(error);
	if (status == RL_UNREACHABLE) {
		rl_doubt_lost(&call->doubt);
	}
	return status;
}

static enum rl_status judge_answer(struct rl_request *request, struct rl_error *error)
{
	struct rl_connection *connection = request->exchange.connection;
	const struct rl_reply *reply = request->exchange.reply;

	if (reply->type == RL_REPLY_ERROR) {
		return rl_connection_refusal(connection, reply, error);
	}
	if (is_older(connection, request->call, reply)) {
		rl_doubt_lost(&request->call->doubt);
		return rl_connection_out_of_step(connection, error);
	}
	return judge_replicas(request, error);
}

/*
 * The silent connection is kept until the call is over. If that stays in doubt then, it is undone
 * there, behind what was sent: the server may only be slow.
 */
static void end_silent(struct rl_request *request)
{
	struct rl_connection *silent = request->silent.connection;

	if (!silent) {
		return;
	}
	if (request->call->doubt.fate_unknown) {
		rl_exchange_undo_on(&request->exchange, silent);
	}
	rl_connection_close(silent);
	request->silent.connection = NULL;
}

/* --- what is made of a failed try --- */

/* While a slot moves, a script with several keys waits until all are in one place again. */
static bool can_do_with_less(const struct rl_call *call, const struct rl_error *error)
{
	return call->lock_key_alone_ok && call->eval.key_count > 1
		&& strcmp(error->code, "TRYAGAIN") == 0;
}

/*
 * Another try is worth it if the route knows of another server now, or looks for one, if the
 * refusal is transient, or if the server was there, and has closed the connection.
 */
static bool consult_route(struct rl_request *request, struct rl_failure *failure, rl_time *pause)
{
	enum rl_lesson lesson = rl_route_learn(request->route, request->call->eval.keys[0], failure);
	bool is_redirection = lesson == RL_LESSON_ONCE || lesson == RL_LESSON_AGAIN;

	request->elsewhere = lesson == RL_LESSON_ONCE ? failure->elsewhere : NULL;
	request->redirected = is_redirection && request->hops < MAX_HOPS;
	request->call->is_transient = lesson != RL_LESSON_NONE
		|| rl_refusal_passes_soon(failure->error) || rl_error_is_closed(failure->error);
	if (lesson == RL_LESSON_LATER) {
		*pause = RL_CALL_SEARCH_PAUSE;
	} else if (!is_redirection || ++request->hops > MAX_HOPS) {
		*pause = RL_REFUSAL_PAUSE;
	}
	return request->call->is_transient;
}

/* What leads nowhere leads in no circle. */
static void note_reconnect(struct rl_request *request, enum rl_status status)
{
	const struct rl_exchange *exchange = &request->exchange;
	bool reconnected = request->has_exchange && !request->is_asking && !request->reconnected
		&& !exchange->reconnects;

	if (status == RL_UNREACHABLE || reconnected) {
		request->hops = 0;
	}
	request->reconnected |= reconnected || (request->has_exchange && exchange->was_silent);
}

/* Who was asked this once is not asked again: the slot's owner says where that is. */
static bool goes_back(struct rl_request *request)
{
	if (!request->is_asking || request->reconnected) {
		return false;
	}
	request->reconnected = true;
	request->route->reconnects++;
	return true;
}

/*
 * What is to be done about a failed try, whose exchange is still there. True: another try is worth
 * it, after the pause.
 */
static bool judge_failure(struct rl_request *request, enum rl_status status, rl_time *pause,
	const struct rl_error *error)
{
	struct rl_call *call = request->call;
	struct rl_exchange *exchange = request->has_exchange ? &request->exchange : NULL;
	bool connected = request->connected = exchange && exchange->connection;
	struct rl_failure failure = {
		.status = status,
		.error = error,
		.words = status == RL_REFUSED && connected ? exchange->reply->text : NULL,
		.server = exchange ? exchange->server : NULL,
	};

	request->redirected = false;
	*pause = 0;
	if (status != RL_REFUSED && status != RL_UNREACHABLE) {
		return false;
	}
	note_reconnect(request, status);
	if (call->too_few) {
		/* The replicas may follow another master by now. */
		rl_route_tell(request->route, call->eval.keys[0], failure);
		if (request->replicas.status == RL_UNREACHABLE) {
			/* it is not used again, and another may take too long */
			rl_exchange_undo_on(exchange, exchange->connection);
		}
		return false;
	}
	if (status == RL_REFUSED && can_do_with_less(call, error)) {
		call->eval.key_count = 1;
		return true;
	}
	if (status == RL_UNREACHABLE && connected && rl_now() >= request->deadline) {
		call->is_transient = rl_route_tell(request->route, call->eval.keys[0], failure)
			!= RL_LESSON_NONE;
		rl_exchange_undo_on(exchange, exchange->connection);
		return false;
	}
	if (status == RL_UNREACHABLE && connected && goes_back(request)) {
		return true;
	}
	return consult_route(request, &failure, pause);
}

/*
 * Keeps the error that explains most why the call is not done: no redirection (unless they loop),
 * and after ASK the failure of the node that it named.
 */
static void note_reason(
	struct rl_request *request, enum rl_status status, const struct rl_error *error)
{
	bool explains = status == RL_REFUSED
		? !request->redirected && (!request->elsewhere || request->reason == RL_OK)
		: request->sent_on || rl_refusal_passes_soon(error) || rl_error_is_closed(error)
			|| (!request->connected && request->reason == RL_OK);

	if (explains) {
		request->reason = status;
		request->why = *error;
	}
	request->sent_on = request->redirected;
}

/* It came to the server after the deadline, as often as it was sent: somebody was stopped. */
static bool came_too_late(const struct rl_request *request, const struct rl_error *error)
{
	return (request->out_of_time || rl_now() >= request->deadline)
		&& (strcmp(error->code, "LATE") == 0 || strcmp(error->code, "NOSCRIPT") == 0);
}

/*
 * Time ran out on a last try, or on the look for a server before it: why it was not done before
 * says more.
 */
static enum rl_status tell_reason(
	const struct rl_request *request, enum rl_status status, struct rl_error *error)
{
	bool says_less = request->elsewhere || request->redirected
		|| (status == RL_UNREACHABLE
			&& (request->out_of_time || rl_now() >= request->deadline));

	if (request->reason != RL_OK && says_less) {
		*error = request->why;
		status = request->reason;
		request->call->is_transient = true; /* otherwise it had not been tried again */
	}
	if (status == RL_REFUSED && came_too_late(request, error)) {
		status = rl_fail(error, RL_UNREACHABLE,
			"Redis at %s: the request came to it when the timeout was over; is it overloaded or frozen, or "
			"is its clock being moved?",
			request->route->name);
	}
	if (status == RL_REFUSED) {
		rl_advice_add(request->route->kind->advice, error);
	}
	return status;
}

/* --- tries --- */

static void end_exchange(struct rl_request *request)
{
	if (request->has_exchange) {
		request->route->reconnects += request->exchange.loan.reconnected;
		if (request->exchange.silent.connection) {
			rl_assert(!request->silent.connection); /* 4 */
			request->silent = request->exchange.silent;
			request->exchange.silent.connection = NULL;
		}
		rl_exchange_end(&request->exchange);
		request->has_exchange = false;
	}
}

/* Where it is by now, for what is to follow. */
static rl_time moved_deadline(struct rl_request *request)
{
	return request->has_exchange
		? rl_time_later(request->deadline, rl_exchange_deadline(&request->exchange))
		: request->deadline;
}

/* There is no other try, but the server may still answer the first. */
static bool may_be_heard(const struct rl_request *request, enum rl_status failure)
{
	return request->has_exchange && failure == RL_UNREACHABLE && rl_now() < request->deadline;
}

/* RL_OK: there will be another try. */
static enum rl_status try_again(
	struct rl_request *request, enum rl_status status, struct rl_error *error)
{
	rl_time pause;
	bool worthwhile;

	request->deadline = moved_deadline(request);
	if (status == RL_UNREACHABLE && request->has_exchange && !request->call->too_few
		&& rl_exchange_ask_again(&request->exchange)) {
		return RL_OK; /* what came was no answer */
	}
	worthwhile = judge_failure(request, status, &pause, error);
	if (!worthwhile && may_be_heard(request, status)
		&& rl_exchange_turn_back(&request->exchange)) {
		return RL_OK;
	}
	end_exchange(request);
	request->paused_until = rl_now() + pause;
	request->out_of_time = worthwhile && request->paused_until >= request->deadline;
	if (!worthwhile || request->out_of_time
		|| (request->call->is_hasty && pause == RL_REFUSAL_PAUSE)) {
		return tell_reason(request, status, error);
	}
	note_reason(request, status, error);
	return RL_OK;
}

static void begin_exchange(struct rl_request *request, struct rl_server *server)
{
	struct rl_exchange *exchange = &request->exchange;

	rl_exchange_prepare(exchange, server, write_call, request);
	exchange->loan.connect_timeout = request->route->connect_timeout;
	exchange->loan.deadline = request->deadline;
	exchange->loan.patience = request->reconnected || server == request->answered_by
		? 0
		: request->route->timeout / 2;
	exchange->reconnects = !request->reconnected && !request->is_asking;
	exchange->undo = request->call->undo ? write_undo : NULL;
	exchange->naming = request->call->tells_text ? RL_BY_TEXT_ONCE : RL_BY_HASH;
	exchange->reply_nodes = request->call->reply_nodes;
	rl_exchange_begin(exchange);
	if (request->silent.connection
		&& request->silent.connection->address == rl_server_address(server)) {
		exchange->silent = request->silent;
		exchange->was_silent = true;
		request->silent.connection = NULL;
	}
	request->has_exchange = true;
	request->replicas.matters = false;
}

/*
 * Before the deadline; or nobody had looked in between, and the time since then does not count.
 * RL_INTERRUPTED: nobody wants another try.
 */
static enum rl_status end_pause(struct rl_request *request, struct rl_error *error)
{
	rl_time now;

	if (rl_now() < request->paused_until
		&& rl_polls_pause(request->paused_until) != RL_WANTED) {
		return rl_fail_unwanted(error);
	}
	now = rl_now();
	if (now >= request->deadline) {
		request->deadline += now - request->paused_until;
	}
	request->paused_until = 0;
	return RL_OK;
}

static enum rl_status begin_try(struct rl_request *request, struct rl_error *error)
{
	struct rl_route *route = request->route;
	struct rl_server *server = request->elsewhere;
	enum rl_status status = request->paused_until ? end_pause(request, error) : RL_OK;

	request->is_asking = server != NULL;
	if (status == RL_OK && !server) {
		status = route->kind->locate(
			route, request->call->eval.keys[0], &request->deadline, &server, error);
	}
	if (status != RL_OK) {
		return status;
	}
	begin_exchange(request, server);
	if (request->elsewhere) {
		rl_server_unref(server);
		request->elsewhere = NULL;
	}
	return RL_OK;
}

static enum rl_status end_try(struct rl_request *request, enum rl_status status,
	struct rl_error *error)
{
	const struct rl_exchange *exchange = &request->exchange;

	if (exchange->reply) {
		request->answered_by = exchange->server;
	}
	if (exchange->is_unanswered) {
		rl_doubt_lost(&request->call->doubt);
	}
	if (status == RL_OK) {
		status = judge_answer(request, error);
	}
	rl_assert(!exchange->is_unanswered || request->call->doubt.copy_out); /* 3 */
	if (status == RL_OK) {
		rl_assert(!request->call->doubt.fate_unknown); /* 2 */
		request->reply = exchange->reply;
	}
	return status;
}

/* What replicas say is asked for until it decides, or time is up. */
static enum rl_status try_once(struct rl_request *request, struct rl_error *error)
{
	struct rl_exchange *exchange = &request->exchange;
	enum rl_status status;

	rl_assert(request->has_exchange && !request->paused_until && !request->elsewhere); /* 1 */
	do {
		status = request->is_unheard ? rl_exchange_send(exchange, error)
									 : rl_exchange_run(exchange, error);
		if (status == RL_OK) {
			request->replicas.matters = rl_call_was_done(
				request->route, request->call->replicated_up_to, exchange->reply);
		}
	} while (status == RL_OK
		&& (exchange->rider
			|| rl_replicas_ask_on(request->route, exchange, &request->replicas, error)));
	return status == RL_INTERRUPTED ? status : end_try(request, status, error);
}

/* --- a call under way --- */

void rl_request_begin(
	struct rl_request *request, struct rl_route *route, struct rl_call *call, rl_time deadline)
{
	request->route = route;
	request->call = call;
	request->deadline = deadline;
	request->paused_until = 0;
	request->reply = NULL;
	request->elsewhere = NULL;
	request->has_exchange = request->reconnected = request->redirected = request->sent_on = false;
	request->was_silent = request->is_unheard = false;
	request->silent.connection = NULL;
	request->answered_by = NULL;
	request->connected = request->out_of_time = false;
	request->hops = 0;
	request->reason = RL_OK;
}

enum rl_status rl_request_run(struct rl_request *request, struct rl_error *error)
{
	enum rl_status status;

	do {
		status = request->has_exchange ? RL_OK : begin_try(request, error);
		if (status == RL_OK) {
			status = try_once(request, error);
		}
		if (status == RL_OK || status == RL_INTERRUPTED) {
			return status;
		}
		status = try_again(request, status, error);
	} while (status == RL_OK);
	return status;
}

enum rl_status rl_request_send(struct rl_request *request, struct rl_error *error)
{
	request->is_unheard = true;
	return rl_request_run(request, error);
}

static bool is_given_up(const struct rl_request *request)
{
	return request->has_exchange && !request->reply;
}

void rl_request_end(struct rl_request *request)
{
	bool was_given_up = is_given_up(request);

	if (was_given_up) {
		request->call->doubt.fate_unknown |= rl_exchange_awaits_rider(&request->exchange);
		rl_exchange_call_off(&request->exchange);
	}
	end_exchange(request);
	if (was_given_up && request->exchange.is_unanswered) {
		rl_doubt_lost(&request->call->doubt);
	}
	end_silent(request);
	if (request->elsewhere) {
		rl_server_unref(request->elsewhere);
		request->elsewhere = NULL;
	}
}

bool rl_request_may_be_done(const struct rl_request *request)
{
	return rl_doubt_any(&request->call->doubt)
		|| (is_given_up(request)
			&& (request->exchange.state != RL_EXCHANGE_CONNECTING
				|| rl_exchange_is_repeated(&request->exchange)));
}

bool rl_request_follow(struct rl_request *request, struct rl_call *(*form)(void *context),
	void *context, rl_time deadline)
{
	struct rl_exchange first;

	if (!is_given_up(request)
		|| (request->exchange.state != RL_EXCHANGE_AWAITING
			&& !rl_exchange_awaits_rider(&request->exchange))) {
		return false;
	}
	rl_exchange_abandon(&request->exchange, NULL);
	first = request->exchange;
	request->call = form(context);
	request->deadline = deadline;
	request->reconnected = true; /* elsewhere it might come before the first */
	begin_exchange(request, first.server);
	if (rl_connection_is_usable(first.connection)) {
		request->exchange.connection = first.connection;
		first.connection = NULL;
	}
	rl_exchange_end(&first);
	request->exchange.naming = RL_BY_TEXT; /* nobody may hear that the server does not know it */
	return true;
}

bool rl_call_send(struct rl_route *route, struct rl_call *call, rl_time deadline)
{
	struct rl_request request;
	struct rl_exchange *exchange = &request.exchange;
	struct rl_error ignored;
	bool is_sent = false;

	rl_request_begin(&request, route, call, deadline);
	if (begin_try(&request, &ignored) == RL_OK) {
		exchange->naming = RL_BY_TEXT_ONCE;
		exchange->reconnects = false;
		if (deadline > 0) {
			rl_exchange_send(exchange, &ignored);
		} else {
			exchange->loan.only_idle = true;
			exchange->loan.deadline = rl_now() + route->timeout; /* by others */
			rl_exchange_go_on(exchange, NULL, &ignored);
		}
		is_sent = rl_exchange_is_written(exchange);
	}
	if (is_sent) {
		rl_exchange_abandon(exchange, NULL); /* what the system does not take now follows */
		call->doubt.copy_out = true;
	}
	rl_request_end(&request);
	return is_sent;
}

bool rl_call_pause(rl_time pause, rl_time deadline)
{
	rl_time until = rl_now() + pause;

	if (until >= deadline) {
		return false;
	}
	return !pause || rl_polls_pause(until) == RL_WANTED;
}
