#include "parking.h"
#include "owner/internal.h"
#include "../base/number.h"
#include "../redis/refusal.h"

#include <stdio.h>
#include <string.h>

enum rl_status rl_parking_begin(struct rl_parking *parking, const struct rl_attempt *attempt, struct rl_error *error)
{
	const struct rl_keys *keys = &attempt->lease->keys;
	enum rl_key list = attempt->grant.is_first ? RL_KEY_ROOM : RL_KEY_WAKE;
	rl_time left = attempt->until - rl_now();
	char timeout[32] = "0"; /* for ever */
	struct rl_text words[3] = {
		{ "BLPOP", 5 },
		{ keys->text[list], keys->length[list] },
		{ timeout, 1 },
	};
	rl_time deadline = rl_owner_deadline_anew(attempt->owner);
	enum rl_status status = rl_session_mend(&parking->session, attempt->owner->route, deadline, error);

	if (status != RL_OK) {
		return RL_UNREACHABLE; /* whatever was on its way to us there is lost */
	}
	if (attempt->until != RL_FOREVER) {
		/* Less than 1 ms would be read as for ever. */
		int64_t left_ms = left > RL_MILLISECOND ? left / RL_MILLISECOND : 1;

		words[2].length = (size_t)snprintf(timeout, sizeof timeout, "%lld.%03d",
			(long long)(left_ms / 1000), (int)(left_ms % 1000));
	}
	parking->is_parked = true;
	parking->is_room = list == RL_KEY_ROOM;
	attempt->owner->route->requests++;
	status = rl_connection_append(parking->session.connection, 3, words, error);
	if (status == RL_OK) {
		status = rl_connection_flush(parking->session.connection, deadline, error);
	}
	return status;
}

/* RL_OK: the server became a replica, or the slot moved, or does now. The next ask will find the way. */
static enum rl_status read_refusal(struct rl_parking *parking, const struct rl_attempt *attempt, const struct rl_reply *reply,
	struct rl_error *error)
{
	struct rl_route *route = attempt->owner->route;
	const struct rl_keys *keys = &attempt->lease->keys;
	struct rl_text key = { keys->text[RL_KEY_LOCK], keys->length[RL_KEY_LOCK] };
	enum rl_lesson lesson;

	rl_connection_refusal(parking->session.connection, reply, error);
	lesson = rl_session_learn(&parking->session, route, key, reply, error);
	return lesson != RL_LESSON_NONE || rl_refusal_passes_soon(error) ? RL_OK : RL_REFUSED;
}

static bool is_pass(const struct rl_reply *value)
{
	return rl_token_is_ticket(value->text, value->length)
		|| rl_token_read_value(value->text, value->length).kind == RL_VALUE_BATON;
}

enum rl_status rl_parking_read(struct rl_parking *parking, const struct rl_attempt *attempt, const struct rl_reply *reply,
	struct rl_wake *wake, struct rl_error *error)
{
	const struct rl_reply *value;

	parking->is_parked = false;
	wake->pass = (struct rl_text){ wake->copy, 0 };
	if (reply->type == RL_REPLY_ERROR) {
		return read_refusal(parking, attempt, reply, error);
	}
	/* The server has ended the BLPOP without bringing anything: the waiter asks again. */
	if (reply->type != RL_REPLY_ARRAY || reply->count != 2 || reply->elements[1].type != RL_REPLY_STRING) {
		return RL_OK;
	}
	value = &reply->elements[1]; /* behind the list's name */
	if (value->length < RL_BATON_MAX && is_pass(value)) {
		memcpy(wake->copy, value->text, value->length);
		wake->pass.length = value->length;
	}
	return RL_OK;
}

/* False: it was not possible. */
static bool unblock(const struct rl_parking *parking, struct rl_route *route, rl_time deadline)
{
	const struct rl_connection *parked = parking->session.connection;
	struct rl_loan loan = { .connect_timeout = route->connect_timeout, .deadline = deadline };
	char id[RL_NUMBER_SIZE];
	struct rl_text words[] = { { "CLIENT", 6 }, { "UNBLOCK", 7 }, { id, 0 } };
	const struct rl_reply *reply;
	struct rl_error ignored;
	enum rl_status status;

	if (parked->id == 0 || rl_server_borrow(parking->session.server, &loan, &ignored) != RL_OK) {
		return false;
	}
	words[2].length = rl_number_put(id, parked->id);
	route->requests++;
	status = rl_connection_exchange(loan.connection, words, 3, deadline, &reply, &ignored);
	rl_server_give_back(parking->session.server, loan.connection);
	return status == RL_OK;
}

void rl_parking_end(struct rl_parking *parking, const struct rl_attempt *attempt, rl_time deadline, struct rl_wake *wake)
{
	struct rl_connection *connection = parking->session.connection;
	const struct rl_reply *reply;
	struct rl_error ignored;

	wake->pass = (struct rl_text){ wake->copy, 0 };
	if (!unblock(parking, attempt->owner->route, deadline) && rl_now() < attempt->until) {
		rl_connection_hang_up(connection); /* later the server ends it by itself, within 0.1 s as a rule */
	}
	if (rl_connection_read(connection, deadline, &reply, &ignored) == RL_OK) {
		rl_parking_read(parking, attempt, reply, wake, &ignored);
	}
	parking->is_parked = false;
}
