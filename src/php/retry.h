/*
 * The built-in retry strategies.
 */
#ifndef PHP_RLOCK_RETRY_H
#define PHP_RLOCK_RETRY_H

void php_rlock_register_retry(void);

#endif
