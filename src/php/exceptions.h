/*
 * From the core's statuses to exceptions, with their properties.
 */
#ifndef PHP_RLOCK_EXCEPTIONS_H
#define PHP_RLOCK_EXCEPTIONS_H

#include "php.h"

#include "../lock/owner.h"

/* An RLockException; `key` may be NULL. */
void php_rlock_throw(zend_string *key, const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 2, 3);

/*
 * What a status other than RL_OK and RL_NO comes to, about `key` unless the error names another.
 * RL_INTERRUPTED throws nothing: what interrupted is under way already. `owner` is asked for the
 * holder of a lost lock; NULL: nobody is.
 */
void php_rlock_throw_status(enum rl_status status, const struct rl_error *error, zend_string *key,
	struct rl_owner *owner);

/* NotAcquiredException; `owner` is asked for the holder. */
void php_rlock_throw_not_acquired(zend_string *key, struct rl_owner *owner);

#endif
