/*
 * The same question to several servers at once, until enough of them have answered.
 *
 * All are written to before any is waited for, connections that are missing are opened side by
 * side, and nobody is waited for any longer once the answers decide: a server that is dead,
 * frozen or slow costs nothing. An answer that was not waited for is deferred (connection.h): it
 * is read before the next one on its connection, and told to whoever wants to hear of it.
 *
 * A server that is cut off is asked once more on a new connection; one that refuses for a moment
 * is asked again within the deadline.
 */
#ifndef RL_BROADCAST_H
#define RL_BROADCAST_H

#include "call.h"

struct rl_broadcast {
	struct rl_route *route; /* with nodes */
	uint32_t nodes;         /* one bit for each that is asked */
	size_t count;           /* calls for each, sent as one and answered in order */
	/* The call, valid until the next. */
	const struct rl_call *(*call)(void *context, size_t node, size_t index);
	/* An answer that is no error. `again`: it was sent before, and that answer was lost. False: it is nonsense. */
	bool (*answered)(void *context, size_t node, size_t index, const struct rl_reply *reply, bool again);
	/* Whether the answers decide while so many nodes may still answer. With none and a majority's answers they must. */
	bool (*decided)(void *context, size_t open);
	/* An answer is not waited for. Who is to hear of it; NULL: nobody. */
	struct rl_deferred *(*late)(void *context, size_t node, size_t index);
	void *context;
	/*
	 * To take: it is better to have it on all nodes than on the fastest, so connections that begin to be
	 * opened get a little more time; and where a majority has answered and does not decide, the others get no more than that.
	 */
	bool to_take;
	bool everywhere;     /* it is better to have all answers: those that are out get a little more time */
	bool insist;         /* a server that failed a moment ago is tried all the same: it may be back, and costs nothing */
	size_t heard_before; /* nodes that have answered an earlier sending, and count for a majority of answers */
	/* out */
	uint32_t sent;       /* nodes to which it was sent, or may have been */
	rl_time sent_at;     /* before the first byte; 0: nothing was sent */
	uint32_t unanswered; /* nodes where an answer will not come though the call was sent */
};

/*
 * RL_OK: it is decided. Else fewer than a majority have answered until the deadline, or could:
 * RL_UNREACHABLE, or RL_REFUSED if all of the others refused; `error` names them.
 */
enum rl_status rl_broadcast_run(struct rl_broadcast *broadcast, rl_time deadline, struct rl_error *error);

/* All nodes of the route. */
uint32_t rl_broadcast_all(const struct rl_route *route);
/* How many these are. */
size_t rl_broadcast_count(uint32_t nodes);

/* Sends to those that can be sent to at once (broadcast->sent), by the scripts' text, and waits for none. */
void rl_broadcast_send(struct rl_broadcast *broadcast);

#endif
