/*
 * A place in the queue for a lock: a connection on which a BLPOP of its wake list is out; or of the
 * room of a lock that is shared, where the first waiter is.
 *
 *   rl_parking_begin()     on the connection that has just answered an ask
 *   rl_parking_go_on()     for as long as it is RL_NO
 *   rl_parking_leave()     at any time: what has come by then is told all the same
 *   rl_parking_end()       in any case
 *
 *   SECOND --> PARKED --> KNOWING --> UNBLOCKING --> LEAVING      each may be the last
 *
 *   SECOND       it looks for a second connection           find_second()
 *   PARKED       the BLPOP is out, or on its way there      hear()
 *   KNOWING      it leaves, and wants to know its id        know_id()
 *   UNBLOCKING   CLIENT UNBLOCK is out on the second one    unblock()
 *   LEAVING      the BLPOP's answer is awaited              hear()
 *
 * A long wait needs a second connection, on which it asks while it keeps its place, and leaves it.
 * A wait that cannot open one before it parks may not be able to open one later. Its place then
 * ends by itself, and it asks on the connection on which it was parked, before the waiting flag
 * expires and the turnstile becomes somebody else's.
 */
#ifndef RL_PARKING_H
#define RL_PARKING_H

#include "attempt.h"

struct rl_parking {
	enum {
		RL_PARKING_NOWHERE,
		RL_PARKING_SECOND,
		RL_PARKING_PARKED,
		RL_PARKING_KNOWING,
		RL_PARKING_UNBLOCKING,
		RL_PARKING_LEAVING
	} state;
	rl_time until; /* when the server ends it by itself */
	bool is_room;  /* it is that of the first waiter, at the turnstile */
	/* its own */
	const struct rl_attempt *attempt; /* of the waiter, which outlives the place */
	struct rl_route *route;
	rl_time leave_by;
	struct rl_exchange blpop;
	struct rl_exchange second;   /* while it looks for one, or unblocks */
	struct rl_deferred id_reply; /* to CLIENT ID */
};

/* What a BLPOP has brought. */
struct rl_wake {
	struct rl_text text;      /* a baton, a ticket, or the word to ask; without data: nothing */
	char copy[RL_BATON_SIZE]; /* where that is */
};

static inline bool rl_parking_is_somewhere(const struct rl_parking *parking)
{
	return parking->state != RL_PARKING_NOWHERE;
}

/* Whether the BLPOP is on its way there. */
static inline bool rl_parking_is_on_its_way(const struct rl_parking *parking)
{
	return parking->state == RL_PARKING_SECOND
		|| (parking->state == RL_PARKING_PARKED && parking->blpop.state < RL_EXCHANGE_AWAITING);
}

/* Takes over the connection of the exchange that was answered. */
void rl_parking_begin(
	struct rl_parking *parking, const struct rl_attempt *attempt, struct rl_exchange *asked);
/*
 * Goes on as far as that can be done without waiting. RL_NO: it is there, or on its way there, or
 * leaves, and what it waits for is added. Otherwise it is over. RL_OK: `wake` has what it has
 * brought; nothing, too, where another server answers for the lock by now, or will in a moment.
 * RL_REFUSED: blocking commands are not allowed here. RL_UNREACHABLE: whatever was on its way to
 * us there is lost; or RL_NO_MEMORY.
 */
enum rl_status rl_parking_go_on(struct rl_parking *parking, struct rl_wake *wake,
	struct rl_polls *polls, struct rl_error *error);
/*
 * Ends the BLPOP, by CLIENT UNBLOCK on another connection, so that nothing that a release has
 * passed to us is lost. Where that is not allowed or not possible, the connection is hung up; a
 * server that serves the BLPOP in the same round in which it reads that then drops the baton. It is
 * over by `deadline`, or by that of an earlier call.
 */
void rl_parking_leave(struct rl_parking *parking, rl_time deadline);
/*
 * After rl_parking_leave(): it is not stepped for a while. If what ends the BLPOP could not be sent
 * at once, the connection is hung up.
 */
void rl_parking_let_be(struct rl_parking *parking);
/* Gives up what there is still of it. */
void rl_parking_end(struct rl_parking *parking);

#endif
