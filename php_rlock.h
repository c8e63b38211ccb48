/* The extension rlock as PHP sees it: its module entry. */
#ifndef PHP_RLOCK_H
#define PHP_RLOCK_H

#include "php.h"

#define PHP_RLOCK_VERSION "1.0.0-dev"

extern zend_module_entry rlock_module_entry;
#define phpext_rlock_ptr &rlock_module_entry

#endif
