#include "broadcast.h"
#include "../base/poll.h"
#include "../redis/refusal.h"

#include <stdio.h>
#include <string.h>

#define LOOK_PAUSE  RL_MILLISECOND         /* while nothing tells when an opening can go on */
#define LOOK_AT_ALL (100 * RL_MILLISECOND) /* because an opening may also end without an event */
/* answers: from then on nothing more is taken there, only given back */
#define MAX_OWED    64
#define LAST_CHANCE (10 * RL_MILLISECOND) /* after a majority has answered and not decided */

enum state {
	IDLE = 1,    /* not asked */
	OPENING = 2, /* its connection is being opened */
	READY = 4,   /* it has one, and has not been written to */
	OUT = 8,     /* an answer is awaited */
	PAUSED = 16, /* it refused for a moment */
	DONE = 32,
	FAILED = 64,
	OPEN = OPENING | READY | OUT | PAUSED /* it may still answer */
};

struct node {
	enum state state;
	size_t number;
	struct rl_server *server;
	struct rl_connection *connection; /* on loan, or NULL */
	size_t answered;                  /* of the calls */
	unsigned mends;                   /* how often they were sent again, as we know better */
	bool is_mended;                   /* its last refusal was for what we know better now */
	bool reconnected, again;
	bool opens;            /* its connection began to be opened in this run */
	bool overdue;          /* the deadline came first */
	rl_time again_at;      /* paused: when */
	enum rl_status status; /* failed: how */
	struct rl_error error;
	/* the last that passes by itself: why it was not done before says more than that time is up */
	struct rl_error refusal;
};

struct run {
	struct rl_broadcast *broadcast;
	struct node nodes[RL_NODES_MAX];
	size_t count, needed;
	rl_time deadline;
	rl_time began, enough_at; /* when a majority had answered, or 0 */
	rl_time look_at;          /* when openings are to be looked at without an event */
	enum rl_naming naming;
	bool sent;     /* to all that could be sent to at once */
	bool insisted; /* those that had failed were tried, too */
	bool decided;  /* by the answers so far */
};

/* How many nodes are in one of these states. */
static size_t count_in(const struct run *run, unsigned states)
{
	size_t count = 0;

	for (size_t i = 0; i < run->count; i++) {
		count += (run->nodes[i].state & states) != 0;
	}
	return count;
}

/* To have answered, or to be able to. */
static bool is_majority(const struct run *run, unsigned states)
{
	return run->broadcast->heard_before + count_in(run, states) >= run->needed;
}

static void fail(struct node *node, enum rl_status status)
{
	node->state = FAILED;
	node->status = status;
}

/* It has refused a connection or all calls. */
static void be_refused(struct node *node)
{
	fail(node, RL_REFUSED);
	if (rl_refusal_passes_soon(&node->error)) {
		node->state = PAUSED;
		node->again_at = rl_now() + RL_CALL_RETRY_PAUSE;
		node->refusal = node->error;
	}
}

static void give_back(struct node *node)
{
	if (node->connection) {
		rl_server_give_back(node->server, node->connection);
		node->connection = NULL;
	}
}

static void give_up(struct node *node)
{
	rl_server_give_up(node->server, node->connection);
	node->connection = NULL;
}

/* --- connections --- */

static bool owes_much(struct rl_connection *connection)
{
	if (connection->deferred_count >= MAX_OWED) {
		rl_connection_read_deferred(connection, 0);
	}
	return connection->deferred_count >= MAX_OWED;
}

static void borrow(struct run *run, struct node *node, bool insist)
{
	struct rl_route *route = run->broadcast->route;
	struct rl_loan loan = { .at_once = true,
		.connect_timeout = route->connect_timeout,
		.timeout = route->timeout,
		.insist = insist };
	enum rl_status status = rl_server_borrow(node->server, &loan, &node->error);

	node->connection = loan.connection;
	route->reconnects += loan.reconnected;
	if (status == RL_NO) {
		node->state = OPENING;
		node->opens = node->opens || !run->sent;
	} else if (status == RL_REFUSED) {
		be_refused(node);
	} else if (status != RL_OK) {
		fail(node, status);
	} else if (run->broadcast->to_take && owes_much(node->connection)) {
		rl_fail(&node->error, RL_UNREACHABLE, "Redis at %s is behind with its answers",
			node->connection->address->name);
		give_back(node);
		fail(node, RL_UNREACHABLE);
	} else {
		node->state = READY;
		rl_route_note_eviction(route, node->server);
	}
}

