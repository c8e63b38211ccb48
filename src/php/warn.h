/*
 * What no call throws: what became of locks when an object ended, that a server evicts keys, and
 * that a wait was slow.
 */
#ifndef PHP_RLOCK_WARN_H
#define PHP_RLOCK_WARN_H

#include "php.h"

#include "../lock/owner/owner.h"

/*
 * Warns if locks had been lost or could not be released. For destructors: an exception that is
 * being thrown stays as it is.
 */
void php_rlock_warn_of_end(const struct rl_release_summary *summary);
/* The same only in the log, for when no PHP code may run. */
void php_rlock_warn_of_end_in_log(const struct rl_release_summary *summary);

/*
 * Tells PHP's error log if the owner's server may evict locks, once for each server and PHP thread.
 * An E_WARNING would call the script's error handler, which may throw in place of a call's result.
 */
void php_rlock_log_eviction(struct rl_owner *owner);
/* For phpinfo(): the servers that have been told of. */
void php_rlock_print_evicting(void);

/*
 * A call's wait that began then has ended so. Tells PHP's error log if it took longer than
 * rlock.slow_wait; the owner is asked who holds the lock if it stayed busy; NULL: nobody may be
 * asked. `others`: so many more locks were waited for together with this one.
 */
void php_rlock_log_slow_wait(struct rl_owner *owner, struct rl_text key, size_t others,
	rl_time began, enum rl_status status);

#endif
