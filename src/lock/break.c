/*
 * Administration: freeing a lock whoever holds it. We look first and then break just that grant,
 * so that a request sent twice can never break the lock of whoever came after.
 */
#include "owner_state.h"

static enum rl_status break_grant(struct rl_owner *owner, const struct rl_keys *keys, const struct rl_holder *seen,
	struct rl_error *error)
{
	struct rl_text value = { seen->value ? seen->value : "", seen->value_length };
	struct rl_token names;
	struct rl_step step;
	enum rl_answer answer;
	enum rl_status status = rl_token_make(&names, NULL, 0, true, error);

	if (status != RL_OK) {
		return status;
	}
	rl_step_break(&step, keys, value, &names);
	status = rl_step_run(owner->route, &step, rl_owner_deadline(owner), &answer, error);
	rl_token_free(&names);
	if (status == RL_OK && answer == RL_ANSWER_OTHER && !step.call.lost) {
		status = RL_NO; /* it ended by itself meanwhile */
	}
	return status;
}

enum rl_status rl_owner_break(struct rl_owner *owner, const char *key, size_t key_length, struct rl_error *error)
{
	struct rl_holder holder;
	struct rl_keys keys;
	enum rl_status status = rl_owner_holder(owner, key, key_length, &holder, error);

	if (status != RL_OK) {
		return status;
	}
	status = rl_lease_keys(owner->prefix, owner->prefix_length, key, key_length, &keys, error);
	if (status == RL_OK) {
		status = break_grant(owner, &keys, &holder, error);
		rl_keys_free(&keys);
	}
	rl_holder_clear(&holder);
	return status;
}
