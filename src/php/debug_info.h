/*
 * What var_dump() and print_r() show of an RLock: its prefix, its servers without secrets, and the
 * leases that it holds. Casts and json_encode() show nothing, as the object has no properties.
 */
#ifndef PHP_RLOCK_DEBUG_INFO_H
#define PHP_RLOCK_DEBUG_INFO_H

#include "php.h"

/* The object handler get_debug_info. */
HashTable *php_rlock_debug_info(zend_object *object, int *is_temporary);

#endif
