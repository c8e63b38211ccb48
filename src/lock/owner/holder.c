/*
 * Who holds a lock.
 */
#include "holder.h"

#include <stdlib.h>

static enum rl_holder_kind kind_of(const struct rl_value *value)
{
	switch (value->kind) {
		case RL_VALUE_TOKEN:
			return value->owner_length ? RL_HOLDER_LEASE : RL_HOLDER_HAND_OVER;
		case RL_VALUE_DETACHED:
			return RL_HOLDER_DETACHED;
		case RL_VALUE_BATON:
		case RL_VALUE_KEPT:
			return RL_HOLDER_HAND_OVER;
		case RL_VALUE_COOLDOWN:
			return RL_HOLDER_COOLDOWN;
		case RL_VALUE_FOREIGN:
			break;
	}
	return RL_HOLDER_FOREIGN;
}

void rl_holder_read(struct rl_lock_state *state, struct rl_holder *out)
{
	struct rl_value value;

	*out = (struct rl_holder){
		.kind = state->is_shared ? RL_HOLDER_LEASE : RL_HOLDER_FOREIGN,
		.owner = "",
		.left_ms = state->left_ms,
		.contended = state->contended,
		.is_shared = state->is_shared,
		.of_shares = state->is_shared,
	};
	if (!state->value) {
		return; /* of another type: a foreign client's. Or shares of which the set was evicted */
	}
	out->value = state->value;
	out->value_length = state->value_length;
	state->value = NULL;
	value = rl_token_read_value(out->value, out->value_length);
	out->kind = kind_of(&value);
	out->is_shared = state->is_shared && out->kind != RL_HOLDER_COOLDOWN;
	out->owner = value.owner;
	out->owner_length = value.owner_length;
	out->metadata = value.metadata;
	out->metadata_length = value.metadata_length;
	if (out->kind != RL_HOLDER_FOREIGN) {
		out->fence = state->fence;
	}
}

enum rl_status rl_holder_look(struct rl_owner *owner, const struct rl_keys *keys,
	struct rl_holder *out, struct rl_error *error)
{
	struct rl_lock_state state;
	enum rl_status status = owner->backend->inspect(owner->route, keys, (struct rl_text){ NULL, 0 },
		rl_owner_contact(owner, keys), &state, error);

	if (status != RL_OK) {
		return status;
	}
	if (state.left_ms == -2) {
		rl_lock_state_clear(&state);
		return RL_NO;
	}
	rl_holder_read(&state, out);
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
	status = rl_keys_share(&keys) ? rl_holder_look(owner, &keys, out, error) : rl_fail(error, RL_NO_MEMORY, "Out of memory");
	rl_keys_free(&keys);
	return status;
}

enum rl_status rl_holder_begin(struct rl_owner *owner, struct rl_text key, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_status status = rl_owner_find(owner, key, &lease, error);

	return status == RL_NO ? RL_OK : status;
}

enum rl_status rl_owner_holder(struct rl_owner *owner, struct rl_text key,
	struct rl_holder *out, struct rl_error *error)
{
	enum rl_status status = rl_holder_begin(owner, key, error);

	return status == RL_OK ? rl_owner_holder_now(owner, key, out, error) : status;
}

void rl_owner_holder_clear(struct rl_holder *holder)
{
	free(holder->value);
	holder->value = NULL;
}
