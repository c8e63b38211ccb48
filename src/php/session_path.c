#include "session_path.h"

#include <ctype.h>

#include "SAPI.h"
#include "php_variables.h"
#include "ext/standard/url.h"

#include "globals.h"
#include "servers.h"
#include "text.h"
#include "../base/number.h"

/* What phpredis knows, and the part of an address that it is. */
struct parameter {
	const char *name;
	enum rl_address_part part; /* RL_PART_COUNT: another thing, or accepted without a meaning */
};

static const struct parameter PARAMETERS[] = {
	{ "auth", RL_PART_COUNT },
	{ "prefix", RL_PART_COUNT },
	{ "database", RL_PART_DB },
	{ "timeout", RL_PART_CONNECT_TIMEOUT },
	{ "read_timeout", RL_PART_TIMEOUT },
	{ "persistent", RL_PART_PERSISTENT },
	{ "persistent_id", RL_PART_COUNT },
	{ "retry_interval", RL_PART_COUNT },
	{ "weight", RL_PART_COUNT },
	{ "stream", RL_PART_COUNT },
};

/* Of TLS we have what phpredis hands to PHP's streams. */
static const struct parameter STREAM[] = {
	{ "cafile", RL_PART_CAFILE },
	{ "local_cert", RL_PART_CERT },
	{ "local_pk", RL_PART_KEY },
	{ "peer_name", RL_PART_SNI },
	{ "verify_peer", RL_PART_VERIFY },
};

static const struct parameter *find(
	const struct parameter *parameters, size_t count, const zend_string *name)
{
	for (size_t i = 0; name && i < count; i++) {
		if (strcmp(parameters[i].name, ZSTR_VAL(name)) == 0) {
			return &parameters[i];
		}
	}
	return NULL;
}

/* Between the servers of a list. */
#define SEPARATORS " \t\n\v\f\r,"

#define FIND(parameters, name) find(parameters, sizeof parameters / sizeof parameters[0], name)

/* --- parameters --- */

/* A piece of a password that was not percent-encoded may look like a name, and is not repeated. */
static bool refuse(
	struct rl_address_reading *reading, HashTable *parameters, const zend_string *name)
{
	bool secret = zend_hash_str_exists(parameters, ZEND_STRL("auth"));

	reading->status = rl_fail(reading->error, RL_INVALID,
		"the session.save_path has a parameter%s%s that is not known", name && !secret ? " " : "",
		name && !secret ? ZSTR_VAL(name) : "");
	return false;
}

/*
 * phpredis takes any time, and no time (0) for none of its own: here the longest that there is, and
 * the setting's.
 */
static bool put_time(
	struct rl_address_reading *reading, enum rl_address_part part, struct rl_text text, double time)
{
	if (time > RL_NUMBER_TIMEOUT_MAX_S) {
		text = rl_text_of(ZEND_TOSTR(RL_NUMBER_TIMEOUT_MAX_S));
	}
	return time <= 0 || rl_address_reading_put(reading, part, text);
}

/* Any text but "" and "0" is true to PHP; and an empty database is phpredis' own. */
static bool put_parameter(
	struct rl_address_reading *reading, enum rl_address_part part, zval *value)
{
	struct rl_text text = php_rlock_text(Z_STR_P(value));

	switch (part) {
		case RL_PART_COUNT:
			return true;
		case RL_PART_VERIFY:
		case RL_PART_PERSISTENT:
			return rl_address_reading_put(
				reading, part, rl_text_of(zend_is_true(value) ? "1" : "0"));
		case RL_PART_DB:
			return text.length == 0 || rl_address_reading_put(reading, part, text);
		case RL_PART_CONNECT_TIMEOUT:
		case RL_PART_TIMEOUT:
			return put_time(reading, part, text, zval_get_double(value));
		default:
			return rl_address_reading_put(reading, part, text);
	}
}

static bool put_stream(
	struct rl_address_reading *reading, HashTable *parameters, HashTable *stream)
{
	zend_string *name;
	zval *value;

