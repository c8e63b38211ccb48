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

#include "script.h"
#include "session.h"

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
	 * Forms the call that takes this one back; NULL: there is none. If the deadline passes while the answer is
	 * out, that is written behind the call on the same connection, so that a frozen server undoes when it thaws.
	 */
	const struct rl_call *(*undo)(struct rl_call *call);
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

/* A refusal that passes by itself. */
bool rl_call_refusal_is_transient(const struct rl_error *refusal);

/* Gives up on an answer that is out: writes the undo behind it, if there is one, and closes. */
void rl_call_abandon(struct rl_call *call, struct rl_session *session);

#endif
