/*
 * The system as Windows has it, from Windows 10 2004 on: before that WSAPoll() did not tell of a
 * connect that failed, which then shows only at the deadline.
 *
 * No fork(), so all that lives is of one generation; no signals, so no wait is cut short by one.
 */
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00 /* QueryInterruptTimePrecise */

#include "system.h"
#include "socket.h" /* before windows.h */

#include <windows.h>
#include <bcrypt.h>
#include <limits.h>
#include <realtimeapiset.h>
#include <stdio.h>

/* --- the clock --- */

/* Since the start, in steps of 100 ns, suspend included. */
rl_time rl_now(void)
{
	ULONGLONG steps;

	QueryInterruptTimePrecise(&steps);
	return (rl_time)steps * 100;
}

/* --- poll --- */

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
		polled[i].events = (SHORT)((fds[i].want_read ? POLLIN : 0) | (fds[i].want_write ? POLLOUT : 0));
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

/* --- processes --- */

uint64_t rl_system_generation(void)
{
	return 0;
}

bool rl_system_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
	(void)before;
	(void)in_parent;
	(void)in_child;
	return true;
}

bool rl_system_start(void)
{
	return true;
}

long rl_system_pid(void)
{
	return (long)GetCurrentProcessId();
}

void rl_system_hostname(char *buffer, size_t size)
{
	char name[256];

	if (gethostname(name, sizeof name) != 0) {
		name[0] = '\0';
	}
	snprintf(buffer, size, "%s", name[0] ? name : "unknown");
}

/* --- randomness --- */

/* Made in the process itself from a seed of the system's, so there is no call to save. */
bool rl_system_random(void *buffer, size_t size)
{
	return size <= ULONG_MAX
		&& BCRYPT_SUCCESS(BCryptGenRandom(NULL, buffer, (ULONG)size, BCRYPT_USE_SYSTEM_PREFERRED_RNG));
}
