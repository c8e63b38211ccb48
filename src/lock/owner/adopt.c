/*
 * Taking a lock over that was handed over: the grant stays the same, under a token of ours.
 */
#include "internal.h"

enum rl_status rl_owner_adopt(struct rl_owner *owner, struct rl_text key, struct rl_text token, int64_t lease_ms,
	struct rl_error *error)
{
	struct rl_value old = rl_token_read_value(token.data, token.length);
	struct rl_lease *held, *lease;
	struct rl_replacement replacement;
	rl_time now = rl_now();
	enum rl_status status = rl_owner_find(owner, key, &held, error);

	if (status != RL_OK && status != RL_NO) {
		return status;
	}
	if (old.kind != RL_VALUE_TOKEN || old.metadata_length > RL_METADATA_MAX) {
		return RL_NO;
	}
	status = rl_lease_new(owner->prefix, key, (struct rl_text){ old.metadata, old.metadata_length }, false, &lease, error);
	if (status != RL_OK) {
		return status;
	}
	replacement = (struct rl_replacement){ .lease = lease, .old = token, .lease_ms = lease_ms };
	status = owner->backend->replace(owner, &replacement, rl_owner_contact(owner, &lease->keys), error);
	if (status == RL_OK && replacement.answer == RL_ANSWER_OURS) {
		status = rl_owner_keep(owner, lease, replacement.asked_at, rl_lease_told(replacement.left_ms), error);
		replacement.maybe_done |= status != RL_OK;
		if (lease_ms == 0 && status == RL_UNREACHABLE) {
			status = RL_NO; /* its time was as good as over, which is no failure */
		}
	} else if (status == RL_OK) {
		status = RL_NO;
	}
	if (status == RL_OK) {
		lease->waited = rl_now() - now;
	} else {
		owner->backend->discard(owner, lease, replacement.maybe_done);
	}
	if (replacement.maybe_done && status == RL_REFUSED) {
		owner->backend->repeat_last(owner, rl_owner_deadline(owner)); /* by too few replicas */
	}
	return status;
}
