/*
 * Setting a time that is out of range fails with a warning, and the previous value stays. A bad
 * rlock.servers is accepted, since the previous address would lock on the wrong server: a
 * constructor that uses it throws.
 */
#include "ini.h"

#include "php.h"
#include "php_ini.h"

#include "globals.h"
#include "seconds.h"

static ZEND_INI_MH(on_modify_string)
{
	zend_string **string = (zend_string **)ZEND_INI_GET_ADDR();

	*string = new_value;
	return SUCCESS;
}

static ZEND_INI_MH(on_modify_seconds)
{
	double *seconds = (double *)ZEND_INI_GET_ADDR();
	double value = 0.0;
	uint8_t type = is_numeric_string(ZSTR_VAL(new_value), ZSTR_LEN(new_value), NULL, &value, false);

	if (type == IS_LONG) {
		value = zend_strtod(ZSTR_VAL(new_value), NULL);
	}
	if (type == 0 || !php_rlock_seconds_are_lease(value)) {
		if (stage != ZEND_INI_STAGE_DEACTIVATE) {
			zend_error(E_WARNING, "%s must be " PHP_RLOCK_LEASE_RANGE, ZSTR_VAL(entry->name));
		}
		return FAILURE;
	}
	*seconds = value;
	return SUCCESS;
}

/* Addresses contain passwords, and people paste the output of phpinfo(). */
static ZEND_INI_DISP(display_hidden)
{
	zend_string *value = type == ZEND_INI_DISPLAY_ORIG && ini_entry->modified ? ini_entry->orig_value : ini_entry->value;

	PHPWRITE("(hidden)", value && ZSTR_LEN(value) ? sizeof("(hidden)") - 1 : 0);
}

PHP_INI_BEGIN()
	STD_PHP_INI_ENTRY_EX("rlock.servers", "redis://127.0.0.1:6379", PHP_INI_ALL, on_modify_string,
		servers, zend_rlock_globals, rlock_globals, display_hidden)
	STD_PHP_INI_ENTRY("rlock.prefix", "lock@", PHP_INI_ALL, on_modify_string,
		prefix, zend_rlock_globals, rlock_globals)
	STD_PHP_INI_ENTRY("rlock.ttl", "30", PHP_INI_ALL, on_modify_seconds,
		ttl, zend_rlock_globals, rlock_globals)
	STD_PHP_INI_ENTRY("rlock.connect_timeout", "1", PHP_INI_ALL, on_modify_seconds,
		connect_timeout, zend_rlock_globals, rlock_globals)
	STD_PHP_INI_ENTRY("rlock.timeout", "1", PHP_INI_ALL, on_modify_seconds,
		timeout, zend_rlock_globals, rlock_globals)
	STD_PHP_INI_BOOLEAN("rlock.persistent", "1", PHP_INI_ALL, OnUpdateBool,
		persistent, zend_rlock_globals, rlock_globals)
PHP_INI_END()

void php_rlock_ini_register(int type, int module_number)
{
	REGISTER_INI_ENTRIES();
}

void php_rlock_ini_unregister(int type, int module_number)
{
	UNREGISTER_INI_ENTRIES();
}
