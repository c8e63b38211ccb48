#include "detached_grant.h"

bool rl_detached_grant_is_renewed(const struct rl_detached *detached)
{
	return detached->renewed.from && rl_lease_is_own(detached->grant);
}

void rl_detached_grant_remember(struct rl_detached *detached, struct rl_lease *grant)
{
	rl_owner_detached_forget(detached);
	detached->grant = grant;
}

enum rl_status rl_detached_grant_renew(struct rl_owner *owner, struct rl_detached *detached,
	struct rl_lease *grant, rl_time asked_at, rl_time until, struct rl_error *error)
{
	bool is_renewed = until > rl_now();
	enum rl_status status = is_renewed
		? rl_watch_begin(&owner->watch, owner->route, grant, asked_at, until, error)
		: RL_OK;

	if (status != RL_OK) {
		return status;
	}
	rl_detached_grant_remember(detached, grant);
	if (is_renewed) {
		RL_LIST_ADD(&owner->renewed, detached, renewed);
		rl_past_verdicts_forget(&owner->past_verdicts, detached->key);
	}
	return RL_OK;
}

/* RL_ANSWER_OURS: there is no bad news. */
static enum rl_answer end_renewal(struct rl_detached *detached)
{
	enum rl_answer answer;
	rl_time found_at;

	RL_LIST_REMOVE(detached, renewed);
	answer = rl_watch_found(detached->grant, &found_at);
	rl_watch_end(detached->grant);
	return answer;
}

struct rl_lease *rl_detached_grant_take(struct rl_detached *detached, rl_time *until)
{
	struct rl_lease *grant = detached->grant;

	*until = 0;
	if (grant && !rl_lease_is_own(grant)) {
		rl_owner_detached_forget(detached); /* its connections are a parent's */
		return NULL;
	}
	if (rl_detached_grant_is_renewed(detached) && end_renewal(detached) == RL_ANSWER_OURS) {
		*until = grant->renew_until;
	}
	detached->grant = NULL;
	return grant;
}

void rl_owner_detached_forget(struct rl_detached *detached)
{
	if (detached->renewed.from) {
		end_renewal(detached);
	}
	rl_lease_free(detached->grant);
	detached->grant = NULL;
}

void rl_detached_grant_let_be(struct rl_owner *owner)
{
	while (owner->renewed) {
		end_renewal(owner->renewed);
	}
}

/* --- its loss --- */

/* What the server says of a grant whose time is over by our clock. It stays as it is. */
static enum rl_status judge_late(struct rl_owner *owner, struct rl_lease *grant,
	rl_time deadline, struct rl_error *error)
{
	struct rl_step step = { RL_STEP_EXTEND, .lease = grant, .how = RL_EXTEND_LONGER };
	struct rl_outcome outcome;
	enum rl_status status = rl_owner_run(owner, &step, deadline, &outcome, error);

	if (status != RL_OK) {
		return rl_verdict_judge_unanswered(owner, grant, status, deadline, error);
	}
	if (outcome.answer == RL_ANSWER_BY_NAME) {
		return RL_NO;
	}
	if (outcome.answer == RL_ANSWER_OURS) {
		outcome.answer = RL_ANSWER_GONE; /* late, though nobody has taken it */
	}
	return rl_verdict_judge(owner, grant, outcome.answer, rl_now(), deadline, error);
}

/* RL_OK: it is surely safe; RL_NO: the name has ended it, and it is not renewed any more. */
static enum rl_status judge(struct rl_owner *owner, struct rl_detached *detached,
	rl_time deadline, struct rl_error *error)
{
	struct rl_lease *grant = detached->grant;
	rl_time found_at = 0, until;
	enum rl_answer answer = rl_watch_found(grant, &found_at);
	enum rl_status status = RL_NO;

	if (answer == RL_ANSWER_OURS && rl_now() < grant->tenure.safe_until) {
		return RL_OK;
	}
	rl_detached_grant_take(detached, &until);
	if (answer == RL_ANSWER_OURS) {
		status = judge_late(owner, grant, deadline, error);
	} else if (answer != RL_ANSWER_BY_NAME) {
		status = rl_verdict_judge(owner, grant, answer, found_at, deadline, error);
	}
	rl_lease_free(grant);
	return status;
}

enum rl_status rl_detached_grant_check(
	struct rl_owner *owner, struct rl_text key, rl_time deadline, struct rl_error *error)
{
	struct rl_detached *detached = owner->renewed;
	enum rl_status result = RL_NO;

	while (detached) {
		bool is_meant = rl_text_is(detached->key, key) && rl_detached_grant_is_renewed(detached);
		enum rl_status status = is_meant ? judge(owner, detached, deadline, error) : result;

		if (status != RL_OK && status != RL_NO) {
			return status;
		}
		result = status == RL_OK ? RL_OK : result;
		detached = is_meant && status == RL_NO ? owner->renewed : detached->renewed.next;
	}
	return result;
}

enum rl_status rl_detached_grant_alarmed(struct rl_owner *owner, const struct rl_lease *grant,
	rl_time deadline, struct rl_error *error)
{
	struct rl_detached *detached = owner->renewed;

	while (detached->grant != grant) {
		detached = detached->renewed.next;
	}
	return judge(owner, detached, deadline, error);
}
