/*
 * Looking: is it ours, for how long, who holds it.
 */
#include "majority.h"

#include <stdlib.h>
#include <string.h>

bool rl_state_parse(const struct rl_reply *reply, struct rl_state *state)
{
	const struct rl_reply *part = reply->elements;

	if (reply->type != RL_REPLY_ARRAY || reply->count != 4 || part[1].type != RL_REPLY_INTEGER
		|| part[3].type != RL_REPLY_INTEGER) {
		return false;
	}
	*state = (struct rl_state){
		.value = part[0].type == RL_REPLY_STRING ? part[0].text : NULL,
		.value_length = part[0].length,
		.left_ms = part[1].integer,
		.fence = part[2].type == RL_REPLY_STRING ? strtoll(part[2].text, NULL, 10) : 0,
		.contended = part[3].integer == 1,
	};
	return true;
}

/* RL_OK: `state` is valid until end_look(). */
static enum rl_status inspect(struct rl_owner *owner, const struct rl_keys *keys,
	struct rl_session *session, struct rl_state *state, struct rl_error *error)
{
	struct rl_step step;
	const struct rl_reply *reply;
	enum rl_status status;

	rl_step_inspect(&step, keys);
	session->connection = NULL;
	if (owner->route->node_count) {
		return rl_majority_inspect(owner->route, &step, rl_owner_contact(owner, keys), state, error);
	}
	status = rl_call_run(owner->route, &step.call, rl_owner_contact(owner, keys), session, &reply, error);
	if (status != RL_OK) {
		return status;
	}
	if (!rl_state_parse(reply, state)) {
		status = rl_unexpected_answer(session, error);
		rl_session_end(session);
	}
	return status;
}

static void end_look(struct rl_session *session, struct rl_state *state)
{
	free(state->copy);
	rl_session_end(session);
}

enum rl_status rl_lease_ask(struct rl_owner *owner, const struct rl_lease *lease, int64_t *left_ms,
	struct rl_error *error)
{
	struct rl_session session;
	struct rl_state state;
	enum rl_status status = inspect(owner, &lease->keys, &session, &state, error);
	bool ours;

	if (status != RL_OK) {
		return status;
	}
	/* Under another fence it is a late copy of what took it that has taken it anew. A majority tells none. */
	ours = state.value && state.value_length == lease->token.length
		&& memcmp(state.value, lease->token.text, lease->token.length) == 0
		&& (!state.fence || !lease->fence || state.fence == lease->fence);
	if (left_ms) {
		*left_ms = state.left_ms;
	}
	end_look(&session, &state);
	return ours ? RL_OK : RL_NO;
}

enum rl_status rl_owner_is_locking(struct rl_owner *owner, const char *key, size_t key_length,
	int64_t *left_ms, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_status status = rl_owner_find(owner, key, key_length, &lease, error);

	if (status == RL_OK) {
		status = rl_claim_await(owner->route, lease, rl_owner_deadline(owner), error);
	}
	return status == RL_OK ? rl_lease_ask(owner, lease, left_ms, error) : status;
}

/*
 * Its time is over, or its claim is out: then it is safe for no longer than the baton was, which is not what the caller
 * asks. A claim that stays unanswered is no verdict before that time is over.
 */
static enum rl_status check_asking(struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error)
{
	enum rl_status status = rl_claim_await(owner->route, lease, rl_owner_deadline(owner), error);

	if (status != RL_NO && rl_now() < lease->safe_until) {
		return status;
	}
	if (status == RL_OK || status == RL_NO) {
		return rl_owner_end_late(owner, lease, rl_owner_deadline(owner), error);
	}
	status = rl_owner_judge_unanswered(owner, lease, error);
	rl_owner_detach(owner, lease);
	rl_owner_discard(owner, lease, true);
	return status;
}

enum rl_status rl_owner_check(struct rl_owner *owner, const char *key, size_t key_length, struct rl_error *error)
{
	struct rl_lease *lease;
	const struct rl_loss *loss;
	char name[RL_NAME_SIZE];
	enum rl_status status = rl_owner_use(owner, key, key_length, &lease, error);

	if (status == RL_OK) {
		return rl_now() < lease->safe_until && !lease->claim ? RL_OK : check_asking(owner, lease, error);
	}
	if (status != RL_NO) {
		return status;
	}
	rl_text_printable(name, sizeof name, (struct rl_text){ key, key_length });
	loss = rl_losses_find(&owner->losses, key, key_length);
	if (!loss) {
		return rl_fail(error, RL_MISUSE, "The lock \"%s\" is not held", name);
	}
	if (loss->verdict == RL_TIMED_OUT) {
		rl_fail(error, RL_TIMED_OUT,
			"The lease of \"%s\" ran out; nobody else had the lock when that was found out", name);
	} else {
		rl_fail(error, RL_LOST, "The lock \"%s\" was lost", name);
	}
	error->late_by = loss->late_by;
	return loss->verdict;
}

/* --- who holds it --- */

static enum rl_status keep_holder(const struct rl_state *state, struct rl_holder *out, struct rl_error *error)
{
	struct rl_value value;

	*out = (struct rl_holder){ .owner = "", .left_ms = state->left_ms, .contended = state->contended };
	if (!state->value) {
		return RL_OK; /* of another type: a foreign client's */
	}
	out->value = malloc(state->value_length + 1);
	if (!out->value) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	memcpy(out->value, state->value, state->value_length);
	out->value_length = state->value_length;
	value = rl_value_read(out->value, out->value_length);
	if (value.kind == RL_VALUE_TOKEN) {
		out->owner = value.owner;
		out->owner_length = value.owner_length;
		out->metadata = value.metadata;
		out->metadata_length = value.metadata_length;
		out->fence = state->fence;
	}
	return RL_OK;
}

enum rl_status rl_keys_holder(struct rl_owner *owner, const struct rl_keys *keys,
	struct rl_holder *out, struct rl_error *error)
{
	struct rl_session session;
	struct rl_state state;
	enum rl_status status = inspect(owner, keys, &session, &state, error);

	if (status == RL_OK) {
		status = state.left_ms == -2 ? RL_NO : keep_holder(&state, out, error);
		end_look(&session, &state);
	}
	return status;
}

enum rl_status rl_owner_holder_now(struct rl_owner *owner, const char *key, size_t key_length,
	struct rl_holder *out, struct rl_error *error)
{
	struct rl_keys keys;
	enum rl_status status = rl_lease_keys(owner->prefix, owner->prefix_length, key, key_length, &keys, error);

	if (status != RL_OK) {
		return status;
	}
	status = rl_keys_holder(owner, &keys, out, error);
	rl_keys_free(&keys);
	return status;
}

enum rl_status rl_owner_look(struct rl_owner *owner, const char *key, size_t key_length, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_status status = rl_owner_find(owner, key, key_length, &lease, error);

	if (status == RL_OK) {
		status = rl_claim_await(owner->route, lease, rl_owner_deadline(owner), error);
	}
	return status == RL_NO ? RL_OK : status;
}

enum rl_status rl_owner_holder(struct rl_owner *owner, const char *key, size_t key_length,
	struct rl_holder *out, struct rl_error *error)
{
	enum rl_status status = rl_owner_look(owner, key, key_length, error);

	return status == RL_OK ? rl_owner_holder_now(owner, key, key_length, out, error) : status;
}

void rl_holder_clear(struct rl_holder *holder)
{
	free(holder->value);
	holder->value = NULL;
}
