/*
 * The constructors of the exceptions are for PHP code, mostly tests. The extension makes its own
 * without them, and sets the properties with the same functions.
 */
#include "exception.h"

#include "zend_exceptions.h"

#include "../base/number.h"
#include "../lock/shown_name.h"
#include "holder_class.h"
#include "holder_words.h"
#include "property.h"
#include "text.h"

zend_class_entry *php_rlock_exception_ce;
zend_class_entry *php_rlock_timeout_exception_ce;
zend_class_entry *php_rlock_lost_lock_exception_ce;
zend_class_entry *php_rlock_not_acquired_exception_ce;
zend_class_entry *php_rlock_connection_exception_ce;
zend_class_entry *php_rlock_server_exception_ce;

static bool set_key(zend_object *exception, zend_string *key)
{
	return php_rlock_property_set_key(php_rlock_exception_ce, exception, key);
}

static void set_message(zend_object *exception, zend_string *message)
{
	zend_update_property_str(zend_ce_exception, exception, ZEND_STRL("message"), message);
}

static void set_verdict(zend_object *exception, double late_by, bool held, zval *result)
{
	zend_update_property_double(
		php_rlock_timeout_exception_ce, exception, ZEND_STRL("lateBy"), late_by);
	zend_update_property_bool(php_rlock_timeout_exception_ce, exception, ZEND_STRL("held"), held);
	if (result) {
		zend_update_property(
			php_rlock_timeout_exception_ce, exception, ZEND_STRL("result"), result);
	} else {
		zend_update_property_null(php_rlock_timeout_exception_ce, exception, ZEND_STRL("result"));
	}
}

/* `declaring` is LostLockException or NotAcquiredException. */
static void set_holder(zend_object *exception, zend_class_entry *declaring, zval *holder)
{
	if (holder) {
		zend_update_property(declaring, exception, ZEND_STRL("holder"), holder);
	} else {
		zend_update_property_null(declaring, exception, ZEND_STRL("holder"));
	}
}

static void set_error(zend_object *exception, zend_string *error)
{
	zend_update_property_str(php_rlock_server_exception_ce, exception, ZEND_STRL("error"), error);
}

/* What the constructors take; each class a part of it. */
struct arguments {
	zend_string *message, *key, *error;
	double late_by;
	bool held;
	zval *result, *holder, *previous;
};

/* Every constructor begins with this. False: thrown. */
static bool construct(zend_object *exception, const struct arguments *given)
{
	if (!set_key(exception, given->key)) {
		return false;
	}
	if (given->message) {
		set_message(exception, given->message);
	}
	if (given->previous) {
		zend_update_property(zend_ce_exception, exception, ZEND_STRL("previous"), given->previous);
	}
	return true;
}

ZEND_METHOD(RLock_RLockException, __construct)
{
	struct arguments given = { .held = false };

	if (zend_parse_parameters(ZEND_NUM_ARGS(), "|SS!O!", &given.message, &given.key,
			&given.previous, zend_ce_throwable)
		== SUCCESS) {
		construct(Z_OBJ_P(ZEND_THIS), &given);
	}
}

ZEND_METHOD(RLock_TimeoutException, __construct)
{
	zend_object *exception = Z_OBJ_P(ZEND_THIS);
	struct arguments given = { .held = false };

	if (zend_parse_parameters(ZEND_NUM_ARGS(), "|SS!dbzO!", &given.message, &given.key,
			&given.late_by, &given.held, &given.result, &given.previous, zend_ce_throwable)
			== SUCCESS
		&& construct(exception, &given)) {
		set_verdict(exception, given.late_by, given.held, given.result);
	}
}

ZEND_METHOD(RLock_LostLockException, __construct)
{
	zend_object *exception = Z_OBJ_P(ZEND_THIS);
	struct arguments given = { .held = false };

	if (zend_parse_parameters(ZEND_NUM_ARGS(), "|SS!dbzO!O!", &given.message, &given.key,
			&given.late_by, &given.held, &given.result, &given.holder, php_rlock_holder_ce,
			&given.previous, zend_ce_throwable)
			== SUCCESS
		&& construct(exception, &given)) {
		set_verdict(exception, given.late_by, given.held, given.result);
		set_holder(exception, php_rlock_lost_lock_exception_ce, given.holder);
	}
}

ZEND_METHOD(RLock_NotAcquiredException, __construct)
{
	zend_object *exception = Z_OBJ_P(ZEND_THIS);
	struct arguments given = { .held = false };

	if (zend_parse_parameters(ZEND_NUM_ARGS(), "|SS!O!O!", &given.message, &given.key,
			&given.holder, php_rlock_holder_ce, &given.previous, zend_ce_throwable)
			== SUCCESS
		&& construct(exception, &given)) {
		set_holder(exception, php_rlock_not_acquired_exception_ce, given.holder);
	}
}

ZEND_METHOD(RLock_ServerException, __construct)
{
	zend_object *exception = Z_OBJ_P(ZEND_THIS);
	struct arguments given = { .error = ZSTR_EMPTY_ALLOC() };

	if (zend_parse_parameters(ZEND_NUM_ARGS(), "|SS!SO!", &given.message, &given.key, &given.error,
			&given.previous, zend_ce_throwable)
			== SUCCESS
		&& construct(exception, &given)) {
		set_error(exception, given.error);
	}
}

static zend_object *make(zend_class_entry *ce, zend_string *key, zend_string *message)
{
	zval exception;

	object_init_ex(&exception, ce);
	set_key(Z_OBJ(exception), key);
	set_message(Z_OBJ(exception), message);
	zend_string_release(message);
	return Z_OBJ(exception);
}

