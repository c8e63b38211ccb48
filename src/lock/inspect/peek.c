/*
 * A value that a lock guards, looked at without the lock.
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
