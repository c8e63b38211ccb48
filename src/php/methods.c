/*
 * The methods of RLock that are one call of the core: arguments in and checked, the core called,
 * its answer out.
 *
 * All arguments are checked before anything else, so that a bad one is a ValueError even where
 * the object is closed, and nothing has been sent.
 */
#include "methods.h"

#include "../lock/token.h"
#include "arguments.h"
#include "classes.h"
#include "ending.h"
#include "exceptions.h"
#include "interrupt.h"
#include "options.h"
#include "values.h"

#include "../../php_rlock.h"

static struct php_rlock_object *this_lock(zend_execute_data *execute_data)
{
	return php_rlock_fetch(Z_OBJ_P(ZEND_THIS));
}

/* The arguments of the many methods that take only a key. False: thrown. */
static bool parse_key(zend_execute_data *execute_data, zend_string **key)
{
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(*key)
	ZEND_PARSE_PARAMETERS_END_EX(return false);

	return php_rlock_check_key(1, *key);
}

static bool parse_key_and_ttl(zend_execute_data *execute_data, zend_string **key, struct php_rlock_optional *ttl)
{
	ttl->is_null = true;
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_STR(*key)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE_OR_NULL(ttl->seconds, ttl->is_null)
	ZEND_PARSE_PARAMETERS_END_EX(return false);

	return php_rlock_check_key(1, *key) && php_rlock_check_lease(2, *ttl);
}

ZEND_METHOD(RLock, __construct)
{
	struct php_rlock_object *lock = this_lock(execute_data);
	HashTable *list = NULL;
	zend_string *address = NULL, *prefix = NULL;
	struct php_rlock_optional ttl = { .is_null = true }, max_hold = { .is_null = true };
	struct php_rlock_terms terms = { 0 };
	zend_long replicas = 0;
	struct rl_deployment *deployment;
	struct rl_route *route;

	ZEND_PARSE_PARAMETERS_START(0, 8)
		Z_PARAM_OPTIONAL
		Z_PARAM_ARRAY_HT_OR_STR_OR_NULL(list, address)
		Z_PARAM_STR_OR_NULL(prefix)
		Z_PARAM_DOUBLE_OR_NULL(ttl.seconds, ttl.is_null)
		Z_PARAM_BOOL(terms.renew)
		Z_PARAM_BOOL(terms.interrupt)
		Z_PARAM_DOUBLE_OR_NULL(max_hold.seconds, max_hold.is_null)
		Z_PARAM_OBJECT_OF_CLASS_OR_NULL(terms.strategy, php_rlock_retry_strategy_ce)
		Z_PARAM_LONG(replicas)
	ZEND_PARSE_PARAMETERS_END();

	if (lock->owner || lock->closed) {
		zend_throw_error(NULL, "Cannot call RLock::__construct() twice");
		RETURN_THROWS();
	}
	if (prefix && !php_rlock_check_prefix(2, prefix)) {
		RETURN_THROWS();
	}
	if (!prefix && ZSTR_LEN(RLOCK_G(prefix)) > PHP_RLOCK_KEY_MAX) {
		zend_value_error("The ini setting rlock.prefix must be at most " PHP_RLOCK_KEY_MAX_TEXT);
		RETURN_THROWS();
	}
	if (!php_rlock_check_lease(3, ttl) || (!max_hold.is_null && !php_rlock_check_duration(6, max_hold.seconds))) {
		RETURN_THROWS();
	}
	if (replicas < 0 || replicas > INT_MAX) {
		zend_argument_value_error(8, "must be 0 or more");
		RETURN_THROWS();
	}
	deployment = php_rlock_read_servers(1, list, address);
	if (!deployment) {
		RETURN_THROWS();
	}
	if (replicas > 0 && deployment->kind == RL_DEPLOYMENT_MAJORITY) {
		rl_deployment_free(deployment);
		zend_argument_value_error(8, "must be 0 with several servers: of independent masters a majority is enough");
		RETURN_THROWS();
	}
	if (terms.interrupt && !php_rlock_interrupt_is_safe()) {
		rl_deployment_free(deployment);
		RETURN_THROWS();
	}
	terms.lease_ms = php_rlock_lease(ttl, php_rlock_milliseconds(RLOCK_G(ttl)));
	terms.max_hold = max_hold.is_null ? RL_FOREVER : php_rlock_wait(max_hold.seconds);
	route = php_rlock_route(deployment);
	if (route) {
		route->replicas = (int)replicas;
	}
	if (!route || !php_rlock_open(lock, route, prefix ? prefix : RLOCK_G(prefix), &terms)) {
		RETURN_THROWS();
	}
}

