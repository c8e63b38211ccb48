/*
 * An object ends in two steps. The destructor releases what is held while a warning can still be
 * seen, and an error handler can hear it. free_obj does the same if no destructor ran, which is so
 * after a fatal error; from then on no PHP code is called, and nothing is thrown. At the end of a
 * request both may be put off (request_end.h).
 */
#include "object.h"

#include "open_basedir.h"
#include "exception.h"
#include "globals.h"
#include "interrupt.h"
#include "lease_class.h"
#include "request_end.h"
#include "seconds.h"
#include "wait_hook.h"
#include "warn.h"

zend_class_entry *php_rlock_ce;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
	struct php_rlock_object *lock = zend_object_alloc(sizeof *lock, ce);

	zend_object_std_init(&lock->std, ce);
	object_properties_init(&lock->std, ce);
	lock->std.handlers = &handlers;
	php_rlock_request_end_add(lock);
	return &lock->std;
}

static void free_owner(struct php_rlock_object *lock)
{
	php_rlock_interrupt_remove(lock);
	if (!lock->put_off) {
		rl_owner_free(lock->owner);
	}
	lock->owner = NULL;
}

static void dtor_obj(zend_object *object)
{
	struct php_rlock_object *lock = php_rlock_object_from(object);
	struct rl_release_summary summary;

	if (lock->owner && !php_rlock_request_end_put_off(lock)) {
		lock->ended = true;
		php_rlock_request_end_release(lock->owner, &summary);
		php_rlock_warn_of_end(&summary);
	}
	php_rlock_request_end_note_destroyed(lock);
}

static void end_without_php_code(struct php_rlock_object *lock)
{
	struct rl_release_summary summary;

	if (php_rlock_request_end_put_off(lock)) {
		return;
	}
	php_rlock_request_end_release(lock->owner, &summary);
	php_rlock_warn_of_end_in_log(&summary);
}

/*
 * Weak references are cleared first: the strategy's destructor, and what a warning is written to,
 * may be PHP code, and must not get hold of the object any more.
 */
static void free_obj(zend_object *object)
{
	struct php_rlock_object *lock = php_rlock_object_from(object);

	zend_object_std_dtor(object);
	php_rlock_request_end_remove(lock);
	php_rlock_interrupt_remove(lock);
	if (lock->owner && !lock->put_off && (!lock->ended || rl_owner_held(lock->owner) > 0)) {
		end_without_php_code(lock);
	}
	if (lock->owner) {
		free_owner(lock);
	}
	php_rlock_strategy_clear(&lock->strategy);
}

/* A strategy may hold the object that uses it. */
static HashTable *get_gc(zend_object *object, zval **table, int *count)
{
	struct php_rlock_object *lock = php_rlock_object_from(object);

	*table = &lock->strategy.object;
	*count = Z_ISUNDEF(lock->strategy.object) ? 0 : 1;
	return NULL;
}

/* Two owners are never equal. By `==` they would be otherwise, since they have no properties. */
static int compare(zval *a, zval *b)
{
	ZEND_COMPARE_OBJECTS_FALLBACK(a, b);
	return Z_OBJ_P(a) == Z_OBJ_P(b) ? 0 : ZEND_UNCOMPARABLE;
}

/*
 * False: PHP's memory limit was reached. That is a longjmp(), which must not cross the core's
 * frames.
 */
static bool add_lease(void *context, struct rl_text name, const struct rl_lease_view *view)
{
	HashTable *held = context;
	volatile bool bailed_out = false;

	/* clang-format off */
	zend_try {
		zend_string *key = zend_string_init(name.data, name.length, false);
		zval lease;

		php_rlock_lease_class_make(&lease, key, view);
		zend_symtable_update(held, key, &lease);
		zend_string_release(key);
	} zend_catch {
		bailed_out = true;
	} zend_end_try();
	/* clang-format on */
	return !bailed_out;
}

