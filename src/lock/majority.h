/*
 * A lock on a majority of independent masters (Redlock): each node runs the same scripts as a
 * single server does, all are asked at once, and what more than half of them say is the answer.
 *
 * Whoever is granted the lock by a majority excludes all others, since two majorities have a node
 * in common, which grants it to one. So a lease is ours while a majority of nodes holds it, and
 * what a minority holds is nobody's: a try that fails is taken back everywhere, and what a node
 * may still hold of a lease that is over is released there without anybody waiting (leftover.h).
 *
 * There are no batons: a waiter asks now and then. And there is no fence: each node counts its
 * own, which tells here, too, whether anybody was granted the lock since, but of two grants the later
 * one need not have the higher numbers.
 */
#ifndef RL_MAJORITY_H
#define RL_MAJORITY_H

#include "batch.h"
#include "owner_state.h"
#include "../call/broadcast.h"

/* Takes once, and takes back what came of it unless it was granted. As rl_attempt_ask(), without a session. */
enum rl_status rl_majority_ask(struct rl_attempt *attempt, rl_time deadline, struct rl_error *error);

/* As rl_step_run(), for what is no release. */
enum rl_status rl_majority_step(struct rl_route *route, struct rl_step *step, rl_time deadline,
	enum rl_answer *answer, struct rl_error *error);

/* As rl_batch_run(). */
void rl_majority_batch(struct rl_batch *batch);

/*
 * Sends several releases as one. RL_OK: their tallies may decide; those that do not are open. What
 * nodes have not answered is their leases' leftover.
 */
enum rl_status rl_majority_release(struct rl_owner *owner, struct rl_release *releases, size_t count, rl_time deadline,
	struct rl_error *error);

/* As replace in transfer.c does: the step puts `lease` in the place of another. `left_ms`: what a majority gives at least. */
enum rl_status rl_majority_replace(struct rl_route *route, struct rl_step *step, struct rl_lease *lease, rl_time deadline,
	enum rl_answer *answer, int64_t *left_ms, struct rl_error *error);

/* What a majority sees alike; otherwise it is free. state->copy is the caller's to free. */
enum rl_status rl_majority_inspect(struct rl_route *route, struct rl_step *step, rl_time deadline,
	struct rl_state *state, struct rl_error *error);

/* Nodes that may hold it. */
uint32_t rl_lease_nodes(const struct rl_lease *lease);
/* Frees a lease that is out of the owner; if `doubtful`, it is released first wherever it may be held. */
void rl_majority_discard(struct rl_owner *owner, struct rl_lease *lease, bool doubtful);

#endif
