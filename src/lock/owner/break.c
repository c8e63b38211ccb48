/*
 * Administration: freeing a lock whoever holds it. We look first and then break just that grant,
 * so that a request sent twice can never break the lock of whoever came after. A lock that has
 * changed hands in between is still held: then we look again.
 */
#include "holder.h"

/* RL_NO: the lock holds something else by now, or nothing. `fence`: that of `seen`, if it matters; otherwise 0. */
static enum rl_status break_grant(struct rl_owner *owner, const struct rl_keys *keys, const struct rl_holder *seen,
	int64_t fence, struct rl_error *error)
{
	struct rl_text value = { seen->value ? seen->value : "", seen->value_length };
	struct rl_token names;
	struct rl_step step;
	enum rl_answer answer;
	enum rl_status status = rl_token_make(&names, (struct rl_text){ NULL, 0 }, true, error);

	if (status != RL_OK) {
		return status;
	}
	rl_protocol_break(&step, keys, value, fence, &names);
	status = owner->backend->run(owner->route, &step, rl_owner_deadline(owner), &answer, error);
	rl_token_free(&names);
	if (status == RL_OK && answer == RL_ANSWER_OTHER && !step.call.unanswered) {
		status = RL_NO;
	}
	return status;
}

/*
 * RL_NO: it is free, or not the grant with this fence. With `changed`, the grant that was seen had ended before it could
 * be broken.
 */
static enum rl_status look_and_break(struct rl_owner *owner, const struct rl_keys *keys, int64_t fence,
	bool *changed, struct rl_error *error)
{
	struct rl_holder holder;
	enum rl_status status = rl_holder_look(owner, keys, &holder, error);

	*changed = false;
	if (status != RL_OK) {
		return status;
	}
	if (fence && holder.fence != fence) {
		status = RL_NO;
	} else {
		status = break_grant(owner, keys, &holder, fence, error);
		*changed = status == RL_NO;
	}
	rl_owner_holder_clear(&holder);
	return status;
}

enum rl_status rl_owner_break(struct rl_owner *owner, struct rl_text key, int64_t fence, struct rl_error *error)
{
	enum rl_status status = rl_holder_begin(owner, key, error);
	struct rl_keys keys;
	bool changed;

	if (status == RL_OK) {
		status = rl_lease_keys(owner->prefix, key, &keys, error);
	}
	if (status != RL_OK) {
		return status;
	}
	do {
		status = look_and_break(owner, &keys, fence, &changed, error);
	} while (changed && rl_now() < rl_owner_deadline(owner));
	rl_keys_free(&keys);
	if (changed) {
		return rl_fail(error, RL_UNREACHABLE,
			"Redis at %s: the lock changed hands after each look at it, until the deadline; break it again",
			owner->route->name);
	}
	return status;
}
