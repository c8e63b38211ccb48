/*
 * A server that misbehaves on purpose: a thread that listens on a unix socket and serves one
 * connection after the other as a test's function says.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define PEER_WORDS     12
#define PEER_WORD_SIZE 48

/* One connection, as its server sees it. */
struct peer {
	struct hostile *server;
	int fd;
	unsigned number;   /* of the connection; the first is 1 */
	char input[65536]; /* read, not used yet */
	size_t input_length;
	char command[32];                       /* the first word of the last one read */
	char words[PEER_WORDS][PEER_WORD_SIZE]; /* the beginnings of its first ones */
	size_t word_count;
};

typedef void peer_function(struct peer *peer, const void *context);

struct hostile {
	char address[112]; /* unix://PATH, or 127.0.0.1:PORT */
	int port;
	int listener;            /* for a test that accepts by itself */
	atomic_uint connections; /* so far */
	atomic_size_t written;   /* bytes that the kernel has taken */
	/* what follows is its own */
	peer_function *serve;
	const void *context;
	pthread_t thread;
	pthread_mutex_t mutex;
	int fd;
	bool running, stopping;
};

/*
 * Its socket is in `folder`: best a throwaway server's, which is removed whatever happens.
 * `backlog` is as in listen(2). `serve` NULL: nobody ever accepts.
 */
bool hostile_start(struct hostile *server, const char *folder, int backlog, peer_function *serve,
	const void *context);
/* The same at a free port of 127.0.0.1. */
bool hostile_start_at_port(struct hostile *server, peer_function *serve, const void *context);
/* Ends what goes on, whatever it is. May be called twice, and on one that is all zero. */
void hostile_stop(struct hostile *server);

/*
 * Each of these is false once the other side or the test has ended the connection. INFO, which
 * a new connection may ask, is answered in passing: it says nothing.
 */
bool peer_read_command(struct peer *peer);
/* Reads one if it is there whole, INFO as well, and does not wait. */
bool peer_has_command(struct peer *peer);
bool peer_write(struct peer *peer, const char *data, size_t length);
bool peer_say(struct peer *peer, const char *text);
/* Answers +OK to what a new connection says, up to its CLIENT SETNAME. */
bool peer_greet(struct peer *peer);
/* Waits until the other side has closed. */
void peer_await_end(struct peer *peer);

void hostile_sleep_ms(long ms);

#endif
