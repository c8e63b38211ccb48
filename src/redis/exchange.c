#include "exchange.h"
#include "refusal.h"
#include "../base/assert.h"
#include "../base/number.h"
#include "../base/process_name.h"
#include "../base/machine.h"

#include <stdlib.h>
#include <string.h>

/* After each of the two once, a command is run, or fails for another reason. */
#define MENDS_MAX 2

/*
 * How long an answer of a rider may take that nobody needs. As a rule it has arrived along with the
 * one before.
 */
#define LEAVE_AFTER (10 * RL_MILLISECOND)

/* --- sets of commands --- */

static void clear(struct rl_exchange_set *set, size_t count)
{
	set->count = 0;
	memset(set->bits, 0, (count + 63) / 64 * sizeof set->bits[0]);
}

static bool has(const struct rl_exchange_set *set, size_t index)
{
	return set->bits[index / 64] >> index % 64 & 1;
}

static void put(struct rl_exchange_set *set, size_t index)
{
	set->bits[index / 64] |= (uint64_t)1 << index % 64;
	set->count++;
}

/* The first one of a set that has some. */
static size_t take_first(struct rl_exchange_set *set)
{
	size_t index = 0;

	while (!has(set, index)) {
		index += set->bits[index / 64] >> index % 64 ? 1 : 64 - index % 64;
	}
	set->bits[index / 64] &= ~((uint64_t)1 << index % 64);
	set->count--;
	return index;
}

/* --- the deadline --- */

rl_time rl_exchange_listens_until(const struct rl_exchange *exchange)
{
	return rl_time_earlier(exchange->loan.deadline, exchange->silent_until);
}

/*
 * Nothing more is there to be read. If the deadline has passed, and something was there, that was
 * found by a late look, which says nothing of the server. Nor does one on a connection that should
 * have been given up before, for another.
 */
static bool is_too_late(struct rl_exchange *exchange)
{
	struct rl_loan *loan = &exchange->loan;
	rl_time now = rl_now();

	exchange->is_silent = now >= exchange->silent_until;
	if (now >= loan->deadline && !exchange->is_late) {
		loan->deadline = exchange->has_read
			? rl_time_moved(loan->deadline, exchange->looked_at, now)
			: loan->deadline + (exchange->is_silent ? now - exchange->silent_until : 0);
	}
	exchange->has_read = false;
	exchange->looked_at = now;
	return now >= rl_exchange_listens_until(exchange);
}

rl_time rl_exchange_deadline(struct rl_exchange *exchange)
{
	is_too_late(exchange);
	return exchange->loan.deadline;
}

/* --- writing --- */

enum rl_status rl_exchange_write(struct rl_exchange *exchange, const struct rl_text *words,
	size_t count, struct rl_error *error)
{
	return rl_connection_append(exchange->connection, count, words, error);
}

enum rl_status rl_exchange_write_ahead(struct rl_exchange *exchange, const struct rl_text *words,
	size_t count, struct rl_deferred *deferred, struct rl_error *error)
{
	enum rl_status status = rl_connection_append(exchange->connection, count, words, error);

	if (status == RL_OK && deferred) {
		rl_connection_defer(exchange->connection, deferred);
	} else if (status == RL_OK && !rl_connection_defer_to_nobody(exchange->connection, false)) {
		status = rl_fail_for_memory(error);
	}
	return status;
}

enum rl_status rl_exchange_rename(
	struct rl_exchange *exchange, struct rl_text name, struct rl_error *error)
{
	const struct rl_text words[] = { { "CLIENT", 6 }, { "SETNAME", 7 }, name };

	exchange->connection->is_renamed = true;
	return rl_exchange_write_ahead(exchange, words, 3, NULL, error);
}

/* Once. False: out of memory. */
static bool make_aside(struct rl_exchange *exchange)
{
	if (!exchange->aside) {
		exchange->aside = calloc(1, sizeof *exchange->aside);
	}
	return exchange->aside != NULL;
}

enum rl_status rl_exchange_ride(struct rl_exchange *exchange, struct rl_rider *rider,
	const struct rl_text *words, size_t count, struct rl_error *error)
{
	if (!make_aside(exchange)) {
		return rl_fail_for_memory(error);
	}
	rider->status = RL_NO;
	rider->count = 0;
	rider->matters = false;
	exchange->rider = rider;
	return rl_connection_append(exchange->connection, count, words, error);
}

