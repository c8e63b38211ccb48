/*
 * The class RLock\Retry: the built-in retry strategies.
 */
#ifndef PHP_RLOCK_RETRY_CLASS_H
#define PHP_RLOCK_RETRY_CLASS_H

#include "php.h"

extern zend_class_entry *php_rlock_retry_ce;

/* After the class has been declared. */
void php_rlock_retry_class_register(void);

/* What nextBackoff() of this RLock\Retry returns; false: null. `attempt` is 1 or more. */
bool php_rlock_retry_class_next(zend_object *object, zend_long attempt, double *seconds);

#endif
