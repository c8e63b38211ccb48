/*
 * The system as Windows has it, from Windows 10 2004 on: before that WSAPoll() did not tell of a
 * connect that failed, which then shows only at the deadline.
 *
 * No fork(), so all that lives is of one generation; no signals, so no wait is cut short by one.
 */
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00 /* QueryInterruptTimePrecise */

#include "system.h"
#include "socket.h"

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

uint64_t rl_generation(void)
{
	return 0;
}

bool rl_system_start(void)
{
	static bool started;
	WSADATA data;

	if (!started) {
		started = WSAStartup(MAKEWORD(2, 2), &data) == 0; /* until the process ends */
	}
	return started;
}

long rl_pid(void)
{
	return (long)GetCurrentProcessId();
}

void rl_hostname(char *buffer, size_t size)
{
	char name[256];

	if (gethostname(name, sizeof name) != 0) {
		name[0] = '\0';
	}
	snprintf(buffer, size, "%s", name[0] ? name : "unknown");
}

/* --- randomness --- */

/* Made in the process itself from a seed of the system's, so there is no call to save. */
bool rl_random(void *buffer, size_t size)
{
	return size <= ULONG_MAX
		&& BCRYPT_SUCCESS(BCryptGenRandom(NULL, buffer, (ULONG)size, BCRYPT_USE_SYSTEM_PREFERRED_RNG));
}

/* --- sockets --- */

int rl_socket_open(int family, int *fd)
{
	u_long on = 1;
	SOCKET opened = WSASocketW(family, SOCK_STREAM, 0, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);

	if (opened == INVALID_SOCKET) {
		return WSAGetLastError();
	}
	if (ioctlsocket(opened, FIONBIO, &on) != 0) {
		int failure = WSAGetLastError();

		closesocket(opened);
		return failure;
	}
	*fd = (int)opened;
	return 0;
}

int rl_socket_connect(int fd, const struct sockaddr *peer, socklen_t size)
{
	return connect((SOCKET)fd, peer, size) == 0 ? 0 : WSAGetLastError();
}

int rl_socket_outcome(int fd)
{
	int failure = 0;
	socklen_t size = sizeof failure;

	return getsockopt((SOCKET)fd, SOL_SOCKET, SO_ERROR, (char *)&failure, &size) == 0 ? failure : WSAGetLastError();
}

static int at_most_int(size_t size)
{
	return size < INT_MAX ? (int)size : INT_MAX;
}

int rl_socket_send(int fd, const char *bytes, size_t length, size_t *sent)
{
	int done = send((SOCKET)fd, bytes, at_most_int(length), 0);

	if (done == SOCKET_ERROR) {
		return WSAGetLastError();
	}
	*sent = (size_t)done;
	return 0;
}

int rl_socket_receive(int fd, char *buffer, size_t size, size_t *received)
{
	int done = recv((SOCKET)fd, buffer, at_most_int(size), 0);

	if (done == SOCKET_ERROR) {
		return WSAGetLastError();
	}
	*received = (size_t)done;
	return 0;
}

/* A socket's mode is one for both directions here, and writing must never wait. */
bool rl_socket_be_patient(int fd)
{
	(void)fd;
	return false;
}

int rl_socket_receive_patiently(int fd, char *buffer, size_t size, size_t *received)
{
	return rl_socket_receive(fd, buffer, size, received);
}

void rl_socket_close(int fd)
{
	closesocket((SOCKET)fd);
}

/* There is no fork(); what is not cut ends by its deadline. */
void rl_socket_list_mine(bool on)
{
	(void)on;
}

void rl_socket_cut_listed(void)
{
}

const char *rl_socket_text(int failure, char *buffer, size_t size)
{
	DWORD length = FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, (DWORD)failure,
		0, buffer, (DWORD)size, NULL);

	/* A sentence, with its end of line. */
	while (length > 0 && (buffer[length - 1] == '\n' || buffer[length - 1] == '\r' || buffer[length - 1] == '.')) {
		buffer[--length] = '\0';
	}
	if (length == 0) {
		snprintf(buffer, size, "error %d of Winsock", failure);
	}
	return buffer;
}
