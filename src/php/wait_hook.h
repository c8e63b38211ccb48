/*
 * PHP code that runs while the core waits, in any wait: signal handlers, which are the core's hook
 * (../base/hook.h). What else runs in the wait for a lock is in strategy.h.
 */
#ifndef PHP_RLOCK_WAIT_HOOK_H
#define PHP_RLOCK_WAIT_HOOK_H

#include "object.h"

/* Runs signal handlers, and whatever else waits for the engine's next safe point. */
struct rl_wait_hook php_rlock_wait_hook_make(struct php_rlock_object *lock);
/*
 * The same for calls that are no object's. False: the wait has to end. `*bailed_out`: there was a
 * fatal error, which the caller raises again by zend_bailout() once the core has returned.
 */
bool php_rlock_wait_hook_run(bool *bailed_out);
bool php_rlock_wait_hook_is_due(void *unused);

/*
 * Whether a call of `lock` may wait, which may be within the PHP code of another wait. False: too
 * many, thrown.
 */
bool php_rlock_wait_hook_check_depth(const struct php_rlock_object *lock);

#endif