enum rl_status rl_exchange_ride_on(struct rl_exchange *exchange, struct rl_rider *rider,
	const struct rl_text *words, size_t count, struct rl_error *error)
{
	bool matters = rider->matters;
	enum rl_status status = rl_exchange_ride(exchange, rider, words, count, error);

	if (status == RL_OK) {
		rider->matters = matters;
		exchange->trails_until = 0;
		exchange->state = RL_EXCHANGE_TRAILING;
	}
	return status;
}

static bool wants_text(const struct rl_exchange *exchange, const struct rl_script *script)
{
	bool may_not_know = exchange->naming != RL_BY_HASH || exchange->mends > 0;

	if (!may_not_know
		|| (exchange->naming != RL_BY_TEXT
			&& rl_connection_has_run(exchange->connection, script))) {
		return false;
	}
	rl_connection_note_run(exchange->connection, script);
	return true;
}

enum rl_status rl_exchange_write_script(struct rl_exchange *exchange, const struct rl_eval *eval,
	rl_time deadline, struct rl_error *error)
{
	static const char digits[] = "0123456789";
	const rl_time clock_ahead = exchange->connection->facts.clock_ahead;
	struct rl_text words[3 + RL_SCRIPT_KEYS + RL_SCRIPT_ARGS];
	char until[RL_NUMBER_SIZE];
	size_t count = 0;

	if (wants_text(exchange, eval->script)) {
		words[count++] = (struct rl_text){ "EVAL", 4 };
		words[count++] = (struct rl_text){ eval->script->text, eval->script->length };
	} else {
		words[count++] = (struct rl_text){ "EVALSHA", 7 };
		words[count++] = (struct rl_text){ eval->script->sha1, 40 };
	}
	words[count++] = (struct rl_text){ &digits[eval->key_count], 1 };
	memcpy(&words[count], eval->keys, eval->key_count * sizeof words[0]);
	count += eval->key_count;
	memcpy(&words[count], eval->args, eval->arg_count * sizeof words[0]);
	if (eval->until_arg && clock_ahead != RL_CLOCK_UNKNOWN) {
		words[count + eval->until_arg] = (struct rl_text){ until,
			rl_number_put(until, (deadline + clock_ahead) / RL_MICROSECOND) };
	}
	return rl_connection_append(exchange->connection, count + eval->arg_count, words, error);
}

/* Nothing has come on it for a while, and another can be opened. */
static bool may_be_dead(const struct rl_exchange *exchange)
{
	return exchange->loan.is_reused && exchange->loan.patience && exchange->mends == 0
		&& !exchange->is_late && !exchange->silent.connection;
}

static rl_time give_up_at(const struct rl_exchange *exchange)
{
	rl_time half = (exchange->loan.deadline - exchange->sent_at) / 2;

	return exchange->sent_at + rl_time_earlier(exchange->loan.patience, half);
}

/* Those that are to be sent again, or all at first. */
static enum rl_status write_all(struct rl_exchange *exchange, struct rl_error *error)
{
	enum rl_status status = RL_OK;
	bool is_first = exchange->to_resend.count == 0;

	rl_assert(exchange->out.count == 0);                             /* 3 */
	rl_assert(!exchange->silent.connection || exchange->was_silent); /* 8 */
	exchange->rider = NULL;
	exchange->trails_until = 0;
	exchange->sent_at = exchange->looked_at = rl_now();
	exchange->connection->sent_at = exchange->sent_at;
	exchange->is_late |= exchange->sent_at >= exchange->loan.deadline;
	exchange->silent_until = may_be_dead(exchange) ? give_up_at(exchange) : RL_FOREVER;
	for (size_t i = 0; i < exchange->count && (status == RL_OK || status == RL_NO); i++) {
		if (is_first || has(&exchange->to_resend, i)) {
			status = exchange->write(exchange->context, exchange, i, error);
			if (status == RL_OK) {
				put(&exchange->out, i);
			}
		}
	}
	if (!is_first) {
		clear(&exchange->to_resend, exchange->count);
	}
	exchange->state = exchange->out.count == 0 ? RL_EXCHANGE_DONE : RL_EXCHANGE_SENDING;
	return status == RL_NO ? RL_OK : status;
}

