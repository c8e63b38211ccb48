/*
 * What outlasts requests: servers, their idle connections, and what was found out about a
 * deployment. Counted references, so that whoever still uses a thing keeps it; not shared
 * between threads.
 *
 * It is bounded, since a process may talk to any number of servers in its life: of things that nobody
 * uses the RL_CACHE_UNUSED that were asked for last stay.
 */
#ifndef RL_CACHE_H
#define RL_CACHE_H

#include "idle.h"

#define RL_CACHE_UNUSED 64

/* The first member of what is shared. */
struct rl_cached {
	const char *identity; /* no two things have the same; holds secrets */
	size_t references;
	void (*free)(struct rl_cached *shared);
	struct rl_cached *next; /* in the cache */
};

struct rl_cache {
	struct rl_cached *first; /* that was asked for last */
	struct rl_idle idle;     /* of all servers in it */
};

/* With one more reference, or NULL. */
struct rl_cached *rl_cache_find(struct rl_cache *cache, const char *identity);
/* Keeps a reference of its own; lets go of what is one too many. */
void rl_cache_add(struct rl_cache *cache, struct rl_cached *shared);
/* Lets go of all of them. */
void rl_cache_clear(struct rl_cache *cache);

void rl_cache_release(struct rl_cached *shared);

#endif
