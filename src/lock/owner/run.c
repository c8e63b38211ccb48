/*
 * Running one step for a call.
 */
#include "internal.h"

enum rl_status rl_owner_run(struct rl_owner *owner, struct rl_step *step, rl_time deadline,
	struct rl_outcome *outcome, struct rl_error *error)
{
	struct rl_batch_item item = { .step = step };
	struct rl_batch batch = {
		.route = owner->route, .items = &item, .count = 1, .deadline = deadline, .error = error
	};
	enum rl_status status = owner->backend->run(&batch);

	if (status == RL_OK) {
		*outcome = item.outcome;
	}
	return status;
}
