#include "session_path.h"

#include "SAPI.h"
#include "php_variables.h"
#include "ext/standard/url.h"
#include "zend_smart_str.h"

#include "globals.h"
#include "servers.h"
#include "text.h"

/* What phpredis knows, and we do as well. NULL: accepted, and without a meaning here. */
static const struct parameter {
	const char *name, *ours;
	bool is_flag;
} PARAMETERS[] = {
	{ "auth", "", false },
	{ "prefix", "", false },
	{ "database", "db", false },
	{ "timeout", "connect_timeout", false },
	{ "read_timeout", "timeout", false },
	{ "persistent", "persistent", true },
	{ "persistent_id", NULL, false },
	{ "retry_interval", NULL, false },
	{ "weight", NULL, false },
	{ "stream", NULL, false },
};

static const struct parameter *find_parameter(const char *name)
{
	for (size_t i = 0; i < sizeof PARAMETERS / sizeof PARAMETERS[0]; i++) {
		if (strcmp(PARAMETERS[i].name, name) == 0) {
			return &PARAMETERS[i];
		}
	}
	return NULL;
}

/* Of TLS we have what phpredis hands to PHP's streams. */
static const struct parameter STREAM[] = {
	{ "cafile", "cafile", false },
	{ "local_cert", "cert", false },
	{ "local_pk", "key", false },
	{ "peer_name", "sni", false },
	{ "verify_peer", "verify", true },
};

struct translation {
	smart_str address;
	char separator; /* before the next option */
	bool is_unix, is_tls;
};

static void append_encoded(struct translation *translation, zval *value)
{
	zend_string *text = zval_get_string(value);
	zend_string *encoded = php_raw_url_encode(ZSTR_VAL(text), ZSTR_LEN(text));

	smart_str_append(&translation->address, encoded);
	zend_string_release(encoded);
	zend_string_release(text);
}

static void add_option(struct translation *translation, const char *name, zval *value)
{
	smart_str_appendc(&translation->address, translation->separator);
	smart_str_appends(&translation->address, name);
	smart_str_appendc(&translation->address, '=');
	append_encoded(translation, value);
	translation->separator = '&';
}

/* Any text but "" and "0" is true to PHP. */
static void add_parameter(
	struct translation *translation, const struct parameter *parameter, zval *value)
{
	zval flag;

	ZVAL_LONG(&flag, zend_is_true(value));
	add_option(translation, parameter->ours, parameter->is_flag ? &flag : value);
}

/* One is a password; of two the first is a user. */
static zval *login_part(HashTable *parameters, bool user)
{
	zval *auth = zend_hash_str_find(parameters, ZEND_STRL("auth"));

	if (!auth || Z_TYPE_P(auth) != IS_ARRAY) {
		return user ? NULL : auth;
	}
	if (zend_hash_num_elements(Z_ARRVAL_P(auth)) == 1) {
		return user ? NULL : zend_hash_index_find(Z_ARRVAL_P(auth), 0);
	}
	return zend_hash_index_find(Z_ARRVAL_P(auth), user ? 0 : 1);
}

static void add_login(struct translation *translation, HashTable *parameters, bool as_options)
{
	zval *user = login_part(parameters, true), *password = login_part(parameters, false);

	if (as_options && user) {
		add_option(translation, "user", user);
	}
	if (as_options && password) {
		add_option(translation, "password", password);
	}
	if (!as_options && password) {
		if (user) {
			append_encoded(translation, user);
		}
		smart_str_appendc(&translation->address, ':');
		append_encoded(translation, password);
		smart_str_appendc(&translation->address, '@');
	}
}

static void add_stream(struct translation *translation, zval *stream)
{
	for (size_t i = 0; Z_TYPE_P(stream) == IS_ARRAY && i < sizeof STREAM / sizeof STREAM[0]; i++) {
		zval *value = zend_hash_str_find(
			Z_ARRVAL_P(stream), STREAM[i].name, strlen(STREAM[i].name));

		if (value && translation->is_tls) {
			add_parameter(translation, &STREAM[i], value);
		}
	}
}

/* Of a time, phpredis' 0 is its own default. */
static bool has_meaning(const struct parameter *parameter, zval *value)
{
	bool is_time = strstr(parameter->name, "timeout") != NULL;

	return parameter->ours && parameter->ours[0] && !(is_time && zval_get_double(value) <= 0);
}

/* A piece of a password that was not percent-encoded may look like a name, and is not repeated. */
static enum rl_status refuse(
	HashTable *parameters, const zend_string *name, struct rl_error *error)
{
	bool secret = zend_hash_str_exists(parameters, ZEND_STRL("auth"));

	return rl_fail(error, RL_INVALID, "the session.save_path has a parameter%s%s that is not known",
		name && !secret ? " " : "", name && !secret ? ZSTR_VAL(name) : "");
}

static enum rl_status add_parameters(
	struct translation *translation, HashTable *parameters, struct rl_error *error)
{
	zend_string *name;
	zval *value;

	ZEND_HASH_FOREACH_STR_KEY_VAL(parameters, name, value)
	{
		const struct parameter *parameter = name ? find_parameter(ZSTR_VAL(name)) : NULL;

		if (!parameter) {
			return refuse(parameters, name, error);
		}
		if (strcmp(parameter->name, "database") == 0 && !translation->is_unix) {
			continue; /* it stands behind the host */
		}
		if (has_meaning(parameter, value)) {
			add_parameter(translation, parameter, value);
		} else if (strcmp(parameter->name, "stream") == 0) {
			add_stream(translation, value);
		}
	}
	ZEND_HASH_FOREACH_END();
	return RL_OK;
}

