#include "steps.h"
#include "../../src/base/machine.h"
#include "testing.h"

#include "redis/handshake.h"

enum rl_status connect_within(const struct rl_address *address, bool version_ok,
	rl_time connect_timeout, rl_time deadline, struct rl_connection **connection,
	struct rl_error *error)
{
	struct rl_handshake handshake;
	struct rl_polls polls;
	enum rl_status status;

	rl_polls_begin(&polls);
	status = rl_handshake_begin(
		&handshake, address, version_ok, connect_timeout, deadline, &polls, error);
	while (status == RL_NO) {
		assert_int_equal(rl_polls_wait(&polls), RL_WANTED);
		rl_polls_begin(&polls);
		status = rl_handshake_go_on(&handshake, &polls, error);
	}
	if (status == RL_OK) {
		*connection = rl_handshake_take(&handshake);
	}
	rl_handshake_end(&handshake);
	return status;
}

static struct rl_polls awaited(const struct rl_connection *connection, rl_time deadline)
{
	struct rl_polls polls;

	rl_polls_begin(&polls);
	rl_polls_until(&polls, deadline);
	rl_connection_add_polls(connection, &polls);
	return polls;
}

static void wait_for(const struct rl_connection *connection, rl_time deadline)
{
	struct rl_polls polls = awaited(connection, deadline);

	assert_int_equal(rl_polls_wait(&polls), RL_WANTED);
}

enum rl_status flush_within(
	struct rl_connection *connection, rl_time deadline, struct rl_error *error)
{
	enum rl_status status;

	while ((status = rl_connection_try_flush(connection, error)) == RL_NO) {
		if (rl_now() >= deadline) { /* answers that never end are always ready */
			return rl_connection_too_late(connection, error);
		}
		wait_for(connection, deadline);
		if (rl_connection_fill(connection, error) != RL_OK) {
			return RL_UNREACHABLE;
		}
	}
	return status;
}

struct reading {
	struct rl_connection *connection;
	rl_time deadline;
	const struct rl_reply **reply;
};

static enum rl_status read_on(void *machine, struct rl_polls *polls, struct rl_error *error)
{
	const struct reading *reading = machine;
	enum rl_status status = rl_connection_try_read(reading->connection, reading->reply, error);

	if (status == RL_NO && rl_now() >= reading->deadline) {
		return rl_connection_too_late(reading->connection, error);
	}
	rl_polls_begin(polls);
	rl_polls_until(polls, reading->deadline);
	rl_connection_awaits_answer(reading->connection, polls);
	return status;
}

enum rl_status read_within(struct rl_connection *connection, rl_time deadline,
	const struct rl_reply **reply, struct rl_error *error)
{
	struct reading reading = { connection, deadline, reply };

	return rl_machine_run(read_on, &reading, error);
}

enum rl_status exchange_within(struct rl_connection *connection, const struct rl_text *words,
	size_t count, rl_time deadline, const struct rl_reply **reply, struct rl_error *error)
{
	enum rl_status status = rl_connection_append(connection, count, words, error);

	if (status == RL_OK) {
		status = flush_within(connection, deadline, error);
	}
	if (status == RL_OK) {
		status = read_within(connection, deadline, reply, error);
	}
	if (status == RL_OK && (*reply)->type == RL_REPLY_ERROR) {
		return rl_connection_refusal(connection, *reply, error);
	}
	return status;
}

void read_deferred_within(struct rl_connection *connection, rl_time deadline)
{
	rl_connection_read_deferred(connection);
	while (connection->deferred && rl_now() < deadline) {
		wait_for(connection, deadline);
		rl_connection_read_deferred(connection);
	}
}

enum rl_status borrow_within(
	struct rl_server *server, struct rl_loan *loan, struct rl_error *error)
{
	struct rl_polls polls;
	enum rl_status status;

	for (rl_polls_begin(&polls); (status = rl_server_borrow(server, loan, &polls, error)) == RL_NO;
		 rl_polls_begin(&polls)) {
		assert_int_equal(rl_polls_wait(&polls), RL_WANTED);
	}
	rl_server_end_loan(server, loan);
	return status;
}

struct rl_connection *lend_for(
	struct rl_route *route, const char *key, struct rl_server **server)
{
	rl_time deadline = rl_now() + 5 * RL_SECOND;
	struct rl_loan loan = { .connect_timeout = route->connect_timeout, .deadline = deadline };
	struct rl_error error;

	assert_int_equal(rl_route_locate(route, rl_text_of(key), deadline, server, &error), RL_OK);
	assert_int_equal(borrow_within(*server, &loan, &error), RL_OK);
	return loan.connection;
}
