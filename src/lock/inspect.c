/*
 * Looking: is it ours, for how long, who holds it.
 */
#include "inspect.h"
#include "claim.h"

#include <stdlib.h>

enum rl_status rl_inspect_lease(struct rl_owner *owner, const struct rl_lease *lease, int64_t *left_ms,
	struct rl_error *error)
{
	struct rl_state state;
	rl_time deadline = rl_owner_contact(owner, &lease->keys);
	enum rl_status status = owner->backend->inspect(owner->route, &lease->keys, deadline, &state, error);

	if (status != RL_OK) {
		return status;
	}
	if (left_ms) {
		*left_ms = state.left_ms;
	}
	status = rl_state_is_of(&state, lease) ? RL_OK : RL_NO;
	rl_state_clear(&state);
	return status;
}

enum rl_status rl_owner_is_locking(struct rl_owner *owner, struct rl_text key,
	int64_t *left_ms, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_status status = rl_owner_find(owner, key, &lease, error);

	if (status == RL_OK) {
		status = rl_claim_await(owner->route, lease, rl_owner_deadline(owner), error);
	}
	return status == RL_OK ? rl_inspect_lease(owner, lease, left_ms, error) : status;
}

/*
 * Its time is over, or its claim is out: then it is safe for no longer than the baton was, which is not what the
 * caller asks. A claim that stays unanswered is no verdict before that time is over.
 */
static enum rl_status check_asking(struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error)
{
	enum rl_status status = rl_claim_await(owner->route, lease, rl_owner_deadline(owner), error);

	if (status != RL_NO && rl_now() < lease->safe_until) {
		return status;
	}
	if (status == RL_OK || status == RL_NO) {
		return rl_owner_end_late(owner, lease, rl_owner_deadline(owner), error);
	}
	return rl_owner_end_unanswered(owner, lease, error);
}

enum rl_status rl_owner_check(struct rl_owner *owner, struct rl_text key, struct rl_error *error)
{
	struct rl_lease *lease;
	const struct rl_verdict *verdict;
	char name[RL_NAME_SIZE];
	enum rl_status status = rl_owner_use(owner, key, &lease, error);

	if (status == RL_OK) {
		return rl_now() < lease->safe_until && !lease->claim ? RL_OK : check_asking(owner, lease, error);
	}
	if (status != RL_NO) {
		return status;
	}
	rl_text_printable(name, sizeof name, key);
	verdict = rl_verdict_find(&owner->verdicts, key);
	if (!verdict) {
		return rl_fail(error, RL_MISUSE, "The lock \"%s\" is not held", name);
	}
	if (verdict->status == RL_TIMED_OUT) {
		rl_fail(error, RL_TIMED_OUT,
			"The lease of \"%s\" ran out; nobody else had the lock when that was found out", name);
	} else {
		rl_fail(error, RL_LOST, "The lock \"%s\" was lost", name);
	}
	error->late_by = verdict->late_by;
	return verdict->status;
}

/* --- who holds it --- */

static enum rl_holder_kind kind_of(const struct rl_value *value)
{
	switch (value->kind) {
		case RL_VALUE_TOKEN:
			return value->owner_length ? RL_HOLDER_LEASE : RL_HOLDER_HAND_OVER;
		case RL_VALUE_DETACHED:
			return RL_HOLDER_DETACHED;
		case RL_VALUE_BATON:
			return RL_HOLDER_HAND_OVER;
		case RL_VALUE_COOLDOWN:
			return RL_HOLDER_COOLDOWN;
		case RL_VALUE_FOREIGN:
			break;
	}
	return RL_HOLDER_FOREIGN;
}

void rl_inspect_read_holder(struct rl_state *state, struct rl_holder *out)
{
	struct rl_value value;

	*out = (struct rl_holder){
		.kind = RL_HOLDER_FOREIGN, .owner = "", .left_ms = state->left_ms, .contended = state->contended
	};
	if (!state->value) {
		return; /* of another type: a foreign client's */
	}
	out->value = state->value;
	out->value_length = state->value_length;
	state->value = NULL;
	value = rl_token_read_value(out->value, out->value_length);
	out->kind = kind_of(&value);
	out->owner = value.owner;
	out->owner_length = value.owner_length;
	out->metadata = value.metadata;
	out->metadata_length = value.metadata_length;
	if (out->kind != RL_HOLDER_FOREIGN) {
		out->fence = state->fence;
	}
}

enum rl_status rl_inspect_holder(struct rl_owner *owner, const struct rl_keys *keys,
	struct rl_holder *out, struct rl_error *error)
{
	struct rl_state state;
	enum rl_status status = owner->backend->inspect(owner->route, keys, rl_owner_contact(owner, keys), &state, error);

	if (status != RL_OK) {
		return status;
	}
	if (state.left_ms == -2) {
		rl_state_clear(&state);
		return RL_NO;
	}
	rl_inspect_read_holder(&state, out);
	return RL_OK;
}

enum rl_status rl_owner_holder_now(struct rl_owner *owner, struct rl_text key,
	struct rl_holder *out, struct rl_error *error)
{
	struct rl_keys keys;
	enum rl_status status = rl_lease_keys(owner->prefix, key, &keys, error);

	if (status != RL_OK) {
		return status;
	}
	status = rl_inspect_holder(owner, &keys, out, error);
	rl_keys_free(&keys);
	return status;
}

enum rl_status rl_inspect_begin(struct rl_owner *owner, struct rl_text key, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_status status = rl_owner_find(owner, key, &lease, error);

	if (status == RL_OK) {
		status = rl_claim_await(owner->route, lease, rl_owner_deadline(owner), error);
	}
	return status == RL_NO ? RL_OK : status;
}

enum rl_status rl_owner_holder(struct rl_owner *owner, struct rl_text key,
	struct rl_holder *out, struct rl_error *error)
{
	enum rl_status status = rl_inspect_begin(owner, key, error);

	return status == RL_OK ? rl_owner_holder_now(owner, key, out, error) : status;
}

void rl_owner_holder_clear(struct rl_holder *holder)
{
	free(holder->value);
	holder->value = NULL;
}
