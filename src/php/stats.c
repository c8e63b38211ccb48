/*
 * What objects count: RLock::stats(), RLock::totals(), and the totals in phpinfo().
 */
#include "stats.h"

#include "php.h"
#include "ext/standard/info.h"

#include "object.h"

static void fill(zval *array, const struct rl_stats *stats)
{
	array_init(array);
	add_assoc_long(array, "acquired", (zend_long)stats->acquired);
	add_assoc_long(array, "busy", (zend_long)stats->busy);
	add_assoc_long(array, "waits", (zend_long)stats->waits);
	add_assoc_double(array, "wait_seconds", (double)stats->waited / RL_SECOND);
	add_assoc_long(array, "renewals", (zend_long)stats->renewals);
	add_assoc_long(array, "timeouts", (zend_long)stats->timeouts);
	add_assoc_long(array, "lost", (zend_long)stats->lost);
	add_assoc_long(array, "reconnects", (zend_long)stats->reconnects);
	add_assoc_long(array, "requests", (zend_long)stats->requests);
}

ZEND_METHOD(RLock, stats)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	struct rl_owner *owner;

	ZEND_PARSE_PARAMETERS_NONE();

	if (!(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	fill(return_value, rl_owner_stats(owner));
	php_rlock_object_leave(lock, RL_OK, NULL, NULL);
}

ZEND_METHOD(RLock, totals)
{
	struct rl_stats totals = rl_owner_totals();

	ZEND_PARSE_PARAMETERS_NONE();

	fill(return_value, &totals);
}

void php_rlock_stats_print_totals(void)
{
	struct rl_stats totals = rl_owner_totals();
	zval array, *count;
	zend_string *name;

	fill(&array, &totals);
	php_info_print_table_start();
	php_info_print_table_header(2, "Counter", "Since this process began");
	ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL(array), name, count)
	{
		zend_string *text = zval_get_string(count);

		php_info_print_table_row(2, ZSTR_VAL(name), ZSTR_VAL(text));
		zend_string_release(text);
	}
	ZEND_HASH_FOREACH_END();
	php_info_print_table_end();
	zend_array_destroy(Z_ARRVAL(array));
}
