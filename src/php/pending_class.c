/*
 * The object keeps its RLock alive. Its destructor cancels the core's pending; what ends and frees
 * that is the end of the object's memory, which also comes where a fatal error has left out the
 * destructor. The owner may be gone by then, at the end of a request.
 *
 * The stream is over a copy of the core's descriptor, so that it may outlive the object.
 */
#include "pending_class.h"

#include "argument.h"
#include "exception.h"
#include "object.h"
#include "seconds.h"
#include "stack.h"
#include "text.h"
#include "warn.h"
#include "../base/descriptor.h"

zend_class_entry *php_rlock_pending_ce;

static zend_object_handlers handlers;

struct pending {
	zval lock; /* the RLock */
	zend_string *key;
	struct rl_pending *core; /* NULL: it could not be asked for */
	rl_time began;           /* the wait */
	zval stream;             /* undefined: nobody has asked for it */
	bool is_told;            /* poll() has said what it has come to, or it was cancelled */
	bool is_ours;            /* what it has said */
	zend_object std;
};

static struct pending *fetch(zend_object *object)
{
	return (struct pending *)((char *)object - offsetof(struct pending, std));
}

static struct php_rlock_object *lock_of(const struct pending *pending)
{
	return php_rlock_object_from(Z_OBJ(pending->lock));
}

static zend_object *create(zend_class_entry *ce)
{
	struct pending *pending = zend_object_alloc(sizeof *pending, ce);

	zend_object_std_init(&pending->std, ce);
	object_properties_init(&pending->std, ce);
	pending->std.handlers = &handlers;
	return &pending->std;
}

static void dtor_obj(zend_object *object)
{
	struct pending *pending = fetch(object);

	if (pending->core) {
		rl_pending_cancel(pending->core);
	}
}

static void free_obj(zend_object *object)
{
	struct pending *pending = fetch(object);

	zend_object_std_dtor(object);
	if (pending->core) {
		rl_pending_end(pending->core);
	}
	zval_ptr_dtor(&pending->stream);
	zval_ptr_dtor(&pending->lock);
	if (pending->key) {
		zend_string_release(pending->key);
	}
}

static HashTable *get_gc(zend_object *object, zval **table, int *count)
{
	*table = &fetch(object)->lock;
	*count = 1;
	return NULL;
}

void php_rlock_pending_class_register(void)
{
	handlers = *zend_get_std_object_handlers();
	handlers.offset = offsetof(struct pending, std);
	handlers.clone_obj = NULL;
	handlers.compare = zend_objects_not_comparable; /* without properties, all would be equal */
	handlers.dtor_obj = dtor_obj;
	handlers.free_obj = free_obj;
	handlers.get_gc = get_gc;
	php_rlock_pending_ce->create_object = create;
}

/* False: thrown. */
static bool begin(
	struct pending *pending, struct php_rlock_object *lock, const struct rl_acquire *terms)
{
	struct rl_stack *stack = php_rlock_stack_make();
	struct rl_owner *owner = stack ? php_rlock_object_enter(lock) : NULL;
	struct rl_error error;
	enum rl_status status;

	if (stack && !owner) {
		rl_stack_free(stack);
	}
	if (!owner) {
		return false;
	}
	status = rl_pending_begin(owner, terms, stack, &pending->core, &error);
	if (status != RL_OK) {
		pending->core = NULL;
	}
	return php_rlock_object_leave(lock, status, &error, pending->key);
}

/* The arguments of requestLock(). NULL: thrown. */
static zend_string *parse(zend_execute_data *execute_data, struct php_rlock_object *lock,
	struct rl_acquire *terms)
{
	struct php_rlock_optional ttl = { .is_null = true };
	zend_string *key, *metadata = NULL;
	double wait = ZEND_INFINITY;
	zend_long limit = 0;
	bool is_shared = false, no_limit = true;

	ZEND_PARSE_PARAMETERS_START(1, 6)
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE(wait)
		Z_PARAM_DOUBLE_OR_NULL(ttl.seconds, ttl.is_null)
		Z_PARAM_STR_OR_NULL(metadata)
		Z_PARAM_BOOL(is_shared)
		Z_PARAM_LONG_OR_NULL(limit, no_limit)
	ZEND_PARSE_PARAMETERS_END_EX(return NULL);

