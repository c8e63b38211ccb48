#include "votes.h"

#include <stdlib.h>

void rl_votes_begin(struct rl_votes *votes, size_t nodes)
{
	*votes = (struct rl_votes){
		.needed = rl_route_majority_of(nodes), .others = RL_ANSWER_OTHER
	};
}

/* That another has had it counts for most; and that its name has ended it, more than nothing. */
static int weight_of(enum rl_answer answer)
{
	switch (answer) {
		case RL_ANSWER_TAKEN:
			return 3;
		case RL_ANSWER_BY_NAME:
			return 2;
		default:
			return 1;
	}
}

void rl_votes_count(struct rl_votes *votes, const struct rl_outcome *outcome)
{
	switch (outcome->answer) {
		case RL_ANSWER_OURS:
			votes->left_ms[votes->ours++] = rl_lease_told(outcome->left_ms);
			break;
		case RL_ANSWER_GONE:
			votes->gone++;
			break;
		default:
			votes->other++;
			if (weight_of(outcome->answer) >= weight_of(votes->others)) {
				votes->others = outcome->answer;
			}
	}
}

static int most_first(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left < right) - (left > right);
}

int64_t rl_votes_left(const struct rl_votes *votes)
{
	struct rl_votes sorted = *votes;

	qsort(sorted.left_ms, sorted.ours, sizeof sorted.left_ms[0], most_first);
	return sorted.left_ms[sorted.needed - 1];
}

size_t rl_votes_counted(const struct rl_votes *votes)
{
	return votes->ours + votes->gone + votes->other;
}

bool rl_votes_decide(const struct rl_votes *votes, size_t open, enum rl_answer *answer)
{
	size_t untouched = votes->ours + votes->gone;

	if (votes->ours >= votes->needed) {
		*answer = RL_ANSWER_OURS;
		return true;
	}
	if (rl_votes_counted(votes) < votes->needed || votes->ours + open >= votes->needed) {
		return false;
	}
	*answer = untouched >= votes->needed ? RL_ANSWER_GONE : votes->other > 0 ? votes->others
																			 : RL_ANSWER_NO_FENCE;
	return untouched >= votes->needed || untouched + open < votes->needed;
}
