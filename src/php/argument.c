#include "argument.h"

#include <math.h>

#include "../lock/owner/owner.h"
#include "seconds.h"

/* Returns false: thrown. */
static bool refuse(uint32_t arg, const char *message)
{
	zend_argument_value_error(arg, "%s", message);
	return false;
}

bool php_rlock_argument_check_key(uint32_t arg, const zend_string *key)
{
	return ZSTR_LEN(key) > 0 ? php_rlock_argument_check_prefix(arg, key)
							 : refuse(arg, "cannot be empty");
}

bool php_rlock_argument_check_keys(uint32_t arg, HashTable *keys)
{
	zval *key;

	ZEND_HASH_FOREACH_VAL(keys, key) {
		ZVAL_DEREF(key);
		if (Z_TYPE_P(key) == IS_STRING && Z_STRLEN_P(key) == 0) {
			return refuse(arg, "cannot contain an empty key");
		}
		if (Z_TYPE_P(key) == IS_STRING && Z_STRLEN_P(key) > PHP_RLOCK_KEY_MAX) {
			return refuse(arg, "cannot contain a key longer than " PHP_RLOCK_KEY_MAX_TEXT);
		}
		if (Z_TYPE_P(key) != IS_STRING && Z_TYPE_P(key) != IS_LONG) {
			zend_argument_type_error(
				arg, "must contain only strings and ints, %s given", zend_zval_type_name(key));
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

bool php_rlock_argument_check_prefix(uint32_t arg, const zend_string *prefix)
{
	return ZSTR_LEN(prefix) <= PHP_RLOCK_KEY_MAX
		|| refuse(arg, "must be at most " PHP_RLOCK_KEY_MAX_TEXT);
}

bool php_rlock_argument_check_duration(uint32_t arg, double seconds)
{
	return (seconds >= 0.0 && !isinf(seconds))
		|| refuse(arg, "must be a finite number of seconds, 0 or more");
}

bool php_rlock_argument_check_metadata(uint32_t arg, const zend_string *metadata)
{
	return !metadata || ZSTR_LEN(metadata) <= RL_METADATA_MAX
		|| refuse(arg, "must be at most " ZEND_TOSTR(RL_METADATA_MAX) " bytes long");
}

bool php_rlock_argument_check_delay(uint32_t arg, double seconds)
{
	return (seconds >= 0.0 && seconds <= PHP_RLOCK_SECONDS_MAX)
		|| refuse(arg, "must be between 0 and 1000000000 seconds");
}

bool php_rlock_argument_check_lease(uint32_t arg, struct php_rlock_optional ttl)
{
	return ttl.is_null || php_rlock_seconds_are_lease(ttl.seconds)
		|| refuse(arg, "must be " PHP_RLOCK_LEASE_RANGE);
}

bool php_rlock_argument_check_wait(uint32_t arg, double seconds)
{
	return seconds >= 0.0 || refuse(arg, "must be 0 or more seconds, or INF");
}

bool php_rlock_argument_check_policy(uint32_t arg, zend_long policy)
{
	return policy == RL_POLICY_FAIL_FAST || policy == RL_POLICY_WAIT
		|| refuse(arg, "must be RLock::POLICY_FAIL_FAST or RLock::POLICY_WAIT");
}

bool php_rlock_argument_check_limit(uint32_t arg, zend_long limit, bool is_null)
{
	return is_null || limit >= 1 || refuse(arg, "must be 1 or more, or null");
}

bool php_rlock_argument_check_max_hold(
	uint32_t arg, struct php_rlock_optional max_hold, bool renew)
{
	if (max_hold.is_null) {
		return true;
	}
	return php_rlock_argument_check_duration(arg, max_hold.seconds)
		&& (renew
			|| refuse(arg, "must be null without autoRenew: nothing is renewed that it could end"));
}

bool php_rlock_argument_check_holder(uint32_t arg, const zend_string *holder)
{
	return (ZSTR_LEN(holder) > 0 && ZSTR_LEN(holder) <= RL_HOLDER_MAX)
		|| refuse(arg, "must be 1 to " ZEND_TOSTR(RL_HOLDER_MAX) " bytes long");
}

int64_t php_rlock_argument_lease_ms(struct php_rlock_optional ttl, int64_t fallback)
{
	return ttl.is_null ? fallback : php_rlock_seconds_to_ms(ttl.seconds);
}

rl_time php_rlock_argument_max_hold(struct php_rlock_optional max_hold)
{
	return max_hold.is_null ? RL_FOREVER : php_rlock_seconds_to_time(max_hold.seconds);
}
