/*
 * The object behind an RLock: its life, and the frame around every call of the core.
 *
 * A method calls the core between php_rlock_object_enter() and php_rlock_object_leave():
 *
 *     if (!(owner = php_rlock_object_enter(lock))) {
 *         RETURN_THROWS();
 *     }
 *     status = rl_owner_...(owner, ..., &error);
 *     RETURN_BOOL(php_rlock_object_leave(lock, status, &error, key));
 */
#ifndef PHP_RLOCK_OBJECT_H
#define PHP_RLOCK_OBJECT_H

#include "php.h"

#include "../base/list.h"
#include "../lock/owner/owner.h"
#include "strategy.h"

extern zend_class_entry *php_rlock_ce;

struct php_rlock_object {
	struct rl_owner *owner; /* NULL: not constructed, or closed */
	int64_t lease_ms;       /* of calls that pass no ttl */
	struct php_rlock_strategy strategy;
	struct rl_retry retry; /* how the core asks the strategy; retry.next is NULL without one */
	/* of the core that are running: more than one if PHP code uses the object during a wait */
	unsigned calls;
	bool closed;
	bool ended;      /* the destructor has released what was held */
	bool put_off;    /* request_end.h has the owner, and ends it */
	bool bailed_out; /* a fatal error in PHP code during a wait; leave() raises it again */
	/* In the list of those with `interrupt`, and of those not yet destroyed (request_end.h). */
	RL_LINK(struct php_rlock_object, interrupted);
	RL_LINK(struct php_rlock_object, alive);
	zend_object std;
};

/* After the class has been declared. */
void php_rlock_object_register(void);

static inline struct php_rlock_object *php_rlock_object_from(zend_object *object)
{
	return (struct php_rlock_object *)((char *)object - offsetof(struct php_rlock_object, std));
}

/* $this of the running method. */
static inline struct php_rlock_object *php_rlock_object_this(zend_execute_data *execute_data)
{
	return php_rlock_object_from(Z_OBJ_P(ZEND_THIS));
}

/* NULL: the object is closed or was never constructed, thrown. */
struct rl_owner *php_rlock_object_enter(struct php_rlock_object *lock);
/* The same for calls that run PHP code while they wait, which must not nest too deep. */
struct rl_owner *php_rlock_object_enter_to_wait(struct php_rlock_object *lock);
/*
 * Throws what `status` means, about `key`, which may be NULL, and returns whether it was RL_OK. The
 * object may be gone afterwards. Does not return if PHP code that ran during the call had a fatal
 * error, so free everything that PHP's memory manager does not free before you call this.
 */
bool php_rlock_object_leave(struct php_rlock_object *lock, enum rl_status status,
	const struct rl_error *error, zend_string *key);

/*
 * The `wait` and `retry` of a request to take locks, for a method that was asked to wait this long.
 */
rl_time php_rlock_object_wait(const struct php_rlock_object *lock, double seconds);
const struct rl_retry *php_rlock_object_retry(const struct php_rlock_object *lock);

#endif
