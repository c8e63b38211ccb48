/*
 * rlock_arginfo.h names every method, so this file is above all that have some. The class entries
 * are theirs.
 */
#include "classes.h"

#include "php.h"
#include "zend_attributes.h"
#include "zend_enum.h"
#include "zend_exceptions.h"

#include "detached_class.h"
#include "exception.h"
#include "holder_class.h"
#include "lease_class.h"
#include "object.h"
#include "pending_class.h"
#include "retry_class.h"
#include "rlock_arginfo.h"
#include "strategy.h"

/*
 * The methods with #[\NoDiscard] in the stub: since PHP 8.5 there is a warning if their result is
 * not used. The generator of rlock_arginfo.h does not know that attribute.
 */
static void declare_not_to_be_discarded(zend_class_entry *ce)
{
#ifdef ZEND_ACC_NODISCARD
	static const char *const names[] = { "getlock", "getsharedlock", "getlocks", "handover",
		"adopt", "requestlock" };
	zend_string *attribute = zend_string_init_interned(ZEND_STRL("NoDiscard"), true);

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		zend_function *method = zend_hash_str_find_ptr(
			&ce->function_table, names[i], strlen(names[i]));

		if (method) {
			method->common.fn_flags |= ZEND_ACC_NODISCARD;
			zend_add_function_attribute(method, attribute, 0);
		}
	}
	zend_string_release(attribute);
#endif
}

static void declare(void)
{
	zend_class_entry *locker = register_class_RLock_Locker(), *detached_lock;

	php_rlock_ce = register_class_RLock(locker);
	declare_not_to_be_discarded(locker);
	declare_not_to_be_discarded(php_rlock_ce);
	detached_lock = register_class_RLock_DetachedLock();
	php_rlock_detached_ce = register_class_RLock_NamedLock(detached_lock);
	declare_not_to_be_discarded(detached_lock);
	declare_not_to_be_discarded(php_rlock_detached_ce);
	php_rlock_pending_ce = register_class_RLock_PendingLock(register_class_RLock_Pending());
	php_rlock_lease_ce = register_class_RLock_Lease();
	php_rlock_kind_ce = register_class_RLock_Kind();
	php_rlock_kind_ce->ce_flags |= ZEND_ACC_FINAL; /* as every enum is; PHP 8.2 forgets it */
	php_rlock_holder_ce = register_class_RLock_Holder();
	php_rlock_retry_strategy_ce = register_class_RLock_RetryStrategy();
	php_rlock_retry_ce = register_class_RLock_Retry(php_rlock_retry_strategy_ce);
	php_rlock_exception_ce = register_class_RLock_RLockException(zend_ce_exception);
	php_rlock_timeout_exception_ce = register_class_RLock_TimeoutException(php_rlock_exception_ce);
	php_rlock_lost_lock_exception_ce = register_class_RLock_LostLockException(
		php_rlock_timeout_exception_ce);
	php_rlock_not_acquired_exception_ce = register_class_RLock_NotAcquiredException(
		php_rlock_exception_ce);
	php_rlock_connection_exception_ce = register_class_RLock_ConnectionException(
		php_rlock_exception_ce);
	php_rlock_server_exception_ce = register_class_RLock_ServerException(php_rlock_exception_ce);
}

void php_rlock_classes_register(void)
{
	declare();
	php_rlock_object_register();
	php_rlock_detached_class_register();
	php_rlock_pending_class_register();
	php_rlock_lease_class_register();
	php_rlock_retry_class_register();
}