/* --- steps: each is RL_OK if the next may be taken at once --- */

static enum rl_status borrow(
	struct rl_exchange *exchange, struct rl_polls *polls, struct rl_error *error)
{
	enum rl_status status = rl_server_borrow(exchange->server, &exchange->loan, polls, error);

	if (status != RL_OK) {
		return status;
	}
	exchange->connection = exchange->loan.connection;
	if (exchange->connection->is_renamed) {
		status = rl_exchange_rename(exchange, rl_process_client_name(), error);
		exchange->connection->is_renamed = false;
	}
	return status;
}

/* RL_OK: not any more. If the deadline has passed by then, nobody had looked since. */
static enum rl_status pause(struct rl_exchange *exchange)
{
	struct rl_loan *loan = &exchange->loan;
	rl_time now = rl_now();

	if (now < exchange->paused_until) {
		return RL_NO;
	}
	if (now >= loan->deadline) {
		loan->deadline += now - exchange->paused_until;
	}
	loan->has_moved = true;
	exchange->paused_until = 0;
	return RL_OK;
}

static enum rl_status connect(
	struct rl_exchange *exchange, struct rl_polls *polls, struct rl_error *error)
{
	enum rl_status status = exchange->paused_until ? pause(exchange) : RL_OK;

	if (status == RL_OK && !exchange->connection) {
		status = borrow(exchange, polls, error);
	}
	if (status != RL_OK) {
		return status;
	}
	if (exchange->reply_nodes > 0) {
		rl_reply_allow(&exchange->connection->replies, exchange->reply_nodes);
	}
	return write_all(exchange, error);
}

/* RL_NO, too, if it has written all of it: the answer cannot be there yet. */
static enum rl_status send(struct rl_exchange *exchange, struct rl_error *error)
{
	struct rl_connection *connection = exchange->connection;
	enum rl_status status = RL_OK;

	if (exchange->is_stuck) {
		status = rl_connection_fill(connection, error);
	}
	if (status == RL_OK) {
		status = rl_connection_try_flush(connection, error);
	}
	exchange->is_stuck = status == RL_NO;
	if (status == RL_OK) {
		exchange->state = RL_EXCHANGE_AWAITING;
		return RL_NO;
	}
	return status == RL_NO && is_too_late(exchange)
		? rl_connection_too_late(connection, error)
		: status;
}

/* --- a connection that is silent, and another --- */

/* The others that are idle most likely were forgotten, too. */
static void open_another(struct rl_exchange *exchange)
{
	exchange->silent.connection = exchange->connection;
	exchange->silent.rider = exchange->rider;
	exchange->silent.out = exchange->out;
	exchange->was_silent = true;
	rl_server_drop_idle(exchange->server);
	exchange->connection = exchange->loan.connection = NULL;
	exchange->loan.is_reused = false;
	exchange->loan.reconnected++;
	exchange->silent_until = RL_FOREVER;
	exchange->rider = NULL;
	clear(&exchange->out, exchange->count);
	exchange->state = RL_EXCHANGE_CONNECTING;
}

/* Whether something of the answer has come there; if it has ended before, it is closed. */
static bool hears_silent(struct rl_exchange *exchange)
{
	struct rl_connection *silent = exchange->silent.connection;
	struct rl_error ignored;
	bool has_come;

	rl_connection_read_deferred(silent);
	if (!silent->broken) {
		rl_connection_fill(silent, &ignored);
	}
	has_come = !silent->deferred && rl_connection_is_amid_answer(silent);
	if (silent->broken && !has_come) {
		rl_connection_close(silent);
		exchange->silent.connection = NULL;
		exchange->has_lost = true;
	}
	return has_come;
}

static enum rl_status give_up(struct rl_exchange *exchange, struct rl_error *error)
{
	if (exchange->is_silent && !exchange->loan.side_by_side) {
		open_another(exchange);
		return RL_OK;
	}
	return rl_connection_too_late(exchange->connection, error);
}

/* All answers that were out have come. */
static void go_further(struct rl_exchange *exchange)
{
	if (exchange->rider) {
		exchange->state = RL_EXCHANGE_TRAILING;
	} else if (exchange->to_resend.count == 0) {
		exchange->state = RL_EXCHANGE_DONE;
	} else {
		is_too_late(exchange); /* what is sent again says when that is */
		exchange->state = RL_EXCHANGE_CONNECTING;
		exchange->mends++;
	}
}

