#include "claim.h"
#include "protocol.h"

#include <stdlib.h>
#include <string.h>

enum state {
	OUT,    /* the answer has not come */
	CUT,    /* it will not come, or was none: to be sent again */
	REFUSED /* the baton was worth nothing any more */
};

struct rl_claim {
	struct rl_deferred deferred; /* while it is out */
	struct rl_lease *lease;      /* NULL: it has ended, nobody is interested */
	struct rl_session session;   /* what it went out on; not ours while it is out */
	struct rl_step step;
	char baton[RL_BATON_MAX];
	int64_t lease_ms;
	enum state state;
	bool in_vain; /* its answer has been waited for */
};

static void conclude(struct rl_claim *claim, enum rl_answer answer)
{
	struct rl_lease *lease = claim->lease;

	if (answer == RL_ANSWER_OURS) {
		lease->safe_until = rl_lease_safe_until(claim->step.call.sent_at, claim->lease_ms);
		lease->claim = NULL;
		free(claim);
	} else {
		claim->state = REFUSED;
	}
}

static bool is_answer(const struct rl_reply *reply)
{
	return reply && reply->type == RL_REPLY_INTEGER && reply->integer >= RL_ANSWER_OURS
		&& reply->integer <= RL_ANSWER_NO_FENCE;
}

/* Called by whoever reads the connection. */
static void on_reply(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct rl_claim *claim = (struct rl_claim *)deferred;

	if (!claim->lease) {
		free(claim);
	} else if (is_answer(reply)) {
		conclude(claim, (enum rl_answer)reply->integer);
	} else {
		claim->state = CUT;
		claim->step.call.unanswered++; /* it may have been done: the lease would have begun then */
	}
}

/*
 * Until the claim's answer: L holds the baton, which lives at least until a window after
 * asked_at; or the token, for the lease from a moment after the claim was sent.
 */
static rl_time safe_unanswered(rl_time asked_at, rl_time sent_at, int64_t lease_ms)
{
	rl_time as_baton = rl_lease_safe_until(asked_at, RL_CLAIM_WINDOW_MS);
	rl_time as_token = rl_lease_safe_until(sent_at, lease_ms);

	return rl_time_earlier(as_baton, as_token);
}

enum rl_status rl_claim_send(struct rl_route *route, struct rl_lease *lease, struct rl_text baton, int64_t lease_ms,
	rl_time asked_at, struct rl_session *session, struct rl_error *error)
{
	struct rl_claim *claim = calloc(1, sizeof *claim);
	enum rl_status status;

	if (!claim || baton.length > sizeof claim->baton) {
		free(claim);
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	memcpy(claim->baton, baton.data, baton.length);
	claim->deferred.on_reply = on_reply;
	claim->lease = lease;
	claim->session = *session;
	claim->lease_ms = lease_ms;
	rl_protocol_claim(&claim->step, lease, (struct rl_text){ claim->baton, baton.length }, lease_ms);
	/* With its text: nobody will be there to hear that the server does not know the script. */
	status = rl_call_send_text(route, &claim->step.call, session, rl_now() + route->timeout, error);
	if (status == RL_OK) {
		rl_connection_defer(session->connection, &claim->deferred);
		lease->claim = claim;
		lease->safe_until = safe_unanswered(asked_at, claim->step.call.sent_at, lease_ms);
	} else {
		free(claim);
	}
	rl_session_end(session);
	return status;
}

void rl_claim_look(struct rl_lease *lease)
{
	if (lease->claim && lease->claim->state == OUT) {
		rl_connection_read_deferred(lease->claim->deferred.connection, 0);
	}
}

bool rl_claim_was_refused(const struct rl_lease *lease)
{
	return lease->claim && lease->claim->state == REFUSED;
}

static enum rl_status send_again(struct rl_route *route, struct rl_claim *claim, rl_time deadline, struct rl_error *error)
{
	enum rl_answer answer;
	enum rl_status status = rl_protocol_run(route, &claim->step, deadline, &answer, error);

	if (status == RL_OK) {
		conclude(claim, answer);
	}
	return status;
}

/* The connection is closed, lest the next call waits there again: so the claim is cut. */
static enum rl_status give_up(struct rl_route *route, struct rl_claim *claim, struct rl_error *error)
{
	struct rl_session session = claim->session;

	rl_fail(error, RL_UNREACHABLE, "Redis at %s: no answer within the timeout; is the server overloaded or frozen?", route->name);
	if (rl_session_resume(&session)) {
		session.connection->broken = true;
		rl_session_unreachable(&session, route, claim->step.call.keys[0], error);
		rl_session_end(&session);
	}
	return RL_UNREACHABLE;
}

enum rl_status rl_claim_await(struct rl_route *route, struct rl_lease *lease, rl_time deadline, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	if (lease->claim && lease->claim->state == OUT) {
		rl_connection_read_deferred(lease->claim->deferred.connection, deadline);
	}
	if (lease->claim && lease->claim->state == OUT) {
		status = give_up(route, lease->claim, error);
	} else if (lease->claim && lease->claim->state == CUT) {
		status = send_again(route, lease->claim, deadline, error);
	}
	if (!lease->claim) {
		return RL_OK;
	}
	lease->claim->in_vain = true;
	return status == RL_OK ? RL_NO : status;
}

void rl_claim_await_once(struct rl_route *route, struct rl_lease *lease, rl_time deadline)
{
	struct rl_error ignored;

	if (lease->claim && !lease->claim->in_vain) {
		rl_claim_await(route, lease, deadline, &ignored);
	}
}

bool rl_claim_session(struct rl_lease *lease, struct rl_session *session)
{
	struct rl_claim *claim = lease->claim;

	if (!claim || claim->state != OUT) {
		return false;
	}
	*session = claim->session;
	return rl_session_resume(session);
}

void rl_claim_abandon(struct rl_lease *lease)
{
	struct rl_claim *claim = lease->claim;

	lease->claim = NULL;
	if (claim && claim->state == OUT) {
		claim->lease = NULL; /* whoever reads or closes the connection frees it */
	} else {
		free(claim);
	}
}
