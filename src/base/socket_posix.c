/*
 * Sockets as POSIX has them.
 *
 * A mutex guards the list of the one thread's descriptors. Every fork() takes it, so that the
 * child, where that thread does not run, finds the list whole.
 */
#include "socket.h"
#include "descriptor.h"
#include "waitset.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
# include <resolv.h>
#endif

/* --- sockets of a thread that a child does not have --- */

#define LISTED_AT_FIRST 16

static struct {
	pthread_mutex_t mutex;
	_Atomic(uintptr_t) thread; /* 0: none */
	struct rl_descriptor *sockets;
	size_t count, size;
} listed = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static bool lists_mine(void)
{
	return atomic_load_explicit(&listed.thread, memory_order_relaxed) == (uintptr_t)pthread_self();
}

/* Room for one more. False: out of memory. */
static bool reserve_listed(void)
{
	size_t size = listed.size ? 2 * listed.size : LISTED_AT_FIRST;
	struct rl_descriptor *larger;

	if (listed.count < listed.size) {
		return true;
	}
	larger = realloc(listed.sockets, size * sizeof *larger);
	if (!larger) {
		return false;
	}
	listed.sockets = larger;
	listed.size = size;
	return true;
}

static void before_fork(void)
{
	pthread_mutex_lock(&listed.mutex);
}

static void in_parent(void)
{
	pthread_mutex_unlock(&listed.mutex);
}

static void close_if_ours(const struct rl_descriptor *socket)
{
	if (rl_descriptor_is_ours(socket)) {
		close(socket->fd);
	}
}

static void in_child(void)
{
	while (listed.count > 0) {
		close_if_ours(&listed.sockets[--listed.count]);
	}
	atomic_store(&listed.thread, 0);
	pthread_mutex_unlock(&listed.mutex);
}

bool rl_socket_start(void)
{
	static bool started;

	return rl_system_at_fork(&started, before_fork, in_parent, in_child);
}

/* --- one socket --- */

/* macOS has no such flag for one send(), but an option of the socket. */
#ifndef MSG_NOSIGNAL
# define MSG_NOSIGNAL 0
#endif

static int open_socket(int family, int *fd)
{
#ifdef SOCK_CLOEXEC
	*fd = rl_descriptor_keep(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	return *fd < 0 ? errno : 0;
#else
# ifdef SO_NOSIGPIPE
	int on = 1;
# endif

	*fd = rl_descriptor_keep(socket(family, SOCK_STREAM, 0));
	if (*fd < 0) {
		return errno;
	}
	if (fcntl(*fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(*fd, F_SETFL, O_NONBLOCK) < 0
# ifdef SO_NOSIGPIPE
		|| setsockopt(*fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on)) < 0
# endif
	) {
		int failure = errno;

		close(*fd);
		return failure;
	}
	return 0;
#endif
}

int rl_socket_open(int family, int *fd)
{
	int failure;

	if (!lists_mine()) {
		return open_socket(family, fd);
	}
	pthread_mutex_lock(&listed.mutex);
	failure = reserve_listed() ? open_socket(family, fd) : ENOMEM;
	if (failure == 0) {
		listed.sockets[listed.count++] = rl_descriptor_note(*fd);
	}
	pthread_mutex_unlock(&listed.mutex);
	return failure;
}

int rl_socket_connect(int fd, const struct sockaddr *peer, socklen_t size)
{
	if (connect(fd, peer, size) == 0) {
		return 0;
	}
	return errno == EINTR ? RL_SOCKET_IN_PROGRESS : errno;
}

int rl_socket_outcome(int fd)
{
	struct sockaddr_storage peer;
	socklen_t size = sizeof peer;
	int failure = 0;

	if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0) {
		return 0;
	}
	size = sizeof failure;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) < 0) {
		return errno;
	}
	return failure ? failure : RL_SOCKET_IN_PROGRESS;
}

/* EWOULDBLOCK is the same number wherever this is compiled for. */
int rl_socket_send(int fd, const char *bytes, size_t length, size_t *sent)
{
	ssize_t done;

	do {
		done = send(fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (done < 0 && errno == EINTR);
	if (done < 0) {
		return errno;
	}
	*sent = (size_t)done;
	return 0;
}

int rl_socket_receive(int fd, char *buffer, size_t size, size_t *received)
{
	ssize_t done;

	do {
		done = recv(fd, buffer, size, MSG_DONTWAIT);
	} while (done < 0 && errno == EINTR);
	if (done < 0) {
		return errno;
	}
	*received = (size_t)done;
	return 0;
}

static void close_mine(int fd)
{
	pthread_mutex_lock(&listed.mutex);
	for (size_t i = 0; i < listed.count; i++) {
		if (listed.sockets[i].fd == fd) {
			close_if_ours(&listed.sockets[i]);
			listed.sockets[i] = listed.sockets[--listed.count];
			break;
		}
	}
	pthread_mutex_unlock(&listed.mutex);
}

bool rl_socket_be_patient(int fd)
{
	struct timeval patience = { .tv_usec = RL_SOCKET_PATIENCE / 1000 };
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0
		&& fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0;
}

int rl_socket_receive_patiently(int fd, char *buffer, size_t size, size_t *received)
{
	ssize_t done = recv(fd, buffer, size, 0);

	if (done < 0) {
		return errno == EINTR || errno == EWOULDBLOCK ? RL_SOCKET_NOT_NOW : errno;
	}
	*received = (size_t)done;
	return 0;
}

void rl_socket_close(int fd)
{
	rl_waitset_forget(fd);
	if (lists_mine()) {
		close_mine(fd);
	} else {
		close(fd);
	}
}

void rl_socket_list_own(bool on)
{
	atomic_store(&listed.thread, on ? (uintptr_t)pthread_self() : 0);
	if (!on) {
		pthread_mutex_lock(&listed.mutex);
		free(listed.sockets);
		listed.sockets = NULL;
		listed.count = listed.size = 0;
		pthread_mutex_unlock(&listed.mutex);
	}
}

bool rl_socket_list_is_whole(void)
{
	bool ours = true;

	pthread_mutex_lock(&listed.mutex);
	for (size_t i = 0; i < listed.count && ours; i++) {
		ours = rl_descriptor_is_ours(&listed.sockets[i]);
	}
	pthread_mutex_unlock(&listed.mutex);
	return ours;
}

void rl_socket_forget_listed(void)
{
	pthread_mutex_lock(&listed.mutex);
	listed.count = 0;
	pthread_mutex_unlock(&listed.mutex);
}

void rl_socket_cut_listed(void)
{
	pthread_mutex_lock(&listed.mutex);
	for (size_t i = 0; i < listed.count; i++) {
		if (rl_descriptor_is_ours(&listed.sockets[i])) {
			shutdown(listed.sockets[i].fd, SHUT_RDWR);
		}
	}
	pthread_mutex_unlock(&listed.mutex);
}

void rl_socket_forget_resolver(void)
{
#ifdef __GLIBC__
	res_init();
#endif
}

const char *rl_socket_text(int failure, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s", strerror(failure));
	return buffer;
}
