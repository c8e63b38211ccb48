#include "debug_info.h"

#include "lease_class.h"
#include "object.h"

/*
 * False: PHP's memory limit was reached. That is a longjmp(), which must not cross the core's
 * frames.
 */
static bool collect(void *context, struct rl_text name, const struct rl_lease_view *view)
{
	HashTable *held = context;
	volatile bool bailed_out = false;

	/* clang-format off */
	zend_try {
		zend_string *key = zend_string_init(name.data, name.length, false);
		zval lease;

		php_rlock_lease_class_make(&lease, key, view);
		zend_symtable_update(held, key, &lease);
		zend_string_release(key);
	} zend_catch {
		bailed_out = true;
	} zend_end_try();
	/* clang-format on */
	return !bailed_out;
}

HashTable *php_rlock_debug_info(zend_object *object, int *is_temporary)
{
	struct rl_owner *owner = php_rlock_object_from(object)->owner;
	struct rl_text prefix;
	zval info, held;

	*is_temporary = 1;
	array_init(&info);
	if (!owner) {
		return Z_ARRVAL(info); /* closed, or never constructed */
	}
	prefix = rl_owner_prefix(owner);
	add_assoc_stringl(&info, "prefix", prefix.data, prefix.length);
	add_assoc_string(&info, "servers", rl_owner_servers(owner));
	array_init(&held);
	add_assoc_zval(&info, "held", &held);
	if (!rl_owner_leases(owner, collect, Z_ARRVAL(held))) {
		zend_bailout();
	}
	return Z_ARRVAL(info);
}
