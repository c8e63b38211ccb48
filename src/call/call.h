/*
 * One script, run once, however often it must be sent.
 *
 * The scripts are idempotent under their token or baton, so a call whose reply was lost is
 * simply sent again. What is met on the way and does not reach the caller: a script cache that
 * was flushed, a reused connection that turns out dead, a server that is busy or loading for a
 * moment, a map that must be learnt anew; all within one absolute deadline.
 */
#ifndef RL_CALL_H
#define RL_CALL_H

#include "../route/route.h"
#include "script.h"

#define RL_CALL_KEYS 4
#define RL_CALL_ARGS 7

struct rl_call {
	const struct rl_script *script;
	struct rl_text keys[RL_CALL_KEYS]; /* all of one slot */
	size_t key_count;
	struct rl_text args[RL_CALL_ARGS];
	size_t arg_count;
	/*
	 * This argument is the server's clock, in microseconds, at the call's deadline: a copy that
	 * arrives after it, when nobody waits for the answer any more, is refused. "0" where that clock
	 * is not known. 0: the script wants none.
	 */
	size_t until_arg;
	/*
	 * What takes this call back. If the deadline passes while the answer is out, it is written
	 * behind the call on the same connection, so that a frozen server undoes when it thaws.
	 */
	const struct rl_call *undo;
	/*
	 * The first key alone will do, where the others are elsewhere: while a cluster's slot moves.
	 * What is done so does not count on what the others would say.
	 */
	bool lock_key_alone_ok;
	/*
	 * An answer up to this (an integer, or an array's first) says that something was done that
	 * counts only once the route's replicas have it, too. 0: they are of no interest.
	 */
	int replicated_up_to;
	/* out */
	rl_time sent_at;     /* before the first byte of the first sending that may have been done: a later one begins nothing anew */
	unsigned unanswered; /* sends whose answer never came: each may have been done */
	bool is_transient;   /* if it failed: what was in the way may pass by itself */
	bool too_few;        /* it was done, and not enough replicas had it when the time was up */
	bool maybe_done;     /* failed, and may have been done, or be done yet: to be undone at the next contact, too */
};

/* A connection on loan, and whose it is. */
struct rl_session {
	struct rl_server *server; /* kept for as long as there is a connection */
	struct rl_connection *connection;
	bool asking; /* the server answers for the key only if it is told each time that it was named for this once */
};

/*
 * RL_OK and a reply that is no error, valid until the session's next read; the caller gives the
 * session back. Else RL_REFUSED, RL_UNREACHABLE, RL_NO_MEMORY, and no session.
 */
enum rl_status rl_call_run(struct rl_route *route, struct rl_call *call, rl_time deadline,
	struct rl_session *session, const struct rl_reply **reply, struct rl_error *error);

/* The same on a connection that one has, in two halves and without second tries. */
enum rl_status rl_call_send(struct rl_route *route, struct rl_call *call, struct rl_session *session,
	rl_time deadline, struct rl_error *error);
/* With the script's text, where nobody will be there to hear that the server does not know it. */
enum rl_status rl_call_send_text(struct rl_route *route, struct rl_call *call, struct rl_session *session,
	rl_time deadline, struct rl_error *error);
enum rl_status rl_call_answer(struct rl_route *route, struct rl_call *call, struct rl_session *session,
	rl_time deadline, const struct rl_reply **reply, struct rl_error *error);

/* Queues the script's call, or its text, for callers that flush and read several connections at once. */
enum rl_status rl_call_queue(struct rl_route *route, const struct rl_call *call, struct rl_connection *connection,
	bool with_text, rl_time deadline, struct rl_error *error);
/*
 * Whether the call came too late by the server's clock, which was not what we thought: the connection
 * knows better now, and the call may be sent again. `sent_at` is when it was sent.
 */
bool rl_call_was_late(struct rl_connection *connection, const struct rl_reply *reply, rl_time sent_at);

/*
 * Where the route wants replicas: queues the question whether they have what was written before,
 * and reads its answer, which leaves the last reply as it is. RL_OK: enough of them do.
 * RL_REFUSED as NOREPLICAS, or as the server refused to say.
 */
enum rl_status rl_replicas_ask(struct rl_route *route, struct rl_connection *connection, rl_time deadline,
	struct rl_error *error);
enum rl_status rl_replicas_hear(const struct rl_route *route, struct rl_connection *connection, rl_time deadline,
	struct rl_error *error);
/*
 * Where nothing was done that replicas should have: reads the answer that was asked for if it is there, or comes in a
 * moment. Otherwise the connection may not be used any more, since the server answers nothing else before it. The last
 * reply stays.
 */
void rl_replicas_leave(struct rl_connection *connection);

/* A refusal that passes by itself. */
bool rl_call_refusal_is_transient(const struct rl_error *refusal);

/* Gives up on an answer that is out: writes the undo behind it, if there is one, and closes. */
void rl_call_abandon(struct rl_call *call, struct rl_session *session);

/* Lends a connection to the server that answers for `key`. RL_OK, RL_REFUSED, RL_UNREACHABLE or RL_NO_MEMORY. */
enum rl_status rl_session_begin(struct rl_session *session, struct rl_route *route, struct rl_text key,
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
