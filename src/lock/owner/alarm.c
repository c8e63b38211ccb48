/*
 * What has become of the leases that the renewal thread raised its alarm about.
 */
#include "detached_grant.h"

/* What PHP code waits for at most, wherever it happens to be. */
#define ALARM_PATIENCE (200 * RL_MILLISECOND)

/* RL_OK: it has been extended since; RL_NO: its name has ended it; or RL_AGAIN. */
static enum rl_status end_alarmed(
	struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error)
{
	rl_time found_at, now = rl_now();
	rl_time deadline = rl_time_earlier(rl_owner_deadline(owner, now), now + ALARM_PATIENCE);
	enum rl_answer answer = rl_watch_found(lease, &found_at);

	if (rl_token_is_detached(&lease->token)) {
		return rl_detached_grant_alarmed(owner, lease, deadline, error);
	}
	if (answer != RL_ANSWER_OURS) {
		return rl_owner_end_lost(owner, lease, answer, found_at, deadline, error);
	}
	if (now < lease->tenure.safe_until) {
		return RL_OK;
	}
	return rl_owner_end_late(owner, lease, deadline, error);
}

enum rl_status rl_owner_alarm(struct rl_owner *owner, struct rl_error *error)
{
	enum rl_status verdict = RL_OK;
	struct rl_lease *lease;

	rl_hook_end(); /* wherever it was */
	while ((verdict == RL_OK || verdict == RL_NO || verdict == RL_AGAIN)
		&& (lease = rl_watch_news(&owner->watch))) {
		verdict = end_alarmed(owner, lease, error);
	}
	if (verdict == RL_NO || verdict == RL_AGAIN) {
		return RL_OK; /* its name has ended it, or somebody else has the verdict */
	}
	if (verdict != RL_OK) {
		error->key = owner->past_verdicts.last ? owner->past_verdicts.last->entry.key
											   : (struct rl_text){ "", 0 };
	}
	return verdict;
}

bool rl_owner_alarm_later(struct rl_owner *owner)
{
	return rl_watch_alarm_later(&owner->watch);
}
