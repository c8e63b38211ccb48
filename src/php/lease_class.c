/*
 * The properties of a Lease are readonly and show one moment: a readonly property that changed with
 * the clock would surprise static analysers and people alike.
 *
 * Whoever has the token of a lease can free or adopt the lock. Code that reads the property gets
 * it, but what prints objects does not show it: var_dump(), print_r(), var_export(), json_encode(),
 * array casts.
 */
#include "lease_class.h"

#include "property.h"

zend_class_entry *php_rlock_lease_ce;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
	zend_object *object = zend_objects_new(ce);

	object_properties_init(object, ce);
	object->handlers = &handlers;
	return object;
}

static HashTable *get_properties_for(zend_object *object, zend_prop_purpose purpose)
{
	HashTable *properties = zend_std_build_object_properties_array(object);
	zval hidden;

	if (zend_hash_str_exists(properties, ZEND_STRL("token"))) {
		ZVAL_STRING(&hidden, "(hidden)");
		zend_hash_str_update(properties, ZEND_STRL("token"), &hidden);
	}
	return properties;
}

/* Before PHP 8.3 a clone begins with the standard handlers, which would show the token. */
static zend_object *clone_obj(zend_object *object)
{
	zend_object *copy = zend_objects_clone_obj(object);

	copy->handlers = &handlers;
	return copy;
}

void php_rlock_lease_class_register(void)
{
	handlers = *zend_get_std_object_handlers();
	handlers.clone_obj = clone_obj;
	handlers.get_properties_for = get_properties_for;
	php_rlock_lease_ce->create_object = create;
}

static void fill(zend_object *object, zend_string *token, zend_long depth, double ttl,
	zend_string *metadata, bool is_shared, double waited)
{
	zend_update_property_str(object->ce, object, ZEND_STRL("token"), token);
	zend_update_property_long(object->ce, object, ZEND_STRL("depth"), depth);
	zend_update_property_double(object->ce, object, ZEND_STRL("ttl"), ttl);
	php_rlock_property_set_metadata(object, metadata);
	zend_update_property_bool(object->ce, object, ZEND_STRL("shared"), is_shared);
	zend_update_property_double(object->ce, object, ZEND_STRL("waited"), waited);
}

ZEND_METHOD(RLock_Lease, __construct)
{
	zend_object *object = Z_OBJ_P(ZEND_THIS);
	zend_string *key, *token, *metadata = NULL;
	zend_long fence = 0, depth = 1;
	bool no_fence = true, is_shared = false;
	double ttl = 0.0, waited = 0.0;

	ZEND_PARSE_PARAMETERS_START(2, 8)
		Z_PARAM_STR(key)
		Z_PARAM_STR(token)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG_OR_NULL(fence, no_fence)
		Z_PARAM_LONG(depth)
		Z_PARAM_DOUBLE(ttl)
		Z_PARAM_STR_OR_NULL(metadata)
		Z_PARAM_BOOL(is_shared)
		Z_PARAM_DOUBLE(waited)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_property_set_key(object->ce, object, key)) {
		RETURN_THROWS();
	}
	php_rlock_property_set_fence(object, no_fence, fence);
	fill(object, token, depth, ttl, metadata, is_shared, waited);
}

void php_rlock_lease_class_make(zval *out, zend_string *key, const struct rl_lease_view *view)
{
	zend_string *token = zend_string_init(view->token.data, view->token.length, false);
	zend_string *metadata = NULL;

	if (view->metadata.data) {
		metadata = zend_string_init(view->metadata.data, view->metadata.length, false);
	}
	object_init_ex(out, php_rlock_lease_ce);
	php_rlock_property_set_key(php_rlock_lease_ce, Z_OBJ_P(out), key);
	php_rlock_property_set_fence(Z_OBJ_P(out), view->fence == 0, view->fence);
	fill(Z_OBJ_P(out), token, view->depth, (double)view->left / RL_SECOND, metadata,
		view->is_shared, (double)view->waited / RL_SECOND);
	zend_string_release(token);
	if (metadata) {
		zend_string_release(metadata);
	}
}
