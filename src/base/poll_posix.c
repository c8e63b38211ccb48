/*
 * poll(2), or ppoll(2) where it exists, which tells more than milliseconds apart.
 */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* ppoll */
#endif

#include "poll.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <time.h>

#if defined(__linux__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
# define HAVE_PPOLL 1
#else
# define HAVE_PPOLL 0
#endif

/*
 * One poll(2), rounded up to what the system can tell apart, so that it does not end early. `mask`:
 * of the signals that stay blocked meanwhile; NULL: those that are. Without ppoll(2) it is always
 * NULL.
 */
static int poll_for(struct pollfd *fds, nfds_t count, rl_time left, const sigset_t *mask)
{
#if HAVE_PPOLL
	struct timespec ts;

	if (left == RL_FOREVER) {
		return ppoll(fds, count, NULL, mask);
	}
	ts.tv_sec = (time_t)(left / RL_SECOND);
	ts.tv_nsec = (long)(left % RL_SECOND);
	return ppoll(fds, count, &ts, mask);
#else
	if (left == RL_FOREVER) {
		return poll(fds, count, -1);
	}
	if (left > (rl_time)INT_MAX * RL_MILLISECOND - RL_MILLISECOND) {
		return poll(fds, count, INT_MAX);
	}
	return poll(fds, count, (int)((left + RL_MILLISECOND - 1) / RL_MILLISECOND));
#endif
}

static enum rl_poll_result poll_until(
	struct rl_pollfd *fds, size_t count, rl_time deadline, const sigset_t *mask)
{
	static const struct timespec moment = { 0, RL_MILLISECOND };
	struct pollfd polled[RL_POLL_MAX];
	size_t i;

	for (i = 0; i < count; i++) {
		polled[i].fd = fds[i].fd;
		polled[i].events = (short)((fds[i].want_read ? POLLIN : 0)
			| (fds[i].want_write ? POLLOUT : 0));
		fds[i].ready = false;
	}
	for (;;) {
		rl_time left = RL_FOREVER;
		bool signalled;
		int ready;

		if (deadline != RL_FOREVER) {
			rl_time now = rl_now();
			left = deadline > now ? deadline - now : 0;
		}
		ready = poll_for(polled, (nfds_t)count, left, mask);
		if (ready > 0) {
			for (i = 0; i < count; i++) {
				fds[i].ready = polled[i].revents != 0;
			}
			return RL_POLL_READY;
		}
		/* What is not a signal is a shortage in the kernel: look again in a moment. */
		signalled = ready < 0 && (errno == EINTR || nanosleep(&moment, NULL) < 0);
		/* poll's clock may lag behind ours, so its word is not enough. */
		if (deadline != RL_FOREVER && rl_now() >= deadline) {
			return RL_POLL_DEADLINE;
		}
		if (signalled) {
			return RL_POLL_SIGNAL;
		}
	}
}

enum rl_poll_result rl_poll(struct rl_pollfd *fds, size_t count, rl_time deadline)
{
	return poll_until(fds, count, deadline, NULL);
}

enum rl_poll_result rl_poll_unless(struct rl_pollfd *fds, size_t count, rl_time deadline,
	bool (*is_due)(void *context), void *context)
{
#if HAVE_PPOLL
	enum rl_poll_result result = RL_POLL_SIGNAL;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!is_due(context)) {
		result = poll_until(fds, count, deadline, &before);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result;
#else
	return is_due(context) ? RL_POLL_SIGNAL : rl_poll(fds, count, deadline);
#endif
}