	ZEND_HASH_FOREACH_STR_KEY_VAL(stream, name, value)
	{
		const struct parameter *parameter = FIND(STREAM, name);

		if (parameter && Z_TYPE_P(value) != IS_STRING) {
			return refuse(reading, parameters, name);
		}
		if (parameter && !put_parameter(reading, parameter->part, value)) {
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

/* One is a password; of two the first is a user. phpredis has names for them, too. */
static zval *login_part(HashTable *parameters, bool user)
{
	zval *auth = zend_hash_str_find(parameters, ZEND_STRL("auth")), *part;
	zend_ulong place;

	if (!auth || Z_TYPE_P(auth) != IS_ARRAY) {
		return user ? NULL : auth;
	}
	place = zend_hash_num_elements(Z_ARRVAL_P(auth)) - 1;
	if (user && place == 0) {
		return NULL;
	}
	part = zend_hash_str_find(Z_ARRVAL_P(auth), user ? "user" : "pass", 4);
	return part ? part : zend_hash_index_find(Z_ARRVAL_P(auth), user ? 0 : place);
}

static bool put_login(struct rl_address_reading *reading, HashTable *parameters)
{
	zval *user = login_part(parameters, true), *password = login_part(parameters, false);

	if ((user && Z_TYPE_P(user) != IS_STRING) || (password && Z_TYPE_P(password) != IS_STRING)) {
		return refuse(reading, parameters, NULL);
	}
	return !password
		|| ((!user || put_parameter(reading, RL_PART_USER, user))
			&& put_parameter(reading, RL_PART_PASSWORD, password));
}

/* Of the two that are several values phpredis knows how many there may be. */
static bool has_form(const struct parameter *parameter, zval *value)
{
	bool is_list = Z_TYPE_P(value) == IS_ARRAY;

	if (strcmp(parameter->name, "auth") == 0 && is_list) {
		return zend_hash_num_elements(Z_ARRVAL_P(value)) - 1 < 2;
	}
	return !is_list || strcmp(parameter->name, "stream") == 0;
}

static bool put_parameters(struct rl_address_reading *reading, HashTable *parameters)
{
	zend_string *name;
	zval *value;

	ZEND_HASH_FOREACH_STR_KEY_VAL(parameters, name, value)
	{
		const struct parameter *parameter = FIND(PARAMETERS, name);

		if (!parameter || !has_form(parameter, value)) {
			return refuse(reading, parameters, name);
		}
		if (Z_TYPE_P(value) == IS_STRING && !put_parameter(reading, parameter->part, value)) {
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	value = zend_hash_str_find(parameters, ZEND_STRL("stream"));
	return !value || Z_TYPE_P(value) != IS_ARRAY || reading->form != RL_FORM_TLS
		|| put_stream(reading, parameters, Z_ARRVAL_P(value));
}

/* --- as phpredis reads it --- */

/*
 * One of its servers, as PHP takes an address apart. There is a password in it, of which nothing
 * stays in memory: no part is copied where it would not be overwritten.
 */
struct address {
	php_url *url;
	HashTable *parameters;
	HashTable *values; /* all that were decoded, to be overwritten */
	const char *rest;  /* behind it */
};

static void add_value(struct address *address, const char *name, char *text)
{
	zval value, track, kept;

	ZVAL_NEW_STR(&value, zend_string_init(text, php_url_decode(text, strlen(text)), false));
	ZVAL_COPY(&kept, &value);
	zend_hash_next_index_insert_new(address->values, &kept);
	ZVAL_ARR(&track, address->parameters);
	php_register_variable_ex(name, &value, &track);
}

/* As PHP takes apart what a browser sends, and phpredis a path. */
static void read_query(struct address *address, char *query)
{
	const char setting[] = "arg_separator.input";
	const char *separators = zend_ini_string(setting, sizeof setting - 1, false);
	char *rest, *name = php_strtok_r(query, separators, &rest);

	for (; name; name = php_strtok_r(NULL, separators, &rest)) {
		char *value = strchr(name, '=');

		if (value) {
			*value++ = '\0';
		}
		php_url_decode(name, strlen(name));
		add_value(address, name, value ? value : name + strlen(name));
	}
}

/* What phpredis takes for it: to PHP the last part behind a '#' is none. */
static void read_parameters(struct address *address)
{
	const zend_string *query = address->url->query, *more = address->url->fragment;
	size_t size = ZSTR_LEN(query) + (more ? 1 + ZSTR_LEN(more) : 0) + 1;
	char *copy = emalloc(size);

	memcpy(copy, ZSTR_VAL(query), ZSTR_LEN(query) + 1);
	if (more) {
		copy[ZSTR_LEN(query)] = '#';
		memcpy(copy + ZSTR_LEN(query) + 1, ZSTR_VAL(more), ZSTR_LEN(more) + 1);
	}
	read_query(address, copy);
	rl_system_wipe(copy, size);
	efree(copy);
}

static void read_address(struct address *address, const char *text)
{
	size_t length = strcspn(text, SEPARATORS);
	char *copy = estrndup(text, length);

	address->rest = text + length + strspn(text + length, SEPARATORS);
	/* So PHP knows that no host comes. */
	if (strncmp(copy, "unix:", 5) == 0) {
		memcpy(copy, "file:", 5);
	}
	address->url = php_url_parse_ex(copy, length);
	rl_system_wipe(copy, length);
	efree(copy);
	if (address->url && address->url->query) {
		read_parameters(address);
	}
}

static void wipe(zend_string *text)
{
	if (text && !ZSTR_IS_INTERNED(text)) {
		rl_system_wipe(ZSTR_VAL(text), ZSTR_LEN(text));
	}
}

static void free_url(php_url *url)
{
	wipe(url->user);
	wipe(url->pass);
	wipe(url->path);
	wipe(url->query);
	wipe(url->fragment);
	php_url_free(url);
}

static void free_address(struct address *address)
{
	zval *value;

	ZEND_HASH_FOREACH_VAL(address->values, value) {
		wipe(Z_STR_P(value));
	}
	ZEND_HASH_FOREACH_END();
	zend_array_destroy(address->values);
	zend_array_destroy(address->parameters);
	if (address->url) {
		free_url(address->url);
	}
}

/* --- the whole --- */

static enum rl_status read_ours(
	struct rl_text text, struct rl_deployment **deployment, struct rl_error *error)
{
	enum rl_status status = php_rlock_servers_read_text(text, deployment, error);

	if (status == RL_OK && (*deployment)->count > 1) {
		rl_deployment_free(*deployment);
		return rl_fail(error, RL_MISUSE,
			"sessions are kept by one server, Sentinel or a cluster, and not by several independent servers");
	}
	return status;
}

/* What else is in it, phpredis ignores. */
static bool put_place(struct rl_address_reading *reading, const php_url *url)
{
	bool done = rl_address_reading_put(reading, url->host ? RL_PART_HOST : RL_PART_PATH,
		php_rlock_text(url->host ? url->host : url->path));

	if (done && url->port) {
		reading->address.port = url->port;
	}
	return done;
}

static enum rl_address_form form_of(const php_url *url)
{
	if (!url->host) {
		return RL_FORM_UNIX;
	}
	return url->scheme && !zend_string_equals_literal(url->scheme, "tcp") ? RL_FORM_TLS
																		  : RL_FORM_TCP;
}

static enum rl_status read_theirs(
	const struct address *address, struct rl_deployment **deployment, struct rl_error *error)
{
	const php_url *url = address->url;
	struct rl_address_reading reading;

	if (*address->rest) {
		return rl_fail(error, RL_MISUSE,
			"the session.save_path names several servers; a session is kept by one, Sentinel or a cluster");
	}
	if (!url || (url->host && url->scheme && zend_string_equals_literal(url->scheme, "file"))
		|| (!url->host && (!url->path || ZSTR_VAL(url->path)[0] != '/'))) {
		return rl_fail(error, RL_INVALID,
			"the session.save_path cannot be read: it names neither a host nor a socket");
	}
	php_rlock_servers_begin(&reading, form_of(url), error);
	if (reading.status == RL_OK && put_place(&reading, url)
		&& put_login(&reading, address->parameters)) {
		put_parameters(&reading, address->parameters);
	}
	return php_rlock_servers_end(&reading, deployment);
}

/*
 * Of unix:// there is one form of ours, too, with other options, where paths are decoded. What both
 * can read means what it means to phpredis.
 */
static bool is_their_socket(const char *text, const struct address *address)
{
	bool is_ours = strncmp(text, "unix:///", 8) == 0 && !memchr(text, '%', strcspn(text, "?"));
	zend_string *name;

	ZEND_HASH_FOREACH_STR_KEY(address->parameters, name) {
		const struct parameter *parameter = FIND(PARAMETERS, name);
		enum rl_address_part part = parameter ? parameter->part : RL_PART_COUNT;

		/* These two have one name in both. */
		if (parameter && part != RL_PART_CONNECT_TIMEOUT && part != RL_PART_PERSISTENT) {
			return true;
		}
		is_ours |= !parameter;
	}
	ZEND_HASH_FOREACH_END();
	return !is_ours;
}

static bool is_of_phpredis(const char *text, const struct address *address)
{
	if (strncmp(text, "unix:", 5) == 0) {
		return is_their_socket(text, address);
	}
	return strncmp(text, "tcp://", 6) == 0 || strncmp(text, "tls://", 6) == 0
		|| strncmp(text, "ssl://", 6) == 0 || text[0] == '/';
}

/*
 * A folder, as the handler `files` has it, "N;MODE;/path": distributions build PHP with one, so
 * that it is there where nobody has set anything. An absolute path that is none is a socket.
 */
static bool is_folder(const char *text)
{
	const char *last = isdigit((unsigned char)*text) ? strrchr(text, ';') : NULL;
	const char *path = last ? last + 1 : text;
	zend_stat_t found;

	return IS_ABSOLUTE_PATH(path, strlen(path))
		&& (last || (VCWD_STAT(path, &found) == 0 && S_ISDIR(found.st_mode)));
}

/* --- the prefix --- */

/* As Redis Cluster finds it: something between the first brace and the next that closes one. */
static bool has_hash_tag(const char *text)
{
	const char *open = strchr(text, '{'), *close = open ? strchr(open, '}') : NULL;

	return close && close > open + 1;
}

static enum rl_status set_prefix(struct php_rlock_session_path *path, HashTable *parameters,
	bool is_cluster, struct rl_error *error)
{
	zval *given = zend_hash_str_find(parameters, ZEND_STRL("prefix"));
	const zend_string *prefix = given ? Z_STR_P(given) : RLOCK_G(session).prefix;
	bool is_default = !given && ZSTR_LEN(prefix) == 0;

	if (ZSTR_LEN(prefix) > PHP_RLOCK_SESSION_PREFIX_MAX) {
		return rl_fail(error, RL_INVALID, "the prefix of its keys is longer than %d bytes",
			PHP_RLOCK_SESSION_PREFIX_MAX);
	}
	if (strlen(ZSTR_VAL(prefix)) != ZSTR_LEN(prefix)) {
		return rl_fail(error, RL_INVALID, "the prefix of its keys has a NUL");
	}
	snprintf(path->prefix, sizeof path->prefix, "%s",
		!is_default      ? ZSTR_VAL(prefix)
			: is_cluster ? "PHPREDIS_CLUSTER_SESSION:"
						 : "PHPREDIS_SESSION:");
	path->needs_braces = is_cluster && !has_hash_tag(path->prefix);
	return path->needs_braces && strpbrk(path->prefix, "{}")
		? rl_fail(error, RL_INVALID,
			"the prefix of its keys has a brace and no hash tag, so that lock and data would not be in one slot")
		: RL_OK;
}

static enum rl_status read_path(const char *text, const struct address *address,
	struct php_rlock_session_path *path, struct rl_error *error)
{
	bool is_elsewhere = *text && !is_folder(text);
	bool theirs = is_elsewhere && is_of_phpredis(text, address);
	struct rl_text ours = is_elsewhere ? rl_text_of(text) : php_rlock_text(RLOCK_G(servers));
	struct rl_deployment *deployment;
	enum rl_status status = theirs ? read_theirs(address, &deployment, error)
								   : read_ours(ours, &deployment, error);
	bool is_cluster;

	if (status != RL_OK) {
		return rl_fail(error, status, "%s%s", error->message,
			php_rlock_servers_hint_at_quotes(ours.data, error));
	}
	is_cluster = deployment->addresses && !deployment->addresses->master;
	if (!theirs) {
		zend_hash_clean(address->parameters);
	}
	status = set_prefix(path, address->parameters, is_cluster, error);
	if (status != RL_OK) {
		rl_deployment_free(deployment);
		return status;
	}
	path->route = rl_deployment_route(deployment, &RLOCK_G(cache));
	return path->route ? RL_OK : rl_fail_for_memory(error);
}

bool php_rlock_session_path_read(
	const char *text, struct php_rlock_session_path *path, struct rl_error *error)
{
	struct address address = { .parameters = zend_new_array(0), .values = zend_new_array(0) };
	enum rl_status status;

	text += strspn(text, SEPARATORS);
	read_address(&address, text);
	status = read_path(text, &address, path, error);
	free_address(&address);
	return status == RL_OK;
}
