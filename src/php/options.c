#include "options.h"

#include "../../php_rlock.h"
#include "arguments.h"
#include "exceptions.h"

static rl_time ini_time(double seconds)
{
	return php_rlock_milliseconds(seconds) * RL_MILLISECOND;
}

/* RL_OK; RL_INVALID, RL_NO_MEMORY with `error`. */
static enum rl_status read_address(struct php_rlock_servers *servers, const char *text, size_t length,
	struct rl_error *error)
{
	const struct rl_address_defaults defaults = {
		.connect_timeout = ini_time(RLOCK_G(connect_timeout)),
		.timeout = ini_time(RLOCK_G(timeout)),
		.persistent = RLOCK_G(persistent),
	};
	struct rl_address *address = NULL;
	enum rl_status status = rl_address_parse(text, length, &defaults, &address, error);

	if (status == RL_MISUSE) {
		if (servers->unsupported.message[0] == '\0') {
			servers->unsupported = *error;
		}
		status = RL_OK;
	}
	if (status == RL_OK) {
		servers->count++;
		if (servers->count == 1) {
			servers->address = address;
		} else if (address) {
			rl_address_free(address);
		}
	}
	return status;
}

/* The addresses of the ini setting, separated by spaces. */
static enum rl_status read_setting(struct php_rlock_servers *servers, struct rl_error *error)
{
	const char *text = ZSTR_VAL(RLOCK_G(servers)), *end;
	enum rl_status status = RL_OK;

	text += strspn(text, " ");
	while (*text && status == RL_OK) {
		end = text + strcspn(text, " ");
		status = read_address(servers, text, end - text, error);
		text = end + strspn(end, " ");
	}
	if (status == RL_OK && servers->count == 0) {
		status = rl_fail(error, RL_INVALID, "It is empty");
	}
	return status;
}

static void throw_unreadable(uint32_t arg, bool from_setting, enum rl_status status, const struct rl_error *error)
{
	if (status != RL_INVALID) {
		php_rlock_throw_status(status, error, NULL, NULL);
	} else if (from_setting) {
		zend_value_error("The ini setting rlock.servers is invalid: %s", error->message);
	} else {
		zend_argument_value_error(arg, "is invalid: %s", error->message);
	}
}

static bool read_list(uint32_t arg, HashTable *list, struct php_rlock_servers *servers)
{
	struct rl_error error;
	enum rl_status status;
	zval *element;

	if (zend_hash_num_elements(list) == 0) {
		zend_argument_value_error(arg, "cannot be empty");
		return false;
	}
	ZEND_HASH_FOREACH_VAL(list, element) {
		ZVAL_DEREF(element);
		if (Z_TYPE_P(element) != IS_STRING) {
			zend_argument_type_error(arg, "must contain only strings, %s given", zend_zval_type_name(element));
			return false;
		}
		status = read_address(servers, Z_STRVAL_P(element), Z_STRLEN_P(element), &error);
		if (status != RL_OK) {
			throw_unreadable(arg, false, status, &error);
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

bool php_rlock_read_servers(uint32_t arg, HashTable *list, const zend_string *address,
	struct php_rlock_servers *servers)
{
	struct rl_error error;
	enum rl_status status;
	bool done;

	memset(servers, 0, sizeof *servers);
	if (list) {
		done = read_list(arg, list, servers);
	} else {
		status = address ? read_address(servers, ZSTR_VAL(address), ZSTR_LEN(address), &error)
						 : read_setting(servers, &error);
		done = status == RL_OK;
		if (!done) {
			throw_unreadable(arg, !address, status, &error);
		}
	}
	if (!done) {
		php_rlock_forget_servers(servers);
	}
	return done;
}

void php_rlock_forget_servers(struct php_rlock_servers *servers)
{
	if (servers->address) {
		rl_address_free(servers->address);
		servers->address = NULL;
	}
}

static bool is_supported(struct php_rlock_servers *servers)
{
	if (servers->unsupported.message[0]) {
		php_rlock_throw(NULL, "%s", servers->unsupported.message);
		return false;
	}
	if (servers->count > 1) {
		php_rlock_throw(NULL, "More than one server is not supported by this version yet");
		return false;
	}
	return true;
}

struct rl_route *php_rlock_route(struct php_rlock_servers *servers)
{
	struct rl_address *address = servers->address;
	struct rl_server *server;
	struct rl_route *route;

	if (!is_supported(servers)) {
		php_rlock_forget_servers(servers);
		return NULL;
	}
	servers->address = NULL;
	server = address->persistent ? rl_registry_server(&RLOCK_G(registry), address) : rl_server_new(address);
	route = server ? rl_route_single(server) : NULL;
	if (!route) {
		php_rlock_throw(NULL, "Out of memory");
	}
	return route;
}
