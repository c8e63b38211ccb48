#include "cache.h"

#include <stdlib.h>
#include <string.h>

static void put_first(struct rl_cache *cache, struct rl_cached *shared)
{
	shared->next = cache->first;
	cache->first = shared;
}

struct rl_cached *rl_cache_find(struct rl_cache *cache, const char *identity)
{
	struct rl_cached **link = &cache->first, *shared;

	while (*link && strcmp((*link)->identity, identity) != 0) {
		link = &(*link)->next;
	}
	shared = *link;
	if (shared) {
		shared->references++;
		*link = shared->next;
		put_first(cache, shared);
	}
	return shared;
}

static void drop_unused(struct rl_cache *cache)
{
	struct rl_cached **link = &cache->first, *shared;
	size_t unused = 0;

	while ((shared = *link)) {
		unused += shared->references == 1;
		if (shared->references == 1 && unused > RL_CACHE_UNUSED) {
			*link = shared->next;
			rl_cache_release(shared);
		} else {
			link = &shared->next;
		}
	}
}

void rl_cache_add(struct rl_cache *cache, struct rl_cached *shared)
{
	shared->references++;
	put_first(cache, shared);
	drop_unused(cache);
}

void rl_cache_end_request(struct rl_cache *cache)
{
	if (cache->astray) {
		rl_cache_clear(cache);
		cache->astray = false;
	}
}

void rl_cache_clear(struct rl_cache *cache)
{
	while (cache->first) {
		struct rl_cached *shared = cache->first;

		cache->first = shared->next;
		rl_cache_release(shared);
	}
}

void rl_cache_release(struct rl_cached *shared)
{
	if (--shared->references == 0) {
		shared->free(shared);
	}
}
