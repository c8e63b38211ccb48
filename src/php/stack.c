#include "php.h"
#include "zend_exceptions.h"
#include "zend_fibers.h"

#include "stack.h"

#include "exception.h"
#include "globals.h"

/* The core needs less than 32 KiB; and it is more than a page and its guard wherever PHP runs. */
#define STACK_SIZE (128 * 1024)

struct stack {
	struct rl_stack base;
	zend_fiber_context context;
	zend_fiber_context *resumed_by;
};

static char kind; /* whose address tells observers that it is no Fiber */

/* The context that it begins on; what returns from here ends it. */
static void run(zend_fiber_transfer *transfer)
{
	struct stack *stack = (struct stack *)((char *)EG(current_fiber_context)
		- offsetof(struct stack, context));

	stack->resumed_by = transfer->context;
	rl_stack_run(&stack->base);
	*transfer = (zend_fiber_transfer){ .context = stack->resumed_by };
	ZVAL_UNDEF(&transfer->value);
}

static void resume(struct rl_stack *base)
{
	struct stack *stack = (struct stack *)base;
	zend_fiber_transfer transfer = { .context = &stack->context };

	ZVAL_UNDEF(&transfer.value);
	zend_fiber_switch_context(&transfer);
}

static void yield(struct rl_stack *base)
{
	struct stack *stack = (struct stack *)base;
	zend_fiber_transfer transfer = { .context = stack->resumed_by };

	ZVAL_UNDEF(&transfer.value);
	zend_fiber_switch_context(&transfer);
	stack->resumed_by = transfer.context;
}

/* The engine has freed what ran to its end. */
static void free_stack(struct rl_stack *base)
{
	struct stack *stack = (struct stack *)base;

	if (!base->is_over) {
		zend_fiber_destroy_context(&stack->context);
	}
	efree(stack);
}

/* False: no memory, of which the engine has thrown an exception in its own words. */
static bool init_context(zend_fiber_context *context)
{
#if PHP_VERSION_ID < 80300
	return zend_fiber_init_context(context, &kind, run, STACK_SIZE);
#else
	return zend_fiber_init_context(context, &kind, run, STACK_SIZE) == SUCCESS;
#endif
}

struct rl_stack *php_rlock_stack_make(void)
{
	struct stack *stack;

	if (RLOCK_G(request_end).stacks_are_over) {
		php_rlock_exception_throw(NULL, "The request has ended: nothing more can be waited for");
		return NULL;
	}
	stack = ecalloc(1, sizeof *stack);
	if (!init_context(&stack->context)) {
		efree(stack);
		zend_clear_exception();
		php_rlock_exception_throw(NULL, "The system has no memory for the stack of this wait");
		return NULL;
	}
	stack->base.resume = resume;
	stack->base.yield = yield;
	stack->base.free = free_stack;
	return &stack->base;
}
