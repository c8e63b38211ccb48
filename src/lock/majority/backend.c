#include "majority.h"

const struct rl_backend rl_backend_majority = {
	.ask = rl_majority_ask,
	.run = rl_majority_run,
	.run_batch = rl_majority_run_batch,
	.adopt = rl_majority_adopt,
	.inspect = rl_majority_inspect,
	.inspect_many = rl_majority_inspect_many,
	.note_found = rl_holding_note_found,
	.release = rl_majority_release,
	.release_many = rl_majority_release_many,
	.is_open = rl_majority_is_open,
	.send_release = rl_majority_send_release,
	.discard = rl_majority_discard,
	.forget = rl_holding_forget,
	.repeat = rl_majority_repeat,
	.is_to_repeat = rl_majority_is_to_repeat,
	.repeat_at_end = rl_majority_repeat_at_end,
	.abandon = rl_majority_abandon,
};
