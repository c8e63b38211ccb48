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
#include <time.h>

#if defined(__linux__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
# define HAVE_PPOLL 1
#else
# define HAVE_PPOLL 0
#endif

/* One poll(2), rounded up to what the system can tell apart, so that it does not end early. */
static int poll_for(struct pollfd *fds, nfds_t count, rl_time left)
{
#if HAVE_PPOLL
	struct timespec ts;

	if (left == RL_FOREVER) {
		return ppoll(fds, count, NULL, NULL);
	}
	ts.tv_sec = (time_t)(left / RL_SECOND);
	ts.tv_nsec = (long)(left % RL_SECOND);
	return ppoll(fds, count, &ts, NULL);
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

enum rl_poll_result rl_poll(struct rl_pollfd *fds, size_t count, rl_time deadline)
{
	static const struct timespec moment = { 0, RL_MILLISECOND };
	struct pollfd polled[RL_POLL_MAX];
	size_t i;

	for (i = 0; i < count; i++) {
		polled[i].fd = fds[i].fd;
		polled[i].events = (short)((fds[i].want_read ? POLLIN : 0) | (fds[i].want_write ? POLLOUT : 0));
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
		ready = poll_for(polled, (nfds_t)count, left);
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
