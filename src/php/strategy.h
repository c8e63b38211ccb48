/*
 * The retry strategy that an RLock was constructed with: an RLock\Retry, which is asked directly,
 * or an object of PHP code.
 */
#ifndef PHP_RLOCK_STRATEGY_H
#define PHP_RLOCK_STRATEGY_H

#include "php.h"

struct php_rlock_object;

extern zend_class_entry *php_rlock_retry_strategy_ce;

struct php_rlock_strategy {
	zval object;           /* undefined: none */
	zend_function *method; /* its nextBackoff(); NULL: it is an RLock\Retry */
};

/*
 * Takes a reference to the object, which the core asks from now on while it waits for a lock. An
 * exception or a fatal error in PHP code ends the wait, and php_rlock_object_leave() goes on with
 * it.
 */
void php_rlock_strategy_set(struct php_rlock_object *lock, zval *object);
void php_rlock_strategy_clear(struct php_rlock_strategy *strategy);

/* Whether it allows no retry at all, as far as can be told without calling PHP code. */
bool php_rlock_strategy_is_empty(const struct php_rlock_strategy *strategy);

#endif
