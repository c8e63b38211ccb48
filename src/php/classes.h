/*
 * The classes, and the one place that registers them.
 */
#ifndef PHP_RLOCK_CLASSES_H
#define PHP_RLOCK_CLASSES_H

#include "php.h"

extern zend_class_entry *php_rlock_ce;
extern zend_class_entry *php_rlock_locker_ce;
extern zend_class_entry *php_rlock_lease_ce;
extern zend_class_entry *php_rlock_holder_ce;
extern zend_class_entry *php_rlock_retry_strategy_ce;
extern zend_class_entry *php_rlock_retry_ce;
extern zend_class_entry *php_rlock_exception_ce;
extern zend_class_entry *php_rlock_timeout_exception_ce;
extern zend_class_entry *php_rlock_lost_lock_exception_ce;
extern zend_class_entry *php_rlock_not_acquired_exception_ce;
extern zend_class_entry *php_rlock_connection_exception_ce;
extern zend_class_entry *php_rlock_server_exception_ce;

void php_rlock_register_classes(void);

#endif
