#include "broadcast.h"
#include "../base/machine.h"
#include "../redis/dial.h"
#include "../redis/refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* answers: from then on nothing more is taken there, only given back */
#define MAX_OWED    64
#define LAST_CHANCE (10 * RL_MILLISECOND) /* after a majority has answered and not decided */

enum state {
	IDLE = 1,   /* not asked */
	TRYING = 2, /* its exchange is under way */
	PAUSED = 4, /* it refused for a moment */
	DONE = 8,
	FAILED = 16,
	OPEN = TRYING | PAUSED /* it may still answer */
};

struct node {
	enum state state;
	size_t number;
	struct rl_broadcast *broadcast;
	struct rl_exchange exchange; /* while it tries */
	size_t answered;             /* of the calls */
	bool reconnected, resent;
	bool opens;            /* its connection began to be opened at once */
	bool overdue;          /* the deadline came first */
	rl_time paused_until;  /* paused: when */
	enum rl_status status; /* failed: how */
	/* trying: what it waits for, and where that is among what was added last */
	struct rl_pollfd fds[RL_DIAL_MAX];
	size_t fd_count, from;
	rl_time until;
	struct rl_error error;
	/* the last that passes by itself: why it was not done before says more than that time is up */
	struct rl_error refusal;
};

struct rl_broadcast_run {
	struct rl_broadcast *broadcast;
	size_t count, needed;
	rl_time began, enough_at; /* when a majority had answered, or 0 */
	rl_time due_at;           /* when to look at it without an event */
	enum rl_naming naming;
	/* at the last step; and how long nobody had looked, if this one comes after the deadline */
	rl_time looked_at, away;
	bool sent;     /* to all that could be sent to at once */
	bool insisted; /* those that had failed were tried, too */
	bool decided;  /* by the answers so far */
	struct node nodes[];
};

/* How many nodes are in one of these states. */
static size_t count_in(const struct rl_broadcast_run *run, unsigned states)
{
	size_t count = 0;

	for (size_t i = 0; i < run->count; i++) {
		count += (run->nodes[i].state & states) != 0;
	}
	return count;
}

/* To have answered, or to be able to. */
static bool is_majority(const struct rl_broadcast_run *run, unsigned states)
{
	return run->broadcast->answered_before + count_in(run, states) >= run->needed;
}

/* Something has come that leads further. That this step comes late says nothing of the servers. */
static void get_further(struct node *node)
{
	struct rl_broadcast_run *run = node->broadcast->run;

	node->exchange.loan.has_moved = false;
	run->broadcast->deadline += run->away;
	run->away = 0;
}

static void end_exchange(struct node *node)
{
	node->broadcast->route->reconnects += node->exchange.loan.reconnected;
	node->reconnected = !node->exchange.reconnects;
	rl_exchange_end(&node->exchange);
	if (node->exchange.is_unanswered) {
		node->broadcast->unanswered |= rl_broadcast_bit(node->number);
	}
}

static void fail(struct node *node, enum rl_status status)
{
	node->state = FAILED;
	node->status = status;
}

