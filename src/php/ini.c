/*
 * Setting a time that is out of range, or a flag that is neither on nor off, fails with a warning,
 * and the previous value stays. A bad rlock.servers is accepted, since the previous address would
 * lock on the wrong server: a constructor that uses it throws. A name that does not exist is a
 * warning when PHP starts.
 */
#include "ini.h"

#include "php.h"
#include "php_ini.h"

#include "../base/nearest.h"
#include "../base/number.h"
#include "globals.h"
#include "seconds.h"
#include "text.h"

static ZEND_INI_MH(on_modify_string)
{
	zend_string **string = (zend_string **)ZEND_INI_GET_ADDR();

	*string = new_value;
	return SUCCESS;
}

/* Always fails. At the end of a request PHP restores the old value, which is no reason to warn. */
static zend_result refuse(
	const zend_ini_entry *entry, const zend_string *value, int stage, const char *range)
{
	char text[80];

	if (stage != ZEND_INI_STAGE_DEACTIVATE) {
		zend_error(E_WARNING, "%s must be %s, \"%s\" given; it stays as it was",
			ZSTR_VAL(entry->name), range,
			rl_text_printable(text, sizeof text, php_rlock_text(value)));
	}
	return FAILURE;
}

/* NaN, which no time can be, if it is no number. */
static double read_seconds(const zend_string *text)
{
	double value;
	uint8_t type = is_numeric_string(ZSTR_VAL(text), ZSTR_LEN(text), NULL, &value, false);

	return type == 0 ? NAN : type == IS_LONG ? zend_strtod(ZSTR_VAL(text), NULL)
											 : value;
}

static ZEND_INI_MH(on_modify_lease)
{
	double seconds = read_seconds(new_value);

	if (!php_rlock_seconds_are_lease(seconds)) {
		return refuse(entry, new_value, stage, PHP_RLOCK_LEASE_RANGE);
	}
	*(double *)ZEND_INI_GET_ADDR() = seconds;
	return SUCCESS;
}

/* What is longer was meant to be milliseconds. */
static ZEND_INI_MH(on_modify_timeout)
{
	double seconds = read_seconds(new_value);

	if (!(seconds >= 0.001 && seconds <= RL_NUMBER_TIMEOUT_MAX_S)) {
		return refuse(entry, new_value, stage,
			"between 0.001 and " ZEND_TOSTR(RL_NUMBER_TIMEOUT_MAX_S) " seconds (not milliseconds)");
	}
	*(double *)ZEND_INI_GET_ADDR() = seconds;
	return SUCCESS;
}

/* -1: for ever. */
static ZEND_INI_MH(on_modify_wait)
{
	double seconds = read_seconds(new_value);

	if (!(seconds == -1 || (seconds >= 0 && seconds <= PHP_RLOCK_SECONDS_MAX))) {
		return refuse(entry, new_value, stage, "0 or more seconds, or -1, which is for ever");
	}
	*(double *)ZEND_INI_GET_ADDR() = seconds;
	return SUCCESS;
}

/* 0 has a meaning of its own. */
static ZEND_INI_MH(on_modify_seconds)
{
	double seconds = read_seconds(new_value);

	if (!(seconds >= 0 && seconds <= PHP_RLOCK_SECONDS_MAX)) {
		return refuse(entry, new_value, stage, "0 or more seconds");
	}
	*(double *)ZEND_INI_GET_ADDR() = seconds;
	return SUCCESS;
}

static ZEND_INI_MH(on_modify_busy)
{
	bool reads = zend_string_equals_literal(new_value, "readonly");

	if (!reads && !zend_string_equals_literal(new_value, "fail")) {
		return refuse(entry, new_value, stage, "\"fail\" or \"readonly\"");
	}
	*(bool *)ZEND_INI_GET_ADDR() = reads;
	return SUCCESS;
}

static ZEND_INI_MH(on_modify_count)
{
	zend_long count;

	if (is_numeric_string(ZSTR_VAL(new_value), ZSTR_LEN(new_value), &count, NULL, false) != IS_LONG
		|| count < 0 || count > INT_MAX) {
		return refuse(entry, new_value, stage, "a whole number, 0 or more");
	}
	*(zend_long *)ZEND_INI_GET_ADDR() = count;
	return SUCCESS;
}

