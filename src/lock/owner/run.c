/*
 * Running one step for a call, within the deadline that it has.
 */
#include "internal.h"
#include "../../base/stack.h"

rl_time rl_owner_deadline(const struct rl_owner *owner, rl_time began)
{
	return began + owner->route->timeout;
}

void rl_owner_begin_call(struct rl_owner *owner)
{
	rl_hook_begin(&owner->hook);
}

/* What is still to be taken back is, or at least goes out: there may be no other call. */
void rl_owner_end_call(struct rl_owner *owner)
{
	if (owner->later && rl_stack_wanted() == RL_UNWANTED) {
		rl_owner_take_back(owner, rl_owner_deadline(owner, rl_now()));
	}
	if (rl_hook_end() && owner->later) {
		owner->backend->repeat(owner, NULL, 0, NULL);
	}
}

/* How long that may take at least. */
#define PATIENCE (200 * RL_MILLISECOND)

void rl_owner_take_back(struct rl_owner *owner, rl_time deadline)
{
	if (rl_stack_wanted() == RL_UNWANTED) {
		rl_stack_serve_others();
	}
	owner->backend->repeat(owner, NULL, rl_time_later(deadline, rl_now() + PATIENCE), NULL);
}

enum rl_status rl_owner_run_item(struct rl_owner *owner, struct rl_batch_item *item,
	rl_time deadline, struct rl_error *error)
{
	struct rl_batch batch = {
		.route = owner->route, .items = item, .count = 1, .deadline = deadline, .error = error
	};

	return owner->backend->run(&batch);
}

enum rl_status rl_owner_run(struct rl_owner *owner, struct rl_step *step, rl_time deadline,
	struct rl_outcome *outcome, struct rl_error *error)
{
	struct rl_batch_item item = { .step = step };
	enum rl_status status = rl_owner_run_item(owner, &item, deadline, error);

	if (status == RL_OK) {
		*outcome = item.outcome;
	}
	return status;
}

enum rl_status rl_owner_inspect(struct rl_owner *owner, const struct rl_keys *keys,
	bool everywhere, rl_time deadline, struct rl_lock_state *state, struct rl_error *error)
{
	struct rl_step step = { RL_STEP_INSPECT, .keys = keys, .everywhere = everywhere };
	struct rl_batch_item item = { .step = &step };
	enum rl_status status;

	owner->backend->repeat(owner, keys, deadline, NULL);
	status = rl_owner_run_item(owner, &item, deadline, error);
	if (status == RL_OK) {
		*state = item.state;
	}
	return status;
}
