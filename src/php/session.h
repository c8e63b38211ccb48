/*
 * PHP's sessions on Redis, each under a lock: session.save_handler = rlock.
 */
#ifndef PHP_RLOCK_SESSION_H
#define PHP_RLOCK_SESSION_H

#include "php.h"

/* Makes the handler known to PHP's module session, if that is loaded. Before it starts or after. */
void php_rlock_session_startup(void);
/* Gives back what is still locked, unwritten. PHP may go on to use it, and close it. */
void php_rlock_session_let_go(void);
/*
 * Ends what is still open, when PHP has written and closed what it does: it leaves a session open
 * where an exception was pending in a handler around this one.
 */
void php_rlock_session_finish(void);

#endif
