/*
 * The object behind an RLock: its life, and what surrounds every call of the core.
 */
#ifndef PHP_RLOCK_OBJECT_H
#define PHP_RLOCK_OBJECT_H

#include "php.h"

#include "../lock/owner.h"
#include "strategy.h"

struct php_rlock_put_off;

struct php_rlock_object {
	struct rl_owner *owner; /* NULL: not constructed, or closed */
	int64_t lease_ms;       /* where a call names no ttl */
	struct php_rlock_strategy strategy;
	struct rl_retry retry; /* the strategy as the core asks it */
	unsigned calls;        /* of the core, under way: more than one if a wait hook uses the object, too */
	bool closed;
	bool ended;      /* the destructor has given back what was held */
	bool made_late;  /* when PHP called destructors already: its end is not put off */
	bool bailed_out; /* a fatal error in a wait hook; it goes on when the core has returned */
	/* Among those that `interrupt` is for; interrupted_from is NULL: not among them. */
	struct php_rlock_object *next_interrupted, **interrupted_from;
	struct php_rlock_put_off *put_off; /* its end, until after the session is written; or NULL */
	zend_object std;
};

void php_rlock_register_object(void);

static inline struct php_rlock_object *php_rlock_fetch(zend_object *object)
{
	return (struct php_rlock_object *)((char *)object - offsetof(struct php_rlock_object, std));
}

/* What a constructor is told of leases and waits. */
struct php_rlock_terms {
	int64_t lease_ms;
	bool renew, interrupt;
	rl_time max_hold; /* RL_FOREVER: no end */
	zval *strategy;   /* NULL: none */
};
/* Makes the object's owner. False: thrown. Takes the route over. */
bool php_rlock_open(struct php_rlock_object *lock, struct rl_route *route, const zend_string *prefix,
	const struct php_rlock_terms *terms);

/* What the core shall ask for retries; NULL: nobody. */
const struct rl_retry *php_rlock_retry(const struct php_rlock_object *lock);

/*
 * Every call of the core stands between these two. NULL: the object is not usable, thrown.
 *
 * The second throws what `status` asks for, about `key`, which may be NULL, and returns whether
 * it was RL_OK. It warns of nothing: a handler may throw, and what the call returns would be lost.
 * It may destroy the object, and does not return after a fatal error in a wait hook: whoever calls
 * it is done with both, and has freed what the engine does not free.
 */
struct rl_owner *php_rlock_enter(struct php_rlock_object *lock);
bool php_rlock_leave(struct php_rlock_object *lock, enum rl_status status, const struct rl_error *error,
	zend_string *key);
/*
 * The same for a call that takes a lock or more: before it does anything it passes on, to an error handler that may
 * throw, what calls before have found out about the server. What an object's last calls find out is told at its end, unless
 * that is put off (ending.h).
 */
struct rl_owner *php_rlock_enter_to_take(struct php_rlock_object *lock);
void php_rlock_warn_of_eviction(struct rl_owner *owner);

#endif
