#include "parking.h"
#include "schedule.h"
#include "../owner/internal.h"
#include "../waiter.h"
#include "../../base/number.h"
#include "../../redis/refusal.h"

#include <stdio.h>
#include <string.h>

/* Shorter than the turnstile is kept for us. */
#define ROOM_LASTS (2 * RL_SECOND)
/* What opening the second connection may take while the first is not parked yet. */
#define OPENING (200 * RL_MILLISECOND)

/* From the answer to CLIENT UNBLOCK to that of the BLPOP, which has been sent before it. */
#define ANSWERS_WITHIN (10 * RL_MILLISECOND)

static struct rl_text key_of(const struct rl_parking *parking, enum rl_key key)
{
	const struct rl_keys *keys = &parking->attempt->lease->keys;

	return (struct rl_text){ keys->text[key], keys->length[key] };
}

/* --- a second connection --- */

static void begin_second(struct rl_parking *parking, size_t commands, rl_time deadline,
	enum rl_status (*write)(
		void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error))
{
	struct rl_exchange *second = &parking->second;

	second->server = parking->blpop.server;
	second->loan.connect_timeout = parking->route->connect_timeout;
	second->loan.deadline = deadline;
	second->loan.patience = 0;
	second->loan.side_by_side = false;
	second->count = commands;
	second->write = write;
	second->context = parking;
	second->naming = RL_BY_HASH;
	second->reply_nodes = 0;
	rl_exchange_begin(second);
}

static void end_second(struct rl_parking *parking)
{
	parking->route->reconnects += parking->second.loan.reconnected;
	rl_exchange_end(&parking->second);
}

/* When the place ends where there is no second connection. */
static rl_time soonest_end(const struct rl_parking *parking, rl_time now)
{
	return now + (parking->is_room ? ROOM_LASTS : RL_LONGEST_GAP);
}

/* RL_OK: we park now, for as long as we may. */
static enum rl_status find_second(struct rl_parking *parking, struct rl_polls *polls)
{
	struct rl_error ignored;
	enum rl_status status = rl_exchange_go_on(&parking->second, polls, &ignored);
	rl_time now = rl_now();

	if (status == RL_NO && now < parking->second.loan.deadline) {
		return RL_NO;
	}
	end_second(parking);
	if (status != RL_OK) {
		parking->until = rl_time_earlier(soonest_end(parking, now), parking->until);
	}
	parking->state = RL_PARKING_PARKED;
	return RL_OK;
}

/* --- parking --- */

static void note_id(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	bool is_id = reply && reply->type == RL_REPLY_INTEGER;

	deferred->connection->id = is_id ? reply->integer : -1;
}

/*
 * By it the BLPOP can be ended. It goes out along with that, the first time that the connection
 * parks.
 */
static enum rl_status ask_for_id(struct rl_parking *parking, struct rl_error *error)
{
	static const struct rl_text words[] = { { "CLIENT", 6 }, { "ID", 2 } };

	parking->id_reply.on_reply = note_id;
	return parking->blpop.connection->id == 0
		? rl_exchange_write_ahead(&parking->blpop, words, 2, &parking->id_reply, error)
		: RL_OK;
}

/* So that others can see who waits. */
static enum rl_status say_who_waits(struct rl_parking *parking, struct rl_error *error)
{
	const struct rl_attempt *attempt = parking->attempt;
	rl_time clock_ahead = parking->blpop.connection->facts.clock_ahead;
	struct rl_waiter waiter = { .is_shared = attempt->lease->tenure.is_share };
	char name[RL_WAITER_NAME_SIZE];

	if (clock_ahead != RL_CLOCK_UNKNOWN) {
		waiter.since_ms = (attempt->began + clock_ahead) / RL_MILLISECOND;
	}
	rl_waiter_hash(waiter.hash, key_of(parking, RL_KEY_LOCK));
	return rl_exchange_rename(
		&parking->blpop, (struct rl_text){ name, rl_waiter_put_name(name, &waiter) }, error);
}

static enum rl_status write_blpop(
	void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error)
{
	struct rl_parking *parking = context;
	char timeout[32] = "0"; /* for ever */
	struct rl_text words[3] = {
		{ "BLPOP", 5 },
		key_of(parking, parking->is_room ? RL_KEY_ROOM : RL_KEY_WAKE),
		{ timeout, 1 },
	};
	enum rl_status status = ask_for_id(parking, error);

	if (status == RL_OK) {
		status = say_who_waits(parking, error);
	}
	if (parking->until != RL_FOREVER) {
		rl_time left = parking->until - rl_now();
		/* Less than 1 ms would be read as for ever. */
		int64_t left_ms = left > RL_MILLISECOND ? left / RL_MILLISECOND : 1;

		words[2].length = (size_t)snprintf(timeout, sizeof timeout, "%lld.%03d",
			(long long)(left_ms / 1000), (int)(left_ms % 1000));
	}
	parking->route->requests++;
	return status == RL_OK ? rl_exchange_write(exchange, words, 3, error) : status;
}

void rl_parking_begin(
	struct rl_parking *parking, const struct rl_attempt *attempt, struct rl_exchange *asked)
{
	struct rl_exchange *blpop = &parking->blpop;
	rl_time now = rl_now();

