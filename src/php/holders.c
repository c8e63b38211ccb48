/*
 * RLock::holders() and RLock::sharers(): who holds what.
 *
 * Each grant becomes a Holder as soon as it is found, in the midst of a call of the core. PHP's
 * memory limit may be reached there, which is a longjmp() that must not cross the core's frames; as
 * in wait_hook.c, leave() raises it again.
 */
#include "php.h"

#include "argument.h"
#include "holder_class.h"
#include "object.h"
#include "text.h"

struct collecting {
	struct php_rlock_object *lock;
	HashTable *holders;
	zend_string *key; /* of sharers(); NULL: of each lock its own, by which it is found */
};

static void collect(
	const struct collecting *collecting, struct rl_text name, const struct rl_holder *holder)
{
	zend_string *key = collecting->key ? zend_string_copy(collecting->key)
									   : zend_string_init(name.data, name.length, false);
	zval value;

	php_rlock_holder_class_make(&value, key, holder);
	if (collecting->key) {
		zend_hash_next_index_insert(collecting->holders, &value);
	} else {
		zend_symtable_update(collecting->holders, key, &value);
	}
	zend_string_release(key);
}

static bool collect_or_stop(
	const struct collecting *collecting, struct rl_text name, const struct rl_holder *holder)
{
	/* clang-format off */
	zend_try {
		collect(collecting, name, holder);
	} zend_catch {
		collecting->lock->bailed_out = true;
	} zend_end_try();
	/* clang-format on */
	return !collecting->lock->bailed_out;
}

static bool found(
	void *context, struct rl_text name, struct rl_text shown, const struct rl_holder *holder)
{
	return collect_or_stop(context, shown, holder);
}

ZEND_METHOD(RLock, holders)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	struct collecting collecting = { .lock = lock };
	zend_string *pattern = NULL;
	zend_long limit = 1000;
	struct rl_owner *owner;
	struct rl_error error;
	enum rl_status status;

	ZEND_PARSE_PARAMETERS_START(0, 2)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR(pattern)
		Z_PARAM_LONG(limit)
	ZEND_PARSE_PARAMETERS_END();

	if (limit < 1) {
		zend_argument_value_error(2, "must be greater than 0");
		RETURN_THROWS();
	}
	if (!(owner = php_rlock_object_enter_to_wait(lock))) {
		RETURN_THROWS();
	}
	array_init(return_value);
	collecting.holders = Z_ARRVAL_P(return_value);
	status = rl_owner_holders(owner,
		&(struct rl_holders){
			.pattern = pattern ? php_rlock_text(pattern) : (struct rl_text){ "*", 1 },
			.limit = (size_t)limit,
			.found = found,
			.context = &collecting,
		},
		&error);
	/* if it throws, the engine frees the array */
	php_rlock_object_leave(lock, status, &error, NULL);
}

static bool found_share(void *context, const struct rl_holder *holder)
{
	return collect_or_stop(context, (struct rl_text){ NULL, 0 }, holder);
}

ZEND_METHOD(RLock, sharers)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	struct collecting collecting = { .lock = lock };
	struct rl_owner *owner;
	struct rl_error error;
	enum rl_status status;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(collecting.key)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_argument_check_key(1, collecting.key)
		|| !(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	array_init(return_value);
	collecting.holders = Z_ARRVAL_P(return_value);
	status = rl_owner_sharers(owner, php_rlock_text(collecting.key),
		&(struct rl_sharers){ .found = found_share, .context = &collecting }, &error);
	/* if it throws, the engine frees the array */
	php_rlock_object_leave(lock, status, &error, collecting.key);
}
