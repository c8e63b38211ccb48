/*
 * How a lease leaves the owner: it is given back, or it is over, and there is a verdict on it.
 */
#include "regrant.h"

void rl_owner_remove(struct rl_owner *owner, struct rl_lease *lease)
{
	rl_assert(rl_owner_has(owner, lease)); /* lease.h, 1 */
	rl_watch_end(lease);
	rl_table_remove(&owner->leases, &lease->entry);
}

struct rl_table_entry *rl_owner_remove_all(struct rl_owner *owner, struct rl_table_entry *behind)
{
	struct rl_table_entry *entry = rl_table_take_all(&owner->leases), *next, *ours = behind;

	for (; entry; entry = next) {
		next = entry->next;
		if (rl_lease_is_own((struct rl_lease *)entry)) {
			rl_watch_end((struct rl_lease *)entry);
			entry->next = ours;
			ours = entry;
		} else {
			rl_table_add(&owner->leases, entry);
		}
	}
	return ours;
}

void rl_owner_add_discarded(struct rl_owner *owner, struct rl_lease *lease)
{
	lease->entry.next = owner->discarded;
	owner->discarded = &lease->entry;
}

void rl_owner_drop_discarded(struct rl_table_entry **link)
{
	struct rl_lease *lease = (struct rl_lease *)*link;

	*link = lease->entry.next;
	rl_lease_free(lease);
}

void rl_owner_drop_all_discarded(struct rl_owner *owner)
{
	struct rl_table_entry **link = &owner->discarded;

	while (*link) {
		if (((const struct rl_lease *)*link)->is_being_sent) {
			link = &(*link)->next;
		} else {
			rl_owner_drop_discarded(link);
		}
	}
}

enum rl_status rl_owner_end_lost(struct rl_owner *owner, struct rl_lease *lease,
	enum rl_answer answer, rl_time found_at, rl_time deadline, struct rl_error *error)
{
	enum rl_status verdict;

	rl_owner_remove(owner, lease);
	verdict = rl_verdict_judge(owner, lease, answer, found_at, deadline, error);
	owner->backend->discard(owner, lease, false);
	return verdict;
}

enum rl_status rl_owner_end_late(
	struct rl_owner *owner, struct rl_lease *lease, rl_time deadline, struct rl_error *error)
{
	struct rl_release release;
	enum rl_answer answer;
	enum rl_status status;
	bool again;

	if (lease->tenure.unanswered_ms) {
		status = rl_regrant_confirm_before_release(owner, lease, deadline, &answer, error);
		if (status == RL_AGAIN || (status == RL_OK && answer == RL_ANSWER_OURS)) {
			return status;
		}
	}
	rl_owner_remove(owner, lease);
	rl_release_begin(&release, lease, 0);
	status = rl_owner_give_back(owner, &release, deadline, error);
	again = rl_release_is_unconfirmed(&release, status);
	if (status == RL_OK) {
		status = rl_verdict_judge(owner, lease, RL_ANSWER_GONE, rl_now(), deadline, error);
	} else if (status != RL_TIMED_OUT && status != RL_LOST) {
		status = rl_verdict_judge_unanswered(owner, lease, status, deadline, error);
	}
	owner->backend->discard(owner, lease, again);
	return status;
}
