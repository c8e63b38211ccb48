/*
 * The extension rlock as PHP sees it: its module entry, and what it keeps per thread.
 */
#ifndef PHP_RLOCK_H
#define PHP_RLOCK_H

#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "php.h"

#include "src/php/ending.h"
#include "src/php/interrupt.h"
#include "src/redis/server.h"

#define PHP_RLOCK_VERSION "0.1.0-dev"

extern zend_module_entry rlock_module_entry;
#define phpext_rlock_ptr &rlock_module_entry

ZEND_BEGIN_MODULE_GLOBALS(rlock)
	struct rl_cache cache; /* servers with persistent connections */
	/* The ini settings; the strings belong to their ini entries. */
	zend_string *servers;
	zend_string *prefix;
	double ttl, connect_timeout, timeout; /* seconds */
	bool persistent;
	HashTable evicting; /* names of servers of which it was told that they may evict locks */
	struct php_rlock_interrupts interrupts;
	struct php_rlock_ending ending;
	unsigned hooks; /* of waits, whose PHP code is running or suspended */
ZEND_END_MODULE_GLOBALS(rlock)

ZEND_EXTERN_MODULE_GLOBALS(rlock)
#define RLOCK_G(name) ZEND_MODULE_GLOBALS_ACCESSOR(rlock, name)

#if defined(ZTS) && defined(COMPILE_DL_RLOCK)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

#endif
