/*
 * PHP code that runs while the core waits for a lock: signal handlers, and nextBackoff() of a retry
 * strategy.
 */
#ifndef PHP_RLOCK_WAIT_HOOK_H
#define PHP_RLOCK_WAIT_HOOK_H

#include "object.h"

/* Runs signal handlers, and whatever else waits for the engine's next safe point. */
struct rl_wait_hook php_rlock_wait_hook_make(struct php_rlock_object *lock);
/* How the core asks the object's retry strategy during a wait. */
struct rl_retry php_rlock_wait_hook_make_retry(struct php_rlock_object *lock);

/*
 * Whether a call of `lock` may wait, which may be within the PHP code of another wait. False: too
 * many, thrown.
 */
bool php_rlock_wait_hook_check_depth(const struct php_rlock_object *lock);

#endif
