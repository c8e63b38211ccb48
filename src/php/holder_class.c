/*
 * The properties of a Holder are readonly and show one moment, as those of a Lease do.
 */
#include "holder_class.h"

#include "zend_enum.h"

#include "property.h"

zend_class_entry *php_rlock_kind_ce, *php_rlock_holder_ce;

static zend_object *case_of(enum rl_holder_kind kind)
{
	static const char *const names[] = {
		[RL_HOLDER_LEASE] = "Lease",
		[RL_HOLDER_DETACHED] = "Detached",
		[RL_HOLDER_HAND_OVER] = "HandOver",
		[RL_HOLDER_COOLDOWN] = "Cooldown",
		[RL_HOLDER_FOREIGN] = "Foreign",
	};

	return zend_enum_get_case_cstr(php_rlock_kind_ce, names[kind]);
}

static void fill(zend_object *object, zend_string *owner, bool for_ever, double ttl,
	zend_string *metadata, bool contended, zend_object *kind, bool is_shared)
{
	zval value;

	zend_update_property_str(object->ce, object, ZEND_STRL("owner"), owner);
	if (for_ever) {
		zend_update_property_null(object->ce, object, ZEND_STRL("ttl"));
	} else {
		zend_update_property_double(object->ce, object, ZEND_STRL("ttl"), ttl);
	}
	php_rlock_property_set_metadata(object, metadata);
	zend_update_property_bool(object->ce, object, ZEND_STRL("contended"), contended);
	ZVAL_OBJ(&value, kind);
	zend_update_property(object->ce, object, ZEND_STRL("kind"), &value);
	zend_update_property_bool(object->ce, object, ZEND_STRL("shared"), is_shared);
}

ZEND_METHOD(RLock_Holder, __construct)
{
	zend_object *object = Z_OBJ_P(ZEND_THIS), *kind = NULL;
	zend_string *key, *owner, *metadata = NULL;
	zend_long fence = 0;
	double ttl = 0.0;
	bool no_fence = true, for_ever = true, contended = false, is_shared = false;

	ZEND_PARSE_PARAMETERS_START(2, 8)
		Z_PARAM_STR(key)
		Z_PARAM_STR(owner)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG_OR_NULL(fence, no_fence)
		Z_PARAM_DOUBLE_OR_NULL(ttl, for_ever)
		Z_PARAM_STR_OR_NULL(metadata)
		Z_PARAM_BOOL(contended)
		Z_PARAM_OBJ_OF_CLASS(kind, php_rlock_kind_ce)
		Z_PARAM_BOOL(is_shared)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_property_set_key(object->ce, object, key)) {
		RETURN_THROWS();
	}
	php_rlock_property_set_fence(object, no_fence, fence);
	fill(object, owner, for_ever, ttl, metadata, contended, kind ? kind : case_of(RL_HOLDER_LEASE),
		is_shared);
}

void php_rlock_holder_class_make(zval *out, zend_string *key, const struct rl_holder *holder)
{
	zend_string *owner = zend_string_init(holder->owner.data, holder->owner.length, false);
	zend_string *metadata = NULL;

	if (holder->metadata.data) {
		metadata = zend_string_init(holder->metadata.data, holder->metadata.length, false);
	}
	object_init_ex(out, php_rlock_holder_ce);
	php_rlock_property_set_key(php_rlock_holder_ce, Z_OBJ_P(out), key);
	php_rlock_property_set_fence(Z_OBJ_P(out), holder->fence == 0, holder->fence);
	fill(Z_OBJ_P(out), owner, holder->left_ms < 0, (double)holder->left_ms / 1000.0, metadata,
		holder->contended, case_of(holder->kind), holder->is_shared);
	zend_string_release(owner);
	if (metadata) {
		zend_string_release(metadata);
	}
}

void php_rlock_holder_class_take(zval *out, zend_string *key, struct rl_holder *holder)
{
	volatile bool bailed_out = false;

	/* clang-format off */
	zend_try {
		php_rlock_holder_class_make(out, key, holder);
	} zend_catch {
		bailed_out = true;
	} zend_end_try();
	/* clang-format on */
	rl_owner_holder_clear(holder);
	if (bailed_out) {
		zend_bailout();
	}
}
