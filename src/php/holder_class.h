/*
 * The class RLock\Holder: who held a lock when the server was asked, as a value.
 */
#ifndef PHP_RLOCK_HOLDER_CLASS_H
#define PHP_RLOCK_HOLDER_CLASS_H

#include "php.h"

#include "../lock/owner/owner.h"

extern zend_class_entry *php_rlock_kind_ce, *php_rlock_holder_ce;

void php_rlock_holder_class_make(zval *out, zend_string *key, const struct rl_holder *holder);
/* The same, and clears the holder, also if PHP's memory limit is reached meanwhile. */
void php_rlock_holder_class_take(zval *out, zend_string *key, struct rl_holder *holder);

#endif
