#include "is_locking.h"
#include "../owner/anew.h"

enum rl_status rl_owner_look(struct rl_owner *owner, struct rl_lease *lease, rl_time deadline,
	int64_t *left_ms, struct rl_error *error)
{
	struct rl_outcome outcome;
	struct rl_step step = { RL_STEP_EXTEND, .lease = lease, .how = RL_EXTEND_LONGER };
	enum rl_answer answer;
	enum rl_status status = rl_anew_settle(owner, lease, deadline, &answer, error);

	if (status != RL_OK || answer != RL_ANSWER_OURS) {
		return status == RL_OK ? RL_NO : status;
	}
	owner->backend->repeat(owner, &lease->keys, deadline, NULL);
	status = rl_owner_run(owner, &step, deadline, &outcome, error);
	if (status != RL_OK || outcome.answer != RL_ANSWER_OURS) {
		return status == RL_OK ? RL_NO : status;
	}
	if (left_ms) {
		*left_ms = outcome.left_ms;
	}
	return RL_OK;
}

enum rl_status rl_owner_is_locking(struct rl_owner *owner, struct rl_text key,
	int64_t *left_ms, struct rl_error *error)
{
	struct rl_lease *lease;
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	enum rl_status status = rl_owner_find(owner, key, &lease, error);

	return status == RL_OK ? rl_owner_look(owner, lease, deadline, left_ms, error) : status;
}
