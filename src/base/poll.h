/*
 * Waiting until a descriptor is ready, or for a moment.
 */
#ifndef RL_POLL_H
#define RL_POLL_H

#include "system.h"

struct rl_pollfd {
	int fd;
	bool want_read, want_write; /* in */
	bool ready;                 /* out: readable, writable, closed or broken: try and see */
};

enum rl_poll_result {
	RL_POLL_READY,
	RL_POLL_DEADLINE,
	RL_POLL_SIGNAL
};

/* The most descriptors that one rl_poll() watches. */
#define RL_POLL_MAX 64

/*
 * Waits until a descriptor is ready, `deadline` has come, or a signal was delivered. It always
 * looks at least once, and readiness wins over a deadline that has passed: with a deadline
 * of 0 it looks and does not wait, and a loop that reads for as long as something is ready
 * must compare rl_now() with its deadline itself. Time in suspend does not count
 * towards the wait, so each wait is best kept short.
 */
enum rl_poll_result rl_poll(struct rl_pollfd *fds, size_t count, rl_time deadline);
/*
 * The same, but it does not begin to wait if `is_due` says that what a signal brings is there
 * already; that counts as a signal, too. is_due() runs with all signals blocked. Where the system
 * has ppoll(2), a signal that this thread gets later ends the wait, so that none is missed in
 * between.
 */
enum rl_poll_result rl_poll_unless(struct rl_pollfd *fds, size_t count, rl_time deadline,
	bool (*is_due)(void *context), void *context);

/*
 * What a machine that is stepped from outside waits for: one of these descriptors, or a moment. A
 * step that is not the last one adds it, and the next is taken afterwards; so several can be waited
 * for together. NULL where a step adds to it: nobody asks.
 */
struct rl_polls {
	struct rl_pollfd fds[RL_POLL_MAX];
	size_t count;
	rl_time until;
	/*
	 * Receives from the only one of them, and waits for that, but not for long
	 * (RL_SOCKET_PATIENCE): saves a system call where an answer is near. NULL: it cannot.
	 */
	void (*receive)(void *receiver);
	void *receiver;
};

/* Empties it. */
static inline void rl_polls_begin(struct rl_polls *polls)
{
	polls->count = 0;
	polls->until = RL_FOREVER;
	polls->receive = NULL;
}
void rl_polls_add(struct rl_polls *polls, int fd, bool to_read, bool to_write);
static inline void rl_polls_until(struct rl_polls *polls, rl_time moment)
{
	if (polls) {
		polls->until = rl_time_earlier(polls->until, moment);
	}
}
static inline size_t rl_polls_count(const struct rl_polls *polls)
{
	return polls ? polls->count : 0;
}
/* Takes back what was added since there were so many. */
static inline void rl_polls_back_to(struct rl_polls *polls, size_t count)
{
	if (polls) {
		polls->count = count;
		polls->receive = NULL;
	}
}
/* Whether somebody still wants what is waited for: stack.h says what each answer means. */
enum rl_wanted {
	RL_WANTED,
	RL_UNWANTED,
	RL_DROPPED
};
/*
 * Waits for what was added; it may come back before, with nothing ready, when other code has run
 * meanwhile (hook.h, stack.h).
 */
RL_MUST_USE enum rl_wanted rl_polls_wait(struct rl_polls *polls);
/* For that moment alone. */
RL_MUST_USE enum rl_wanted rl_polls_pause(rl_time until);

#endif
