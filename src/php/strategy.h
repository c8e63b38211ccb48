/*
 * The retry strategy of an RLock: a built-in one, asked directly, or an object of PHP code.
 */
#ifndef PHP_RLOCK_STRATEGY_H
#define PHP_RLOCK_STRATEGY_H

#include "php.h"

#include "../base/system.h"

struct php_rlock_strategy {
	zval object;           /* undefined: none */
	zend_function *method; /* its nextBackoff(); NULL: a built-in one */
};

/* Takes a reference. `object` NULL: none. */
void php_rlock_strategy_set(struct php_rlock_strategy *strategy, zval *object);
void php_rlock_strategy_clear(struct php_rlock_strategy *strategy);

/* It is known, without asking PHP code, that it will allow no retry. */
bool php_rlock_strategy_is_empty(const struct php_rlock_strategy *strategy);

enum php_rlock_retry {
	PHP_RLOCK_RETRY_AFTER,
	PHP_RLOCK_RETRY_NO_MORE,
	PHP_RLOCK_RETRY_THROWN,
	PHP_RLOCK_RETRY_BAILED_OUT
};

/* The pause before retry number `attempt`. A fatal error in PHP code is caught, to be sent on its way by the caller. */
enum php_rlock_retry php_rlock_strategy_next(struct php_rlock_strategy *strategy, zend_long attempt, rl_time *pause);

#endif
