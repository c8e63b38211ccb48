/*
 * What owners count: each for itself, and all of a process together. And whether one of them has a
 * lock.
 *
 * An owner counts without a lock, since it belongs to one thread. What is new is added to the
 * totals when its own thread asks for them, when rl_owner_tally() is called, and when the owner
 * ends.
 */
#include "../owner/internal.h"
#include "../../base/thread.h"

static struct {
	rl_mutex mutex;
	struct rl_owner *first; /* of all owners, linked by `counted` */
	struct rl_stats sum;    /* without renewals, which the thread that renews counts for all */
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

/* What the route counts. */
static void count_requests(struct rl_owner *owner)
{
	owner->stats.requests = owner->route->requests;
	owner->stats.reconnects = owner->route->reconnects;
}

/* A child is a process of its own, which has just begun. */
static void begin_anew(void)
{
	totals.sum = (struct rl_stats){ 0 };
	for (struct rl_owner *owner = totals.first; owner; owner = owner->counted.next) {
		count_requests(owner);
		owner->tallied = owner->stats;
	}
	unlock();
}

void rl_owner_begin_count(struct rl_owner *owner)
{
	lock();
	rl_system_at_fork(&totals.minds_forks, lock, unlock, begin_anew);
	RL_LIST_ADD(&totals.first, owner, counted);
	unlock();
}

const struct rl_stats *rl_owner_stats(struct rl_owner *owner)
{
	count_requests(owner);
	owner->stats.renewals = rl_watch_renewals(&owner->watch);
	return &owner->stats;
}

static void tally(struct rl_owner *owner)
{
	struct rl_stats *sum = &totals.sum;
	const struct rl_stats *before = &owner->tallied, *now = &owner->stats;

	count_requests(owner);
	sum->acquired += now->acquired - before->acquired;
	sum->busy += now->busy - before->busy;
	sum->waits += now->waits - before->waits;
	sum->waited += now->waited - before->waited;
	sum->timeouts += now->timeouts - before->timeouts;
	sum->lost += now->lost - before->lost;
	sum->reconnects += now->reconnects - before->reconnects;
	sum->requests += now->requests - before->requests;
	owner->tallied = owner->stats;
}

void rl_owner_tally(struct rl_owner *owner)
{
	lock();
	tally(owner);
	unlock();
}

static bool has(const struct rl_owner *owner, struct rl_text key, struct rl_text token)
{
	struct rl_text start = { key.data, owner->prefix.length };
	struct rl_lease *lease;

	if (key.length < start.length || !rl_text_is(start, owner->prefix)) {
		return false;
	}
	key.data += start.length;
	key.length -= start.length;
	lease = (struct rl_lease *)rl_table_find(&owner->leases, key);
	return lease && lease->generation == rl_system_generation()
		&& rl_text_is(rl_token_head(&lease->token), token);
}

bool rl_owner_of_this_thread_has(struct rl_text key, struct rl_text token)
{
	uintptr_t thread = rl_thread_id();
	bool found = false;

	lock();
	for (struct rl_owner *owner = totals.first; owner && !found; owner = owner->counted.next) {
		found = owner->watch.thread == thread && has(owner, key, token);
	}
	unlock();
	return found;
}

void rl_owner_end_count(struct rl_owner *owner)
{
	lock();
	tally(owner);
	RL_LIST_REMOVE(owner, counted);
	unlock();
}

struct rl_stats rl_owner_totals(void)
{
	struct rl_stats sum;
	uintptr_t thread = rl_thread_id();

	lock();
	for (struct rl_owner *owner = totals.first; owner; owner = owner->counted.next) {
		if (owner->watch.thread == thread) {
			tally(owner);
		}
	}
	sum = totals.sum;
	unlock();
	sum.renewals = rl_watch_all_renewals();
	return sum;
}
