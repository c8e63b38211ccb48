/*
 * The votes of a majority's nodes on one lease, for release, extend and break.
 *
 *   OURS   a majority still holds it for us: nobody else can have had it meanwhile
 *   GONE   a majority holds it for us, or has no lock but our fence: none of these nodes has
 *          granted it to anybody since, and any other majority contains one of them. So nobody has
 *          had it
 *   TAKEN  neither: another has had it, or that cannot be excluded
 *   BY_NAME  likewise neither; but none of them says that, and one that its name has ended it
 */
#ifndef RL_VOTES_H
#define RL_VOTES_H

#include "protocol.h"

struct rl_votes {
	size_t needed;
	size_t ours, gone, other;      /* nodes */
	enum rl_answer others;         /* what the other ones said, by its weight */
	int64_t left_ms[RL_NODES_MAX]; /* of the lease, on those where it is ours */
};

void rl_votes_begin(struct rl_votes *votes, size_t nodes);
void rl_votes_count(struct rl_votes *votes, const struct rl_outcome *outcome);
/* OURS: for how long a majority holds it. */
int64_t rl_votes_left(const struct rl_votes *votes);
/* How many have voted. */
size_t rl_votes_counted(const struct rl_votes *votes);
/*
 * Whether the answer is certain while `open` nodes may still vote. With none it is if a majority
 * has voted.
 */
bool rl_votes_decide(const struct rl_votes *votes, size_t open, enum rl_answer *answer);

#endif
