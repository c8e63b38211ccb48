/*
 * Steps, one or many, each on the server that its lock is on.
 */
#include "single.h"
#include "../../call/replicas.h"
#include "../../base/machine.h"
#include "../../base/stack.h"

#include <stdlib.h>
#include <string.h>

/* Servers that one batch is sent to; what is for others is left to the caller. */
#define GROUPS 64

/* For a map that has to be learnt. */
#define ROUNDS 3

/* What goes to one server: one exchange. */
struct group {
	struct rl_batch *batch;
	struct rl_exchange exchange;
	bool is_over;
	struct rl_text key; /* one that is there */
	struct rl_rider replicas;
	bool awaits_replicas; /* they must have it */
	bool was_done;        /* something that they must have */
};

struct round {
	struct rl_batch *batch;
	struct group *groups;
	size_t count, room;
	bool no_map; /* nobody knows where to send things */
};

static enum rl_lesson learn(const struct group *group, enum rl_status status,
	const struct rl_reply *refusal, struct rl_text key)
{
	struct rl_failure failure = { .status = status,
		.error = group->batch->error,
		.words = refusal ? refusal->text : NULL,
		.server = group->exchange.server };

	return rl_route_tell(group->batch->route, key, failure);
}

/* --- sending --- */

static enum rl_status write_step(
	struct group *group, struct rl_batch_item *item, struct rl_error *error)
{
	struct rl_batch *batch = group->batch;
	struct rl_step *step = item->step;
	struct rl_words words;
	const struct rl_call *call = rl_step_form(&words, step);

	step->doubt.copy_out |= rl_exchange_is_repeated(&group->exchange);
	if (!step->doubt.copy_out) {
		step->sent_at = group->exchange.sent_at;
	}
	item->replicated_up_to = call->replicated_up_to;
	group->awaits_replicas |= rl_call_wants_replicas(batch->route, call->replicated_up_to);
	return rl_call_write(batch->route, call, rl_exchange_listens_until(&group->exchange),
		&group->exchange, error);
}

static enum rl_status write_item(
	void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error)
{
	struct group *group = context;
	struct rl_batch *batch = group->batch;
	struct rl_batch_item *item = &batch->items[index];
	enum rl_status status = RL_NO;

	if (item->goes_to == group && rl_batch_wants(batch, index)) {
		status = write_step(group, item, error);
	} else if (item->goes_to == group) {
		item->goes_to = NULL;
	}
	/* Its replicas are asked once for all that goes to one server. */
	if (index == exchange->count - 1 && group->awaits_replicas
		&& (status == RL_OK || status == RL_NO)) {
		enum rl_status asked = rl_replicas_ask(batch->route, exchange, &group->replicas, error);

		status = asked == RL_OK ? status : asked;
	}
	return status;
}

/* --- answers --- */

static enum rl_status parse(struct rl_batch_item *item, const struct rl_reply *reply)
{
	bool is_one;

	switch (item->step->operation) {
		case RL_STEP_INSPECT:
			return rl_lock_state_read(&item->state, reply);
		case RL_STEP_SHARERS:
		case RL_STEP_PEEK:
			is_one = item->read(item->context, reply);
			break;
		case RL_STEP_REENTER:
			is_one = rl_protocol_parse_grant(reply, 0, &item->grant); /* it tells what is left */
			break;
		default:
			is_one = rl_protocol_parse_outcome(reply, &item->outcome);
	}
	return is_one ? RL_OK : RL_UNREACHABLE;
}

/* Unless RL_OK, nothing more may be read there. */
static enum rl_status read_answer(
	const struct rl_batch *batch, struct rl_batch_item *item, struct rl_exchange *exchange)
{
	enum rl_status status = parse(item, exchange->reply);

	item->answered = status == RL_OK;
	if (status == RL_UNREACHABLE) {
		return rl_call_nonsense(exchange, batch->error);
	}
	return status == RL_OK ? RL_OK : rl_fail_for_memory(batch->error);
}

/* Unless RL_OK, nothing more may be read there. */
static enum rl_status understand(struct group *group)
{
	struct rl_batch *batch = group->batch;
	const struct rl_reply *reply = group->exchange.reply;
	struct rl_batch_item *item = &batch->items[group->exchange.index];
	enum rl_status status;

