#include "property.h"

static void set_string(zend_class_entry *declaring, zend_object *object, const char *name,
	size_t length, zend_string *string)
{
	if (string) {
		zend_update_property_str(declaring, object, name, length, string);
	} else {
		zend_update_property_null(declaring, object, name, length);
	}
}

bool php_rlock_property_set_key(zend_class_entry *declaring, zend_object *object, zend_string *key)
{
	set_string(declaring, object, ZEND_STRL("key"), key);
	return !EG(exception);
}

void php_rlock_property_set_metadata(zend_object *object, zend_string *metadata)
{
	set_string(object->ce, object, ZEND_STRL("metadata"), metadata);
}

void php_rlock_property_set_fence(zend_object *object, bool is_null, zend_long fence)
{
	if (is_null) {
		zend_update_property_null(object->ce, object, ZEND_STRL("fence"));
	} else {
		zend_update_property_long(object->ce, object, ZEND_STRL("fence"), fence);
	}
}
