/*
 * The end of a request, and which locks are released when.
 *
 * PHP first calls shutdown functions, then destructors; then its modules end their part of the
 * request, and the session module writes the session, under whatever lock the script has for it. So
 * the end of an object that is still referenced when PHP calls destructors is put off: until all
 * objects have been destroyed, or, if a session is open, until PHP closes its resources. The
 * script's error handler is not called any more then, but a warning can still be logged.
 */
#ifndef PHP_RLOCK_REQUEST_END_H
#define PHP_RLOCK_REQUEST_END_H

#include "object.h"

void php_rlock_request_end_startup(int module_number);
/* When PHP's modules end their part of the request: ends what is asked for in steps. */
void php_rlock_request_end_begin(void);
/* Releases what all objects hold, which live on. What cannot be released is told in the log. */
void php_rlock_request_end_release_all(void);
/*
 * When everything else of the request has ended: releases what is still put off, without a warning,
 * and frees the owners.
 */
void php_rlock_request_end_finish(void);

/* Another program's request comes next: what this one has made for itself is not for it. */
void php_rlock_request_end_part(void);

/*
 * Releases all locks of an owner, at any time. At the end of a request all owners together have one
 * deadline, so that a server that does not answer delays the end only once; time that destructors
 * spend otherwise does not count.
 */
void php_rlock_request_end_release(struct rl_owner *owner, struct rl_release_summary *summary);

/*
 * Called when an object is destroyed: puts its end off, and takes its owner over. False: it has to
 * end now. That is so for an object that the script's code drops.
 */
bool php_rlock_request_end_put_off(struct php_rlock_object *lock);
/*
 * Every object is added when it is made, and is gone when it is destroyed, or freed without that.
 * When the last one is destroyed, and no session is open, what was put off ends.
 */
void php_rlock_request_end_add(struct php_rlock_object *lock);
void php_rlock_request_end_note_destroyed(struct php_rlock_object *lock);
void php_rlock_request_end_remove(struct php_rlock_object *lock);

#endif
