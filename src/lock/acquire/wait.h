/*
 * Waiting for a lock that is taken.
 */
#ifndef RL_WAIT_H
#define RL_WAIT_H

#include "place.h"
#include "schedule.h"
#include "../../base/list.h"

/*
 * On the heap: the owner may have to end the wait when the stack of its call is gone, with a fiber.
 */
struct rl_wait {
	struct rl_attempt *attempt;
	struct rl_schedule schedule;
	struct rl_place place;
	struct rl_wake wake;   /* what a list has brought: for the next ask, or to be passed on */
	enum rl_status status; /* over: what the wait has come to */
	bool is_announced;     /* the last ask was one of a wait */
	bool may_park;         /* the server allows blocking commands */
	bool asks_strategy;    /* the retry strategy is to say when to ask next */
	bool is_last;          /* what is asked now is asked for the last time */
	unsigned retries;      /* how often the strategy was asked */
	rl_time ask_began;     /* the last ask; at first the whole attempt */
	rl_time parked_at;
	struct rl_error *error;
	RL_LINK(struct rl_wait, link); /* the owner's */
};

/*
 * Waits, after the attempt's first ask, in the queue where there can be one, with the retry
 * strategy meanwhile. RL_OK: attempt->grant is ours; RL_NO: the lock stayed busy, or
 * the owner has taken it meanwhile in another way; RL_INTERRUPTED; RL_UNREACHABLE; RL_REFUSED;
 * RL_NO_MEMORY; RL_MISUSE: in a child of the process.
 */
enum rl_status rl_wait(struct rl_attempt *attempt, struct rl_error *error);
/*
 * Ends the owner's waits that are still under way, and frees their attempts. Their calls will never
 * return, since a fatal error has left the fibers in which they were made suspended for good. A
 * baton that still comes is passed on, and a lock that was granted is given back.
 */
void rl_wait_end_all(struct rl_owner *owner);

#endif
