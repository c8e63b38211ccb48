/*
 * Asking for a lock: an attempt, from its first ask to its end.
 *
 *   rl_ask()                   asks once, and leaves the answer in attempt->grant
 *   rl_ask_end()               gives back what an ask has
 *   rl_ask_replace_token()     before another ask, where nobody knows what an earlier one has done
 *   rl_ask_pass_on(), rl_ask_leave_turnstile()    when a wait is over
 *
 * and then the lock is kept, or the backend's discard() has the lease, with attempt->doubt.
 *
 * What one ask consists of, one after the other, as far as each is needed:
 *
 *   1. What was discarded on that server is released.
 *   2. The backend asks: acquire; and enter, if the lock is held shared (one server).
 *   3. If a lease of ours that was discarded may be what holds the lock, it is released, and the
 *      backend asks once more.
 *   4. A share of the very name that asks becomes exclusive.
 */
#ifndef RL_ASK_H
#define RL_ASK_H

#include "../owner/owner.h"
#include "../protocol.h"

/* The backend's, for one server: the last request, and its words. */
struct rl_asked {
	struct rl_request request;
	struct rl_take take;
};

struct rl_attempt {
	struct rl_owner *owner;
	struct rl_lease *lease;       /* to be; not in the owner yet */
	struct rl_detached *detached; /* the lock that is asked for; or NULL */
	rl_time renewed_for;          /* as the request's */
	struct rl_guarded *guarded;   /* read by the same script; or NULL */
	bool leaves_free;             /* what is granted is not kept */
	int64_t lease_ms;
	enum rl_policy policy;
	const struct rl_retry *retry; /* or NULL */
	rl_time began;
	rl_time until;         /* end of the wait; RL_FOREVER */
	rl_time deadline;      /* of the call, or of the part of a wait that is under way */
	rl_time asked_at;      /* before the first byte of the last ask */
	rl_time answered_at;   /* when its answer was read */
	struct rl_grant grant; /* that answer */
	struct rl_text heard;  /* what a list has brought, for the next ask; or without data */
	/*
	 * waiting is in vain: the name of a detached lock has a share of it that cannot become
	 * exclusive, or there is no value to be guarded
	 */
	bool is_refused;
	struct rl_doubt doubt; /* of all asks with this token: whether the server may hold it for us */
	bool is_transient;     /* the last ask was refused for a reason that may go away by itself */
	bool too_few;          /* because too few replicas acknowledged it */
	bool is_beside;        /* the next ask only guards a place in a queue */
	bool is_unwanted;      /* nobody wants the lock any more: nobody may ever make another call */
	bool has_request;      /* of `asked`: it has begun, and not ended */
	struct rl_asked *asked;
};

/* How an ask is made. */
struct rl_ask_terms {
	int64_t flag_ms; /* how long to keep the waiting flag up; 0: no wait is announced */
	rl_time deadline;
	bool releases; /* what was discarded on that server is released before it */
	/* its answer is not awaited: once it is out, rl_ask_end() undoes it behind */
	bool is_unheard;
};
/*
 * RL_OK: it was answered, and attempt->grant says what. RL_UNREACHABLE, RL_REFUSED or RL_NO_MEMORY.
 * RL_INTERRUPTED: nobody wants the lock any more.
 */
enum rl_status rl_ask(struct rl_attempt *attempt, struct rl_ask_terms *how, struct rl_error *error);
/*
 * The exchange that was answered, on a connection that is still its own: another may follow there
 * (rl_exchange_follow). NULL: there is none.
 */
struct rl_exchange *rl_ask_exchange(struct rl_attempt *attempt);
/*
 * Something else follows within the ask. If its deadline has passed by now, although what goes
 * before was in time, nobody had looked, and it moves, for no longer than that is late.
 */
static inline void rl_ask_extend_deadline(
	const struct rl_attempt *attempt, struct rl_ask_terms *how)
{
	rl_time now = rl_now();

	if (now >= how->deadline) {
		how->deadline = rl_time_earlier(
			rl_owner_deadline(attempt->owner, now), now + (now - how->deadline));
	}
}
/* Ends what the last ask has, at any time: what was sent may have been done. */
void rl_ask_end(struct rl_attempt *attempt);

/*
 * Gives the attempt another token for its next ask, and discards the old one: an answer to that was
 * given up on, and what takes it back may run at any time.
 */
enum rl_status rl_ask_replace_token(struct rl_attempt *attempt, struct rl_error *error);

/* The next part of a wait has a deadline of its own. */
void rl_attempt_reset_deadline(struct rl_attempt *attempt);
/* How long an ask that announces a wait keeps the waiting flag up. */
int64_t rl_attempt_flag_ms(const struct rl_attempt *attempt);
/* Whether another try later may succeed where an ask of a wait has failed so. */
bool rl_attempt_may_retry(const struct rl_attempt *attempt, enum rl_status failure);
/* Whether we are the first waiter for a lock that is held shared, and have the turnstile. */
bool rl_attempt_is_first(const struct rl_attempt *attempt);

/*
 * What a list has brought is passed on, since we have no use for it: a baton to the next waiter, or
 * the lock is left free; and the word that the lock may be free by asking for it and giving it
 * back, but not under a name, which may have it from another call.
 */
void rl_ask_pass_on(struct rl_attempt *attempt, struct rl_text heard);
/* We do not wait any more, and give up our place at the turnstile: the next waiter is first. */
void rl_ask_leave_turnstile(struct rl_attempt *attempt);
/*
 * What was granted is given back at once, and nobody hears the answer, while the attempt is still
 * needed.
 */
void rl_ask_give_back(struct rl_attempt *attempt);

#endif
