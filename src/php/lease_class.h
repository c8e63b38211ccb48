/*
 * The class RLock\Lease: what an owner holds, as a value.
 */
#ifndef PHP_RLOCK_LEASE_CLASS_H
#define PHP_RLOCK_LEASE_CLASS_H

#include "php.h"

#include "../lock/owner/owner.h"

extern zend_class_entry *php_rlock_lease_ce;

/* After the class has been declared. */
void php_rlock_lease_class_register(void);

void php_rlock_lease_class_make(zval *out, zend_string *key, const struct rl_lease_view *view);

#endif