static enum rl_status read_answer(
	struct rl_exchange *exchange, bool *is_told, struct rl_error *error)
{
	enum rl_status status;

	if (exchange->out.count == 0) {
		go_further(exchange);
		return RL_OK;
	}
	status = rl_connection_try_read(exchange->connection, &exchange->reply, error);
	if (status != RL_NO) {
		exchange->has_read = true;
		exchange->silent_until = RL_FOREVER;
	}
	if (status != RL_OK) {
		return status == RL_NO && is_too_late(exchange) ? give_up(exchange, error) : status;
	}
	exchange->index = take_first(&exchange->out);
	*is_told = exchange->reply->type != RL_REPLY_ERROR || exchange->mends >= MENDS_MAX
		|| !rl_connection_learn(exchange->connection, exchange->reply, exchange->sent_at);
	if (!*is_told) {
		put(&exchange->to_resend, exchange->index);
	}
	return RL_OK;
}

static void end_aside(struct rl_exchange *exchange)
{
	if (exchange->aside) {
		if (exchange->connection) {
			rl_reply_attach(exchange->connection->reader, &exchange->connection->replies);
		}
		rl_reply_reset(exchange->aside);
	}
}

static void return_connection(struct rl_exchange *exchange)
{
	struct rl_connection *connection = exchange->connection;

	if (connection) {
		if (connection->replies.more > 0) {
			rl_reply_allow(&connection->replies, 0);
		}
		rl_server_return(exchange->server, connection);
		exchange->connection = NULL;
	}
}

bool rl_exchange_turn_back(struct rl_exchange *exchange)
{
	if (!exchange->silent.connection) {
		return false;
	}
	if (exchange->state == RL_EXCHANGE_CONNECTING) {
		exchange->was_silent = false; /* nothing was sent elsewhere */
	}
	rl_server_end_loan(exchange->server, &exchange->loan);
	end_aside(exchange);
	return_connection(exchange);
	exchange->connection = exchange->silent.connection;
	exchange->sent_at = exchange->connection->sent_at;
	exchange->rider = exchange->silent.rider;
	exchange->out = exchange->silent.out;
	exchange->silent.connection = NULL;
	exchange->silent_until = RL_FOREVER;
	exchange->is_stuck = exchange->is_unanswered = false;
	clear(&exchange->to_resend, exchange->count);
	exchange->state = RL_EXCHANGE_AWAITING;
	return true;
}

static void begin_loan(struct rl_loan *loan)
{
	loan->connection = NULL;
	loan->opening = NULL;
	loan->opens_by = 0;
	loan->is_reused = false;
}

/* Nothing of it has been sent on the connection that it will have. */
static void begin_asking(struct rl_exchange *exchange)
{
	exchange->state = RL_EXCHANGE_CONNECTING;
	exchange->is_stuck = exchange->is_silent = exchange->has_read = false;
	exchange->silent_until = RL_FOREVER;
	exchange->sent_at = exchange->looked_at = exchange->trails_until = exchange->paused_until = 0;
	exchange->mends = 0;
	exchange->rider = NULL;
	clear(&exchange->out, exchange->count);
	clear(&exchange->to_resend, exchange->count);
}

static void begin_anew(struct rl_exchange *exchange)
{
	end_aside(exchange);
	return_connection(exchange);
	begin_loan(&exchange->loan);
	begin_asking(exchange);
}

/* Whether a byte of a command may have been sent whose answer was not read. */
static bool is_out(const struct rl_exchange *exchange)
{
	bool is_repeated = exchange->has_lost || exchange->silent.connection;

	return (exchange->state < RL_EXCHANGE_TRAILING && is_repeated)
		|| (exchange->state == RL_EXCHANGE_AWAITING && exchange->out.count > 0)
		|| (exchange->state == RL_EXCHANGE_SENDING
			&& rl_connection_has_sent(exchange->connection));
}

