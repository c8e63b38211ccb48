/*
 * A real server with its state open to the test: what the keys hold, how long they live, who is
 * parked.
 *
 * Nothing here waits for time to pass. What must expire is made to expire (rig_expire()), and
 * times to live are long enough for a test on a slow machine to find most of them left.
 */
#ifndef SERVER_RIG_H
#define SERVER_RIG_H

#include "testing.h"
#include "throwaway.h"

#include <hiredis/hiredis.h>

#include "lock/keys.h"
#include "redis/connection.h"

/* What the tests pass, in ms, unless they say otherwise. */
#define LEASE  60000
#define FLAG   20000

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
/* Set-up of a test: an empty server without limits, and the lock "lock@job". */
int rig_reset(void **state);

/* For a server with arguments of its own; the caller calls rig_stop(). */
void rig_start_with(const char *const *arguments, bool with_port);
void rig_use_lock(const char *name, size_t length);

/* One more connection, to be freed by the test. */
redisContext *rig_connect(void);
/* The same as a user with these rights beside all keys and channels. */
redisContext *rig_connect_as(const char *name, const char *rights);

/* ---------------------------------------------------------------- values */

/* A token, or a baton's constant part: never the same twice. */
struct value {
	char text[80];
};
struct value new_token(void);
struct value new_baton(void);

/* ---------------------------------------------------------------- plain commands */

/* A key as two arguments for hiredis' %b. */
#define KEY(which) rig.keys.text[which], rig.keys.length[which]

redisReply *command(redisContext *redis, const char *format, ...);
/* Runs a command, which must not fail, and forgets its answer. */
void run(const char *format, ...);
/* Runs a command that answers with an integer. */
long long number(const char *format, ...);

bool rig_exists(enum rl_key key);
void rig_set(enum rl_key key, const char *value);
/* The key's time is over. */
void rig_expire(enum rl_key key);

/* The key is a string, this one. */
void assert_holds(enum rl_key key, const char *value);
/* It lives `ms` longer, less what the test may have used up. */
void assert_lives(enum rl_key key, long long ms);
/* The number in the fence key, which must be there; more may stand behind it. */
int64_t stored_fence(void);
void assert_fence(int64_t fence);

int parked_clients(void);
/* Until so many clients are parked. */
void await_parked(int clients);

/* ---------------------------------------------------------------- waiters */

/* A client whose flag is raised, parked in a BLPOP behind all others. */
redisContext *park(void);
void park_on(redisContext *waiter);
/* What its BLPOP brought. */
struct value read_baton(redisContext *waiter);

#endif
