/*
 * The topology of a deployment, found out by asking some of its servers: Sentinel's master, or a
 * cluster's map of slots. All routes with the same addresses share it, and in a cache it outlives
 * them.
 *
 * The kinds (sentinel.c, cluster.c) have a topology of their own, and say what a route does with
 * it.
 */
#ifndef RL_TOPOLOGY_H
#define RL_TOPOLOGY_H

#include "route.h"
#include "../redis/seed_addresses.h"

struct rl_topology_kind;

/* The first member of what a kind finds out. */
struct rl_topology {
	struct rl_cached shared;
	struct rl_seed_addresses *addresses;
	struct rl_cache *cache; /* where its servers are, too; or NULL */
	const struct rl_topology_kind *kind;
};

struct rl_topology_kind {
	/* of its routes; duplicate() and free() are those below */
	struct rl_route_kind route;
	/* of what it finds out; all zeros before begin() */
	size_t size;
	/* false: out of memory, and end() is called; or NULL */
	bool (*begin)(struct rl_topology *topology);
	void (*end)(struct rl_topology *topology);
};

/*
 * Makes a route by the cache's topology for these addresses, or by a new one, which goes into the
 * cache if there is one. Takes the addresses over, also on failure. NULL: out of memory.
 */
struct rl_route *rl_topology_route(const struct rl_topology_kind *kind,
	struct rl_seed_addresses *addresses, struct rl_cache *cache);
struct rl_route *rl_topology_duplicate(const struct rl_route *route);
void rl_topology_free(struct rl_route *route);
/* The topology of such a route. */
struct rl_topology *rl_topology_of(const struct rl_route *route);

/* What a server is asked. */
struct rl_topology_question {
	const struct rl_text *words;
	size_t word_count;
	size_t reply_nodes;  /* how many the answer may have, if that is more than others have; or 0 */
	bool may_be_refused; /* to refuse to answer is RL_OK */
	/* Reads the answer of this server. The question then comes to what this returns. */
	enum rl_status (*read)(const struct rl_route *route, const struct rl_server *server,
		const struct rl_reply *reply, void *context, struct rl_error *error);
	void *context;
};
/* Asks one server, on a connection that stays idle for the call that follows. */
enum rl_status rl_topology_ask(const struct rl_route *route, struct rl_server *server,
	const struct rl_topology_question *question, rl_time deadline, struct rl_error *error);

/*
 * By when one server that is asked where to go must have answered: a third of the time that is
 * left, and no longer than a connection may take, so that others can be asked after it.
 */
rl_time rl_topology_answer_by(const struct rl_route *route, rl_time deadline);

#endif
