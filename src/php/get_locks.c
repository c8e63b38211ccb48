/*
 * RLock::getLocks(): all of several locks, or none.
 */
#include "argument.h"
#include "object.h"
#include "text.h"
#include "warn.h"

/*
 * Makes `names` a set of our own strings: an element may be a reference, which PHP code can change
 * during the wait.
 */
static void collect(HashTable *names, HashTable *keys)
{
	zend_string *name;
	zval *key;

	zend_hash_init(names, zend_hash_num_elements(keys), NULL, NULL, false);
	ZEND_HASH_FOREACH_VAL(keys, key) {
		name = zval_get_string(key);
		zend_hash_add_empty_element(names, name);
		zend_string_release(name);
	}
	ZEND_HASH_FOREACH_END();
}

static struct rl_acquire_key *keys_of(HashTable *names)
{
	struct rl_acquire_key *keys = safe_emalloc(zend_hash_num_elements(names), sizeof *keys, 0),
						  *key = keys;
	zend_string *name;

	ZEND_HASH_FOREACH_STR_KEY(names, name) {
		*key++ = (struct rl_acquire_key){ .name = php_rlock_text(name) };
	}
	ZEND_HASH_FOREACH_END();
	return keys;
}

static enum rl_status take_all(struct php_rlock_object *lock, struct rl_owner *owner,
	HashTable *names, struct rl_acquire_all *terms, struct rl_error *error)
{
	struct rl_acquire_key *keys = keys_of(names);
	rl_time began = rl_now();
	enum rl_status status;

	terms->keys = keys;
	terms->count = zend_hash_num_elements(names);
	status = rl_owner_acquire_all(owner, terms, error);
	if (terms->wait > 0 && terms->count > 0) {
		php_rlock_log_slow_wait(NULL, keys[0].name, terms->count - 1, began, status);
	}
	efree(keys);
	return status;
}

ZEND_METHOD(RLock, getLocks)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	HashTable *keys, names;
	double wait = 0.0;
	struct php_rlock_optional ttl = { .is_null = true };
	struct rl_acquire_all terms;
	struct rl_owner *owner;
	struct rl_error error;
	enum rl_status status;

	ZEND_PARSE_PARAMETERS_START(1, 3)
		Z_PARAM_ARRAY_HT(keys)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE(wait)
		Z_PARAM_DOUBLE_OR_NULL(ttl.seconds, ttl.is_null)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_argument_check_keys(1, keys) || !php_rlock_argument_check_wait(2, wait)
		|| !php_rlock_argument_check_lease(3, ttl)
		|| !(owner = php_rlock_object_enter_to_wait(lock))) {
		RETURN_THROWS();
	}
	terms = (struct rl_acquire_all){
		.lease_ms = php_rlock_argument_lease_ms(ttl, lock->lease_ms),
		.wait = php_rlock_object_wait(lock, wait),
		.retry = php_rlock_object_retry(lock),
	};
	collect(&names, keys);
	status = take_all(lock, owner, &names, &terms, &error);
	/* the error may point to one of the names */
	RETVAL_BOOL(php_rlock_object_leave(lock, status, &error, NULL));
	zend_hash_destroy(&names);
}
