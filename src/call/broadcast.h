/*
 * The same calls to several servers side by side, until enough of them have answered.
 *
 * The calls are sent to all servers before any answer is awaited. Missing connections are opened
 * side by side. Once the answers decide, nobody waits any longer, so that a server that is dead,
 * frozen or slow costs nothing. An answer that comes later is deferred (connection.h): it is read
 * before the next one on its connection, and late() says who is told.
 *
 * A server whose connection breaks is asked once more on a new one. A server that for a moment
 * refuses a connection or all calls is asked again within the deadline, and that is what is told of
 * it in the end; one that refuses some of them has answered.
 *
 *   struct rl_broadcast broadcast = { .route, .nodes, .call, .answered, .decided ... };
 *   rl_broadcast_run()    calls the callbacks meanwhile, and late() at the end
 *
 * or rl_broadcast_send(), which waits for no answer. Each server's part is an exchange
 * (exchange.h), and none of the steps waits.
 */
#ifndef RL_BROADCAST_H
#define RL_BROADCAST_H

#include "call.h"

/* A node in a set of nodes. */
static inline uint32_t rl_broadcast_bit(size_t node)
{
	return (uint32_t)1 << node;
}

struct rl_broadcast {
	struct rl_route *route; /* with nodes */
	uint32_t nodes;         /* one bit for each node that is asked */
	size_t count;           /* calls for each, sent as one and answered in order */
	/* Returns one of the calls, which has to stay valid until the next one is asked for. */
	const struct rl_call *(*call)(void *context, size_t node, size_t index);
	/*
	 * Takes an answer that is not an error. `resent`: the call had been sent before and got no
	 * answer. False: the answer makes no sense.
	 */
	bool (*answered)(
		void *context, size_t node, size_t index, const struct rl_reply *reply, bool resent);
	/*
	 * Whether the answers to a call decide while this many nodes may still answer. With none left,
	 * the answers of a majority must decide; of several calls, some may stay undecided.
	 */
	bool (*decided)(void *context, size_t index, size_t open);
	/* Nobody waits for an answer any longer. Returns who is told when it comes; NULL: nobody. */
	struct rl_deferred *(*late)(void *context, size_t node, size_t index);
	/*
	 * The connection on which a call must go to that node, since it has to come behind what was
	 * sent there and not answered; or NULL. There may be several that owe answers.
	 */
	const struct rl_connection *(*behind)(void *context, size_t node);
	void *context;
	/*
	 * The calls take a lock, which is better held on all nodes than only on the fastest:
	 * connections that were begun get a little more time. And if a majority has answered without
	 * deciding, the others get no more than that.
	 */
	bool to_take;
	bool everywhere; /* all answers are wanted: those that are out get a little more time */
	/* servers that failed less than a second ago are tried all the same, since they may be back */
	bool insist;
	/* nodes that answered an earlier broadcast, and count towards a majority of answers */
	size_t answered_before;
	/* out */
	uint32_t sent;        /* nodes to which the calls were sent, or may have been */
	uint32_t answered_by; /* nodes of which answered() has taken an answer */
	rl_time sent_at;      /* before the first byte; 0: nothing was sent */
	uint32_t unanswered;  /* nodes that were sent the calls, whose answer will not come */
	/* moves if what leads further is there after it, since nobody had looked */
	rl_time deadline;
	/* its own */
	struct rl_broadcast_node *of;
	size_t node_count, needed;
	enum rl_naming naming;
	rl_time began, enough_at; /* when a majority had answered, or 0 */
	/* at the last step, or 0; and where the deadline is, if what comes at this one leads further */
	rl_time looked_at, moves_to;
	bool insisted; /* those that had failed were tried, too */
};

/*
 * RL_OK: the answers decide. Otherwise fewer than a majority answered before the deadline, or
 * could: RL_UNREACHABLE, or RL_REFUSED if all of the others refused. `error` names them, and has
 * the code of the refusal that would have to pass for there to be a majority. RL_NO_MEMORY;
 * RL_INTERRUPTED: nobody wants that any more, and what is out is left.
 */
enum rl_status rl_broadcast_run(
	struct rl_broadcast *broadcast, rl_time deadline, struct rl_error *error);

/* All nodes of the route. */
uint32_t rl_broadcast_all(const struct rl_route *route);
/* How many nodes these are. */
size_t rl_broadcast_count(uint32_t nodes);

/*
 * Sends to the nodes that can be sent to without waiting (broadcast->sent), by the scripts' text,
 * and reads no answer.
 */
void rl_broadcast_send(struct rl_broadcast *broadcast);

/*
 * Opens a connection to each of these nodes that has none, also if that failed a moment ago, as far
 * as that takes no longer.
 */
void rl_broadcast_open(struct rl_route *route, uint32_t nodes, rl_time until);

#endif
