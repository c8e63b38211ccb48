#include "query.h"
#include "call.h"

static enum rl_status write_query(
	void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error)
{
	const struct rl_query *query = context;

	return rl_exchange_write(exchange, query->words, query->count, error);
}

static enum rl_status read_answer(
	struct rl_query *query, const struct rl_exchange *exchange, struct rl_error *error)
{
	if (exchange->reply->type == RL_REPLY_ERROR) {
		return rl_connection_refusal(exchange->connection, exchange->reply, error);
	}
	return query->read
		? query->read(query->context, exchange->connection, exchange->reply, error)
		: RL_OK;
}

enum rl_status rl_query_run(struct rl_query *query, struct rl_route *route,
	struct rl_server *server, rl_time deadline, struct rl_error *error)
{
	struct rl_exchange exchange = {
		.server = server,
		.loan = { .connect_timeout = route->connect_timeout, .deadline = deadline },
		.count = 1,
		.write = write_query,
		.context = query,
		.reply_nodes = query->reply_nodes,
	};
	enum rl_status status;

	rl_exchange_begin(&exchange);
	do {
		route->requests++;
		status = rl_exchange_run(&exchange, error);
		query->was_connected = exchange.connection != NULL;
		if (status == RL_OK) {
			rl_route_note_eviction(route, server);
			status = read_answer(query, &exchange, error);
		}
	} while (status != RL_OK && query->asks_later && rl_exchange_ask_later(&exchange, error));
	route->reconnects += exchange.loan.reconnected;
	rl_exchange_end(&exchange);
	if (status == RL_UNREACHABLE) {
		rl_server_drop_idle(server);
	}
	return status;
}

enum rl_status rl_query_list(struct rl_route *route, rl_time deadline,
	struct rl_server_list *servers, struct rl_error *error)
{
	enum rl_status status;

	do {
		status = rl_route_list(route, deadline, servers, error);
	} while (status == RL_UNREACHABLE && rl_call_pause(RL_CALL_SEARCH_PAUSE, deadline));
	return status;
}
