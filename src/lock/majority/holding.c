#include "holding.h"

uint32_t rl_holding_nodes(const struct rl_lease *lease)
{
	return lease->tenure.holdings.held | lease->tenure.holdings.unknown;
}

void rl_holding_note(struct rl_lease *lease, size_t node, bool is_held, int64_t fence)
{
	uint32_t bit = rl_broadcast_bit(node);

	lease->tenure.holdings.unknown &= ~bit;
	lease->tenure.holdings.held &= ~bit;
	lease->tenure.holdings.held |= is_held ? bit : 0;
	lease->tenure.holdings.fences[node] = fence;
}

void rl_holding_doubt(struct rl_lease *lease, uint32_t nodes)
{
	lease->tenure.holdings.held &= ~nodes;
	lease->tenure.holdings.unknown |= nodes;
}

/*
 * Where its fence is not known, the grant is named by its RANDOM. But a shorter lease must ask for
 * the fence: such a node is left with the longer one.
 */
const struct rl_call *rl_holding_form(
	struct rl_words *words, const struct rl_step *step, size_t node)
{
	bool needs_fence = step->operation == RL_STEP_EXTEND && step->how == RL_EXTEND_ANEW;
	const struct rl_token *token = &step->lease->token;
	int64_t known = step->lease->tenure.holdings.fences[node];
	struct rl_grant_name name = {
		.token = known ? rl_token_head(token) : rl_token_own(token),
		.fence = known || !needs_fence ? known : RL_NO_GRANT,
	};

	return rl_step_form_as(words, step, name);
}

bool rl_holding_has_vote(
	const struct rl_holdings *holdings, size_t node, enum rl_answer answer, bool within_lease)
{
	uint32_t bit = rl_broadcast_bit(node);
	bool is_held = holdings->held & bit, is_unknown = holdings->unknown & bit;

	return is_held || (is_unknown && answer == RL_ANSWER_OURS && within_lease);
}

void rl_holding_end(struct rl_release *release, size_t node, enum rl_answer answer, bool resent)
{
	struct rl_lease *lease = release->lease;
	struct rl_outcome outcome = { .answer = answer };
	bool in_time = release->sent_at < lease->tenure.safe_until;
	uint32_t bit = rl_broadcast_bit(node);

	resent = resent || release->copies_out & bit;
	if (!(release->voted & bit)
		&& rl_holding_has_vote(&lease->tenure.holdings, node, answer, in_time)) {
		release->voted |= bit;
		/* An earlier sending, whose answer was lost, ended our use of it within the lease. */
		if (resent && in_time) {
			outcome.answer = RL_ANSWER_OURS;
		}
		rl_votes_count(&release->votes, &outcome);
	}
	rl_holding_note(lease, node, false, 0); /* whatever it had is gone */
}
