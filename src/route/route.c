#include "route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer than Sentinel takes with its own settings: 30 s until it counts a master as down, and some for the election. */
#define FAILOVER_PATIENCE (60 * RL_SECOND)

rl_time rl_failover_patience(rl_time timeout)
{
	return timeout > FAILOVER_PATIENCE ? timeout : FAILOVER_PATIENCE;
}

/* On whatever route. */
static const struct rl_advice advice_to_all[] = {
	{ "NOPERM", "the user lacks a right: ACL LOG on the server tells which, \"Rights\" in docs/operators.md what to grant" },
	{ "unknown command", "rlock needs it: was it renamed, or is this a sentinel, whose address begins with sentinel://?" },
	{ "command called from script", "rlock's scripts need it: was one renamed? \"Rights\" in docs/operators.md lists them" },
	{ NULL, NULL }
};

static const char *find_advice(const struct rl_advice *advice, const struct rl_error *error)
{
	for (; advice && advice->said; advice++) {
		bool words = strchr(advice->said, ' ') != NULL;

		if (words ? strstr(error->message, advice->said) != NULL : strcmp(error->code, advice->said) == 0) {
			return advice->advice;
		}
	}
	return NULL;
}

void rl_route_advise(const struct rl_route *route, struct rl_error *error)
{
	const char *advice = find_advice(route->advice, error);
	struct rl_error refusal = *error;
	size_t length = strlen(refusal.message);

	if (!advice && !(advice = find_advice(advice_to_all, error))) {
		return;
	}
	while (length > 0 && strchr(". ", refusal.message[length - 1])) {
		length--;
	}
	rl_fail(error, RL_REFUSED, "%.*s; %s", (int)length, refusal.message, advice);
	memcpy(error->code, refusal.code, sizeof error->code);
}

struct single {
	struct rl_route route;
	struct rl_server *server;
};

static enum rl_status locate(struct rl_route *route, struct rl_text key, rl_time deadline,
	struct rl_server **server, struct rl_error *error)
{
	(void)key;
	(void)deadline;
	(void)error;
	*server = ((struct single *)route)->server;
	return RL_OK;
}

/* There is no other server to learn of. */
static enum rl_lesson learn(struct rl_route *route, struct rl_text key, struct rl_failure *failure)
{
	(void)route;
	(void)key;
	(void)failure;
	return RL_LESSON_NONE;
}

static struct rl_route *duplicate(const struct rl_route *route)
{
	const struct single *single = (const struct single *)route;
	struct rl_address *address = rl_address_copy(rl_server_address(single->server));
	struct rl_server *server = address ? rl_server_new(address) : NULL;

	return server ? rl_direct_route(server, route->connect_timeout, route->timeout) : NULL;
}

static void free_single(struct rl_route *route)
{
	rl_server_release(((struct single *)route)->server);
	free(route);
}

#define A_CLUSTER_NODE "it is a node of a Redis Cluster, whose address begins with cluster://"

static const struct rl_advice advice[] = {
	{ "READONLY", "it is a replica: give the address of its master, or of sentinels (sentinel://), which know the master" },
	{ "MOVED", A_CLUSTER_NODE },
	{ "ASK", A_CLUSTER_NODE },
	{ "TRYAGAIN", A_CLUSTER_NODE },
	{ "CLUSTERDOWN", A_CLUSTER_NODE },
	{ NULL, NULL }
};

struct rl_route *rl_direct_route(struct rl_server *server, rl_time connect_timeout, rl_time timeout)
{
	struct single *single = calloc(1, sizeof *single);

	if (!single) {
		rl_server_release(server);
		return NULL;
	}
	single->route = (struct rl_route){
		.locate = locate,
		.learn = learn,
		.duplicate = duplicate,
		.free = free_single,
		.identity = rl_server_address(server)->identity,
		.name = rl_server_address(server)->name,
		.advice = advice,
		.connect_timeout = connect_timeout,
		.timeout = timeout,
		.patience = timeout,
	};
	single->server = server;
	return &single->route;
}

