/*
 * What a user's `$servers` mean: one server, the master that Sentinel names, a cluster, or a
 * majority of independent masters. They are read and validated before any I/O; then a route is
 * made.
 *
 *   rl_deployment_split()     if they are one text
 *   rl_deployment_read()      or rl_deployment_of()
 *   rl_deployment_route()     or rl_deployment_free()
 */
#ifndef RL_DEPLOYMENT_H
#define RL_DEPLOYMENT_H

#include "route.h"
#include "../redis/address_syntax.h"

struct rl_deployment {
	struct rl_address *servers[RL_NODES_MAX]; /* one; or independent */
	size_t count;
	struct rl_seed_addresses *addresses; /* Sentinel, cluster: in their place; otherwise NULL */
};

/*
 * Splits a setting that names servers at the spaces before addresses, and returns how many there
 * are; 0: it is empty. A word that is no address stays part of the address before it, which is then
 * refused for the space in it. `texts` has room for all, or is NULL.
 */
size_t rl_deployment_split(struct rl_text setting, struct rl_text *texts);
/*
 * Reads `count` texts, one or more. RL_INVALID and RL_MISUSE as from rl_address_parse(). On success
 * the caller frees the deployment, or makes a route of it.
 */
enum rl_status rl_deployment_read(const struct rl_text *texts, size_t count,
	const struct rl_address_defaults *defaults, struct rl_deployment **out, struct rl_error *error);
/* One server. Takes the address over, also on failure. NULL: out of memory. */
struct rl_deployment *rl_deployment_of(struct rl_address *address);
void rl_deployment_free(struct rl_deployment *deployment);

/*
 * Makes the route. Takes the deployment over, also on failure. Servers and topologies go into
 * `cache` if their addresses are persistent. NULL: out of memory.
 */
struct rl_route *rl_deployment_route(struct rl_deployment *deployment, struct rl_cache *cache);

#endif