/* The others that are idle most likely are closed, too. */
bool rl_exchange_ask_again(struct rl_exchange *exchange)
{
	if (!exchange->connection || rl_now() >= exchange->loan.deadline) {
		return false;
	}
	rl_server_drop_idle(exchange->server);
	if (!exchange->reconnects || exchange->was_silent) {
		return false;
	}
	rl_assert(!exchange->silent.connection); /* 10 */
	exchange->has_lost |= is_out(exchange);
	exchange->reconnects = false;
	exchange->loan.patience = 0;
	exchange->loan.reconnected++;
	begin_anew(exchange);
	return true;
}

bool rl_exchange_ask_later(struct rl_exchange *exchange, const struct rl_error *refusal)
{
	rl_time until = rl_now() + RL_REFUSAL_PAUSE;

	if (!rl_refusal_passes_soon(refusal) || until >= exchange->loan.deadline) {
		return false;
	}
	exchange->has_lost |= exchange->is_unanswered;
	exchange->has_told = false;
	exchange->loan.insist = true;
	begin_anew(exchange);
	exchange->paused_until = until;
	return true;
}

static enum rl_status note_rider(
	struct rl_exchange *exchange, const struct rl_reply *reply, struct rl_error *error)
{
	struct rl_rider *rider = exchange->rider;
	bool is_array = reply->type == RL_REPLY_ARRAY;
	const struct rl_reply *parts = is_array ? reply->elements : reply;
	size_t count = !is_array ? 1 : reply->count > 2 ? 2
													: reply->count;

	if (reply->type == RL_REPLY_ERROR) {
		return rl_connection_refusal(exchange->connection, reply, error);
	}
	rider->count = 0;
	while (rider->count < count && parts[rider->count].type == RL_REPLY_INTEGER) {
		rider->numbers[rider->count] = parts[rider->count].integer;
		rider->count++;
	}
	return RL_OK;
}

/* The rider may be one of an exchange before, on the connection that was silent then. */
static enum rl_status listen_aside(struct rl_exchange *exchange, struct rl_error *error)
{
	if (!make_aside(exchange)) {
		exchange->connection->broken = true;
		return rl_fail_for_memory(error);
	}
	rl_reply_attach(exchange->connection->reader, exchange->aside);
	return RL_OK;
}

/* What does not come in time leaves a connection on which nothing more can be read. */
static enum rl_status read_rider(struct rl_exchange *exchange, struct rl_error *error)
{
	struct rl_rider *rider = exchange->rider;
	struct rl_connection *connection = exchange->connection;
	const struct rl_reply *reply;
	rl_time soon;

	rider->status = RL_OK;
	if (!exchange->trails_until) {
		is_too_late(exchange); /* the answer before has just come */
		soon = rl_time_earlier(exchange->loan.deadline, rl_now() + LEAVE_AFTER);
		exchange->trails_until = rider->matters ? exchange->loan.deadline : soon;
		rider->status = listen_aside(exchange, error);
	}
	if (rider->status == RL_OK) {
		rider->status = rl_connection_try_flush(connection, error);
	}
	if (rider->status == RL_OK) {
		rider->status = rl_connection_try_read(connection, &reply, error);
	}
	if (rider->status == RL_NO) {
		if (rl_now() < exchange->trails_until) {
			return RL_NO;
		}
		rider->status = rl_connection_too_late(connection, error);
	}
	if (rider->status == RL_OK) {
		rider->status = note_rider(exchange, reply, error);
	}
	end_aside(exchange);
	exchange->rider = NULL;
	go_further(exchange);
	if (exchange->state == RL_EXCHANGE_CONNECTING && !rl_connection_is_usable(connection)) {
		return_connection(exchange);
	}
	return RL_OK;
}

static void assert_connection(const struct rl_exchange *exchange)
{
	const struct rl_connection *connection = exchange->connection;

	rl_assert(connection || exchange->state == RL_EXCHANGE_CONNECTING
		|| exchange->state >= RL_EXCHANGE_DONE);                         /* 6 */
	rl_assert(!connection || connection != exchange->silent.connection); /* 8 */
}

static enum rl_status fail(struct rl_exchange *exchange, enum rl_status status)
{
	exchange->is_unanswered = is_out(exchange);
	exchange->state = RL_EXCHANGE_FAILED;
	return status;
}

void rl_exchange_prepare(struct rl_exchange *exchange, struct rl_server *server,
	enum rl_status (*write)(
		void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error),
	void *context)
{
	exchange->server = server;
	exchange->loan.patience = 0;
	exchange->loan.side_by_side = false;
	exchange->count = 1;
	exchange->write = write;
	exchange->undo = NULL;
	exchange->context = context;
	exchange->reconnects = false;
	exchange->naming = RL_BY_HASH;
	exchange->reply_nodes = 0;
}

