#include "route.h"

#include <stdlib.h>

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

	return server ? rl_route_single(server) : NULL;
}

static void free_single(struct rl_route *route)
{
	rl_server_release(((struct single *)route)->server);
	free(route);
}

struct rl_route *rl_route_single(struct rl_server *server)
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
		.timeout = rl_server_address(server)->timeout,
		.patience = rl_server_address(server)->timeout,
	};
	single->server = server;
	return &single->route;
}
