/*
 * The end of an object's locks, in the middle of a request and at its end.
 *
 * At the request's end PHP first calls shutdown functions, then destructors, then ends its modules' part of the
 * request, and there the session is written, under whatever lock the script has for it. So objects that are still
 * there when PHP calls destructors give back after that: when PHP closes what is open. The script's error handler is
 * not called any more then, but a warning can still be logged.
 */
#ifndef PHP_RLOCK_ENDING_H
#define PHP_RLOCK_ENDING_H

#include "object.h"

/* What is put off: an object's end, or that of its owner alone where the object has been freed. */
struct php_rlock_put_off {
	struct php_rlock_put_off *next, **from;
	struct php_rlock_object *lock; /* or NULL, and then: */
	struct rl_owner *owner;
};

/* What each PHP thread has, in the module's globals. */
struct php_rlock_ending {
	struct php_rlock_put_off *first;
	bool scheduled; /* PHP will tell when it closes what is open */
	rl_time spent;  /* on giving back at this request's end */
};

void php_rlock_ending_startup(int module_number);
/* A request begins. */
void php_rlock_ending_reset(void);
/* Everything else of the request has ended: gives back what is still put off, without a word. */
void php_rlock_ending_finish(void);

/* PHP calls destructors at the request's end, or has done so. */
bool php_rlock_ending_began(void);
/*
 * Puts off the end of an object that PHP itself destroys then; false: it is to end now. It is not where a script's
 * code drops the object, nor where it was made so late.
 */
bool php_rlock_ending_put_off(struct php_rlock_object *lock);
/* The object is freed before: its owner is ended then. False: its end was not put off, or is over. */
bool php_rlock_ending_keep_owner(struct php_rlock_object *lock);
/* It has been closed before. */
void php_rlock_ending_forget(struct php_rlock_object *lock);

/*
 * Gives back all that an owner holds; at a request's end within one deadline for all owners, so that a server that
 * is frozen holds the end up only once. What destructors do in between does not count.
 */
void php_rlock_end(struct rl_owner *owner, struct rl_release_summary *summary);
/* Tells what that came to, and what else is due. An exception that is under way stays so. */
void php_rlock_warn_of_end(struct rl_owner *owner, const struct rl_release_summary *summary);
/* Tells only what that came to, and only in the log: for where no PHP code may run. */
void php_rlock_log_end(const struct rl_release_summary *summary);

#endif
