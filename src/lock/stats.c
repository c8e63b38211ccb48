/*
 * What owners count: each for itself, and all of a process together.
 *
 * An owner counts without a lock, since it belongs to one thread. What is new is added to the totals of all threads at the
 * end of a call.
 */
#include "owner_internal.h"
#include "../base/thread.h"

#include <string.h>

static struct {
	rl_mutex mutex;
	struct rl_stats sum; /* without renewals, which the thread that renews counts for all */
	bool minds_forks;
} totals = { .mutex = RL_MUTEX_INIT };

static void lock(void)
{
	rl_thread_lock(&totals.mutex);
}

static void unlock(void)
{
	rl_thread_unlock(&totals.mutex);
}

/* A child is a process of its own, which has just begun. */
static void begin_anew(void)
{
	totals.sum = (struct rl_stats){ 0 };
	unlock();
}

/* What the route counts. */
static void count_requests(struct rl_owner *owner)
{
	owner->stats.requests = owner->route->requests;
	owner->stats.reconnects = owner->route->reconnects;
}

const struct rl_stats *rl_owner_stats(struct rl_owner *owner)
{
	count_requests(owner);
	owner->stats.renewals = rl_watch_renewals(&owner->watch);
	return &owner->stats;
}

static void add(struct rl_stats *sum, const struct rl_stats *before, const struct rl_stats *now)
{
	sum->acquired += now->acquired - before->acquired;
	sum->busy += now->busy - before->busy;
	sum->waits += now->waits - before->waits;
	sum->waited += now->waited - before->waited;
	sum->timeouts += now->timeouts - before->timeouts;
	sum->lost += now->lost - before->lost;
	sum->reconnects += now->reconnects - before->reconnects;
	sum->requests += now->requests - before->requests;
}

void rl_owner_tally(struct rl_owner *owner)
{
	count_requests(owner);
	if (memcmp(&owner->stats, &owner->tallied, sizeof owner->stats) == 0) {
		return;
	}
	lock();
	totals.minds_forks = totals.minds_forks || rl_system_at_fork(lock, unlock, begin_anew);
	add(&totals.sum, &owner->tallied, &owner->stats);
	unlock();
	owner->tallied = owner->stats;
}

struct rl_stats rl_owner_totals(void)
{
	struct rl_stats sum;

	lock();
	sum = totals.sum;
	unlock();
	sum.renewals = rl_watch_all_renewals();
	return sum;
}
