/*
 * A place in the queue for a lock: a connection on which a BLPOP of its wake list is out; or of the room of a lock that
 * is shared, where the first waiter is.
 *
 *   rl_parking_begin()   sends the BLPOP on the connection that has just answered an ask
 *   rl_parking_read()    reads what an answer brings; then the connection is free again
 *
 * rl_session_end() closes the connection, which leaves the place. rl_connection_hang_up() before it allows what is on its
 * way, a baton perhaps, to be read still.
 */
#ifndef RL_PARKING_H
#define RL_PARKING_H

#include "attempt.h"

struct rl_parking {
	struct rl_session session; /* of an ask, then with a BLPOP behind it */
	rl_time after;             /* that ask: what a baton's age counts from */
	rl_time sent_at;           /* the BLPOP, by our clock */
	int64_t came_us;           /* the server's clock in that ask's answer */
	int64_t parked_us;         /* by then the BLPOP had surely arrived, by that clock */
	rl_time busy_until;        /* what it told: how long the lock stays taken */
	rl_time look_at;           /* when it is this waiter's turn to look, while another looks every second; 0: it has none */
	bool is_room;              /* it is that of the first waiter, at the turnstile */
};

/* What a BLPOP has brought. */
struct rl_wake {
	struct rl_text pass;      /* a baton or a ticket; of length 0: none */
	char copy[RL_BATON_MAX];  /* where that is */
	char turn[RL_BATON_SIZE]; /* the name of a cooldown after which we come next; or "" */
};

/* RL_OK: we are parked, until attempt->until. RL_UNREACHABLE: the connection is of no use any more; or RL_NO_MEMORY. */
enum rl_status rl_parking_begin(struct rl_parking *parking, const struct rl_attempt *attempt, struct rl_error *error);
/* After an ask beside it, which tells more exactly by when the BLPOP had arrived. */
void rl_parking_date(struct rl_parking *parking, const struct rl_attempt *attempt);
/*
 * Reads a BLPOP's answer. RL_OK: `wake` has what it has brought; nothing, too, where another server answers for the
 * lock by now, or will in a moment. RL_REFUSED: blocking commands are not allowed here.
 */
enum rl_status rl_parking_read(struct rl_parking *parking, const struct rl_attempt *attempt, const struct rl_reply *reply,
	struct rl_wake *wake, struct rl_error *error);

#endif
