#include "baton.h"
#include "owner/internal.h"

/* By the turnstile, which answers at once: a share, which needs more than the baton's fence; or a ticket. */
static enum rl_status enter(struct rl_attempt *attempt, struct rl_text pass, struct rl_error *error)
{
	struct rl_session session;
	enum rl_status status;

	attempt->pass = pass;
	status = attempt->owner->backend->ask(attempt, 0, rl_owner_deadline_anew(attempt->owner), &session, error);
	if (status != RL_OK) {
		return status;
	}
	rl_session_end(&session);
	return attempt->grant.ours ? RL_OK : RL_NO;
}

bool rl_baton_is_for_turnstile(const struct rl_attempt *attempt, struct rl_text pass)
{
	return attempt->lease->is_share || rl_token_is_ticket(pass.data, pass.length);
}

enum rl_status rl_baton_claim(struct rl_attempt *attempt, struct rl_text baton, struct rl_error *error)
{
	struct rl_take take;
	struct rl_call *call = &take.step.call;
	enum rl_answer answer;
	enum rl_status status;

	if (rl_baton_is_for_turnstile(attempt, baton)) {
		return enter(attempt, baton, error);
	}
	attempt->is_transient = false;
	rl_protocol_claim(&take.step, attempt->lease, baton, attempt->lease_ms);
	rl_protocol_undo(&take, attempt->lease);
	status = attempt->owner->backend->run(attempt->owner->route, &take.step, rl_owner_deadline_anew(attempt->owner), &answer, error);
	attempt->maybe_held |= call->maybe_done;
	if (call->unanswered) {
		rl_lease_set_copies(attempt->lease, rl_owner_deadline(attempt->owner));
	}
	attempt->is_transient = call->is_transient;
	attempt->too_few = call->too_few;
	attempt->asked_at = call->sent_at;
	if (status == RL_OK && answer != RL_ANSWER_OURS) {
		return RL_NO;
	}
	if (status == RL_OK) {
		attempt->grant = (struct rl_grant){ .ours = true, .fence = rl_token_baton_fence(baton.data, baton.length) };
	}
	return status;
}

void rl_baton_pass_on(struct rl_attempt *attempt, struct rl_text baton)
{
	struct rl_error ignored;
	struct rl_step step;
	enum rl_answer answer;

	if (!rl_token_is_ticket(baton.data, baton.length)) {
		rl_protocol_pass_on(&step, &attempt->lease->keys, baton);
	} else if (rl_lease_use_turnstile(attempt->lease, &ignored) == RL_OK) {
		rl_protocol_pass_ticket_on(&step, attempt->lease, baton);
	} else {
		return; /* the ticket ends by itself */
	}
	attempt->owner->backend->run(attempt->owner->route, &step, rl_owner_deadline_anew(attempt->owner), &answer, &ignored);
}

void rl_baton_leave(struct rl_attempt *attempt)
{
	struct rl_error ignored;
	struct rl_step step;
	enum rl_answer answer;

	rl_protocol_release(&step, attempt->lease, 0);
	attempt->owner->backend->run(attempt->owner->route, &step, rl_owner_deadline_anew(attempt->owner), &answer, &ignored);
}
