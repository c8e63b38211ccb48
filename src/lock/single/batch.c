#include "batch.h"
#include "../../call/replicas.h"

#include <string.h>

/* Servers that one batch is sent to; what is for others is left to the caller. */
#define GROUPS 64

/* For a script that has to be loaded, and a map that has to be learnt. */
#define ROUNDS 3

/* What goes to one server. */
struct group {
	struct rl_session session; /* without a connection: it cannot be reached */
	struct rl_text key;        /* one that is there */
	bool awaits_replicas;      /* they must have it */
};

struct round {
	struct rl_batch *batch;
	struct group groups[GROUPS];
	size_t count;
	bool no_map; /* nobody knows where to send things */
	enum rl_naming naming;
};

/* NULL: nobody knows where that is. */
static struct group *group_of(struct round *round, struct rl_text key)
{
	struct rl_route *route = round->batch->route;
	struct group *group;
	struct rl_server *server;
	struct rl_error *error = round->batch->error;

	if (round->no_map) {
		return NULL;
	}
	if (route->kind->locate(route, key, round->batch->deadline, &server, error) != RL_OK) {
		/* one slot may have no node where others do */
		round->no_map = strcmp(error->code, "CLUSTERDOWN") != 0;
		return NULL;
	}
	for (group = round->groups; group < round->groups + round->count; group++) {
		if (group->session.server == server) {
			return group;
		}
	}
	if (round->count == GROUPS) {
		return NULL;
	}
	round->count++;
	*group = (struct group){ .session = { .server = server }, .key = key };
	return group;
}

static void queue(struct round *round, struct group *group, struct rl_batch_item *item)
{
	struct rl_route *route = round->batch->route;
	struct rl_words words;
	const struct rl_call *call = rl_step_form(&words, item->step);
	struct rl_error ignored;

	if (item->step->unanswered == 0) {
		item->step->sent_at = rl_now();
	}
	if (rl_call_queue(route, call, group->session.connection, round->naming,
			round->batch->deadline, &ignored)
		!= RL_OK) {
		item->goes_to = NULL;
		return;
	}
	group->awaits_replicas |= route->replicas > 0 && call->replicated_up_to > 0;
}

static void queue_all(struct round *round, struct group *group)
{
	struct rl_batch *batch = round->batch;

	for (size_t i = 0; i < batch->count; i++) {
		struct rl_batch_item *item = &batch->items[i];

		if (item->goes_to != group) {
			continue;
		}
		if (group->session.connection && rl_batch_wants(batch, i)) {
			queue(round, group, item);
		} else {
			item->goes_to = NULL;
		}
	}
}

/* Its replicas are asked once for all that goes to one server. */
static void send_group(struct round *round, struct group *group, rl_time deadline)
{
	struct rl_route *route = round->batch->route;
	struct rl_session *session = &group->session;
	struct rl_error *error = round->batch->error;

	if (rl_session_begin(session, route, group->key, deadline, error) != RL_OK) {
		rl_session_learn(session, route, group->key, NULL, error);
		session->connection = NULL;
	}
	queue_all(round, group);
	if (group->awaits_replicas) {
		group->awaits_replicas = rl_replicas_ask(
									 route, session->connection, round->batch->deadline, error)
			== RL_OK;
	}
	if (session->connection) {
		rl_connection_flush(session->connection, deadline, error);
	}
}

static void note_unanswered(struct rl_batch_item *item)
{
	item->step->unanswered++;
	item->step->maybe_done = true;
}

static bool read_answer(
	struct rl_batch *batch, struct rl_batch_item *item, const struct rl_reply *reply)
{
	return batch->read
		? batch->read(batch->context, (size_t)(item - batch->items), reply)
		: rl_protocol_parse_outcome(reply, &item->outcome);
}

/* It counts only once replicas have it. */
static bool awaits_replicas(
	const struct rl_batch *batch, const struct rl_step *step, const struct rl_reply *reply)
{
	struct rl_words words;

	return rl_call_was_done(batch->route, rl_step_form(&words, step), reply);
}

