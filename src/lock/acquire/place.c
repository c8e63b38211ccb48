#include "place.h"
#include "schedule.h"
#include "../owner/internal.h"
#include "../waiter.h"
#include "../../base/number.h"
#include "../../base/machine.h"
#include "../../base/stack.h"
#include "../../redis/refusal.h"

#include <stdio.h>
#include <string.h>

/* Shorter than the turnstile is kept for us. */
#define ROOM_LASTS (2 * RL_SECOND)
/* What opening the second connection may take while the first is not parked yet. */
#define OPENING (200 * RL_MILLISECOND)

/* From the answer to CLIENT UNBLOCK to that of the BLPOP, which has been sent before it. */
#define ANSWERS_WITHIN (10 * RL_MILLISECOND)

/* --- a second connection --- */

static void begin_second(struct rl_place *place, struct rl_exchange *second, size_t commands,
	rl_time deadline,
	enum rl_status (*write)(
		void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error))
{
	rl_exchange_prepare(second, place->blpop.server, write, place);
	second->loan.connect_timeout = place->attempt->owner->route->connect_timeout;
	second->loan.deadline = deadline;
	second->count = commands;
	rl_exchange_begin(second);
}

static enum rl_status go_on_second(void *machine, struct rl_polls *polls, struct rl_error *error)
{
	struct rl_exchange *second = machine;
	enum rl_status status = rl_exchange_go_on(second, polls, error);

	return status == RL_NO && rl_now() >= second->loan.deadline ? RL_UNREACHABLE : status;
}

/* Until its deadline. RL_INTERRUPTED: it is under way, and no longer wanted. */
static enum rl_status run_second(struct rl_exchange *second, enum rl_wanted *wanted)
{
	struct rl_error ignored;
	enum rl_status status = rl_machine_run(go_on_second, second, &ignored);

	*wanted = status == RL_INTERRUPTED ? rl_stack_wanted() : RL_WANTED;
	return status;
}

static void end_second(struct rl_place *place, struct rl_exchange *second)
{
	place->attempt->owner->route->reconnects += second->loan.reconnected;
	rl_exchange_end(second);
}

/* When the place ends where there is no second connection. */
static rl_time soonest_end(const struct rl_place *place, rl_time now)
{
	return now + (place->is_room ? ROOM_LASTS : RL_LONGEST_GAP);
}

/* A long wait needs it; one that cannot have it parks for as long as it may. */
static enum rl_wanted find_second(struct rl_place *place)
{
	struct rl_exchange second;
	enum rl_wanted wanted = RL_WANTED;
	enum rl_status status;
	rl_time now = rl_now();

	if (place->until <= soonest_end(place, now)) {
		return RL_WANTED;
	}
	begin_second(place, &second, 0,
		rl_time_earlier(place->blpop.loan.deadline, now + OPENING), NULL);
	status = run_second(&second, &wanted);
	end_second(place, &second);
	if (status != RL_OK) {
		place->until = rl_time_earlier(soonest_end(place, rl_now()), place->until);
	}
	return wanted;
}

/* --- taking it --- */

static void note_id(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	bool is_id = reply && reply->type == RL_REPLY_INTEGER;

	deferred->connection->id = is_id ? reply->integer : -1;
}

/*
 * By it the BLPOP can be ended. It goes out along with that, the first time that the connection
 * parks.
 */
static enum rl_status ask_for_id(struct rl_place *place, struct rl_error *error)
{
	static const struct rl_text words[] = { { "CLIENT", 6 }, { "ID", 2 } };

	place->id_reply.on_reply = note_id;
	place->id_reply.need_not_run = false;
	return place->blpop.connection->id == 0
		? rl_exchange_write_ahead(&place->blpop, words, 2, &place->id_reply, error)
		: RL_OK;
}

/* So that others can see who waits. */
static enum rl_status say_who_waits(struct rl_place *place, struct rl_error *error)
{
	const struct rl_attempt *attempt = place->attempt;
	rl_time clock_ahead = place->blpop.connection->facts.clock_ahead;
	struct rl_waiter waiter = { .is_shared = attempt->lease->tenure.is_share };
	char name[RL_WAITER_NAME_SIZE];

	if (clock_ahead != RL_CLOCK_UNKNOWN) {
		waiter.since_ms = (attempt->began + clock_ahead) / RL_MILLISECOND;
	}
	rl_waiter_hash(waiter.hash, attempt->lease->keys.of[RL_KEY_LOCK]);
	return rl_exchange_rename(
		&place->blpop, (struct rl_text){ name, rl_waiter_put_name(name, &waiter) }, error);
}

