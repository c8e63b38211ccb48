/*
 * What arguments have in common: keys, and times, which come as float seconds and go on as whole
 * milliseconds, converted here and nowhere else.
 *
 * A check that fails has thrown a ValueError for argument number `arg` of the running method.
 */
#ifndef PHP_RLOCK_ARGUMENTS_H
#define PHP_RLOCK_ARGUMENTS_H

#include "php.h"

#include "../base/system.h"

/* The longest key, and the longest prefix, in bytes: there are several copies of both outside of memory_limit. */
#define PHP_RLOCK_KEY_MAX      (1024 * 1024)
#define PHP_RLOCK_KEY_MAX_TEXT "1 MiB"

#define PHP_RLOCK_LEASE_RANGE "between 0.001 and 1000000000 seconds"

/* An optional argument as the fast ZPP gives it. */
struct php_rlock_optional {
	double seconds;
	bool is_null;
};

bool php_rlock_is_lease(double seconds);
/* Rounded up. `seconds` is at most the longest lease. */
int64_t php_rlock_milliseconds(double seconds);

bool php_rlock_check_key(uint32_t arg, const zend_string *key);
bool php_rlock_check_prefix(uint32_t arg, const zend_string *prefix);
bool php_rlock_check_duration(uint32_t arg, double seconds);
bool php_rlock_check_delay(uint32_t arg, double seconds);
bool php_rlock_check_lease(uint32_t arg, struct php_rlock_optional ttl);
bool php_rlock_check_wait(uint32_t arg, double seconds);

/* A wait that was checked. Above 10^9 seconds it is for ever. */
rl_time php_rlock_wait(double seconds);
/* A lease that was checked; `fallback` stands for null. */
int64_t php_rlock_lease(struct php_rlock_optional ttl, int64_t fallback);

#endif
