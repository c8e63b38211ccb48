/*
 * PHP writes how far an upload has come into the session, while it reads the request and before
 * that begins. Sessions ask whether they are called for that, since it must not wait.
 *
 * PHP's own PS(rfc1867_progress) does not tell: a thread-safe PHP leaves it uninitialized until the
 * thread's first upload.
 */
#ifndef PHP_RLOCK_UPLOAD_H
#define PHP_RLOCK_UPLOAD_H

#include "php.h"

/* When PHP's session module has started. */
void php_rlock_upload_startup(void);
void php_rlock_upload_shutdown(void);
/* At the end of each request: a fatal error may have ended the reading. */
void php_rlock_upload_finish(void);

bool php_rlock_upload_is_noted(void);

#endif
