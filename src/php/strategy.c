/*
 * nextBackoff() is called from within a wait of the core, so neither its exceptions nor its fatal
 * errors may pass through here; and what it returns is user input.
 */
#include "strategy.h"

#include "globals.h"
#include "object.h"
#include "retry_class.h"
#include "seconds.h"
#include "../base/assert.h"
#include "../base/stack.h"

zend_class_entry *php_rlock_retry_strategy_ce;

void php_rlock_strategy_clear(struct php_rlock_strategy *strategy)
{
	zval_ptr_dtor(&strategy->object);
	ZVAL_UNDEF(&strategy->object);
}

bool php_rlock_strategy_is_empty(const struct php_rlock_strategy *strategy)
{
	double ignored;

	return !Z_ISUNDEF(strategy->object) && !strategy->method
		&& !php_rlock_retry_class_next(Z_OBJ(strategy->object), 1, &ignored);
}

/* --- asking it --- */

/* False: thrown. */
static bool check_backoff(const struct php_rlock_strategy *strategy, const zval *backoff)
{
	const char *class_name = ZSTR_VAL(Z_OBJCE(strategy->object)->name);
	char number[32];

	if (Z_TYPE_P(backoff) != IS_DOUBLE && Z_TYPE_P(backoff) != IS_NULL) {
		zend_type_error("%s::nextBackoff() must return a float or null, %s returned", class_name,
			zend_zval_type_name(backoff));
		return false;
	}
	if (Z_TYPE_P(backoff) == IS_DOUBLE && !(Z_DVAL_P(backoff) >= 0.0)) {
		php_gcvt(Z_DVAL_P(backoff), 6, '.', 'E', number); /* %G would ask the locale */
		zend_value_error("%s::nextBackoff() must return 0 or more seconds, or null, %s returned",
			class_name, number);
		return false;
	}
	return true;
}

/* Without a minimum, a strategy that returns 0 would flood the server with requests. */
static rl_time pause_of(double seconds)
{
	return MAX(php_rlock_seconds_to_time(seconds), RL_MILLISECOND);
}

/* False: it is the last try, or thrown. */
static bool read_backoff(
	const struct php_rlock_strategy *strategy, const zval *backoff, rl_time *pause)
{
	if (EG(exception) || !check_backoff(strategy, backoff) || Z_TYPE_P(backoff) == IS_NULL) {
		return false;
	}
	*pause = pause_of(Z_DVAL_P(backoff));
	return true;
}

static bool call_method(struct php_rlock_object *lock, zend_long attempt, rl_time *pause)
{
	struct php_rlock_strategy *strategy = &lock->strategy;
	volatile bool again = false;
	zval argument, backoff;

	ZVAL_LONG(&argument, attempt);
	ZVAL_UNDEF(&backoff);
	/* clang-format off */
	zend_try {
		zend_call_known_instance_method_with_1_params(
			strategy->method, Z_OBJ(strategy->object), &backoff, &argument);
		if (Z_ISREF(backoff)) {
			zend_unwrap_reference(&backoff);
		}
		again = read_backoff(strategy, &backoff, pause);
		zval_ptr_dtor(&backoff);
	} zend_catch {
		lock->bailed_out = true;
	} zend_end_try();
	/* clang-format on */
	return again && !lock->bailed_out;
}

/* Sets `*pause`, the time before retry number `attempt`. False: there is none. */
static bool ask(struct php_rlock_object *lock, zend_long attempt, rl_time *pause)
{
	const struct php_rlock_strategy *strategy = &lock->strategy;
	double backoff;

	if (strategy->method) {
		return call_method(lock, attempt, pause);
	}
	if (!php_rlock_retry_class_next(Z_OBJ(strategy->object), attempt, &backoff)) {
		return false;
	}
	*pause = pause_of(backoff);
	return true;
}

static bool next_retry(void *context, unsigned attempt, rl_time *pause)
{
	bool again;

	rl_assert(!rl_stack_current()); /* PHP code runs on the stack of whoever polls */
	++RLOCK_G(hooks);
	again = ask(context, attempt, pause);
	--RLOCK_G(hooks);
	return again;
}

void php_rlock_strategy_set(struct php_rlock_object *lock, zval *object)
{
	ZVAL_COPY(&lock->strategy.object, object);
	if (Z_OBJCE_P(object) != php_rlock_retry_ce) {
		lock->strategy.method = zend_hash_str_find_ptr(
			&Z_OBJCE_P(object)->function_table, ZEND_STRL("nextbackoff"));
	}
	lock->retry = (struct rl_retry){ .next = next_retry, .context = lock };
}
