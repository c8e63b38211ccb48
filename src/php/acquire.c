#include "acquire.h"

#include "text.h"
#include "warn.h"

enum rl_status php_rlock_acquire(struct php_rlock_object *lock, zend_string *key,
	struct php_rlock_optional ttl, double wait, struct rl_acquire terms)
{
	struct rl_owner *owner = php_rlock_object_enter_to_wait(lock);
	rl_time began = rl_now();
	struct rl_error error;
	enum rl_status status;

	if (!owner) {
		return RL_MISUSE;
	}
	terms.key = php_rlock_text(key);
	terms.lease_ms = php_rlock_argument_lease_ms(ttl, lock->lease_ms);
	terms.wait = php_rlock_object_wait(lock, wait);
	terms.retry = php_rlock_object_retry(lock);
	status = rl_owner_acquire(owner, &terms, &error);
	if (terms.wait > 0) {
		php_rlock_log_slow_wait(owner, terms.key, 0, began, status);
	}
	php_rlock_object_leave(lock, status, &error, key);
	return status;
}

void php_rlock_acquire_method(INTERNAL_FUNCTION_PARAMETERS, struct php_rlock_object *lock,
	bool is_shared, zend_string *key, struct rl_detached *detached)
{
	const uint32_t keys = detached ? 0 : 1; /* arguments before the others */
	const uint32_t renewal = detached && !is_shared ? 2 : 0, others = (is_shared ? 5 : 4) + renewal;
	struct rl_acquire terms = { .is_shared = is_shared, .detached = detached };
	zend_string *metadata = NULL;
	struct php_rlock_optional ttl = { .is_null = true }, max_hold = { .is_null = true };
	zend_long policy = RL_POLICY_WAIT, limit = 0;
	bool no_limit = true, renew = false;
	double wait = 0.0;

	ZEND_PARSE_PARAMETERS_START(keys, keys + others)
		if (!detached) {
			Z_PARAM_STR(key)
		}
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE(wait)
		Z_PARAM_DOUBLE_OR_NULL(ttl.seconds, ttl.is_null)
		Z_PARAM_LONG(policy)
		Z_PARAM_STR_OR_NULL(metadata)
		if (is_shared) {
			Z_PARAM_LONG_OR_NULL(limit, no_limit)
		} else {
			Z_PARAM_BOOL(renew)
			Z_PARAM_DOUBLE_OR_NULL(max_hold.seconds, max_hold.is_null)
		}
	ZEND_PARSE_PARAMETERS_END();

	if ((!detached && !php_rlock_argument_check_key(1, key))
		|| !php_rlock_argument_check_wait(keys + 1, wait)
		|| !php_rlock_argument_check_lease(keys + 2, ttl)
		|| !php_rlock_argument_check_policy(keys + 3, policy)
		|| !php_rlock_argument_check_metadata(keys + 4, metadata)
		|| !php_rlock_argument_check_limit(keys + 5, limit, no_limit)
		|| !php_rlock_argument_check_max_hold(6, max_hold, renew)) {
		RETURN_THROWS();
	}
	terms.limit = limit;
	terms.metadata = php_rlock_text(metadata);
	terms.policy = (enum rl_policy)policy;
	terms.renewed_for = renew ? php_rlock_argument_max_hold(max_hold) : 0;
	RETURN_BOOL(php_rlock_acquire(lock, key, ttl, wait, terms) == RL_OK);
}

ZEND_METHOD(RLock, waitUntilFree)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	double wait = ZEND_INFINITY;
	struct rl_owner *owner;
	struct rl_error error;
	enum rl_status status;
	zend_string *key;
	rl_time began, time;

	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE(wait)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_argument_check_key(1, key) || !php_rlock_argument_check_wait(2, wait)
		|| !(owner = php_rlock_object_enter_to_wait(lock))) {
		RETURN_THROWS();
	}
	began = rl_now();
	time = php_rlock_object_wait(lock, wait);
	status = rl_owner_wait_until_free(
		owner, php_rlock_text(key), time, php_rlock_object_retry(lock), &error);
	if (time > 0) {
		php_rlock_log_slow_wait(owner, php_rlock_text(key), 0, began, status);
	}
	RETURN_BOOL(php_rlock_object_leave(lock, status, &error, key));
}
