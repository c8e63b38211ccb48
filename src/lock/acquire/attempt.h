/*
 * A take under way, from its first ask to its end:
 *
 *   rl_attempt_ask()           asks once, and leaves the answer in attempt->grant
 *   rl_attempt_renew_token()   before another ask, where an earlier one was taken back
 *   rl_attempt_pass_on(), rl_attempt_leave_turnstile()    when a wait is over
 *
 * and then rl_owner_keep(), or the backend's discard() with attempt->doubt.
 *
 * Asking, passing on and leaving are errands (errand.h): the function begins it, and is RL_NO as a
 * rule. Then rl_errand_go_on(&asking->errand) steps it, or rl_errand_run() to its end. What an ask
 * consists of, each a function that is called with the answer to the one before:
 *
 *   UNDOING ──► TAKING ──► ENTERING ──► UPGRADING     undone(); the backend's; upgraded()
 *      ▲                      │
 *      └──────────────────────┘ busy, perhaps with an earlier lease of our own
 */
#ifndef RL_ATTEMPT_H
#define RL_ATTEMPT_H

#include "../../call/errand.h"
#include "../owner/owner.h"
#include "../protocol.h"

struct rl_attempt;

/* The requests of an attempt. Not copied once it has begun. */
struct rl_asking {
	struct rl_errand errand; /* its context is the attempt */
	int64_t flag_ms;         /* how long the ask keeps the waiting flag up; 0: not at all */
	rl_time deadline;
	struct rl_take take;      /* the words of the call under way */
	bool enters;              /* the call under way is enter */
	bool opens;               /* it is open, which reads a value, too */
	bool has_undone;          /* an earlier lease of our own was released, to ask once more */
	bool for_the_next;        /* what is granted is given back: it only tells the next waiter */
	struct rl_lease *undoing; /* out of the owner's list while its release is under way; or NULL */
	/*
	 * What is to be done if the ask is given up while its part is under way; NULL: nothing. `kept`
	 * is the backend's.
	 */
	void (*give_up)(struct rl_attempt *attempt);
	void *kept;
};

struct rl_attempt {
	struct rl_owner *owner;
	struct rl_asking *asking;
	struct rl_lease *lease;       /* to be; not in the owner yet */
	struct rl_detached *detached; /* the lock that is asked for; or NULL */
	rl_time renewed_for;          /* as the request's */
	struct rl_guarded *guarded;   /* read in the same step; or NULL */
	bool leaves_free;             /* what is granted is not kept */
	int64_t lease_ms;
	enum rl_policy policy;
	const struct rl_retry *retry; /* or NULL */
	rl_time began;
	rl_time until;         /* end of the wait; RL_FOREVER */
	rl_time deadline;      /* of the step under way; a wait has several */
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
};

/* Gives it what it asks by, which stays the caller's. */
void rl_attempt_begin(struct rl_attempt *attempt, struct rl_asking *asking);
/* How an ask is made. */
struct rl_ask {
	int64_t flag_ms; /* how long to keep the waiting flag up; 0: no wait is announced */
	rl_time deadline;
	bool undoes; /* what is still to be released on that server is, before it */
};
/*
 * Begins to ask, and does what can be done at once if that finds the lock taken: if an earlier
 * lease of our own may be what holds it, that is released, and asked once more; and a share of the
 * very name that asks becomes exclusive. RL_NO: it is under way. In the end RL_OK: attempt->grant
 * has the answer, and rl_errand_exchange() the connection on which it came; RL_UNREACHABLE,
 * RL_REFUSED or RL_NO_MEMORY.
 */
enum rl_status rl_attempt_ask(
	struct rl_attempt *attempt, const struct rl_ask *how, struct rl_error *error);
/* For the backend: what its ask() has come to. Returns what the errand goes on with. */
enum rl_status rl_attempt_asked(
	struct rl_attempt *attempt, enum rl_status status, struct rl_error *error);
/* Ends what is under way, at any time: what was sent may have been done. */
void rl_attempt_give_up(struct rl_attempt *attempt);

/*
 * Nobody wants it, and nobody may ever make another call: what may have been granted is released at
 * once, as far as that can be done without waiting, and once more at the next contact.
 */
void rl_attempt_drop(struct rl_attempt *attempt);
/* The same with what was granted by one server, while the attempt is still needed. */
void rl_attempt_give_back(struct rl_attempt *attempt);

/*
 * Gives the attempt another token for its next ask, and discards the old one: an answer to that was
 * given up on, and what takes it back may run at any time.
 */
enum rl_status rl_attempt_renew_token(struct rl_attempt *attempt, struct rl_error *error);

/* Begins a step: it has a deadline of its own. */
void rl_attempt_begin_step(struct rl_attempt *attempt);

/* How long an ask that announces a wait keeps the waiting flag up. */
int64_t rl_attempt_flag_ms(const struct rl_attempt *attempt);

/* Whether another try later may succeed where an ask of a wait has failed so. */
bool rl_attempt_may_retry(const struct rl_attempt *attempt, enum rl_status failure);

/* Whether we are the first waiter for a lock that is held shared, and have the turnstile. */
bool rl_attempt_is_first(const struct rl_attempt *attempt);
/*
 * Begins to pass on what a list has brought, since we have no use for it: a baton to the next
 * waiter, or the lock is left free; and the word that the lock may be free by asking for it and
 * giving it back. RL_NO; or RL_OK: there is nothing to be done.
 */
enum rl_status rl_attempt_pass_on(
	struct rl_attempt *attempt, struct rl_text heard, struct rl_error *error);
/* Whether such an ask is out: if it is given up, it is undone behind. */
bool rl_attempt_asks_for_others(const struct rl_attempt *attempt);
/*
 * Begins to give up our place at the turnstile, since we do not wait any more: the next waiter is
 * the first then. RL_NO.
 */
enum rl_status rl_attempt_leave_turnstile(struct rl_attempt *attempt);

#endif
