/*
 * The retry strategy that an RLock was constructed with: an RLock\Retry, which is asked directly,
 * or an object of PHP code.
 */
#ifndef PHP_RLOCK_STRATEGY_H
#define PHP_RLOCK_STRATEGY_H

#include "php.h"

#include "../base/system.h"

extern zend_class_entry *php_rlock_retry_strategy_ce;

struct php_rlock_strategy {
	zval object;           /* undefined: none */
	zend_function *method; /* its nextBackoff(); NULL: it is an RLock\Retry */
};

/* Takes a reference to the object. */
void php_rlock_strategy_set(struct php_rlock_strategy *strategy, zval *object);
void php_rlock_strategy_clear(struct php_rlock_strategy *strategy);

/* Whether it allows no retry at all, as far as can be told without calling PHP code. */
bool php_rlock_strategy_is_empty(const struct php_rlock_strategy *strategy);

enum php_rlock_retry {
	PHP_RLOCK_RETRY_AFTER,
	PHP_RLOCK_RETRY_NO_MORE,
	PHP_RLOCK_RETRY_THROWN,
	PHP_RLOCK_RETRY_BAILED_OUT
};

/*
 * Sets `*pause`, the time before retry number `attempt`. A fatal error in PHP code is caught: after
 * PHP_RLOCK_RETRY_BAILED_OUT the caller has to call zend_bailout().
 */
enum php_rlock_retry php_rlock_strategy_next(
	struct php_rlock_strategy *strategy, zend_long attempt, rl_time *pause);

#endif
