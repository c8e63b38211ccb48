/*
 * When a waiter asks again. It does no I/O and reads no clock: whoever waits says what has happened
 * and when, and the next ask is in ask_at or retry_at.
 *
 * A waiter that is parked is woken, and asks besides as a safety net. One that may not park polls.
 */
#ifndef RL_SCHEDULE_H
#define RL_SCHEDULE_H

#include "../owner/owner.h"

/* Between two asks of one that is parked, at most; and how long its place lasts without them. */
#define RL_LONGEST_GAP (8 * RL_SECOND)

struct rl_schedule {
	rl_time until;      /* the wait's end; RL_FOREVER */
	rl_time ask_at;     /* the next ask: the safety net's, or after a failure */
	rl_time retry_at;   /* the next ask that the retry strategy wants; RL_FOREVER */
	rl_time failed_at;  /* since when asking has failed; 0: the last ask was answered */
	rl_time give_up_at; /* while asking fails */
	rl_time pause;      /* after the next failure */
	unsigned splits;    /* asks in a row after which nobody had a majority */
};

void rl_schedule_begin(struct rl_schedule *schedule, rl_time until);

/* The last ask was answered. */
void rl_schedule_answered(struct rl_schedule *schedule);
/*
 * The lock was taken at `now`, for `busy` or RL_FOREVER. `parks`: the waiter is parked, or is going
 * to be. `parked_for`: how long it has been; 0 also for the first waiter at the turnstile.
 */
void rl_schedule_busy(
	struct rl_schedule *schedule, rl_time now, rl_time busy, bool parks, rl_time parked_for);
/* Waiters have split the nodes of a majority, and nobody has the lock. */
void rl_schedule_split(struct rl_schedule *schedule, rl_time now);
/* Whether what is left of a lease, -1 for ever, is more than what is left of the wait. */
bool rl_schedule_outlasts(const struct rl_schedule *schedule, rl_time now, int64_t left_ms);

struct rl_failed_ask {
	rl_time began, ended;
	rl_time patience; /* how long asking may fail */
	rl_time timeout;  /* of one call */
	bool too_few;     /* too few replicas acknowledged it */
};
/* False: the wait gives up. */
bool rl_schedule_failed(struct rl_schedule *schedule, const struct rl_failed_ask *ask);
/* An ask has failed in a way that ends no wait, however often. */
void rl_schedule_go_on(struct rl_schedule *schedule, rl_time now);

/* When the wait's time is up, by the server's clock, too. */
rl_time rl_schedule_end(const struct rl_schedule *schedule);
/* When something is due next. While asking fails, that is an ask also at the end. */
rl_time rl_schedule_next(const struct rl_schedule *schedule);

#endif
