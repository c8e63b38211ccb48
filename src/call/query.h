/*
 * One command to one server, sent once, for what is asked of a server and not of a lock.
 */
#ifndef RL_QUERY_H
#define RL_QUERY_H

#include "../route/route.h"

struct rl_query {
	const struct rl_text *words;
	size_t count;
	size_t reply_nodes; /* how many parts the answer may have beyond what most have; 0 */
	/* What the answer means; it is no refusal, and valid during the call. NULL: nothing. */
	enum rl_status (*read)(void *context, struct rl_connection *connection,
		const struct rl_reply *reply, struct rl_error *error);
	void *context;
	bool asks_later;    /* while the server refuses for a moment */
	bool was_connected; /* out: it may have been sent */
};

/* RL_OK; RL_UNREACHABLE, RL_REFUSED or RL_NO_MEMORY; or as read() says. */
enum rl_status rl_query_run(struct rl_query *query, struct rl_route *route,
	struct rl_server *server, rl_time deadline, struct rl_error *error);

/* As rl_route_list(), and again until the deadline while the servers cannot be found. */
enum rl_status rl_query_list(struct rl_route *route, rl_time deadline,
	struct rl_server_list *servers, struct rl_error *error);

#endif
