#include "exchange.h"

enum rl_status rl_connection_exchange(struct rl_connection *connection, const struct rl_text *words, size_t count,
	rl_time deadline, const struct rl_reply **reply, struct rl_error *error)
{
	enum rl_status status = rl_connection_append(connection, count, words, error);

	if (status == RL_OK) {
		status = rl_connection_flush(connection, deadline, error);
	}
	if (status == RL_OK) {
		status = rl_connection_read(connection, deadline, reply, error);
	}
	if (status == RL_OK && (*reply)->type == RL_REPLY_ERROR) {
		return rl_connection_refusal(connection, *reply, error);
	}
	return status;
}

rl_time rl_share_of(rl_time deadline, rl_time longest)
{
	rl_time now = rl_now(), share = (deadline - now) / 3;

	return now + (share < longest ? share : longest);
}
