#include "internal.h"
#include "../../base/number.h"

#include <stdio.h>

/* Why the lease is late, as far as the renewal thread knows: a sentence, or "". */
static void tell_failure(const struct rl_lease *lease, rl_time now, char *buffer, size_t size)
{
	const char *failure = rl_lease_failure(lease);
	char seconds[RL_NUMBER_SECONDS_SIZE];

	buffer[0] = '\0';
	if (failure) {
		snprintf(buffer, size, "The last renewal failed %s s ago: %s",
			rl_number_put_seconds(seconds, (now - lease->failed_at) / RL_MILLISECOND), failure);
	}
}

static const char *advice_on_late(const struct rl_lease *lease, const char *failure)
{
	if (!lease->renew_until) {
		return failure[0] ? failure : "Take it with a longer ttl, or prolongate it in time";
	}
	if (lease->tenure.safe_until >= lease->renew_until) {
		return "autoRenew ended with maxHold: allow it more, or release the lock sooner";
	}
	if (failure[0]) {
		return failure;
	}
	return "autoRenew could not renew it: the process was paused, or the server away, for longer than the lease";
}

const char *rl_verdict_on_others(const struct rl_lease *lease)
{
	return lease->tenure.is_share ? "nobody else has had the lock exclusively"
								  : "nobody else has had the lock";
}

enum rl_status rl_verdict_judge(struct rl_owner *owner, const struct rl_lease *lease,
	enum rl_answer answer, rl_time now, rl_time deadline, struct rl_error *error)
{
	rl_time late_by = now - lease->tenure.safe_until;
	enum rl_status verdict = answer == RL_ANSWER_GONE && late_by > 0 ? RL_TIMED_OUT : RL_LOST;
	const char *server = owner->route->name;
	char name[RL_NAME_SIZE], seconds[RL_NUMBER_SECONDS_SIZE], failure[RL_ERROR_MESSAGE_SIZE];

	rl_assert(!rl_owner_has(owner, lease)); /* lease.h, 1 */
	tell_failure(lease, now, failure, sizeof failure);
	rl_lease_name(lease, name, sizeof name);
	rl_number_put_seconds(seconds, late_by / RL_MILLISECOND);
	if (verdict == RL_TIMED_OUT) {
		owner->stats.timeouts++;
		rl_fail(error, verdict,
			"The lease of \"%s\" on Redis at %s ran out %s s ago; %s. %s",
			name, server, seconds, rl_verdict_on_others(lease), advice_on_late(lease, failure));
	} else {
		owner->stats.lost++;
		if (late_by > 0) {
			rl_fail(error, verdict,
				"The lease of \"%s\" on Redis at %s ran out %s s ago, and another has had the lock "
				"since%s. What was done after that may collide with theirs%s%s",
				name, server, seconds,
				answer == RL_ANSWER_TAKEN ? "" : ", or that can no longer be told",
				failure[0] ? ". " : "", failure);
		} else {
			late_by = 0;
			rl_fail(error, verdict, "The lock \"%s\" on Redis at %s was lost within its lease: %s",
				name, server,
				answer == RL_ANSWER_TAKEN
					? "it was broken, or another has it, or has had it"
					: "its key is gone (deleted, evicted, broken, or lost with the server's data)");
		}
	}
	error->late_by = late_by;
	error->deadline = deadline;
	rl_past_verdicts_add(&owner->past_verdicts, lease->entry.key, verdict, late_by);
	return verdict;
}

enum rl_status rl_verdict_judge_unanswered(struct rl_owner *owner, const struct rl_lease *lease,
	enum rl_status failure, rl_time deadline, struct rl_error *error)
{
	enum rl_status verdict;

	if (!rl_lease_is_own(lease)) {
		return failure;
	}
	verdict = rl_verdict_judge(owner, lease, RL_ANSWER_NO_FENCE, rl_now(), deadline, error);
	error->unanswered = true;
	return failure == RL_INTERRUPTED ? failure : verdict;
}
