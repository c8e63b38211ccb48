/*
 * What is declared comes from rlock.stub.php by way of rlock_arginfo.h, the methods from the
 * files beside this one.
 */
#include "classes.h"

#include "zend_attributes.h"
#include "zend_exceptions.h"

#include "object.h"
#include "retry.h"
#include "rlock_arginfo.h"
#include "values.h"

zend_class_entry *php_rlock_ce;
zend_class_entry *php_rlock_locker_ce;
zend_class_entry *php_rlock_lease_ce;
zend_class_entry *php_rlock_holder_ce;
zend_class_entry *php_rlock_retry_strategy_ce;
zend_class_entry *php_rlock_retry_ce;
zend_class_entry *php_rlock_exception_ce;
zend_class_entry *php_rlock_timeout_exception_ce;
zend_class_entry *php_rlock_lost_lock_exception_ce;
zend_class_entry *php_rlock_not_acquired_exception_ce;
zend_class_entry *php_rlock_connection_exception_ce;
zend_class_entry *php_rlock_server_exception_ce;

static void register_exceptions(void)
{
	php_rlock_exception_ce = register_class_RLock_RLockException(zend_ce_exception);
	php_rlock_timeout_exception_ce = register_class_RLock_TimeoutException(php_rlock_exception_ce);
	php_rlock_lost_lock_exception_ce = register_class_RLock_LostLockException(php_rlock_timeout_exception_ce);
	php_rlock_not_acquired_exception_ce = register_class_RLock_NotAcquiredException(php_rlock_exception_ce);
	php_rlock_connection_exception_ce = register_class_RLock_ConnectionException(php_rlock_exception_ce);
	php_rlock_server_exception_ce = register_class_RLock_ServerException(php_rlock_exception_ce);
}

void php_rlock_register_classes(void)
{
	php_rlock_locker_ce = register_class_RLock_Locker();
	php_rlock_ce = register_class_RLock(php_rlock_locker_ce);
	php_rlock_lease_ce = register_class_RLock_Lease();
	php_rlock_holder_ce = register_class_RLock_Holder();
	php_rlock_retry_strategy_ce = register_class_RLock_RetryStrategy();
	php_rlock_retry_ce = register_class_RLock_Retry(php_rlock_retry_strategy_ce);
	register_exceptions();
	php_rlock_register_object();
	php_rlock_register_values();
	php_rlock_register_retry();
}
