#include "majority.h"

const struct rl_backend rl_backend_majority = {
	.ask = rl_majority_ask,
	.run = rl_majority_run,
	.run_batch = rl_majority_run_batch,
	.adopt = rl_majority_adopt,
	.inspect = rl_majority_inspect,
	.inspect_many = rl_majority_inspect_many,
	.release = rl_majority_release,
	.release_many = rl_majority_release_many,
	.send_release = rl_majority_send_release,
	.discard = rl_majority_discard,
	.repeat = rl_majority_repeat,
	.is_to_repeat = rl_majority_is_to_repeat,
};
