/*
 * Both are plain readonly properties, the moment's truth: a readonly property that changes with
 * the clock would surprise static analysers and people alike.
 *
 * A lease's token frees or adopts the lock. It is there for who asks for the property, but not
 * in what prints objects: var_dump(), print_r(), var_export(), json_encode(), array casts.
 */
#include "values.h"

#include "classes.h"

static zend_object_handlers lease_handlers;

static zend_object *create_lease(zend_class_entry *ce)
{
	zend_object *object = zend_objects_new(ce);

	object_properties_init(object, ce);
	object->handlers = &lease_handlers;
	return object;
}

static HashTable *lease_properties_for(zend_object *object, zend_prop_purpose purpose)
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
static zend_object *clone_lease(zend_object *object)
{
	zend_object *clone = zend_objects_clone_obj(object);

	clone->handlers = &lease_handlers;
	return clone;
}

void php_rlock_register_values(void)
{
	lease_handlers = *zend_get_std_object_handlers();
	lease_handlers.clone_obj = clone_lease;
	lease_handlers.get_properties_for = lease_properties_for;
	php_rlock_lease_ce->create_object = create_lease;
}

static void set_nullable(zend_object *object, const char *name, zend_string *string)
{
	if (string) {
		zend_update_property_str(object->ce, object, name, strlen(name), string);
	} else {
		zend_update_property_null(object->ce, object, name, strlen(name));
	}
}

static void set_fence(zend_object *object, bool is_null, zend_long fence)
{
	if (is_null) {
		zend_update_property_null(object->ce, object, ZEND_STRL("fence"));
	} else {
		zend_update_property_long(object->ce, object, ZEND_STRL("fence"), fence);
	}
}

/* The first property that a constructor sets. False: it was set before, and the engine has thrown. */
static bool set_key(zend_object *object, zend_string *key)
{
	zend_update_property_str(object->ce, object, ZEND_STRL("key"), key);
	return !EG(exception);
}

static void fill_lease(zend_object *object, zend_string *token, zend_long depth, double ttl, zend_string *metadata)
{
	zend_update_property_str(object->ce, object, ZEND_STRL("token"), token);
	zend_update_property_long(object->ce, object, ZEND_STRL("depth"), depth);
	zend_update_property_double(object->ce, object, ZEND_STRL("ttl"), ttl);
	set_nullable(object, "metadata", metadata);
}

static void fill_holder(zend_object *object, zend_string *owner, bool for_ever, double ttl,
	zend_string *metadata, bool contended)
{
	zend_update_property_str(object->ce, object, ZEND_STRL("owner"), owner);
	if (for_ever) {
		zend_update_property_null(object->ce, object, ZEND_STRL("ttl"));
	} else {
		zend_update_property_double(object->ce, object, ZEND_STRL("ttl"), ttl);
	}
	set_nullable(object, "metadata", metadata);
	zend_update_property_bool(object->ce, object, ZEND_STRL("contended"), contended);
}

ZEND_METHOD(RLock_Lease, __construct)
{
	zend_object *object = Z_OBJ_P(ZEND_THIS);
	zend_string *key, *token, *metadata = NULL;
	zend_long fence = 0, depth = 1;
	bool no_fence = true;
	double ttl = 0.0;

	ZEND_PARSE_PARAMETERS_START(2, 6)
		Z_PARAM_STR(key)
		Z_PARAM_STR(token)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG_OR_NULL(fence, no_fence)
		Z_PARAM_LONG(depth)
		Z_PARAM_DOUBLE(ttl)
		Z_PARAM_STR_OR_NULL(metadata)
	ZEND_PARSE_PARAMETERS_END();

	if (!set_key(object, key)) {
		RETURN_THROWS();
	}
	set_fence(object, no_fence, fence);
	fill_lease(object, token, depth, ttl, metadata);
}

ZEND_METHOD(RLock_Holder, __construct)
{
	zend_object *object = Z_OBJ_P(ZEND_THIS);
	zend_string *key, *owner, *metadata = NULL;
	zend_long fence = 0;
	double ttl = 0.0;
	bool no_fence = true, for_ever = true, contended = false;

	ZEND_PARSE_PARAMETERS_START(2, 6)
		Z_PARAM_STR(key)
		Z_PARAM_STR(owner)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG_OR_NULL(fence, no_fence)
		Z_PARAM_DOUBLE_OR_NULL(ttl, for_ever)
		Z_PARAM_STR_OR_NULL(metadata)
		Z_PARAM_BOOL(contended)
	ZEND_PARSE_PARAMETERS_END();

	if (!set_key(object, key)) {
		RETURN_THROWS();
	}
	set_fence(object, no_fence, fence);
	fill_holder(object, owner, for_ever, ttl, metadata, contended);
}

static zend_string *new_string(const char *text, size_t length)
{
	return text ? zend_string_init(text, length, false) : NULL;
}

void php_rlock_make_lease(zval *lease, zend_string *key, const struct rl_lease_view *view)
{
	zend_string *token = new_string(view->token, view->token_length);
	zend_string *metadata = new_string(view->metadata, view->metadata_length);

	object_init_ex(lease, php_rlock_lease_ce);
	set_key(Z_OBJ_P(lease), key);
	set_fence(Z_OBJ_P(lease), view->fence == 0, view->fence);
	fill_lease(Z_OBJ_P(lease), token, view->depth, (double)view->left / RL_SECOND, metadata);
	zend_string_release(token);
	if (metadata) {
		zend_string_release(metadata);
	}
}

void php_rlock_make_holder(zval *out, zend_string *key, const struct rl_holder *holder)
{
	zend_string *owner = new_string(holder->owner, holder->owner_length);
	zend_string *metadata = new_string(holder->metadata, holder->metadata_length);

	object_init_ex(out, php_rlock_holder_ce);
	set_key(Z_OBJ_P(out), key);
	set_fence(Z_OBJ_P(out), holder->fence == 0, holder->fence);
	fill_holder(Z_OBJ_P(out), owner, holder->left_ms < 0, (double)holder->left_ms / 1000.0, metadata,
		holder->contended);
	zend_string_release(owner);
	if (metadata) {
		zend_string_release(metadata);
	}
}
