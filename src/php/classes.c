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
#include "retry_class.h"
#include "rlock_arginfo.h"
#include "strategy.h"

static void declare(void)
{
	php_rlock_ce = register_class_RLock(register_class_RLock_Locker());
	php_rlock_detached_ce = register_class_RLock_DetachedLock();
	php_rlock_lease_ce = register_class_RLock_Lease();
	php_rlock_kind_ce = register_class_RLock_Kind();
	php_rlock_holder_ce = register_class_RLock_Holder();
	php_rlock_retry_strategy_ce = register_class_RLock_RetryStrategy();
	php_rlock_retry_ce = register_class_RLock_Retry(php_rlock_retry_strategy_ce);
	php_rlock_exception_ce = register_class_RLock_RLockException(zend_ce_exception);
	php_rlock_timeout_exception_ce = register_class_RLock_TimeoutException(php_rlock_exception_ce);
	php_rlock_lost_lock_exception_ce = register_class_RLock_LostLockException(php_rlock_timeout_exception_ce);
	php_rlock_not_acquired_exception_ce = register_class_RLock_NotAcquiredException(php_rlock_exception_ce);
	php_rlock_connection_exception_ce = register_class_RLock_ConnectionException(php_rlock_exception_ce);
	php_rlock_server_exception_ce = register_class_RLock_ServerException(php_rlock_exception_ce);
}

void php_rlock_classes_register(void)
{
	declare();
	php_rlock_object_register();
	php_rlock_detached_class_register();
	php_rlock_lease_class_register();
	php_rlock_retry_class_register();
}
