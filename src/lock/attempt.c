#include "attempt.h"
#include "owner/internal.h"

enum rl_status rl_attempt_release_own(struct rl_attempt *attempt, int64_t flag_ms, rl_time deadline,
	struct rl_session *session, struct rl_error *error)
{
	struct rl_owner *owner = attempt->owner;
	enum rl_status status = RL_OK;

	if (owner->backend->is_to_repeat(owner, attempt->lease)) {
		rl_session_end(session);
		owner->backend->repeat(owner, &attempt->lease->keys, deadline);
		status = owner->backend->ask(attempt, flag_ms, deadline, session, error);
	}
	if (status == RL_OK && !attempt->grant.ours && attempt->lease->copies_until) {
		status = rl_attempt_renew_token(attempt, error);
		if (status != RL_OK) {
			rl_session_end(session);
		}
	}
	return status;
}

enum rl_status rl_attempt_renew_token(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_owner *owner = attempt->owner;
	struct rl_lease *old = attempt->lease;
	struct rl_lease *lease;
	enum rl_status status = rl_lease_new_like(owner->prefix, old, &lease, error);

	if (status == RL_OK) {
		status = rl_token_renew(&lease->token, error);
		if (status != RL_OK) {
			rl_lease_free(lease);
		}
	}
	attempt->maybe_held = status != RL_OK;
	if (status == RL_OK) {
		attempt->lease = lease;
		owner->backend->discard(owner, old, true);
	}
	return status;
}

bool rl_attempt_may_retry(const struct rl_attempt *attempt, enum rl_status failure)
{
	return failure == RL_UNREACHABLE || (failure == RL_REFUSED && attempt->is_transient);
}
