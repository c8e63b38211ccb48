/*
 * The extension rlock as PHP sees it: its module entry.
 *
 * Under src/php, a file calls only files of the lines below its own (dev/check-layers):
 *
 *     rlock                                         starts and stops the rest (in the root)
 *     classes                                       declares the classes of rlock.stub.php
 *     synchronized                                  methods of RLock
 *     constructor  methods  get_locks
 *     object                                        what is behind an RLock: create, free, the frame of each call
 *     wait_hook  interrupt  request_end             PHP code during waits; exceptions on lost leases; the session first
 *     strategy  servers  ini  warn  engine_faults
 *     exception  retry_class  lease_class           classes other than RLock
 *     holder_class  argument
 *     globals  seconds  property                    values
 */
#ifndef PHP_RLOCK_H
#define PHP_RLOCK_H

#include "php.h"

#define PHP_RLOCK_VERSION "0.1.0-dev"

extern zend_module_entry rlock_module_entry;
#define phpext_rlock_ptr &rlock_module_entry

#endif
