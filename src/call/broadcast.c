#include "broadcast.h"
#include "../base/machine.h"
#include "../redis/refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* answers: from then on nothing more is taken there, only given back */
#define MAX_OWED    64
#define LAST_CHANCE (10 * RL_MILLISECOND) /* after a majority has answered and not decided */

enum state {
	IDLE = 1, /* not asked */
	OPEN = 2, /* its exchange is under way: it may still answer */
	DONE = 4,
	FAILED = 8,
	OVERDUE = 16 /* its exchange is under way, and the deadline came first */
};

struct rl_broadcast_node {
	enum state state;
	size_t number;
	struct rl_broadcast *broadcast;
	struct rl_exchange exchange; /* while it is under way */
	bool opens;                  /* its connection began to be opened at once */
	enum rl_status status;       /* failed: how */
	struct rl_error error;
	/* the last that passes by itself: why it was not done before says more than that time is up */
	struct rl_error refusal;
};

/* How many nodes are in one of these states. */
static size_t count_in(const struct rl_broadcast *broadcast, unsigned states)
{
	size_t count = 0;

	for (size_t i = 0; i < broadcast->node_count; i++) {
		count += (broadcast->of[i].state & states) != 0;
	}
	return count;
}

/* To have answered, or to be able to. */
static bool is_majority(const struct rl_broadcast *broadcast, unsigned states)
{
	return broadcast->answered_before + count_in(broadcast, states) >= broadcast->needed;
}

/* Something has come that leads further. That this step comes late says nothing of the servers. */
static void get_further(struct rl_broadcast_node *node)
{
	struct rl_broadcast *broadcast = node->broadcast;

	node->exchange.loan.has_moved = false;
	broadcast->deadline = broadcast->moves_to;
}

static void end_exchange(struct rl_broadcast_node *node, enum state state)
{
	struct rl_broadcast *broadcast = node->broadcast;

	rl_exchange_end(&node->exchange);
	broadcast->route->reconnects += node->exchange.loan.reconnected;
	if (node->exchange.is_unanswered) {
		broadcast->unanswered |= rl_broadcast_bit(node->number);
	}
	node->state = state;
}

/* What passes is waited out: it refuses connections, perhaps without a word, or all calls. */
static void fail(struct rl_broadcast_node *node, enum rl_status status)
{
	node->status = status;
	if (rl_exchange_ask_later(&node->exchange, &node->error)) {
		node->refusal = node->error;
	} else {
		end_exchange(node, FAILED);
	}
}

/* --- sending --- */

static bool owes_much(struct rl_connection *connection)
{
	if (connection->deferred_count >= MAX_OWED) {
		rl_connection_read_deferred(connection);
	}
	return connection->deferred_count >= MAX_OWED;
}

static enum rl_status write_call(
	void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error)
{
	struct rl_broadcast_node *node = context;
	struct rl_broadcast *broadcast = node->broadcast;

	if (broadcast->to_take && owes_much(exchange->connection)) {
		return rl_fail(error, RL_UNREACHABLE, "Redis at %s is behind with its answers",
			rl_server_address(exchange->server)->name);
	}
	rl_route_note_eviction(broadcast->route, exchange->server);
	if (exchange->loan.has_moved) {
		get_further(node);
	}
	if (rl_exchange_is_repeated(exchange)) {
		broadcast->unanswered |= rl_broadcast_bit(node->number);
	}
	if (broadcast->sent_at == 0) {
		broadcast->sent_at = exchange->sent_at;
	}
	broadcast->sent |= rl_broadcast_bit(node->number);
	return rl_call_write(broadcast->route,
		broadcast->call(broadcast->context, node->number, index),
		rl_time_earlier(broadcast->deadline, rl_exchange_listens_until(exchange)), exchange,
		error);
}

/* --- answers --- */

static void take_reply(struct rl_broadcast_node *node)
{
	struct rl_broadcast *broadcast = node->broadcast;
	struct rl_exchange *exchange = &node->exchange;

	get_further(node);
	if (exchange->reply->type == RL_REPLY_ERROR) {
		rl_connection_refusal(exchange->connection, exchange->reply, &node->error);
	} else if (broadcast->answered(broadcast->context, node->number, exchange->index,
				   exchange->reply, rl_exchange_is_repeated(exchange))) {
		broadcast->answered_by |= rl_broadcast_bit(node->number);
	} else {
		fail(node, rl_call_nonsense(exchange, &node->error));
	}
}

