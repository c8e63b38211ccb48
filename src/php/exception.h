/*
 * The exception classes, and what the core's statuses are thrown as.
 */
#ifndef PHP_RLOCK_EXCEPTION_H
#define PHP_RLOCK_EXCEPTION_H

#include "php.h"

#include "../lock/owner/owner.h"

extern zend_class_entry *php_rlock_exception_ce;
extern zend_class_entry *php_rlock_timeout_exception_ce;
extern zend_class_entry *php_rlock_lost_lock_exception_ce;
extern zend_class_entry *php_rlock_not_acquired_exception_ce;
extern zend_class_entry *php_rlock_connection_exception_ce;
extern zend_class_entry *php_rlock_server_exception_ce;

/* An RLockException; `key` may be NULL. */
void php_rlock_exception_throw(zend_string *key, const char *format, ...)
	ZEND_ATTRIBUTE_FORMAT(printf, 2, 3);

/* What is out is exit(), or the end of a fiber: another exception would stop it. */
bool php_rlock_exception_is_exit(void);

/*
 * Throws what `status` means, about `key`, which may be NULL, unless the error names another key.
 * Throws nothing for RL_OK and RL_NO, nor for RL_INTERRUPTED: the PHP code that interrupted the
 * wait has thrown, or the caller says why it ended. `owner` is asked who holds a lost lock now,
 * unless it is NULL.
 */
void php_rlock_exception_throw_status(
	enum rl_status status, const struct rl_error *error, zend_string *key, struct rl_owner *owner);
/*
 * The same after synchronized()'s callable, whose result a verdict takes along; NULL: it has none.
 */
void php_rlock_exception_throw_with_result(enum rl_status status, const struct rl_error *error,
	zend_string *key, struct rl_owner *owner, zval *result);

/*
 * A NotAcquiredException after a wait, or after none if it is 0; `owner` is asked who holds the
 * lock, until `deadline`.
 */
void php_rlock_exception_throw_not_acquired(
	zend_string *key, struct rl_owner *owner, rl_time waited, rl_time deadline);

#endif
