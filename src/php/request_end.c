/*
 * The owners whose end is put off are kept here, whatever becomes of their objects, and end
 * together: when the last object has been destroyed; or, if a session is open then, when PHP closes
 * its resources. It does that after its modules have ended their part of the request, and before it
 * frees the objects that are left. So a resource is made for it, and its destructor ends them all.
 *
 * After a fatal error no destructor of an object runs, and no PHP code may: all that is left ends
 * with the resource.
 */
#include "request_end.h"

#include "ext/standard/basic_functions.h"
#include "zend_exceptions.h"

#include "../redis/lookup.h"
#include "globals.h"
#include "warn.h"

static int resource_type;

/*
 * PHP has begun to call destructors at the end of the request. Not yet while shutdown functions
 * run: they are the script's own code, and may take long. PHP keeps them until its modules have
 * ended, but what ends an object after them is PHP itself, and no function.
 */
static bool has_begun(void)
{
	bool *began = &RLOCK_G(request_end).began;

	*began = *began
		|| ((EG(flags) & EG_FLAGS_IN_SHUTDOWN)
			&& (!BG(user_shutdown_function_names) || !EG(current_execute_data)
				|| (EG(flags) & EG_FLAGS_OBJECT_STORE_NO_REUSE)));
	return *began;
}

/* exit() leaves the functions that have called each other, and drops what their variables hold. */
static bool is_exiting(void)
{
	return EG(exception) && zend_is_unwind_exit(EG(exception));
}

static void end(struct rl_owner *const *owners, size_t count, struct rl_release_summary *summary)
{
	bool at_the_end = has_begun() || is_exiting();
	rl_time now = rl_now(), spent = at_the_end ? RLOCK_G(request_end).spent : 0;

	rl_owner_end_all(owners, count, now - spent, summary);
	if (at_the_end) {
		RLOCK_G(request_end).spent += rl_now() - now;
	}
}

void php_rlock_request_end_release(struct rl_owner *owner, struct rl_release_summary *summary)
{
	end(&owner, 1, summary);
}

static void end_all(struct rl_release_summary *summary)
{
	end(RLOCK_G(request_end).owners, RLOCK_G(request_end).count, summary);
}

/* False: out of memory. */
static bool add(struct rl_owner *owner)
{
	struct php_rlock_request_end *kept = &RLOCK_G(request_end);

	if (kept->count == kept->room) {
		size_t room = kept->room ? 2 * kept->room : 8;
		struct rl_owner **owners = realloc(kept->owners, room * sizeof *owners);

		if (!owners) {
			return false;
		}
		kept->owners = owners;
		kept->room = room;
	}
	kept->owners[kept->count++] = owner;
	return true;
}

static bool keep(struct php_rlock_object *lock)
{
	lock->put_off = add(lock->owner);
	return lock->put_off;
}

/* What cannot be kept ends when it is freed. */
static void keep_all(void)
{
	struct php_rlock_object *lock = RLOCK_G(request_end).alive;

	for (; lock; lock = lock->alive.next) {
		if (lock->owner) {
			keep(lock);
		}
	}
}

static void on_close(zend_resource *resource)
{
	struct rl_release_summary summary;

	keep_all();
	end_all(&summary);
	php_rlock_warn_of_end_in_log(&summary);
}

/*
 * The stacks of what is asked for in steps are the engine's, and are over before it ends the
 * request. The resource may fail for want of memory: then php_rlock_request_end_finish() ends what
 * is put off.
 */
void php_rlock_request_end_begin(void)
{
	RLOCK_G(request_end).stacks_are_over = true;
	rl_owner_end_pendings_of_thread();
	if (RLOCK_G(request_end).count == 0 && !RLOCK_G(request_end).alive) {
		return;
	}
	/* clang-format off */
	zend_try {
		zend_register_resource(NULL, resource_type);
	} zend_end_try();
	/* clang-format on */
}

#define PHP_SESSION_ACTIVE 2

/*
 * Asks the session module, which may be missing, by its own list of functions: PHP's does not have
 * those that disable_functions names.
 */
static bool session_is_open(void)
{
	const zend_module_entry *module = zend_hash_str_find_ptr(
		&module_registry, ZEND_STRL("session"));
	const zend_function_entry *function = module ? module->functions : NULL;
	zend_execute_data no_arguments = { 0 };
	zval status;

	while (function && function->fname && strcmp(function->fname, "session_status") != 0) {
		function++;
	}
	if (!function || !function->fname) {
		return false;
	}
	ZVAL_NULL(&status);
	function->handler(&no_arguments, &status);
	return Z_TYPE(status) == IS_LONG && Z_LVAL(status) == PHP_SESSION_ACTIVE;
}

void php_rlock_request_end_release_all(void)
{
	struct php_rlock_object *lock = RLOCK_G(request_end).alive;
	struct rl_release_summary summary;

	for (; lock; lock = lock->alive.next) {
		if (lock->owner && !add(lock->owner)) {
			php_rlock_request_end_release(lock->owner, &summary);
			php_rlock_warn_of_end_in_log(&summary);
		}
	}
	end_all(&summary);
	RLOCK_G(request_end).count = 0;
	php_rlock_warn_of_end_in_log(&summary);
}

bool php_rlock_request_end_put_off(struct php_rlock_object *lock)
{
	return has_begun() && !(EG(flags) & EG_FLAGS_IN_RESOURCE_SHUTDOWN)
		&& !EG(current_execute_data) && keep(lock);
}

void php_rlock_request_end_add(struct php_rlock_object *lock)
{
	RL_LIST_ADD(&RLOCK_G(request_end).alive, lock, alive);
}

void php_rlock_request_end_remove(struct php_rlock_object *lock)
{
	RL_LIST_REMOVE(lock, alive);
}

void php_rlock_request_end_note_destroyed(struct php_rlock_object *lock)
{
	struct rl_release_summary summary;

	php_rlock_request_end_remove(lock);
	if (!RLOCK_G(request_end).alive && RLOCK_G(request_end).count > 0 && !session_is_open()) {
		end_all(&summary);
		php_rlock_warn_of_end(&summary);
	}
}

void php_rlock_request_end_startup(int module_number)
{
	resource_type = zend_register_list_destructors_ex(on_close, NULL, "RLock", module_number);
}

void php_rlock_request_end_part(void)
{
	rl_lookup_begin_request();
	rl_cache_end_request(&RLOCK_G(cache));
	zend_hash_clean(&RLOCK_G(evicting));
}

void php_rlock_request_end_finish(void)
{
	struct php_rlock_request_end *kept = &RLOCK_G(request_end);
	struct rl_release_summary ignored;

	end_all(&ignored);
	while (kept->count > 0) {
		rl_owner_free(kept->owners[--kept->count]);
	}
	free(kept->owners);
	*kept = (struct php_rlock_request_end){ .began = false };
	RLOCK_G(hooks) = 0; /* a fatal error may have left some counted */
}
