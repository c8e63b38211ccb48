/*
 * Checks of arguments: each throws a ValueError about argument number `arg` of the running method
 * and returns false, or returns true.
 */
#ifndef PHP_RLOCK_ARGUMENT_H
#define PHP_RLOCK_ARGUMENT_H

#include "php.h"

#include "../base/system.h"

/*
 * The longest key, and the longest prefix, in bytes. Both are copied several times outside of
 * memory_limit.
 */
#define PHP_RLOCK_KEY_MAX      (1024 * 1024)
#define PHP_RLOCK_KEY_MAX_TEXT "1 MiB"

/* A duration that may be null, as Z_PARAM_DOUBLE_OR_NULL reads it. */
struct php_rlock_optional {
	double seconds;
	bool is_null;
};

bool php_rlock_argument_check_key(uint32_t arg, const zend_string *key);
/* Each of an array: a string, or an int, which PHP makes of some. */
bool php_rlock_argument_check_keys(uint32_t arg, HashTable *keys);
bool php_rlock_argument_check_prefix(uint32_t arg, const zend_string *prefix);
/* 0 or more, finite. */
bool php_rlock_argument_check_duration(uint32_t arg, double seconds);
/* At most RL_METADATA_MAX bytes, or NULL. */
bool php_rlock_argument_check_metadata(uint32_t arg, const zend_string *metadata);
/* 0 to PHP_RLOCK_SECONDS_MAX. */
bool php_rlock_argument_check_delay(uint32_t arg, double seconds);
/* PHP_RLOCK_LEASE_MIN to PHP_RLOCK_SECONDS_MAX, or null. */
bool php_rlock_argument_check_lease(uint32_t arg, struct php_rlock_optional ttl);
/* RLock::POLICY_FAIL_FAST or RLock::POLICY_WAIT. */
bool php_rlock_argument_check_policy(uint32_t arg, zend_long policy);
/* How many may have shares of a lock: 1 or more, or null. */
bool php_rlock_argument_check_limit(uint32_t arg, zend_long limit, bool is_null);
/* How long a lock is held at most: 0 or more, finite, and only of what is renewed; or null. */
bool php_rlock_argument_check_max_hold(
	uint32_t arg, struct php_rlock_optional max_hold, bool renew);
/* The name that holds a detached lock: 1 to RL_HOLDER_MAX bytes. */
bool php_rlock_argument_check_holder(uint32_t arg, const zend_string *holder);
/* 0 or more, or INF. */
bool php_rlock_argument_check_wait(uint32_t arg, double seconds);

/* A lease that has been checked; `fallback` if it is null. */
int64_t php_rlock_argument_lease_ms(struct php_rlock_optional ttl, int64_t fallback);
/* How long something is renewed; RL_FOREVER if that is null. */
rl_time php_rlock_argument_max_hold(struct php_rlock_optional max_hold);

#endif
