/*
 * Waiting for a lock that is taken: a state machine, and rl_wait(), which runs it until it is over.
 *
 *   rl_wait_begin()     after the attempt's first ask
 *   rl_wait_awaits()    what to wait for
 *   rl_wait_go_on()     does what is due then; until the state is RL_WAIT_OVER
 *   rl_wait_end()       says what the wait has come to
 *
 * Between two steps the owner may be used in any way, and nothing here points into it.
 */
#ifndef RL_WAIT_H
#define RL_WAIT_H

#include "../../base/poll.h"
#include "../owner/internal.h"
#include "attempt.h"
#include "parking.h"
#include "schedule.h"

enum rl_wait_state {
	RL_WAIT_ASKING,      /* without a place in the queue */
	RL_WAIT_PARKED,      /* in the queue */
	RL_WAIT_BESIDE,      /* in the queue, and asking on a second connection */
	RL_WAIT_LEAVING,     /* the queue, for what is in `then` */
	RL_WAIT_LAST,        /* asking for the last time */
	RL_WAIT_BACKING_OFF, /* neither in the queue nor asking */
	RL_WAIT_OVER
};

/*
 * On the heap: the owner may have to end the wait when the stack of its call is gone, with a fiber.
 */
struct rl_wait {
	struct rl_attempt attempt; /* the caller's, before the wait and behind it; the rest is ours */
	enum rl_wait_state state;
	enum rl_wait_state then; /* LEAVING: for ASKING, LAST or OVER; OVER also in LAST after it */
	struct rl_schedule schedule;
	struct rl_parking parking;
	struct rl_wake wake; /* what a list has brought: for the next ask, or to be passed on */
	bool may_park;       /* the server allows blocking commands */
	bool asks_strategy;  /* the retry strategy is to say when to ask next */
	bool was_first;      /* over: at the turnstile until then */
	unsigned retries;    /* how often the strategy was asked */
	rl_time began;       /* the step under way */
	rl_time parked_at;
	rl_time leave_by;      /* LEAVING: its deadline */
	enum rl_status status; /* over: what the wait has come to */
	struct rl_error error;
	RL_LINK(struct rl_wait, link); /* in the owner's list */
};

/*
 * `asked` is the result of the first ask, which found the lock taken; if it is not RL_OK, the ask
 * failed as `error` says, and another may succeed.
 */
void rl_wait_begin(struct rl_wait *wait, enum rl_status asked, const struct rl_error *error);
/*
 * The moment at which a step is due in any case, and in `parked`, unless its descriptor is -1, an
 * answer.
 */
rl_time rl_wait_awaits(const struct rl_wait *wait, struct rl_pollfd *parked);
/* Does what is due, and perhaps nothing was. `answered`: an answer has come. */
void rl_wait_go_on(struct rl_wait *wait, bool answered);
/*
 * RL_OK: attempt.grant is ours; RL_NO: the lock stayed busy, or the owner has taken it meanwhile in
 * another way; RL_INTERRUPTED; RL_UNREACHABLE; RL_REFUSED; RL_MISUSE: in a child of the process.
 */
enum rl_status rl_wait_end(struct rl_wait *wait, struct rl_error *error);

/* All of this, with the owner's hook and the retry strategy between the steps. */
enum rl_status rl_wait(struct rl_wait *wait, enum rl_status asked, struct rl_error *error);
/*
 * Ends and frees the owner's waits that are still under way. Their calls will never return, since a
 * fatal error has left the fibers in which they were made suspended for good. A baton that still
 * comes is passed on, and a lock that was granted is given back.
 */
void rl_wait_end_all(struct rl_owner *owner);

#endif
