#include "known.h"

#include <stdlib.h>

struct known_route {
	struct rl_route route;
	struct rl_known *known;
};

static void free_known(struct rl_shared *shared)
{
	struct rl_known *known = (struct rl_known *)shared;

	known->kind->end(known);
	rl_seeds_free(known->seeds);
	free(known);
}

/* Takes the seeds over. */
static struct rl_known *know(const struct rl_known_kind *kind, struct rl_seeds *seeds, struct rl_registry *registry)
{
	struct rl_known *known = registry ? (struct rl_known *)rl_registry_find(registry, seeds->identity) : NULL;

	if (known || !(known = calloc(1, kind->size))) {
		rl_seeds_free(seeds);
		return known;
	}
	known->shared = (struct rl_shared){ .identity = seeds->identity, .references = 1, .free = free_known };
	known->seeds = seeds;
	known->registry = registry;
	known->kind = kind;
	if (kind->begin && !kind->begin(known)) {
		rl_shared_release(&known->shared);
		return NULL;
	}
	if (registry) {
		rl_registry_add(registry, &known->shared);
	}
	return known;
}

struct rl_known *rl_known_of(const struct rl_route *route)
{
	return ((const struct known_route *)route)->known;
}

static struct rl_route *duplicate(const struct rl_route *route)
{
	const struct rl_known *known = rl_known_of(route);
	struct rl_seeds *seeds = rl_seeds_copy(known->seeds);

	if (!seeds) {
		return NULL;
	}
	seeds->login->connect_timeout = route->connect_timeout;
	seeds->login->timeout = route->timeout;
	return rl_route_known(known->kind, seeds, NULL);
}

static void free_route(struct rl_route *route)
{
	rl_shared_release(&rl_known_of(route)->shared);
	free(route);
}

struct rl_route *rl_route_known(const struct rl_known_kind *kind, struct rl_seeds *seeds, struct rl_registry *registry)
{
	rl_time connect_timeout = seeds->login->connect_timeout, timeout = seeds->login->timeout;
	struct known_route *made = calloc(1, sizeof *made);

	if (!made) {
		rl_seeds_free(seeds);
		return NULL;
	}
	made->known = know(kind, seeds, registry);
	if (!made->known) {
		free(made);
		return NULL;
	}
	seeds = made->known->seeds;
	made->route = (struct rl_route){
		.locate = kind->locate,
		.apart = kind->apart,
		.learn = kind->learn,
		.duplicate = duplicate,
		.free = free_route,
		.identity = seeds->identity,
		.name = seeds->name,
		.advice = kind->advice,
		.connect_timeout = connect_timeout,
		.timeout = timeout,
		.patience = rl_failover_patience(timeout),
	};
	return &made->route;
}
