/*
 * From a constructor's arguments and the ini settings to a route.
 */
#ifndef PHP_RLOCK_OPTIONS_H
#define PHP_RLOCK_OPTIONS_H

#include "php.h"

#include "../redis/route.h"

/* The addresses of one RLock, read but not used yet. */
struct php_rlock_servers {
	struct rl_address *address; /* the first; NULL if it is not supported */
	size_t count;
	struct rl_error unsupported; /* a message: which of them is not, and why */
};

/*
 * Reads argument number `arg`: `list` or `address`, or with neither the ini setting. False: one
 * cannot be read, thrown.
 */
bool php_rlock_read_servers(uint32_t arg, HashTable *list, const zend_string *address,
	struct php_rlock_servers *servers);
void php_rlock_forget_servers(struct php_rlock_servers *servers);

/* The route to them, which takes the addresses over. NULL: not supported, or out of memory, thrown. */
struct rl_route *php_rlock_route(struct php_rlock_servers *servers);

#endif
