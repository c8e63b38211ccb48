/*
 * The built-in retry strategies.
 */
#ifndef PHP_RLOCK_RETRY_H
#define PHP_RLOCK_RETRY_H

#include "php.h"

void php_rlock_register_retry(void);

/* What nextBackoff() of an RLock\Retry returns; false: null. `attempt` is 1 or more. */
bool php_rlock_retry_next(zend_object *object, zend_long attempt, double *seconds);

#endif
