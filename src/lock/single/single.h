/*
 * The backend of every route but a majority: one server answers for a lock. These are functions of
 * its table (backend.c), and ../owner/backend.h says what each of them does.
 */
#ifndef RL_SINGLE_H
#define RL_SINGLE_H

#include "../owner/internal.h"

struct rl_ask_terms;
struct rl_attempt;

/* ask.c */
enum rl_status rl_single_ask(
	struct rl_attempt *attempt, struct rl_ask_terms *how, struct rl_error *error);

/*
 * run.c: one step on the server that its lock is on, or many, pipelined to each server that they
 * concern. One is tried for as long as there is time. Of many, those that a changed map has turned
 * away are sent again; others that are refused, or not answered until the deadline, are left to the
 * caller.
 */
enum rl_status rl_single_run(struct rl_batch *batch);

/*
 * discarded.c: takes and releases of which nobody knows whether they were done, because the answer
 * was lost, and what was written behind it may never have been read. Each is released (once more)
 * at the next contact with its server, at the latest when the owner ends, with the delay that was
 * asked for. Every take has a token of its own, so this never frees another's lock.
 */
void rl_single_discard(struct rl_owner *owner, struct rl_lease *lease, bool maybe_held);
enum rl_status rl_single_release_discarded(struct rl_owner *owner, const struct rl_keys *near,
	rl_time deadline, struct rl_error *error);
bool rl_single_has_discarded(struct rl_owner *owner, const struct rl_lease *taken);

#endif
