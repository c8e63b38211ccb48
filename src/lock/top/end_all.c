/*
 * The end of owners, after which nobody is left to give anything back: one of those that ask the
 * same servers does it for all of them, so that thousands of owners cost as much as one.
 */
#include "../acquire/pending.h"
#include "../owner/detached_grant.h"
#include "../release/release_all.h"
#include "../../base/stack.h"

/* Longest time for leaving queues. */
#define PARTING (100 * RL_MILLISECOND)

static bool is_idle(struct rl_owner *owner)
{
	return rl_owner_held(owner) == 0 && !owner->discarded;
}

static bool is_alike(const struct rl_owner *a, const struct rl_owner *b)
{
	return rl_route_is_like(a->route, b->route) && a->route->timeout == b->route->timeout
		&& rl_route_shares_nodes(a->route, b->route);
}

static void take_over_discarded(struct rl_owner *owner, struct rl_owner *other)
{
	struct rl_table_entry **end = &other->discarded;

	while (*end) {
		end = &(*end)->next;
	}
	*end = owner->discarded;
	owner->discarded = other->discarded;
	other->discarded = NULL;
}

/*
 * What the first of these owners, and those that are like it, hold and have still to release.
 * `others`: some that are not like it do, too.
 */
static struct rl_table_entry *gather(
	struct rl_owner *const *owners, size_t count, bool *others)
{
	struct rl_table_entry *held = rl_owner_remove_all(owners[0], NULL);

	*others = false;
	for (size_t i = 1; i < count; i++) {
		if (is_alike(owners[0], owners[i])) {
			held = rl_owner_remove_all(owners[i], held);
			take_over_discarded(owners[0], owners[i]);
		} else {
			*others |= !is_idle(owners[i]);
		}
	}
	return held;
}

/* What is still refused when the time is over. */
static void count_refused(struct rl_owner *owner, struct rl_refused *refused,
	struct rl_release_summary *summary)
{
	while (refused->first) {
		struct rl_lease *lease = (struct rl_lease *)refused->first;

		refused->first = lease->entry.next;
		rl_release_count(summary, lease, RL_REFUSED, &refused->why);
		owner->backend->discard(owner, lease, true);
	}
}

/* What was never granted to us has no such moment, and may be there. */
static bool has_ended(const struct rl_lease *lease)
{
	return lease->tenure.safe_until && rl_now() >= lease->tenure.safe_until;
}

/*
 * What an earlier call could not release, and is in others' way still; of a release that failed
 * just now it has been told.
 */
static void count_discarded(const struct rl_owner *owner, enum rl_status why,
	const struct rl_error *error, struct rl_release_summary *summary)
{
	const struct rl_table_entry *entry = summary->failed ? NULL : owner->discarded;

	for (; entry; entry = entry->next) {
		const struct rl_lease *lease = (const struct rl_lease *)entry;

		if (!has_ended(lease)) {
			rl_release_count(summary, lease, why, error);
		}
	}
}

/* Ends the first of these owners, and those that are like it. Others are left half of the time. */
static void end_alike(struct rl_owner *const *owners, size_t count, rl_time began,
	struct rl_release_summary *summary)
{
	struct rl_owner *owner = owners[0];
	bool others;
	struct rl_table_entry *held = gather(owners, count, &others);
	rl_time deadline = rl_owner_deadline(owner, began);
	struct rl_refused refused = { .first = NULL };
	struct rl_error refusal = { .held = false }, error = { .held = false };
	enum rl_status released;

	deadline = others ? rl_time_half_way(rl_now(), deadline) : deadline;
	owner->backend->release_discarded(owner, NULL, deadline, &error);
	owner->ends = true;
	do {
		refused.first = NULL;
		rl_release_all_of(owner, held, deadline, summary, &refused);
		held = refused.first;
		released = owner->backend->release_discarded(owner, NULL, deadline, &error);
		if (released == RL_REFUSED) {
			refusal = error;
		} else if (released == RL_UNREACHABLE && refusal.message[0]) {
			released = RL_REFUSED; /* half of the time that was left was too little */
		}
	} while ((held || released == RL_REFUSED) && rl_call_pause(RL_CALL_SEARCH_PAUSE, deadline));
	if (refusal.message[0]) { /* also if the last pause has ended late */
		rl_release_tell_refusal(owner, &refusal);
		count_discarded(owner, RL_REFUSED, &refusal, summary);
	} else if (error.message[0]) {
		count_discarded(owner, RL_UNREACHABLE, &error, summary);
	}
	count_refused(owner, &refused, summary);
	if (rl_stack_wanted() == RL_WANTED) {
		rl_owner_drop_all_discarded(owner);
	}
	owner->ends = false;
}

static void end_first(struct rl_owner *const *owners, size_t count, rl_time began,
	struct rl_release_summary *summary)
{
	rl_detached_grant_let_be(owners[0]);
	if (!is_idle(owners[0])) {
		end_alike(owners, count, began, summary);
	}
}

/*
 * What is asked for in steps is not wanted any more. In a moment for all of them, what comes is
 * passed on, and what is held is made what it was; a lease whose change is still under way then is
 * given up, and released in either mode.
 */
static void end_pendings(struct rl_owner *const *owners, size_t count)
{
	rl_time deadline = rl_now() + PARTING;

	for (size_t i = 0; i < count; i++) {
		rl_pending_cancel_all(owners[i]);
	}
	for (size_t i = 0; i < count; i++) {
		rl_pending_finish(owners[i], deadline);
	}
}

void rl_owner_end_pendings(struct rl_owner *owner)
{
	end_pendings(&owner, 1);
}

void rl_owner_end_pendings_of_thread(void)
{
	rl_pending_cancel_all(NULL);
	rl_pending_finish(NULL, rl_now() + PARTING);
}

void rl_owner_close(
	struct rl_owner *owner, rl_time began, struct rl_release_summary *summary)
{
	*summary = (struct rl_release_summary){ 0 };
	end_first(&owner, 1, began, summary);
}

void rl_owner_end_all(struct rl_owner *const *owners, size_t count, rl_time began,
	struct rl_release_summary *summary)
{
	rl_time parting = rl_now();

	*summary = (struct rl_release_summary){ 0 };
	rl_hook_end();
	end_pendings(owners, count);
	began += rl_now() - parting; /* what is given back has its whole time */
	for (size_t i = 0; i < count; i++) {
		end_first(&owners[i], count - i, began, summary);
	}
}
