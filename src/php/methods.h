/*
 * Taking and giving back as several methods do it.
 */
#ifndef PHP_RLOCK_METHODS_H
#define PHP_RLOCK_METHODS_H

#include "object.h"

/* What a take may name; `metadata` may be NULL. */
struct php_rlock_take {
	zend_string *key;
	rl_time wait;
	int64_t lease_ms;
	enum rl_policy policy;
	zend_string *metadata;
};

/* RL_OK; RL_NO stayed busy; else it has thrown, or was interrupted. */
enum rl_status php_rlock_take(struct php_rlock_object *lock, const struct php_rlock_take *take);
/* Gives a level back even where there are verdicts on other keys to be told first: they are thrown on the way. */
enum rl_status php_rlock_release(struct rl_owner *owner, zend_string *key, struct rl_error *error);
/* The same as a call of its own; what it comes to is thrown. */
void php_rlock_give_back(struct php_rlock_object *lock, zend_string *key);
/* False: was not held, or thrown. */
bool php_rlock_see_lease(struct php_rlock_object *lock, zend_string *key, zval *lease);

#endif
