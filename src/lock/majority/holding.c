#include "holding.h"
#include "../owner/internal.h"
#include "../../base/number.h"

#include <stdlib.h>
#include <string.h>

/* Hears of a grant that was not waited for: what that node holds is known then. */
struct rl_late_grant {
	struct rl_deferred deferred;
	struct rl_holding *holding; /* NULL: the lease is gone */
};

static void on_grant(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct rl_late_grant *late = (struct rl_late_grant *)deferred;

	if (late->holding) {
		late->holding->late = NULL;
		if (reply && (reply->type == RL_REPLY_INTEGER || reply->type == RL_REPLY_ARRAY)) {
			rl_holding_read(late->holding, reply);
		}
	}
	free(late);
}

struct rl_deferred *rl_holding_defer(struct rl_holding *holding)
{
	struct rl_late_grant *late = malloc(sizeof *late);

	holding->state = RL_HOLDING_UNKNOWN;
	if (!late) {
		return NULL;
	}
	*late = (struct rl_late_grant){ .deferred = { .on_reply = on_grant }, .holding = holding };
	holding->late = late;
	return &late->deferred;
}

bool rl_holding_begin(struct rl_lease *lease, size_t node_count)
{
	lease->holdings = calloc(node_count, sizeof *lease->holdings);
	if (!lease->holdings) {
		return false;
	}
	lease->holding_count = node_count;
	for (size_t i = 0; i < node_count; i++) {
		memcpy(lease->holdings[i].fence_text, "0", 2);
	}
	return true;
}

void rl_holding_forget(struct rl_lease *lease)
{
	for (size_t i = 0; i < lease->holding_count; i++) {
		if (lease->holdings[i].late) {
			lease->holdings[i].late->holding = NULL;
		}
	}
	free(lease->holdings);
	rl_tokens_free(lease->others);
	rl_lease_free(lease);
}

bool rl_holding_note_found(struct rl_owner *owner, struct rl_lease *lease, struct rl_lock_state *state)
{
	if (!rl_holding_begin(lease, owner->route->node_count)) {
		return false;
	}
	for (size_t i = 0; i < lease->holding_count; i++) {
		uint32_t bit = rl_broadcast_bit(i);

		lease->holdings[i].state = state->holders & bit ? RL_HOLDING_HELD
			: state->silent & bit                       ? RL_HOLDING_UNKNOWN
														: RL_HOLDING_NONE;
	}
	lease->others = state->others;
	state->others = NULL; /* the lease's now */
	return true;
}

uint32_t rl_holding_nodes(const struct rl_lease *lease)
{
	uint32_t nodes = 0;

	for (size_t i = 0; i < lease->holding_count; i++) {
		nodes |= lease->holdings[i].state == RL_HOLDING_NONE ? 0 : rl_broadcast_bit(i);
	}
	return nodes;
}

/*
 * Whether what takes the lock may come to that node after a release that is sent on this connection. It cannot where the
 * connection still waits for its only answer: then the release is behind it.
 */
static bool may_come_later(const struct rl_holding *holding, const struct rl_connection *connection)
{
	bool is_before = holding->late && holding->late->deferred.connection == connection;

	return holding->has_copies || (holding->state == RL_HOLDING_UNKNOWN && !is_before);
}

const struct rl_call *rl_holding_call(struct rl_step *step, size_t node, const struct rl_connection *connection)
{
	if (step->lease) {
		const struct rl_holding *holding = &step->lease->holdings[node];
		const struct rl_token *others = step->lease->others;

		if (others) {
			rl_protocol_release_other(step, others[node].text ? &others[node] : &step->lease->token);
		}
		if (step->close_arg) {
			step->call.arg_count = step->close_arg + may_come_later(holding, connection);
		}
		step->call.args[step->fence_arg] = (struct rl_text){ holding->fence_text, strlen(holding->fence_text) };
	}
	return &step->call;
}

void rl_holding_note_unheard(struct rl_lease *lease, const struct rl_broadcast *broadcast, uint32_t heard,
	rl_time deadline)
{
	uint32_t unheard = broadcast->sent & ~heard;

	for (size_t i = 0; i < lease->holding_count; i++) {
		struct rl_holding *holding = &lease->holdings[i];

		holding->has_copies = broadcast->unanswered & rl_broadcast_bit(i);
		/* That it is busy says nothing of the sending that was lost. */
		if (unheard & rl_broadcast_bit(i) || (holding->has_copies && holding->state == RL_HOLDING_NONE)) {
			holding->state = RL_HOLDING_UNKNOWN;
		}
	}
	if (unheard | broadcast->unanswered) {
		rl_lease_set_copies(lease, deadline + broadcast->route->timeout); /* we know their clocks within that */
	}
}

void rl_holding_read(struct rl_holding *holding, const struct rl_reply *reply)
{
	const struct rl_reply *fence = reply->count > 1 ? &reply->elements[1] : NULL;

	if (reply->type == RL_REPLY_INTEGER && reply->integer > 0) {
		holding->state = RL_HOLDING_HELD;
		rl_number_put(holding->fence_text, reply->integer);
		return;
	}
	if (reply->count == 0 || reply->elements[0].type != RL_REPLY_INTEGER || reply->elements[0].integer != 1) {
		holding->state = RL_HOLDING_NONE;
		holding->is_taken = reply->count > 0 && reply->elements[0].type == RL_REPLY_INTEGER
			&& (reply->elements[0].integer == 0 || reply->elements[0].integer == RL_ANSWER_TAKEN);
		return;
	}
	holding->state = RL_HOLDING_HELD;
	if (fence && fence->type == RL_REPLY_STRING && fence->length < RL_FENCE_SIZE) {
		memcpy(holding->fence_text, fence->text, fence->length + 1);
	}
}

static bool is_ours(enum rl_answer answer)
{
	return answer == RL_ANSWER_OURS || answer == RL_ANSWER_PASSED;
}

bool rl_holding_has_vote(const struct rl_lease *lease, size_t node, enum rl_answer answer, rl_time asked_at)
{
	const struct rl_holding *holding = &lease->holdings[node];

	if (is_ours(answer) && (holding->has_copies || holding->state == RL_HOLDING_UNKNOWN) && rl_lease_is_outlived(lease, asked_at)) {
		return false;
	}
	return holding->state == RL_HOLDING_HELD || (holding->state == RL_HOLDING_UNKNOWN && is_ours(answer));
}

void rl_holding_end(struct rl_release *release, size_t node, enum rl_answer answer, bool again)
{
	struct rl_holding *holding = &release->lease->holdings[node];
	uint32_t bit = rl_broadcast_bit(node);

	again = again || release->unanswered_nodes & bit;
	if (!(release->voted & bit) && rl_holding_has_vote(release->lease, node, answer, release->sent_at)) {
		release->voted |= bit;
		/* An earlier sending, whose answer was lost, ended our use of it within the lease. */
		rl_votes_count(&release->votes,
			again && release->sent_at < release->lease->safe_until ? RL_ANSWER_OURS : answer);
	}
	holding->state = RL_HOLDING_NONE; /* whatever it had is gone, and what may be on its way to it finds its token closed */
}