void rl_exchange_begin(struct rl_exchange *exchange)
{
	rl_server_ref(exchange->server);
	exchange->connection = NULL;
	begin_loan(&exchange->loan);
	exchange->loan.only_idle = false;
	exchange->loan.reconnected = 0;
	exchange->reply = NULL;
	exchange->loan.has_moved = false;
	exchange->is_unanswered = exchange->is_late = false;
	exchange->aside = NULL;
	exchange->silent.connection = NULL;
	exchange->was_silent = exchange->has_lost = exchange->has_told = false;
	begin_asking(exchange);
}

void rl_exchange_follow(struct rl_exchange *exchange, struct rl_exchange *other)
{
	rl_exchange_begin(exchange);
	exchange->connection = other->connection;
	other->connection = NULL;
	if (exchange->connection && !rl_connection_is_usable(exchange->connection)) {
		return_connection(exchange);
	}
}

/* Under way, it waits for its connection; while it has none, the loan has said what for. */
static enum rl_status await(const struct rl_exchange *exchange, struct rl_polls *polls)
{
	rl_polls_until(polls,
		exchange->state == RL_EXCHANGE_TRAILING ? exchange->trails_until
												: rl_exchange_listens_until(exchange));
	if (exchange->paused_until) {
		rl_polls_until(polls, exchange->paused_until);
	}
	if (exchange->state == RL_EXCHANGE_AWAITING) {
		rl_connection_awaits_answer(exchange->connection, polls);
	} else if (exchange->connection) {
		rl_connection_add_polls(exchange->connection, polls);
	}
	if (exchange->silent.connection && !exchange->silent.connection->broken) {
		rl_connection_add_polls(exchange->silent.connection, polls);
	}
	rl_assert(polls->count > 0 || polls->until < RL_FOREVER); /* 7 */
	return RL_NO;
}

/* The answer that has come on the silent connection is better than none. */
static bool goes_on(struct rl_exchange *exchange, enum rl_status *status)
{
	bool turns_back = exchange->silent.connection && hears_silent(exchange);
	bool asks_again = !turns_back && *status == RL_UNREACHABLE && !exchange->has_told
		&& exchange->connection && exchange->connection->broken
		&& rl_exchange_ask_again(exchange);

	if (turns_back) {
		rl_exchange_turn_back(exchange);
	}
	*status = turns_back || asks_again ? RL_OK : *status;
	return *status == RL_OK;
}

static enum rl_status go_on(void *machine, struct rl_polls *polls, struct rl_error *error)
{
	struct rl_exchange *exchange = machine;
	enum rl_status status = RL_OK;
	bool is_told = false, is_heard = exchange->silent.connection && hears_silent(exchange);

	if (is_heard && exchange->state == RL_EXCHANGE_CONNECTING) {
		rl_exchange_turn_back(exchange);
	}
	do {
		assert_connection(exchange);
		switch (exchange->state) {
			case RL_EXCHANGE_CONNECTING:
				status = connect(exchange, polls, error);
				break;
			case RL_EXCHANGE_SENDING:
				status = send(exchange, error);
				break;
			case RL_EXCHANGE_AWAITING:
				status = read_answer(exchange, &is_told, error);
				break;
			case RL_EXCHANGE_TRAILING:
				status = read_rider(exchange, error);
				break;
			default:
				is_told = true;
		}
	} while (status == RL_OK ? !is_told : status != RL_NO && goes_on(exchange, &status));
	if (status == RL_NO) {
		return polls ? await(exchange, polls) : RL_NO;
	}
	exchange->has_told |= status == RL_OK;
	return status == RL_OK ? RL_OK : fail(exchange, status);
}

enum rl_status rl_exchange_go_on(
	struct rl_exchange *exchange, struct rl_polls *polls, struct rl_error *error)
{
	return go_on(exchange, polls, error);
}

enum rl_status rl_exchange_run(struct rl_exchange *exchange, struct rl_error *error)
{
	return rl_machine_run(go_on, exchange, error);
}

