#include "majority.h"

static enum rl_status run(struct rl_batch *batch)
{
	if (batch->releases) {
		return rl_majority_release(batch);
	}
	return batch->items->step->operation == RL_STEP_INSPECT ? rl_majority_inspect(batch)
															: rl_majority_vote(batch);
}

const struct rl_backend rl_backend_majority = {
	.ask = rl_majority_ask,
	.run = run,
	.send_release = rl_majority_send_release,
	.discard = rl_majority_discard,
	.release_discarded = rl_majority_release_discarded,
	.has_discarded = rl_majority_has_discarded,
};