/*
 * What var_dump() and print_r() show: its prefix, its servers without secrets, and the leases that
 * it holds. Casts and json_encode() show nothing, as the object has no properties.
 */
static HashTable *get_debug_info(zend_object *object, int *is_temporary)
{
	struct rl_owner *owner = php_rlock_object_from(object)->owner;
	struct rl_text prefix;
	zval info, held;

	*is_temporary = 1;
	array_init(&info);
	if (!owner) {
		return Z_ARRVAL(info); /* closed, or never constructed */
	}
	prefix = rl_owner_prefix(owner);
	add_assoc_stringl(&info, "prefix", prefix.data, prefix.length);
	add_assoc_string(&info, "servers", rl_owner_servers(owner));
	array_init(&held);
	add_assoc_zval(&info, "held", &held);
	if (!rl_owner_leases(owner, add_lease, Z_ARRVAL(held))) {
		zend_bailout();
	}
	return Z_ARRVAL(info);
}

void php_rlock_object_register(void)
{
	handlers = *zend_get_std_object_handlers();
	handlers.offset = offsetof(struct php_rlock_object, std);
	handlers.clone_obj = NULL;
	handlers.compare = compare;
	handlers.dtor_obj = dtor_obj;
	handlers.get_debug_info = get_debug_info;
	handlers.get_gc = get_gc;
	handlers.free_obj = free_obj;
	php_rlock_ce->create_object = create;
}

struct rl_owner *php_rlock_object_enter(struct php_rlock_object *lock)
{
	if (!lock->owner || lock->closed) {
		php_rlock_exception_throw(NULL,
			lock->closed ? "This RLock has been closed" : "This RLock was never constructed");
		return NULL;
	}
	php_rlock_open_basedir_tell();
	rl_owner_tidy();
	lock->calls++;
	GC_ADDREF(&lock->std);
	if (!EG(exception)) { /* with one no PHP code can run */
		rl_owner_begin_call(lock->owner);
	}
	return lock->owner;
}

struct rl_owner *php_rlock_object_enter_to_wait(struct php_rlock_object *lock)
{
	return php_rlock_wait_hook_check_depth(lock) ? php_rlock_object_enter(lock) : NULL;
}

/* Not by an exception of the PHP code that ran meanwhile. */
static void tell_interrupted(const struct php_rlock_object *lock, zend_string *key)
{
	php_rlock_exception_throw(key,
		lock->closed
			? "This RLock has been closed meanwhile"
			: "The process was forked during this call, which goes on in the parent process");
}

bool php_rlock_object_leave(struct php_rlock_object *lock, enum rl_status status,
	const struct rl_error *error, zend_string *key)
{
	bool bailed_out = lock->bailed_out;

	rl_owner_end_call(lock->owner);
	lock->bailed_out = false;
	if (!bailed_out) {
		php_rlock_exception_throw_status(status, error, key, lock->owner);
		php_rlock_log_eviction(lock->owner);
	}
#ifdef ZTS
	rl_owner_tally(lock->owner); /* other threads may ask for the totals, and cannot do it */
#endif
	lock->calls--;
	if (lock->closed && lock->calls == 0) {
		free_owner(lock); /* PHP code closed it during the call */
	}
	if (status == RL_INTERRUPTED && !bailed_out && !EG(exception)) {
		tell_interrupted(lock, key);
	}
	OBJ_RELEASE(&lock->std);
	if (bailed_out) {
		zend_bailout();
	}
	return status == RL_OK;
}

rl_time php_rlock_object_wait(const struct php_rlock_object *lock, double seconds)
{
	return php_rlock_strategy_is_empty(&lock->strategy) ? 0 : php_rlock_seconds_to_time(seconds);
}

const struct rl_retry *php_rlock_object_retry(const struct php_rlock_object *lock)
{
	return lock->retry.next ? &lock->retry : NULL;
}