static enum rl_status go_on_sending(
	void *machine, struct rl_polls *polls, struct rl_error *error)
{
	const struct rl_exchange *exchange = machine;
	enum rl_status status = go_on(machine, polls, error);

	return status == RL_NO && exchange->state == RL_EXCHANGE_AWAITING ? rl_fail_unwanted(error)
																	  : status;
}

enum rl_status rl_exchange_send(struct rl_exchange *exchange, struct rl_error *error)
{
	return rl_machine_run(go_on_sending, exchange, error);
}

static void leave_one(struct rl_exchange *exchange, struct rl_deferred *deferred)
{
	struct rl_connection *connection = exchange->connection;

	if (deferred) {
		rl_connection_defer(connection, deferred);
	} else if (!rl_connection_defer_to_nobody(connection, false)) {
		connection->broken = true;
	}
}

void rl_exchange_abandon(
	struct rl_exchange *exchange, struct rl_deferred *(*late)(void *context, size_t index))
{
	for (size_t i = 0; i < exchange->count; i++) {
		if (has(&exchange->out, i)) {
			leave_one(exchange, late ? late(exchange->context, i) : NULL);
		}
	}
	if ((exchange->state == RL_EXCHANGE_TRAILING
			&& rl_connection_is_amid_answer(exchange->connection))
		|| (exchange->reply_nodes > 0 && exchange->out.count > 0)) {
		/* a part of the answer has been read, or may have been, for which there is no more room */
		exchange->connection->broken = true;
	} else if (exchange->rider) {
		leave_one(exchange, NULL);
	}
	exchange->rider = NULL;
	end_aside(exchange);
	exchange->state = RL_EXCHANGE_DONE;
}

/*
 * By its text, because a server that thaws late may have lost its script cache before it gets
 * there. It may not be run: a server that reads the two one by one meets the closed connection when
 * it answers the first, and may never read the second.
 */
void rl_exchange_undo_on(struct rl_exchange *exchange, struct rl_connection *connection)
{
	struct rl_connection *used = exchange->connection;
	struct rl_error ignored;

	if (!exchange->undo || !rl_connection_is_ours(connection)) {
		return;
	}
	exchange->connection = connection;
	exchange->naming = RL_BY_TEXT;
	if (exchange->undo(exchange->context, exchange, &ignored) == RL_OK) {
		rl_connection_try_flush(connection, &ignored);
	}
	exchange->connection = used;
}

/* The answers are left to whoever uses the connection next. */
static void undo_behind(struct rl_exchange *exchange, struct rl_connection *connection)
{
	rl_exchange_undo_on(exchange, connection);
	while (connection->unanswered > connection->deferred_count
		&& rl_connection_defer_to_nobody(connection, true)) {
	}
}

/*
 * To close the connection of what cannot be undone would tear up what lies in it before, which may
 * be the undo of another.
 */
static bool is_to_leave(struct rl_exchange *exchange)
{
	return exchange->undo ? rl_exchange_is_written(exchange) || rl_exchange_awaits_rider(exchange)
						  : rl_exchange_is_written(exchange)
			&& rl_now() < rl_exchange_deadline(exchange);
}

void rl_exchange_call_off(struct rl_exchange *exchange)
{
	struct rl_connection *silent = exchange->undo ? exchange->silent.connection : NULL;
	bool is_answered = rl_exchange_awaits_rider(exchange);

	if (is_to_leave(exchange) && rl_connection_is_ours(exchange->connection)) {
		rl_exchange_abandon(exchange, NULL);
		exchange->is_unanswered = !is_answered;
		undo_behind(exchange, exchange->connection);
	}
	if (silent) {
		undo_behind(exchange, silent);
		silent->broken |= exchange->reply_nodes > 0; /* there is room for no such answer */
		rl_server_return(exchange->server, silent);
		exchange->silent.connection = NULL;
		exchange->is_unanswered = true;
	}
}

void rl_exchange_end(struct rl_exchange *exchange)
{
	exchange->is_unanswered |= is_out(exchange);
	end_aside(exchange);
	free(exchange->aside);
	exchange->aside = NULL;
	if (exchange->silent.connection) {
		rl_connection_close(exchange->silent.connection);
		exchange->silent.connection = NULL;
	}
	return_connection(exchange);
	rl_server_end_loan(exchange->server, &exchange->loan);
	rl_server_unref(exchange->server);
}
