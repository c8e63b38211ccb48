#include "registry.h"

#include <string.h>

struct rl_shared *rl_registry_find(const struct rl_registry *registry, const char *identity)
{
	struct rl_shared *shared = registry->first;

	while (shared && strcmp(shared->identity, identity) != 0) {
		shared = shared->next;
	}
	if (shared) {
		shared->references++;
	}
	return shared;
}

void rl_registry_add(struct rl_registry *registry, struct rl_shared *shared)
{
	shared->references++;
	shared->next = registry->first;
	registry->first = shared;
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
