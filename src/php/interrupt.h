/*
 * `interrupt: true`: the news of a lost lease reaches the running PHP code.
 *
 * The renewal thread learns it first. It says so to the PHP thread that owns the lease by two
 * flags, which is all that another thread may touch of PHP: ours, that there is news, and then
 * the engine's own, which ends what it is doing at the next safe point (a loop's turn, a call, a
 * call's end) and has it call zend_interrupt_function. There, on the PHP thread, we ask the
 * owners what it is and throw.
 */
#ifndef PHP_RLOCK_INTERRUPT_H
#define PHP_RLOCK_INTERRUPT_H

#include "php.h"

#include "../lock/owner.h"

struct php_rlock_object;

/* What each PHP thread has, in the module's globals: they live as long as the thread. */
struct php_rlock_interrupts {
	zend_atomic_bool raised;        /* there is news; set before `*flag`, cleared before the owners are asked */
	zend_atomic_bool *flag;         /* the thread's EG(vm_interrupt) */
	struct php_rlock_object *first; /* of the objects to be asked */
};

void php_rlock_interrupt_startup(void);
void php_rlock_interrupt_shutdown(void);

/* Throws an RLockException where this build of PHP does not survive it, and returns false. */
bool php_rlock_interrupt_is_safe(void);

/* How to reach the running PHP thread. */
struct rl_alarm php_rlock_interrupt_alarm(void);

/* The object has an owner whose alarm is that one, from here on until it is removed. */
void php_rlock_interrupt_add(struct php_rlock_object *lock);
/* Does nothing if it was not added. */
void php_rlock_interrupt_remove(struct php_rlock_object *lock);

#endif
