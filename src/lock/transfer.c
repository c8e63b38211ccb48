/*
 * Giving a lock away and taking one over: the grant stays the same, under another token.
 */
#include "owner_internal.h"

enum rl_status rl_owner_hand_over(struct rl_owner *owner, struct rl_text key, int64_t lease_ms,
	struct rl_token *token, struct rl_error *error)
{
	struct rl_lease *lease, *successor; /* nobody's until it is adopted */
	struct rl_replacement replacement;
	enum rl_status status = rl_owner_use(owner, key, &lease, error);

	if (status == RL_OK) {
		status = rl_owner_await_claim(owner, lease, error);
	}
	if (status == RL_OK) {
		status = rl_lease_new(owner->prefix, key, rl_token_metadata(&lease->token), true, &successor, error);
	}
	if (status != RL_OK) {
		return status;
	}
	rl_lease_set_fence_text(successor, lease->fence_text);
	rl_watch_pause(lease); /* what is in flight asks for our token, and finds another */
	replacement = (struct rl_replacement){
		.lease = successor, .given_away = lease, .old = rl_token_text(&lease->token), .lease_ms = lease_ms
	};
	status = owner->backend->replace(owner, &replacement, rl_owner_contact(owner, &lease->keys), error);
	if (status != RL_OK && !replacement.maybe_done) {
		owner->backend->forget(successor);
		rl_watch_go_on_as_before(lease, false);
		return status; /* nothing was done: it is still ours */
	}
	rl_owner_detach(owner, lease);
	if (status == RL_OK && replacement.answer == RL_ANSWER_OURS) {
		*token = successor->token;
		successor->token.text = NULL; /* the caller's now */
		owner->backend->forget(successor);
	} else {
		if (status == RL_OK) {
			status = rl_verdict_judge(owner, lease, replacement.answer, rl_now(), error);
		}
		/* What may have been handed over, without anybody to know the token, must not stay. */
		owner->backend->discard(owner, successor, replacement.maybe_done);
	}
	owner->backend->discard(owner, lease, replacement.maybe_done);
	return status;
}

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
