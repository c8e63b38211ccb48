#include "session.h"

/* session->server is set, and kept only if there is a connection in the end. */
static enum rl_status connect(
	struct rl_session *session, struct rl_route *route, rl_time deadline, struct rl_error *error)
{
	struct rl_loan loan = { .connect_timeout = route->connect_timeout, .deadline = deadline };
	enum rl_status status;

	rl_server_ref(session->server);
	while ((status = rl_server_borrow(session->server, &loan, error)) == RL_NO) {
		struct rl_polls polls;

		rl_polls_begin(&polls);
		rl_server_awaits(session->server, &loan, &polls);
		rl_polls_wait(&polls);
	}
	rl_server_end_loan(session->server, &loan);
	session->connection = loan.connection;
	route->reconnects += loan.reconnected;
	if (status == RL_OK) {
		rl_route_note_eviction(route, session->server);
	} else {
		rl_server_unref(session->server);
	}
	return status;
}

void rl_session_take(struct rl_session *session, struct rl_exchange *exchange, bool is_asking)
{
	*session = (struct rl_session){ .server = rl_server_ref(exchange->server),
		.connection = exchange->connection,
		.asking = is_asking };
	exchange->connection = NULL;
}

enum rl_status rl_session_begin_at(struct rl_session *session, struct rl_route *route,
	struct rl_server *server, rl_time deadline, struct rl_error *error)
{
	enum rl_status status;

	*session = (struct rl_session){ .server = server };
	status = connect(session, route, deadline, error);
	if (status != RL_OK) {
		session->server = NULL;
	}
	return status;
}

enum rl_status rl_session_begin(struct rl_session *session, struct rl_route *route,
	struct rl_text key, rl_time deadline, struct rl_error *error)
{
	enum rl_status status;

	*session = (struct rl_session){ .server = NULL };
	status = rl_route_locate(route, key, deadline, &session->server, error);
	return status == RL_OK ? connect(session, route, deadline, error) : status;
}

void rl_session_end(struct rl_session *session)
{
	if (session->connection) {
		if (session->connection->replies.more > 0) {
			rl_reply_allow(&session->connection->replies, 0);
		}
		rl_server_give_back(session->server, session->connection);
		rl_server_unref(session->server);
		session->connection = NULL;
	}
}

enum rl_status rl_session_mend(
	struct rl_session *session, struct rl_route *route, rl_time deadline, struct rl_error *error)
{
	struct rl_server *server = session->server;
	enum rl_status status;

	if (rl_connection_is_usable(session->connection)) {
		return RL_OK;
	}
	rl_server_ref(server);
	rl_session_end(session);
	status = connect(session, route, deadline, error);
	rl_server_unref(server);
	if (status != RL_OK) {
		session->server = NULL;
	}
	return status;
}

enum rl_lesson rl_session_learn(const struct rl_session *session, struct rl_route *route,
	struct rl_text key, const struct rl_reply *refusal, const struct rl_error *error)
{
	struct rl_failure failure = { .status = refusal ? RL_REFUSED : RL_UNREACHABLE,
		.error = error,
		.words = refusal ? refusal->text : NULL,
		.server = session->server };
	enum rl_lesson lesson = rl_route_learn(route, key, &failure);

	if (lesson == RL_LESSON_ONCE) {
		rl_server_unref(failure.elsewhere);
	}
	return lesson;
}
