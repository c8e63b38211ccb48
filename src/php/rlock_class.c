/*
 * The methods of RLock that are one call of the core each: arguments in and checked, the core
 * called, its answer out.
 *
 * A method checks all of its arguments before anything else, so that a bad one is a ValueError even
 * if the object is closed, and nothing has been sent.
 */
#include "rlock_class.h"

#include "acquire.h"
#include "detached_class.h"
#include "exception.h"
#include "holder_class.h"
#include "lease_class.h"
#include "seconds.h"
#include "text.h"
#include "warn.h"
#include "../lock/shown_name.h"

/* The argument of a method that takes only a key. False: thrown. */
static bool parse_key(zend_execute_data *execute_data, zend_string **key)
{
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(*key)
	ZEND_PARSE_PARAMETERS_END_EX(return false);

	return php_rlock_argument_check_key(1, *key);
}

static bool parse_key_and_ttl(
	zend_execute_data *execute_data, zend_string **key, struct php_rlock_optional *ttl)
{
	ttl->is_null = true;
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_STR(*key)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE_OR_NULL(ttl->seconds, ttl->is_null)
	ZEND_PARSE_PARAMETERS_END_EX(return false);

	return php_rlock_argument_check_key(1, *key) && php_rlock_argument_check_lease(2, *ttl);
}

ZEND_METHOD(RLock, getLock)
{
	php_rlock_acquire_method(INTERNAL_FUNCTION_PARAM_PASSTHRU, php_rlock_object_this(execute_data),
		false, NULL, NULL);
}

ZEND_METHOD(RLock, getSharedLock)
{
	php_rlock_acquire_method(INTERNAL_FUNCTION_PARAM_PASSTHRU, php_rlock_object_this(execute_data),
		true, NULL, NULL);
}