static void understand(struct rl_batch *batch, struct rl_batch_item *item,
	struct rl_session *session, const struct rl_reply *reply)
{
	const struct rl_step *step = item->step;
	struct rl_error *error = batch->error;

	if (reply->type != RL_REPLY_ERROR) {
		item->answered = read_answer(batch, item, reply);
		if (!item->answered) {
			rl_protocol_fail(session, error);
			note_unanswered(item);
		}
		item->done = item->answered && awaits_replicas(batch, step, reply);
	} else if (rl_call_is_mended(session->connection, reply, step->sent_at)) {
		item->open = true;
	} else {
		rl_connection_refusal(session->connection, reply, error);
		item->refused = true;
		item->open = rl_session_learn(session, batch->route, rl_step_key(step), reply, error)
			== RL_LESSON_AGAIN;
	}
}

static bool any_done(const struct rl_batch *batch, const struct group *group)
{
	for (size_t i = 0; i < batch->count; i++) {
		if (batch->items[i].goes_to == group && batch->items[i].done) {
			return true;
		}
	}
	return false;
}

/* Too few of them: what was done does not count. */
static void hear_replicas(struct rl_batch *batch, struct group *group)
{
	struct rl_connection *connection = group->session.connection;
	bool have_it = !connection->broken
		&& rl_replicas_hear(batch->route, connection, any_done(batch, group), batch->deadline,
			   batch->error)
			== RL_OK;

	for (size_t i = 0; i < batch->count; i++) {
		struct rl_batch_item *item = &batch->items[i];

		if (!have_it && item->goes_to == group && item->done) {
			item->answered = false;
			item->step->maybe_done = true;
		}
	}
}

/*
 * Reads the answers of one server. What was sent and not answered may have been done all the same.
 */
static void read_group(struct round *round, struct group *group)
{
	struct rl_batch *batch = round->batch;
	struct rl_connection *connection = group->session.connection;
	const struct rl_reply *reply;

	for (size_t i = 0; i < batch->count; i++) {
		struct rl_batch_item *item = &batch->items[i];

		if (item->goes_to != group) {
			continue;
		}
		if (!connection->broken
			&& rl_connection_read(connection, batch->deadline, &reply, batch->error) == RL_OK) {
			understand(batch, item, &group->session, reply);
		} else {
			note_unanswered(item);
		}
	}
	if (group->awaits_replicas) {
		hear_replicas(batch, group);
	}
	if (connection->broken) {
		rl_session_learn(&group->session, batch->route, group->key, NULL, batch->error);
	}
	rl_session_end(&group->session);
}

/*
 * A server that hangs must not cost the others their time: each has an equal part of what is left.
 */
static rl_time time_for(const struct round *round, size_t group)
{
	rl_time now = rl_now();

	return now + (round->batch->deadline - now) / (rl_time)(round->count - group);
}

static void run_round(struct round *round)
{
	struct rl_batch *batch = round->batch;

	for (size_t i = 0; i < batch->count; i++) {
		struct rl_batch_item *item = &batch->items[i];

		item->goes_to = item->open ? group_of(round, rl_step_key(item->step)) : NULL;
		item->open = item->refused = item->done = false;
	}
	for (size_t i = 0; i < round->count; i++) {
		send_group(round, &round->groups[i], time_for(round, i));
	}
	for (size_t i = 0; i < round->count; i++) {
		if (round->groups[i].session.connection) {
			read_group(round, &round->groups[i]);
		}
	}
}

static bool any_open(const struct rl_batch *batch)
{
	size_t i = 0;

	while (i < batch->count && !batch->items[i].open) {
		i++;
	}
	return i < batch->count;
}

void rl_single_run_batch(struct rl_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		batch->items[i].open = true;
		batch->items[i].answered = batch->items[i].refused = false;
	}
	for (int i = 0; i < ROUNDS && any_open(batch); i++) {
		struct round round = { .batch = batch, .naming = i > 0 ? RL_BY_TEXT_ONCE : RL_BY_HASH };

		run_round(&round);
	}
}
