/*
 * RLock::requestLock(), and the class RLock\PendingLock, the extension's Pending.
 */
#ifndef PHP_RLOCK_PENDING_CLASS_H
#define PHP_RLOCK_PENDING_CLASS_H

#include "php.h"

extern zend_class_entry *php_rlock_pending_ce;

/* After the class has been declared. */
void php_rlock_pending_class_register(void);

#endif
