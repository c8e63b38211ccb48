/*
 * Giving one lock back, and ending a lease whose deadline has passed. Where the server's answer is that
 * the lock is not ours any more, the verdict comes from rl_owner_judge() in owner.c.
 */
#include "majority.h"
#include "unconfirmed.h"

void rl_release_begin(struct rl_release *release, struct rl_lease *lease, int64_t delay_ms)
{
	release->lease = lease;
	release->sent_at = rl_now();
	lease->delay_ms = delay_ms;
	rl_step_release(&release->step, lease, delay_ms);
	rl_tally_begin(&release->tally, lease->share_count);
	release->lost = release->counted = 0;
}

enum rl_status rl_release_conclude(struct rl_owner *owner, const struct rl_release *release,
	enum rl_answer answer, rl_time now, struct rl_error *error)
{
	if (!release->lease->shares && release->step.call.key_count > 1) {
		release->lease->sent_again = false; /* its token is closed */
		release->lease->copies_until = 0;
	}
	if (answer == RL_ANSWER_OURS || answer == RL_ANSWER_PASSED) {
		return RL_OK;
	}
	/* An earlier sending, whose answer was lost, ended our use of it within the lease. */
	if (release->step.call.unanswered && release->sent_at < release->lease->safe_until
		&& !rl_claim_was_refused(release->lease)) {
		return RL_OK;
	}
	return rl_owner_judge(owner, release->lease, answer, now, error);
}

/* One sending behind the claim, on the same connection. RL_OK: answered, and so is the claim. */
static enum rl_status run_behind_claim(struct rl_owner *owner, struct rl_release *release, rl_time deadline,
	enum rl_answer *answer, struct rl_error *error)
{
	struct rl_call *call = &release->step.call;
	const struct rl_reply *reply;
	struct rl_session session;
	enum rl_status status;

	if (!rl_claim_session(release->lease, &session)) {
		return RL_NO;
	}
	status = rl_call_send(owner->route, call, &session, deadline, error);
	if (status == RL_OK) {
		status = rl_call_answer(owner->route, call, &session, deadline, &reply, error);
	}
	if (status == RL_OK) {
		status = rl_read_answer(&session, reply, answer, error);
	}
	rl_session_end(&session);
	return status;
}

/* What the claim came to is known first: a release that overtakes it would find the baton. */
static enum rl_status run_after_claim(struct rl_owner *owner, struct rl_release *release, rl_time deadline,
	enum rl_answer *answer, struct rl_error *error)
{
	struct rl_lease *lease = release->lease;
	enum rl_status status = run_behind_claim(owner, release, deadline, answer, error);

	if (status == RL_OK && (!lease->claim || rl_claim_was_refused(lease))) {
		return RL_OK;
	}
	if (lease->claim) {
		status = rl_claim_await(owner->route, lease, deadline, error);
		if (status != RL_OK && status != RL_NO) {
			return status;
		}
	}
	return rl_step_run(owner->route, &release->step, deadline, answer, error);
}

enum rl_status rl_release_run(struct rl_owner *owner, struct rl_release *release, rl_time deadline,
	struct rl_error *error)
{
	enum rl_answer answer;
	enum rl_status status;

	if (release->lease->shares) {
		status = rl_majority_release(owner, release, 1, deadline, error);
		if (status == RL_OK) {
			rl_tally_decide(&release->tally, 0, &answer);
		}
	} else if (release->lease->claim) {
		status = run_after_claim(owner, release, deadline, &answer, error);
	} else {
		status = rl_step_run(owner->route, &release->step, deadline, &answer, error);
	}
	return status == RL_OK ? rl_release_conclude(owner, release, answer, rl_now(), error) : status;
}

static enum rl_status give_back(struct rl_owner *owner, struct rl_lease *lease, struct rl_release *release,
	int64_t delay_ms, rl_time deadline, struct rl_error *error)
{
	enum rl_status status;

	rl_owner_detach(owner, lease);
	rl_release_begin(release, lease, delay_ms);
	status = rl_release_run(owner, release, deadline, error);
	if (status != RL_UNREACHABLE) {
		rl_owner_undo(owner, &lease->keys, deadline);
	}
	return status;
}

bool rl_release_is_open(const struct rl_release *release, enum rl_status status)
{
	if (release->lease->shares) {
		return rl_lease_nodes(release->lease) != 0;
	}
	return status == RL_UNREACHABLE || status == RL_NO_MEMORY || release->step.call.maybe_done;
}

static enum rl_status end_lease(struct rl_owner *owner, struct rl_lease *lease, int64_t delay_ms,
	struct rl_error *error)
{
	struct rl_release release;
	enum rl_status status = give_back(owner, lease, &release, delay_ms, rl_owner_deadline(owner), error);

	rl_owner_discard(owner, lease, rl_release_is_open(&release, status));
	return status;
}

enum rl_status rl_owner_end_late(struct rl_owner *owner, struct rl_lease *lease, rl_time deadline, struct rl_error *error)
{
	struct rl_release release;
	enum rl_status status = give_back(owner, lease, &release, 0, deadline, error);
	bool again = rl_release_is_open(&release, status);

	if (status == RL_OK) {
		status = rl_owner_judge(owner, lease, RL_ANSWER_GONE, rl_now(), error);
	} else if (status != RL_TIMED_OUT && status != RL_LOST) {
		status = rl_owner_judge_unanswered(owner, lease, error);
	}
	rl_owner_discard(owner, lease, again);
	return status;
}

/*
 * An inner level that ends late: L may still hold our token, and the outer levels still rely on
 * it, so only look. If it does not, all levels have ended.
 */
static enum rl_status leave_late_level(struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error)
{
	enum rl_status status = rl_claim_await(owner->route, lease, rl_owner_deadline(owner), error);

	if (status == RL_OK && rl_now() >= lease->safe_until) {
		status = rl_lease_ask(owner, lease, NULL, error);
	}
	if (status == RL_OK) {
		lease->depth--;
	}
	return status == RL_NO ? end_lease(owner, lease, 0, error) : status;
}

enum rl_status rl_owner_release(struct rl_owner *owner, const char *key, size_t key_length,
	struct rl_release_terms terms, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_status status = rl_owner_use(owner, key, key_length, &lease, error);
	bool late, refused;

	if (status != RL_OK) {
		return status;
	}
	rl_claim_look(lease);
	refused = rl_claim_was_refused(lease);
	late = rl_now() >= lease->safe_until;
	if (lease->depth == 1 && !late && !refused && !terms.confirm) {
		return rl_release_unconfirmed(owner, lease, terms.delay_ms, error);
	}
	if (lease->depth == 1 || refused) {
		return end_lease(owner, lease, terms.delay_ms, error);
	}
	if (late) {
		return leave_late_level(owner, lease, error);
	}
	lease->depth--;
	return RL_OK;
}
