#include "stack.h"
#include "assert.h"
#include "hook.h"

static RL_THREAD_LOCAL struct rl_stack *current;

struct rl_stack *rl_stack_current(void)
{
	return current;
}

/* --- on it --- */

static enum rl_wanted wanted_of(const struct rl_stack *stack)
{
	if (stack->wanted == RL_DROPPED || stack->generation != rl_system_generation()) {
		return RL_DROPPED;
	}
	return stack->serves_others ? RL_WANTED : stack->wanted;
}

enum rl_wanted rl_stack_wanted(void)
{
	return current ? wanted_of(current) : rl_hook_wanted();
}

enum rl_wanted rl_stack_look(void)
{
	return current ? wanted_of(current) : rl_hook_look();
}

bool rl_stack_lets_others_run(void)
{
	return current || rl_hook_is_there();
}

void rl_stack_serve_others(void)
{
	if (current) {
		current->serves_others = true;
	} else {
		rl_hook_serve_others();
	}
}

/* Nobody has looked which of them are ready: all are to be tried. */
static void try_all(struct rl_polls *polls)
{
	for (size_t i = 0; i < polls->count; i++) {
		polls->fds[i].ready = true;
	}
}

/* What nobody wants is not waited for. */
enum rl_wanted rl_stack_wait(struct rl_stack *stack, struct rl_polls *polls)
{
	if (wanted_of(stack) == RL_WANTED) {
		stack->polls = polls;
		stack->yield(stack);
		stack->polls = NULL;
		try_all(polls);
	}
	return wanted_of(stack);
}

/* On the stack of whoever answers, which may be the thread's own. */
static void let_answer(struct rl_stack_question *question)
{
	struct rl_hooked call = rl_hook_put_aside();

	question->yes = question->ask(question->context, question->number, &question->time);
	rl_hook_put_back(&call);
}

enum rl_wanted rl_stack_ask(struct rl_stack_question *question)
{
	struct rl_stack *stack = current;

	if (!stack) {
		let_answer(question);
		return rl_hook_look();
	}
	if (wanted_of(stack) == RL_WANTED) {
		stack->question = *question;
		stack->yield(stack);
		*question = stack->question;
		stack->question.ask = NULL;
	}
	return wanted_of(stack);
}

void rl_stack_run(struct rl_stack *stack)
{
	stack->main(stack->context);
	stack->is_over = true;
}

/* --- from outside --- */

void rl_stack_begin(struct rl_stack *stack, void (*main)(void *context), void *context)
{
	stack->main = main;
	stack->context = context;
	stack->generation = rl_system_generation();
}

/* What is asked can be answered at once. */
static void watch(const struct rl_stack *stack)
{
	struct rl_polls due;

	if (stack->is_over) {
		rl_waitset_fire(stack->set);
	} else if (stack->polls) {
		rl_waitset_update(stack->set, stack->polls);
	} else {
		rl_polls_begin(&due);
		rl_polls_until(&due, 0);
		rl_waitset_update(stack->set, &due);
	}
}

void rl_stack_resume(struct rl_stack *stack)
{
	struct rl_stack *outer = current;

	rl_assert(!stack->is_running && !stack->is_over);
	stack->is_running = true;
	current = stack;
	stack->resume(stack);
	current = outer;
	stack->is_running = false;
	if (stack->set) {
		watch(stack);
	}
}

/* Whether it waits for an answer of whoever steps it. */
static bool asks(const struct rl_stack *stack)
{
	return stack->question.ask != NULL;
}

/*
 * Whoever answers may do anything, and end the stack, too: then nobody waits for the answer. False:
 * so it is.
 */
static bool answer(struct rl_stack *stack)
{
	struct rl_stack_question asked = stack->question;

	stack->is_answered = true;
	let_answer(&asked);
	stack->is_answered = false;
	if (!asks(stack)) {
		return false;
	}
	stack->question = asked;
	return true;
}

void rl_stack_resume_and_answer(struct rl_stack *stack)
{
	bool goes_on = !stack->is_answered && (!asks(stack) || answer(stack));

	while (goes_on) {
		rl_stack_resume(stack);
		goes_on = !stack->is_over && asks(stack) && answer(stack);
	}
}

void rl_stack_free(struct rl_stack *stack)
{
	stack->free(stack);
}
