/*
 * A proxy between an owner and a real server that misbehaves on purpose: it knows where a
 * command ends and which answer is whose, so that "the script was run and its answer never
 * came" can be had exactly, and only for the script that a test is about.
 *
 * One thread serves any number of connections. It stops when the test says so.
 */
#ifndef PROXY_H
#define PROXY_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stddef.h>

#include "redis/script.h"

enum proxy_fault {
	PROXY_CUT_BEFORE, /* the connection ends, and the server never saw the command */
	PROXY_CUT_AFTER,  /* the server has run the command; then the connection ends */
	/* the server has run it; this and all later answers wait for proxy_let_go() */
	PROXY_HOLD,
	PROXY_LATE, /* the connection ends, and the server gets the command at proxy_deliver() */
	/* the command and all later ones wait for proxy_let_go(), also if the client is gone by then */
	PROXY_STALL,
	PROXY_ANSWER /* the server never sees it, and something else is answered */
};

struct proxy_rule {
	const struct rl_script *script; /* EVALSHA or EVAL of this; or NULL and */
	const char *word;               /* the name of a command */
	unsigned skip, times;           /* so many pass first; so many are treated then */
	enum proxy_fault fault;
	const char *answer; /* PROXY_ANSWER: as sent */
	/*
	 * The last of these cuts comes with nonsense, which is not tried again: so the call fails, and
	 * need not be cut until its deadline.
	 */
	bool fails;
};

#define PROXY_RULES 4
#define PROXY_PAIRS 16

struct proxy_pair;
struct proxy_late;

struct proxy {
	char address[112];       /* unix://PATH */
	atomic_uint connections; /* so far */
	atomic_uint struck;      /* rules applied so far */
	/* what follows is its own */
	char socket[96]; /* the server's */
	int listener, wake[2];
	pthread_t thread;
	/* A thread that is only starting may have a lock of the sanitizer, which a fork would keep. */
	sem_t begun;
	pthread_mutex_t mutex;
	struct proxy_rule rules[PROXY_RULES];
	size_t rule_count;
	bool running, stopping;
	struct proxy_late *lates; /* the first one first */
	struct proxy_pair *pairs[PROXY_PAIRS];
};

/* `folder`: where its own socket is; best a throwaway server's. */
bool proxy_start(struct proxy *proxy, const char *folder, const char *server_socket);
/* May be called twice, and on one that is all zero. */
void proxy_stop(struct proxy *proxy);

/* From now on, beside the rules there are; each ends after its `times`. */
void proxy_add(struct proxy *proxy, struct proxy_rule rule);
/* No rule any more; what is held or stalled goes on. */
void proxy_let_go(struct proxy *proxy);
/*
 * Gives the server what came under PROXY_LATE, in order, and waits until it has answered. How many
 * there were.
 */
unsigned proxy_deliver(struct proxy *proxy);
/* Ends all connections there are. */
void proxy_cut(struct proxy *proxy);

#endif
