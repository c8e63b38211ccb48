/*
 * Waiting for a lock that is taken.
 */
#ifndef RL_WAIT_H
#define RL_WAIT_H

#include "ask.h"

/*
 * Waits, after the attempt's first ask, in the queue where there can be one, with the owner's hook
 * and the retry strategy meanwhile. RL_OK: attempt->grant is ours; RL_NO: the lock stayed busy, or
 * the owner has taken it meanwhile in another way; RL_INTERRUPTED; RL_UNREACHABLE; RL_REFUSED;
 * RL_NO_MEMORY; RL_MISUSE: in a child of the process.
 */
enum rl_status rl_wait(struct rl_attempt *attempt, struct rl_error *error);
/*
 * Ends the owner's waits that are still under way, and frees their attempts. Their calls will never
 * return, since a fatal error has left the fibers in which they were made suspended for good. A
 * baton that still comes is passed on, and a lock that was granted is given back.
 */
void rl_wait_end_all(struct rl_owner *owner);

#endif