/* Of many calls one that was refused has no answer. */
static void conclude(struct rl_broadcast_node *node)
{
	struct rl_broadcast *broadcast = node->broadcast;

	if (broadcast->count > 0 && !(broadcast->answered_by & rl_broadcast_bit(node->number))) {
		fail(node, RL_REFUSED);
		return;
	}
	end_exchange(node, DONE);
	if (broadcast->enough_at == 0 && is_majority(broadcast, DONE)) {
		broadcast->enough_at = rl_now();
	}
}

static void advance(struct rl_broadcast_node *node, struct rl_polls *polls)
{
	struct rl_exchange *exchange = &node->exchange;
	enum rl_status status = RL_OK;

	while (node->state == OPEN && status != RL_NO) {
		status = rl_exchange_go_on(exchange, polls, &node->error);
		if (status == RL_OK && exchange->state == RL_EXCHANGE_DONE) {
			conclude(node);
		} else if (status == RL_OK) {
			take_reply(node);
		} else if (status != RL_NO) {
			fail(node, status);
		} else if (exchange->loan.has_moved) {
			get_further(node);
		}
	}
}

static bool is_connecting(const struct rl_broadcast_node *node)
{
	return node->state == OPEN && node->exchange.state == RL_EXCHANGE_CONNECTING;
}

static void advance_all(struct rl_broadcast *broadcast, struct rl_polls *polls)
{
	rl_time now = rl_now(), before = broadcast->looked_at;

	broadcast->moves_to = before && before < broadcast->deadline && now >= broadcast->deadline
		? rl_time_moved(broadcast->deadline, before, now)
		: broadcast->deadline;
	broadcast->looked_at = now;
	for (size_t i = 0; i < broadcast->node_count; i++) {
		struct rl_broadcast_node *node = &broadcast->of[i];

		advance(node, polls);
		if (!before) {
			node->opens = is_connecting(node) && !node->refusal.message[0];
		}
	}
}

/* --- which servers are tried, and for how long --- */

/* Nothing is sent yet. */
static void open_node(struct rl_broadcast_node *node, bool insist)
{
	struct rl_broadcast *broadcast = node->broadcast;
	struct rl_exchange *exchange = &node->exchange;

	rl_exchange_prepare(exchange, broadcast->route->nodes[node->number], write_call, node);
	exchange->loan.connect_timeout = broadcast->route->connect_timeout;
	exchange->loan.timeout = broadcast->route->timeout;
	exchange->loan.deadline = RL_FOREVER; /* what comes late is told, too */
	exchange->loan.patience = broadcast->route->timeout / 2;
	exchange->loan.side_by_side = true;
	exchange->loan.insist = insist;
	exchange->loan.behind = broadcast->behind ? broadcast->behind(broadcast->context, node->number)
											  : NULL;
	exchange->count = broadcast->count;
	exchange->reconnects = true;
	exchange->naming = broadcast->naming;
	rl_exchange_begin(exchange);
	node->state = OPEN;
}

/*
 * The nodes that were asked may never answer, or too few are left: then the others are needed, too.
 */
static rl_time insist_at(const struct rl_broadcast *broadcast, bool is_decided)
{
	if (broadcast->insisted || is_decided) {
		return RL_FOREVER;
	}
	return is_majority(broadcast, DONE | OPEN) ? broadcast->began + LAST_CHANCE : 0;
}

/* Too few nodes are left, so those that were left alone because they had failed are tried, too. */
static void insist(struct rl_broadcast *broadcast, struct rl_polls *polls)
{
	broadcast->insisted = true;
	for (size_t i = 0; i < broadcast->node_count; i++) {
		struct rl_broadcast_node *node = &broadcast->of[i];

		if (node->state == FAILED && !(broadcast->sent & rl_broadcast_bit(i))) {
			open_node(node, true);
			advance(node, polls);
		}
	}
}

/* The others get as long again as the majority took. */
static rl_time little_more(const struct rl_broadcast *broadcast)
{
	rl_time enough_at = broadcast->enough_at;

	return enough_at ? enough_at + (enough_at - broadcast->began) + LAST_CHANCE : RL_FOREVER;
}

/* A majority has decided, but others will be there at once. */
static bool waits_for_all(const struct rl_broadcast *broadcast)
{
	bool any = broadcast->everywhere && count_in(broadcast, OPEN) > 0;

	for (size_t i = 0; i < broadcast->node_count && broadcast->to_take && !any; i++) {
		any = broadcast->of[i].opens && is_connecting(&broadcast->of[i]);
	}
	return any && rl_now() < little_more(broadcast);
}

