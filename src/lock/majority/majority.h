/*
 * The backend for a majority of independent masters (Redlock): each node runs the same scripts as a
 * single server does, all are asked at once, and what more than half of them say is the answer.
 *
 * Whoever is granted the lock by a majority excludes all others, since two majorities have a node
 * in common, which grants it to one. So a lease is ours while a majority of nodes holds it, and
 * what a minority holds is nobody's: a try that fails is taken back everywhere, and what a node
 * may still hold of a lease that is over is released there without anybody waiting (discarded.c).
 *
 * There are no batons: a waiter asks now and then. And there is no fence: each node counts its
 * own, which tells here, too, whether anybody was granted the lock since, but of two grants the
 * later one need not have the higher numbers.
 *
 * Below are the functions of its table (backend.c), which ../owner/backend.h explains, and helpers
 * that these files share. holding.c has what one node holds of a lease, ../votes.c what the nodes'
 * answers decide.
 */
#ifndef RL_MAJORITY_H
#define RL_MAJORITY_H

#include "../owner/internal.h"
#include "holding.h"

struct rl_ask_terms;
struct rl_attempt;
struct rl_late;

/* ask.c */
enum rl_status rl_majority_ask(
	struct rl_attempt *attempt, struct rl_ask_terms *how, struct rl_error *error);

/* ballot.c */
/* Runs steps. */
enum rl_status rl_majority_vote(struct rl_batch *batch);
/* inspect.c: what a majority sees alike, or has of the same name; otherwise it is free. */
enum rl_status rl_majority_inspect(struct rl_batch *batch);

/* release.c */
/* To nodes that do not answer it is sent later. */
enum rl_status rl_majority_release(struct rl_batch *batch);
/* Sends what is to be sent of one and is not out, and what is answered is heard later, if it is. */
void rl_majority_release_unheard(struct rl_route *route, struct rl_late *late);
bool rl_majority_send_release(struct rl_owner *owner, struct rl_release *release, rl_time deadline);

/* discarded.c */
void rl_majority_discard(struct rl_owner *owner, struct rl_lease *lease, bool maybe_held);
enum rl_status rl_majority_release_discarded(struct rl_owner *owner, const struct rl_keys *near,
	rl_time deadline, struct rl_error *error);
bool rl_majority_has_discarded(struct rl_owner *owner, const struct rl_lease *taken);

#endif
