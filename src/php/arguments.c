#include "arguments.h"

#include <float.h>
#include <math.h>

#define SHORTEST 0.001
#define LONGEST  1e9

bool php_rlock_is_lease(double seconds)
{
	return seconds >= SHORTEST && seconds <= LONGEST;
}

int64_t php_rlock_milliseconds(double seconds)
{
	double milliseconds = seconds * 1000.0;
	double nearest = nearbyint(milliseconds);

	/* 1.1 * 1000 is a hair above 1100: that is the float's doing, nobody asked for 1101. */
	if (fabs(milliseconds - nearest) <= milliseconds * 2 * DBL_EPSILON) {
		return (int64_t)nearest;
	}
	return (int64_t)ceil(milliseconds);
}

bool php_rlock_check_key(uint32_t arg, const zend_string *key)
{
	if (ZSTR_LEN(key) == 0) {
		zend_argument_value_error(arg, "cannot be empty");
		return false;
	}
	return php_rlock_check_prefix(arg, key);
}

bool php_rlock_check_prefix(uint32_t arg, const zend_string *prefix)
{
	if (ZSTR_LEN(prefix) > PHP_RLOCK_KEY_MAX) {
		zend_argument_value_error(arg, "must be at most " PHP_RLOCK_KEY_MAX_TEXT);
		return false;
	}
	return true;
}

bool php_rlock_check_duration(uint32_t arg, double seconds)
{
	if (!(seconds >= 0.0) || isinf(seconds)) {
		zend_argument_value_error(arg, "must be a finite number of seconds, 0 or more");
		return false;
	}
	return true;
}

bool php_rlock_check_delay(uint32_t arg, double seconds)
{
	if (!(seconds >= 0.0 && seconds <= LONGEST)) {
		zend_argument_value_error(arg, "must be between 0 and 1000000000 seconds");
		return false;
	}
	return true;
}

bool php_rlock_check_lease(uint32_t arg, struct php_rlock_optional ttl)
{
	if (!ttl.is_null && !php_rlock_is_lease(ttl.seconds)) {
		zend_argument_value_error(arg, "must be " PHP_RLOCK_LEASE_RANGE);
		return false;
	}
	return true;
}

bool php_rlock_check_wait(uint32_t arg, double seconds)
{
	if (!(seconds >= 0.0)) {
		zend_argument_value_error(arg, "must be 0 or more seconds, or INF");
		return false;
	}
	return true;
}

rl_time php_rlock_wait(double seconds)
{
	return seconds > LONGEST ? RL_FOREVER : php_rlock_milliseconds(seconds) * RL_MILLISECOND;
}

int64_t php_rlock_lease(struct php_rlock_optional ttl, int64_t fallback)
{
	return ttl.is_null ? fallback : php_rlock_milliseconds(ttl.seconds);
}
