/*
 * Waiting for a lock that is taken.
 */
#ifndef RL_WAIT_H
#define RL_WAIT_H

#include "attempt.h"
#include "../owner/internal.h"

/*
 * Waits after an ask that found the lock taken. RL_OK:
 * attempt->grant is ours; RL_NO: the lock stayed busy, or the owner has taken it meanwhile in
 * another way; RL_INTERRUPTED; RL_UNREACHABLE; RL_REFUSED. `asked` is the result of that ask: if it
 * is not RL_OK, the ask failed as `error` says, and another may succeed.
 */
enum rl_status rl_wait(
	struct rl_attempt *attempt, enum rl_status asked, struct rl_error *error);
/*
 * Ends the owner's waits that are still under way. Their calls will never return, since a fatal
 * error has left the fibers in which they were made suspended for good. A baton that still comes is
 * passed on.
 */
void rl_wait_end_all(struct rl_owner *owner);

#endif
