/*
 * A connection on loan for one exchange with the server that answers for a key.
 *
 *   rl_session_begin()     or rl_session_begin_at(), which names the server
 *   ...                    a call is sent on session.connection, and its answer read
 *   rl_session_learn()     tells the route of a failure: another server may answer for the key
 *   rl_session_end()
 */
#ifndef RL_SESSION_H
#define RL_SESSION_H

#include "../redis/exchange.h"
#include "../route/route.h"

struct rl_session {
	struct rl_server *server; /* referenced for as long as there is a connection */
	struct rl_connection *connection;
	bool asking; /* the server answers for the key this once, so that ASKING precedes each call */
};

/*
 * Lends a connection to the server that answers for `key`. RL_OK, RL_REFUSED, RL_UNREACHABLE or
 * RL_NO_MEMORY.
 */
enum rl_status rl_session_begin(struct rl_session *session, struct rl_route *route,
	struct rl_text key, rl_time deadline, struct rl_error *error);
/* Takes the connection of an exchange that is done. */
void rl_session_take(struct rl_session *session, struct rl_exchange *exchange, bool is_asking);
/* The same, to this server. */
enum rl_status rl_session_begin_at(struct rl_session *session, struct rl_route *route,
	struct rl_server *server, rl_time deadline, struct rl_error *error);
/*
 * Replaces a connection that is not usable any more by another one to the same server. Unless
 * RL_OK, the session is empty, and the status is one of rl_session_begin()'s.
 */
enum rl_status rl_session_mend(
	struct rl_session *session, struct rl_route *route, rl_time deadline, struct rl_error *error);
/*
 * Tells the route of a refusal that was read from the session, or, where that is NULL, that its
 * server cannot be reached, so that the route looks for another before the next try. `error` says
 * the same. Returns what the route makes of it.
 */
enum rl_lesson rl_session_learn(const struct rl_session *session, struct rl_route *route,
	struct rl_text key, const struct rl_reply *refusal, const struct rl_error *error);
/*
 * Gives the connection back, which closes it unless it is safe to reuse. An empty session is fine.
 */
void rl_session_end(struct rl_session *session);

#endif
