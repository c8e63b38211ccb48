/*
 * A place in the queue for a lock: a connection on which a BLPOP of its wake list is out; or of the
 * room of a lock that is shared, where the first waiter is.
 *
 *   rl_place_take()      on the connection that has just answered an ask
 *   rl_place_hear()      for as long as it is RL_NO
 *   rl_place_leave()     at any time: what has come by then is told all the same
 *   rl_place_end()       gives up what there is still of it
 *
 * A long wait needs a second connection, on which it asks while it keeps its place, and leaves it.
 * A wait that cannot open one before it parks may not be able to open one later. Its place then
 * ends by itself, and it asks on the connection on which it was parked, before the waiting flag
 * expires and the turnstile becomes somebody else's.
 *
 * Invariants, of which the last three are asserted:
 *
 *   1  A place that can be left in no other way ends by itself before RL_LONGEST_GAP is over.
 *   2  The connection that answered is the place's, and nobody else's, until that is over.
 *   3  What a list has brought is in the caller's copy, which was empty, once the place is over.
 *   4  The BLPOP is ended once: by CLIENT UNBLOCK, or by hanging up.
 */
#ifndef RL_PLACE_H
#define RL_PLACE_H

#include "ask.h"

struct rl_place {
	bool is_parked; /* there is one; or its BLPOP is on its way */
	bool is_room;   /* it is that of the first waiter, at the turnstile */
	rl_time until;  /* when the server ends it by itself */
	/* its own */
	const struct rl_attempt *attempt; /* of the waiter, which outlives the place */
	struct rl_exchange blpop;
	struct rl_deferred id_reply; /* to CLIENT ID */
	rl_time leave_by;            /* 0: we stay */
	bool is_ending;              /* what ends the BLPOP was sent, or it was hung up */
};

/* What a BLPOP has brought. */
struct rl_wake {
	struct rl_text text;      /* a baton, a ticket, or the word to ask; without data: nothing */
	char copy[RL_BATON_SIZE]; /* where that is */
};

/* Whether the BLPOP is still to be sent. */
static inline bool rl_place_is_on_its_way(const struct rl_place *place)
{
	return place->is_parked && place->blpop.state < RL_EXCHANGE_AWAITING;
}

/*
 * Takes over the connection of the exchange that was answered, and waits until a second one is
 * there, for a moment at most. Unless RL_WANTED, there is no place.
 */
RL_MUST_USE enum rl_wanted rl_place_take(
	struct rl_place *place, const struct rl_attempt *attempt, struct rl_exchange *asked);
/*
 * Goes on as far as that can be done without waiting. RL_NO: it is there, or on its way there, and
 * what it waits for is added. Otherwise it is over. RL_OK: `wake` has what it has brought; nothing,
 * too, where another server answers for the lock by now, or will in a moment. RL_REFUSED: blocking
 * commands are not allowed here. RL_UNREACHABLE: whatever was on its way to us there is lost; or
 * RL_NO_MEMORY.
 */
enum rl_status rl_place_hear(struct rl_place *place, struct rl_wake *wake,
	struct rl_polls *polls, struct rl_error *error);
/*
 * Ends the BLPOP, by CLIENT UNBLOCK on another connection, so that nothing that a release has
 * passed to us is lost. Where that is not allowed or not possible, the connection is hung up; a
 * server that serves the BLPOP in the same round in which it reads that then drops the baton.
 *
 * RL_WANTED: it is over, by `deadline`, and `wake` has what it has brought. RL_UNWANTED: nobody
 * wants the lock any more. It is called once more then, `in_passing`: what ends the place is sent
 * at once, or it is hung up, since nobody may come back soon. RL_DROPPED: it is over without that.
 */
RL_MUST_USE enum rl_wanted rl_place_leave(
	struct rl_place *place, rl_time deadline, bool in_passing, struct rl_wake *wake);
/* Gives up what there is still of it. */
void rl_place_end(struct rl_place *place);

#endif