enum rl_status php_rlock_take(struct php_rlock_object *lock, const struct php_rlock_take *take)
{
	struct rl_owner *owner = php_rlock_enter_to_take(lock);
	struct rl_acquire request = {
		.key = ZSTR_VAL(take->key),
		.key_length = ZSTR_LEN(take->key),
		.metadata = take->metadata ? ZSTR_VAL(take->metadata) : NULL,
		.metadata_length = take->metadata ? ZSTR_LEN(take->metadata) : 0,
		.lease_ms = take->lease_ms,
		.wait = php_rlock_strategy_is_empty(&lock->strategy) ? 0 : take->wait,
		.policy = take->policy,
		.retry = php_rlock_retry(lock),
	};
	struct rl_error error;
	enum rl_status status;

	if (!owner) {
		return RL_MISUSE;
	}
	status = rl_owner_acquire(owner, &request, &error);
	php_rlock_leave(lock, status, &error, take->key);
	return status;
}

enum rl_status php_rlock_release(struct rl_owner *owner, zend_string *key, struct rl_error *error)
{
	enum rl_status status;

	do {
		status = rl_owner_release(owner, ZSTR_VAL(key), ZSTR_LEN(key), (struct rl_release_terms){ .confirm = true }, error);
		if ((status != RL_TIMED_OUT && status != RL_LOST) || !error->key.data) {
			return status;
		}
		php_rlock_throw_status(status, error, key, owner);
		rl_owner_go_on(owner);
	} while (true);
}

void php_rlock_give_back(struct php_rlock_object *lock, zend_string *key)
{
	struct rl_owner *owner = php_rlock_enter(lock);
	struct rl_error error;

	if (owner) {
		php_rlock_leave(lock, php_rlock_release(owner, key, &error), &error, key);
	}
}

bool php_rlock_see_lease(struct php_rlock_object *lock, zend_string *key, zval *lease)
{
	struct rl_owner *owner = php_rlock_enter(lock);
	struct rl_lease_view view;
	struct rl_error error;
	enum rl_status status;

	if (!owner) {
		return false;
	}
	status = rl_owner_lease(owner, ZSTR_VAL(key), ZSTR_LEN(key), &view, &error);
	if (status == RL_OK) {
		php_rlock_make_lease(lease, key, &view);
	}
	return php_rlock_leave(lock, status, &error, key);
}

ZEND_METHOD(RLock, getLock)
{
	struct php_rlock_object *lock = this_lock(execute_data);
	zend_string *key, *metadata = NULL;
	struct php_rlock_optional ttl = { .is_null = true };
	zend_long policy = RL_POLICY_WAIT;
	double wait = 0.0;
	struct php_rlock_take take;

	ZEND_PARSE_PARAMETERS_START(1, 5)
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE(wait)
		Z_PARAM_DOUBLE_OR_NULL(ttl.seconds, ttl.is_null)
		Z_PARAM_LONG(policy)
		Z_PARAM_STR_OR_NULL(metadata)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_check_key(1, key) || !php_rlock_check_wait(2, wait) || !php_rlock_check_lease(3, ttl)) {
		RETURN_THROWS();
	}
	if (policy != RL_POLICY_FAIL_FAST && policy != RL_POLICY_WAIT) {
		zend_argument_value_error(4, "must be RLock::POLICY_FAIL_FAST or RLock::POLICY_WAIT");
		RETURN_THROWS();
	}
	if (metadata && ZSTR_LEN(metadata) > RL_METADATA_MAX) {
		zend_argument_value_error(5, "must be at most %d bytes long", RL_METADATA_MAX);
		RETURN_THROWS();
	}
	take = (struct php_rlock_take){
		.key = key,
		.wait = php_rlock_wait(wait),
		.lease_ms = php_rlock_lease(ttl, lock->lease_ms),
		.policy = (enum rl_policy)policy,
		.metadata = metadata,
	};
	RETURN_BOOL(php_rlock_take(lock, &take) == RL_OK);
}