static enum rl_status write_blpop(
	void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error)
{
	struct rl_place *place = context;
	char timeout[32] = "0"; /* for ever */
	struct rl_text words[3] = {
		{ "BLPOP", 5 },
		place->attempt->lease->keys.of[place->is_room ? RL_KEY_ROOM : RL_KEY_WAKE],
		{ timeout, 1 },
	};
	enum rl_status status = ask_for_id(place, error);

	if (status == RL_OK) {
		status = say_who_waits(place, error);
	}
	if (place->until != RL_FOREVER) {
		rl_time left = place->until - rl_now();
		/* Less than 1 ms would be read as for ever. */
		int64_t left_ms = left > RL_MILLISECOND ? left / RL_MILLISECOND : 1;

		words[2].length = (size_t)snprintf(timeout, sizeof timeout, "%lld.%03d",
			(long long)(left_ms / 1000), (int)(left_ms % 1000));
	}
	place->attempt->owner->route->requests++;
	return status == RL_OK ? rl_exchange_write(exchange, words, 3, error) : status;
}

enum rl_wanted rl_place_take(
	struct rl_place *place, const struct rl_attempt *attempt, struct rl_exchange *asked)
{
	const struct rl_route *route = attempt->owner->route;
	struct rl_exchange *blpop = &place->blpop;
	enum rl_wanted wanted;

	place->attempt = attempt;
	place->is_parked = true;
	place->is_room = rl_attempt_is_first(attempt);
	place->until = attempt->until;
	place->leave_by = 0;
	place->is_ending = false;
	rl_exchange_prepare(blpop, asked->server, write_blpop, place);
	blpop->loan.connect_timeout = route->connect_timeout;
	blpop->loan.deadline = rl_now() + route->timeout; /* until it is out */
	rl_exchange_follow(blpop, asked);
	rl_assert(!asked->connection); /* 2 */
	wanted = find_second(place);
	if (wanted != RL_WANTED) {
		rl_place_end(place); /* nothing was sent */
	}
	return wanted;
}

/* --- what it brings --- */

/*
 * RL_OK: the server became a replica, or the slot moved, or does now. The next ask will find the
 * way.
 */
static enum rl_status read_refusal(
	struct rl_place *place, const struct rl_reply *reply, struct rl_error *error)
{
	struct rl_failure failure = { .status = RL_REFUSED,
		.error = error,
		.words = reply->text,
		.server = place->blpop.server };
	enum rl_lesson lesson;

	rl_connection_refusal(place->blpop.connection, reply, error);
	lesson = rl_route_tell(place->attempt->owner->route,
		place->attempt->lease->keys.of[RL_KEY_LOCK], failure);
	return lesson != RL_LESSON_NONE || rl_refusal_passes_soon(error)
		? RL_OK
		: RL_REFUSED;
}

/* A release writes one of these; anything else in the list is not ours, and a reason to ask. */
static bool is_baton(const struct rl_reply *value)
{
	return value->length > 0 && value->length < RL_BATON_SIZE && strchr("~-+", value->text[0]);
}

static enum rl_status read_answer(struct rl_place *place, const struct rl_reply *reply,
	struct rl_wake *wake, struct rl_error *error)
{
	const struct rl_reply *value;

	if (reply->type == RL_REPLY_ERROR) {
		return read_refusal(place, reply, error);
	}
	/* The server has ended the BLPOP without bringing anything: the waiter asks again. */
	if (reply->type != RL_REPLY_ARRAY || reply->count != 2
		|| reply->elements[1].type != RL_REPLY_STRING) {
		return RL_OK;
	}
	value = &reply->elements[1]; /* behind the list's name */
	if (is_baton(value)) {
		memcpy(wake->copy, value->text, value->length);
		wake->text = (struct rl_text){ wake->copy, value->length };
	}
	return RL_OK;
}

static enum rl_status go_on(struct rl_place *place, struct rl_polls *polls, struct rl_error *error)
{
	struct rl_exchange *blpop = &place->blpop;
	rl_time until = polls->until;
	enum rl_status status = rl_exchange_go_on(blpop, polls, error);

	if (status == RL_NO && blpop->state == RL_EXCHANGE_AWAITING
		&& blpop->loan.deadline != RL_FOREVER) {
		blpop->loan.deadline = RL_FOREVER; /* it is out: from now on there is no hurry */
		polls->until = until;
	}
	return status;
}

enum rl_status rl_place_hear(struct rl_place *place, struct rl_wake *wake,
	struct rl_polls *polls, struct rl_error *error)
{
	enum rl_status status = go_on(place, polls, error);

	if (status == RL_OK) {
		rl_assert(!wake->text.data); /* 3 */
		status = read_answer(place, place->blpop.reply, wake, error);
	}
	if (status != RL_NO) {
		rl_place_end(place);
	}
	return status;
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
static enum rl_status write_barrier(
	struct rl_place *place, struct rl_exchange *exchange, struct rl_error *error)
{
	struct rl_text words[] = {
		{ "PEXPIRE", 7 }, place->attempt->lease->keys.of[RL_KEY_LOCK], { "no number", 9 }
	};