static zend_object *make_from_text(zend_class_entry *ce, zend_string *key, const char *message)
{
	return make(ce, key, zend_string_init(message, strlen(message), false));
}

static void throw_object(zend_object *object)
{
	zval exception;

	ZVAL_OBJ(&exception, object);
	zend_throw_exception_object(&exception);
}

void php_rlock_exception_throw(zend_string *key, const char *format, ...)
{
	zend_string *message;
	va_list arguments;

	va_start(arguments, format);
	message = zend_vstrpprintf(0, format, arguments);
	va_end(arguments);
	throw_object(make(php_rlock_exception_ce, key, message));
}

/* About the connection or the server, so the core's message names no key. */
static zend_object *make_from_trouble(zend_class_entry *ce, zend_string *key, const char *message)
{
	char name[RL_NAME_SIZE];

	if (!key) {
		return make_from_text(ce, key, message);
	}
	rl_shown_name(name, sizeof name, php_rlock_text(key));
	return make(ce, key, zend_strpprintf(0, "Lock \"%s\": %s", name, message));
}

static zend_object *make_server_exception(zend_string *key, const struct rl_error *error)
{
	zend_object *exception = make_from_trouble(php_rlock_server_exception_ce, key, error->message);
	zend_string *code = zend_string_init(error->code, strlen(error->code), false);

	set_error(exception, code);
	zend_string_release(code);
	return exception;
}

/* Who holds it now is worth a request, but no second exception. */
static void set_present_holder(zend_object *exception, zend_class_entry *declaring,
	zend_string *key, struct rl_owner *owner, rl_time deadline)
{
	struct rl_holder holder;
	struct rl_error ignored;
	zval value;

	if (!owner
		|| rl_owner_holder_now(owner, php_rlock_text(key), deadline, &holder, &ignored) != RL_OK) {
		set_holder(exception, declaring, NULL);
		return;
	}
	php_rlock_holder_class_take(&value, key, &holder);
	set_holder(exception, declaring, &value);
	zval_ptr_dtor(&value);
}

static void throw_verdict(enum rl_status status, const struct rl_error *error, zend_string *key,
	struct rl_owner *owner, zval *result)
{
	zend_class_entry *ce = status == RL_LOST ? php_rlock_lost_lock_exception_ce
											 : php_rlock_timeout_exception_ce;
	zend_object *exception = make_from_text(ce, key, error->message);

	set_verdict(exception, (double)error->late_by / RL_SECOND, error->held, result);
	if (status == RL_LOST) {
		set_present_holder(
			exception, ce, key, error->unanswered ? NULL : owner, error->deadline);
	}
	throw_object(exception);
}

static void throw_about(enum rl_status status, const struct rl_error *error, zend_string *key,
	struct rl_owner *owner, zval *result)
{
	switch (status) {
		case RL_TIMED_OUT:
		case RL_LOST:
			throw_verdict(status, error, key, owner, result);
			break;
		case RL_UNREACHABLE:
			throw_object(make_from_trouble(php_rlock_connection_exception_ce, key, error->message));
			break;
		case RL_REFUSED:
			throw_object(make_server_exception(key, error));
			break;
		case RL_INVALID:
			zend_value_error("%s", error->message);
			break;
		case RL_MISUSE:
		case RL_NO_MEMORY:
			throw_object(make_from_text(php_rlock_exception_ce, key, error->message));
			break;
		case RL_INTERRUPTED:
		case RL_OK:
		case RL_NO:
		case RL_AGAIN: /* no call ends with it */
			break;
	}
}

bool php_rlock_exception_is_exit(void)
{
	return EG(exception)
		&& (zend_is_unwind_exit(EG(exception)) || zend_is_graceful_exit(EG(exception)));
}

void php_rlock_exception_throw_with_result(enum rl_status status, const struct rl_error *error,
	zend_string *key, struct rl_owner *owner, zval *result)
{
	zend_string *other;

	if (status == RL_OK || status == RL_NO || status == RL_INTERRUPTED) {
		return;
	}
	if (php_rlock_exception_is_exit()) {
		return;
	}
	if (!error->key.data) {
		throw_about(status, error, key, owner, result);
		return;
	}
	/* the next call of the core frees the error's own */
	other = zend_string_init(error->key.data, error->key.length, false);
	throw_about(status, error, other, owner, result);
	zend_string_release(other);
}

void php_rlock_exception_throw_status(
	enum rl_status status, const struct rl_error *error, zend_string *key, struct rl_owner *owner)
{
	php_rlock_exception_throw_with_result(status, error, key, owner, NULL);
}

void php_rlock_exception_throw_not_acquired(
	zend_string *key, struct rl_owner *owner, rl_time waited, rl_time deadline)
{
	char name[128], seconds[RL_NUMBER_SECONDS_SIZE], by[PHP_RLOCK_HOLDER_WORDS_SIZE] = "";
	zend_object *exception;
	struct rl_holder holder;
	struct rl_error ignored;
	zval value;

	ZVAL_NULL(&value);
	if (rl_owner_holder_now(owner, php_rlock_text(key), deadline, &holder, &ignored) == RL_OK) {
		php_rlock_holder_words_put(by, &holder);
		php_rlock_holder_class_take(&value, key, &holder);
	}
	rl_shown_name(name, sizeof name, php_rlock_text(key));
	exception = make(php_rlock_not_acquired_exception_ce, key,
		waited > 0
			? zend_strpprintf(0, "The lock \"%s\" stayed busy for %s s%s", name,
				rl_number_put_seconds(seconds, waited / RL_MILLISECOND), by)
			: zend_strpprintf(0, "The lock \"%s\" is busy%s", name, by));
	set_holder(exception, php_rlock_not_acquired_exception_ce, &value);
	zval_ptr_dtor(&value);
	throw_object(exception);
}
