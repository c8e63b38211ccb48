#include "schedule.h"
#include "../../base/random.h"

#define FIRST_GAP     RL_SECOND /* from parking to the first ask beside */
#define GAP_JITTER    (100 * RL_MILLISECOND)
#define EXPIRY_DELAY  RL_MILLISECOND        /* after it the server knows that a time is up */
#define EXPIRY_JITTER (3 * RL_MILLISECOND)  /* many may wait for the same lease to end */
#define POLL_INTERVAL (50 * RL_MILLISECOND) /* between asks where parking is not allowed */
/* longest pause after the first such ask; doubled for each more */
#define SPLIT_JITTER  (4 * RL_MILLISECOND)
#define SPLITS_MAX    5
#define FIRST_PAUSE   (20 * RL_MILLISECOND) /* after an ask that failed; doubled for each more */
#define LONGEST_PAUSE RL_SECOND
#define LAST_TRY      (100 * RL_MILLISECOND) /* what a wait has left for it when it gives up */

static rl_time jitter(rl_time most)
{
	uint32_t random = 0;

	rl_random_fill(&random, sizeof random);
	return (rl_time)((double)most * random / UINT32_MAX);
}

void rl_schedule_begin(struct rl_schedule *schedule, rl_time until)
{
	*schedule = (struct rl_schedule){ .until = until,
		.retry_at = RL_FOREVER,
		.pause = FIRST_PAUSE };
}

/* --- answers --- */

void rl_schedule_answered(struct rl_schedule *schedule)
{
	schedule->failed_at = 0;
	schedule->pause = FIRST_PAUSE;
}

/*
 * Until the net's next ask: as long as we have been parked, so that asks in between, as when a
 * lease ends, change nothing.
 */
static rl_time gap(rl_time parked_for)
{
	return rl_time_later(FIRST_GAP, rl_time_earlier(parked_for, RL_LONGEST_GAP));
}

void rl_schedule_busy(
	struct rl_schedule *schedule, rl_time now, rl_time busy, bool parks, rl_time parked_for)
{
	rl_time pause = parks
		? gap(parked_for) + jitter(GAP_JITTER)
		: POLL_INTERVAL + jitter(POLL_INTERVAL);

	if (busy > 0 && busy < pause) {
		pause = busy + EXPIRY_DELAY + jitter(EXPIRY_JITTER);
	}
	schedule->splits = 0;
	schedule->ask_at = now + pause;
}

/*
 * Each waiter takes back what it got, and one that comes back alone has the lock. The more often
 * they have split the nodes, the more of them there must be.
 */
void rl_schedule_split(struct rl_schedule *schedule, rl_time now)
{
	schedule->ask_at = now + jitter(SPLIT_JITTER << schedule->splits);
	schedule->splits += schedule->splits < SPLITS_MAX;
}

bool rl_schedule_outlasts(const struct rl_schedule *schedule, rl_time now, int64_t left_ms)
{
	return schedule->until != RL_FOREVER
		&& (left_ms < 0 || left_ms > (schedule->until - now) / RL_MILLISECOND);
}

/* --- failures --- */

static void back_off(struct rl_schedule *schedule, rl_time now)
{
	schedule->ask_at = now + schedule->pause;
	schedule->pause = rl_time_earlier(2 * schedule->pause, LONGEST_PAUSE);
}

/*
 * After the route's patience, and no later than the wait's own end, but not before one call's
 * deadline. A server that lacks replicas does answer: that wait lasts to its end, as for a lock
 * that is busy.
 */
static rl_time give_up_at(const struct rl_schedule *schedule, const struct rl_failed_ask *ask)
{
	rl_time end = rl_time_later(schedule->until, schedule->failed_at + ask->timeout);

	return ask->too_few ? schedule->until
						: rl_time_earlier(schedule->failed_at + ask->patience, end);
}

/* There is a last try shortly before the wait would give up. */
bool rl_schedule_failed(struct rl_schedule *schedule, const struct rl_failed_ask *ask)
{
	rl_time last;

	if (!schedule->failed_at || ask->too_few) {
		schedule->failed_at = ask->began;
	}
	schedule->give_up_at = give_up_at(schedule, ask);
	last = schedule->give_up_at - LAST_TRY;
	back_off(schedule, ask->ended);
	if (ask->ended < last) {
		schedule->ask_at = rl_time_earlier(schedule->ask_at, last);
	}
	return schedule->ask_at < schedule->give_up_at;
}

void rl_schedule_go_on(struct rl_schedule *schedule, rl_time now)
{
	schedule->failed_at = 0;
	back_off(schedule, now);
}

/* --- what is next --- */

rl_time rl_schedule_end(const struct rl_schedule *schedule)
{
	return schedule->until == RL_FOREVER ? RL_FOREVER : schedule->until + EXPIRY_DELAY;
}

rl_time rl_schedule_next(const struct rl_schedule *schedule)
{
	return schedule->failed_at
		? schedule->ask_at
		: rl_time_earlier(rl_schedule_end(schedule),
			rl_time_earlier(schedule->ask_at, schedule->retry_at));
}
