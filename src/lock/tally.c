#include "tally.h"

void rl_tally_begin(struct rl_tally *tally, size_t node_count)
{
	*tally = (struct rl_tally){ .needed = rl_route_majority_of(node_count), .others = RL_ANSWER_OTHER };
}

void rl_tally_count(struct rl_tally *tally, enum rl_answer answer)
{
	switch (answer) {
		case RL_ANSWER_OURS:
		case RL_ANSWER_PASSED:
			tally->ours++;
			break;
		case RL_ANSWER_GONE:
			tally->gone++;
			break;
		default:
			tally->other++;
			if (tally->others != RL_ANSWER_TAKEN) {
				tally->others = answer;
			}
	}
}

size_t rl_tally_votes(const struct rl_tally *tally)
{
	return tally->ours + tally->gone + tally->other;
}

bool rl_tally_decide(const struct rl_tally *tally, size_t open, enum rl_answer *answer)
{
	size_t untouched = tally->ours + tally->gone;

	if (tally->ours >= tally->needed) {
		*answer = RL_ANSWER_OURS;
		return true;
	}
	if (rl_tally_votes(tally) < tally->needed || tally->ours + open >= tally->needed) {
		return false;
	}
	*answer = untouched >= tally->needed ? RL_ANSWER_GONE : tally->other > 0 ? tally->others
																			 : RL_ANSWER_UNKNOWN;
	return untouched >= tally->needed || untouched + open < tally->needed;
}
