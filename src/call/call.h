/*
 * One script, run once, however often it must be sent.
 *
 * The scripts are idempotent under their token or baton, so a call that got no answer is simply
 * sent again. These obstacles do not reach the caller, as long as its deadline leaves time: a
 * script cache that was flushed, a reused connection that turns out dead, a server that is busy or
 * loading for a moment, a cluster's map that is out of date.
 *
 *   struct rl_call call = { .script = ..., .keys = ..., .args = ... };
 *   rl_call_run()         sends and reads, as often as necessary
 *   ...                   the reply is used
 *   rl_session_end()
 *
 * Callers that read no answer begin a session, then use rl_call_send(). Those that send several
 * calls at once use rl_call_queue().
 */
#ifndef RL_CALL_H
#define RL_CALL_H

#include "script.h"
#include "session.h"

#define RL_CALL_KEYS 8
#define RL_CALL_ARGS 6

struct rl_call {
	const struct rl_script *script;
	struct rl_text keys[RL_CALL_KEYS]; /* all of one slot */
	size_t key_count;
	struct rl_text args[RL_CALL_ARGS];
	size_t arg_count;
	/*
	 * The index in `args` of the call's deadline by the server's clock, in microseconds. The script
	 * refuses a copy that arrives later, when nobody waits for the answer any more. The caller puts
	 * "0" there, which is what is sent as long as the server's clock is not known. 0: the script
	 * has no such argument.
	 */
	size_t until_arg;
	/*
	 * Forms the call that undoes this one; NULL: there is none. If the deadline passes while the
	 * answer is out, the undo is written behind the call on the same connection, so that a frozen
	 * server undoes the call when it thaws.
	 */
	const struct rl_call *(*undo)(struct rl_call *call);
	/*
	 * While a cluster's slot moves, the call may be sent with its first key alone, the lock's. The
	 * script then does without what the other keys would say.
	 */
	bool lock_key_alone_ok;
	/*
	 * An integer from 1 up to this, or an array that begins with one, says that something was done
	 * that counts only once the route's replicas have it, too. 0: replicas do not matter.
	 */
	int64_t replicated_up_to;
	/* the caller tries again by itself, unless another server has to be looked for */
	bool is_hasty;
	size_t reply_nodes; /* how many parts the answer may have beyond what most have; 0 */
	/* out */
	/*
	 * before the first byte of the first sending that may have been done; a repetition begins
	 * nothing anew
	 */
	rl_time sent_at;
	unsigned unanswered; /* sends whose answer never came: each may have been done */
	bool is_transient;   /* it failed for a reason that may pass by itself */
	bool too_few;        /* it was done, and too few replicas had acknowledged it in time */
	/* it failed, and may have been done, or may yet be: the next contact has to undo it */
	bool maybe_done;
};

/*
 * RL_OK: the reply is not an error, and valid until the session's next read; the caller ends the
 * session. Otherwise there is no session: RL_REFUSED, RL_UNREACHABLE or RL_NO_MEMORY.
 */
enum rl_status rl_call_run(struct rl_route *route, struct rl_call *call, rl_time deadline,
	struct rl_session *session, const struct rl_reply **reply, struct rl_error *error);

/* How the script is named to the server. */
enum rl_naming {
	RL_BY_HASH, /* the server most likely knows it; otherwise it says so, and is told */
	/*
	 * by its text the first time on a connection: nobody may be there to hear that the server does
	 * not know it, or the server has said so
	 */
	RL_BY_TEXT_ONCE,
	RL_BY_TEXT /* its script cache may be flushed before it gets there */
};

/* Sends it once, in a session that the caller has begun. */
enum rl_status rl_call_send(struct rl_route *route, struct rl_call *call,
	struct rl_session *session, enum rl_naming naming, rl_time deadline, struct rl_error *error);

/* Queues the call, for callers that send and read several calls at once. */
enum rl_status rl_call_queue(struct rl_route *route, const struct rl_call *call,
	struct rl_connection *connection, enum rl_naming naming, rl_time deadline,
	struct rl_error *error);
/*
 * Whether the server refused a call for what is known better now: it did not know the script, or by
 * its clock the call's deadline had passed, of which our notion was wrong. Then the call may be
 * sent again, RL_BY_TEXT_ONCE. `sent_at`: when it was sent.
 */
bool rl_call_is_mended(
	struct rl_connection *connection, const struct rl_reply *refusal, rl_time sent_at);
/* After each of the two once, the call succeeds, or fails for another reason. */
#define RL_CALL_MENDS_MAX 2

/* Whether the reply says that something was done for which replicas are asked. */
bool rl_call_was_done(
	const struct rl_route *route, const struct rl_call *call, const struct rl_reply *reply);

/* Between tries while a server says that it will be back, and while it has to be looked for. */
#define RL_CALL_RETRY_PAUSE (10 * RL_MILLISECOND)
#define RL_CALL_LOOK_PAUSE  (100 * RL_MILLISECOND)
/* False: that would be too late for another try. */
bool rl_call_pause(rl_time pause, rl_time deadline);

#endif
