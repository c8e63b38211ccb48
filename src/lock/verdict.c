#include "owner/internal.h"
#include "../base/number.h"

#include <stdlib.h>
#include <string.h>

const struct rl_verdict *rl_verdict_find(const struct rl_verdicts *verdicts, struct rl_text name)
{
	return (const struct rl_verdict *)rl_table_find(&verdicts->table, name);
}

static void unlink_verdict(struct rl_verdicts *verdicts, struct rl_verdict *verdict)
{
	struct rl_verdict *older = NULL;

	if (verdicts->oldest == verdict) {
		verdicts->oldest = verdict->newer;
	} else {
		for (older = verdicts->oldest; older->newer != verdict; older = older->newer) {
		}
		older->newer = verdict->newer;
	}
	if (verdicts->newest == verdict) {
		verdicts->newest = older;
	}
}

static void drop(struct rl_verdicts *verdicts, struct rl_verdict *verdict)
{
	unlink_verdict(verdicts, verdict);
	rl_table_remove(&verdicts->table, &verdict->entry);
	free(verdict);
}

void rl_verdict_forget(struct rl_verdicts *verdicts, struct rl_text name)
{
	struct rl_table_entry *entry = rl_table_find(&verdicts->table, name);

	if (entry) {
		drop(verdicts, (struct rl_verdict *)entry);
	}
}

/* NULL: there is no memory to remember it. */
static const struct rl_verdict *add(struct rl_verdicts *verdicts, struct rl_text name, enum rl_status status, rl_time late_by)
{
	struct rl_verdict *verdict;
	char *copy;

	rl_verdict_forget(verdicts, name);
	if (verdicts->table.count >= RL_VERDICTS_MAX) {
		drop(verdicts, verdicts->oldest);
	}
	verdict = malloc(sizeof *verdict + name.length);
	if (!verdict || !rl_table_reserve(&verdicts->table)) {
		free(verdict);
		return NULL;
	}
	copy = (char *)(verdict + 1);
	memcpy(copy, name.data, name.length);
	*verdict = (struct rl_verdict){
		.entry = { .key = { copy, name.length } },
		.status = status,
		.late_by = late_by,
	};
	rl_table_add(&verdicts->table, &verdict->entry);
	if (verdicts->newest) {
		verdicts->newest->newer = verdict;
	} else {
		verdicts->oldest = verdict;
	}
	verdicts->newest = verdict;
	return verdict;
}

void rl_verdict_clear(struct rl_verdicts *verdicts)
{
	while (verdicts->oldest) {
		drop(verdicts, verdicts->oldest);
	}
	rl_table_free(&verdicts->table);
}

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
			"The lease of \"%s\" on Redis at %s ran out %s s ago; nobody else has had the lock. %s",
			name, server, seconds, advice_on_late(lease));
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
					? "another has it, or has had it"
					: "its key is gone (deleted, evicted, broken, or lost with the server's data)");
		}
	}
	error->late_by = late_by;
	owner->verdicts.last = add(&owner->verdicts, lease->entry.key, verdict, late_by);
	return verdict;
}

enum rl_status rl_verdict_judge_unanswered(struct rl_owner *owner, const struct rl_lease *lease, struct rl_error *error)
{
	enum rl_status verdict = rl_verdict_judge(owner, lease, RL_ANSWER_NO_FENCE, rl_now(), error);

	error->unanswered = true;
	return verdict;
}
