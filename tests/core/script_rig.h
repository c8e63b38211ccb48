/*
 * The protocol's scripts on a real server, one call at a time, with the server's state open
 * to the test: what the keys hold, how long they live, what a call costs.
 *
 * Nothing here waits for time to pass. What must expire is made to expire (rig_expire()), and
 * times to live are long enough for a test on a slow machine to find most of them left.
 */
#ifndef SCRIPT_RIG_H
#define SCRIPT_RIG_H

#include "testing.h"
#include "throwaway.h"

#include <hiredis/hiredis.h>

#include "lock/keys.h"
#include "lock/protocol.h"
#include "lock/scripts.h"
#include "redis/connection.h"

/* What the tests pass, in ms, unless they say otherwise. */
#define LEASE  60000
#define GRACE  600000
#define WINDOW 30000
#define FLAG   20000

/* How much of a time to live a test may use up. */
#define PATIENCE_MS 9000

/* The answers of claim, release and extend. */
enum {
	OURS = 1,
	FREED = 1,
	GONE = 2,
	TAKEN = 3,
	UNKNOWN = 4,
	PASSED = 5
};

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

/* ---------------------------------------------------------------- costs */

void cost_begin(void);
/* The commands run since, but for EVALSHA and BLPOP: "set 2, time 1", in alphabetical order. */
void assert_cost(const char *expected);

/* ---------------------------------------------------------------- scripts */

/* A script's call, word by word. Points into itself: not to be copied. */
struct script_call {
	const char *words[20];
	size_t lengths[20];
	char numbers[20][24];
	int count;
};

struct answer {
	long long code;  /* acquire: 1 or 0 */
	long long value; /* acquire: the fence or the time left */
	char error[256]; /* "" if it was none */
};

void make_acquire(struct script_call *call, struct rl_text token, int64_t lease_ms, int64_t flag_ms);
void make_claim(struct script_call *call, struct rl_text token, const char *baton, int64_t lease_ms);
void make_release(struct script_call *call, struct rl_text token, int64_t fence, const char *baton,
	int64_t delay_ms);
/* With a serial higher than that of the one before. */
void make_extend(struct script_call *call, struct rl_text token, int64_t fence, int64_t lease_ms, enum rl_extend how);
void make_inspect(struct script_call *call);
/* `lease_ms` 0: what is left. `fence`: as text, "0" for not known. */
void make_replace(struct script_call *call, struct rl_text old_token, struct rl_text new_token, int64_t lease_ms,
	const char *fence);
/* `seen`: what inspect saw in L. */
void make_break(struct script_call *call, struct rl_text seen, const char *baton);

void script_send(redisContext *redis, const struct script_call *call);
struct answer script_read(redisContext *redis);
struct answer script_run(redisContext *redis, const struct script_call *call);

struct rl_text text_of(const char *text);

/* The same for tokens that are C strings, on any connection; an error fails the test. */
struct answer acquire_on(redisContext *redis, const char *token, int64_t lease_ms, int64_t flag_ms);
long long release_on(redisContext *redis, const char *token, int64_t fence, const char *baton, int64_t delay_ms);
long long claim_on(redisContext *redis, const char *token, const char *baton);

/* And in the words of the tests, on the rig's connection. */
int64_t take(const char *token); /* takes the lock, which must be free: its fence */
long long ask(int64_t flag_ms);  /* asks for the lock, which must be taken: the time left */
long long give_back(const char *token, int64_t fence);
long long extend(const char *token, int64_t fence);
long long extend_again(const char *token, int64_t fence);
long long claim(const char *token, const char *baton);

struct inspection {
	bool has_value;
	size_t length;
	char *value; /* terminated; to be freed by inspection_free() */
	long long left;
	int64_t fence; /* 0: none */
	long long waiting;
};
struct inspection inspect(redisContext *redis);
void inspection_free(struct inspection *inspection);

struct replaced {
	long long code;
	char fence[64];
	long long left;
};
struct replaced replace(const char *old_token, const char *new_token, int64_t lease_ms, const char *fence);
long long break_lock(const char *seen, const char *baton);
/* The same of the grant with this fence alone. */
long long break_grant(const char *seen, int64_t fence, const char *baton);

/* ---------------------------------------------------------------- waiters */

/* A client that has asked, with its flag raised, and is parked in a BLPOP behind all others. */
redisContext *park(void);
void park_on(redisContext *waiter);
/* What its BLPOP brought. */
struct value read_baton(redisContext *waiter);
/* The number at a baton's end. */
int64_t fence_in(const char *baton);

#endif
