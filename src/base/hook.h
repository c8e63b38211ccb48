/*
 * What a call on the thread's own stack has in place of somebody who steps it: code that is not the
 * core's runs while it waits, whatever for, and may say that nobody wants the result any more.
 *
 *   rl_hook_begin()
 *   ...                each wait (poll.h) runs the hook as often as it asks for, and answers as on
 *                      a stack (stack.h); but one for the answer of a single server lets the
 *                      socket wait first, for 20 ms at most, without it (machine.c)
 *   rl_hook_end()
 *
 * The hook may do anything: use what the call uses, fork, make another call. While it runs no hook
 * is in force, so what it calls begins its own.
 */
#ifndef RL_HOOK_H
#define RL_HOOK_H

#include "poll.h"

/*
 * run() is called during a wait at least every `interval` (0: 0.1 s). False: nobody wants it any
 * more. With `is_due`, which says whether run() has anything to do, it is called when it is due,
 * after a signal at once or within 0.1 s; and without an interval only then: where no other thread
 * could get the signals, a wait does not wake up for nothing.
 */
struct rl_wait_hook {
	bool (*run)(void *context);
	void *context;
	rl_time interval;
	bool (*is_due)(void *context); /* called with all signals blocked: it only looks; or NULL */
};

/* A call that is under way. */
struct rl_hooked {
	const struct rl_wait_hook *hook; /* NULL: there is none, or it runs */
	enum rl_wanted wanted;
	rl_time next;         /* when to run it in any case; 0: a tick after the next wait begins */
	rl_time serves_until; /* serves others until then; 0: it does not */
	uint64_t generation;
};

/* The hook outlives the call. Without a run() there is none. */
void rl_hook_begin(const struct rl_wait_hook *hook);
/* At any time. True: nobody wanted the result. */
bool rl_hook_end(void);

/* Around code that is not the core's. */
struct rl_hooked rl_hook_put_aside(void);
void rl_hook_put_back(const struct rl_hooked *call);

/* For stack.h. */
bool rl_hook_is_there(void);
enum rl_wanted rl_hook_wanted(void);
void rl_hook_serve_others(void);
/* Runs it now. */
enum rl_wanted rl_hook_look(void);

/* For rl_polls_wait(). Comes back, too, when the hook has run. */
RL_MUST_USE enum rl_wanted rl_hook_wait(struct rl_polls *polls);

#endif