	parking->attempt = attempt;
	parking->route = attempt->owner->route;
	parking->is_room = rl_attempt_is_first(attempt);
	parking->until = attempt->until;
	blpop->server = asked->server;
	blpop->loan.connect_timeout = parking->route->connect_timeout;
	blpop->loan.deadline = now + parking->route->timeout; /* until it is out */
	blpop->loan.patience = 0;
	blpop->loan.side_by_side = false;
	blpop->count = 1;
	blpop->write = write_blpop;
	blpop->context = parking;
	blpop->naming = RL_BY_HASH;
	blpop->reply_nodes = 0;
	rl_exchange_follow(blpop, asked);
	parking->state = RL_PARKING_PARKED;
	if (attempt->until > soonest_end(parking, now)) {
		begin_second(parking, 0, rl_time_earlier(blpop->loan.deadline, now + OPENING), NULL);
		parking->state = RL_PARKING_SECOND;
	}
}

/* --- what it brings --- */

/*
 * RL_OK: the server became a replica, or the slot moved, or does now. The next ask will find the
 * way.
 */
static enum rl_status read_refusal(
	struct rl_parking *parking, const struct rl_reply *reply, struct rl_error *error)
{
	struct rl_failure failure = { .status = RL_REFUSED,
		.error = error,
		.words = reply->text,
		.server = parking->blpop.server };

	rl_connection_refusal(parking->blpop.connection, reply, error);
	return rl_route_tell(parking->route, key_of(parking, RL_KEY_LOCK), failure) != RL_LESSON_NONE
			|| rl_refusal_passes_soon(error)
		? RL_OK
		: RL_REFUSED;
}

/* A release writes one of these; anything else in the list is not ours, and a reason to ask. */
static bool is_ours(const struct rl_reply *value)
{
	return value->length > 0 && value->length < RL_BATON_SIZE && strchr("~-+", value->text[0]);
}

static enum rl_status read_answer(struct rl_parking *parking, const struct rl_reply *reply,
	struct rl_wake *wake, struct rl_error *error)
{
	const struct rl_reply *value;

	if (reply->type == RL_REPLY_ERROR) {
		return read_refusal(parking, reply, error);
	}
	/* The server has ended the BLPOP without bringing anything: the waiter asks again. */
	if (reply->type != RL_REPLY_ARRAY || reply->count != 2
		|| reply->elements[1].type != RL_REPLY_STRING) {
		return RL_OK;
	}
	value = &reply->elements[1]; /* behind the list's name */
	if (is_ours(value)) {
		memcpy(wake->copy, value->text, value->length);
		wake->text = (struct rl_text){ wake->copy, value->length };
	}
	return RL_OK;
}

static enum rl_status hear(struct rl_parking *parking, struct rl_wake *wake,
	struct rl_polls *polls, struct rl_error *error)
{
	struct rl_exchange *blpop = &parking->blpop;
	rl_time until = polls->until;
	enum rl_status status = rl_exchange_go_on(blpop, polls, error);

	if (status == RL_NO && blpop->state == RL_EXCHANGE_AWAITING
		&& blpop->loan.deadline != RL_FOREVER) {
		blpop->loan.deadline = RL_FOREVER; /* it is out: from now on there is no hurry */
		polls->until = until;
	}
	if (status == RL_OK) {
		status = read_answer(parking, blpop->reply, wake, error);
	}
	if (parking->state != RL_PARKING_LEAVING) {
		return status;
	}
	if (status == RL_NO && rl_now() < parking->leave_by) {
		return RL_NO;
	}
	return RL_OK; /* whatever it was, we have left */
}

/* --- leaving --- */

/* The address may lead to another server by now, where the id is somebody else's. */
static bool are_of_one_server(const struct rl_facts *a, const struct rl_facts *b)
{
	return !a->run_id[0] || !b->run_id[0] || strcmp(a->run_id, b->run_id) == 0;
}

/*
 * CLIENT UNBLOCK makes many versions of Redis and Valkey panic if CLIENT PAUSE holds the BLPOP up
 * (redis/redis#14164, valkey-io/valkey#2117). A write before it is held up, too, and so it comes
 * when the pause is over. This one is refused, and changes nothing.
 */
static enum rl_status write_barrier(struct rl_parking *parking, struct rl_error *error)
{
	struct rl_text words[] = {
		{ "PEXPIRE", 7 }, key_of(parking, RL_KEY_LOCK), { "no number", 9 }
	};

	return rl_exchange_write_ahead(&parking->second, words, 3, NULL, error);
}

static enum rl_status write_unblock(
	void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error)
{
	struct rl_parking *parking = context;
	char id[RL_NUMBER_SIZE];
	struct rl_text words[] = { { "CLIENT", 6 }, { "UNBLOCK", 7 },
		{ id, rl_number_put(id, parking->blpop.connection->id) } };
	enum rl_status status;

	if (!are_of_one_server(&parking->blpop.connection->facts, &exchange->connection->facts)) {
		return RL_UNREACHABLE;
	}
	parking->route->requests++;
	status = write_barrier(parking, error);
	return status == RL_OK ? rl_exchange_write(exchange, words, 3, error) : status;
}

