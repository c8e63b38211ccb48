#include "owner/internal.h"
#include "../base/number.h"

static const char *advice_on_late(const struct rl_lease *lease)
{
	if (!lease->renew_until) {
		return "Take it with a longer ttl, or prolongate it in time";
	}
	if (lease->safe_until >= lease->renew_until) {
		return "autoRenew ended with maxHold: allow it more, or release the lock sooner";
	}
	return "autoRenew could not renew it: the process was paused, or the server away, for longer than the lease";
}

const char *rl_verdict_on_others(const struct rl_lease *lease)
{
	return lease->is_share ? "nobody else has had the lock exclusively" : "nobody else has had the lock";
}

enum rl_status rl_verdict_judge(struct rl_owner *owner, const struct rl_lease *lease,
	enum rl_answer answer, rl_time now, struct rl_error *error)
{
	rl_time late_by = now - lease->safe_until;
	enum rl_status verdict = answer == RL_ANSWER_GONE && late_by > 0 ? RL_TIMED_OUT : RL_LOST;
	const char *server = owner->route->name;
	char name[RL_NAME_SIZE], seconds[RL_NUMBER_SECONDS_SIZE];

	rl_lease_name(lease, name, sizeof name);
	rl_number_put_seconds(seconds, late_by / RL_MILLISECOND);
	if (verdict == RL_TIMED_OUT) {
		owner->stats.timeouts++;
		rl_fail(error, verdict,
			"The lease of \"%s\" on Redis at %s ran out %s s ago; %s. %s",
			name, server, seconds, rl_verdict_on_others(lease), advice_on_late(lease));
	} else {
		owner->stats.lost++;
		if (late_by > 0) {
			rl_fail(error, verdict,
				"The lease of \"%s\" on Redis at %s ran out %s s ago, and another has had the lock "
				"since%s. What was done after that may collide with theirs",
				name, server, seconds,
				answer == RL_ANSWER_TAKEN ? "" : ", or that can no longer be told");
		} else {
			late_by = 0;
			rl_fail(error, verdict, "The lock \"%s\" on Redis at %s was lost within its lease: %s", name, server,
				answer == RL_ANSWER_TAKEN
					? "it was broken, or another has it, or has had it"
					: "its key is gone (deleted, evicted, broken, or lost with the server's data)");
		}
	}
	error->late_by = late_by;
	rl_past_verdicts_add(&owner->past_verdicts, lease->entry.key, verdict, late_by);
	return verdict;
}

enum rl_status rl_verdict_judge_unanswered(struct rl_owner *owner, const struct rl_lease *lease, struct rl_error *error)
{
	enum rl_status verdict = rl_verdict_judge(owner, lease, RL_ANSWER_NO_FENCE, rl_now(), error);

	error->unanswered = true;
	return verdict;
}
