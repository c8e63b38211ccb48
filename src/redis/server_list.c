#include "server_list.h"

#include <stdlib.h>

bool rl_server_list_add(struct rl_server_list *list, struct rl_server *server)
{
	struct rl_server **servers = realloc(list->servers, (list->count + 1) * sizeof *servers);

	if (!servers) {
		return false;
	}
	list->servers = servers;
	servers[list->count++] = rl_server_ref(server);
	return true;
}

bool rl_server_list_has(const struct rl_server_list *list, const struct rl_server *server)
{
	size_t i = 0;

	while (i < list->count && list->servers[i] != server) {
		i++;
	}
	return i < list->count;
}

void rl_server_list_clear(struct rl_server_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		rl_server_unref(list->servers[i]);
	}
	free(list->servers);
	*list = (struct rl_server_list){ .servers = NULL };
}
