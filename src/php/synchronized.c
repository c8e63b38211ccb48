/*
 * RLock::synchronized(): a callable under a lock.
 */
#include "methods.h"

#include "arguments.h"
#include "exceptions.h"

static void throw_not_acquired(struct php_rlock_object *lock, zend_string *key)
{
	struct rl_owner *owner = php_rlock_enter(lock);

	if (owner) {
		php_rlock_throw_not_acquired(key, owner);
		php_rlock_leave(lock, RL_OK, NULL, NULL);
	}
}

/*
 * Whatever the callable threw is under way while the lock is given back; if that throws, too,
 * the engine makes the first the previous of the second.
 */
static void call_and_give_back(struct php_rlock_object *lock, zend_string *key, zend_fcall_info *critical,
	zend_fcall_info_cache *cache, zval *return_value)
{
	zval lease;

	/* Not called if the answer brought a verdict on a release before, which was not confirmed: that is thrown. */
	if (php_rlock_see_lease(lock, key, &lease)) {
		critical->retval = return_value;
		critical->param_count = 1;
		critical->params = &lease;
		zend_call_function(critical, cache);
		zval_ptr_dtor(&lease);
	}
	if (!lock->closed) {
		php_rlock_give_back(lock, key);
	}
	if (Z_ISREF_P(return_value)) {
		zend_unwrap_reference(return_value);
	}
	if (EG(exception)) {
		zval_ptr_dtor(return_value);
		ZVAL_NULL(return_value);
	}
}

ZEND_METHOD(RLock, synchronized)
{
	struct php_rlock_object *lock = php_rlock_fetch(Z_OBJ_P(ZEND_THIS));
	zend_string *key;
	zend_fcall_info critical;
	zend_fcall_info_cache cache;
	double wait = 0.0;
	struct php_rlock_optional ttl = { .is_null = true };
	struct php_rlock_take take;
	enum rl_status status;

	ZEND_PARSE_PARAMETERS_START(2, 4)
		Z_PARAM_STR(key)
		Z_PARAM_FUNC(critical, cache)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE(wait)
		Z_PARAM_DOUBLE_OR_NULL(ttl.seconds, ttl.is_null)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_check_key(1, key) || !php_rlock_check_wait(3, wait) || !php_rlock_check_lease(4, ttl)) {
		RETURN_THROWS();
	}
	take = (struct php_rlock_take){
		.key = key,
		.wait = php_rlock_wait(wait),
		.lease_ms = php_rlock_lease(ttl, lock->lease_ms),
		.policy = RL_POLICY_WAIT,
	};
	status = php_rlock_take(lock, &take);
	if (status == RL_OK) {
		call_and_give_back(lock, key, &critical, &cache, return_value);
	} else if (status == RL_NO) {
		throw_not_acquired(lock, key);
	}
}
