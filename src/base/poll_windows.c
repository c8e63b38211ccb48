/*
 * WSAPoll(), from Windows 10 2004 on: before that it did not tell of a connect that failed, which
 * then shows only at the deadline. No wait is cut short by a signal, since there are none.
 */
#include "poll.h"
#include "socket.h" /* before windows.h */

#include <windows.h>
#include <limits.h>

/* Whole milliseconds, rounded up so that a wait does not end early. */
static DWORD milliseconds(rl_time left)
{
	if (left > (rl_time)INT_MAX * RL_MILLISECOND - RL_MILLISECOND) {
		return INT_MAX;
	}
	return (DWORD)((left + RL_MILLISECOND - 1) / RL_MILLISECOND);
}

/* WSAPoll() refuses to watch nothing. */
static int poll_for(WSAPOLLFD *fds, size_t count, rl_time left)
{
	if (count == 0) {
		Sleep(milliseconds(left));
		return 0;
	}
	return WSAPoll(fds, (ULONG)count, left == RL_FOREVER ? -1 : (INT)milliseconds(left));
}

enum rl_poll_result rl_poll(struct rl_pollfd *fds, size_t count, rl_time deadline)
{
	WSAPOLLFD polled[RL_POLL_MAX];

	for (size_t i = 0; i < count; i++) {
		polled[i].fd = (SOCKET)fds[i].fd;
		polled[i].events = (SHORT)((fds[i].want_read ? POLLIN : 0)
			| (fds[i].want_write ? POLLOUT : 0));
		fds[i].ready = false;
	}
	for (;;) {
		rl_time left = RL_FOREVER;
		int ready;

		if (deadline != RL_FOREVER) {
			rl_time now = rl_now();
			left = deadline > now ? deadline - now : 0;
		}
		ready = poll_for(polled, count, left);
		if (ready > 0) {
			for (size_t i = 0; i < count; i++) {
				fds[i].ready = polled[i].revents != 0;
			}
			return RL_POLL_READY;
		}
		/* The clock of the wait is coarser than ours, so its word is not enough. */
		if (deadline != RL_FOREVER && rl_now() >= deadline) {
			return RL_POLL_DEADLINE;
		}
		if (ready < 0) {
			Sleep(1); /* a shortage in the system: look again in a moment */
		}
	}
}

enum rl_poll_result rl_poll_unless(struct rl_pollfd *fds, size_t count, rl_time deadline,
	bool (*is_due)(void *context), void *context)
{
	return is_due(context) ? RL_POLL_SIGNAL : rl_poll(fds, count, deadline);
}
