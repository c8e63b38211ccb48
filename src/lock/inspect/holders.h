/*
 * The searches of an owner, which rl_owner_holders() begins.
 */
#ifndef RL_HOLDERS_H
#define RL_HOLDERS_H

#include "../owner/internal.h"

/* Frees those whose call will never return. */
void rl_holders_end_all(struct rl_owner *owner);

#endif
