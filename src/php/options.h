/*
 * From a constructor's arguments and the ini settings to a route.
 */
#ifndef PHP_RLOCK_OPTIONS_H
#define PHP_RLOCK_OPTIONS_H

#include "php.h"

#include "../route/deployment.h"

/*
 * Reads argument number `arg`: `list` or `address`, or with neither the ini setting. NULL: one
 * cannot be read, or is not supported, thrown. Else it is the caller's to free or to make a route of.
 */
struct rl_deployment *php_rlock_read_servers(uint32_t arg, HashTable *list, const zend_string *address);

/* The route, which takes the deployment over. NULL: out of memory, thrown. */
struct rl_route *php_rlock_route(struct rl_deployment *deployment);

#endif
