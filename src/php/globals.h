/*
 * What the extension keeps for each PHP thread: RLOCK_G(name).
 */
#ifndef PHP_RLOCK_GLOBALS_H
#define PHP_RLOCK_GLOBALS_H

#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "php.h"
#include "zend_atomic.h"

#include "../base/bounds.h"
#include "../base/system.h"
#include "../redis/cache.h"

struct php_rlock_object;
struct php_rlock_session;
struct rl_owner;

/*
 * Of interrupt.c. The renewal thread sets the two flags, and touches nothing else of a PHP thread.
 */
struct php_rlock_interrupts {
	/* there is news; set before `*flag`, cleared before the owners are asked */
	zend_atomic_bool raised;
	zend_atomic_bool *flag;         /* the thread's EG(vm_interrupt) */
	struct php_rlock_object *first; /* of the objects to ask */
};

/* Of request_end.c. */
struct php_rlock_request_end {
	struct rl_owner **owners;       /* whose end has been put off */
	size_t count, room;             /* of these */
	struct php_rlock_object *alive; /* the first of the objects that have not been destroyed */
	bool began;                     /* PHP has begun to call destructors */
	bool stacks_are_over;           /* no wait is begun any more that would need one */
	rl_time spent;                  /* on releases at the end of this request */
};

/* Of session.c: the settings rlock.session.*, and what is open. */
struct php_rlock_sessions {
	zend_string *prefix;
	double wait; /* seconds; -1: for ever */
	double ttl, max_hold;
	bool reads_if_busy; /* rlock.session.busy is "readonly" */
	zend_long max_waiters;
	struct php_rlock_session *open; /* or NULL */
	bool notes_upload;              /* of upload.c */
};

ZEND_BEGIN_MODULE_GLOBALS(rlock)
	struct rl_cache cache;   /* servers with persistent connections */
	struct rl_bounds bounds; /* of bounds.c; the renewal thread reads them, too */
	/* The ini settings. The strings belong to their ini entries. */
	zend_string *servers;
	zend_string *prefix;
	double ttl, connect_timeout, timeout, slow_wait; /* seconds */
	bool persistent;
	/* names of servers that may evict locks: of this request, and of which PHP's log was told */
	HashTable evicting, told_evicting;
	unsigned hooks; /* PHP code called from within waits that is running or suspended */
	struct php_rlock_interrupts interrupts;
	struct php_rlock_request_end request_end;
	struct php_rlock_sessions session;
ZEND_END_MODULE_GLOBALS(rlock)

ZEND_EXTERN_MODULE_GLOBALS(rlock)
#define RLOCK_G(name) ZEND_MODULE_GLOBALS_ACCESSOR(rlock, name)

#if defined(ZTS) && defined(COMPILE_DL_RLOCK)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

#endif