/*
 * Most likely the connection was idle for too long, or the server was restarted. Tries once more,
 * on a new connection.
 */
static void cut_off(struct run *run, struct node *node)
{
	give_up(node);
	if (node->state == OUT) {
		node->again = true;
		run->broadcast->unanswered |= rl_broadcast_bit(node->number);
	}
	if (node->reconnected || node->answered > 0) {
		fail(node, RL_UNREACHABLE);
		return;
	}
	node->reconnected = true;
	run->broadcast->route->reconnects++;
	borrow(run, node, false);
}

/* --- sending --- */

static void flush(struct run *run, struct node *node)
{
	if (rl_connection_try_flush(node->connection, &node->error) == RL_UNREACHABLE) {
		cut_off(run, node);
	}
}

static void send(struct run *run, struct node *node)
{
	struct rl_broadcast *broadcast = run->broadcast;
	enum rl_status status = RL_OK;

	node->answered = 0;
	if (broadcast->sent_at == 0) {
		broadcast->sent_at = rl_now();
	}
	for (size_t index = 0; index < broadcast->count && status == RL_OK; index++) {
		status = rl_call_queue(broadcast->route,
			broadcast->call(broadcast->context, node->number, index), node->connection, run->naming,
			run->deadline, &node->error);
	}
	if (status != RL_OK) {
		give_up(node);
		fail(node, status);
		return;
	}
	broadcast->sent |= rl_broadcast_bit(node->number);
	node->state = OUT;
	flush(run, node);
}

static void send_all(struct run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		while (run->nodes[i].state == READY) {
			send(run, &run->nodes[i]); /* again, if it was cut off and has a new connection */
		}
	}
}

/* --- answers --- */

static void be_done(struct run *run, struct node *node)
{
	node->state = DONE;
	give_back(node);
	if (run->enough_at == 0 && is_majority(run, DONE)) {
		run->enough_at = rl_now();
	}
}

static void send_again_or_pause(struct run *run, struct node *node)
{
	if (node->is_mended && node->mends++ < RL_CALL_MENDS_MAX) {
		send(run, node);
		return;
	}
	give_back(node);
	be_refused(node);
}

static void be_nonsense(struct node *node)
{
	node->connection->broken = true;
	rl_fail(&node->error, RL_UNREACHABLE,
		"Redis at %s: the answer is not one that rlock's scripts give",
		node->connection->address->name);
	give_back(node);
	fail(node, RL_UNREACHABLE);
}

static void take_reply(struct run *run, struct node *node, const struct rl_reply *reply)
{
	struct rl_broadcast *broadcast = run->broadcast;
	void *context = broadcast->context;
	uint32_t bit = rl_broadcast_bit(node->number);

	if (reply->type == RL_REPLY_ERROR) {
		node->is_mended = rl_call_is_mended(node->connection, reply, broadcast->sent_at);
		rl_connection_refusal(node->connection, reply, &node->error);
	} else if (broadcast->answered(context, node->number, node->answered, reply, node->again)) {
		broadcast->heard |= bit;
	} else {
		be_nonsense(node);
		return;
	}
	if (++node->answered < broadcast->count) {
		return;
	}
	/* Of many calls one that was refused has no answer. */
	if (broadcast->heard & bit) {
		be_done(run, node);
	} else {
		send_again_or_pause(run, node);
	}
}

static void read_answers(struct run *run, struct node *node)
{
	const struct rl_reply *reply;
	enum rl_status status = RL_OK;

	while (node->state == OUT
		&& (status = rl_connection_try_read(node->connection, &reply, &node->error)) == RL_OK) {
		take_reply(run, node, reply);
	}
	if (status == RL_UNREACHABLE) {
		cut_off(run, node);
	}
}

/* --- waiting --- */

/* A connection that was just used, or owes answers, tells nothing before something is sent. */
static bool is_awaited(const struct node *node, unsigned states)
{
	return node->state & states
		&& (node->state != READY
			|| !(node->connection->deferred || rl_connection_was_just_used(node->connection)));
}

static struct rl_pollfd awaits(const struct node *node)
{
	if (node->state == OPENING) {
		return rl_server_awaits(node->server);
	}
	return (struct rl_pollfd){ .fd = rl_connection_fd(node->connection),
		.want_read = true,
		.want_write = rl_connection_has_unsent(node->connection) };
}

