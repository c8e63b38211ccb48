/*
 * The extension rlock as PHP sees it: its module entry.
 *
 * In src/php, each file calls only files of the lines below its own (dev/check-layers finds
 * circles):
 *
 *     classes                                    declares the classes of rlock.stub.php
 *     synchronized
 *     constructor methods get_locks              the other methods of RLock
 *     worker                                     requests between which PHP does not end ours
 *     session                                    PHP's sessions: the handler
 *     holders stats
 *     object                                     behind an RLock: create, free, around each call
 *     wait_hook interrupt request_end            when PHP code runs, or may not run any more
 *     session_path session_words upload          where they are kept, and what is said of them
 *     strategy servers ini warn engine_faults    one concern each
 *     exception retry_class lease_class          the other classes
 *     holder_class argument
 *     globals seconds property text bounds       what the rest is made of
 */
#ifndef PHP_RLOCK_H
#define PHP_RLOCK_H

#include "php.h"

#define PHP_RLOCK_VERSION "1.0.0-dev"

extern zend_module_entry rlock_module_entry;
#define phpext_rlock_ptr &rlock_module_entry

#endif
