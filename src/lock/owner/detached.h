/*
 * Detached locks: held by a name, which any process may say, and not by an owner.
 *
 * The value of L has the name, so whoever says it finds its grant at the server: by its token it is released, and to
 * prolong it a fresh token takes its place, as in an adoption. So the serials of extends and what is still on its way
 * concern one process alone, as for any lock. The owner remembers the grants that it was given or took over
 * (detached_cache.h), and uses them like others; once the server answers that one is over, it looks.
 *
 * Below is what acquire and wait need. The calls for prolongation, release and looking are in owner.h.
 */
#ifndef RL_DETACHED_H
#define RL_DETACHED_H

#include "../attempt.h"

/*
 * Makes a remembered grant of this name last for the longer of what is left and the request's lease, and exclusive if
 * that is asked for. RL_NO: none is known, or it is over, or how much is left is in doubt; or `refused`: it is a share
 * that cannot become exclusive.
 */
enum rl_status rl_detached_reenter(struct rl_owner *owner, const struct rl_acquire *request, struct rl_text holder, bool *refused,
	struct rl_error *error);
/*
 * After an ask that found the lock taken: if it is taken by the very name that asks, the attempt gets a lease that has
 * taken that grant over, and has succeeded. RL_OK: attempt->grant.ours says which, or attempt->is_refused. Does nothing for other locks.
 */
enum rl_status rl_detached_join(struct rl_attempt *attempt, struct rl_error *error);
/* As rl_owner_keep(), for a granted lease of a detached lock. */
enum rl_status rl_detached_keep(struct rl_owner *owner, struct rl_lease *lease, rl_time asked_at, int64_t lease_ms,
	struct rl_error *error);

#endif
