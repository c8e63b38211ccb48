/*
 * Taking one lock: what getLock(), getSharedLock() and synchronized() share. Beside them is
 * waitUntilFree(), which waits as they do and takes nothing.
 */
#ifndef PHP_RLOCK_ACQUIRE_H
#define PHP_RLOCK_ACQUIRE_H

#include "argument.h"
#include "object.h"

/*
 * Takes the lock `key`, in the frame of the object: `terms` have what is not among the other
 * arguments. RL_OK: taken; RL_NO: it stayed busy; anything else: thrown.
 */
enum rl_status php_rlock_acquire(struct php_rlock_object *lock, zend_string *key,
	struct php_rlock_optional ttl, double wait, struct rl_acquire terms);

/*
 * The methods getLock() and getSharedLock(): of RLock, whose first argument is the key, or of
 * `detached`, a name that `lock` has made, where it is `key`.
 */
void php_rlock_acquire_method(INTERNAL_FUNCTION_PARAMETERS, struct php_rlock_object *lock,
	bool is_shared, zend_string *key, struct rl_detached *detached);

#endif
