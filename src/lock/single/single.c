/*
 * The backend of every route but a majority: one server answers for a lock.
 */
#include "../acquire/attempt.h"
#include "../owner/internal.h"
#include "batch.h"
#include "undo.h"

#include <stdlib.h>

/* --- asking --- */

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

static enum rl_status read_grant(struct rl_attempt *attempt, const struct rl_session *session,
	const struct rl_reply *reply, bool is_opened, struct rl_error *error)
{
	const struct rl_reply *answer = is_opened ? grant_of_opened(attempt, reply) : reply;

	if (!answer || !rl_protocol_parse_grant(answer, attempt->lease_ms, &attempt->grant)) {
		attempt->grant = (struct rl_grant){ 0 };
		attempt->maybe_held = true;
		return rl_protocol_fail(session, error);
	}
	if (is_opened && attempt->grant.ours && !rl_guarded_keep(attempt->guarded, &reply->elements[1])) {
		attempt->grant = (struct rl_grant){ 0 };
		attempt->maybe_held = true;
		return rl_fail_for_memory(error);
	}
	return RL_OK;
}

static enum rl_status ask_once(struct rl_attempt *attempt, bool enters, int64_t flag_ms,
	rl_time deadline, struct rl_session *session, struct rl_error *error)
{
	bool opens = attempt->guarded && !enters;
	struct rl_step step = {
		.operation = opens ? RL_STEP_OPEN : enters ? RL_STEP_ENTER
												   : RL_STEP_ACQUIRE,
		.lease = attempt->lease,
		.guarded = attempt->guarded,
		.lease_ms = attempt->lease_ms,
		.flag_ms = flag_ms,
		.text = attempt->heard,
	};
	const struct rl_reply *reply;
	struct rl_take take;
	struct rl_call *call = rl_step_form_take(&take, &step);
	enum rl_status status;

	call->is_hasty = attempt->is_beside;
	status = rl_call_run(attempt->owner->route, call, deadline, session, &reply, error);
	attempt->maybe_held |= call->maybe_done;
	attempt->was_lost |= call->unanswered > 0;
	attempt->is_transient = call->is_transient;
	attempt->too_few = call->too_few;
	if (status != RL_OK) {
		return status;
	}
	attempt->asked_at = call->sent_at;
	attempt->answered_at = rl_now();
	status = read_grant(attempt, session, reply, opens, error);
	if (status != RL_OK) {
		rl_session_end(session);
	}
	return status;
}

/*
 * The first waiter for a lock that is held shared asks at the turnstile; but a baton it claims as
 * any waiter does.
 */
static bool is_at_turnstile(const struct rl_attempt *attempt)
{
	bool has_baton = attempt->heard.data && attempt->heard.data[0] == '~';

	return attempt->lease->is_share || (attempt->grant.place == RL_PLACE_ROOM && !has_baton);
}

static enum rl_status enter(struct rl_attempt *attempt, int64_t flag_ms, rl_time deadline,
	struct rl_session *session, struct rl_error *error)
{
	return rl_keys_share(&attempt->lease->keys)
		? ask_once(attempt, true, flag_ms, deadline, session, error)
		: rl_fail_for_memory(error);
}

/*
 * A waiter for a lock that is held shared waits at the turnstile; and a name may have a share
 * itself.
 */
static bool has_to_enter(const struct rl_attempt *attempt, int64_t flag_ms)
{
	return !attempt->grant.ours && attempt->grant.place == RL_PLACE_ROOM
		&& (flag_ms > 0 || attempt->detached);
}

static enum rl_status ask(struct rl_attempt *attempt, int64_t flag_ms, rl_time deadline,
	struct rl_session *session, struct rl_error *error)
{
	bool enters = is_at_turnstile(attempt);
	enum rl_status status = RL_OK;

	if (!enters) {
		status = ask_once(attempt, false, flag_ms, deadline, session, error);
		enters = status == RL_OK && has_to_enter(attempt, flag_ms);
		if (enters) {
			rl_session_end(session);
		}
	}
	if (enters) {
		status = enter(attempt, flag_ms, deadline, session, error);
	}
	attempt->heard.data = NULL;
	return status;
}

