/*
 * One script, run once, however often it must be sent.
 *
 * The scripts are idempotent under their token or baton, so a call that got no answer is simply
 * sent again. These obstacles do not reach the caller, as long as its deadline leaves time: a
 * script cache that was flushed, a reused connection that turns out dead, connections that the
 * server ends, a server that is busy or loading for a moment, a cluster's map that is out of date.
 *
 *   struct rl_call call = { .eval = ... };
 *   rl_request_begin()
 *   rl_request_run()      sends and reads, as often as necessary
 *   ...                   request.reply is used
 *   rl_request_end()
 *
 * A request is the call under way: it follows the call's route, one exchange with a server
 * (exchange.h) at a time.
 */
#ifndef RL_CALL_H
#define RL_CALL_H

#include "doubt.h"
#include "replicas.h"

struct rl_call {
	struct rl_eval eval; /* its keys are all of one slot */
	/*
	 * Forms the call that undoes this one; NULL: there is none. If the deadline passes while the
	 * answer is out, the undo is written behind the call on the same connection, so that a frozen
	 * server undoes the call when it thaws; and so it is if the call is given up.
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
	bool tells_text; /* nobody may be there to hear that the server does not know the script */
	/* the caller tries again by itself, unless another server has to be looked for */
	bool is_hasty;
	size_t reply_nodes; /* how many parts the answer may have beyond what most have; 0 */
	/* out */
	/*
	 * before the first byte of the first sending that may have been done; a repetition begins
	 * nothing anew
	 */
	rl_time sent_at;
	struct rl_doubt doubt; /* over all sendings: what it leaves, the next contact has to undo */
	bool is_transient;     /* it failed for a reason that may pass by itself */
	bool too_few;          /* it was done, and too few replicas had acknowledged it in time */
};

/*
 * A call under way. It is not copied once it has begun. Asserted:
 *
 *   1. It is either in a try, which has an exchange, or pauses, or goes elsewhere.
 *   2. A call that was answered has its reply, and is not in doubt.
 *   3. What may have been sent and was not answered leaves it in doubt.
 *   4. It has one silent connection at most, the exchange's or its own.
 */
struct rl_request {
	struct rl_route *route;
	struct rl_call *call;
	rl_time deadline;             /* moves as an exchange's does */
	const struct rl_reply *reply; /* out: of a call that was answered; or NULL */
	/* its own */
	bool is_unheard;                     /* nobody waits for the answer */
	rl_time paused_until;                /* before the next try; 0: it does not pause */
	struct rl_server *elsewhere;         /* where the next try goes, this once; or NULL */
	bool is_asking;                      /* this try goes there, so that ASKING precedes the call */
	bool has_exchange;                   /* this try has a server */
	bool reconnected;                    /* a connection broke, and another was tried */
	bool was_silent;                     /* an idle connection, and another was tried */
	struct rl_silent silent;             /* between tries, and in the end */
	const struct rl_server *answered_by; /* the last that did, perhaps by a refusal */
	bool redirected;                     /* the last try was sent on, in no loop yet */
	bool sent_on;                        /* the one before it was */
	bool connected;                      /* the last try had a connection */
	bool out_of_time;                    /* another try would be worth it */
	unsigned hops;
	struct rl_rider replicas;
	struct rl_exchange exchange;
	/* why it was not done, for when later tries say less; RL_OK: for no reason that is known */
	enum rl_status reason;
	struct rl_error why;
};

void rl_request_begin(struct rl_request *request, struct rl_route *route, struct rl_call *call,
	rl_time deadline);
/*
 * RL_OK: the reply is there, is not an error, and is valid until the end. RL_INTERRUPTED: nobody
 * wants that any more, and it is still under way: it may be run on. Otherwise it failed:
 * RL_REFUSED, RL_UNREACHABLE or RL_NO_MEMORY.
 */
enum rl_status rl_request_run(struct rl_request *request, struct rl_error *error);
/* The same until it is out, and RL_INTERRUPTED then. */
enum rl_status rl_request_send(struct rl_request *request, struct rl_error *error);
/* May come at any time: a call that is out then may have been done, and says so. */
void rl_request_end(struct rl_request *request);
/* Whether it may have been done. */
bool rl_request_may_be_done(const struct rl_request *request);
/*
 * Another call behind the one that is out, on the same connection, at once; the answer to the first
 * is left to nobody. False: it is not out, and nothing has changed. `form` makes the other call,
 * which may be in the place of the first.
 */
bool rl_request_follow(struct rl_request *request, struct rl_call *(*form)(void *context),
	void *context, rl_time deadline);

/*
 * Sends it once, and nobody hears the answer. False: it could not be sent, or not all of it; but it
 * may have been done. Deadline 0: only if that can be done at once, on a connection that is idle.
 */
bool rl_call_send(struct rl_route *route, struct rl_call *call, rl_time deadline);

/* Writes it, for exchanges of several calls. RL_OK or RL_NO_MEMORY. */
enum rl_status rl_call_write(struct rl_route *route, const struct rl_call *call, rl_time deadline,
	struct rl_exchange *exchange, struct rl_error *error);
/* The answer is not one of our scripts': RL_UNREACHABLE, and nothing more is read there. */
enum rl_status rl_call_nonsense(struct rl_exchange *exchange, struct rl_error *error);
/* Whether it matters that replicas have what a call does; `up_to` is its replicated_up_to. */
bool rl_call_wants_replicas(const struct rl_route *route, int64_t up_to);
/* Whether the reply says that something was done that they should have. */
bool rl_call_was_done(const struct rl_route *route, int64_t up_to, const struct rl_reply *reply);

/* Between tries while a server has to be looked for. */
#define RL_CALL_SEARCH_PAUSE (100 * RL_MILLISECOND)
/* False: that would be too late for another try, or nobody wants one. */
bool rl_call_pause(rl_time pause, rl_time deadline);

#endif
