/*
 * What outlasts requests: servers, their idle connections, and what was found out about a
 * deployment. Counted references, so that whoever still uses a thing keeps it; not shared
 * between threads.
 *
 * It is bounded, since a process may talk to any number of servers in its life: of things that nobody
 * uses the RL_REGISTRY_UNUSED that were asked for last stay.
 */
#ifndef RL_REGISTRY_H
#define RL_REGISTRY_H

#include "idle.h"

#define RL_REGISTRY_UNUSED 64

/* The first member of what is shared. */
struct rl_shared {
	const char *identity; /* no two things have the same; holds secrets */
	size_t references;
	void (*free)(struct rl_shared *shared);
	struct rl_shared *next; /* in the registry */
};

struct rl_registry {
	struct rl_shared *first; /* that was asked for last */
	struct rl_idle idle;     /* of all servers in it */
};

/* With one more reference, or NULL. */
struct rl_shared *rl_registry_find(struct rl_registry *registry, const char *identity);
/* Keeps a reference of its own; lets go of what is one too many. */
void rl_registry_add(struct rl_registry *registry, struct rl_shared *shared);
/* Lets go of all of them. */
void rl_registry_clear(struct rl_registry *registry);

void rl_shared_release(struct rl_shared *shared);

#endif
