/*
 * What the methods of RLock share.
 */
#ifndef PHP_RLOCK_CLASS_H
#define PHP_RLOCK_CLASS_H

#include "object.h"

/* Makes `out` the Lease that the object has on `key`. False: it has none, or thrown. */
bool php_rlock_class_lease(struct php_rlock_object *lock, zend_string *key, zval *out);

#endif
