/*
 * An object ends in two steps. The destructor gives back what is held while a warning can still
 * be seen and a handler can hear it; free_obj does the same where no destructor ran, which is
 * after a fatal error: from there no PHP code is called, and nothing is thrown.
 *
 * While the core waits it calls run_signal_handlers(), and with it PHP code that may do anything:
 * use the object, close it, drop the last reference, throw, exit, or die of a fatal error. The
 * last is a longjmp(), which must not cross the core's frames: it is caught and sent on its way
 * when the core has returned.
 */
#include "object.h"

#include "zend_exceptions.h"

#include "classes.h"
#include "exceptions.h"
#include "interrupt.h"

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

static void warn(const struct rl_release_summary *summary)
{
	size_t bad = summary->timed_out + summary->lost + summary->failed;

	if (bad == 0) {
		return;
	}
	if (summary->failed) {
		zend_error(E_WARNING, "RLock: %zu of %zu locks could not be given back at the end; the first: %s",
			summary->failed, summary->released + bad, summary->first_failure.message);
	} else {
		zend_error(E_WARNING,
			"RLock: %zu of %zu locks had ended before they were given back at the end "
			"(%zu lost, %zu timed out); the first: \"%s\"",
			bad, summary->released + bad, summary->lost, summary->timed_out, summary->first_key);
	}
}

/*
 * An exception that is under way is put aside while a handler may run, and comes back as the
 * previous one of what the handler throws, as with any destructor.
 */
void php_rlock_warn_of_end(const struct rl_release_summary *summary)
{
	zend_execute_data *frame = EG(current_execute_data);
	zend_object *pending = EG(exception);
	const zend_op *opline;

	if (!pending) {
		warn(summary);
		return;
	}
	if (frame && frame->func && ZEND_USER_CODE(frame->func->common.type)) {
		zend_rethrow_exception(frame); /* it may not have heard of it yet, and the handler's own come first */
	}
	opline = EG(opline_before_exception);
	EG(exception) = NULL;
	warn(summary);
	EG(opline_before_exception) = opline;
	if (EG(exception)) {
		zend_exception_set_previous(EG(exception), pending);
	} else {
		EG(exception) = pending;
	}
}

/* All objects that end with the request share one deadline, lest a frozen server hold it up once for each. */
static rl_time end_began(void)
{
	if (!(EG(flags) & EG_FLAGS_IN_SHUTDOWN)) {
		return rl_now();
	}
	if (RLOCK_G(end_began) == 0) {
		RLOCK_G(end_began) = rl_now();
	}
	return RLOCK_G(end_began);
}

static void destroy(zend_object *object)
{
	struct php_rlock_object *lock = php_rlock_fetch(object);
	struct rl_release_summary summary;

	lock->ended = true;
	if (lock->owner) {
		rl_owner_release_all(lock->owner, end_began(), &summary);
		php_rlock_warn_of_end(&summary);
	}
}

static void free_owner(struct php_rlock_object *lock)
{
	php_rlock_interrupt_remove(lock);
	rl_owner_free(lock->owner);
	lock->owner = NULL;
}

/* Even when memory has run out, which is why this may end in another fatal error of its own. */
static void warn_without_php_code(const struct rl_release_summary *summary)
{
	int reporting = EG(user_error_handler_error_reporting);

	EG(user_error_handler_error_reporting) = 0;
	/* clang-format off */
	zend_try {
		warn(summary);
	} zend_end_try();
	/* clang-format on */
	EG(user_error_handler_error_reporting) = reporting;
}

static void release(zend_object *object)
{
	struct php_rlock_object *lock = php_rlock_fetch(object);
	struct rl_release_summary summary;

	if (lock->owner) {
		if (!lock->ended || rl_owner_held(lock->owner) > 0) {
			rl_owner_release_all(lock->owner, end_began(), &summary);
			warn_without_php_code(&summary);
		}
		free_owner(lock);
	}
	php_rlock_strategy_clear(&lock->strategy);
	zend_object_std_dtor(object);
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
		if (zend_atomic_bool_load_ex(&EG(timed_out))) {
			return false; /* max_execution_time: the engine ends it as soon as it is back */
		}
		zend_atomic_bool_store_ex(&EG(vm_interrupt), false);
		if (zend_interrupt_function) {
			/* clang-format off */
			zend_try {
				zend_interrupt_function(EG(current_execute_data));
			} zend_catch {
				lock->bailed_out = true;
			} zend_end_try();
			/* clang-format on */
		}
	}
	return !EG(exception) && !lock->bailed_out && !lock->closed;
}

static bool next_retry(void *context, unsigned attempt, rl_time *pause)
{
	struct php_rlock_object *lock = context;
	enum php_rlock_retry answer = php_rlock_strategy_next(&lock->strategy, attempt, pause);

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
	lock->owner = rl_owner_new(route, ZSTR_VAL(prefix), ZSTR_LEN(prefix), hook, &owner_terms);
	lock->lease_ms = terms->lease_ms;
	if (terms->strategy) {
		php_rlock_strategy_set(&lock->strategy, terms->strategy);
		lock->retry = (struct rl_retry){ next_retry, lock };
	}
	if (!(EG(flags) & EG_FLAGS_IN_SHUTDOWN)) {
		RLOCK_G(end_began) = 0; /* another request */
	}
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

/* Once for each server in a process, however many objects use it. */
static void warn_of_eviction(const char *server)
{
	if (zend_hash_str_add_empty_element(&RLOCK_G(evicting), server, strlen(server))) {
		zend_error(E_WARNING,
			"RLock: Redis at %s evicts keys when its memory is full (maxmemory-policy), so a lock may "
			"vanish while it is held; set maxmemory-policy to noeviction there",
			server);
	}
}

bool php_rlock_pass_on_news(struct php_rlock_object *lock)
{
	const char *evicting;

	if (EG(exception) || lock->bailed_out) {
		return true; /* another time */
	}
	evicting = rl_owner_evicting_once(lock->owner);
	if (evicting) {
		warn_of_eviction(evicting);
	}
	return !EG(exception) && !lock->closed;
}

bool php_rlock_leave(struct php_rlock_object *lock, enum rl_status status, const struct rl_error *error,
	zend_string *key)
{
	bool bailed_out = lock->bailed_out;

	lock->bailed_out = false;
	if (!bailed_out) {
		php_rlock_throw_status(status, error, key, lock->owner);
		php_rlock_pass_on_news(lock);
	}
	end_call(lock, bailed_out ? RL_OK : status);
	OBJ_RELEASE(&lock->std);
	if (bailed_out) {
		zend_bailout();
	}
	return status == RL_OK;
}