void rl_route_note_eviction(struct rl_route *route, struct rl_server *server)
{
	if (rl_server_may_evict_once(server)) {
		snprintf(route->evicting, sizeof route->evicting, "%s", rl_server_address(server)->name);
		route->tell_evicting = true;
	}
}

struct rl_route *rl_route_duplicate(const struct rl_route *route)
{
	struct rl_route *copy = route->duplicate(route);

	if (copy) {
		copy->replicas = route->replicas;
	}
	return copy;
}

bool rl_route_is_like(const struct rl_route *a, const struct rl_route *b)
{
	return a->replicas == b->replicas && strcmp(a->identity, b->identity) == 0;
}

/* --- a majority --- */

struct majority {
	struct rl_route route;
	char *identity, *name;
	struct rl_server *nodes[];
};

static enum rl_status locate_none(struct rl_route *route, struct rl_text key, rl_time deadline,
	struct rl_server **server, struct rl_error *error)
{
	(void)key;
	(void)deadline;
	(void)server;
	return rl_fail(error, RL_MISUSE, "Of the servers %s none answers for the others", route->name);
}

static void release_all(struct rl_server *const *servers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (servers[i]) {
			rl_server_release(servers[i]);
		}
	}
}

static void free_majority(struct rl_route *route)
{
	struct majority *majority = (struct majority *)route;

	release_all(majority->nodes, route->node_count);
	free(majority->identity);
	free(majority->name);
	free(majority);
}

static struct rl_route *duplicate_majority(const struct rl_route *route)
{
	struct rl_server *servers[RL_NODES_MAX];

	for (size_t i = 0; i < route->node_count; i++) {
		struct rl_address *address = rl_address_copy(rl_server_address(route->nodes[i]));

		servers[i] = address ? rl_server_new(address) : NULL;
	}
	return rl_independent_route(servers, route->node_count, route->connect_timeout, route->timeout);
}

static const char *identity_of(const struct rl_server *server)
{
	return rl_server_address(server)->identity;
}

static const char *name_of(const struct rl_server *server)
{
	return rl_server_address(server)->name;
}

/* "a, b, c"; NULL: out of memory. */
static char *join(struct rl_server *const *servers, size_t count, const char *(*text)(const struct rl_server *server))
{
	size_t length = 0;
	char *joined;

	for (size_t i = 0; i < count; i++) {
		length += strlen(text(servers[i])) + 2;
	}
	joined = malloc(length + 1);
	if (joined) {
		joined[0] = '\0';
		for (size_t i = 0; i < count; i++) {
			strcat(strcat(joined, i ? ", " : ""), text(servers[i]));
		}
	}
	return joined;
}

static bool all_there(struct rl_server *const *servers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!servers[i]) {
			return false;
		}
	}
	return true;
}

struct rl_route *rl_independent_route(struct rl_server *const *servers, size_t count, rl_time connect_timeout,
	rl_time timeout)
{
	bool complete = all_there(servers, count);
	struct majority *majority = complete ? calloc(1, sizeof *majority + count * sizeof majority->nodes[0]) : NULL;
	char *identity = complete ? join(servers, count, identity_of) : NULL;
	char *name = complete ? join(servers, count, name_of) : NULL;

	if (!majority || !identity || !name) {
		release_all(servers, count);
		free(majority);
		free(identity);
		free(name);
		return NULL;
	}
	majority->identity = identity;
	majority->name = name;
	memcpy(majority->nodes, servers, count * sizeof majority->nodes[0]);
	majority->route = (struct rl_route){
		.locate = locate_none,
		.learn = learn,
		.duplicate = duplicate_majority,
		.free = free_majority,
		.node_count = count,
		.nodes = majority->nodes,
		.identity = identity,
		.name = name,
		.connect_timeout = connect_timeout,
		.timeout = timeout,
		.patience = timeout,
	};
	return &majority->route;
}

size_t rl_route_majority_of(size_t node_count)
{
	return node_count / 2 + 1;
}