ZEND_METHOD(RLock, downgrade)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	struct rl_owner *owner;
	struct rl_error error;
	zend_string *key;

	if (!parse_key(execute_data, &key) || !(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	RETURN_BOOL(php_rlock_object_leave(lock,
		rl_owner_downgrade(owner, php_rlock_text(key), &error), &error, key));
}

ZEND_METHOD(RLock, releaseLock)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	zend_string *key;
	double delay_after = 0.0;
	bool confirm = true;
	struct rl_owner *owner;
	struct rl_error error;
	enum rl_status status;

	ZEND_PARSE_PARAMETERS_START(1, 3)
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE(delay_after)
		Z_PARAM_BOOL(confirm)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_argument_check_key(1, key) || !php_rlock_argument_check_delay(2, delay_after)
		|| !(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_release(owner, php_rlock_text(key),
		(struct rl_release_terms){
			.delay_ms = php_rlock_seconds_to_ms(delay_after), .confirm = confirm },
		&error);
	RETURN_BOOL(php_rlock_object_leave(lock, status, &error, key));
}

ZEND_METHOD(RLock, prolongate)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	struct php_rlock_optional ttl;
	struct rl_owner *owner;
	struct rl_error error;
	zend_string *key;
	enum rl_status status;

	if (!parse_key_and_ttl(execute_data, &key, &ttl) || !(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_prolongate(owner, php_rlock_text(key),
		php_rlock_argument_lease_ms(ttl, lock->lease_ms), &error);
	RETURN_BOOL(php_rlock_object_leave(lock, status, &error, key));
}

ZEND_METHOD(RLock, isLocking)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	struct rl_owner *owner;
	struct rl_error error;
	zend_string *key;

	if (!parse_key(execute_data, &key) || !(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	RETURN_BOOL(php_rlock_object_leave(lock,
		rl_owner_is_locking(owner, php_rlock_text(key), NULL, &error), &error, key));
}

ZEND_METHOD(RLock, ttl)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	struct rl_owner *owner;
	struct rl_error error;
	zend_string *key;
	enum rl_status status;
	int64_t left_ms;

	if (!parse_key(execute_data, &key) || !(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_is_locking(owner, php_rlock_text(key), &left_ms, &error);
	if (!php_rlock_object_leave(lock, status, &error, key)) {
		RETURN_DOUBLE(0.0);
	}
	RETURN_DOUBLE(left_ms < 0 ? ZEND_INFINITY : (double)left_ms / 1000.0);
}

ZEND_METHOD(RLock, check)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	struct rl_owner *owner;
	struct rl_error error;
	zend_string *key;

	if (!parse_key(execute_data, &key) || !(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	php_rlock_object_leave(lock, rl_owner_check(owner, php_rlock_text(key), &error), &error, key);
}

bool php_rlock_class_lease(struct php_rlock_object *lock, zend_string *key, zval *out)
{
	struct rl_owner *owner = php_rlock_object_enter(lock);
	struct rl_lease_view view;
	struct rl_error error;
	enum rl_status status;

	if (!owner) {
		return false;
	}
	status = rl_owner_lease(owner, php_rlock_text(key), &view, &error);
	if (status == RL_OK) {
		php_rlock_lease_class_make(out, key, &view);
	}
	return php_rlock_object_leave(lock, status, &error, key);
}

ZEND_METHOD(RLock, lease)
{
	zend_string *key;

	if (!parse_key(execute_data, &key)) {
		RETURN_THROWS();
	}
	php_rlock_class_lease(php_rlock_object_this(execute_data), key, return_value);
}

ZEND_METHOD(RLock, holder)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	struct rl_owner *owner;
	struct rl_holder holder;
	struct rl_error error;
	zend_string *key;
	enum rl_status status;

	if (!parse_key(execute_data, &key) || !(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_holder(owner, php_rlock_text(key), &holder, &error);
	if (status == RL_OK) {
		php_rlock_holder_class_take(return_value, key, &holder);
	}
	php_rlock_object_leave(lock, status, &error, key);
}

ZEND_METHOD(RLock, releaseAll)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	struct rl_release_summary summary;
	struct rl_owner *owner;

	ZEND_PARSE_PARAMETERS_NONE();

	if (!(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	rl_owner_release_all(owner, &summary);
	RETURN_BOOL(php_rlock_object_leave(lock, summary.failure, &summary.first_failure, NULL)
		&& summary.timed_out + summary.lost == 0);
}

/*
 * Signal handlers and a time limit act while the locks are given back, and may use the lock, or
 * close it. The rest is the end, which nobody can interrupt: at once, if somebody has just done so.
 */
ZEND_METHOD(RLock, close)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	struct rl_release_summary summary, rest;
	const zend_object *thrown = EG(exception);
	struct rl_owner *owner;
	rl_time began;

	ZEND_PARSE_PARAMETERS_NONE();

	if (lock->closed) {
		return;
	}
	if (!(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	rl_owner_end_pendings(owner);
	began = rl_now();
	rl_owner_close(owner, began, &summary);
	if (!lock->closed) {
		rl_owner_end_all(&owner, 1, EG(exception) == thrown ? began : 0, &rest);
		summary = summary.failed ? summary : rest;
	}
	if (EG(exception) != thrown) { /* a handler's says enough */
		summary.failure = RL_OK;
	}
	lock->closed = true;
	php_rlock_object_leave(lock, summary.failure, &summary.first_failure, NULL);
}

/* A copy for PHP, and frees the token, also if PHP's memory limit is reached meanwhile. */
static zend_string *take_token(struct rl_token *token)
{
	zend_string *volatile text = NULL;

	/* clang-format off */
	zend_try {
		text = zend_string_init(token->text, token->length, false);
	} zend_end_try();
	/* clang-format on */
	rl_token_free(token);
	if (!text) {
		zend_bailout();
	}
	return text;
}

ZEND_METHOD(RLock, handOver)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	struct php_rlock_optional ttl;
	struct rl_owner *owner;
	struct rl_token token;
	struct rl_error error;
	char name[RL_NAME_SIZE];
	zend_string *key;
	enum rl_status status;

	if (!parse_key_and_ttl(execute_data, &key, &ttl) || !(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_hand_over(owner, php_rlock_text(key),
		php_rlock_argument_lease_ms(ttl, 0), &token, &error);
	if (status == RL_OK) {
		RETVAL_STR(take_token(&token));
	} else if (status == RL_NO) {
		status = rl_fail(&error, RL_MISUSE, "The lock \"%s\" is not held",
			rl_shown_name(name, sizeof name, php_rlock_text(key)));
	}
	php_rlock_object_leave(lock, status, &error, key);
}

ZEND_METHOD(RLock, adopt)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	zend_string *key, *token;
	struct php_rlock_optional ttl = { .is_null = true };
	struct rl_owner *owner;
	struct rl_error error;
	enum rl_status status;

	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_STR(key)
		Z_PARAM_STR(token)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE_OR_NULL(ttl.seconds, ttl.is_null)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_argument_check_key(1, key) || !php_rlock_argument_check_lease(3, ttl)
		|| !(owner = php_rlock_object_enter_to_wait(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_adopt(owner, php_rlock_text(key),
		php_rlock_text(token), php_rlock_argument_lease_ms(ttl, 0), &error);
	RETURN_BOOL(php_rlock_object_leave(lock, status, &error, key));
}

ZEND_METHOD(RLock, breakLock)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	zend_long fence = 0;
	bool any_fence = true;
	struct rl_owner *owner;
	struct rl_error error;
	zend_string *key;

	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG_OR_NULL(fence, any_fence)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_argument_check_key(1, key)) {
		RETURN_THROWS();
	}
	if (!any_fence && fence < 1) {
		zend_argument_value_error(2, "must be 1 or more, or null");
		RETURN_THROWS();
	}
	if (!(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	RETURN_BOOL(php_rlock_object_leave(
		lock, rl_owner_break(owner, php_rlock_text(key), fence, &error), &error, key));
}

ZEND_METHOD(RLock, detached)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	zend_string *key, *holder;

	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_STR(key)
		Z_PARAM_STR(holder)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_argument_check_key(1, key) || !php_rlock_argument_check_holder(2, holder)
		|| !php_rlock_object_enter(lock)) {
		RETURN_THROWS();
	}
	php_rlock_detached_class_make(return_value, lock, key, holder);
	php_rlock_object_leave(lock, RL_OK, NULL, NULL);
}
