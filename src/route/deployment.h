/*
 * What a user's `$servers` come to: one server, the master that Sentinel names, a cluster, or a
 * majority of independent masters. Read and validated before any I/O; then made a route.
 */
#ifndef RL_DEPLOYMENT_H
#define RL_DEPLOYMENT_H

#include "../redis/address.h"
#include "route.h"
#include "../redis/address_list.h"

enum rl_deployment_kind {
	RL_DEPLOYMENT_SINGLE,
	RL_DEPLOYMENT_SENTINEL,
	RL_DEPLOYMENT_CLUSTER,
	RL_DEPLOYMENT_MAJORITY
};

struct rl_deployment {
	enum rl_deployment_kind kind;
	struct rl_address **servers; /* single: one; majority: three or more; else NULL */
	size_t count;
	struct rl_address_list *addresses; /* Sentinel, cluster; else NULL */
};

/*
 * Reads `count` texts, one or more. RL_INVALID as rl_address_parse(); RL_MISUSE for what is not
 * spoken yet. On success the caller frees it.
 */
enum rl_status rl_deployment_read(const struct rl_text *texts, size_t count,
	const struct rl_address_defaults *defaults, struct rl_deployment **out, struct rl_error *error);
void rl_deployment_free(struct rl_deployment *deployment);

/*
 * The route to it, which takes the deployment over, also on failure. What is persistent lives in
 * `cache`. NULL: out of memory.
 */
struct rl_route *rl_deployment_route(struct rl_deployment *deployment, struct rl_cache *cache);

#endif
