/*
 * A place in the queue for a lock: a connection on which a BLPOP of its wake list is out; or of the
 * room of a lock that is shared, where the first waiter is.
 *
 *   rl_parking_begin()   sends the BLPOP on the connection that has just answered an ask
 *   rl_parking_hear()    reads what its answer brings; then the connection is free again
 *   rl_parking_end()     leaves the place, and reads what it had brought by then
 *
 * Asserted:
 *
 *   1. Nobody is parked twice: a place begins where there is none, and only one that has begun is
 *      heard or left.
 */
#ifndef RL_PARKING_H
#define RL_PARKING_H

#include "attempt.h"

struct rl_parking {
	struct rl_session session; /* of an ask, then with a BLPOP behind it */
	bool is_parked;            /* the BLPOP is out */
	rl_time until;             /* when the server ends it by itself */
	bool awaits_id;            /* the answer to CLIENT ID comes first */
	bool is_room;              /* it is that of the first waiter, at the turnstile */
};

/* What a BLPOP has brought. */
struct rl_wake {
	struct rl_text text;      /* a baton, a ticket, or the word to ask; without data: nothing */
	char copy[RL_BATON_SIZE]; /* where that is */
};

/*
 * RL_OK: we are parked, until parking->until: the wait's end or, if no second connection is at hand
 * on which to ask beside, a moment at which the waiter has to ask here. RL_UNREACHABLE: the
 * connection is of no use any more; or RL_NO_MEMORY.
 */
enum rl_status rl_parking_begin(
	struct rl_parking *parking, const struct rl_attempt *attempt, struct rl_error *error);
/*
 * Reads the BLPOP's answer, if it is there. RL_OK: `wake` has what it has brought; nothing, too,
 * where another server answers for the lock by now, or will in a moment. RL_NO: it is not there
 * yet. RL_REFUSED: blocking commands are not allowed here. RL_UNREACHABLE.
 */
enum rl_status rl_parking_hear(struct rl_parking *parking, const struct rl_attempt *attempt,
	struct rl_wake *wake, struct rl_error *error);
/*
 * Ends the BLPOP, by CLIENT UNBLOCK on another connection, so that nothing that a release has
 * passed to us is lost. Where that is not allowed or not possible, the connection is closed; a
 * server that serves the BLPOP in the same round in which it reads the close then drops the baton.
 * `wake` has what has come.
 */
void rl_parking_end(struct rl_parking *parking, const struct rl_attempt *attempt, rl_time deadline,
	struct rl_wake *wake);

#endif
