/*
 * The backend of every route but a majority: one server answers for a lock. These are functions of
 * its table (single.c), and ../owner/backend.h says what each of them does.
 */
#ifndef RL_SINGLE_H
#define RL_SINGLE_H

#include "../owner/internal.h"

/*
 * run.c: one step on the server that its lock is on, or many, pipelined to each server that they
 * concern. One is tried for as long as there is time. Of many, those that a changed map has turned
 * away are sent again; others that are refused, or not answered until the deadline, are left to the
 * caller.
 */
enum rl_status rl_single_run(struct rl_batch *batch);

/*
 * undo.c: takes and releases of which nobody knows whether they were done, because the answer was
 * lost, and what was written behind it may never have been read. Each is released (once more) at
 * the next contact with its server, at the latest when the owner ends, with the delay that was
 * asked for. Every take has a token of its own, so an undo never frees another's lock.
 */
void rl_undo_discard(struct rl_owner *owner, struct rl_lease *lease, bool maybe_held);
enum rl_status rl_undo_repeat(struct rl_owner *owner, const struct rl_keys *near, rl_time deadline,
	struct rl_error *error);
bool rl_undo_has(struct rl_owner *owner, const struct rl_lease *taken);

#endif