/* Later the server ends it by itself, within 0.1 s as a rule. */
static void hang_up(struct rl_parking *parking)
{
	if (parking->blpop.connection && rl_now() < parking->until) {
		rl_connection_hang_up(parking->blpop.connection);
	}
	parking->state = RL_PARKING_LEAVING;
}

static bool knows_id(const struct rl_parking *parking)
{
	return parking->blpop.connection && parking->blpop.connection->id != 0;
}

/* RL_OK: with the id, or without, another state; or the place has ended meanwhile. */
static enum rl_status know_id(struct rl_parking *parking, struct rl_wake *wake,
	struct rl_polls *polls, struct rl_error *error, bool *is_over)
{
	enum rl_status status = knows_id(parking) ? RL_NO : hear(parking, wake, polls, error);

	if (status != RL_NO) {
		*is_over = true;
	} else if (knows_id(parking) && parking->blpop.connection->id > 0) {
		begin_second(parking, 1, parking->leave_by, write_unblock);
		parking->state = RL_PARKING_UNBLOCKING;
	} else if (knows_id(parking) || rl_now() >= parking->leave_by) {
		hang_up(parking);
	} else {
		return RL_NO;
	}
	return RL_OK;
}

static enum rl_status unblock(struct rl_parking *parking, struct rl_polls *polls)
{
	struct rl_error ignored;
	enum rl_status status = rl_exchange_go_on(&parking->second, polls, &ignored);
	bool is_done = status == RL_OK && parking->second.reply->type != RL_REPLY_ERROR;

	if (parking->second.loan.has_moved) {
		parking->leave_by = parking->second.loan.deadline;
		parking->second.loan.has_moved = false;
	}
	if (status == RL_NO && rl_now() < parking->leave_by) {
		return RL_NO;
	}
	if (is_done) {
		rl_exchange_go_on(&parking->second, polls, &ignored); /* to its end */
		parking->leave_by = rl_time_later(parking->leave_by, rl_now() + ANSWERS_WITHIN);
		parking->state = RL_PARKING_LEAVING;
	} else {
		hang_up(parking);
	}
	end_second(parking);
	return RL_OK;
}

void rl_parking_leave(struct rl_parking *parking, rl_time deadline)
{
	if (parking->state == RL_PARKING_SECOND) {
		rl_parking_end(parking); /* nothing was sent */
	} else if (parking->state == RL_PARKING_PARKED) {
		parking->leave_by = deadline;
		parking->state = RL_PARKING_KNOWING;
	} else {
		parking->leave_by = rl_time_earlier(parking->leave_by, deadline);
	}
}

/*
 * Whoever uses the second connection next reads the answer to this first, or sends the rest. It is
 * not closed: what others have sent there may not be read yet, and would be dropped.
 */
void rl_parking_let_be(struct rl_parking *parking)
{
	if (parking->state == RL_PARKING_UNBLOCKING) {
		bool is_sent = parking->second.state == RL_EXCHANGE_AWAITING;

		if (is_sent || parking->second.state == RL_EXCHANGE_SENDING) {
			rl_exchange_leave(&parking->second, NULL);
		}
		if (is_sent) {
			parking->state = RL_PARKING_LEAVING;
		} else {
			hang_up(parking);
		}
		end_second(parking);
	} else if (parking->state == RL_PARKING_KNOWING) {
		hang_up(parking);
	}
}

/* --- from outside --- */

static enum rl_status step(struct rl_parking *parking, struct rl_wake *wake,
	struct rl_polls *polls, struct rl_error *error, bool *is_over)
{
	switch (parking->state) {
		case RL_PARKING_SECOND:
			return find_second(parking, polls);
		case RL_PARKING_KNOWING:
			return know_id(parking, wake, polls, error, is_over);
		case RL_PARKING_UNBLOCKING:
			return unblock(parking, polls);
		case RL_PARKING_NOWHERE:
			*is_over = true;
			return RL_OK;
		default:
			*is_over = true;
			return hear(parking, wake, polls, error);
	}
}

enum rl_status rl_parking_go_on(struct rl_parking *parking, struct rl_wake *wake,
	struct rl_polls *polls, struct rl_error *error)
{
	const size_t count = polls->count;
	enum rl_status status = RL_OK;
	bool is_over = false;

	wake->text = (struct rl_text){ NULL, 0 };
	while (status == RL_OK && !is_over) {
		rl_polls_back_to(polls, count);
		status = step(parking, wake, polls, error, &is_over);
	}
	if (status == RL_NO && parking->state >= RL_PARKING_KNOWING) {
		rl_polls_until(polls, parking->leave_by);
	}
	return status;
}

void rl_parking_end(struct rl_parking *parking)
{
	if (parking->state == RL_PARKING_SECOND || parking->state == RL_PARKING_UNBLOCKING) {
		end_second(parking);
	}
	if (parking->state != RL_PARKING_NOWHERE) {
		rl_exchange_end(&parking->blpop);
	}
	parking->state = RL_PARKING_NOWHERE;
}