	if (!php_rlock_argument_check_key(1, key) || !php_rlock_argument_check_wait(2, wait)
		|| !php_rlock_argument_check_lease(3, ttl)
		|| !php_rlock_argument_check_metadata(4, metadata)
		|| !php_rlock_argument_check_limit(6, limit, no_limit)) {
		return NULL;
	}
	*terms = (struct rl_acquire){
		.key = php_rlock_text(key),
		.is_shared = is_shared || !no_limit,
		.limit = limit,
		.metadata = php_rlock_text(metadata),
		.lease_ms = php_rlock_argument_lease_ms(ttl, lock->lease_ms),
		.wait = php_rlock_object_wait(lock, wait),
		.policy = RL_POLICY_WAIT,
		.retry = php_rlock_object_retry(lock),
	};
	return key;
}

ZEND_METHOD(RLock, requestLock)
{
	struct php_rlock_object *lock = php_rlock_object_this(execute_data);
	struct rl_acquire terms;
	zend_string *key = parse(execute_data, lock, &terms);
	struct pending *pending;

	if (!key) {
		RETURN_THROWS();
	}
	object_init_ex(return_value, php_rlock_pending_ce);
	pending = fetch(Z_OBJ_P(return_value));
	pending->key = zend_string_copy(key);
	pending->began = rl_now();
	ZVAL_OBJ_COPY(&pending->lock, &lock->std);
	if (!begin(pending, lock, &terms)) {
		zval_ptr_dtor(return_value);
		RETVAL_NULL(); /* which the engine frees */
		RETURN_THROWS();
	}
}

/* Private, and never called: only RLock::requestLock() makes one. */
ZEND_METHOD(RLock_PendingLock, __construct)
{
	ZEND_PARSE_PARAMETERS_NONE();
}

ZEND_METHOD(RLock_PendingLock, key)
{
	ZEND_PARSE_PARAMETERS_NONE();

	RETURN_STR_COPY(fetch(Z_OBJ_P(ZEND_THIS))->key);
}

/* Whether the program has closed it, which leaves a resource of no use. */
static bool is_closed(const zval *stream)
{
	return Z_TYPE_P(stream) == IS_RESOURCE && Z_RES_P(stream)->type < 0;
}

/* False: thrown. */
static bool open_stream(struct pending *pending)
{
	int fd = rl_descriptor_copy(rl_pending_fd(pending->core));
	php_stream *stream = fd < 0 ? NULL : php_stream_fopen_from_fd(fd, "r", NULL);

	if (!stream) {
		php_rlock_exception_throw(
			pending->key, "The system has no descriptor for a stream: %s", strerror(errno));
		return false;
	}
	zval_ptr_dtor(&pending->stream);
	php_stream_to_zval(stream, &pending->stream);
	return true;
}

ZEND_METHOD(RLock_PendingLock, stream)
{
	struct pending *pending = fetch(Z_OBJ_P(ZEND_THIS));

	ZEND_PARSE_PARAMETERS_NONE();

	if ((Z_ISUNDEF(pending->stream) || is_closed(&pending->stream)) && !open_stream(pending)) {
		RETURN_THROWS();
	}
	RETURN_COPY(&pending->stream);
}

ZEND_METHOD(RLock_PendingLock, poll)
{
	struct pending *pending = fetch(Z_OBJ_P(ZEND_THIS));
	struct php_rlock_object *lock = lock_of(pending);
	enum rl_status status = RL_OK;
	struct rl_error error;
	bool is_over;

	ZEND_PARSE_PARAMETERS_NONE();

	if (pending->is_told) {
		rl_owner_tidy(); /* a loop that watches it still comes here */
		RETURN_BOOL(pending->is_ours);
	}
	if (!php_rlock_object_enter(lock)) {
		pending->is_told = true;
		RETURN_THROWS();
	}
	is_over = rl_pending_go_on(pending->core, &status, &error);
	if (lock->closed && status == RL_NO) {
		status = RL_INTERRUPTED; /* by the retry strategy */
	}
	if (is_over) {
		php_rlock_log_slow_wait(NULL, php_rlock_text(pending->key), 0, pending->began, status);
	}
	pending->is_told = is_over;
	pending->is_ours = is_over && status == RL_OK;
	php_rlock_object_leave(lock, status, &error, pending->key);
	if (!is_over) {
		RETURN_NULL();
	}
	RETURN_BOOL(pending->is_ours);
}

ZEND_METHOD(RLock_PendingLock, cancel)
{
	struct pending *pending = fetch(Z_OBJ_P(ZEND_THIS));

	ZEND_PARSE_PARAMETERS_NONE();

	if (!pending->is_told) {
		rl_pending_cancel(pending->core);
		pending->is_told = true;
	}
}
