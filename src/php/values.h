/*
 * The value objects Lease and Holder.
 */
#ifndef PHP_RLOCK_VALUES_H
#define PHP_RLOCK_VALUES_H

#include "php.h"

#include "../lock/owner.h"

/* Without data if there is no string. */
static inline struct rl_text php_rlock_text(const zend_string *string)
{
	return string ? (struct rl_text){ ZSTR_VAL(string), ZSTR_LEN(string) } : (struct rl_text){ NULL, 0 };
}

void php_rlock_register_values(void);

void php_rlock_make_lease(zval *lease, zend_string *key, const struct rl_lease_view *view);
void php_rlock_make_holder(zval *out, zend_string *key, const struct rl_holder *holder);

#endif
