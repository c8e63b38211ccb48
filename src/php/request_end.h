/*
 * The end of a request, and which locks are released when.
 *
 * PHP first calls shutdown functions, then destructors; then its modules end their part of the
 * request, and the session module writes the session, under whatever lock the script has for it. So
 * an object that is still referenced when PHP calls destructors releases its locks after that, when
 * PHP closes its resources. The script's error handler is not called any more then, but a warning
 * can still be logged.
 */
#ifndef PHP_RLOCK_REQUEST_END_H
#define PHP_RLOCK_REQUEST_END_H

#include "object.h"

void php_rlock_request_end_startup(int module_number);
/* At the start of each request. */
void php_rlock_request_end_reset(void);
/*
 * When everything else of the request has ended: releases what is still put off, without a warning.
 */
void php_rlock_request_end_finish(void);

/* Whether PHP has begun to call destructors at the end of the request. */
bool php_rlock_request_end_began(void);

/*
 * Releases all locks of an owner, at any time. At the end of a request all owners together have one
 * deadline, so that a server that does not answer delays the end only once; time that destructors
 * spend otherwise does not count.
 */
void php_rlock_request_end_release(struct rl_owner *owner, struct rl_release_summary *summary);

/*
 * Called when an object is destroyed: puts its end off, or returns false if it has to end now. That
 * is so for an object that the script's code drops, for one that was constructed when the end had
 * begun, and for all if no session is open and no fatal error has ended the script.
 */
bool php_rlock_request_end_put_off(struct php_rlock_object *lock);
/*
 * Called when an object is freed: takes its owner over, to end it then. False: its end was not put
 * off, or has been.
 */
bool php_rlock_request_end_keep_owner(struct php_rlock_object *lock);
/* Called when an object is closed: nothing is left to put off. */
void php_rlock_request_end_forget(struct php_rlock_object *lock);

#endif