/* It has refused a connection, perhaps without a word, or all calls. */
static void be_refused(struct node *node, enum rl_status status)
{
	fail(node, status);
	if (rl_refusal_passes_soon(&node->error)) {
		node->state = PAUSED;
		node->paused_until = rl_now() + RL_CALL_RETRY_PAUSE;
		node->refusal = node->error;
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
	struct node *node = context;
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
		node->resent = true;
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

static void be_nonsense(struct node *node)
{
	enum rl_status status = rl_call_nonsense(&node->exchange, &node->error);

	end_exchange(node);
	fail(node, status);
}

static void take_reply(struct node *node)
{
	struct rl_broadcast *broadcast = node->broadcast;
	struct rl_exchange *exchange = &node->exchange;

	get_further(node);
	node->answered++;
	if (exchange->reply->type == RL_REPLY_ERROR) {
		rl_connection_refusal(exchange->connection, exchange->reply, &node->error);
	} else if (broadcast->answered(broadcast->context, node->number, exchange->index,
				   exchange->reply, node->resent)) {
		broadcast->answered_by |= rl_broadcast_bit(node->number);
	} else {
		be_nonsense(node);
	}
}

/* Of many calls one that was refused has no answer. */
static void conclude(struct rl_broadcast_run *run, struct node *node)
{
	end_exchange(node);
	if (run->broadcast->count > 0
		&& !(run->broadcast->answered_by & rl_broadcast_bit(node->number))) {
		be_refused(node, RL_REFUSED);
		return;
	}
	node->state = DONE;
	if (run->enough_at == 0 && is_majority(run, DONE)) {
		run->enough_at = rl_now();
	}
}

static void give_up(struct node *node, enum rl_status status)
{
	end_exchange(node);
	if (status == RL_REFUSED || rl_refusal_passes_soon(&node->error)) {
		be_refused(node, status);
	} else {
		fail(node, status);
	}
}

static void note_awaited(struct node *node, const struct rl_polls *polls)
{
	node->fd_count = polls->count;
	memcpy(node->fds, polls->fds, polls->count * sizeof polls->fds[0]);
	node->until = polls->until;
}

static void advance(struct rl_broadcast_run *run, struct node *node)
{
	struct rl_exchange *exchange = &node->exchange;
	enum rl_status status = RL_OK;
	struct rl_polls polls;

	while (node->state == TRYING && status == RL_OK) {
		rl_polls_begin(&polls);
		status = rl_exchange_go_on(exchange, &polls, &node->error);
		if (status == RL_NO) {
			note_awaited(node, &polls);
		}
		if (status == RL_OK && exchange->state == RL_EXCHANGE_DONE) {
			conclude(run, node);
		} else if (status == RL_OK) {
			take_reply(node);
		} else if (status != RL_NO) {
			give_up(node, status);
		} else if (exchange->loan.has_moved) {
			get_further(node);
		}
	}
}

/* --- which servers are tried, and for how long --- */

static void try_node(struct rl_broadcast_run *run, struct node *node, bool insist)
{
	struct rl_broadcast *broadcast = run->broadcast;
	struct rl_exchange *exchange = &node->exchange;

	rl_exchange_prepare(exchange, broadcast->route->nodes[node->number], write_call, node);
	exchange->loan.connect_timeout = broadcast->route->connect_timeout;
	exchange->loan.timeout = broadcast->route->timeout;
	exchange->loan.deadline = RL_FOREVER; /* what comes late is told, too */
	exchange->loan.patience = node->reconnected ? 0 : broadcast->route->timeout / 2;
	exchange->loan.side_by_side = true;
	exchange->loan.insist = insist;
	exchange->loan.behind = broadcast->behind ? broadcast->behind(broadcast->context, node->number)
											  : NULL;
	exchange->count = broadcast->count;
	exchange->reconnects = !node->reconnected;
	exchange->naming = run->naming;
	rl_exchange_begin(exchange);
	node->state = TRYING;
	node->answered = 0;
	advance(run, node);
	node->opens = node->opens
		|| (!run->sent && node->state == TRYING && exchange->state == RL_EXCHANGE_CONNECTING);
}

static bool is_ready(const struct node *node, const struct rl_polls *come)
{
	size_t i = node->from, end = node->from + node->fd_count;

	while (i < end && i < come->count && !come->fds[i].ready) {
		i++;
	}
	return i < end && i < come->count;
}

static void step_all(struct rl_broadcast_run *run, const struct rl_polls *come)
{
	rl_time now = rl_now();
	bool all = now >= run->due_at;

	run->away = run->looked_at < run->broadcast->deadline && now >= run->broadcast->deadline
		? now - run->looked_at
		: 0;
	run->looked_at = now;

	for (size_t i = 0; i < run->count; i++) {
		struct node *node = &run->nodes[i];

		if (node->state == PAUSED && now >= node->paused_until) {
			get_further(node);
			try_node(run, node, true);
		} else if (node->state == TRYING && (all || is_ready(node, come))) {
			advance(run, node);
		}
	}
}

/*
 * The nodes that were asked may never answer, or too few are left: then the others are needed, too.
 */
static rl_time insist_at(const struct rl_broadcast_run *run)
{
	if (run->insisted || run->decided) {
		return RL_FOREVER;
	}
	return is_majority(run, DONE | OPEN) ? run->began + LAST_CHANCE : 0;
}

/* Too few nodes are left, so those that were left alone because they had failed are tried, too. */
static void insist(struct rl_broadcast_run *run)
{
	run->insisted = true;
	for (size_t i = 0; i < run->count; i++) {
		struct node *node = &run->nodes[i];

		if (node->state == FAILED && !(run->broadcast->sent & rl_broadcast_bit(i))) {
			try_node(run, node, true);
		}
	}
}

/* The others get as long again as the majority took. */
static rl_time little_more(const struct rl_broadcast_run *run)
{
	return run->enough_at ? run->enough_at + (run->enough_at - run->began) + LAST_CHANCE
						  : RL_FOREVER;
}

/* A majority has decided, but others will be there at once. */
static bool waits_for_all(const struct rl_broadcast_run *run)
{
	if (!(run->broadcast->to_take || run->broadcast->everywhere) || rl_now() >= little_more(run)) {
		return false;
	}
	if (run->broadcast->everywhere) {
		return count_in(run, OPEN) > 0;
	}
	for (size_t i = 0; i < run->count; i++) {
		const struct node *node = &run->nodes[i];

		if (node->opens
			&& (node->state == PAUSED
				|| (node->state == TRYING && node->exchange.state == RL_EXCHANGE_CONNECTING))) {
			return true;
		}
	}
	return false;
}

static void give_up_open(struct rl_broadcast_run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		struct node *node = &run->nodes[i];

		node->overdue = (node->state & OPEN) != 0;
		if (node->overdue && node->refusal.message[0]) {
			node->error = node->refusal; /* which its status is of */
		} else if (node->overdue) {
			rl_fail(&node->error, RL_UNREACHABLE, "Redis at %s: no answer within the timeout",
				rl_server_address(run->broadcast->route->nodes[i])->name);
			node->status = RL_UNREACHABLE;
		}
	}
}

/* All calls are decided; or of several, all have come that will. */
static bool is_decided(const struct rl_broadcast_run *run, size_t open)
{
	const struct rl_broadcast *broadcast = run->broadcast;
	size_t index = 0;

	while (index < broadcast->count && broadcast->decided(broadcast->context, index, open)) {
		index++;
	}
	return index == broadcast->count || (broadcast->count > 1 && open == 0);
}

/* 0: nothing more is worth waiting for. */
static rl_time waits_until(const struct rl_broadcast_run *run)
{
	bool may_help = count_in(run, OPEN) > 0 && is_majority(run, DONE | OPEN);

	if (run->decided ? !waits_for_all(run) : !may_help) {
		return 0;
	}
	return run->broadcast->to_take || run->decided
		? rl_time_earlier(run->broadcast->deadline, little_more(run))
		: run->broadcast->deadline;
}

/* --- the end --- */

static bool has_failed(const struct node *node)
{
	return node->state == FAILED || node->overdue;
}

/* With which there would have been a majority, if refusals pass in the order of their kinds. */
static const struct node *decisive(const struct rl_broadcast_run *run)
{
	size_t able = run->broadcast->answered_before + count_in(run, DONE);
	const struct node *last = NULL;

	for (int kind = RL_REFUSAL_MISPLACED; kind >= RL_REFUSAL_LASTS; kind--) {
		for (const struct node *node = run->nodes; node < run->nodes + run->count; node++) {
			if (has_failed(node) && (int)rl_refusal_of(&node->error) == kind) {
				last = node;
				if (++able >= run->needed) {
					return node;
				}
			}
		}
	}
	return last;
}

/* What each of them has said, the decisive one first; and whether they all have refused. */
static enum rl_status add_up(
	const struct rl_broadcast_run *run, const struct node *first, char *reasons, size_t size)
{
	enum rl_status status = first ? RL_REFUSED : RL_UNREACHABLE; /* nobody refused anything */
	size_t length = 0;

	for (size_t i = 0; first && i <= run->count; i++) {
		const struct node *node = i == 0 ? first : &run->nodes[i - 1];

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

static enum rl_status report(const struct rl_broadcast_run *run, struct rl_error *error)
{
	const struct node *first = decisive(run);
	char reasons[RL_ERROR_MESSAGE_SIZE] = "";
	enum rl_status status = add_up(run, first, reasons, sizeof reasons);
	const char *fail = status == RL_REFUSED ? "refuse it" : "cannot be asked";
	size_t failed = 0;

	for (size_t i = 0; i < run->count; i++) {
		failed += has_failed(&run->nodes[i]);
	}
	if (failed > run->count - run->needed) {
		rl_fail(error, status, "%zu of %zu servers %s, so there is no majority%s",
			failed, run->count, fail, reasons);
	} else {
		/* A majority could be asked, but it takes one of those that have granted it. */
		rl_fail(error, status,
			"%zu of %zu servers %s, and too few of the others have the lock: a majority is %zu%s",
			failed, run->count, fail, run->needed, reasons);
	}
	if (status == RL_REFUSED) {
		memcpy(error->code, first->error.code, sizeof error->code);
	}
	return status;
}

/* --- from outside --- */

static void set_up(struct rl_broadcast_run *run, struct rl_broadcast *broadcast, size_t count,
	enum rl_naming naming, rl_time deadline)
{
	run->broadcast = broadcast;
	run->naming = naming;
	broadcast->deadline = deadline;
	run->away = 0;
	run->count = count;
	run->needed = rl_route_majority_of(count);
	run->began = run->looked_at = rl_now();
	run->enough_at = 0;
	run->due_at = RL_FOREVER;
	run->insisted = run->sent = run->decided = false;
	for (size_t i = 0; i < run->count; i++) {
		struct node *node = &run->nodes[i];

		node->state = IDLE;
		node->number = i;
		node->broadcast = broadcast;
		node->refusal.message[0] = '\0';
		node->fd_count = node->from = 0;
		node->reconnected = node->resent = node->opens = node->overdue = false;
	}
}

static enum rl_status begin(struct rl_broadcast *broadcast, enum rl_naming naming,
	rl_time deadline, struct rl_error *error)
{
	size_t count = broadcast->route->node_count;
	struct rl_broadcast_run *run = malloc(sizeof *run + count * sizeof run->nodes[0]);

	broadcast->sent = broadcast->answered_by = broadcast->unanswered = 0;
	broadcast->sent_at = 0;
	broadcast->run = run;
	if (!run) {
		return rl_fail_for_memory(error);
	}
	set_up(run, broadcast, count, naming, deadline);
	for (size_t i = 0; i < count; i++) {
		if (broadcast->nodes & rl_broadcast_bit(i)) {
			try_node(run, &run->nodes[i], broadcast->insist);
		}
	}
	run->sent = true;
	return RL_OK;
}

/* RL_NO: something is worth waiting for, until due_at. */
static enum rl_status decide(struct rl_broadcast_run *run)
{
	rl_time until;

	for (;;) {
		run->decided = is_decided(run, count_in(run, OPEN));
		until = waits_until(run);
		if (rl_now() < insist_at(run)) {
			break;
		}
		insist(run);
	}
	if (rl_now() < until) {
		run->due_at = rl_time_earlier(until, insist_at(run));
		return RL_NO;
	}
	if (!run->decided && until) {
		give_up_open(run);
		run->decided = is_decided(run, 0);
	}
	return RL_OK;
}

static void await(struct rl_broadcast_run *run, struct rl_polls *polls)
{
	rl_polls_begin(polls);
	for (struct node *node = run->nodes; node < run->nodes + run->count; node++) {
		node->from = polls->count;
		for (size_t i = 0; node->state == TRYING && i < node->fd_count; i++) {
			rl_polls_add(polls, node->fds[i].fd, node->fds[i].want_read, node->fds[i].want_write);
		}
		if (node->state & OPEN) {
			rl_polls_until(polls, node->state == TRYING ? node->until : node->paused_until);
		}
	}
	rl_polls_until(polls, run->due_at);
	run->due_at = polls->until;
}

static enum rl_status go_on(void *machine, struct rl_polls *polls, struct rl_error *error)
{
	struct rl_broadcast_run *run = machine;

	step_all(run, polls);
	if (decide(run) == RL_NO) {
		await(run, polls);
		return RL_NO;
	}
	return run->decided ? RL_OK : report(run, error);
}

static struct rl_deferred *late(void *context, size_t index)
{
	struct node *node = context;
	const struct rl_broadcast *broadcast = node->broadcast;

	return broadcast->late ? broadcast->late(broadcast->context, node->number, index) : NULL;
}

/* What is out is left. */
static void end(struct rl_broadcast *broadcast)
{
	struct rl_broadcast_run *run = broadcast->run;

	for (size_t i = 0; run && i < run->count; i++) {
		struct node *node = &run->nodes[i];

		if (node->state == TRYING) {
			if (node->exchange.state != RL_EXCHANGE_CONNECTING) {
				rl_exchange_abandon(&node->exchange, late);
				node->exchange.connection->overdue |= node->overdue;
			}
			end_exchange(node);
		}
	}
	free(run);
	broadcast->run = NULL;
}

enum rl_status rl_broadcast_run(
	struct rl_broadcast *broadcast, rl_time deadline, struct rl_error *error)
{
	enum rl_status status = begin(broadcast, RL_BY_TEXT_ONCE, deadline, error);

	if (status == RL_OK) {
		status = rl_machine_run(go_on, broadcast->run, error);
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
	begin(broadcast, RL_BY_TEXT, 0, &ignored);
	end(broadcast);
}

/* Until none is on its way any more. */
static enum rl_status open_on(void *machine, struct rl_polls *polls, struct rl_error *error)
{
	struct rl_broadcast_run *run = machine;

	step_all(run, polls);
	if (count_in(run, OPEN) == 0 || rl_now() >= run->broadcast->deadline) {
		return RL_OK;
	}
	run->due_at = run->broadcast->deadline;
	await(run, polls);
	return RL_NO;
}

void rl_broadcast_open(struct rl_route *route, uint32_t nodes, rl_time until)
{
	struct rl_broadcast broadcast = { .route = route, .nodes = nodes, .insist = true };
	struct rl_error ignored;

	if (begin(&broadcast, RL_BY_TEXT, until, &ignored) == RL_OK) {
		rl_machine_run(open_on, broadcast.run, &ignored);
	}
	end(&broadcast);
}
