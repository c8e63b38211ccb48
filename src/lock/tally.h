/*
 * The votes of a majority's nodes on one lease, for release, extend, and break.
 *
 *   OURS   a majority still has it as ours: nobody else can have had it meanwhile
 *   GONE   a majority has it as ours, or gone with our fence unchanged: none of those nodes has
 *          granted it to anybody since, and any other majority has one of them in it. So nobody has had it
 *   TAKEN  neither: another has had it, or that cannot be excluded
 */
#ifndef RL_TALLY_H
#define RL_TALLY_H

#include "step.h"

struct rl_tally {
	size_t needed;
	size_t ours, gone, other; /* nodes */
	enum rl_answer others;    /* what the other ones said, TAKEN first of all */
};

void rl_tally_begin(struct rl_tally *tally, size_t node_count);
void rl_tally_count(struct rl_tally *tally, enum rl_answer answer);
/* How many have voted. */
size_t rl_tally_votes(const struct rl_tally *tally);
/* Whether the answer is certain while `open` nodes may still vote. With none it is if a majority has voted. */
bool rl_tally_decide(const struct rl_tally *tally, size_t open, enum rl_answer *answer);

#endif
