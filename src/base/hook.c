#include "hook.h"
#include "thread.h"

/* between two runs of the hook, or two looks whether it is due */
#define TICK (100 * RL_MILLISECOND)
/* For leaving queues, and for taking back, once nobody wants the result. */
#define PARTING (100 * RL_MILLISECOND)

static RL_THREAD_LOCAL struct rl_hooked own;

/* Each function that is called looks for the thread's own once, which takes a while. */

void rl_hook_begin(const struct rl_wait_hook *hook)
{
	own = (struct rl_hooked){ .hook = hook->run ? hook : NULL,
		.generation = rl_system_generation() };
}

bool rl_hook_end(void)
{
	struct rl_hooked *call = &own;

	call->hook = NULL;
	return call->wanted != RL_WANTED;
}

struct rl_hooked rl_hook_put_aside(void)
{
	struct rl_hooked call = own;

	own = (struct rl_hooked){ .hook = NULL };
	return call;
}

void rl_hook_put_back(const struct rl_hooked *call)
{
	own = *call;
}

bool rl_hook_is_there(void)
{
	return own.hook != NULL;
}

static enum rl_wanted wanted_of(const struct rl_hooked *call)
{
	if (!call->hook) {
		return RL_WANTED;
	}
	if (call->generation != rl_system_generation()) {
		return RL_DROPPED;
	}
	if (call->serves_until) {
		return rl_now() < call->serves_until ? RL_WANTED : RL_DROPPED;
	}
	return call->wanted;
}

enum rl_wanted rl_hook_wanted(void)
{
	return wanted_of(&own);
}

void rl_hook_serve_others(void)
{
	struct rl_hooked *call = &own;

	if (call->hook && !call->serves_until) {
		call->serves_until = rl_now() + PARTING;
	}
}

/* --- running it --- */

static rl_time tick_of(const struct rl_wait_hook *hook)
{
	return hook->interval ? hook->interval : TICK;
}

static bool is_told_by_signals(const struct rl_wait_hook *hook)
{
	return hook->is_due && !hook->interval;
}

static bool is_due(struct rl_hooked *call, rl_time now)
{
	const struct rl_wait_hook *hook = call->hook;

	if (hook->is_due && hook->is_due(hook->context)) {
		return true;
	}
	if (is_told_by_signals(hook)) {
		return false;
	}
	if (!call->next) {
		call->next = now + tick_of(hook);
	}
	return now >= call->next;
}

/* Unless nobody wants it by now. True: it has run. */
static bool run(struct rl_hooked *call)
{
	struct rl_hooked was;

	if (call->serves_until || wanted_of(call) != RL_WANTED) {
		return false;
	}
	was = rl_hook_put_aside();
	if (!was.hook->run(was.hook->context)) {
		was.wanted = RL_UNWANTED;
	}
	was.next = 0;
	rl_hook_put_back(&was);
	return true;
}

enum rl_wanted rl_hook_look(void)
{
	struct rl_hooked *call = &own;

	if (call->hook) {
		run(call);
	}
	return wanted_of(call);
}

/* --- waiting --- */

/*
 * As a rule what is waited for is there before a tick is over. A signal that comes between the look
 * whether it is due and the poll is seen with the next tick. Whoever waits for longer waits for
 * signals, where no other thread could get them in our place, or has news for us itself.
 */
static enum rl_poll_result poll_for_a_while(
	const struct rl_hooked *call, struct rl_polls *polls, rl_time now, bool is_long)
{
	const struct rl_wait_hook *hook = call->hook;
	rl_time until = call->serves_until ? call->serves_until : now + tick_of(hook);

	return is_long && !call->serves_until && is_told_by_signals(hook) && rl_thread_is_alone()
		? rl_poll_unless(polls->fds, polls->count, polls->until, hook->is_due, hook->context)
		: rl_poll(polls->fds, polls->count, rl_time_earlier(polls->until, until));
}

static void wait_without(struct rl_polls *polls)
{
	while (rl_poll(polls->fds, polls->count, polls->until) == RL_POLL_SIGNAL) {
	}
}

enum rl_wanted rl_hook_wait(struct rl_polls *polls)
{
	struct rl_hooked *call = &own;
	bool is_over = false;

	if (!call->hook) {
		wait_without(polls);
		return RL_WANTED;
	}
	for (bool is_long = false; !is_over && wanted_of(call) == RL_WANTED; is_long = true) {
		rl_time now = rl_now();

		is_over = (is_due(call, now) && run(call))
			|| poll_for_a_while(call, polls, now, is_long) == RL_POLL_READY
			|| rl_now() >= polls->until;
	}
	return wanted_of(call);
}
