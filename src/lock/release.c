/*
 * Giving back, and the verdict on a lease that ended before.
 */
#include "owner_state.h"

void rl_release_begin(struct rl_release *release, struct rl_lease *lease)
{
	release->lease = lease;
	release->in_time = rl_now() < lease->safe_until;
	rl_step_release(&release->step, &lease->keys, &lease->token, lease->fence, 0);
}

enum rl_status rl_release_conclude(struct rl_owner *owner, const struct rl_release *release,
	enum rl_answer answer, struct rl_error *error)
{
	if (answer == RL_ANSWER_OURS || answer == RL_ANSWER_PASSED) {
		return RL_OK;
	}
	/* An earlier sending, whose answer was lost, ended our use of it within the lease. */
	if (release->step.call.lost && release->in_time) {
		return RL_OK;
	}
	return rl_owner_judge(owner, release->lease, answer, error);
}

enum rl_status rl_release_run(struct rl_owner *owner, struct rl_release *release, rl_time deadline,
	struct rl_error *error)
{
	enum rl_answer answer;
	enum rl_status status = rl_step_run(owner->route, &release->step, deadline, &answer, error);

	return status == RL_OK ? rl_release_conclude(owner, release, answer, error) : status;
}

static enum rl_status give_back(struct rl_owner *owner, struct rl_lease *lease, struct rl_release *release,
	struct rl_error *error)
{
	rl_owner_detach(owner, lease);
	rl_release_begin(release, lease);
	return rl_release_run(owner, release, rl_owner_deadline(owner), error);
}

enum rl_status rl_owner_end_lease(struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error)
{
	struct rl_release release;
	enum rl_status status = give_back(owner, lease, &release, error);

	rl_owner_discard(owner, lease, release.step.call.doubtful);
	return status;
}

enum rl_status rl_owner_end_late(struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error)
{
	struct rl_release release;
	enum rl_status status = give_back(owner, lease, &release, error);

	if (status == RL_OK) {
		status = rl_owner_judge(owner, lease, RL_ANSWER_GONE, error);
	} else if (status != RL_TIMED_OUT && status != RL_LOST) {
		status = rl_owner_judge(owner, lease, RL_ANSWER_UNKNOWN, error);
	}
	rl_owner_discard(owner, lease, release.step.call.doubtful);
	return status;
}

/*
 * An inner level that ends late: L may still hold our token, and the outer levels still rely on
 * it, so only look. If it does not, all levels have ended.
 */
static enum rl_status leave_late_level(struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error)
{
	enum rl_status status = rl_owner_is_locking(owner, lease->entry.key, lease->entry.key_length, NULL, error);

	if (status == RL_OK) {
		lease->depth--;
	}
	return status == RL_NO ? rl_owner_end_lease(owner, lease, error) : status;
}

enum rl_status rl_owner_release(struct rl_owner *owner, const char *key, size_t key_length, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_status status = rl_owner_find(owner, key, key_length, &lease, error);

	if (status != RL_OK) {
		return status;
	}
	if (lease->depth == 1) {
		return rl_owner_end_lease(owner, lease, error);
	}
	if (rl_now() >= lease->safe_until) {
		return leave_late_level(owner, lease, error);
	}
	lease->depth--;
	return RL_OK;
}
