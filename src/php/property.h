/*
 * Readonly properties that several classes have.
 */
#ifndef PHP_RLOCK_PROPERTY_H
#define PHP_RLOCK_PROPERTY_H

#include "php.h"

/*
 * Sets $key, which the class `declaring` declares; `key` NULL stands for null. Constructors begin
 * with this: it returns false if the object was constructed before, and the engine has thrown.
 */
bool php_rlock_property_set_key(zend_class_entry *declaring, zend_object *object, zend_string *key);

void php_rlock_property_set_fence(zend_object *object, bool is_null, zend_long fence);
/* NULL stands for null. */
void php_rlock_property_set_metadata(zend_object *object, zend_string *metadata);

#endif
