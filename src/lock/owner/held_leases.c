/*
 * The leases that an owner holds: how one comes into the owner, and is found there.
 */
#include "internal.h"
#include "../../base/number.h"

/* RL_OK: `answer` is what the renewal thread has found at `found_at`, OURS if no bad news. */
static enum rl_status find(struct rl_owner *owner, struct rl_text key, struct rl_lease **lease,
	enum rl_answer *answer, rl_time *found_at, struct rl_error *error)
{
	char name[RL_NAME_SIZE];

	*lease = (struct rl_lease *)rl_table_find(&owner->leases, key);
	if (!*lease) {
		return RL_NO;
	}
	if (!rl_lease_is_own(*lease)) {
		return rl_fail(error, RL_MISUSE,
			"The lock \"%s\" was taken before fork() and belongs to the parent process; "
			"make a new RLock in the child",
			rl_lease_name(*lease, name, sizeof name));
	}
	rl_assert((*lease)->depth > 0); /* lease.h, 3 */
	*answer = rl_watch_found(*lease, found_at);
	return RL_OK;
}

enum rl_status rl_owner_find(
	struct rl_owner *owner, struct rl_text key, struct rl_lease **lease, struct rl_error *error)
{
	enum rl_answer answer;
	rl_time found_at;

	return find(owner, key, lease, &answer, &found_at, error);
}

enum rl_status rl_owner_use(struct rl_owner *owner, struct rl_text key, rl_time deadline,
	struct rl_lease **lease, struct rl_error *error)
{
	enum rl_answer answer = RL_ANSWER_OURS;
	rl_time found_at = 0;
	enum rl_status status = find(owner, key, lease, &answer, &found_at, error);

	if (status != RL_OK || answer == RL_ANSWER_OURS) {
		return status;
	}
	return rl_owner_end_lost(owner, *lease, answer, found_at, deadline, error);
}

enum rl_status rl_owner_use_alone(struct rl_owner *owner, struct rl_text key, rl_time deadline,
	struct rl_lease **lease, struct rl_error *error)
{
	enum rl_status status = owner->changes ? rl_owner_finish_changes(owner, key, error) : RL_OK;

	return status == RL_OK ? rl_owner_use(owner, key, deadline, lease, error) : status;
}

/*
 * A wait hook may have taken the same key meanwhile; that lease must have ended, since we have it
 * now.
 */
static void end_overtaken(struct rl_owner *owner, const struct rl_lease *successor)
{
	struct rl_lease *lease = (struct rl_lease *)rl_table_find(&owner->leases, successor->entry.key);
	struct rl_error ignored;
	rl_time now;

	if (lease) {
		now = rl_now();
		rl_owner_end_lost(owner, lease, RL_ANSWER_TAKEN, now, now, &ignored);
	}
}

enum rl_status rl_owner_came_in_time(
	struct rl_owner *owner, const struct rl_lease *lease, struct rl_error *error)
{
	char seconds[RL_NUMBER_SECONDS_SIZE];

	if (rl_now() < lease->tenure.safe_until) {
		return RL_OK;
	}
	return rl_fail(error, RL_UNREACHABLE,
		"Redis at %s granted it, but the lease of %s s had run out when the "
		"answer came; take a longer ttl",
		owner->route->name, rl_number_put_seconds(seconds, lease->length_ms));
}

enum rl_status rl_owner_keep(struct rl_owner *owner, struct rl_lease *lease, rl_time asked_at,
	int64_t lease_ms, struct rl_error *error)
{
	enum rl_status status;

	rl_lease_begin(lease, asked_at, lease_ms);
	status = rl_owner_came_in_time(owner, lease, error);
	if (status != RL_OK) {
		return status;
	}
	end_overtaken(owner, lease);
	if (!rl_table_reserve(&owner->leases)) {
		return rl_fail_for_memory(error);
	}
	status = rl_watch_begin(&owner->watch, owner->route, lease, asked_at,
		rl_watch_until(&owner->watch, asked_at), error);
	if (status != RL_OK) {
		return status;
	}
	rl_table_add(&owner->leases, &lease->entry);
	rl_past_verdicts_forget(&owner->past_verdicts, lease->entry.key);
	owner->stats.acquired++;
	return RL_OK;
}

size_t rl_owner_held(struct rl_owner *owner)
{
	size_t held = 0;

	for (size_t i = 0; i < owner->leases.size; i++) {
		for (struct rl_table_entry *entry = owner->leases.buckets[i]; entry; entry = entry->next) {
			held += rl_lease_is_own((struct rl_lease *)entry);
		}
	}
	return held;
}
