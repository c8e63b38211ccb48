/*
 * Giving a lock away and taking one over: the grant stays the same, under another token.
 */
#include "majority.h"

#include <string.h>

/* replace's answer when L holds the new token. */
struct replaced {
	enum rl_answer answer;
	int64_t left_ms;
	rl_time asked_at;
};

static enum rl_status read_replaced(const struct rl_session *session, const struct rl_reply *reply,
	struct rl_lease *lease, struct replaced *out, struct rl_error *error)
{
	const struct rl_reply *part = reply->elements;

	if (reply->type != RL_REPLY_ARRAY || reply->count == 0 || part[0].type != RL_REPLY_INTEGER) {
		return rl_unexpected_answer(session, error);
	}
	out->answer = (enum rl_answer)part[0].integer;
	if (out->answer != RL_ANSWER_OURS) {
		return RL_OK;
	}
	if (reply->count != 3 || part[1].type != RL_REPLY_STRING || part[2].type != RL_REPLY_INTEGER
		|| !rl_lease_set_fence_text(lease, part[1].text)) {
		return rl_unexpected_answer(session, error);
	}
	out->left_ms = part[2].integer;
	return RL_OK;
}

/* What is given away is nobody's to count on yet: replicas must have only what was adopted. */
static void begin_replace(struct rl_step *step, struct rl_lease *lease, struct rl_text old, int64_t lease_ms, bool adopt)
{
	rl_step_replace(step, lease, old, lease_ms);
	step->call.replicated_up_to = adopt ? RL_ANSWER_OURS : 0;
}