	if (reply->type == RL_REPLY_ERROR) {
		rl_connection_refusal(group->exchange.connection, reply, batch->error);
		item->refused = true;
		item->open = learn(group, RL_REFUSED, reply, rl_step_key(item->step)) == RL_LESSON_AGAIN;
		item->goes_to = NULL;
		return RL_OK;
	}
	status = read_answer(batch, item, &group->exchange);
	if (status != RL_OK) {
		return status;
	}
	item->done = rl_call_was_done(batch->route, item->replicated_up_to, reply);
	group->was_done |= item->done;
	group->replicas.matters = group->was_done;
	if (!item->done) {
		item->goes_to = NULL;
	}
	return RL_OK;
}

/*
 * What is still there has no answer, and may have been done all the same if it was sent; or it has
 * one that counts only if replicas have it.
 */
static void end(struct group *group, bool was_sent, bool replicas_have_it)
{
	struct rl_batch *batch = group->batch;
	struct rl_exchange *exchange = &group->exchange;

	batch->route->reconnects += exchange->loan.reconnected;
	rl_exchange_end(exchange);
	group->is_over = true;
	was_sent |= exchange->is_unanswered;
	for (size_t i = 0; i < batch->count; i++) {
		struct rl_batch_item *item = &batch->items[i];

		if (item->goes_to != group) {
			continue;
		}
		if (!item->answered && was_sent) {
			rl_doubt_lost(&item->step->doubt);
		} else if (item->answered && !replicas_have_it) {
			item->answered = false;
			item->step->doubt.fate_unknown = true;
		}
	}
}

static bool replicas_have_it(struct group *group)
{
	return !group->was_done
		|| rl_replicas_judge(
			   group->batch->route, &group->exchange, &group->replicas, group->batch->error)
		== RL_OK;
}

static void advance(struct group *group, struct rl_polls *polls)
{
	struct rl_batch *batch = group->batch;
	struct rl_exchange *exchange = &group->exchange;
	enum rl_status status;

	do {
		status = rl_exchange_go_on(exchange, polls, batch->error);
		if (status == RL_OK && exchange->state != RL_EXCHANGE_DONE) {
			status = understand(group);
		}
	} while (status == RL_OK
		&& (exchange->state != RL_EXCHANGE_DONE
			|| rl_replicas_ask_on(batch->route, exchange, &group->replicas, batch->error)));
	if (status == RL_NO) {
		return;
	}
	if (status != RL_OK) {
		learn(group, RL_UNREACHABLE, NULL, group->key);
	}
	end(group, exchange->state != RL_EXCHANGE_FAILED,
		status == RL_OK && replicas_have_it(group));
}

/* --- rounds --- */

/* A server that hangs leaves time for what others have turned away. */
static rl_time time_for(const struct round *round)
{
	rl_time deadline = round->batch->deadline;

	return round->count > 1 ? rl_time_half_way(rl_now(), deadline) : deadline;
}

static struct group *add_group(struct round *round, struct rl_server *server, struct rl_text key)
{
	struct group *group = &round->groups[round->count++];
	struct rl_exchange *exchange = &group->exchange;

	group->batch = round->batch;
	group->is_over = group->awaits_replicas = group->was_done = false;
	group->replicas.matters = false;
	group->key = key;
	rl_exchange_prepare(exchange, server, write_item, group);
	exchange->loan.connect_timeout = round->batch->route->connect_timeout;
	exchange->loan.patience = round->batch->route->timeout / 2;
	exchange->count = round->batch->count;
	/* the renewal thread tries again by itself, and whoever ends it cuts its connections */
	exchange->reconnects = !round->batch->wanted;
	rl_exchange_begin(exchange);
	return group;
}

/* NULL: nobody knows where that is. */
static struct group *group_of(struct round *round, struct rl_text key)
{
	struct rl_route *route = round->batch->route;
	struct rl_error *error = round->batch->error;
	struct rl_server *server;

	if (round->no_map) {
		return NULL;
	}
	if (rl_route_locate(route, key, round->batch->deadline, &server, error) != RL_OK) {
		/* one slot may have no node where others do */
		round->no_map = strcmp(error->code, "CLUSTERDOWN") != 0;
		return NULL;
	}
	for (struct group *group = round->groups; group < round->groups + round->count; group++) {
		if (group->exchange.server == server) {
			return group;
		}
	}
	return round->count < round->room ? add_group(round, server, key) : NULL;
}

static enum rl_status go_on(void *machine, struct rl_polls *polls, struct rl_error *error)
{
	struct round *round = machine;
	enum rl_status status = RL_OK;

