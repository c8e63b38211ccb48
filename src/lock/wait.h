/*
 * Waiting for a lock that is taken.
 */
#ifndef RL_WAIT_H
#define RL_WAIT_H

#include "attempt.h"
#include "owner_internal.h"

/*
 * Waits after an ask that found it taken. RL_OK: attempt->grant is ours; RL_NO: stayed busy, or the owner
 * has taken it meanwhile in another way; RL_INTERRUPTED; RL_UNREACHABLE; RL_REFUSED. Takes the session over.
 * `asked` is what the first ask came to: if not RL_OK, it failed as `error` says, and may fare better later.
 */
enum rl_status rl_wait(struct rl_attempt *attempt, struct rl_session *session, enum rl_status asked, struct rl_error *error);
/*
 * Ends the owner's waits that are still under way: their calls will never return, since a fatal error has left the
 * fibers in which they were made suspended for good. A baton that comes is passed on.
 */
void rl_wait_end_all(struct rl_owner *owner);

#endif