/* A node that has not put it in the old one's place may still do so, unless it has said that it does not hold the old one. */
static enum rl_status replace_on_majority(struct rl_owner *owner, struct rl_lease *lease, struct rl_text old,
	int64_t lease_ms, bool adopt, struct replaced *out, bool *doubtful, struct rl_error *error)
{
	struct rl_step step;
	enum rl_status status;

	if (!lease->shares && !rl_lease_share(lease, owner->route->node_count)) {
		*doubtful = false;
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	begin_replace(&step, lease, old, lease_ms, adopt);
	status = rl_majority_replace(owner->route, &step, lease, rl_owner_contact(owner, &lease->keys), &out->answer, &out->left_ms, error);
	*doubtful = step.call.maybe_done || (status == RL_OK && out->answer != RL_ANSWER_OURS);
	out->asked_at = step.call.sent_at;
	return status;
}

/* Puts the lease's token in the place of `old`. */
static enum rl_status replace(struct rl_owner *owner, struct rl_lease *lease, struct rl_text old, int64_t lease_ms,
	bool adopt, struct replaced *out, bool *doubtful, struct rl_error *error)
{
	struct rl_session session;
	const struct rl_reply *reply;
	struct rl_step step;
	enum rl_status status;
	rl_time deadline;

	if (owner->route->node_count) {
		return replace_on_majority(owner, lease, old, lease_ms, adopt, out, doubtful, error);
	}
	begin_replace(&step, lease, old, lease_ms, adopt);
	deadline = rl_owner_contact(owner, &lease->keys);
	status = rl_call_run(owner->route, &step.call, deadline, &session, &reply, error);
	*doubtful = step.call.maybe_done;
	if (*doubtful || (adopt && step.call.unanswered)) {
		lease->copies_until = deadline;
	}
	out->asked_at = step.call.sent_at;
	if (status == RL_OK) {
		status = read_replaced(&session, reply, lease, out, error);
		rl_session_end(&session);
	}
	return status;
}

/* A lease to be, of the same grant: nobody's until it is adopted, or our own. */
static enum rl_status successor_of(const struct rl_owner *owner, struct rl_text key, struct rl_text metadata, bool nobody,
	struct rl_lease **out, struct rl_error *error)
{
	return rl_lease_new(owner->prefix, owner->prefix_length, key.data, key.length,
		metadata.data, metadata.length, nobody, out, error);
}

/* The nodes of a majority count their own; the grant stays the same. */
static bool share_fences(struct rl_lease *successor, const struct rl_lease *lease)
{
	if (!rl_lease_share(successor, lease->share_count)) {
		return false;
	}
	for (size_t i = 0; i < lease->share_count; i++) {
		memcpy(successor->shares[i].fence_text, lease->shares[i].fence_text, RL_FENCE_SIZE);
	}
	return true;
}

/* Where the successor has taken the lease's place there is nothing left of it. */
static void forget_replaced(struct rl_lease *lease, const struct rl_lease *successor)
{
	for (size_t i = 0; i < lease->share_count; i++) {
		if (successor->shares[i].state == RL_SHARE_HELD) {
			lease->shares[i].state = RL_SHARE_NONE;
		}
	}
}

enum rl_status rl_owner_hand_over(struct rl_owner *owner, const char *key, size_t key_length, int64_t lease_ms,
	struct rl_token *token, struct rl_error *error)
{
	struct rl_lease *lease, *successor;
	struct replaced replaced;
	enum rl_status status = rl_owner_use(owner, key, key_length, &lease, error);
	bool doubtful = false;

	if (status == RL_OK) {
		status = rl_owner_settle(owner, lease, error);
	}
	if (status == RL_OK) {
		status = successor_of(owner, (struct rl_text){ key, key_length }, rl_token_metadata(&lease->token), true, &successor, error);
	}
	if (status != RL_OK) {
		return status;
	}
	rl_lease_set_fence_text(successor, lease->fence_text);
	if (lease->shares && !share_fences(successor, lease)) {
		rl_lease_free(successor);
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	rl_watch_hold(lease); /* what is in flight asks for our token, and finds another */
	status = replace(owner, successor, (struct rl_text){ lease->token.text, lease->token.length }, lease_ms, false,
		&replaced, &doubtful, error);
	if (status != RL_OK && !doubtful) {
		rl_lease_free(successor);
		rl_watch_go_on_as_before(lease, false);
		return status; /* nothing was done: it is still ours */
	}
	rl_owner_detach(owner, lease);
	if (status == RL_OK && replaced.answer != RL_ANSWER_OURS) {
		status = rl_owner_judge(owner, lease, replaced.answer, rl_now(), error);
	} else if (status == RL_OK) {
		*token = successor->token;
		successor->token.text = NULL; /* the caller's now */
	}
	/* What may have been handed over, without anybody to know the token, must not stay. */
	if (lease->shares) {
		forget_replaced(lease, successor);
	}
	rl_owner_discard(owner, successor, doubtful);
	rl_owner_discard(owner, lease, doubtful || lease->shares);
	return status;
}

enum rl_status rl_owner_adopt(struct rl_owner *owner, const char *key, size_t key_length, struct rl_text token,
	int64_t lease_ms, struct rl_error *error)
{
	struct rl_value old = rl_value_read(token.data, token.length);
	struct rl_lease *held, *lease;
	struct replaced replaced;
	enum rl_status status = rl_owner_find(owner, key, key_length, &held, error);
	bool doubtful;

	if (status != RL_OK && status != RL_NO) {
		return status;
	}
	if (old.kind != RL_VALUE_TOKEN || old.metadata_length > RL_METADATA_MAX) {
		return RL_NO;
	}
	status = successor_of(owner, (struct rl_text){ key, key_length },
		(struct rl_text){ old.metadata, old.metadata_length }, false, &lease, error);
	if (status != RL_OK) {
		return status;
	}
	status = replace(owner, lease, token, lease_ms, true, &replaced, &doubtful, error);
	if (status == RL_OK && replaced.answer == RL_ANSWER_OURS) {
		status = rl_owner_keep(owner, lease, replaced.asked_at, rl_lease_told(replaced.left_ms), error);
		doubtful |= status != RL_OK;
		if (lease_ms == 0 && status == RL_UNREACHABLE) {
			status = RL_NO; /* its time was as good as over, which is no failure */
		}
	} else if (status == RL_OK) {
		status = RL_NO;
	}
	if (status != RL_OK) {
		rl_owner_discard(owner, lease, doubtful);
	}
	if (doubtful && status == RL_REFUSED) {
		rl_owner_undo_last(owner); /* by too few replicas */
	}
	return status;
}