	for (size_t i = 0; i < round->count; i++) {
		struct group *group = &round->groups[i];

		if (!group->is_over) {
			advance(group, polls);
		}
		status = group->is_over ? status : RL_NO;
	}
	return status;
}

/* Nobody wants it any more: what is out has no answer, and what lies before it is not torn up. */
static void give_up(struct round *round)
{
	for (struct group *group = round->groups; group < round->groups + round->count; group++) {
		struct rl_exchange *exchange = &group->exchange;
		bool is_sent = rl_exchange_is_written(exchange);

		if (group->is_over) {
			continue;
		}
		if (exchange->state != RL_EXCHANGE_CONNECTING) {
			rl_exchange_abandon(exchange, NULL);
		}
		end(group, is_sent, false);
	}
}

/* False: nobody wants another. */
static bool run_round(struct round *round)
{
	struct rl_batch *batch = round->batch;

	round->count = 0;
	round->no_map = false;
	for (size_t i = 0; i < batch->count; i++) {
		struct rl_batch_item *item = &batch->items[i];

		item->goes_to = item->open ? group_of(round, rl_step_key(item->step)) : NULL;
		item->open = item->refused = item->done = false;
	}
	for (size_t i = 0; i < round->count; i++) {
		round->groups[i].exchange.loan.deadline = time_for(round);
	}
	if (rl_machine_run(go_on, round, batch->error) != RL_OK) {
		give_up(round);
		return false;
	}
	return true;
}

static bool any_open(const struct rl_batch *batch)
{
	size_t i = 0;

	while (i < batch->count && !batch->items[i].open) {
		i++;
	}
	return i < batch->count;
}

/* Without memory, what is for other servers than the first is left to the caller. */
static void run_many(struct rl_batch *batch)
{
	struct group one, *groups = batch->route->kind->apart ? malloc(GROUPS * sizeof *groups) : NULL;
	struct round round = {
		.batch = batch, .groups = groups ? groups : &one, .room = groups ? GROUPS : 1
	};

	for (size_t i = 0; i < batch->count; i++) {
		batch->items[i].open = true;
		batch->items[i].answered = batch->items[i].refused = false;
	}
	for (int i = 0; i < ROUNDS && any_open(batch) && run_round(&round); i++) {
	}
	free(groups);
}

/* --- one of them --- */

struct one {
	struct rl_batch_item *item;
	struct rl_words words;
	struct rl_request request;
};

static struct rl_call *form_instead(void *context)
{
	struct one *one = context;

	one->item->step = one->item->instead;
	return rl_step_form(&one->words, one->item->step);
}

/*
 * Nobody wants it any more, and may ever come to hear the answer: so what takes it back is sent at
 * once. Where that cannot go behind it on its connection, its own answer is heard first.
 */
static enum rl_status take_back(const struct rl_batch *batch, struct one *one)
{
	struct rl_request *request = &one->request;
	rl_time deadline = rl_now() + batch->route->timeout;

	if (rl_request_follow(request, form_instead, one, deadline)) {
		one->item->followed_until = deadline;
	} else if (!rl_request_may_be_done(request)) {
		return RL_INTERRUPTED;
	}
	one->item->is_unwanted = true;
	rl_stack_serve_others();
	return rl_request_run(request, batch->error);
}

/* The renewal thread's is as many, since it must be able to leave out what it has connected for. */
enum rl_status rl_single_run(struct rl_batch *batch)
{
	struct rl_batch_item *item = batch->items;
	struct one one;
	bool is_nonsense;
	enum rl_status status;

	if (batch->count != 1 || batch->wanted) {
		run_many(batch);
		return RL_OK;
	}
	one.item = item;
	item->is_unwanted = false;
	item->followed_until = 0;
	rl_request_begin(
		&one.request, batch->route, rl_step_form(&one.words, item->step), batch->deadline);
	status = rl_request_run(&one.request, batch->error);
	if (status == RL_INTERRUPTED && item->instead && rl_stack_wanted() == RL_UNWANTED) {
		status = take_back(batch, &one);
	}
	item->answered = false;
	item->refused = status == RL_REFUSED;
	is_nonsense = status == RL_OK
		&& (status = read_answer(batch, item, &one.request.exchange)) != RL_OK;
	rl_request_end(&one.request); /* which may leave it in doubt */
	rl_step_note(item->step, &one.words.call);
	item->step->doubt.fate_unknown |= is_nonsense; /* it says nothing of what was done */
	return status;
}