ZEND_METHOD(RLock, releaseLock)
{
	struct php_rlock_object *lock = this_lock(execute_data);
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

	if (!php_rlock_check_key(1, key) || !php_rlock_check_delay(2, delay_after)
		|| !(owner = php_rlock_enter(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_release(owner, ZSTR_VAL(key), ZSTR_LEN(key),
		(struct rl_release_terms){ .delay_ms = php_rlock_milliseconds(delay_after), .confirm = confirm }, &error);
	RETURN_BOOL(php_rlock_leave(lock, status, &error, key));
}

ZEND_METHOD(RLock, prolongate)
{
	struct php_rlock_object *lock = this_lock(execute_data);
	struct php_rlock_optional ttl;
	struct rl_owner *owner;
	struct rl_error error;
	zend_string *key;
	enum rl_status status;

	if (!parse_key_and_ttl(execute_data, &key, &ttl) || !(owner = php_rlock_enter(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_prolongate(owner, ZSTR_VAL(key), ZSTR_LEN(key), php_rlock_lease(ttl, lock->lease_ms), &error);
	RETURN_BOOL(php_rlock_leave(lock, status, &error, key));
}

ZEND_METHOD(RLock, isLocking)
{
	struct php_rlock_object *lock = this_lock(execute_data);
	struct rl_owner *owner;
	struct rl_error error;
	zend_string *key;

	if (!parse_key(execute_data, &key) || !(owner = php_rlock_enter(lock))) {
		RETURN_THROWS();
	}
	RETURN_BOOL(php_rlock_leave(lock,
		rl_owner_is_locking(owner, ZSTR_VAL(key), ZSTR_LEN(key), NULL, &error), &error, key));
}

ZEND_METHOD(RLock, ttl)
{
	struct php_rlock_object *lock = this_lock(execute_data);
	struct rl_owner *owner;
	struct rl_error error;
	zend_string *key;
	enum rl_status status;
	int64_t left_ms;

	if (!parse_key(execute_data, &key) || !(owner = php_rlock_enter(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_is_locking(owner, ZSTR_VAL(key), ZSTR_LEN(key), &left_ms, &error);
	if (!php_rlock_leave(lock, status, &error, key)) {
		RETURN_DOUBLE(0.0);
	}
	RETURN_DOUBLE(left_ms < 0 ? ZEND_INFINITY : (double)left_ms / 1000.0);
}

ZEND_METHOD(RLock, check)
{
	struct php_rlock_object *lock = this_lock(execute_data);
	struct rl_owner *owner;
	struct rl_error error;
	zend_string *key;

	if (!parse_key(execute_data, &key) || !(owner = php_rlock_enter(lock))) {
		RETURN_THROWS();
	}
	php_rlock_leave(lock, rl_owner_check(owner, ZSTR_VAL(key), ZSTR_LEN(key), &error), &error, key);
}

ZEND_METHOD(RLock, lease)
{
	zend_string *key;

	if (!parse_key(execute_data, &key)) {
		RETURN_THROWS();
	}
	php_rlock_see_lease(this_lock(execute_data), key, return_value);
}

ZEND_METHOD(RLock, holder)
{
	struct php_rlock_object *lock = this_lock(execute_data);
	struct rl_owner *owner;
	struct rl_holder holder;
	struct rl_error error;
	zend_string *key;
	enum rl_status status;

	if (!parse_key(execute_data, &key) || !(owner = php_rlock_enter(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_holder(owner, ZSTR_VAL(key), ZSTR_LEN(key), &holder, &error);
	if (status == RL_OK) {
		php_rlock_make_holder(return_value, key, &holder);
		rl_holder_clear(&holder);
	}
	php_rlock_leave(lock, status, &error, key);
}

/* A verdict that was due before is not among what is counted: it is thrown, but only when all is given back. */
static void give_back_all(struct rl_owner *owner, struct rl_release_summary *summary)
{
	struct rl_error error;
	enum rl_status verdict = rl_owner_verdict(owner, &error);
	zend_string *key = NULL;

	if (verdict != RL_OK) {
		key = zend_string_init(error.key.data, error.key.length, false);
		error.key.data = NULL;
	}
	rl_owner_release_all(owner, rl_now(), summary);
	if (key) {
		php_rlock_throw_status(verdict, &error, key, owner);
		zend_string_release(key);
	}
}

ZEND_METHOD(RLock, releaseAll)
{
	struct php_rlock_object *lock = this_lock(execute_data);
	struct rl_release_summary summary;
	struct rl_owner *owner;

	ZEND_PARSE_PARAMETERS_NONE();

	if (!(owner = php_rlock_enter(lock))) {
		RETURN_THROWS();
	}
	give_back_all(owner, &summary);
	RETURN_BOOL(php_rlock_leave(lock, summary.failure, &summary.first_failure, NULL)
		&& summary.timed_out + summary.lost == 0);
}

ZEND_METHOD(RLock, close)
{
	struct php_rlock_object *lock = this_lock(execute_data);
	struct rl_release_summary summary;
	struct rl_owner *owner;

	ZEND_PARSE_PARAMETERS_NONE();

	if (lock->closed) {
		return;
	}
	if (!(owner = php_rlock_enter(lock))) {
		RETURN_THROWS();
	}
	give_back_all(owner, &summary);
	lock->closed = true;
	if (summary.untold) {
		php_rlock_warn_of_end(owner, &summary);
	}
	php_rlock_leave(lock, summary.failure, &summary.first_failure, NULL);
}

ZEND_METHOD(RLock, stats)
{
	struct php_rlock_object *lock = this_lock(execute_data);
	const struct rl_stats *stats;
	struct rl_owner *owner;

	ZEND_PARSE_PARAMETERS_NONE();

	if (!(owner = php_rlock_enter(lock))) {
		RETURN_THROWS();
	}
	stats = rl_owner_stats(owner);
	array_init(return_value);
	add_assoc_long(return_value, "acquired", (zend_long)stats->acquired);
	add_assoc_long(return_value, "busy", (zend_long)stats->busy);
	add_assoc_long(return_value, "waits", (zend_long)stats->waits);
	add_assoc_double(return_value, "wait_seconds", (double)stats->waited / RL_SECOND);
	add_assoc_long(return_value, "renewals", (zend_long)stats->renewals);
	add_assoc_long(return_value, "timeouts", (zend_long)stats->timeouts);
	add_assoc_long(return_value, "lost", (zend_long)stats->lost);
	add_assoc_long(return_value, "reconnects", (zend_long)stats->reconnects);
	add_assoc_long(return_value, "requests", (zend_long)stats->requests);
	php_rlock_leave(lock, RL_OK, NULL, NULL);
}

ZEND_METHOD(RLock, handOver)
{
	struct php_rlock_object *lock = this_lock(execute_data);
	struct php_rlock_optional ttl;
	struct rl_owner *owner;
	struct rl_token token;
	struct rl_error error;
	char name[RL_NAME_SIZE];
	zend_string *key;
	enum rl_status status;

	if (!parse_key_and_ttl(execute_data, &key, &ttl) || !(owner = php_rlock_enter(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_hand_over(owner, ZSTR_VAL(key), ZSTR_LEN(key), php_rlock_lease(ttl, 0), &token, &error);
	if (status == RL_OK) {
		RETVAL_STRINGL(token.text, token.length);
		rl_token_free(&token);
	} else if (status == RL_NO) {
		status = rl_fail(&error, RL_MISUSE, "The lock \"%s\" is not held",
			rl_text_printable(name, sizeof name, (struct rl_text){ ZSTR_VAL(key), ZSTR_LEN(key) }));
	}
	php_rlock_leave(lock, status, &error, key);
}

ZEND_METHOD(RLock, adopt)
{
	struct php_rlock_object *lock = this_lock(execute_data);
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

	if (!php_rlock_check_key(1, key) || !php_rlock_check_lease(3, ttl) || !(owner = php_rlock_enter_to_take(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_adopt(owner, ZSTR_VAL(key), ZSTR_LEN(key),
		(struct rl_text){ ZSTR_VAL(token), ZSTR_LEN(token) }, php_rlock_lease(ttl, 0), &error);
	RETURN_BOOL(php_rlock_leave(lock, status, &error, key));
}

ZEND_METHOD(RLock, breakLock)
{
	struct php_rlock_object *lock = this_lock(execute_data);
	struct rl_owner *owner;
	struct rl_error error;
	zend_string *key;

	if (!parse_key(execute_data, &key) || !(owner = php_rlock_enter(lock))) {
		RETURN_THROWS();
	}
	RETURN_BOOL(php_rlock_leave(lock, rl_owner_break(owner, ZSTR_VAL(key), ZSTR_LEN(key), &error), &error, key));
}
