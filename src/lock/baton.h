/*
 * What a waiter does with the baton that a release has passed to it, or with the ticket: makes it its own, or passes it
 * on.
 */
#ifndef RL_BATON_H
#define RL_BATON_H

#include "attempt.h"

/* Whether what the wake list has brought is good for an ask only: a ticket, or a baton for a share. */
bool rl_baton_is_for_turnstile(const struct rl_attempt *attempt, struct rl_text pass);
/*
 * Claims the lock with a baton, or asks with a ticket, and waits for the answer. RL_OK: attempt->grant is ours; RL_NO: the baton was too old;
 * RL_UNREACHABLE, RL_REFUSED: the claim failed.
 */
enum rl_status rl_baton_claim(struct rl_attempt *attempt, struct rl_text baton, struct rl_error *error);
/* Gives up our place at the turnstile, since we do not wait any more: the next waiter is the first then. */
void rl_baton_leave(struct rl_attempt *attempt);
/* Passes it to the next waiter, or frees the lock, since we do not wait any more. */
void rl_baton_pass_on(struct rl_attempt *attempt, struct rl_text baton);

#endif
