#include "stack.h"
#include "testing.h"

#include <sys/mman.h>
#include <ucontext.h>

/* musl declares them, and does not have them. */
#pragma weak getcontext
#pragma weak makecontext
#pragma weak swapcontext

#if defined(__has_feature)
# if __has_feature(address_sanitizer)
#  define ANNOTATED 1
# endif
#endif
#if defined(__SANITIZE_ADDRESS__)
# define ANNOTATED 1
#endif
#ifdef ANNOTATED
# include <sanitizer/asan_interface.h>
# include <sanitizer/common_interface_defs.h>
#endif

#define SIZE  (128 * 1024)
#define GUARD 4096

struct stack {
	struct rl_stack base;
	ucontext_t own, outer;
	char *memory;
	/* of the sanitizer: the frames that are put aside, and where the outer stack is */
	void *own_frames, *outer_frames;
	const void *outer_bottom;
	size_t outer_size;
};

static struct stack *entered; /* for the first function on it */
static size_t deepest;
static unsigned left;

static void start_switch(void **frames, const void *bottom, size_t size)
{
#ifdef ANNOTATED
	__sanitizer_start_switch_fiber(frames, bottom, size);
#endif
}

static void finish_switch(void *frames, const void **bottom, size_t *size)
{
#ifdef ANNOTATED
	__sanitizer_finish_switch_fiber(frames, bottom, size);
#endif
}

static void run(void)
{
	struct stack *stack = entered;

	finish_switch(NULL, &stack->outer_bottom, &stack->outer_size);
	rl_stack_run(&stack->base);
	start_switch(NULL, stack->outer_bottom, stack->outer_size);
}

static void resume(struct rl_stack *base)
{
	struct stack *stack = (struct stack *)base;

	entered = stack;
	start_switch(&stack->outer_frames, stack->memory + GUARD, SIZE);
	swapcontext(&stack->outer, &stack->own);
	finish_switch(stack->outer_frames, NULL, NULL);
}

static void yield(struct rl_stack *base)
{
	struct stack *stack = (struct stack *)base;

	start_switch(&stack->own_frames, stack->outer_bottom, stack->outer_size);
	swapcontext(&stack->own, &stack->outer);
	finish_switch(stack->own_frames, &stack->outer_bottom, &stack->outer_size);
}

static void measure(const struct stack *stack)
{
	const char *low = stack->memory + GUARD, *end = low + SIZE;

	while (low < end && !*low) {
		low++;
	}
	if ((size_t)(end - low) > deepest) {
		deepest = (size_t)(end - low);
	}
}

static void free_stack(struct rl_stack *base)
{
	struct stack *stack = (struct stack *)base;

#ifdef ANNOTATED
	ASAN_UNPOISON_MEMORY_REGION(stack->memory + GUARD, SIZE);
#endif
	measure(stack);
	munmap(stack->memory, GUARD + SIZE);
	munmap(stack, sizeof *stack);
	left--;
}

/* Not by malloc(), which fails where a test wants it to. */
static void *map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	return memory;
}

void skip_without_stacks(void)
{
	if (!makecontext) {
		skip();
	}
}

struct rl_stack *make_stack(void)
{
	struct stack *stack;

	skip_without_stacks();
	stack = map(sizeof *stack);
	stack->memory = map(GUARD + SIZE);
	assert_int_equal(mprotect(stack->memory, GUARD, PROT_NONE), 0);
	assert_int_equal(getcontext(&stack->own), 0);
	stack->own.uc_stack.ss_sp = stack->memory + GUARD;
	stack->own.uc_stack.ss_size = SIZE;
	stack->own.uc_link = &stack->outer;
	makecontext(&stack->own, run, 0);
	stack->base.resume = resume;
	stack->base.yield = yield;
	stack->base.free = free_stack;
	left++;
	return &stack->base;
}

void drop_stack(struct rl_stack *stack)
{
	stack->wanted = RL_DROPPED;
	rl_stack_resume(stack);
	assert_true(stack->is_over);
	rl_stack_free(stack);
}

size_t stacks_used(void)
{
	size_t used = deepest;

	deepest = 0;
	return used;
}

unsigned stacks_left(void)
{
	return left;
}
