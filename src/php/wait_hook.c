/*
 * What runs while the core waits may do anything: use the object, close it, drop the last reference
 * to it, throw, exit, or die of a fatal error. The last is a longjmp(), which must not cross the
 * core's frames: it is caught here, and php_rlock_object_leave() raises it again once the core has
 * returned.
 */
#include "wait_hook.h"

#include "zend_atomic.h"
#include "zend_fibers.h"

#include "../base/assert.h"
#include "../base/stack.h"
#include "exception.h"
#include "globals.h"

/*
 * The engine looks for what interrupts it behind a call of an internal function that PHP code makes
 * (zend_call_function()), and does there whatever it does: it ends a script that has used up its
 * time or its memory, and calls zend_interrupt_function. So it is given a call that does nothing.
 * It must come back: a fiber that is left in the midst of a request may never go on.
 */
static void let_engine_be_interrupted(bool *bailed_out)
{
	zend_function *pass = (zend_function *)&zend_pass_function;

	++RLOCK_G(hooks);
	zend_fiber_switch_block();
	/* clang-format off */
	zend_try {
		zend_call_known_function(pass, NULL, NULL, NULL, 0, NULL, NULL);
	} zend_catch {
		*bailed_out = true;
	} zend_end_try();
	/* clang-format on */
	zend_fiber_switch_unblock();
	--RLOCK_G(hooks);
}

bool php_rlock_wait_hook_run(bool *bailed_out)
{
	if (!EG(exception) && !*bailed_out && zend_atomic_bool_load_ex(&EG(vm_interrupt))) {
		let_engine_be_interrupted(bailed_out);
	}
	return !EG(exception) && !*bailed_out;
}

static bool run_signal_handlers(void *context)
{
	struct php_rlock_object *lock = context;

	rl_assert(!rl_stack_current());
	return !lock->closed && php_rlock_wait_hook_run(&lock->bailed_out) && !lock->closed;
}

bool php_rlock_wait_hook_is_due(void *unused)
{
	rl_assert(!rl_stack_current());
	return zend_atomic_bool_load_ex(&EG(vm_interrupt));
}

struct rl_wait_hook php_rlock_wait_hook_make(struct php_rlock_object *lock)
{
	return (struct rl_wait_hook){
		.run = run_signal_handlers, .context = lock, .is_due = php_rlock_wait_hook_is_due
	};
}

#define NESTED_MAX 100

/*
 * Of waits side by side in fibers only the running one's own chain counts: each fiber has a stack
 * of its own.
 */
static bool is_nested_too_deep(zend_class_entry *ce)
{
	unsigned nested = 0;

	for (const zend_execute_data *frame = EG(current_execute_data); frame;
		 frame = frame->prev_execute_data) {
		nested += frame->func && frame->func->type == ZEND_INTERNAL_FUNCTION
			&& frame->func->common.scope == ce;
	}
	return nested > NESTED_MAX; /* the running call is one of them */
}

/* Each wait within a wait takes more of the machine's stack, which nothing else limits. */
bool php_rlock_wait_hook_check_depth(const struct php_rlock_object *lock)
{
	if (RLOCK_G(hooks) < NESTED_MAX || !is_nested_too_deep(lock->std.ce)) {
		return true;
	}
	php_rlock_exception_throw(NULL,
		"%d calls of RLock wait within each other, each in a signal handler or retry strategy of the one "
		"before; that is the most there can be",
		NESTED_MAX);
	return false;
}
