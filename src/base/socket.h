/*
 * Stream sockets, as far as POSIX and Winsock differ in them. Addresses, getaddrinfo(),
 * setsockopt() and shutdown() are the same on both; callers use them directly, and this header
 * declares them.
 *
 * A failure is the system's own number, errno or Winsock's; 0 means success. A socket is an int on
 * Windows, too: handles fit into 32 bits even on its 64-bit editions.
 *
 * Writing to a peer that is gone fails. It raises no SIGPIPE, which would end a program that does
 * not ignore it.
 */
#ifndef RL_SOCKET_H
#define RL_SOCKET_H

#include "system.h"

#ifdef _WIN32
# define WIN32_LEAN_AND_MEAN
# include <winsock2.h>
# include <ws2tcpip.h>
# include <afunix.h>
# define RL_SOCKET_IN_PROGRESS WSAEWOULDBLOCK
# define RL_SOCKET_BUSY        WSAENOBUFS
# define RL_SOCKET_NOT_NOW     WSAEWOULDBLOCK
# define RL_SOCKET_TIMED_OUT   WSAETIMEDOUT
# define RL_SOCKET_TOO_LONG    WSAENAMETOOLONG
# define RL_SOCKET_SENDING     SD_SEND
#else
# include <arpa/inet.h>
# include <errno.h>
# include <netdb.h>
# include <netinet/in.h>
# include <netinet/tcp.h>
# include <sys/socket.h>
# include <sys/un.h>
# define RL_SOCKET_IN_PROGRESS EINPROGRESS
# define RL_SOCKET_BUSY        EAGAIN
# define RL_SOCKET_NOT_NOW     EAGAIN
# define RL_SOCKET_TIMED_OUT   ETIMEDOUT
# define RL_SOCKET_TOO_LONG    ENAMETOOLONG
# define RL_SOCKET_SENDING     SHUT_WR
#endif

/*
 * Once per process, after rl_system_start() and before any socket is opened. False: the system
 * refused.
 */
bool rl_socket_start(void);

/* The socket is non-blocking, and programs that this one starts do not inherit it. */
int rl_socket_open(int family, int *fd);
/*
 * RL_SOCKET_IN_PROGRESS: once the socket is writable, rl_socket_outcome() tells the result.
 * RL_SOCKET_BUSY: the peer's queue is full, and nothing will tell when there is room again.
 */
int rl_socket_connect(int fd, const struct sockaddr *peer, socklen_t size);
/* What a connect that was under way has come to; RL_SOCKET_IN_PROGRESS: nothing yet. */
int rl_socket_outcome(int fd);
/*
 * RL_SOCKET_NOT_NOW: try again once it is writable. 0: the system has taken `*sent` of the bytes,
 * at least one.
 */
int rl_socket_send(int fd, const char *bytes, size_t length, size_t *sent);
/*
 * RL_SOCKET_NOT_NOW: try again once it is readable. 0: `*received` bytes came; none if the peer has
 * closed.
 */
int rl_socket_receive(int fd, char *buffer, size_t size, size_t *received);
/*
 * From now on rl_socket_receive_patiently() waits, for RL_SOCKET_PATIENCE at most or until a signal
 * comes: one system call, where polling first takes two. The other functions still do not wait.
 * False: the system has no such wait.
 */
#define RL_SOCKET_PATIENCE (20 * RL_MILLISECOND)
bool rl_socket_be_patient(int fd);
int rl_socket_receive_patiently(int fd, char *buffer, size_t size, size_t *received);
void rl_socket_close(int fd);
/*
 * For the one thread that does not exist in a child after fork(). While this is on, sockets that
 * the calling thread opens are listed, and a child closes those still open.
 */
void rl_socket_list_own(bool on);
/* False: the program has closed some, or others have their numbers, and those are not touched. */
bool rl_socket_list_is_whole(void);
/* From now on none of them is closed: others may be getting their numbers at this moment. */
void rl_socket_forget_listed(void);
/*
 * Shuts the listed sockets down, from another thread, so that whatever that thread does on them
 * ends.
 */
void rl_socket_cut_listed(void);
/*
 * The next getaddrinfo() of this thread finds names by the environment of that moment, and not by
 * that of an earlier one. A new thread's does in any case.
 */
void rl_socket_forget_resolver(void);
/* What a failure means, for a message. Returns `buffer`. */
const char *rl_socket_text(int failure, char *buffer, size_t size);

#endif