static void give_up_open(struct rl_broadcast *broadcast)
{
	for (size_t i = 0; i < broadcast->node_count; i++) {
		struct rl_broadcast_node *node = &broadcast->of[i];

		if (node->state != OPEN) {
			continue;
		}
		node->state = OVERDUE;
		if (node->refusal.message[0]) {
			node->error = node->refusal; /* which its status is of */
		} else {
			node->status = rl_fail(&node->error, RL_UNREACHABLE,
				"Redis at %s: no answer within the timeout",
				rl_server_address(broadcast->route->nodes[i])->name);
		}
	}
}

/* All calls are decided; or of several, all have come that will. */
static bool is_decided(const struct rl_broadcast *broadcast)
{
	size_t index = 0, open = count_in(broadcast, OPEN);

	while (index < broadcast->count && broadcast->decided(broadcast->context, index, open)) {
		index++;
	}
	return index == broadcast->count || (broadcast->count > 1 && open == 0);
}

/* 0: nothing more is worth waiting for. */
static rl_time waits_until(const struct rl_broadcast *broadcast, bool is_decided)
{
	bool may_help = count_in(broadcast, OPEN) > 0 && is_majority(broadcast, DONE | OPEN);

	if (is_decided ? !waits_for_all(broadcast) : !may_help) {
		return 0;
	}
	return broadcast->to_take || is_decided
		? rl_time_earlier(broadcast->deadline, little_more(broadcast))
		: broadcast->deadline;
}

/* --- the end --- */

static bool has_failed(const struct rl_broadcast_node *node)
{
	return (node->state & (FAILED | OVERDUE)) != 0;
}

/* With which there would have been a majority, if refusals pass in the order of their kinds. */
static const struct rl_broadcast_node *decisive(const struct rl_broadcast *broadcast)
{
	size_t able = broadcast->answered_before + count_in(broadcast, DONE);
	const struct rl_broadcast_node *last = NULL;

	for (int kind = RL_REFUSAL_MISPLACED; kind >= RL_REFUSAL_LASTS; kind--) {
		for (const struct rl_broadcast_node *node = broadcast->of;
			 node < broadcast->of + broadcast->node_count; node++) {
			if (has_failed(node) && (int)rl_refusal_of(&node->error) == kind) {
				last = node;
				if (++able >= broadcast->needed) {
					return node;
				}
			}
		}
	}
	return last;
}

/* What each of them has said, the decisive one first; and whether they all have refused. */
static enum rl_status add_up(const struct rl_broadcast *broadcast,
	const struct rl_broadcast_node *first, char *reasons, size_t size)
{
	enum rl_status status = first ? RL_REFUSED : RL_UNREACHABLE; /* nobody refused anything */
	size_t length = 0;

	for (size_t i = 0; first && i <= broadcast->node_count; i++) {
		const struct rl_broadcast_node *node = i == 0 ? first : &broadcast->of[i - 1];

		if (!has_failed(node) || (i > 0 && node == first)) {
			continue;
		}
		status = node->status == RL_REFUSED ? status : RL_UNREACHABLE;
		if (length < size) {
			length += (size_t)snprintf(
				reasons + length, size - length, "; %s", node->error.message);
		}
	}
	return status;
}

static enum rl_status report(const struct rl_broadcast *broadcast, struct rl_error *error)
{
	const struct rl_broadcast_node *first = decisive(broadcast);
	char reasons[RL_ERROR_MESSAGE_SIZE] = "";
	enum rl_status status = add_up(broadcast, first, reasons, sizeof reasons);
	const char *fail = status == RL_REFUSED ? "refuse it" : "cannot be asked";
	size_t failed = count_in(broadcast, FAILED | OVERDUE);

	if (failed > broadcast->node_count - broadcast->needed) {
		rl_fail(error, status, "%zu of %zu servers %s, so there is no majority%s",
			failed, broadcast->node_count, fail, reasons);
	} else {
		/* A majority could be asked, but it takes one of those that have granted it. */
		rl_fail(error, status,
			"%zu of %zu servers %s, and too few of the others have the lock: a majority is %zu%s",
			failed, broadcast->node_count, fail, broadcast->needed, reasons);
	}
	if (status == RL_REFUSED) {
		memcpy(error->code, first->error.code, sizeof error->code);
	}
	return status;
}

/* --- from outside --- */