	return rl_exchange_write_ahead(exchange, words, 3, NULL, error);
}

static enum rl_status write_unblock(
	void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error)
{
	struct rl_place *place = context;
	char id[RL_NUMBER_SIZE];
	struct rl_text words[] = { { "CLIENT", 6 }, { "UNBLOCK", 7 },
		{ id, rl_number_put(id, place->blpop.connection->id) } };
	enum rl_status status;

	if (!are_of_one_server(&place->blpop.connection->facts, &exchange->connection->facts)) {
		return RL_UNREACHABLE;
	}
	place->attempt->owner->route->requests++;
	status = write_barrier(place, exchange, error);
	return status == RL_OK ? rl_exchange_write(exchange, words, 3, error) : status;
}

static bool knows_id(const struct rl_place *place)
{
	return place->blpop.connection && place->blpop.connection->id != 0;
}

struct listening {
	struct rl_place *place;
	rl_time by;
	bool (*enough)(const struct rl_place *place);
	struct rl_wake *wake;
};

static enum rl_status go_on_listening(
	void *machine, struct rl_polls *polls, struct rl_error *error)
{
	const struct listening *listening = machine;

	if (listening->enough && listening->enough(listening->place)) {
		return RL_OK;
	}
	rl_polls_until(polls, listening->by);
	return rl_place_hear(listening->place, listening->wake, polls, error) == RL_NO
			&& rl_now() < listening->by
		? RL_NO
		: RL_OK;
}

/* Until `by`, unless the place is over before, or `enough`. */
static enum rl_wanted listen(struct rl_place *place, rl_time by,
	bool (*enough)(const struct rl_place *place), struct rl_wake *wake)
{
	struct listening listening = { place, by, enough, wake };
	struct rl_error ignored;
	enum rl_status status = rl_machine_run(go_on_listening, &listening, &ignored);

	return status == RL_OK ? RL_WANTED : rl_stack_wanted();
}

/*
 * Nobody waits for the answer to CLIENT UNBLOCK. True: it is out. Whoever uses the second
 * connection next reads that answer first, or sends the rest. It is not closed: what others have
 * sent there may not be read yet, and would be dropped.
 */
static bool let_be(struct rl_exchange *second)
{
	bool is_sent = second->state == RL_EXCHANGE_AWAITING;

	if (is_sent || second->state == RL_EXCHANGE_SENDING) {
		rl_exchange_abandon(second, NULL);
	}
	return is_sent;
}

/* True: CLIENT UNBLOCK is out, or was answered. */
static bool unblock(struct rl_place *place, bool in_passing, enum rl_wanted *wanted)
{
	struct rl_exchange second;
	struct rl_error ignored;
	struct rl_polls polls;
	enum rl_status status;
	bool is_done;

	begin_second(place, &second, 1, place->leave_by, write_unblock);
	status = in_passing ? rl_exchange_go_on(&second, NULL, &ignored)
						: run_second(&second, wanted);
	is_done = status == RL_OK && second.reply->type != RL_REPLY_ERROR;
	if (is_done) {
		rl_polls_begin(&polls);
		rl_exchange_go_on(&second, &polls, &ignored); /* to its end */
	} else if (in_passing ? status == RL_NO : *wanted == RL_UNWANTED && status == RL_INTERRUPTED) {
		is_done = let_be(&second);
	}
	place->leave_by = rl_time_later(
		second.loan.deadline, is_done ? rl_now() + ANSWERS_WITHIN : 0);
	end_second(place, &second);
	return is_done;
}

/* Later the server ends it by itself, within 0.1 s as a rule. */
static void hang_up(struct rl_place *place)
{
	if (place->blpop.connection && rl_now() < place->until) {
		rl_connection_hang_up(place->blpop.connection);
	}
}

/* What ends the BLPOP is sent; or it has ended. */
static enum rl_wanted let_it_end(struct rl_place *place, bool in_passing, struct rl_wake *wake)
{
	enum rl_wanted wanted = listen(place, in_passing ? 0 : place->leave_by, knows_id, wake);

	if (!place->is_parked || wanted != RL_WANTED) {
		return wanted;
	}
	rl_assert(!place->is_ending); /* 4 */
	place->is_ending = knows_id(place) && place->blpop.connection->id > 0
		&& unblock(place, in_passing, &wanted);
	if (!place->is_ending && wanted != RL_DROPPED) {
		hang_up(place);
		place->is_ending = true;
	}
	return wanted;
}

enum rl_wanted rl_place_leave(
	struct rl_place *place, rl_time deadline, bool in_passing, struct rl_wake *wake)
{
	enum rl_wanted wanted = RL_WANTED;

	if (!place->is_parked) {
		return RL_WANTED;
	}
	place->leave_by = place->leave_by ? rl_time_earlier(place->leave_by, deadline) : deadline;
	if (!place->is_ending) {
		wanted = let_it_end(place, in_passing, wake);
	}
	if (wanted == RL_WANTED && place->is_parked) {
		wanted = listen(place, place->leave_by, NULL, wake);
	}
	if (wanted != RL_UNWANTED) {
		rl_place_end(place);
	}
	return wanted;
}

void rl_place_end(struct rl_place *place)
{
	if (place->is_parked) {
		rl_exchange_end(&place->blpop);
		place->is_parked = false;
	}
}
