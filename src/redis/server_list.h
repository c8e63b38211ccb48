/*
 * A list of servers, with a reference to each. One that is all zero is empty.
 */
#ifndef RL_SERVER_LIST_H
#define RL_SERVER_LIST_H

#include "server.h"

struct rl_server_list {
	struct rl_server **servers;
	size_t count;
};

/* Takes a reference of its own. False: out of memory. */
bool rl_server_list_add(struct rl_server_list *list, struct rl_server *server);
bool rl_server_list_has(const struct rl_server_list *list, const struct rl_server *server);
void rl_server_list_clear(struct rl_server_list *list);

#endif
