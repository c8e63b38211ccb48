#include "idle.h"

static void unlink_idle(struct rl_idle *idle, struct rl_connection *connection)
{
	*(connection->newer ? &connection->newer->older : &idle->newest) = connection->older;
	*(connection->older ? &connection->older->newer : &idle->oldest) = connection->newer;
	idle->count--;
}

static void close_oldest(struct rl_idle *idle)
{
	struct rl_connection *oldest = idle->oldest;

	unlink_idle(idle, oldest);
	rl_connection_read_deferred(oldest);
	rl_connection_close(oldest);
}

void rl_idle_tidy(struct rl_idle *idle, rl_time now)
{
	while (idle->oldest && now - idle->oldest->used_at > RL_IDLE_FOR) {
		close_oldest(idle);
	}
}

void rl_idle_put(struct rl_idle *idle, struct rl_connection *connection)
{
	connection->used_at = rl_now();
	connection->newer = NULL;
	connection->older = idle->newest;
	*(idle->newest ? &idle->newest->newer : &idle->oldest) = connection;
	idle->newest = connection;
	idle->count++;
	rl_idle_tidy(idle, connection->used_at);
	if (idle->count > RL_IDLE_MAX) {
		close_oldest(idle);
	}
}

struct rl_connection *rl_idle_take(struct rl_idle *idle, const struct rl_address *address,
	bool owing, const struct rl_connection *behind)
{
	struct rl_connection *chosen = NULL;

	for (struct rl_connection *connection = idle->newest; connection;
		 connection = connection->older) {
		bool owes_first = owing && connection->deferred && chosen && !chosen->deferred;

		if (connection->address == address
			&& (!chosen || owes_first || connection == behind)) {
			chosen = connection;
			if (!owing || connection == behind) {
				break;
			}
		}
	}
	if (chosen) {
		unlink_idle(idle, chosen);
	}
	return chosen;
}
