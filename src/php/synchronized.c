/*
 * RLock::synchronized(): a callable under a lock.
 */
#include "acquire.h"
#include "exception.h"
#include "rlock_class.h"
#include "text.h"
#include "warn.h"
#include "zend_exceptions.h"
#include "zend_generators.h"
#include "../lock/shown_name.h"

static void throw_not_acquired(
	struct php_rlock_object *lock, zend_string *key, bool has_waited, rl_time began)
{
	struct rl_owner *owner = php_rlock_object_enter(lock);
	rl_time now = rl_now(), waited = has_waited ? now - began : 0;

	if (owner) {
		php_rlock_exception_throw_not_acquired(
			key, owner, waited, rl_owner_deadline(owner, has_waited ? now : began));
		php_rlock_object_leave(lock, RL_OK, NULL, NULL);
	}
}

/* What cannot be thrown, as at an object's end. */
static void warn(enum rl_status status, const struct rl_error *error, zend_string *key)
{
	struct rl_release_summary summary = {
		.timed_out = status == RL_TIMED_OUT, .lost = status == RL_LOST
	};

	if (status == RL_OK || status == RL_NO || status == RL_INTERRUPTED) {
		return;
	}
	if (!summary.timed_out && !summary.lost) {
		summary.failed = 1;
		summary.first_failure = *error;
	}
	rl_shown_name(summary.first_key, sizeof summary.first_key, php_rlock_text(key));
	php_rlock_warn_of_end_in_log(&summary);
}

/*
 * An exception has the callable's result, unless it has none. What was thrown to the callable, and
 * swallowed there, is thrown again.
 */
static void release(struct php_rlock_object *lock, zend_string *key, zval *result)
{
	const struct rl_release_terms terms = { .confirm = true };
	struct rl_owner *owner = php_rlock_object_enter(lock);
	struct rl_error error;
	enum rl_status status;

	if (!owner) {
		return;
	}
	status = rl_owner_release(owner, php_rlock_text(key), terms, &error);
	if (status == RL_NO && result) {
		status = rl_owner_check(owner, php_rlock_text(key), &error);
		status = status == RL_MISUSE ? RL_NO : status; /* the callable has released it */
	}
	if (php_rlock_exception_is_exit()) {
		warn(status, &error, key);
	} else {
		php_rlock_exception_throw_with_result(status, &error, key, owner, result);
	}
	php_rlock_object_leave(lock, RL_OK, NULL, NULL);
}

/* It has done nothing yet, and what it will do would be done without the lock. */
static void refuse_generator(const zval *result)
{
	if (Z_TYPE_P(result) == IS_OBJECT && Z_OBJCE_P(result) == zend_ce_generator) {
		zend_type_error(
			"RLock::synchronized(): The callable returned a Generator, whose body would run after "
			"the lock was released: iterate it within the callable");
	}
}

/*
 * What the callable has thrown is set aside, since no PHP code may run while an exception is out:
 * signal handlers, and a time limit, would have to wait for the release. If that throws, too, the
 * callable's is the previous one. An exit() stays out: nothing may run behind it.
 */
static void release_after_exception(struct php_rlock_object *lock, zend_string *key)
{
	zend_object *thrown = EG(exception);

	if (php_rlock_exception_is_exit()) {
		release(lock, key, NULL);
		return;
	}
	EG(exception) = NULL;
	release(lock, key, NULL);
	if (EG(exception)) {
		zend_exception_set_previous(EG(exception), thrown);
	} else {
		EG(exception) = thrown;
	}
}

static void call_and_release(struct php_rlock_object *lock, zend_string *key,
	zend_fcall_info *critical, zend_fcall_info_cache *cache, zval *return_value)
{
	zval lease;

	if (php_rlock_class_lease(lock, key, &lease)) {
		critical->retval = return_value;
		critical->param_count = 1;
		critical->params = &lease;
		zend_call_function(critical, cache);
		zval_ptr_dtor(&lease);
	}
	if (Z_ISREF_P(return_value)) {
		zend_unwrap_reference(return_value);
	}
	refuse_generator(return_value);
	if (!lock->closed && EG(exception)) {
		release_after_exception(lock, key);
	} else if (!lock->closed) {
		release(lock, key, return_value);
	}
	if (EG(exception)) {
		zval_ptr_dtor(return_value);
		ZVAL_NULL(return_value);
	}
}

ZEND_METHOD(RLock, synchronized)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	zend_string *key, *metadata = NULL;
	zend_fcall_info critical;
	zend_fcall_info_cache cache;
	double wait = 0.0;
	struct php_rlock_optional ttl = { .is_null = true };
	enum rl_status status;
	rl_time began;

	ZEND_PARSE_PARAMETERS_START(2, 5)
		Z_PARAM_STR(key)
		Z_PARAM_FUNC(critical, cache)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE(wait)
		Z_PARAM_DOUBLE_OR_NULL(ttl.seconds, ttl.is_null)
		Z_PARAM_STR_OR_NULL(metadata)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_argument_check_key(1, key) || !php_rlock_argument_check_wait(3, wait)
		|| !php_rlock_argument_check_lease(4, ttl)
		|| !php_rlock_argument_check_metadata(5, metadata)) {
		RETURN_THROWS();
	}
	began = rl_now();
	status = php_rlock_acquire(lock, key, ttl, wait,
		(struct rl_acquire){ .metadata = php_rlock_text(metadata), .policy = RL_POLICY_WAIT });
	if (status == RL_OK) {
		call_and_release(lock, key, &critical, &cache, return_value);
	} else if (status == RL_NO) {
		throw_not_acquired(lock, key, wait > 0.0, began);
	}
}
