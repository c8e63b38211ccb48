#include "baton.h"
#include "claim.h"
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

/*
 * Surely good for long enough to begin with before the claim is answered. Who looks after leases from
 * another thread must know that there is one, and replicas must have it.
 */
static bool may_ride(const struct rl_attempt *attempt, rl_time after)
{
	const struct rl_owner_terms *terms = &attempt->owner->terms;

	return !terms->renew && !terms->alarmed && attempt->owner->route->replicas == 0
		&& rl_now() - after < RL_CLAIM_WINDOW_MS * RL_MILLISECOND / 2;
}

/* A young baton is ours at once: the claim rides along. RL_NO: it was too late all the same. */
static enum rl_status ride(struct rl_attempt *attempt, struct rl_text baton, rl_time after, struct rl_session *session,
	struct rl_error *error)
{
	struct rl_route *route = attempt->owner->route;
	rl_time now = rl_now();
	enum rl_status status = rl_claim_send(route, attempt->lease, baton, attempt->lease_ms, after, session, error);

	if (status != RL_OK) {
		return rl_baton_claim(attempt, baton, error);
	}
	if (!may_ride(attempt, after)) {
		/* Sending took its time. */
		status = rl_claim_await(route, attempt->lease, rl_owner_deadline_anew(attempt->owner), error);
	}
	if (status == RL_OK) {
		attempt->asked_at = now;
		attempt->grant = (struct rl_grant){ .ours = true, .fence = rl_token_baton_fence(baton.data, baton.length) };
	} else if (status == RL_NO) {
		rl_claim_abandon(attempt->lease);
	} else {
		attempt->maybe_held = true;
	}
	return status;
}

enum rl_status rl_baton_take(struct rl_attempt *attempt, struct rl_text baton, rl_time after, struct rl_session *session,
	struct rl_error *error)
{
	if (may_ride(attempt, after)) {
		return ride(attempt, baton, after, session, error);
	}
	rl_session_end(session);
	return rl_baton_claim(attempt, baton, error);
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

void rl_baton_pass_turn_on(struct rl_attempt *attempt, const char *turn)
{
	struct rl_error ignored;
	struct rl_step step;
	enum rl_answer answer;

	rl_protocol_pass_turn_on(&step, &attempt->lease->keys, turn);
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
