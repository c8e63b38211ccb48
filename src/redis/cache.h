/*
 * What outlasts requests: servers, their idle connections, and the topology of deployments.
 * References are counted, so that a thing stays for as long as it is used. A cache belongs to one
 * thread.
 *
 * A process may talk to any number of servers in its life. So the cache is bounded: of the things
 * that nobody uses it keeps the RL_CACHE_UNUSED that were used last.
 */
#ifndef RL_CACHE_H
#define RL_CACHE_H

#include "idle.h"

#define RL_CACHE_UNUSED 64

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
};

/* The thing of this identity, with one more reference; or NULL. */
struct rl_cached *rl_cache_find(struct rl_cache *cache, const char *identity);
/* The cache takes a reference of its own, and drops what is now one too many. */
void rl_cache_add(struct rl_cache *cache, struct rl_cached *shared);
/* Drops the cache's references. */
void rl_cache_clear(struct rl_cache *cache);

void rl_cache_release(struct rl_cached *shared);

#endif
