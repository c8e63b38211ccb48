/*
 * Whether a lock is surely ours, without asking the server if that can be; otherwise the verdict on
 * it.
 */
#include "../owner/internal.h"
#include "../shown_name.h"

enum rl_status rl_owner_check(struct rl_owner *owner, struct rl_text key, struct rl_error *error)
{
	struct rl_lease *lease;
	const struct rl_past_verdict *verdict;
	char name[RL_NAME_SIZE];
	rl_time now = rl_now(), deadline = rl_owner_deadline(owner, now);
	enum rl_status status = rl_owner_use(owner, key, deadline, &lease, error);

	if (status == RL_OK) {
		return now < lease->tenure.safe_until
			? RL_OK
			: rl_owner_end_late(owner, lease, deadline, error);
	}
	if (status != RL_NO) {
		return status;
	}
	rl_shown_name(name, sizeof name, key);
	verdict = rl_past_verdicts_find(&owner->past_verdicts, key);
	if (!verdict) {
		return rl_fail(error, RL_MISUSE, "The lock \"%s\" is not held", name);
	}
	if (verdict->status == RL_TIMED_OUT) {
		rl_fail(error, RL_TIMED_OUT,
			"The lease of \"%s\" on Redis at %s ran out, as was said before; nobody else had the lock when that was found out",
			name, owner->route->name);
	} else {
		rl_fail(error, RL_LOST,
			"The lock \"%s\" on Redis at %s was lost, as was said before: stop, and take it anew",
			name, owner->route->name);
	}
	error->late_by = verdict->late_by;
	return verdict->status;
}