static enum rl_status begin(struct rl_broadcast *broadcast, enum rl_naming naming,
	rl_time deadline, struct rl_error *error)
{
	size_t count = broadcast->route->node_count;

	broadcast->sent = broadcast->answered_by = broadcast->unanswered = 0;
	broadcast->sent_at = broadcast->enough_at = broadcast->looked_at = 0;
	broadcast->insisted = false;
	broadcast->naming = naming;
	broadcast->deadline = deadline;
	broadcast->began = rl_now();
	broadcast->needed = rl_route_majority_of(count);
	broadcast->of = malloc(count * sizeof broadcast->of[0]);
	broadcast->node_count = broadcast->of ? count : 0;
	for (size_t i = 0; i < broadcast->node_count; i++) {
		struct rl_broadcast_node *node = &broadcast->of[i];

		node->state = IDLE;
		node->number = i;
		node->broadcast = broadcast;
		node->refusal.message[0] = '\0';
		if (broadcast->nodes & rl_broadcast_bit(i)) {
			open_node(node, broadcast->insist);
		}
	}
	return broadcast->of ? RL_OK : rl_fail_for_memory(error);
}

static enum rl_status go_on(void *machine, struct rl_polls *polls, struct rl_error *error)
{
	struct rl_broadcast *broadcast = machine;
	bool decided;
	rl_time until;

	advance_all(broadcast, polls);
	decided = is_decided(broadcast);
	if (rl_now() >= insist_at(broadcast, decided)) {
		insist(broadcast, polls);
		decided = is_decided(broadcast);
	}
	until = waits_until(broadcast, decided);
	if (rl_now() < until) {
		rl_polls_until(polls, rl_time_earlier(until, insist_at(broadcast, decided)));
		return RL_NO;
	}
	if (!decided && until) {
		give_up_open(broadcast);
		decided = is_decided(broadcast);
	}
	return decided ? RL_OK : report(broadcast, error);
}

static struct rl_deferred *late(void *context, size_t index)
{
	struct rl_broadcast_node *node = context;
	const struct rl_broadcast *broadcast = node->broadcast;

	return broadcast->late ? broadcast->late(broadcast->context, node->number, index) : NULL;
}

/* What is out is left. */
static void end(struct rl_broadcast *broadcast)
{
	for (size_t i = 0; i < broadcast->node_count; i++) {
		struct rl_broadcast_node *node = &broadcast->of[i];

		if (!(node->state & (OPEN | OVERDUE))) {
			continue;
		}
		if (node->exchange.state != RL_EXCHANGE_CONNECTING) {
			rl_exchange_abandon(&node->exchange, late);
			node->exchange.connection->overdue |= node->state == OVERDUE;
		}
		end_exchange(node, DONE);
	}
	free(broadcast->of);
}

enum rl_status rl_broadcast_run(
	struct rl_broadcast *broadcast, rl_time deadline, struct rl_error *error)
{
	enum rl_status status = begin(broadcast, RL_BY_TEXT_ONCE, deadline, error);

	if (status == RL_OK) {
		status = rl_machine_run(go_on, broadcast, error);
	}
	end(broadcast);
	return status;
}

uint32_t rl_broadcast_all(const struct rl_route *route)
{
	return rl_broadcast_bit(route->node_count) - 1;
}

size_t rl_broadcast_count(uint32_t nodes)
{
	size_t count = 0;

	for (; nodes; nodes &= nodes - 1) {
		count++;
	}
	return count;
}

void rl_broadcast_send(struct rl_broadcast *broadcast)
{
	struct rl_error ignored;

	/* Of what nobody waits for, nothing has a deadline. */
	if (begin(broadcast, RL_BY_TEXT, 0, &ignored) == RL_OK) {
		advance_all(broadcast, NULL);
	}
	end(broadcast);
}

/* Until none is on its way any more. */
static enum rl_status open_on(void *machine, struct rl_polls *polls, struct rl_error *error)
{
	struct rl_broadcast *broadcast = machine;

	advance_all(broadcast, polls);
	rl_polls_until(polls, broadcast->deadline);
	return count_in(broadcast, OPEN) == 0 || rl_now() >= broadcast->deadline ? RL_OK : RL_NO;
}

void rl_broadcast_open(struct rl_route *route, uint32_t nodes, rl_time until)
{
	struct rl_broadcast broadcast = { .route = route, .nodes = nodes, .insist = true };
	struct rl_error ignored;

	if (begin(&broadcast, RL_BY_TEXT, until, &ignored) == RL_OK) {
		rl_machine_run(open_on, &broadcast, &ignored);
	}
	end(&broadcast);
}
