#include "servers.h"

#include "open_basedir.h"
#include "exception.h"
#include "globals.h"
#include "seconds.h"
#include "text.h"

/*
 * Refuses a path outside of open_basedir when it is named, before anybody depends on it. Where it
 * leads to when it is used, the core looks at then.
 */
static enum rl_status check_paths(const struct rl_address *address, struct rl_error *error)
{
	const struct {
		const char *path, *what;
	} paths[] = { { address->path, "socket" }, { address->cafile, "cafile" },
		{ address->cert, "cert" }, { address->key, "key" } };

	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		if (paths[i].path && php_check_open_basedir_ex(paths[i].path, 0) != 0) {
			return rl_fail(error, RL_INVALID,
				"The ini setting open_basedir does not allow the path of the %s", paths[i].what);
		}
	}
	return RL_OK;
}

/* The nodes of Sentinel and Redis Cluster have their files in common. */
static enum rl_status check_all_paths(
	const struct rl_deployment *deployment, struct rl_error *error)
{
	enum rl_status status = deployment->addresses ? check_paths(deployment->addresses->login, error)
												  : RL_OK;

	for (size_t i = 0; i < deployment->count && status == RL_OK; i++) {
		status = check_paths(deployment->servers[i], error);
	}
	return status;
}

/* The script's, which is the process's only where there is one thread. */
static char *folder_here(void)
{
	char *folder = malloc(MAXPATHLEN);

	if (folder && !VCWD_GETCWD(folder, MAXPATHLEN)) {
		free(folder);
		folder = NULL;
	}
	return folder;
}

static struct rl_address_defaults defaults(void)
{
	return (struct rl_address_defaults){
		.connect_timeout = php_rlock_seconds_to_time(RLOCK_G(connect_timeout)),
		.timeout = php_rlock_seconds_to_time(RLOCK_G(timeout)),
		.persistent = RLOCK_G(persistent),
		.bounds = php_rlock_bounds(),
		.here = folder_here,
	};
}

/* Frees it where a path is not allowed. */
static enum rl_status check_deployment(
	struct rl_deployment **deployment, struct rl_error *error)
{
	enum rl_status status = check_all_paths(*deployment, error);

	if (status != RL_OK) {
		rl_deployment_free(*deployment);
		*deployment = NULL;
	}
	return status;
}

static enum rl_status read_texts(const struct rl_text *texts, size_t count,
	struct rl_deployment **deployment, struct rl_error *error)
{
	const struct rl_address_defaults settings = defaults();
	enum rl_status status = rl_deployment_read(texts, count, &settings, deployment, error);

	return status == RL_OK ? check_deployment(deployment, error) : status;
}

void php_rlock_servers_begin(
	struct rl_address_reading *reading, enum rl_address_form form, struct rl_error *error)
{
	const struct rl_address_defaults settings = defaults();

	rl_address_reading_begin(reading, form, &settings, error);
}

enum rl_status php_rlock_servers_end(
	struct rl_address_reading *reading, struct rl_deployment **deployment)
{
	struct rl_address *address;
	enum rl_status status = rl_address_reading_end(reading, &address);

	if (status != RL_OK) {
		return status;
	}
	*deployment = rl_deployment_of(address);
	return *deployment ? check_deployment(deployment, reading->error)
					   : rl_fail_for_memory(reading->error);
}

const char *php_rlock_servers_hint_at_quotes(const char *text, const struct rl_error *error)
{
	return strstr(error->message, "cannot be read") && !strpbrk(text, ";!=&|^~(")
		? "; in an ini file it must be in quotes, since ';', '!', '=' or '&' would cut it"
		: "";
}

static void throw_unreadable(
	uint32_t arg, bool from_setting, enum rl_status status, const struct rl_error *error)
{
	if (status != RL_INVALID) {
		php_rlock_exception_throw_status(status, error, NULL, NULL);
	} else if (from_setting) {
		zend_value_error("The ini setting rlock.servers is invalid: %s%s", error->message,
			php_rlock_servers_hint_at_quotes(ZSTR_VAL(RLOCK_G(servers)), error));
	} else {
		zend_argument_value_error(arg, "is invalid: %s", error->message);
	}
}

enum rl_status php_rlock_servers_read_text(
	struct rl_text text, struct rl_deployment **deployment, struct rl_error *error)
{
	size_t count = rl_deployment_split(text, NULL);
	struct rl_text *texts;
	enum rl_status status;

	if (count == 0) {
		return rl_fail(error, RL_INVALID, "It is empty");
	}
	texts = safe_emalloc(count, sizeof *texts, 0);
	rl_deployment_split(text, texts);
	status = read_texts(texts, count, deployment, error);
	efree(texts);
	return status;
}

static struct rl_deployment *read_text(uint32_t arg, const zend_string *text, bool from_setting)
{
	struct rl_deployment *deployment = NULL;
	struct rl_error error;
	enum rl_status status = php_rlock_servers_read_text(
		php_rlock_text(text), &deployment, &error);

	if (status != RL_OK) {
		throw_unreadable(arg, from_setting, status, &error);
	}
	return deployment;
}

static struct rl_deployment *read_list(uint32_t arg, HashTable *list)
{
	struct rl_deployment *deployment = NULL;
	struct rl_text *texts;
	struct rl_error error;
	enum rl_status status;
	size_t count = 0;
	zval *element;

	if (zend_hash_num_elements(list) == 0) {
		zend_argument_value_error(arg, "cannot be empty");
		return NULL;
	}
	if (zend_hash_str_exists(list, ZEND_STRL("host"))) {
		zend_argument_value_error(arg,
			"must be an address like \"redis://host:port\", not an array of \"host\" and "
			"\"port\" as phpredis has it; an array lists the addresses of several independent servers");
		return NULL;
	}
	texts = safe_emalloc(zend_hash_num_elements(list), sizeof *texts, 0);
	ZEND_HASH_FOREACH_VAL(list, element) {
		ZVAL_DEREF(element);
		if (Z_TYPE_P(element) != IS_STRING) {
			zend_argument_type_error(
				arg, "must contain only strings, %s given", zend_zval_type_name(element));
			efree(texts);
			return NULL;
		}
		texts[count++] = (struct rl_text){ Z_STRVAL_P(element), Z_STRLEN_P(element) };
	}
	ZEND_HASH_FOREACH_END();
	status = read_texts(texts, count, &deployment, &error);
	efree(texts);
	if (status != RL_OK) {
		throw_unreadable(arg, false, status, &error);
	}
	return deployment;
}

struct rl_deployment *php_rlock_servers_read(
	uint32_t arg, HashTable *list, const zend_string *address)
{
	return list ? read_list(arg, list)
				: read_text(arg, address ? address : RLOCK_G(servers), address == NULL);
}
