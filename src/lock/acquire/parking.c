#include "parking.h"
#include "../owner/internal.h"
#include "../../base/number.h"
#include "../../redis/refusal.h"

#include <stdio.h>
#include <string.h>

/* Shorter than the turnstile is kept for us. */
#define ROOM_LASTS (2 * RL_SECOND)
/* What opening the second connection may take while the first is not parked yet. */
#define OPENING (200 * RL_MILLISECOND)

/*
 * By it the BLPOP can be ended. It goes out along with that, the first time that the connection
 * parks.
 */
static enum rl_status ask_for_id(struct rl_parking *parking, struct rl_error *error)
{
	static const struct rl_text words[] = { { "CLIENT", 6 }, { "ID", 2 } };

	parking->awaits_id = parking->session.connection->id == 0;
	return parking->awaits_id ? rl_connection_append(parking->session.connection, 2, words, error)
							  : RL_OK;
}

static void note_id(struct rl_parking *parking, const struct rl_reply *reply)
{
	parking->awaits_id = false;
	parking->session.connection->id = reply->type == RL_REPLY_INTEGER ? reply->integer : -1;
}

/* Whether there is a second connection to leave the place by, and to ask beside it. */
static bool has_second(
	const struct rl_parking *parking, const struct rl_attempt *attempt, rl_time deadline)
{
	struct rl_server *server = parking->session.server;
	struct rl_loan loan = { .connect_timeout = attempt->owner->route->connect_timeout,
		.deadline = rl_time_earlier(deadline, rl_now() + OPENING) };
	struct rl_error ignored;

	if (rl_server_borrow(server, &loan, &ignored) != RL_OK) {
		return false;
	}
	rl_server_give_back(server, loan.connection);
	return true;
}

/*
 * Until when the server keeps the place. If a long wait can open no second connection now, perhaps
 * it can open none later. Then we have to come back in time to ask on this one, before the waiting
 * flag is down, and the turnstile somebody else's.
 */
static rl_time ends_at(const struct rl_parking *parking, const struct rl_attempt *attempt,
	bool is_room, rl_time deadline)
{
	rl_time soon = rl_now() + (is_room ? ROOM_LASTS : RL_LONGEST_GAP);

	return attempt->until <= soon || has_second(parking, attempt, deadline) ? attempt->until : soon;
}

enum rl_status rl_parking_begin(
	struct rl_parking *parking, const struct rl_attempt *attempt, struct rl_error *error)
{
	const struct rl_keys *keys = &attempt->lease->keys;
	enum rl_key list = rl_attempt_is_first(attempt) ? RL_KEY_ROOM : RL_KEY_WAKE;
	char timeout[32] = "0"; /* for ever */
	struct rl_text words[3] = {
		{ "BLPOP", 5 },
		{ keys->text[list], keys->length[list] },
		{ timeout, 1 },
	};
	rl_time deadline = rl_owner_deadline_anew(attempt->owner);
	enum rl_status status = rl_session_mend(
		&parking->session, attempt->owner->route, deadline, error);

	rl_assert(!parking->is_parked); /* 1 */
	if (status != RL_OK) {
		return RL_UNREACHABLE; /* whatever was on its way to us there is lost */
	}
	parking->until = ends_at(parking, attempt, list == RL_KEY_ROOM, deadline);
	if (parking->until != RL_FOREVER) {
		rl_time left = parking->until - rl_now();
		/* Less than 1 ms would be read as for ever. */
		int64_t left_ms = left > RL_MILLISECOND ? left / RL_MILLISECOND : 1;

		words[2].length = (size_t)snprintf(timeout, sizeof timeout, "%lld.%03d",
			(long long)(left_ms / 1000), (int)(left_ms % 1000));
	}
	parking->is_parked = true;
	parking->is_room = list == RL_KEY_ROOM;
	attempt->owner->route->requests++;
	status = ask_for_id(parking, error);
	if (status == RL_OK) {
		status = rl_connection_append(parking->session.connection, 3, words, error);
	}
	if (status == RL_OK) {
		status = rl_connection_flush(parking->session.connection, deadline, error);
	}
	return status;
}

/*
 * RL_OK: the server became a replica, or the slot moved, or does now. The next ask will find the
 * way.
 */
static enum rl_status read_refusal(struct rl_parking *parking, const struct rl_attempt *attempt,
	const struct rl_reply *reply, struct rl_error *error)
{
	struct rl_route *route = attempt->owner->route;
	const struct rl_keys *keys = &attempt->lease->keys;
	struct rl_text key = { keys->text[RL_KEY_LOCK], keys->length[RL_KEY_LOCK] };
	enum rl_lesson lesson;

	rl_connection_refusal(parking->session.connection, reply, error);
	lesson = rl_session_learn(&parking->session, route, key, reply, error);
	return lesson != RL_LESSON_NONE || rl_refusal_passes_soon(error) ? RL_OK : RL_REFUSED;
}

