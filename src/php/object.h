/*
 * The object behind an RLock: its life, and what surrounds every call of the core.
 */
#ifndef PHP_RLOCK_OBJECT_H
#define PHP_RLOCK_OBJECT_H

#include "php.h"

#include "../lock/owner.h"

struct php_rlock_object {
	struct rl_owner *owner; /* NULL: not constructed, or closed */
	int64_t lease_ms;       /* where a call names no ttl */
	unsigned calls;         /* of the core, under way: more than one if a wait hook uses the object, too */
	bool closed;
	bool ended;             /* the destructor has given back what was held */
	bool bailed_out;        /* a fatal error in a wait hook; it goes on when the core has returned */
	zend_object std;
};

void php_rlock_register_object(void);

static inline struct php_rlock_object *php_rlock_fetch(zend_object *object)
{
	return (struct php_rlock_object *)((char *)object - offsetof(struct php_rlock_object, std));
}

/* Makes the object's owner. False: out of memory, thrown. Takes the route over. */
bool php_rlock_open(struct php_rlock_object *lock, struct rl_route *route, const zend_string *prefix,
	int64_t lease_ms);

/*
 * Every call of the core stands between these two. NULL: the object is not usable, thrown.
 *
 * The second throws what `status` asks for, about `key`, which may be NULL, and returns whether
 * it was RL_OK. It may destroy the object, and does not return after a fatal error in a wait
 * hook: whoever calls it is done with both, and has freed what the engine does not free.
 */
struct rl_owner *php_rlock_enter(struct php_rlock_object *lock);
bool php_rlock_leave(struct php_rlock_object *lock, enum rl_status status, const struct rl_error *error,
	zend_string *key);

#endif
