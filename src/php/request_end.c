/*
 * PHP closes resources after its modules have ended their part of the request, and before it frees
 * the objects that are left. So the first object whose end is put off makes a resource, and its
 * destructor ends them all.
 *
 * After a fatal error no destructor of an object runs, and no PHP code may; free_obj puts the end
 * off instead.
 */
#include "request_end.h"

#include "ext/standard/basic_functions.h"

#include "globals.h"
#include "warn.h"

/* The end of an object; or, once the object has been freed, of its owner alone. */
struct php_rlock_put_off {
	struct php_rlock_put_off *next, **from;
	struct php_rlock_object *lock; /* NULL: freed */
	struct rl_owner *owner;        /* if the object has been freed */
};

static int resource_type;

/*
 * Not yet while shutdown functions run: they are the script's own code, and may take long. PHP
 * keeps them until its modules have ended, but what ends an object after them is PHP itself, and no
 * function.
 */
bool php_rlock_request_end_began(void)
{
	bool *began = &RLOCK_G(request_end).began;

	*began = *began
		|| ((EG(flags) & EG_FLAGS_IN_SHUTDOWN)
			&& (!BG(user_shutdown_function_names) || !EG(current_execute_data)
				|| (EG(flags) & EG_FLAGS_OBJECT_STORE_NO_REUSE)));
	return *began;
}

void php_rlock_request_end_release(struct rl_owner *owner, struct rl_release_summary *summary)
{
	bool at_the_end = php_rlock_request_end_began();
	rl_time now = rl_now(), spent = at_the_end ? RLOCK_G(request_end).spent : 0;

	rl_owner_release_all(owner, now - spent, summary);
	if (at_the_end) {
		RLOCK_G(request_end).spent += rl_now() - now;
	}
}

static void take_out(struct php_rlock_put_off *put_off)
{
	*put_off->from = put_off->next;
	if (put_off->next) {
		put_off->next->from = put_off->from;
	}
	if (put_off->lock) {
		put_off->lock->put_off = NULL;
	}
}

static void put_in(struct php_rlock_put_off *put_off)
{
	struct php_rlock_put_off **first = &RLOCK_G(request_end).first;

	put_off->next = *first;
	if (put_off->next) {
		put_off->next->from = &put_off->next;
	}
	put_off->from = first;
	*first = put_off;
}

static void end_one(struct php_rlock_put_off *put_off, bool aloud)
{
	struct php_rlock_object *lock = put_off->lock;
	struct rl_owner *owner = lock ? lock->owner : put_off->owner;
	struct rl_release_summary summary;

	take_out(put_off);
	free(put_off);
	if (lock) {
		lock->ended = true;
	}
	php_rlock_request_end_release(owner, &summary);
	if (aloud) {
		php_rlock_warn_of_end_in_log(&summary);
	}
	if (!lock) {
		rl_owner_free(owner);
	}
}

static void end_all(bool aloud)
{
	while (RLOCK_G(request_end).first) {
		end_one(RLOCK_G(request_end).first, aloud);
	}
}

static void on_close(zend_resource *resource)
{
	RLOCK_G(request_end).scheduled = false;
	end_all(true);
}

/* May fail for want of memory: then php_rlock_request_end_finish() ends what is put off. */
static void schedule(void)
{
	if (RLOCK_G(request_end).scheduled) {
		return;
	}
	RLOCK_G(request_end).scheduled = true;
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

static bool should_put_off(const struct php_rlock_object *lock)
{
	return php_rlock_request_end_began() && !(EG(flags) & EG_FLAGS_IN_RESOURCE_SHUTDOWN)
		&& !EG(current_execute_data) && !lock->made_late
		&& (CG(unclean_shutdown) || session_is_open());
}

bool php_rlock_request_end_put_off(struct php_rlock_object *lock)
{
	struct php_rlock_put_off *put_off;

	if (!should_put_off(lock) || !(put_off = malloc(sizeof *put_off))) {
		return false;
	}
	put_off->owner = NULL;
	put_off->lock = lock;
	lock->put_off = put_off;
	put_in(put_off);
	schedule();
	return true;
}

bool php_rlock_request_end_keep_owner(struct php_rlock_object *lock)
{
	if (!lock->put_off) {
		return false;
	}
	lock->put_off->owner = lock->owner;
	lock->put_off->lock = NULL;
	lock->put_off = NULL;
	lock->owner = NULL;
	return true;
}

void php_rlock_request_end_forget(struct php_rlock_object *lock)
{
	struct php_rlock_put_off *put_off = lock->put_off;

	if (put_off) {
		take_out(put_off);
		free(put_off);
	}
}

void php_rlock_request_end_startup(int module_number)
{
	resource_type = zend_register_list_destructors_ex(on_close, NULL, "RLock", module_number);
}

void php_rlock_request_end_reset(void)
{
	RLOCK_G(request_end).scheduled = false;
	RLOCK_G(request_end).began = false;
	RLOCK_G(request_end).spent = 0;
}

void php_rlock_request_end_finish(void)
{
	end_all(false);
}