/* As PHP reads its own flags, which takes any other word for off, too. */
static ZEND_INI_MH(on_modify_flag)
{
	static const char *const words[] = { "", "0", "off", "no", "false", "none", "1", "on", "yes",
		"true" };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (strcasecmp(ZSTR_VAL(new_value), words[i]) == 0) {
			return OnUpdateBool(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
		}
	}
	return refuse(entry, new_value, stage, "on or off");
}

/* Addresses contain passwords, and people paste the output of phpinfo(). */
static ZEND_INI_DISP(display_hidden)
{
	zend_string *value = type == ZEND_INI_DISPLAY_ORIG && ini_entry->modified
		? ini_entry->orig_value
		: ini_entry->value;

	PHPWRITE("(hidden)", value && ZSTR_LEN(value) ? sizeof("(hidden)") - 1 : 0);
}

PHP_INI_BEGIN()
	/* addresses, by spaces where a majority decides; hidden in phpinfo() */
	STD_PHP_INI_ENTRY_EX("rlock.servers", "redis://127.0.0.1:6379", PHP_INI_ALL, on_modify_string,
		servers, zend_rlock_globals, rlock_globals, display_hidden)
	/* what the keys in Redis begin with */
	STD_PHP_INI_ENTRY("rlock.prefix", "lock@", PHP_INI_ALL, on_modify_string,
		prefix, zend_rlock_globals, rlock_globals)
	/* the lease in seconds, if a call names none */
	STD_PHP_INI_ENTRY("rlock.ttl", "30", PHP_INI_ALL, on_modify_lease,
		ttl, zend_rlock_globals, rlock_globals)
	/* seconds for a new connection */
	STD_PHP_INI_ENTRY("rlock.connect_timeout", "1", PHP_INI_ALL, on_modify_timeout,
		connect_timeout, zend_rlock_globals, rlock_globals)
	/* seconds for a whole call, not counting a wait for a lock that is taken */
	STD_PHP_INI_ENTRY("rlock.timeout", "1", PHP_INI_ALL, on_modify_timeout,
		timeout, zend_rlock_globals, rlock_globals)
	/* a wait of more seconds is told to PHP's error log; 0: none is */
	STD_PHP_INI_ENTRY("rlock.slow_wait", "0", PHP_INI_ALL, on_modify_seconds,
		slow_wait, zend_rlock_globals, rlock_globals)
	/* connections outlive the request */
	STD_PHP_INI_BOOLEAN("rlock.persistent", "1", PHP_INI_ALL, on_modify_flag,
		persistent, zend_rlock_globals, rlock_globals)
	/* in place of PHPREDIS_SESSION: and, in a cluster, PHPREDIS_CLUSTER_SESSION: */
	STD_PHP_INI_ENTRY("rlock.session.prefix", "", PHP_INI_ALL, on_modify_string,
		session.prefix, zend_rlock_globals, rlock_globals)
	/* seconds that session_start() waits for its turn; 0: it asks once */
	STD_PHP_INI_ENTRY("rlock.session.wait", "20", PHP_INI_ALL, on_modify_wait,
		session.wait, zend_rlock_globals, rlock_globals)
	/* the lease in seconds, renewed while the request runs: so long a killed process blocks
	   the next */
	STD_PHP_INI_ENTRY("rlock.session.ttl", "5", PHP_INI_ALL, on_modify_lease,
		session.ttl, zend_rlock_globals, rlock_globals)
	/* the lease is renewed for at most so many seconds; 0: as long as the request runs */
	STD_PHP_INI_ENTRY("rlock.session.max_hold", "0", PHP_INI_ALL, on_modify_seconds,
		session.max_hold, zend_rlock_globals, rlock_globals)
	/* after the wait, session_start() is false and warns; or, with readonly, is true with a
	   notice, nothing is written, and session_regenerate_id() is false */
	STD_PHP_INI_ENTRY("rlock.session.busy", "fail", PHP_INI_ALL, on_modify_busy,
		session.reads_if_busy, zend_rlock_globals, rlock_globals)
	/* so many requests may wait for one session, and one more is busy at once; 0: any number */
	STD_PHP_INI_ENTRY("rlock.session.max_waiters", "0", PHP_INI_ALL, on_modify_count,
		session.max_waiters, zend_rlock_globals, rlock_globals)
