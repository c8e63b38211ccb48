/*
 * A C stack of its own (../base/stack.h), made by the engine as it makes those of its fibers. To
 * the engine it is no Fiber: its fields for the running code are those of whoever resumed it first,
 * so nothing of the engine is used on it. It lives no longer than the request.
 */
#ifndef PHP_RLOCK_STACK_H
#define PHP_RLOCK_STACK_H

#include "../base/stack.h"

/*
 * NULL: thrown. May end in a fatal error for want of memory, so it comes before everything that
 * would have to be undone then.
 */
struct rl_stack *php_rlock_stack_make(void);

#endif
