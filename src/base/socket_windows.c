/*
 * Sockets as Winsock has them.
 */
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00

#include "socket.h"

#include <windows.h>
#include <limits.h>
#include <stdio.h>

bool rl_socket_start(void)
{
	static bool started;
	WSADATA data;

	if (!started) {
		started = WSAStartup(MAKEWORD(2, 2), &data) == 0; /* until the process ends */
	}
	return started;
}

int rl_socket_open(int family, int *fd)
{
	u_long on = 1;
	SOCKET opened = WSASocketW(
		family, SOCK_STREAM, 0, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);

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
	struct sockaddr_storage peer;
	socklen_t size = sizeof peer;
	int failure = 0;

	if (getpeername((SOCKET)fd, (struct sockaddr *)&peer, &size) == 0) {
		return 0;
	}
	size = sizeof failure;
	if (getsockopt((SOCKET)fd, SOL_SOCKET, SO_ERROR, (char *)&failure, &size) != 0) {
		return WSAGetLastError();
	}
	return failure ? failure : RL_SOCKET_IN_PROGRESS;
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

bool rl_socket_list_is_whole(void)
{
	return true;
}

void rl_socket_forget_listed(void)
{
}

/* There is no fork(); what is not cut ends by its deadline. */
void rl_socket_list_own(bool on)
{
}

void rl_socket_cut_listed(void)
{
}

void rl_socket_forget_resolver(void)
{
}

const char *rl_socket_text(int failure, char *buffer, size_t size)
{
	DWORD length = FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL,
		(DWORD)failure, 0, buffer, (DWORD)size, NULL);

	/* A sentence, with its end of line. */
	while (length > 0
		&& (buffer[length - 1] == '\n' || buffer[length - 1] == '\r'
			|| buffer[length - 1] == '.')) {
		buffer[--length] = '\0';
	}
	if (length == 0) {
		snprintf(buffer, size, "error %d of Winsock", failure);
	}
	return buffer;
}
