/*
 * A real server, whose state is open to the test: what the keys of the lock "lock@job" hold, and
 * how long they live.
 *
 * Nothing here waits for time to pass, and times to live are long enough for a test on a slow
 * machine to find most of them left.
 */
#ifndef SERVER_RIG_H
#define SERVER_RIG_H

#include "testing.h"
#include "throwaway.h"

#include <hiredis/hiredis.h>

#include "lock/keys.h"

/* What the tests ask for, in ms, unless they say otherwise. */
#define LEASE 60000

/* How much of a time to live a test may use up. */
#define PATIENCE_MS 9000

struct rig {
	struct throwaway server;
	redisContext *redis; /* the test's own connection */
	struct rl_keys keys; /* of the lock in hand */
};
extern struct rig rig;

/* Set-up and tear-down of a group. */
int rig_start(void **state);
int rig_stop(void **state);
/* Set-up of a test: an empty server without limits. */
int rig_reset(void **state);

/*
 * One more connection, to be freed by the test, as a user with these rights beside all keys and
 * channels.
 */
redisContext *rig_connect_as(const char *name, const char *rights);

/* ---------------------------------------------------------------- commands and keys */

/* A key as two arguments for hiredis' %b. */
#define KEY(which) rig.keys.of[which].data, rig.keys.of[which].length

redisReply *command(redisContext *redis, const char *format, ...);
/* Runs a command, which must not fail, and forgets its answer. */
void run(const char *format, ...);
/* Runs a command that answers with an integer. */
long long number(const char *format, ...);

bool rig_exists(enum rl_key key);
/* The key is a string, this one. */
void assert_holds(enum rl_key key, const char *value);
/* It lives `ms` longer, less what the test may have used up. */
void assert_lives(enum rl_key key, long long ms);
/* The number in the fence key, which must be there. */
int64_t stored_fence(void);

/* ---------------------------------------------------------------- waiters */

int parked_clients(void);
/* Until so many clients are parked. */
void await_parked(int clients);

/* A client that has raised the flag and is parked behind all others. */
redisContext *park(void);

struct word {
	char text[80];
};
/* What its BLPOP brought. */
struct word read_word(redisContext *waiter);
/* Gives a baton to the next waiter. */
void pass_on(struct word baton);

#endif
