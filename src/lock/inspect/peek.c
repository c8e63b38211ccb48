/*
 * A value that a lock guards, looked at without the lock, or written while the lock stays ours.
 */
#include "../guarded.h"
#include "../owner/internal.h"

struct peek {
	struct rl_guarded *guarded;
	bool has_memory;
};

static bool read_value(void *context, const struct rl_reply *reply)
{
	struct peek *peek = context;

	if (reply->type != RL_REPLY_ARRAY || reply->count != 1) {
		return false;
	}
	peek->has_memory = rl_guarded_keep(peek->guarded, &reply->elements[0]);
	return true;
}

enum rl_status rl_owner_peek(
	struct rl_owner *owner, struct rl_guarded *guarded, struct rl_error *error)
{
	struct peek peek = { .guarded = guarded };
	struct rl_step step = { RL_STEP_PEEK, .guarded = guarded };
	struct rl_batch_item item = { .step = &step, .read = read_value, .context = &peek };
	enum rl_status status = rl_owner_run_item(
		owner, &item, rl_owner_deadline(owner, rl_now()), error);

	return status == RL_OK && !peek.has_memory ? rl_fail_for_memory(error) : status;
}

enum rl_status rl_owner_save(struct rl_owner *owner, struct rl_text key,
	struct rl_guarded *guarded, struct rl_error *error)
{
	struct rl_step step = { RL_STEP_CLOSE, .guarded = guarded };
	struct rl_outcome outcome;
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	enum rl_status status = rl_owner_use_alone(owner, key, deadline, &step.lease, error);

	if (status != RL_OK) {
		return status;
	}
	rl_assert(!step.lease->tenure.unanswered_ms);
	guarded->keeps = true;
	status = rl_owner_run(owner, &step, deadline, &outcome, error);
	guarded->keeps = false;
	if (status != RL_OK) {
		return status;
	}
	if (outcome.answer != RL_ANSWER_OURS) {
		return rl_owner_end_lost(owner, step.lease, outcome.answer, rl_now(), deadline, error);
	}
	guarded->is_absent = outcome.had_no_value;
	if (!guarded->is_absent) {
		guarded->was_there = guarded->how != RL_GUARDED_DELETE;
	}
	return RL_OK;
}
