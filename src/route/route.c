#include "route.h"

#include <stdio.h>
#include <string.h>

enum rl_status rl_route_locate(struct rl_route *route, struct rl_text key, rl_time deadline,
	struct rl_server **server, struct rl_error *error)
{
	return route->kind->locate(route, key, &deadline, server, error);
}

enum rl_status rl_route_list(struct rl_route *route, rl_time deadline,
	struct rl_server_list *servers, struct rl_error *error)
{
	struct rl_server *server;
	enum rl_status status;

	if (route->kind->list) {
		return route->kind->list(route, deadline, servers, error);
	}
	status = rl_route_locate(route, (struct rl_text){ "", 0 }, deadline, &server, error);
	if (status == RL_OK && !rl_server_list_add(servers, server)) {
		return rl_fail_for_memory(error);
	}
	return status;
}

enum rl_lesson rl_route_learn(
	struct rl_route *route, struct rl_text key, struct rl_failure *failure)
{
	return route->kind->learn ? route->kind->learn(route, key, failure) : RL_LESSON_NONE;
}

enum rl_lesson rl_route_tell(
	struct rl_route *route, struct rl_text key, struct rl_failure failure)
{
	enum rl_lesson lesson = rl_route_learn(route, key, &failure);

	if (lesson == RL_LESSON_ONCE) {
		rl_server_unref(failure.elsewhere);
	}
	return lesson;
}

void rl_route_note_eviction(struct rl_route *route, struct rl_server *server)
{
	const char *name = rl_server_address(server)->name;

	if (rl_server_facts(server)->may_evict && !route->tell_evicting
		&& strncmp(route->evicting, name, sizeof route->evicting - 1) != 0) {
		snprintf(route->evicting, sizeof route->evicting, "%s", name);
		route->tell_evicting = true;
	}
}

struct rl_route *rl_route_duplicate(const struct rl_route *route)
{
	struct rl_route *copy = route->kind->duplicate(route);

	if (copy) {
		copy->replicas = route->replicas;
		copy->durable = route->durable;
	}
	return copy;
}

bool rl_route_is_like(const struct rl_route *a, const struct rl_route *b)
{
	return a->replicas == b->replicas && a->durable == b->durable
		&& strcmp(a->identity, b->identity) == 0;
}

bool rl_route_shares_nodes(const struct rl_route *a, const struct rl_route *b)
{
	size_t i = 0;

	while (i < a->node_count && a->nodes[i] == b->nodes[i]) {
		i++;
	}
	return i == a->node_count;
}

size_t rl_route_majority_of(size_t nodes)
{
	return nodes / 2 + 1;
}
