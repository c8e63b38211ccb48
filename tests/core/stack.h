/*
 * C stacks as the core's tests make them (src/base/stack.h): by ucontext. Each has a guard below,
 * and is found too small by how much of it was used. Where the C library has no ucontext, the test
 * is skipped: only PHP's own stacks can be tried there.
 */
#ifndef TEST_STACK_H
#define TEST_STACK_H

#include "base/stack.h"

void skip_without_stacks(void);
struct rl_stack *make_stack(void);
/* Nobody wants what runs on it any more. */
void drop_stack(struct rl_stack *stack);
/* How many bytes the deepest of them has used since this was called last. */
size_t stacks_used(void);
/* How many there are. */
unsigned stacks_left(void);

#endif
