/*
 * `interrupt: true`: an exception in the running PHP code when a lease is lost or its time is up.
 *
 * The renewal thread learns of it first. It may touch nothing of the PHP thread that owns the lease
 * but two flags: ours, which says that there is news, and then the engine's own, which makes the
 * engine call zend_interrupt_function at the next safe point (a turn of a loop, a call, the end of
 * a call). There, on the PHP thread, we ask the owners what happened, and throw.
 */
#ifndef PHP_RLOCK_INTERRUPT_H
#define PHP_RLOCK_INTERRUPT_H

#include "php.h"

#include "object.h"

void php_rlock_interrupt_startup(void);
void php_rlock_interrupt_shutdown(void);

/* Whether this build of PHP survives an interrupt. False: an RLockException has been thrown. */
bool php_rlock_interrupt_is_safe(void);

/* How the renewal thread reaches the running PHP thread. */
struct rl_alarm php_rlock_interrupt_alarm(void);

/* From here on the object is asked for news, until it is removed. Its owner has the alarm above. */
void php_rlock_interrupt_add(struct php_rlock_object *lock);
/* Does nothing if it has not been added. */
void php_rlock_interrupt_remove(struct php_rlock_object *lock);

#endif
