/*
 * Workers of FrankenPHP: many requests within one of PHP's, between which PHP's modules do not end
 * anything. The SAPI ends its part of each, and with that ends ours: what is held is given back,
 * while the objects that outlive the request may be used in the next.
 */
#ifndef PHP_RLOCK_WORKER_H
#define PHP_RLOCK_WORKER_H

#include "php.h"

void php_rlock_worker_startup(void);
/* False: something else still calls this code. */
bool php_rlock_worker_shutdown(void);

#endif
