/*
 * PHP closes what is open, which is its resources, after its modules have ended their part of the request, and
 * before it frees the objects that are left. So a resource of ours tells us when; it is made for the first object
 * whose end is put off.
 *
 * After a fatal error no destructor runs, and no PHP code may; the rest is the same.
 */
#include "ending.h"

#include "zend_exceptions.h"
#include "ext/standard/basic_functions.h"

#include "../../php_rlock.h"

static int resource_type;

/* --- giving back --- */

/* Shutdown functions are the script's own, and may go on for long. PHP forgets them when they have run. */
bool php_rlock_ending_began(void)
{
	return (EG(flags) & EG_FLAGS_IN_SHUTDOWN) && !BG(user_shutdown_function_names);
}

void php_rlock_end(struct rl_owner *owner, struct rl_release_summary *summary)
{
	bool at_the_end = php_rlock_ending_began();
	rl_time now = rl_now(), spent = at_the_end ? RLOCK_G(ending).spent : 0;

	rl_owner_release_all(owner, now - spent, summary);
	if (at_the_end) {
		RLOCK_G(ending).spent += rl_now() - now;
	}
}

/* --- warnings --- */

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

static void warn_of_all(struct rl_owner *owner, const struct rl_release_summary *summary)
{
	warn(summary);
	if (!EG(exception)) {
		php_rlock_warn_of_eviction(owner);
	}
}

/*
 * An exception that is under way is put aside while a handler may run, and comes back as the
 * previous one of what the handler throws, as with any destructor.
 */
void php_rlock_warn_of_end(struct rl_owner *owner, const struct rl_release_summary *summary)
{
	zend_execute_data *frame = EG(current_execute_data);
	zend_object *pending = EG(exception);
	const zend_op *opline;

	if (!pending) {
		warn_of_all(owner, summary);
		return;
	}
	if (frame && frame->func && ZEND_USER_CODE(frame->func->common.type)) {
		zend_rethrow_exception(frame); /* it may not have heard of it yet, and the handler's own come first */
	}
	opline = EG(opline_before_exception);
	EG(exception) = NULL;
	warn_of_all(owner, summary);
	EG(opline_before_exception) = opline;
	if (EG(exception)) {
		zend_exception_set_previous(EG(exception), pending);
	} else {
		EG(exception) = pending;
	}
}

/*
 * Without the script's error handler: after a fatal error, and when PHP's modules have ended their part of the request,
 * no code of its may run, which would use what these have freed. Memory may have run out, which is why this may end in
 * another fatal error of its own.
 */
void php_rlock_log_end(const struct rl_release_summary *summary)
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

/* --- putting off --- */

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
	struct php_rlock_put_off **first = &RLOCK_G(ending).first;

	put_off->next = *first;
	if (put_off->next) {
		put_off->next->from = &put_off->next;
	}
	put_off->from = first;
	*first = put_off;
}

static void end_object(struct php_rlock_object *lock, bool aloud)
{
	struct rl_release_summary summary;

	lock->ended = true;
	php_rlock_end(lock->owner, &summary);
	if (aloud) {
		php_rlock_log_end(&summary);
	}
}

static void end_owner(struct rl_owner *owner, bool aloud)
{
	struct rl_release_summary summary;

	php_rlock_end(owner, &summary);
	if (aloud) {
		php_rlock_log_end(&summary);
	}
	rl_owner_free(owner);
}

static void end_one(struct php_rlock_put_off *put_off, bool aloud)
{
	take_out(put_off);
	if (put_off->lock) {
		end_object(put_off->lock, aloud);
	} else {
		end_owner(put_off->owner, aloud);
	}
	free(put_off);
}

static void end_all(bool aloud)
{
	while (RLOCK_G(ending).first) {
		end_one(RLOCK_G(ending).first, aloud);
	}
}

static void on_close(zend_resource *resource)
{
	RLOCK_G(ending).scheduled = false;
	end_all(true);
}

/* Without memory it may fail, and then php_rlock_ending_finish() is left. */
static void schedule(void)
{
	if (RLOCK_G(ending).scheduled) {
		return;
	}
	RLOCK_G(ending).scheduled = true;
	/* clang-format off */
	zend_try {
		zend_register_resource(NULL, resource_type);
	} zend_end_try();
	/* clang-format on */
}

static bool is_to_be_put_off(const struct php_rlock_object *lock)
{
	return php_rlock_ending_began() && !(EG(flags) & EG_FLAGS_IN_RESOURCE_SHUTDOWN) && !EG(current_execute_data)
		&& !lock->made_late;
}

bool php_rlock_ending_put_off(struct php_rlock_object *lock)
{
	struct php_rlock_put_off *put_off;

	if (!is_to_be_put_off(lock) || !(put_off = malloc(sizeof *put_off))) {
		return false;
	}
	put_off->owner = NULL;
	put_off->lock = lock;
	lock->put_off = put_off;
	put_in(put_off);
	schedule();
	return true;
}

bool php_rlock_ending_keep_owner(struct php_rlock_object *lock)
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

void php_rlock_ending_forget(struct php_rlock_object *lock)
{
	struct php_rlock_put_off *put_off = lock->put_off;

	if (put_off) {
		take_out(put_off);
		free(put_off);
	}
}

/* --- the request --- */

void php_rlock_ending_startup(int module_number)
{
	resource_type = zend_register_list_destructors_ex(on_close, NULL, "RLock", module_number);
}

void php_rlock_ending_reset(void)
{
	RLOCK_G(ending).scheduled = false;
	RLOCK_G(ending).spent = 0;
}

void php_rlock_ending_finish(void)
{
	end_all(false);
}