static enum rl_status adopt(struct rl_owner *owner, struct rl_lease *lease, struct rl_text old,
	int64_t lease_ms, rl_time deadline, struct rl_adoption *out, struct rl_error *error)
{
	struct rl_step step = {
		RL_STEP_ADOPT, .lease = lease, .text = old, .lease_ms = lease_ms
	};
	enum rl_status status = rl_protocol_run(
		owner->route, &step, deadline, &out->outcome, error);

	out->asked_at = step.sent_at;
	out->maybe_done = step.maybe_done;
	return status;
}

struct seen {
	struct rl_lock_state *state;
	enum rl_status status;
};

static bool read_seen(void *context, const struct rl_reply *reply)
{
	struct seen *seen = context;

	seen->status = rl_lock_state_read(seen->state, reply);
	return seen->status != RL_UNREACHABLE;
}

static enum rl_status inspect(struct rl_route *route, const struct rl_keys *keys, bool everywhere,
	rl_time deadline, struct rl_lock_state *state, struct rl_error *error)
{
	struct seen seen = { .state = state };
	struct rl_step step = { RL_STEP_INSPECT, .keys = keys };
	enum rl_status status = rl_protocol_query(route, &step, deadline, read_seen, &seen, error);

	return status == RL_OK && seen.status != RL_OK
		? rl_fail_for_memory(error)
		: status;
}

struct looking {
	struct rl_look *looks;
	struct rl_batch_item *items;
	struct rl_step *steps;
};

static bool read_look(void *context, size_t item, const struct rl_reply *reply)
{
	const struct looking *looking = context;

	return rl_lock_state_read(&looking->looks[item].state, reply) == RL_OK;
}

static void inspect_batch(
	struct rl_route *route, struct looking *looking, size_t count, rl_time deadline)
{
	struct rl_batch batch = { .route = route,
		.items = looking->items,
		.count = count,
		.deadline = deadline,
		.read = read_look,
		.context = looking };

	for (size_t i = 0; i < count; i++) {
		looking->steps[i] = (struct rl_step){ RL_STEP_INSPECT, .keys = looking->looks[i].keys };
		looking->items[i].step = &looking->steps[i];
	}
	rl_single_run_batch(&batch);
	for (size_t i = 0; i < count; i++) {
		looking->looks[i].answered = looking->items[i].answered;
	}
}

static void inspect_many(
	struct rl_route *route, struct rl_look *looks, size_t count, rl_time deadline)
{
	struct looking looking = { .looks = looks,
		.items = calloc(count, sizeof *looking.items),
		.steps = calloc(count, sizeof *looking.steps) };

	for (size_t i = 0; i < count; i++) {
		looks[i].answered = false;
	}
	if (looking.items && looking.steps) {
		inspect_batch(route, &looking, count, deadline);
	}
	free(looking.items);
	free(looking.steps);
}

/* --- giving back --- */

static enum rl_status release(struct rl_owner *owner, struct rl_release *release, rl_time deadline,
	enum rl_answer *answer, struct rl_error *error)
{
	struct rl_outcome outcome = { .answer = RL_ANSWER_OTHER };
	enum rl_status status = rl_protocol_run(
		owner->route, &release->step, deadline, &outcome, error);

	*answer = outcome.answer;
	return status;
}

/* If the script cache was flushed since the connection ran it, the lock ends with its lease. */
static bool send_release(struct rl_owner *owner, struct rl_release *release, rl_time deadline)
{
	struct rl_words words;
	struct rl_call *call = rl_step_form(&words, &release->step);
	bool sent = rl_call_send(owner->route, call, deadline);

	rl_step_note(&release->step, call);
	return sent;
}

static void release_many(
	struct rl_owner *owner, struct rl_release *releases, struct rl_batch *batch)
{
	rl_single_run_batch(batch);
}

const struct rl_backend rl_backend_single = {
	.passes_batons = true,
	.can_share = true,
	.ask = ask,
	.run = rl_protocol_run,
	.run_batch = rl_single_run_batch,
	.adopt = adopt,
	.inspect = inspect,
	.inspect_many = inspect_many,
	.release = release,
	.release_many = release_many,
	.send_release = send_release,
	.discard = rl_undo_discard,
	.repeat = rl_undo_repeat,
	.is_to_repeat = rl_undo_has,
};
