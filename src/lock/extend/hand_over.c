/*
 * Giving a lock away: a new grant, under a token that nobody has yet.
 */
#include "../owner/change.h"
#include "../owner/regrant.h"

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

static enum rl_status ask(struct rl_owner *owner, struct rl_step *step, rl_time deadline,
	struct rl_outcome *outcome, struct rl_error *error)
{
	enum rl_answer answer;
	enum rl_status status = rl_regrant_confirm(owner, step->lease, deadline, &answer, error);

	*outcome = (struct rl_outcome){ .fence = 0 };
	if (status != RL_OK || answer != RL_ANSWER_OURS) {
		outcome->answer = status == RL_OK ? answer : outcome->answer;
		return status;
	}
	rl_watch_pause(step->lease); /* what is in flight asks for our token, and finds another */
	return rl_owner_run_about(owner, step, deadline, outcome, error);
}

/* RL_OK: what becomes of `successor` is the caller's to say, who knows its token. */
static enum rl_status hand_over(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms,
	struct rl_lease *successor, rl_time deadline, struct rl_error *error)
{
	struct rl_step step = { RL_STEP_HAND_OVER,
		.lease = lease,
		.lease_ms = lease_ms,
		.successor = &successor->token };
	struct rl_outcome outcome;
	struct rl_change change;
	enum rl_status status;
	bool may_stay;

	rl_change_begin(&change, owner, lease, "handed over");
	status = ask(owner, &step, deadline, &outcome, error);
	RL_LIST_REMOVE(&change, link);
	if (!rl_lease_is_own(lease)) {
		rl_lease_free(successor);
		return status; /* a child of the process: it is the parent's */
	}
	/* What may have been handed over, without anybody to know the token, must not stay. */
	may_stay = step.doubt.fate_unknown
		|| (status == RL_AGAIN && outcome.answer == RL_ANSWER_OURS);
	if (status == RL_AGAIN) {
		owner->backend->discard(owner, successor, may_stay);
		return status;
	}
	if (status != RL_OK && !step.doubt.fate_unknown) {
		rl_lease_free(successor);
		rl_watch_go_on_as_before(lease);
		return status; /* nothing was done: it is still ours */
	}
	rl_owner_remove(owner, lease);
	if (status == RL_OK && outcome.answer != RL_ANSWER_OURS) {
		status = rl_verdict_judge(owner, lease, outcome.answer, rl_now(), deadline, error);
	}
	if (status != RL_OK) {
		owner->backend->discard(owner, successor, may_stay);
	}
	owner->backend->discard(owner, lease, step.doubt.fate_unknown);
	return status;
}

enum rl_status rl_owner_hand_over(struct rl_owner *owner, struct rl_text key, int64_t lease_ms,
	struct rl_token *token, struct rl_error *error)
{
	struct rl_lease *lease, *successor;
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	enum rl_status status = rl_owner_can_hand_over(owner, error);

	if (status != RL_OK) {
		return status;
	}
	do {
		status = rl_owner_use_alone(owner, key, deadline, &lease, error);
		if (status == RL_OK) {
			status = make_successor(owner, lease, key, &successor, error);
		}
		if (status == RL_OK) {
			rl_lease_pin(lease);
			status = hand_over(owner, lease, lease_ms, successor, deadline, error);
			rl_lease_unpin(lease);
		}
	} while (status == RL_AGAIN);
	if (status == RL_OK) {
		*token = successor->token;
		successor->token.text = NULL; /* the caller's now */
		rl_lease_free(successor);
	}
	return status;
}
