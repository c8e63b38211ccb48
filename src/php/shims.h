/*
 * What PHP's versions do differently: the one place that asks which it is. Each shim names the
 * version that needs it, and goes when rlock no longer builds there.
 */
#ifndef PHP_RLOCK_SHIMS_H
#define PHP_RLOCK_SHIMS_H

#include "php.h"

/* PHP 8.2 to 8.5: a session's path is given to open() as text, and not as a string. */
#if PHP_VERSION_ID < 80600
static inline const char *php_rlock_save_path(const char *path)
{
	return path;
}
#else
static inline const char *php_rlock_save_path(const zend_string *path)
{
	return ZSTR_VAL(path);
}
#endif

#endif
