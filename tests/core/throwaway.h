/*
 * A real redis-server for tests: on a unix socket (and, if wanted, a loopback port) in a
 * folder of its own. The environment variable RLOCK_REDIS_SERVER names another program.
 *
 * A keeper process stands between: it starts the server and listens on a line to us. When that
 * ends, because throwaway_stop() was called or because this program died however it may, it
 * kills the server by its pid and removes the folder.
 */
#ifndef THROWAWAY_H
#define THROWAWAY_H

#include <stdbool.h>
#include <sys/types.h>

struct throwaway {
	pid_t pid;         /* redis-server's; to be stopped or killed as a test likes */
	char folder[64];   /* its working directory; redis.log is there */
	char socket[96];   /* the unix socket's path */
	char address[112]; /* unix://PATH */
	int port;          /* on 127.0.0.1; 0: none */
	pid_t keeper;
	int line;
};

/*
 * Starts one and waits until it answers. `arguments` are added to its command line
 * ("--requirepass", "x", NULL); NULL: none. False, with the reason on stderr.
 */
bool throwaway_start(struct throwaway *server, bool with_port, const char *const *arguments);

/* Frozen when this returns: it answers nothing until SIGCONT. */
void throwaway_freeze(const struct throwaway *server);

/* May be called twice, and on one that is all zero. */
void throwaway_stop(struct throwaway *server);

/* redis-server's of all that run, up to a 0. */
const pid_t *throwaway_pids(void);

/* A port of 127.0.0.1 that was free a moment ago; 0: none. */
int throwaway_free_port(void);

#endif
