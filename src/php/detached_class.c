/*
 * Each method is one call of the core, in the frame of the RLock that made the object (object.h).
 *
 * The object keeps that RLock alive. Whoever says the name can release the lock, so no property has
 * it, and nothing that prints, compares or serializes objects can show it.
 */
#include "detached_class.h"

#include "acquire.h"
#include "seconds.h"
#include "text.h"

zend_class_entry *php_rlock_detached_ce;

static zend_object_handlers handlers;

struct detached {
	zval lock;                 /* the RLock */
	zend_string *key, *holder; /* the lock and the name that holds it */
	struct rl_detached core;   /* points into these */
	zend_object std;
};

static struct detached *fetch(zend_object *object)
{
	return (struct detached *)((char *)object - offsetof(struct detached, std));
}

static struct php_rlock_object *lock_of(const struct detached *detached)
{
	return php_rlock_object_from(Z_OBJ(detached->lock));
}

static zend_object *create(zend_class_entry *ce)
{
	struct detached *detached = zend_object_alloc(sizeof *detached, ce);

	zend_object_std_init(&detached->std, ce);
	object_properties_init(&detached->std, ce);
	detached->std.handlers = &handlers;
	return &detached->std;
}

static void free_obj(zend_object *object)
{
	struct detached *detached = fetch(object);

	zend_object_std_dtor(object);
	if (detached->key) { /* not where PHP code tried `new` */
		rl_owner_detached_forget(&detached->core);
		zval_ptr_dtor(&detached->lock);
		zend_string_release(detached->key);
		zend_string_release(detached->holder);
	}
}

static HashTable *get_gc(zend_object *object, zval **table, int *count)
{
	*table = &fetch(object)->lock;
	*count = 1;
	return NULL;
}

void php_rlock_detached_class_register(void)
{
	handlers = *zend_get_std_object_handlers();
	handlers.offset = offsetof(struct detached, std);
	handlers.clone_obj = NULL;
	handlers.compare = zend_objects_not_comparable; /* without properties, all would be equal */
	handlers.free_obj = free_obj;
	handlers.get_gc = get_gc;
	php_rlock_detached_ce->create_object = create;
}

void php_rlock_detached_class_make(
	zval *out, struct php_rlock_object *lock, zend_string *key, zend_string *holder)
{
	struct detached *detached;

	object_init_ex(out, php_rlock_detached_ce);
	detached = fetch(Z_OBJ_P(out));
	ZVAL_OBJ_COPY(&detached->lock, &lock->std);
	detached->key = zend_string_copy(key);
	detached->holder = zend_string_copy(holder);
	detached->core = (struct rl_detached){ .key = php_rlock_text(key),
		.name = php_rlock_text(holder) };
}

/* Private, and never called: only RLock::detached() makes one. */
ZEND_METHOD(RLock_NamedLock, __construct)
{
	ZEND_PARSE_PARAMETERS_NONE();
}

ZEND_METHOD(RLock_NamedLock, key)
{
	ZEND_PARSE_PARAMETERS_NONE();

	RETURN_STR_COPY(fetch(Z_OBJ_P(ZEND_THIS))->key);
}

static void acquire(INTERNAL_FUNCTION_PARAMETERS, bool is_shared)
{
	struct detached *detached = fetch(Z_OBJ_P(ZEND_THIS));

	php_rlock_acquire_method(INTERNAL_FUNCTION_PARAM_PASSTHRU, lock_of(detached), is_shared,
		detached->key, &detached->core);
}

ZEND_METHOD(RLock_NamedLock, getLock)
{
	acquire(INTERNAL_FUNCTION_PARAM_PASSTHRU, false);
}

ZEND_METHOD(RLock_NamedLock, getSharedLock)
{
	acquire(INTERNAL_FUNCTION_PARAM_PASSTHRU, true);
}

ZEND_METHOD(RLock_NamedLock, downgrade)
{
	struct detached *detached = fetch(Z_OBJ_P(ZEND_THIS));
	struct php_rlock_object *lock = lock_of(detached);
	struct rl_owner *owner;
	struct rl_error error;
	enum rl_status status;

	ZEND_PARSE_PARAMETERS_NONE();

	if (!(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_detached_downgrade(owner, &detached->core, &error);
	RETURN_BOOL(php_rlock_object_leave(lock, status, &error, detached->key));
}

ZEND_METHOD(RLock_NamedLock, prolongate)
{
	struct detached *detached = fetch(Z_OBJ_P(ZEND_THIS));
	struct php_rlock_object *lock = lock_of(detached);
	struct php_rlock_optional ttl = { .is_null = true };
	struct rl_owner *owner;
	struct rl_error error;
	enum rl_status status;

	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE_OR_NULL(ttl.seconds, ttl.is_null)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_argument_check_lease(1, ttl) || !(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_detached_prolongate(owner, &detached->core,
		php_rlock_argument_lease_ms(ttl, lock->lease_ms), &error);
	RETURN_BOOL(php_rlock_object_leave(lock, status, &error, detached->key));
}

ZEND_METHOD(RLock_NamedLock, releaseLock)
{
	struct detached *detached = fetch(Z_OBJ_P(ZEND_THIS));
	struct php_rlock_object *lock = lock_of(detached);
	double delay_after = 0.0;
	struct rl_owner *owner;
	struct rl_error error;
	enum rl_status status;

	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE(delay_after)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_rlock_argument_check_delay(1, delay_after)
		|| !(owner = php_rlock_object_enter(lock))) {
		RETURN_THROWS();
	}
	status = rl_owner_detached_release(owner, &detached->core,
		php_rlock_seconds_to_ms(delay_after), &error);
	RETURN_BOOL(php_rlock_object_leave(lock, status, &error, detached->key));
}

/* False: it is not this name's, or thrown. */
static bool look(zend_execute_data *execute_data, struct rl_detached_view *view)
{
	struct detached *detached = fetch(Z_OBJ_P(ZEND_THIS));
	struct php_rlock_object *lock = lock_of(detached);
	struct rl_owner *owner = php_rlock_object_enter(lock);
	struct rl_error error;
	enum rl_status status;

	if (!owner) {
		return false;
	}
	status = rl_owner_detached_look(owner, &detached->core, view, &error);
	return php_rlock_object_leave(lock, status, &error, detached->key);
}

ZEND_METHOD(RLock_NamedLock, isLocking)
{
	struct rl_detached_view view;

	ZEND_PARSE_PARAMETERS_NONE();

	RETURN_BOOL(look(execute_data, &view));
}

ZEND_METHOD(RLock_NamedLock, ttl)
{
	struct rl_detached_view view;

	ZEND_PARSE_PARAMETERS_NONE();

	if (!look(execute_data, &view)) {
		RETURN_DOUBLE(0.0);
	}
	RETURN_DOUBLE(view.left_ms < 0 ? ZEND_INFINITY : (double)view.left_ms / 1000.0);
}

ZEND_METHOD(RLock_NamedLock, fence)
{
	struct rl_detached_view view;

	ZEND_PARSE_PARAMETERS_NONE();

	if (!look(execute_data, &view) || view.fence == 0) {
		RETURN_NULL();
	}
	RETURN_LONG((zend_long)view.fence);
}
