/*
 * What an RLock says by E_WARNING: what became of locks when an object ended, and that a
 * server evicts keys.
 */
#ifndef PHP_RLOCK_WARN_H
#define PHP_RLOCK_WARN_H

#include "php.h"

#include "../lock/owner/owner.h"

/*
 * Warns if locks had been lost or could not be released, and of eviction. For destructors: an
 * exception that is being thrown stays as it is.
 */
void php_rlock_warn_of_end(struct rl_owner *owner, const struct rl_release_summary *summary);
/* Warns of the locks alone, and only in the log, for when no PHP code may run. */
void php_rlock_warn_of_end_in_log(const struct rl_release_summary *summary);

/*
 * Warns if the owner's server may evict locks: once for each server and PHP thread, however many
 * objects use it.
 */
void php_rlock_warn_of_eviction(struct rl_owner *owner);

#endif
