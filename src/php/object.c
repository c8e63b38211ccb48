/*
 * An object ends in two steps. The destructor gives back what is held while a warning can still
 * be seen and a handler can hear it; free_obj does the same where no destructor ran, which is
 * after a fatal error: from there no PHP code is called, and nothing is thrown. At the request's
 * end both put it off until the session has been written (ending.h).
 *
 * While the core waits it calls run_signal_handlers(), and with it PHP code that may do anything:
 * use the object, close it, drop the last reference, throw, exit, or die of a fatal error. The
 * last is a longjmp(), which must not cross the core's frames: it is caught and sent on its way
 * when the core has returned.
 */
#include "object.h"

#include "zend_exceptions.h"

#include "classes.h"
#include "ending.h"
#include "exceptions.h"
#include "interrupt.h"
#include "values.h"

#include "../../php_rlock.h"

static zend_object_handlers object_handlers;

static zend_object *create(zend_class_entry *ce)
{
	struct php_rlock_object *lock = zend_object_alloc(sizeof *lock, ce);

	zend_object_std_init(&lock->std, ce);
	object_properties_init(&lock->std, ce);
	lock->std.handlers = &object_handlers;
	return &lock->std;
}

static void free_owner(struct php_rlock_object *lock)
{
	php_rlock_interrupt_remove(lock);
	php_rlock_ending_forget(lock);
	rl_owner_free(lock->owner);
	lock->owner = NULL;
}

static void destroy(zend_object *object)
{
	struct php_rlock_object *lock = php_rlock_fetch(object);
	struct rl_release_summary summary;

	if (!lock->owner || php_rlock_ending_put_off(lock)) {
		return;
	}
	lock->ended = true;
	lock->calls++; /* an error handler may close it, and the owner is needed until all is said */
	php_rlock_end(lock->owner, &summary);
	php_rlock_warn_of_end(lock->owner, &summary);
	lock->calls--;
	if (lock->closed && lock->calls == 0) {
		free_owner(lock);
	}
}

static void end_without_php_code(struct php_rlock_object *lock)
{
	struct rl_release_summary summary;

	if (php_rlock_ending_put_off(lock)) {
		return;
	}
	php_rlock_end(lock->owner, &summary);
	php_rlock_log_end(&summary);
}

/*
 * Weak references let go of the object first: its strategy's destructor, or whatever a warning is
 * written to, may be PHP code, and must not get hold of it any more.
 */
static void release(zend_object *object)
{
	struct php_rlock_object *lock = php_rlock_fetch(object);

	zend_object_std_dtor(object);
	php_rlock_interrupt_remove(lock);
	if (lock->owner && !lock->put_off && (!lock->ended || rl_owner_held(lock->owner) > 0)) {
		end_without_php_code(lock);
	}
	if (lock->owner && !php_rlock_ending_keep_owner(lock)) {
		free_owner(lock);
	}
	php_rlock_strategy_clear(&lock->strategy);
}

/* A strategy may hold the object that uses it. */
static HashTable *get_gc(zend_object *object, zval **table, int *count)
{
	struct php_rlock_object *lock = php_rlock_fetch(object);

	*table = &lock->strategy.object;
	*count = Z_ISUNDEF(lock->strategy.object) ? 0 : 1;
	return NULL;
}

/* Two owners are never equal; to `==` they would be, having no properties. */
static int compare(zval *a, zval *b)
{
	ZEND_COMPARE_OBJECTS_FALLBACK(a, b);
	return Z_OBJ_P(a) == Z_OBJ_P(b) ? 0 : ZEND_UNCOMPARABLE;
}

void php_rlock_register_object(void)
{
	object_handlers = *zend_get_std_object_handlers();
	object_handlers.offset = offsetof(struct php_rlock_object, std);
	object_handlers.clone_obj = NULL;
	object_handlers.compare = compare;
	object_handlers.dtor_obj = destroy;
	object_handlers.get_gc = get_gc;
	object_handlers.free_obj = release;
	php_rlock_ce->create_object = create;
}

static bool run_signal_handlers(void *context)
{
	struct php_rlock_object *lock = context;

	if (EG(exception) || lock->bailed_out || lock->closed) {
		return false;
	}
	if (zend_atomic_bool_load_ex(&EG(vm_interrupt))) {
		/*
		 * In the engine's own order: max_execution_time sets `timed_out` and then this flag. Were the first looked at
		 * before the second is cleared, a time limit in between would be forgotten.
		 */
		zend_atomic_bool_store_ex(&EG(vm_interrupt), false);
		if (zend_atomic_bool_load_ex(&EG(timed_out))) {
			zend_atomic_bool_store_ex(&EG(vm_interrupt), true);
			return false; /* the engine ends it as soon as it is back */
		}
		if (zend_interrupt_function) {
			++RLOCK_G(hooks);
			/* clang-format off */
			zend_try {
				zend_interrupt_function(EG(current_execute_data));
			} zend_catch {
				lock->bailed_out = true;
			} zend_end_try();
			/* clang-format on */
			--RLOCK_G(hooks);
		}
	}
	return !EG(exception) && !lock->bailed_out && !lock->closed;
}

