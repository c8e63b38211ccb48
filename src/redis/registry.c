#include "registry.h"

#include <string.h>

static void put_first(struct rl_registry *registry, struct rl_shared *shared)
{
	shared->next = registry->first;
	registry->first = shared;
}

struct rl_shared *rl_registry_find(struct rl_registry *registry, const char *identity)
{
	struct rl_shared **link = &registry->first, *shared;

	while (*link && strcmp((*link)->identity, identity) != 0) {
		link = &(*link)->next;
	}
	shared = *link;
	if (shared) {
		shared->references++;
		*link = shared->next;
		put_first(registry, shared);
	}
	return shared;
}

static void drop_unused(struct rl_registry *registry)
{
	struct rl_shared **link = &registry->first, *shared;
	size_t unused = 0;

	while ((shared = *link)) {
		unused += shared->references == 1;
		if (shared->references == 1 && unused > RL_REGISTRY_UNUSED) {
			*link = shared->next;
			rl_shared_release(shared);
		} else {
			link = &shared->next;
		}
	}
}

void rl_registry_add(struct rl_registry *registry, struct rl_shared *shared)
{
	shared->references++;
	put_first(registry, shared);
	drop_unused(registry);
}

void rl_registry_clear(struct rl_registry *registry)
{
	while (registry->first) {
		struct rl_shared *shared = registry->first;

		registry->first = shared->next;
		rl_shared_release(shared);
	}
}

void rl_shared_release(struct rl_shared *shared)
{
	if (--shared->references == 0) {
		shared->free(shared);
	}
}
