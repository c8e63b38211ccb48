/*
 * A connection on loan for one exchange with the server that answers for a key.
 *
 *   rl_session_begin()     or rl_session_resume(), on the connection of an earlier session
 *   ...                    a call is sent on session.connection, and its answer read
 *   rl_session_learn()     tells the route of a refusal, from which it may learn that another server answers for the key
 *   rl_session_end()
 */
#ifndef RL_SESSION_H
#define RL_SESSION_H

#include "../route/route.h"

struct rl_session {
	struct rl_server *server; /* kept for as long as there is a connection */
	struct rl_connection *connection;
	bool asking; /* the server answers for the key only if it is told each time that it was named for this once */
};

/* Lends a connection to the server that answers for `key`. RL_OK, RL_REFUSED, RL_UNREACHABLE or RL_NO_MEMORY. */
enum rl_status rl_session_begin(struct rl_session *session, struct rl_route *route, struct rl_text key,
	rl_time deadline, struct rl_error *error);
/* Lends a connection to a server that answers for the key this once. RL_OK, RL_REFUSED, RL_UNREACHABLE or RL_NO_MEMORY. */
enum rl_status rl_session_begin_at(struct rl_session *session, struct rl_route *route, struct rl_server *server,
	rl_time deadline, struct rl_error *error);
/* Lends the same connection again: for what must follow what was sent there. False: it is not to be had. */
bool rl_session_resume(struct rl_session *session);
/*
 * Another connection to the same server in place of one that may not be used any more. RL_OK, or as rl_session_begin();
 * then there is none.
 */
enum rl_status rl_session_mend(struct rl_session *session, struct rl_route *route, rl_time deadline, struct rl_error *error);
/* What the route makes of a refusal that was read from the session. */
enum rl_lesson rl_session_learn(struct rl_session *session, struct rl_route *route, struct rl_text key,
	const struct rl_reply *refusal, const struct rl_error *error);
/* The session's server cannot be reached, as `error` says: the route looks for another before the next try. */
void rl_session_unreachable(const struct rl_session *session, struct rl_route *route, struct rl_text key,
	const struct rl_error *error);
/* Gives the connection back, or closes it if there is any doubt about it. An empty session is fine. */
void rl_session_end(struct rl_session *session);

#endif