static bool next_retry(void *context, unsigned attempt, rl_time *pause)
{
	struct php_rlock_object *lock = context;
	enum php_rlock_retry answer;

	++RLOCK_G(hooks);
	answer = php_rlock_strategy_next(&lock->strategy, attempt, pause);
	--RLOCK_G(hooks);
	lock->bailed_out |= answer == PHP_RLOCK_RETRY_BAILED_OUT;
	return answer == PHP_RLOCK_RETRY_AFTER;
}

const struct rl_retry *php_rlock_retry(const struct php_rlock_object *lock)
{
	return lock->retry.next ? &lock->retry : NULL;
}

bool php_rlock_open(struct php_rlock_object *lock, struct rl_route *route, const zend_string *prefix,
	const struct php_rlock_terms *terms)
{
	struct rl_wait_hook hook = { .run = run_signal_handlers, .context = lock };
	struct rl_owner_terms owner_terms = {
		.renew = terms->renew,
		.max_hold = terms->max_hold,
		.alarmed = terms->interrupt,
	};

	if (terms->interrupt) {
		owner_terms.alarm = php_rlock_interrupt_alarm();
	}
	lock->owner = rl_owner_new(route, php_rlock_text(prefix), hook, &owner_terms);
	lock->lease_ms = terms->lease_ms;
	if (terms->strategy) {
		php_rlock_strategy_set(&lock->strategy, terms->strategy);
		lock->retry = (struct rl_retry){ next_retry, lock };
	}
	lock->made_late = php_rlock_ending_began();
	if (!lock->owner) {
		php_rlock_throw(NULL, "Out of memory");
		return false;
	}
	if (terms->interrupt) {
		php_rlock_interrupt_add(lock);
	}
	return true;
}

struct rl_owner *php_rlock_enter(struct php_rlock_object *lock)
{
	if (!lock->owner || lock->closed) {
		php_rlock_throw(NULL, lock->closed ? "This RLock has been closed" : "This RLock was never constructed");
		return NULL;
	}
	lock->calls++;
	GC_ADDREF(&lock->std);
	return lock->owner;
}

/* Once for each server in a process, however many objects use it. */
void php_rlock_warn_of_eviction(struct rl_owner *owner)
{
	const char *server = rl_owner_evicting_once(owner);

	if (server && zend_hash_str_add_empty_element(&RLOCK_G(evicting), server, strlen(server))) {
		zend_error(E_WARNING,
			"RLock: Redis at %s evicts keys when its memory is full (maxmemory-policy), so a lock may "
			"vanish while it is held; set maxmemory-policy to noeviction there",
			server);
	}
}

#define NESTED_MAX 100

/*
 * Each wait that runs PHP code which waits takes its part of the machine's stack, which nobody else bounds. Waits of
 * fibers that stand side by side, each on a stack of its own, do not count.
 */
static bool is_nested_too_deep(void)
{
	unsigned nested = 0;

	if (RLOCK_G(hooks) < NESTED_MAX) {
		return false;
	}
	for (const zend_execute_data *frame = EG(current_execute_data); frame; frame = frame->prev_execute_data) {
		nested += frame->func && frame->func->type == ZEND_INTERNAL_FUNCTION && frame->func->common.scope == php_rlock_ce;
	}
	return nested > NESTED_MAX; /* the running call is one of them */
}

struct rl_owner *php_rlock_enter_to_take(struct php_rlock_object *lock)
{
	if (is_nested_too_deep()) {
		php_rlock_throw(NULL, "%d calls of RLock wait within each other, each in a signal handler or retry strategy of the one "
							  "before; that is the most there can be",
			NESTED_MAX);
		return NULL;
	}
	if (lock->owner && !lock->closed) {
		php_rlock_warn_of_eviction(lock->owner);
		if (EG(exception)) {
			return NULL;
		}
	}
	return php_rlock_enter(lock);
}

/* Closed by PHP code in the middle of it: a take that ended so says so, and the last one out frees. */
static void end_call(struct php_rlock_object *lock, enum rl_status status)
{
	lock->calls--;
	if (!lock->closed) {
		return;
	}
	if (lock->calls == 0) {
		free_owner(lock);
	}
	if (status == RL_INTERRUPTED && !EG(exception)) {
		php_rlock_throw(NULL, "This RLock has been closed meanwhile");
	}
}

bool php_rlock_leave(struct php_rlock_object *lock, enum rl_status status, const struct rl_error *error,
	zend_string *key)
{
	bool bailed_out = lock->bailed_out;

	lock->bailed_out = false;
	if (!bailed_out) {
		php_rlock_throw_status(status, error, key, lock->owner);
	}
	end_call(lock, bailed_out ? RL_OK : status);
	OBJ_RELEASE(&lock->std);
	if (bailed_out) {
		zend_bailout();
	}
	return status == RL_OK;
}
