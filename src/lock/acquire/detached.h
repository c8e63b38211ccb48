/*
 * Detached locks: held by a name, which any process may say, and not by an owner.
 *
 * The name is the token, so whoever says it is known to the server, and takes, re-enters and
 * prolongs the lock as any owner does; each of these is a new grant. A release asks for the fence
 * of a grant, so that one that comes late does not end another: that of what this process was
 * granted last, or of what it has just found.
 *
 * Below is what acquire and wait need. The calls for prolongation, release and looking are in
 * owner.h.
 */
#ifndef RL_DETACHED_H
#define RL_DETACHED_H

#include "ask.h"

/*
 * After an ask for a detached lock that was told that the very name which asks has a share of it:
 * that becomes exclusive. RL_OK: attempt->grant.ours says so, or attempt->is_refused; or neither,
 * if the share has ended since.
 */
enum rl_status rl_detached_upgrade(
	struct rl_attempt *attempt, struct rl_ask_terms *how, struct rl_error *error);
/* As rl_owner_keep(), for a granted lease of a detached lock. */
enum rl_status rl_detached_keep(struct rl_attempt *attempt, struct rl_error *error);

#endif
