/*
 * Giving a lock away: a new grant, under a token that nobody has yet.
 */
#include "../owner/anew.h"

enum rl_status rl_owner_can_hand_over(struct rl_owner *owner, struct rl_error *error)
{
	return owner->backend->can_share
		? RL_OK
		: rl_fail(error, RL_MISUSE,
			"On a majority of servers no lock is handed over or adopted: take it by a name, with detached(), "
			"which another process can say, too");
}

/* RL_OK: `successor`, which is nobody's until it is adopted. */
static enum rl_status make_successor(struct rl_owner *owner, const struct rl_lease *lease,
	struct rl_text key, struct rl_lease **successor, struct rl_error *error)
{
	struct rl_lease_terms terms = { .prefix = owner->prefix,
		.name = key,
		.nobody = true,
		.metadata = rl_token_metadata(&lease->token) };
	char name[RL_NAME_SIZE];

	if (lease->tenure.is_share) {
		return rl_fail(error, RL_MISUSE, "A share of the lock \"%s\" cannot be handed over",
			rl_lease_name(lease, name, sizeof name));
	}
	return rl_lease_new(&terms, successor, error);
}

enum rl_status rl_owner_hand_over(struct rl_owner *owner, struct rl_text key, int64_t lease_ms,
	struct rl_token *token, struct rl_error *error)
{
	struct rl_lease *lease, *successor;
	struct rl_outcome outcome = { .answer = RL_ANSWER_OURS };
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	struct rl_step step = { RL_STEP_HAND_OVER, .lease_ms = lease_ms };
	enum rl_status status = rl_owner_can_hand_over(owner, error);

	if (status == RL_OK) {
		status = rl_owner_use_alone(owner, key, deadline, &lease, error);
	}
	if (status == RL_OK) {
		status = make_successor(owner, lease, key, &successor, error);
	}
	if (status != RL_OK) {
		return status;
	}
	status = rl_anew_settle(owner, lease, deadline, &outcome.answer, error);
	if (status == RL_OK && outcome.answer == RL_ANSWER_OURS) {
		rl_watch_pause(lease); /* what is in flight asks for our token, and finds another */
		step.lease = lease;
		step.successor = &successor->token;
		owner->backend->repeat(owner, &lease->keys, deadline, NULL);
		status = rl_owner_run(owner, &step, deadline, &outcome, error);
	}
	if (status != RL_OK && !step.doubt.fate_unknown) {
		rl_lease_free(successor);
		rl_watch_go_on_as_before(lease);
		return status; /* nothing was done: it is still ours */
	}
	rl_owner_remove(owner, lease);
	if (status == RL_OK && outcome.answer == RL_ANSWER_OURS) {
		*token = successor->token;
		successor->token.text = NULL; /* the caller's now */
		rl_lease_free(successor);
	} else {
		if (status == RL_OK) {
			status = rl_verdict_judge(owner, lease, outcome.answer, rl_now(), deadline, error);
		}
		/* What may have been handed over, without anybody to know the token, must not stay. */
		owner->backend->discard(owner, successor, step.doubt.fate_unknown);
	}
	owner->backend->discard(owner, lease, step.doubt.fate_unknown);
	return status;
}