/* A release writes one of these; anything else in the list is not ours, and a reason to ask. */
static bool is_ours(const struct rl_reply *value)
{
	return value->length > 0 && value->length < RL_BATON_SIZE && strchr("~-+", value->text[0]);
}

static enum rl_status read_answer(struct rl_parking *parking, const struct rl_attempt *attempt,
	const struct rl_reply *reply, struct rl_wake *wake, struct rl_error *error)
{
	const struct rl_reply *value;

	parking->is_parked = false;
	wake->text = (struct rl_text){ NULL, 0 };
	if (reply->type == RL_REPLY_ERROR) {
		return read_refusal(parking, attempt, reply, error);
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

enum rl_status rl_parking_hear(struct rl_parking *parking, const struct rl_attempt *attempt,
	struct rl_wake *wake, struct rl_error *error)
{
	struct rl_connection *connection = parking->session.connection;
	const struct rl_reply *reply;
	enum rl_status status = rl_connection_try_read(connection, &reply, error);

	rl_assert(parking->is_parked); /* 1 */
	if (status == RL_OK && parking->awaits_id) {
		note_id(parking, reply);
		status = rl_connection_try_read(connection, &reply, error);
	}
	return status == RL_OK ? read_answer(parking, attempt, reply, wake, error) : status;
}

/* The address may lead to another server by now, where the id is somebody else's. */
static bool are_of_one_server(const struct rl_connection *a, const struct rl_connection *b)
{
	return !a->run_id[0] || !b->run_id[0] || strcmp(a->run_id, b->run_id) == 0;
}

/*
 * CLIENT UNBLOCK makes many versions of Redis and Valkey panic if CLIENT PAUSE holds the BLPOP up
 * (redis/redis#14164, valkey-io/valkey#2117). A write before it is held up, too, and so it comes
 * when the pause is over. This one is refused, and changes nothing.
 */
static enum rl_status append_barrier(
	struct rl_connection *connection, const struct rl_keys *keys, struct rl_error *error)
{
	struct rl_text words[] = {
		{ "PEXPIRE", 7 },
		{ keys->text[RL_KEY_LOCK], keys->length[RL_KEY_LOCK] },
		{ "no number", 9 },
	};

	return rl_connection_append(connection, 3, words, error);
}

static enum rl_status exchange_unblock(
	struct rl_connection *connection, const struct rl_keys *keys, int64_t parked, rl_time deadline)
{
	char id[RL_NUMBER_SIZE];
	struct rl_text words[] = { { "CLIENT", 6 }, { "UNBLOCK", 7 },
		{ id, rl_number_put(id, parked) } };
	const struct rl_reply *reply;
	struct rl_error ignored;
	enum rl_status status = append_barrier(connection, keys, &ignored);

	if (status == RL_OK) {
		status = rl_connection_append(connection, 3, words, &ignored);
	}
	if (status == RL_OK) {
		status = rl_connection_flush(connection, deadline, &ignored);
	}
	for (int i = 0; i < 2 && status == RL_OK; i++) {
		status = rl_connection_read(connection, deadline, &reply, &ignored);
	}
	return status == RL_OK && reply->type == RL_REPLY_ERROR ? RL_REFUSED : status;
}

/* False: it was not possible. */
static bool unblock(
	const struct rl_parking *parking, const struct rl_attempt *attempt, rl_time deadline)
{
	const struct rl_connection *parked = parking->session.connection;
	struct rl_route *route = attempt->owner->route;
	struct rl_loan loan = { .connect_timeout = route->connect_timeout, .deadline = deadline };
	struct rl_error ignored;
	enum rl_status status = RL_NO;

	if (parked->id <= 0 || rl_server_borrow(parking->session.server, &loan, &ignored) != RL_OK) {
		return false;
	}
	if (are_of_one_server(parked, loan.connection)) {
		route->requests++;
		status = exchange_unblock(loan.connection, &attempt->lease->keys, parked->id, deadline);
	}
	rl_server_give_back(parking->session.server, loan.connection);
	return status == RL_OK;
}

void rl_parking_end(struct rl_parking *parking, const struct rl_attempt *attempt, rl_time deadline,
	struct rl_wake *wake)
{
	struct rl_connection *connection = parking->session.connection;
	const struct rl_reply *reply;
	struct rl_error ignored;

	rl_assert(parking->is_parked); /* 1 */
	wake->text = (struct rl_text){ NULL, 0 };
	if (parking->awaits_id && rl_connection_read(connection, deadline, &reply, &ignored) == RL_OK) {
		note_id(parking, reply);
	}
	if (!unblock(parking, attempt, deadline) && rl_now() < parking->until) {
		/* later the server ends it by itself, within 0.1 s as a rule */
		rl_connection_hang_up(connection);
	}
	if (rl_connection_read(connection, deadline, &reply, &ignored) == RL_OK) {
		read_answer(parking, attempt, reply, wake, &ignored);
	}
	parking->is_parked = false;
}
