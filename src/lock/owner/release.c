#include "internal.h"

#include <string.h>

void rl_release_begin(struct rl_release *release, struct rl_lease *lease, int64_t delay_ms)
{
	rl_assert(!lease->task); /* lease.h, 2 */
	*release = (struct rl_release){
		.lease = lease,
		.step = { RL_STEP_RELEASE, .lease = lease },
		.sent_at = rl_now(),
	};
	if (lease->tenure.unanswered_ms) {
		release->step.operation = RL_STEP_TAKE_BACK; /* nobody knows which fence it has */
	}
	lease->delay_ms = delay_ms;
}

void rl_release_guard(struct rl_release *release, struct rl_guarded *guarded)
{
	if (guarded) {
		rl_assert(release->step.operation == RL_STEP_RELEASE);
		release->step.operation = RL_STEP_CLOSE;
		release->step.guarded = release->guarded = guarded;
		guarded->is_absent = false;
	}
}

bool rl_release_is_unconfirmed(const struct rl_release *release, enum rl_status status)
{
	return status == RL_UNREACHABLE || status == RL_REFUSED || status == RL_NO_MEMORY
		|| status == RL_INTERRUPTED || release->step.doubt.fate_unknown;
}

enum rl_status rl_release_run(struct rl_owner *owner, struct rl_release *release, rl_time deadline,
	enum rl_answer *answer, struct rl_error *error)
{
	struct rl_batch_item item = { .step = &release->step };
	struct rl_batch batch = { .route = owner->route,
		.items = &item,
		.releases = release,
		.count = 1,
		.deadline = deadline,
		.error = error };
	enum rl_status status;

	rl_assert(!rl_owner_has(owner, release->lease)); /* lease.h, 1 */
	status = owner->backend->run(&batch);
	*answer = item.outcome.answer;
	if (release->guarded && status == RL_OK) {
		release->guarded->is_absent = item.outcome.had_no_value;
	}
	return status;
}

void rl_release_tell_refusal(const struct rl_owner *owner, struct rl_error *error)
{
	struct rl_error refusal = *error;

	rl_fail(error, RL_REFUSED, "%s. %s",
		owner->ends
			? "The release was refused for as long as the timeout: the lock stays taken until its lease ends"
			: "The release was refused, and is repeated at this object's next contact with the server: "
			  "until then, or until its lease ends, the lock may stay taken",
		refusal.message);
	memcpy(error->code, refusal.code, sizeof error->code);
}

bool rl_release_is_last_try(
	enum rl_status status, const struct rl_error *refusal, rl_time deadline)
{
	return status == RL_UNREACHABLE && refusal->message[0] && rl_now() >= deadline;
}

/* Where no call follows, what is refused is asked for again. */
enum rl_status rl_owner_give_back(
	struct rl_owner *owner, struct rl_release *release, rl_time deadline, struct rl_error *error)
{
	struct rl_error refusal = { .held = false };
	enum rl_answer answer;
	enum rl_status status;

	while ((status = rl_release_run(owner, release, deadline, &answer, error)) == RL_REFUSED
		&& owner->ends && rl_call_pause(RL_CALL_SEARCH_PAUSE, deadline)) {
		refusal = *error;
	}
	if (status == RL_OK) {
		status = rl_release_conclude(owner, release, answer, deadline, error);
	}
	if (rl_release_is_last_try(status, &refusal, deadline)) {
		status = RL_REFUSED;
		*error = refusal;
	}
	if (status == RL_REFUSED && !release->step.guarded) {
		rl_release_tell_refusal(owner, error);
	}
	if (status != RL_UNREACHABLE) {
		owner->backend->release_discarded(owner, &release->lease->keys, deadline, NULL);
	}
	return status;
}

enum rl_status rl_release_conclude(struct rl_owner *owner, const struct rl_release *release,
	enum rl_answer answer, rl_time deadline, struct rl_error *error)
{
	bool late = release->sent_at >= release->lease->tenure.safe_until;

	if (answer == RL_ANSWER_OURS && release->lease->tenure.unanswered_ms && late) {
		answer = RL_ANSWER_NO_FENCE; /* it was asked for whatever its fence is */
	} else if (answer == RL_ANSWER_OURS) {
		return RL_OK;
	}
	/*
	 * An earlier sending, whose answer was lost, ended our use of it within the lease. A majority's
	 * nodes have voted so.
	 */
	if (release->step.doubt.copy_out && !release->voted && !late) {
		return RL_OK;
	}
	return rl_verdict_judge(owner, release->lease, answer, rl_now(), deadline, error);
}

void rl_release_count(struct rl_release_summary *summary, const struct rl_lease *lease,
	enum rl_status status, const struct rl_error *error)
{
	if (status == RL_OK) {
		summary->released++;
		return;
	}
	if (summary->first_key[0] == '\0') {
		rl_lease_name(lease, summary->first_key, sizeof summary->first_key);
	}
	if (status == RL_TIMED_OUT) {
		summary->timed_out++;
	} else if (status == RL_LOST) {
		summary->lost++;
	} else if (summary->failed++ == 0) {
		summary->failure = status;
		summary->first_failure = *error;
	}
}
