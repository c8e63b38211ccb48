/*
 * Waiting for a lock that is taken: a state machine that is stepped from outside, and rl_wait(),
 * which steps it until it is over.
 *
 *   rl_wait_begin()     after the attempt's first ask
 *   rl_wait_go_on()     does what is due, and adds what it waits for, until it is RL_WAIT_OVER
 *   rl_wait_end()       says what the wait has come to
 *
 * No step waits. Between two of them the owner may be used in any way, and nothing here points into
 * it.
 */
#ifndef RL_WAIT_H
#define RL_WAIT_H

#include "../owner/internal.h"
#include "attempt.h"
#include "parking.h"
#include "schedule.h"

enum rl_wait_state {
	RL_WAIT_ASKING,      /* without a place in the queue */
	RL_WAIT_PARKED,      /* in the queue, or on the way there */
	RL_WAIT_BESIDE,      /* in the queue, and asking on a second connection */
	RL_WAIT_LEAVING,     /* the queue, for what is in `then` */
	RL_WAIT_LAST,        /* asking for the last time */
	RL_WAIT_BACKING_OFF, /* neither in the queue nor asking */
	RL_WAIT_PASSING_ON,  /* passing on what others wait for */
	RL_WAIT_OVER
};

/*
 * On the heap: the owner may have to end the wait when the stack of its call is gone, with a fiber.
 */
struct rl_wait {
	struct rl_attempt attempt; /* the caller's, before the wait and behind it; the rest is ours */
	enum rl_wait_state state;
	enum rl_wait_state then; /* LEAVING: for ASKING, LAST or OVER; OVER also in LAST after it */
	enum rl_status asked;    /* what the ask has come to; RL_NO: it is under way */
	struct rl_schedule schedule;
	struct rl_wake wake; /* what a list has brought: for the next ask, or to be passed on */
	bool may_park;       /* the server allows blocking commands */
	bool asks_strategy;  /* the retry strategy is to say when to ask next */
	bool was_first;      /* at the turnstile, when the wait came to its end */
	bool is_unwanted;    /* nobody wants to know any more what it comes to */
	unsigned retries;    /* how often the strategy was asked */
	rl_time began;       /* the ask under way */
	rl_time parked_at;
	enum rl_status status; /* over: what the wait has come to */
	struct rl_parking parking;
	struct rl_asking asking; /* the attempt's */
	struct rl_error error;
	struct rl_error unheard;       /* of what nobody is told: leaving, and passing on */
	RL_LINK(struct rl_wait, link); /* the owner's */
};

/* The first ask has found the lock taken. */
void rl_wait_begin(struct rl_wait *wait);
/* Does what is due, and perhaps nothing was. Unless it is over, what it waits for is added. */
void rl_wait_go_on(struct rl_wait *wait, struct rl_polls *polls);
/*
 * RL_OK: attempt.grant is ours; RL_NO: the lock stayed busy, or the owner has taken it meanwhile in
 * another way; RL_INTERRUPTED; RL_UNREACHABLE; RL_REFUSED; RL_NO_MEMORY; RL_MISUSE: in a child of
 * the process.
 */
enum rl_status rl_wait_end(struct rl_wait *wait, struct rl_error *error);

/* Whether the retry strategy is to be asked before the next step. */
static inline bool rl_wait_asks_strategy(const struct rl_wait *wait)
{
	return wait->asks_strategy
		&& (wait->state == RL_WAIT_PARKED || wait->state == RL_WAIT_BACKING_OFF);
}
/* What it has said: the next retry's pause after the refusal, or that there is none. */
void rl_wait_retry_after(struct rl_wait *wait, bool more, rl_time pause);

/*
 * All of this, with the owner's hook and the retry strategy between the steps. If nobody wants it
 * any more (stack.h) it leaves the queue, passes on what has come, and is RL_INTERRUPTED.
 */
enum rl_status rl_wait(struct rl_wait *wait, struct rl_error *error);
/*
 * Ends and frees the owner's waits that are still under way. Their calls will never return, since a
 * fatal error has left the fibers in which they were made suspended for good. A baton that still
 * comes is passed on, and a lock that was granted is given back.
 */
void rl_wait_end_all(struct rl_owner *owner);

#endif
