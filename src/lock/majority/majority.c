#include "majority.h"

const struct rl_backend rl_backend_majority = {
	.ask = rl_majority_ask,
	.run = rl_majority_run,
	.run_batch = rl_majority_run_batch,
	.replace = rl_majority_replace,
	.inspect = rl_majority_inspect,
	.inspect_many = rl_majority_inspect_many,
	.note_holders = rl_majority_note_holders,
	.release = rl_majority_release,
	.release_many = rl_majority_release_many,
	.is_open = rl_majority_is_open,
	.release_unconfirmed = rl_majority_release_unconfirmed,
	.discard = rl_majority_discard,
	.forget = rl_holding_forget,
	.repeat = rl_majority_repeat,
	.repeat_last = rl_majority_repeat_last,
	.is_to_repeat = rl_majority_is_to_repeat,
	.verdict = rl_majority_verdict,
	.forget_told = rl_majority_forget_told,
	.settle = rl_majority_settle,
	.abandon = rl_majority_abandon,
};