static void go_on(struct run *run, struct node *node)
{
	if (node->state == OPENING || node->state == PAUSED) {
		borrow(run, node, true);
	} else if (node->state == READY) {
		cut_off(run, node); /* it was closed meanwhile, or is out of step */
	} else if (node->state == OUT) {
		flush(run, node);
		if (node->state == OUT) {
			read_answers(run, node);
		}
	}
}

/* The nodes that go on at a certain time, without an event. */
static void go_on_by_time(struct run *run)
{
	rl_time now = rl_now();

	for (size_t i = 0; i < run->count; i++) {
		struct node *node = &run->nodes[i];

		if ((node->state == OPENING && now >= run->look_at)
			|| (node->state == PAUSED && now >= node->again_at)) {
			go_on(run, node);
		}
	}
}

/* Looks which nodes in these states can go on; 0: at once. */
static void look(struct run *run, unsigned states, rl_time until)
{
	struct rl_pollfd polls[RL_NODES_MAX];
	struct node *polled[RL_NODES_MAX];
	size_t count = 0;

	run->look_at = rl_now() + LOOK_AT_ALL;
	for (size_t i = 0; i < run->count; i++) {
		struct node *node = &run->nodes[i];

		if (!is_awaited(node, states)) {
			continue;
		}
		polls[count] = awaits(node);
		if (polls[count].fd < 0) {
			run->look_at = rl_now() + LOOK_PAUSE;
			continue;
		}
		polled[count++] = node;
	}
	until = rl_time_earlier(until, run->look_at);
	if ((count == 0 && until == 0) || rl_poll(polls, count, until) != RL_POLL_READY) {
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (polls[i].ready) {
			go_on(run, polled[i]);
		}
	}
}

/* Waits until a node can go on. */
static void await(struct run *run, rl_time until)
{
	for (size_t i = 0; i < run->count; i++) {
		if (run->nodes[i].state == PAUSED) {
			until = rl_time_earlier(until, run->nodes[i].again_at);
		}
	}
	look(run, OPENING | OUT, until);
	go_on_by_time(run);
}

/*
 * The nodes that were asked may never answer, or too few are left: then the others are needed, too.
 */
static rl_time insist_at(const struct run *run)
{
	if (run->insisted || run->decided) {
		return RL_FOREVER;
	}
	return is_majority(run, DONE | OPEN) ? run->began + LAST_CHANCE : 0;
}

/* Too few nodes are left, so those that were left alone because they had failed are tried, too. */
static void insist(struct run *run)
{
	run->insisted = true;
	for (size_t i = 0; i < run->count; i++) {
		struct node *node = &run->nodes[i];

		if (node->state == FAILED && !(run->broadcast->sent & rl_broadcast_bit(i))) {
			borrow(run, node, true);
		}
	}
}

/* The others get as long again as the majority took. */
static rl_time little_more(const struct run *run)
{
	return run->enough_at ? run->enough_at + (run->enough_at - run->began) + LAST_CHANCE
						  : RL_FOREVER;
}

/* A majority has decided, but others will be there at once. */
static bool waits_for_all(const struct run *run)
{
	if (!(run->broadcast->to_take || run->broadcast->everywhere) || rl_now() >= little_more(run)) {
		return false;
	}
	if (run->broadcast->everywhere) {
		return count_in(run, OPEN) > 0;
	}
	for (size_t i = 0; i < run->count; i++) {
		if (run->nodes[i].opens && run->nodes[i].state & (OPEN & ~OUT)) {
			return true;
		}
	}
	return false;
}

static void give_up_open(struct run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		struct node *node = &run->nodes[i];

		node->overdue = (node->state & OPEN) != 0;
		if (node->overdue && node->refusal.code[0]) {
			node->error = node->refusal;
			node->status = RL_REFUSED;
		} else if (node->overdue) {
			rl_fail(&node->error, RL_UNREACHABLE, "Redis at %s: no answer within the timeout",
				rl_server_address(node->server)->name);
			node->status = RL_UNREACHABLE;
		}
	}
}

/* All calls are decided; or of several, all have come that will. */
static bool is_decided(const struct run *run, size_t open)
{
	const struct rl_broadcast *broadcast = run->broadcast;
	size_t index = 0;

	while (index < broadcast->count && broadcast->decided(broadcast->context, index, open)) {
		index++;
	}
	return index == broadcast->count || (broadcast->count > 1 && open == 0);
}

