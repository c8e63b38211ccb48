/*
 * RLock::__construct(): arguments and ini settings in, an owner out.
 */
#include "argument.h"
#include "exception.h"
#include "globals.h"
#include "interrupt.h"
#include "object.h"
#include "seconds.h"
#include "servers.h"
#include "text.h"
#include "wait_hook.h"

struct arguments {
	HashTable *list; /* $servers, if it is an array */
	zend_string *address, *prefix;
	struct php_rlock_optional ttl, max_hold;
	bool renew, interrupt;
	zval *strategy; /* NULL: none */
	zend_long replicas;
	bool durable;
};

/* False: thrown, here and below. */
static bool parse(zend_execute_data *execute_data, struct arguments *arguments)
{
	*arguments = (struct arguments){ .ttl.is_null = true, .max_hold.is_null = true };
	ZEND_PARSE_PARAMETERS_START(0, 9)
		Z_PARAM_OPTIONAL
		Z_PARAM_ARRAY_HT_OR_STR_OR_NULL(arguments->list, arguments->address)
		Z_PARAM_STR_OR_NULL(arguments->prefix)
		Z_PARAM_DOUBLE_OR_NULL(arguments->ttl.seconds, arguments->ttl.is_null)
		Z_PARAM_BOOL(arguments->renew)
		Z_PARAM_BOOL(arguments->interrupt)
		Z_PARAM_DOUBLE_OR_NULL(arguments->max_hold.seconds, arguments->max_hold.is_null)
		Z_PARAM_OBJECT_OF_CLASS_OR_NULL(arguments->strategy, php_rlock_retry_strategy_ce)
		Z_PARAM_LONG(arguments->replicas)
		Z_PARAM_BOOL(arguments->durable)
	ZEND_PARSE_PARAMETERS_END_EX(return false);

	return true;
}

/* As PHP makes one of 30 or 0.5. */
static bool is_number(const zend_string *text)
{
	static const char digits[] = "0123456789";
	size_t whole = strspn(ZSTR_VAL(text), digits);
	size_t fraction = ZSTR_VAL(text)[whole] == '.' ? strspn(ZSTR_VAL(text) + whole + 1, digits) : 0;

	return whole > 0 && ZSTR_LEN(text) == (fraction > 0 ? whole + 1 + fraction : whole);
}

static bool check_prefix(const zend_string *prefix)
{
	if (prefix && is_number(prefix)) {
		zend_argument_value_error(2, "cannot be a number; a lease in seconds is written ttl: %s",
			ZSTR_VAL(prefix));
		return false;
	}
	if (prefix) {
		return php_rlock_argument_check_prefix(2, prefix);
	}
	if (ZSTR_LEN(RLOCK_G(prefix)) > PHP_RLOCK_KEY_MAX) {
		zend_value_error("The ini setting rlock.prefix must be at most " PHP_RLOCK_KEY_MAX_TEXT);
		return false;
	}
	return true;
}

static bool check(const struct arguments *arguments)
{
	if (!check_prefix(arguments->prefix) || !php_rlock_argument_check_lease(3, arguments->ttl)) {
		return false;
	}
	if (!php_rlock_argument_check_max_hold(6, arguments->max_hold, arguments->renew)) {
		return false;
	}
	if (arguments->replicas < 0 || arguments->replicas > INT_MAX) {
		zend_argument_value_error(8, "must be 0 or more");
		return false;
	}
	return true;
}

static bool check_deployment(
	const struct rl_deployment *deployment, const struct arguments *arguments)
{
	if (arguments->replicas > 0 && deployment->count > 1) {
		zend_argument_value_error(
			8, "must be 0 with several servers: of independent masters a majority is enough");
		return false;
	}
	if (arguments->durable && deployment->count > 1) {
		zend_argument_value_error(9,
			"must be false with several servers: give each of them appendonly yes and appendfsync always");
		return false;
	}
	return !arguments->interrupt || php_rlock_interrupt_is_safe();
}

static struct rl_route *make_route(const struct arguments *arguments)
{
	struct rl_deployment *deployment = php_rlock_servers_read(
		1, arguments->list, arguments->address);
	struct rl_route *route;

	if (!deployment) {
		return NULL;
	}
	if (!check_deployment(deployment, arguments)) {
		rl_deployment_free(deployment);
		return NULL;
	}
	route = rl_deployment_route(deployment, &RLOCK_G(cache));
	if (!route) {
		php_rlock_exception_throw(NULL, "Out of memory");
		return NULL;
	}
	route->replicas = (int)arguments->replicas;
	route->durable = arguments->durable;
	return route;
}

/* Takes the route over. */
static struct rl_owner *make_owner(struct php_rlock_object *lock, struct rl_route *route,
	const struct arguments *arguments)
{
	const zend_string *prefix = arguments->prefix ? arguments->prefix : RLOCK_G(prefix);
	struct rl_renewal_terms terms = {
		.renew = arguments->renew,
		.max_hold = php_rlock_argument_max_hold(arguments->max_hold),
	};
	struct rl_owner *owner;

	if (arguments->interrupt) {
		terms.alarm = php_rlock_interrupt_alarm();
	}
	owner = rl_owner_new(route, php_rlock_text(prefix), php_rlock_wait_hook_make(lock), &terms);
	if (!owner) {
		php_rlock_exception_throw(NULL, "Out of memory");
	}
	return owner;
}

ZEND_METHOD(RLock, __construct)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	struct arguments arguments;
	struct rl_route *route;

	if (!parse(execute_data, &arguments)) {
		RETURN_THROWS();
	}
	if (lock->owner || lock->closed) {
		zend_throw_error(NULL, "Cannot call RLock::__construct() twice");
		RETURN_THROWS();
	}
	if (!check(&arguments) || !(route = make_route(&arguments))
		|| !(lock->owner = make_owner(lock, route, &arguments))) {
		RETURN_THROWS();
	}
	lock->lease_ms = php_rlock_argument_lease_ms(
		arguments.ttl, php_rlock_seconds_to_ms(RLOCK_G(ttl)));
	if (arguments.strategy) {
		php_rlock_strategy_set(lock, arguments.strategy);
	}
	if (arguments.interrupt) {
		php_rlock_interrupt_add(lock);
	}
}
