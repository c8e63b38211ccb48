/*
 * What owners count: each for itself, and all of a process together. And whether one of them has a
 * lock.
 *
 * An owner counts without a lock, since it belongs to one thread, which shows to the others what it
 * has counted: when it asks for the totals itself, when rl_owner_tally() is called, and when the
 * owner ends. The totals are what all owners show, and what those had counted that have ended.
 */
#include "../owner/internal.h"
#include "../../base/thread.h"

static struct {
	rl_mutex mutex;
	struct rl_owner *first; /* of all owners, linked by `counted` */
	/*
	 * Of those that have ended; less what the others had counted before a fork. Without renewals,
	 * which the thread that renews counts for all.
	 */
	struct rl_stats sum;
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

void rl_owner_tally(struct rl_owner *owner)
{
	const struct rl_stats *now = &owner->stats;
	struct rl_stats *shown = &owner->shown;

	count_requests(owner);
	rl_thread_show(&shown->acquired, now->acquired);
	rl_thread_show(&shown->busy, now->busy);
	rl_thread_show(&shown->waits, now->waits);
	rl_thread_show((uint64_t *)&shown->waited, (uint64_t)now->waited);
	rl_thread_show(&shown->timeouts, now->timeouts);
	rl_thread_show(&shown->lost, now->lost);
	rl_thread_show(&shown->reconnects, now->reconnects);
	rl_thread_show(&shown->requests, now->requests);
}

/* All but `waited` are unsigned, so that less than nothing is what is missing to nothing. */
static void add(struct rl_stats *sum, const struct rl_stats *shown, int times)
{
	sum->acquired += times * rl_thread_see(&shown->acquired);
	sum->busy += times * rl_thread_see(&shown->busy);
	sum->waits += times * rl_thread_see(&shown->waits);
	sum->waited += times * (rl_time)rl_thread_see((const uint64_t *)&shown->waited);
	sum->timeouts += times * rl_thread_see(&shown->timeouts);
	sum->lost += times * rl_thread_see(&shown->lost);
	sum->reconnects += times * rl_thread_see(&shown->reconnects);
	sum->requests += times * rl_thread_see(&shown->requests);
}

/* A child is a process of its own, which has just begun. */
static void begin_anew(void)
{
	totals.sum = (struct rl_stats){ 0 };
	for (struct rl_owner *owner = totals.first; owner; owner = owner->counted.next) {
		rl_owner_tally(owner);
		add(&totals.sum, &owner->shown, -1);
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
	return lease && rl_lease_is_own(lease)
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
	rl_owner_tally(owner);
	add(&totals.sum, &owner->shown, 1);
	RL_LIST_REMOVE(owner, counted);
	unlock();
}

struct rl_stats rl_owner_totals(void)
{
	struct rl_stats sum;
	uintptr_t thread = rl_thread_id();

	lock();
	sum = totals.sum;
	for (struct rl_owner *owner = totals.first; owner; owner = owner->counted.next) {
		if (owner->watch.thread == thread) {
			rl_owner_tally(owner);
		}
		add(&sum, &owner->shown, 1);
	}
	unlock();
	sum.renewals = rl_watch_all_renewals();
	return sum;
}