static void read_query(const char *query, zval *parameters)
{
	array_init(parameters);
	if (query) {
		sapi_module.treat_data(PARSE_STRING, estrdup(query + 1), parameters);
	}
}

static zend_string *take_prefix(HashTable *parameters)
{
	zval *prefix = zend_hash_str_find(parameters, ZEND_STRL("prefix"));

	return prefix && Z_TYPE_P(prefix) == IS_STRING ? zend_string_copy(Z_STR_P(prefix)) : NULL;
}

/* Scheme, login, place and database; the rest are options. */
static void begin_address(
	struct translation *translation, struct rl_text place, HashTable *parameters)
{
	zval *database = zend_hash_str_find(parameters, ZEND_STRL("database"));

	smart_str_appends(&translation->address,
		translation->is_unix ? "unix://" : translation->is_tls ? "rediss://"
															   : "redis://");
	if (!translation->is_unix) {
		add_login(translation, parameters, false);
	}
	smart_str_appendl(&translation->address, place.data, place.length);
	if (translation->is_unix) {
		add_login(translation, parameters, true);
	} else if (database) {
		smart_str_appendc(&translation->address, '/');
		append_encoded(translation, database);
	}
}

/* As an address of ours. */
static enum rl_status translate(const char *text, struct translation *translation,
	zend_string **prefix, struct rl_error *error)
{
	const char *place = strstr(text, "://") + 3, *query = strchr(place, '?');
	size_t length = query ? (size_t)(query - place) : strlen(place);
	enum rl_status status;
	zval parameters;

	translation->is_unix = text[0] == 'u';
	translation->is_tls = text[0] == 's' || text[1] == 'l';
	translation->separator = '?';
	if (!translation->is_unix && length > 0 && place[length - 1] == '/') {
		length--;
	}
	read_query(query, &parameters);
	begin_address(translation, (struct rl_text){ place, length }, Z_ARRVAL(parameters));
	status = add_parameters(translation, Z_ARRVAL(parameters), error);
	*prefix = status == RL_OK ? take_prefix(Z_ARRVAL(parameters)) : NULL;
	zval_ptr_dtor(&parameters);
	smart_str_0(&translation->address);
	return status;
}

/* Of unix:// there is one form of ours, too, with other options. */
static bool is_of_phpredis(const char *text)
{
	static const char *const words[] = { "auth=", "auth[", "auth%5B", "database=", "prefix=",
		"read_timeout=", "persistent_id=", "retry_interval=", "weight=", "stream[" };
	const char *query = strchr(text, '?');

	if (strncmp(text, "tcp://", 6) == 0 || strncmp(text, "tls://", 6) == 0
		|| strncmp(text, "ssl://", 6) == 0) {
		return true;
	}
	for (size_t i = 0; query && strncmp(text, "unix://", 7) == 0
		 && i < sizeof words / sizeof words[0];
		 i++) {
		for (const char *at = strstr(query, words[i]); at; at = strstr(at + 1, words[i])) {
			if (at[-1] == '?' || at[-1] == '&') {
				return true;
			}
		}
	}
	return false;
}

/*
 * A folder, as the handler `files` has it, "N;MODE;/path": distributions build PHP with one, so
 * that it is there where nobody has set anything.
 */
static bool is_folder(const char *text)
{
	const char *last = strrchr(text, ';');
	const char *path = last ? last + 1 : text;

	return !strstr(text, "://") && (IS_ABSOLUTE_PATH(path, strlen(path)) || !*path);
}

static enum rl_status read_address(
	struct rl_text text, struct php_rlock_session_path *path, struct rl_error *error)
{
	enum rl_status status = php_rlock_servers_read_text(text, &path->deployment, error);

	if (status == RL_OK && path->deployment->count > 1) {
		rl_deployment_free(path->deployment);
		return rl_fail(error, RL_MISUSE,
			"sessions are kept by one server, Sentinel or a cluster, and not by several independent servers");
	}
	return status;
}

enum rl_status php_rlock_session_path_read(
	const char *text, struct php_rlock_session_path *path, struct rl_error *error)
{
	struct translation translation = { .address = { 0 } };
	const char *scheme = strstr(text, "://");
	enum rl_status status;

	*path = (struct php_rlock_session_path){ .prefix = NULL };
	if (is_folder(text)) {
		return read_address(php_rlock_text(RLOCK_G(servers)), path, error);
	}
	if (!is_of_phpredis(text)) {
		return read_address(rl_text_of(text), path, error);
	}
	if (strstr(scheme + 3, "://")) {
		return rl_fail(error, RL_MISUSE,
			"the session.save_path names several servers; a session is kept by one, Sentinel or a cluster");
	}
	status = translate(text, &translation, &path->prefix, error);
	if (status == RL_OK) {
		status = read_address(php_rlock_text(translation.address.s), path, error);
	}
	smart_str_free(&translation.address);
	if (status != RL_OK && path->prefix) {
		zend_string_release(path->prefix);
	}
	return status;
}
