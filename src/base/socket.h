/*
 * Stream sockets, as far as POSIX and Winsock differ in them. Addresses, getaddrinfo() and
 * setsockopt() are alike and used as they are, as is shutdown(); this header brings their declarations.
 *
 * A failure is the system's own number, errno or Winsock's, and 0 is none. A socket is an int
 * on Windows too: the handles of its 64-bit editions keep to 32 bits.
 *
 * Who writes to a peer that is gone is told by a failure, and not by a SIGPIPE, which would end
 * a program that does not ignore it.
 */
#ifndef RL_SOCKET_H
#define RL_SOCKET_H

#include "system.h"

#ifdef _WIN32
# define WIN32_LEAN_AND_MEAN
# include <winsock2.h>
# include <ws2tcpip.h>
# include <afunix.h>
# define RL_SOCKET_PENDING   WSAEWOULDBLOCK
# define RL_SOCKET_BUSY      WSAENOBUFS
# define RL_SOCKET_NOT_NOW   WSAEWOULDBLOCK
# define RL_SOCKET_TIMED_OUT WSAETIMEDOUT
# define RL_SOCKET_SENDING   SD_SEND
#else
# include <arpa/inet.h>
# include <errno.h>
# include <netdb.h>
# include <netinet/in.h>
# include <netinet/tcp.h>
# include <sys/socket.h>
# include <sys/un.h>
# define RL_SOCKET_PENDING   EINPROGRESS
# define RL_SOCKET_BUSY      EAGAIN
# define RL_SOCKET_NOT_NOW   EAGAIN
# define RL_SOCKET_TIMED_OUT ETIMEDOUT
# define RL_SOCKET_SENDING   SHUT_WR
#endif

/* Once per process, after rl_system_start() and before any socket is opened. False: the system refused. */
bool rl_socket_start(void);

/* Non-blocking, and not inherited by a program that this one starts. */
int rl_socket_open(int family, int *fd);
/*
 * RL_SOCKET_PENDING: once it is writable, rl_socket_outcome() tells what came of it.
 * RL_SOCKET_BUSY: the peer's queue is full, and nothing will tell when it no longer is.
 */
int rl_socket_connect(int fd, const struct sockaddr *peer, socklen_t size);
/* Of a connect that was pending. */
int rl_socket_outcome(int fd);
/* RL_SOCKET_NOT_NOW: once it is writable. Else 0 and how many of the bytes the system has taken, at least one. */
int rl_socket_send(int fd, const char *bytes, size_t length, size_t *sent);
/* RL_SOCKET_NOT_NOW: once it is readable. Else 0 and how many bytes came; none if the peer has ended. */
int rl_socket_receive(int fd, char *buffer, size_t size, size_t *received);
/*
 * From now on rl_socket_receive_patiently() waits for so long at most, or until a signal comes: one
 * system call where polling first takes two. All else stays as it is. False: it goes on not to wait.
 */
#define RL_SOCKET_PATIENCE (20 * RL_MILLISECOND)
bool rl_socket_be_patient(int fd);
int rl_socket_receive_patiently(int fd, char *buffer, size_t size, size_t *received);
void rl_socket_close(int fd);
/*
 * For one thread that a child after fork() does not have: what it opens and has not closed is
 * closed in the child at once, without a word.
 */
void rl_socket_list_own(bool on);
/* Ends what that thread does on them, from another. */
void rl_socket_cut_listed(void);
/* What a failure means, for a message. Returns `buffer`. */
const char *rl_socket_text(int failure, char *buffer, size_t size);

#endif
