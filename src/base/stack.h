/*
 * A C stack of its own, for what waits in the midst of a function and is stepped from outside all
 * the same.
 *
 * How something waits is the business of whoever runs it. What waits calls rl_polls_wait()
 * (poll.h): on a thread's own stack that is poll(2); on one of these it goes back to whoever has
 * resumed the stack, and leaves there what it waits for.
 *
 *   rl_stack_begin()     on a stack that its maker has made
 *   rl_stack_resume()    until it is over; in between it waits for `polls`
 *   rl_stack_free()
 *
 * Whoever has begun it may lose interest, and says so in `wanted` before it is resumed; on the
 * thread's own stack the call's hook says so (hook.h). Each wait then answers:
 *
 *   WANTED      go on
 *   UNWANTED    nobody wants the result: what is asked ends at once, without waiting, and is undone
 *               behind. Who goes on with what others wait for calls rl_stack_serve_others() first:
 *               from then on each wait is wanted; on the thread's own stack for 0.1 s, and then
 *               dropped
 *   DROPPED     return at once: nothing more is waited for, or sent. So it is in a child of the
 *               process, whatever `wanted` says
 *
 * There is no room for large frames on such a stack, and whoever made it may forbid more: code that
 * is not the core's runs on the stack of whoever resumes it (rl_stack_ask).
 */
#ifndef RL_STACK_H
#define RL_STACK_H

#include "waitset.h"

/* A question to code that is not the core's. */
struct rl_stack_question {
	bool (*ask)(void *context, unsigned number, rl_time *time);
	void *context;
	unsigned number;
	/* the answer */
	bool yes;
	rl_time time;
};

struct rl_stack {
	/* its maker's: goes to the stack, and is back when that calls yield(), or is over */
	void (*resume)(struct rl_stack *stack);
	void (*yield)(struct rl_stack *stack);
	void (*free)(struct rl_stack *stack); /* once it is over, or if it was never resumed */
	/* of whoever steps it */
	enum rl_wanted wanted;
	struct rl_waitset *set; /* watches what it waits for; or NULL */
	/* out */
	bool is_over;
	const struct rl_polls *polls; /* what it waits for; NULL: nothing */
	/* its own */
	void (*main)(void *context);
	void *context;
	struct rl_stack_question question; /* ask is NULL: there is none */
	bool is_running, is_answered, serves_others;
	uint64_t generation;
};

/* The one that runs; NULL: the thread's own. */
struct rl_stack *rl_stack_current(void);

/* main() is what runs on it, from the first time that it is resumed. */
void rl_stack_begin(struct rl_stack *stack, void (*main)(void *context), void *context);
/*
 * Goes on until it waits, asks, or is over. Stacks may resume each other, but not one that runs.
 */
void rl_stack_resume(struct rl_stack *stack);
/* The same, and answers what it asks. Does nothing within an answer to the same stack. */
void rl_stack_resume_and_answer(struct rl_stack *stack);
/* For its maker, on it. */
void rl_stack_run(struct rl_stack *stack);
void rl_stack_free(struct rl_stack *stack);

/*
 * For what runs: asks whoever steps it. On the thread's own stack that is answered at once, and the
 * hook runs behind it.
 */
RL_MUST_USE enum rl_wanted rl_stack_ask(struct rl_stack_question *question);
/* For rl_polls_wait(). */
RL_MUST_USE enum rl_wanted rl_stack_wait(struct rl_stack *stack, struct rl_polls *polls);
/* What a wait would answer now; and the same once the hook has run. */
enum rl_wanted rl_stack_wanted(void);
enum rl_wanted rl_stack_look(void);
/* Whether code that is not the core's may run while this waits. */
bool rl_stack_lets_others_run(void);
/*
 * What runs from here on is for others: it leaves a queue, passes something on, or takes something
 * back. It is wanted until it is dropped.
 */
void rl_stack_serve_others(void);

#endif
