/*
 * Stream sockets, as far as POSIX and Winsock differ in them. Addresses, getaddrinfo() and
 * setsockopt() are alike and used as they are, as is shutdown(); this header brings their declarations.
 *
 * A failure is the system's own number, errno or Winsock's, and 0 is none. A socket is an int
 * on Windows too: the handles of its 64-bit editions keep to 32 bits.
 */
#ifndef RL_SOCKET_H
#define RL_SOCKET_H

#include "platform.h"

#ifdef _WIN32
# define WIN32_LEAN_AND_MEAN
# include <winsock2.h>
# include <ws2tcpip.h>
# include <afunix.h>
# define RL_SOCKET_PENDING   WSAEWOULDBLOCK
# define RL_SOCKET_BUSY      WSAENOBUFS
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
# define RL_SOCKET_TIMED_OUT ETIMEDOUT
# define RL_SOCKET_SENDING   SHUT_WR
#endif

/* Non-blocking, and not inherited by a program that this one starts. */
int rl_socket_open(int family, int *fd);
/*
 * RL_SOCKET_PENDING: once it is writable, rl_socket_outcome() tells what came of it.
 * RL_SOCKET_BUSY: the peer's queue is full, and nothing will tell when it no longer is.
 */
int rl_socket_connect(int fd, const struct sockaddr *peer, socklen_t size);
/* Of a connect that was pending. */
int rl_socket_outcome(int fd);
void rl_socket_close(int fd);
/* What a failure means, for a message. Returns `buffer`. */
const char *rl_socket_text(int failure, char *buffer, size_t size);

#endif
