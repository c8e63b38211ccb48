/*
 * A take under way, from its first ask to its end:
 *
 *   the backend's ask()        asks once, and leaves the answer in attempt->grant
 *   rl_attempt_release_own()   after an answer that the lock is taken
 *   rl_attempt_renew_token()   before another ask, where an earlier one was taken back
 *
 * and then rl_owner_keep(), or the backend's discard() with attempt->maybe_held.
 */
#ifndef RL_ATTEMPT_H
#define RL_ATTEMPT_H

#include "../owner/owner.h"
#include "../protocol.h"

/* How often a waiter asks at least, and how long its place lasts where it may not come to that. */
#define RL_LONGEST_GAP (8 * RL_SECOND)

struct rl_attempt {
	struct rl_owner *owner;
	struct rl_lease *lease;       /* to be; not in the owner yet */
	struct rl_detached *detached; /* the lock that is asked for; or NULL */
	struct rl_guarded *guarded;   /* read in the same step; or NULL */
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
	bool maybe_held; /* if it fails: the server may hold it for us, for all we know */
	/* a sending was not answered, and a copy of it may still take the lock */
	bool was_lost;
	bool is_transient; /* the last ask was refused for a reason that may go away by itself */
	bool too_few;      /* because too few replicas acknowledged it */
	bool is_beside;    /* the next ask only guards a place in a queue */
	rl_time failed_at; /* since when asking has failed; 0: the last ask was answered */
};

/*
 * After an ask that found the lock taken. If an earlier lease of our own may be what holds it, this
 * releases that and asks once more. Returns as the backend's ask(); `session` is that of the last
 * ask.
 */
enum rl_status rl_attempt_release_own(struct rl_attempt *attempt, int64_t flag_ms, rl_time deadline,
	struct rl_session *session, struct rl_error *error);

/*
 * Gives the attempt another token for its next ask, and discards the old one: an answer to that was
 * given up on, and what takes it back may run at any time.
 */
enum rl_status rl_attempt_renew_token(struct rl_attempt *attempt, struct rl_error *error);

/* Begins a step: it has a deadline of its own. */
void rl_attempt_begin_step(struct rl_attempt *attempt);

/* How long an ask that announces a wait keeps the waiting flag up. */
int64_t rl_attempt_flag_ms(const struct rl_attempt *attempt);

/* Whether another try later may succeed where an ask has failed so. */
bool rl_attempt_may_retry(const struct rl_attempt *attempt, enum rl_status failure);

/* Whether we are the first waiter for a lock that is held shared, and have the turnstile. */
bool rl_attempt_is_first(const struct rl_attempt *attempt);
/*
 * Passes on what a list has brought, since we have no use for it: a baton to the next waiter, or
 * the lock is left free; and the word that the lock may be free by asking for it and giving it
 * back.
 */
void rl_attempt_pass_on(struct rl_attempt *attempt, struct rl_text heard);
/*
 * Gives up our place at the turnstile, since we do not wait any more: the next waiter is the first
 * then.
 */
void rl_attempt_leave_turnstile(struct rl_attempt *attempt);

#endif
