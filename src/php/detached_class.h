/*
 * The class RLock\NamedLock, the extension's DetachedLock: a lock and the name that holds it. It
 * keeps nothing else; what is remembered of its grants is in the owner of the RLock that made it.
 */
#ifndef PHP_RLOCK_DETACHED_CLASS_H
#define PHP_RLOCK_DETACHED_CLASS_H

#include "php.h"

#include "object.h"

extern zend_class_entry *php_rlock_detached_ce;

/* After the class has been declared. */
void php_rlock_detached_class_register(void);

void php_rlock_detached_class_make(
	zval *out, struct php_rlock_object *lock, zend_string *key, zend_string *holder);

#endif
