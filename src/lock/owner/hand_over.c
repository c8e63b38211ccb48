/*
 * Giving a lock away: the grant stays the same, under a token that nobody has yet.
 */
#include "internal.h"

enum rl_status rl_owner_hand_over(struct rl_owner *owner, struct rl_text key, int64_t lease_ms,
	struct rl_token *token, struct rl_error *error)
{
	struct rl_lease *lease, *successor; /* nobody's until it is adopted */
	struct rl_replacement replacement;
	char name[RL_NAME_SIZE];
	enum rl_status status = rl_owner_use(owner, key, &lease, error);

	if (status == RL_OK && lease->is_share) {
		return rl_fail(error, RL_MISUSE, "A share of the lock \"%s\" cannot be handed over",
			rl_lease_name(lease, name, sizeof name));
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
	rl_owner_remove(owner, lease);
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
