/*
 * What PHP's module session says of its session: which id it has, who keeps it, and what it is
 * about to do with it. A handler is told none of this, and code of the script that stands between
 * PHP and a handler may call that in any order.
 */
#ifndef PHP_RLOCK_SESSION_ENGINE_H
#define PHP_RLOCK_SESSION_ENGINE_H

#include "php.h"
#include "ext/session/php_session.h"

/* The module may be loaded before ours or after, or not at all: then false. */
bool php_rlock_session_engine_register(const ps_module *handler);
zend_string *php_rlock_session_engine_create_id(void **mod_data);

/* Whether this is the id of PHP's session, in this moment. */
bool php_rlock_session_engine_has(const zend_string *id);
/* Whether PHP calls our handler itself; otherwise code of the script stands between. */
bool php_rlock_session_engine_calls(void);
/* session.gc_maxlifetime, in seconds. */
zend_long php_rlock_session_engine_life(void);

/*
 * Where PHP opens, it opens another session. Otherwise it has the same one still: PHP resets it, or
 * it is the script that opens.
 */
bool php_rlock_session_engine_begins(void);
/* Only to read it: session_start()'s option read_and_close. */
bool php_rlock_session_engine_only_reads(void);
/* session_start() has called the function of a handler that tells whether the id is known. */
bool php_rlock_session_engine_validates(void);
bool php_rlock_session_engine_regenerates(void);
/* It is done with its session, and closes next. Otherwise code of the script writes by itself. */
bool php_rlock_session_engine_ends(void);
/* It was asked to destroy the session; otherwise it destroys what it could not decode. */
bool php_rlock_session_engine_was_told_to_destroy(void);

#endif
