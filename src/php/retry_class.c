#include "retry_class.h"

#include <math.h>

#include "argument.h"

zend_class_entry *php_rlock_retry_ce;

struct retry {
	bool none;       /* it is the one that allows no retry */
	double min, max; /* seconds; equal: always the same delay */
	zend_long limit; /* of retries; ZEND_LONG_MAX: none */
	zend_object std;
};

static zend_object_handlers handlers;

static struct retry *fetch(zend_object *object)
{
	return (struct retry *)((char *)object - offsetof(struct retry, std));
}

static zend_object *create(zend_class_entry *ce)
{
	struct retry *retry = zend_object_alloc(sizeof *retry, ce);

	zend_object_std_init(&retry->std, ce);
	object_properties_init(&retry->std, ce);
	retry->std.handlers = &handlers;
	return &retry->std;
}

/* Two are equal if they answer the same. */
static int compare(zval *a, zval *b)
{
	struct retry *left, *right;

	ZEND_COMPARE_OBJECTS_FALLBACK(a, b);
	left = fetch(Z_OBJ_P(a));
	right = fetch(Z_OBJ_P(b));
	if (left->none != right->none || left->limit != right->limit) {
		return ZEND_UNCOMPARABLE;
	}
	return left->min == right->min && left->max == right->max ? 0 : ZEND_UNCOMPARABLE;
}

void php_rlock_retry_class_register(void)
{
	handlers = *zend_get_std_object_handlers();
	handlers.offset = offsetof(struct retry, std);
	handlers.clone_obj = NULL;
	handlers.compare = compare;
	php_rlock_retry_ce->create_object = create;
}

static struct retry *make(zval *out, double min, double max)
{
	struct retry *retry;

	object_init_ex(out, php_rlock_retry_ce);
	retry = fetch(Z_OBJ_P(out));
	retry->min = min;
	retry->max = max;
	retry->limit = ZEND_LONG_MAX;
	return retry;
}

/* Private, and never called: only the static methods make one. */
ZEND_METHOD(RLock_Retry, __construct)
{
	ZEND_PARSE_PARAMETERS_NONE();
}

ZEND_METHOD(RLock_Retry, none)
{
	ZEND_PARSE_PARAMETERS_NONE();

	make(return_value, 0.0, 0.0)->none = true;
}

ZEND_METHOD(RLock_Retry, linear)
{
	double delay;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_DOUBLE(delay)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_argument_check_duration(1, delay)) {
		RETURN_THROWS();
	}
	make(return_value, delay, delay);
}

ZEND_METHOD(RLock_Retry, exponential)
{
	double min, max;

	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_DOUBLE(min)
		Z_PARAM_DOUBLE(max)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_argument_check_duration(1, min) || !php_rlock_argument_check_duration(2, max)) {
		RETURN_THROWS();
	}
	if (max < min) {
		zend_argument_value_error(2, "must not be less than argument #1 ($min)");
		RETURN_THROWS();
	}
	make(return_value, min, max);
}

ZEND_METHOD(RLock_Retry, limit)
{
	const struct retry *retry = fetch(Z_OBJ_P(ZEND_THIS));
	struct retry *limited;
	zend_long retries;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_LONG(retries)
	ZEND_PARSE_PARAMETERS_END();

	if (retries < 0) {
		zend_argument_value_error(1, "must be 0 or more");
		RETURN_THROWS();
	}
	limited = make(return_value, retry->min, retry->max);
	limited->none = retry->none;
	limited->limit = retries;
}

bool php_rlock_retry_class_next(zend_object *object, zend_long attempt, double *seconds)
{
	const struct retry *retry = fetch(object);

	if (retry->none || attempt > retry->limit) {
		return false;
	}
	/* 2 ** attempt milliseconds, clamped; 2 ** 1000 is beyond any bound of use */
	*seconds = MAX(retry->min, MIN(retry->max, ldexp(0.001, (int)MIN(attempt, 1000))));
	return true;
}

ZEND_METHOD(RLock_Retry, nextBackoff)
{
	zend_long attempt;
	double seconds;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_LONG(attempt)
	ZEND_PARSE_PARAMETERS_END();

	if (attempt < 1) {
		zend_argument_value_error(1, "must be 1 or more");
		RETURN_THROWS();
	}
	if (!php_rlock_retry_class_next(Z_OBJ_P(ZEND_THIS), attempt, &seconds)) {
		RETURN_NULL();
	}
	RETURN_DOUBLE(seconds);
}
