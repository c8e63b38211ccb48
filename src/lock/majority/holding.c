#include "holding.h"
#include "../owner/internal.h"
#include "../../base/number.h"

#include <stdlib.h>
#include <string.h>

/* Hears of a grant that was not waited for: what that node holds is known then. */
struct rl_late_grant {
	struct rl_deferred deferred;
	struct rl_holding *holding; /* NULL: the lease is gone */
	rl_time until;
	void (*read)(struct rl_holding *holding, const struct rl_reply *reply);
};

static void on_grant(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct rl_late_grant *late = (struct rl_late_grant *)deferred;
	struct rl_holding *holding = late->holding;

	if (holding) {
		holding->late = NULL;
		if (reply && rl_now() < late->until) {
			late->read(holding, reply);
		}
	}
	free(late);
}

struct rl_deferred *rl_holding_defer(struct rl_holding *holding, rl_time until,
	void (*read)(struct rl_holding *holding, const struct rl_reply *reply))
{
	struct rl_late_grant *late = malloc(sizeof *late);

	holding->state = RL_HOLDING_UNKNOWN;
	if (!late) {
		return NULL;
	}
	*late = (struct rl_late_grant){
		.deferred = { .on_reply = on_grant }, .holding = holding, .until = until, .read = read
	};
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
	rl_lease_free(lease);
}

bool rl_holding_note_found(
	struct rl_owner *owner, struct rl_lease *lease, const struct rl_lock_state *state)
{
	if (!rl_holding_begin(lease, owner->route->node_count)) {
		return false;
	}
	for (size_t i = 0; i < lease->holding_count; i++) {
		uint32_t bit = rl_broadcast_bit(i);

		lease->holdings[i].fence = state->holders & bit ? state->fences[i] : 0;
		lease->holdings[i].state = state->holders & bit ? RL_HOLDING_HELD
			: state->silent & bit                       ? RL_HOLDING_UNKNOWN
														: RL_HOLDING_NONE;
	}
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
 * Where its fence is not known, the grant is named by its RANDOM. But a shorter lease must ask for
 * the fence: such a node is left with the longer one.
 */
const struct rl_call *rl_holding_call(struct rl_step *step, size_t node)
{
	if (step->lease) {
		const struct rl_token *token = &step->lease->token;
		int64_t known = step->fences[node];
		int64_t fence = known || !step->needs_fence ? known : RL_NO_GRANT;

		step->call.args[step->fence_arg].length = rl_number_put(
			step->numbers[step->fence_arg], fence);
		if (step->is_of_token) {
			step->call.args[0] = known ? rl_token_head(token) : rl_token_own(token);
		}
	}
	return &step->call;
}

void rl_holding_note_unheard(struct rl_lease *lease, const struct rl_broadcast *broadcast)
{
	uint32_t unheard = broadcast->sent & ~broadcast->heard;

	for (size_t i = 0; i < lease->holding_count; i++) {
		struct rl_holding *holding = &lease->holdings[i];
		uint32_t bit = rl_broadcast_bit(i);

		/* That it is busy says nothing of the sending that was lost. */
		if (unheard & bit || (broadcast->unanswered & bit && holding->state == RL_HOLDING_NONE)) {
			holding->state = RL_HOLDING_UNKNOWN;
		}
	}
}

void rl_holding_read(struct rl_holding *holding, const struct rl_reply *reply)
{
	struct rl_grant grant;

	if (rl_protocol_parse_grant(reply, 0, &grant)) {
		holding->state = grant.ours ? RL_HOLDING_HELD : RL_HOLDING_NONE;
		holding->fence = grant.fence;
	}
}

bool rl_holding_has_vote(bool is_held, bool is_unknown, enum rl_answer answer, bool within_lease)
{
	return is_held || (is_unknown && answer == RL_ANSWER_OURS && within_lease);
}

void rl_holding_end(struct rl_release *release, size_t node, enum rl_answer answer, bool again)
{
	struct rl_holding *holding = &release->lease->holdings[node];
	struct rl_outcome outcome = { .answer = answer };
	bool in_time = release->sent_at < release->lease->safe_until;
	bool is_held = holding->state == RL_HOLDING_HELD,
		 is_unknown = holding->state == RL_HOLDING_UNKNOWN;
	uint32_t bit = rl_broadcast_bit(node);

	again = again || release->unanswered_nodes & bit;
	if (!(release->voted & bit) && rl_holding_has_vote(is_held, is_unknown, answer, in_time)) {
		release->voted |= bit;
		/* An earlier sending, whose answer was lost, ended our use of it within the lease. */
		if (again && in_time) {
			outcome.answer = RL_ANSWER_OURS;
		}
		rl_votes_count(&release->votes, &outcome);
	}
	holding->state = RL_HOLDING_NONE; /* whatever it had is gone */
}
