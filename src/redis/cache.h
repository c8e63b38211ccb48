/*
 * What outlasts requests: servers, their idle connections, and the topology of deployments.
 * References are counted, so that a thing stays for as long as it is used. A cache belongs to one
 * thread.
 *
 * A process may serve one program after the other, as PHP-FPM's children do, and none of them may
 * get what another has made for itself. The rule, for all that a process keeps:
 *
 * 1. It is found by all that made it: the address with its secrets and options, the environment by
 *    which names and authorities are found (environment.h), and the folders that paths must be in
 *    (../base/bounds.h), as they were when the address was read. That is the identity.
 * 2. Where the environment has changed since, what is opened belongs elsewhere than where it would
 *    be found. Then all is dropped when the request ends (rl_cache_end_request()).
 * 3. Look-ups are the request's (lookup.h), and what OpenSSL reads once per process is read before
 *    the first request (tls.h).
 *
 * A process may talk to any number of servers in its life. So the cache is bounded: of the things
 * that nobody uses it keeps the RL_CACHE_UNUSED that were used last.
 */
#ifndef RL_CACHE_H
#define RL_CACHE_H

#include "connection.h"

#define RL_CACHE_UNUSED 64

/*
 * Idle connections, either those of one server or those of all servers in a cache, so that a
 * process keeps few of them however many servers, databases and logins it talks to.
 *
 * Connections that nobody has used for RL_IDLE_FOR are closed, and of more than RL_IDLE_MAX the one
 * that was used least recently. Deferred answers that have come are read first.
 */
struct rl_idle {
	struct rl_connection *newest, *oldest;
	size_t count;
};

#define RL_IDLE_MAX 64
#define RL_IDLE_FOR (60 * RL_SECOND)

/* The first member of everything that a cache can hold. */
struct rl_cached {
	const char *identity; /* different for any two things; holds secrets */
	size_t references;
	void (*free)(struct rl_cached *shared);
	struct rl_cached *next; /* in the cache */
};

struct rl_cache {
	struct rl_cached *first; /* that was asked for last */
	struct rl_idle idle;     /* of all servers in it */
	bool astray;             /* something was made in another environment than its identity's */
};

/* The thing of this identity, with one more reference; or NULL. */
struct rl_cached *rl_cache_find(struct rl_cache *cache, const char *identity);
/* The cache takes a reference of its own, and drops what is now one too many. */
void rl_cache_add(struct rl_cache *cache, struct rl_cached *shared);
/* Another program's request comes next. */
void rl_cache_end_request(struct rl_cache *cache);
/* Drops the cache's references. */
void rl_cache_clear(struct rl_cache *cache);

void rl_cache_release(struct rl_cached *shared);

#endif
