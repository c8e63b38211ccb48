/*
 * Takes a lock on the one server that it is on: asks on the list that the answer names, and reads
 * the value that the lock guards.
 */
#include "single.h"
#include "../acquire/ask.h"

/* What is known of the call that takes it, however it has ended. */
static void note_call(struct rl_attempt *attempt)
{
	const struct rl_call *call = &attempt->asked->take.words.call;

	rl_doubt_add(&attempt->doubt, &call->doubt);
	attempt->is_transient = call->is_transient;
	attempt->too_few = call->too_few;
}

/* NULL: it is no answer of the script. */
static const struct rl_reply *grant_of_opened(
	struct rl_attempt *attempt, const struct rl_reply *reply)
{
	static const struct rl_reply nothing[] = { { .type = RL_REPLY_INTEGER },
		{ .type = RL_REPLY_INTEGER } };
	static const struct rl_reply free_and_absent = {
		.type = RL_REPLY_ARRAY, .elements = nothing, .count = 2
	};

	if (reply->type != RL_REPLY_ARRAY) {
		return NULL;
	}
	if (reply->count == 1) {
		attempt->guarded->is_absent = attempt->is_refused = true;
		return &free_and_absent;
	}
	return reply->count == 2 ? &reply->elements[0] : NULL;
}

static enum rl_status parse_grant(struct rl_attempt *attempt, bool opens, struct rl_error *error)
{
	struct rl_request *request = &attempt->asked->request;
	const struct rl_reply *reply = request->reply;
	const struct rl_reply *answer = opens ? grant_of_opened(attempt, reply) : reply;

	if (!answer || !rl_protocol_parse_grant(answer, attempt->lease_ms, &attempt->grant)) {
		return rl_call_nonsense(&request->exchange, error);
	}
	return opens && attempt->grant.ours && !rl_guarded_keep(attempt->guarded, &reply->elements[1])
		? rl_fail_for_memory(error)
		: RL_OK;
}

static enum rl_status read_grant(struct rl_attempt *attempt, bool opens, struct rl_error *error)
{
	enum rl_status status;

	attempt->asked_at = attempt->asked->request.call->sent_at;
	attempt->answered_at = rl_now();
	status = parse_grant(attempt, opens, error);
	if (status != RL_OK) {
		attempt->grant = (struct rl_grant){ 0 };
		attempt->doubt.fate_unknown = true;
	}
	return status;
}

/* Unless it is answered, the request is over: nobody has the use of its connection. */
static enum rl_status take(struct rl_attempt *attempt, enum rl_operation operation,
	struct rl_ask_terms *how, struct rl_error *error)
{
	struct rl_request *request = &attempt->asked->request;
	struct rl_step step = {
		.operation = operation,
		.lease = attempt->lease,
		.guarded = attempt->guarded,
		.lease_ms = attempt->lease_ms,
		.flag_ms = how->flag_ms,
		.text = attempt->heard,
	};
	struct rl_call *call;
	enum rl_status status;

	rl_ask_end(attempt); /* whose words these have been */
	call = rl_step_form_take(&attempt->asked->take, &step);
	call->is_hasty = attempt->is_beside;
	rl_request_begin(request, attempt->owner->route, call, how->deadline);
	attempt->has_request = true;
	status = how->is_unheard ? rl_request_send(request, error) : rl_request_run(request, error);
	if (status != RL_OK) {
		rl_ask_end(attempt);
	}
	note_call(attempt);
	return status == RL_OK ? read_grant(attempt, operation == RL_STEP_OPEN, error) : status;
}

static enum rl_status enter(
	struct rl_attempt *attempt, struct rl_ask_terms *how, struct rl_error *error)
{
	return rl_keys_share(&attempt->lease->keys) ? take(attempt, RL_STEP_ENTER, how, error)
												: rl_fail_for_memory(error);
}

/*
 * The first waiter for a lock that is held shared asks at the turnstile; but a baton it claims as
 * any waiter does.
 */
static bool is_at_turnstile(const struct rl_attempt *attempt)
{
	bool has_baton = attempt->heard.data && attempt->heard.data[0] == '~';

	return attempt->lease->tenure.is_share || (attempt->grant.place == RL_PLACE_ROOM && !has_baton);
}

/*
 * A waiter for a lock that is held shared waits at the turnstile; and a name may have a share
 * itself.
 */
static bool has_to_enter(const struct rl_attempt *attempt, const struct rl_ask_terms *how)
{
	return !attempt->grant.ours && attempt->grant.place == RL_PLACE_ROOM
		&& (how->flag_ms > 0 || attempt->detached);
}

enum rl_status rl_single_ask(
	struct rl_attempt *attempt, struct rl_ask_terms *how, struct rl_error *error)
{
	enum rl_status status;

	if (is_at_turnstile(attempt)) {
		status = enter(attempt, how, error);
	} else {
		status = take(attempt, attempt->guarded ? RL_STEP_OPEN : RL_STEP_ACQUIRE, how, error);
		if (status == RL_OK && has_to_enter(attempt, how)) {
			rl_ask_extend_deadline(attempt, how);
			status = enter(attempt, how, error);
		}
	}
	attempt->heard.data = NULL;
	return status;
}