/* 0: nothing more is worth waiting for. */
static rl_time waits_until(const struct run *run)
{
	bool may_help = count_in(run, OPEN) > 0 && is_majority(run, DONE | OPEN);

	if (run->decided ? !waits_for_all(run) : !may_help) {
		return 0;
	}
	return run->broadcast->to_take || run->decided
		? rl_time_earlier(run->deadline, little_more(run))
		: run->deadline;
}

/* False: too few have answered. */
static bool decide(struct run *run)
{
	rl_time until;

	for (;;) {
		run->decided = is_decided(run, count_in(run, OPEN));
		until = waits_until(run);
		if (rl_now() >= insist_at(run)) {
			insist(run);
		} else if (rl_now() < until) {
			await(run, rl_time_earlier(until, insist_at(run)));
		} else {
			break;
		}
		send_all(run);
	}
	if (!run->decided && until) {
		give_up_open(run);
		run->decided = is_decided(run, 0);
	}
	return run->decided;
}

/* --- the end --- */

static void leave_answers(struct run *run, struct node *node)
{
	struct rl_broadcast *broadcast = run->broadcast;

	for (; node->answered < broadcast->count; node->answered++) {
		struct rl_deferred *deferred = broadcast->late
			? broadcast->late(broadcast->context, node->number, node->answered)
			: NULL;

		if (deferred) {
			rl_connection_defer(node->connection, deferred);
		} else if (!rl_connection_defer_to_nobody(node->connection)) {
			give_up(node);
			return;
		}
	}
	node->connection->overdue |= node->overdue;
}

static void end(struct run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		if (run->nodes[i].state == OUT) {
			leave_answers(run, &run->nodes[i]);
		}
		give_back(&run->nodes[i]);
	}
}

static bool has_failed(const struct node *node)
{
	return node->state == FAILED || node->overdue;
}

/* With which there would have been a majority, if refusals pass in the order of their kinds. */
static const struct node *decisive(const struct run *run)
{
	size_t able = run->broadcast->heard_before + count_in(run, DONE);
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
	const struct run *run, const struct node *first, char *reasons, size_t size)
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

static enum rl_status report(const struct run *run, struct rl_error *error)
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

static void begin(
	struct run *run, struct rl_broadcast *broadcast, enum rl_naming naming, rl_time deadline)
{
	run->broadcast = broadcast;
	run->naming = naming;
	run->deadline = deadline;
	run->count = broadcast->route->node_count;
	run->needed = rl_route_majority_of(run->count);
	run->began = rl_now();
	run->enough_at = 0;
	run->insisted = run->sent = run->decided = false;
	broadcast->sent = broadcast->heard = broadcast->unanswered = 0;
	broadcast->sent_at = 0;
	for (size_t i = 0; i < run->count; i++) {
		struct node *node = &run->nodes[i];

		node->state = IDLE;
		node->number = i;
		node->server = broadcast->route->nodes[i];
		node->connection = NULL;
		node->refusal.code[0] = '\0';
		node->answered = 0;
		node->mends = 0;
		node->reconnected = node->again = node->opens = node->overdue = false;
		if (broadcast->nodes & rl_broadcast_bit(i)) {
			borrow(run, node, broadcast->insist);
		}
	}
	look(run, READY, 0);
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

enum rl_status rl_broadcast_run(
	struct rl_broadcast *broadcast, rl_time deadline, struct rl_error *error)
{
	struct run run;
	enum rl_status status;

	begin(&run, broadcast, RL_BY_TEXT_ONCE, deadline);
	send_all(&run);
	run.sent = true;
	status = decide(&run) ? RL_OK : report(&run, error);
	end(&run);
	return status;
}

void rl_broadcast_send(struct rl_broadcast *broadcast)
{
	struct run run;

	begin(&run, broadcast, RL_BY_TEXT, 0); /* of what nobody waits for, nothing has a deadline */
	send_all(&run);
	end(&run);
}

void rl_broadcast_open(struct rl_route *route, uint32_t nodes, rl_time until)
{
	struct rl_broadcast broadcast = { .route = route, .nodes = nodes, .insist = true };
	struct run run;

	begin(&run, &broadcast, RL_BY_TEXT, until);
	while (count_in(&run, OPENING) > 0 && rl_now() < until) {
		await(&run, until);
	}
	end(&run);
}