PHP_INI_END()

static bool is_ours(const zend_string *name)
{
	return name && zend_string_starts_with_literal(name, "rlock.");
}

static void warn_of_unknown(const zend_string *unknown)
{
	struct rl_nearest nearest = { .wanted = php_rlock_text(unknown) };
	zend_string *name;
	char text[80];

	ZEND_HASH_FOREACH_STR_KEY(EG(ini_directives), name) {
		if (is_ours(name)) {
			rl_nearest_try(&nearest, ZSTR_VAL(name));
		}
	}
	ZEND_HASH_FOREACH_END();
	zend_error(E_WARNING, "There is no ini setting %s%s%s",
		rl_text_printable(text, sizeof text, nearest.wanted),
		nearest.name ? "; the nearest is " : "", nearest.name ? nearest.name : "");
}

/* What php.ini, or -d, sets, and nothing would read. */
static void look_for_unknown(void)
{
	zend_string *name;

	ZEND_HASH_FOREACH_STR_KEY(php_ini_get_configuration_hash(), name) {
		if (is_ours(name) && !zend_hash_exists(EG(ini_directives), name)) {
			warn_of_unknown(name);
		}
	}
	ZEND_HASH_FOREACH_END();
}

/*
 * A ReflectionExtension as text, which is what `php --re` prints, shows the values of all settings,
 * and asks nobody how. So they are put aside for as long as that takes.
 */
static zif_handler show_extension;

static zend_string *put_aside(zend_string **value, zend_string *shown)
{
	zend_string *own = *value;

	if (own && ZSTR_LEN(own)) {
		*value = shown;
	}
	return own;
}

/* False: PHP has to end the request. */
static bool show(INTERNAL_FUNCTION_PARAMETERS)
{
	volatile bool done = false;

	/* clang-format off */
	zend_try {
		show_extension(INTERNAL_FUNCTION_PARAM_PASSTHRU);
		done = true;
	} zend_end_try();
	/* clang-format on */
	return done;
}

static ZEND_FUNCTION(show_extension_without_secrets)
{
	zend_ini_entry *servers = zend_hash_str_find_ptr(
		EG(ini_directives), ZEND_STRL("rlock.servers"));
	zend_string *hidden = zend_string_init(ZEND_STRL("(hidden)"), false);
	zend_string *value = put_aside(&servers->value, hidden);
	zend_string *original = put_aside(&servers->orig_value, hidden);
	bool done = show(INTERNAL_FUNCTION_PARAM_PASSTHRU);

	servers->value = value;
	servers->orig_value = original;
	zend_string_release(hidden);
	if (!done) {
		zend_bailout();
	}
}

/* The method, or NULL. */
static zend_internal_function *find_show(void)
{
	zend_class_entry *class = zend_hash_str_find_ptr(
		CG(class_table), ZEND_STRL("reflectionextension"));
	zend_function *method = class
		? zend_hash_str_find_ptr(&class->function_table, ZEND_STRL("__tostring"))
		: NULL;

	return method && method->type == ZEND_INTERNAL_FUNCTION ? &method->internal_function : NULL;
}

static void hide_from_reflection(void)
{
	zend_internal_function *show = find_show();

	if (show) {
		show_extension = show->handler;
		show->handler = ZEND_FN(show_extension_without_secrets);
	}
}

static void show_again(void)
{
	zend_internal_function *show = show_extension ? find_show() : NULL;

	if (show && show->handler == ZEND_FN(show_extension_without_secrets)) {
		show->handler = show_extension;
	}
}

void php_rlock_ini_register(int type, int module_number)
{
	REGISTER_INI_ENTRIES();
	look_for_unknown();
	hide_from_reflection();
}

void php_rlock_ini_unregister(int type, int module_number)
{
	show_again();
	UNREGISTER_INI_ENTRIES();
}
