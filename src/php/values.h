/*
 * The value objects Lease and Holder.
 */
#ifndef PHP_RLOCK_VALUES_H
#define PHP_RLOCK_VALUES_H

#include "php.h"

#include "../lock/owner.h"

void php_rlock_register_values(void);

void php_rlock_make_lease(zval *lease, zend_string *key, const struct rl_lease_view *view);
void php_rlock_make_holder(zval *out, zend_string *key, const struct rl_holder *holder);

#endif
