/*
 * The argument $servers, or the ini setting rlock.servers: addresses are read.
 */
#ifndef PHP_RLOCK_SERVERS_H
#define PHP_RLOCK_SERVERS_H

#include "php.h"

#include "../route/deployment.h"

/*
 * Reads argument number `arg`: `list` or `address`, or the ini setting if both are NULL. NULL: an
 * address cannot be read or is not supported, thrown. Otherwise free the result with
 * rl_deployment_free(), or pass it to rl_deployment_route().
 */
struct rl_deployment *php_rlock_servers_read(
	uint32_t arg, HashTable *list, const zend_string *address);

/* The same for a text, and nothing is thrown. */
enum rl_status php_rlock_servers_read_text(
	struct rl_text text, struct rl_deployment **deployment, struct rl_error *error);

/*
 * For a message that says that `text`, as PHP has read it, is no address: an ini file cuts what
 * stands there without quotes. Empty: it has signs that only quotes let through, or the error is
 * another.
 */
const char *php_rlock_servers_hint_at_quotes(const char *text, const struct rl_error *error);

/* For an address that is read part by part (address_syntax.h), with the settings' defaults. */
void php_rlock_servers_begin(
	struct rl_address_reading *reading, enum rl_address_form form, struct rl_error *error);
enum rl_status php_rlock_servers_end(
	struct rl_address_reading *reading, struct rl_deployment **deployment);

#endif
