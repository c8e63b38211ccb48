/*
 * A lock that is asked for in steps (owner.h): from the first ask to the owner's table.
 *
 *   REENTERING ──► WAITING ──► over      a held lock goes a level deeper; any other is asked for
 *        └──────────────────────┘
 *
 * Whatever is under way is in the owner's list, by its name, so that the owner does not ask for the
 * same lock a second time.
 */
#ifndef RL_PENDING_H
#define RL_PENDING_H

#include "../owner/internal.h"

/* RL_OK; RL_MISUSE: the owner waits for that lock already. */
enum rl_status rl_pending_refuse(
	const struct rl_owner *owner, struct rl_text key, struct rl_error *error);
/* Cancels all that are under way. */
void rl_pending_cancel_all(struct rl_owner *owner);

#endif
