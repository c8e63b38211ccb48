/*
 * A take under way, from its first ask to its end:
 *
 *   the backend's ask()        asks once, and leaves the answer in attempt->grant
 *   rl_attempt_release_own()  after an answer that the lock is taken
 *   rl_attempt_renew_token()   before another ask, where an earlier one may still take the lock
 *
 * and then rl_owner_keep(), or the backend's discard() with attempt->maybe_held.
 */
#ifndef RL_ATTEMPT_H
#define RL_ATTEMPT_H

#include "owner/owner.h"
#include "protocol.h"

/* How long the first ask of a wait keeps the waiting flag up: until well after the waiter's next one, a second later. */
#define RL_FLAG_MS 2500

struct rl_attempt {
	struct rl_owner *owner;
	struct rl_lease *lease; /* to be; not in the owner yet */
	int64_t lease_ms;
	enum rl_policy policy;
	const struct rl_retry *retry; /* or NULL */
	rl_time began;
	rl_time until;         /* end of the wait; RL_FOREVER */
	rl_time asked_at;      /* before the first byte of the last ask or claim */
	rl_time answered_at;   /* when its answer was read */
	struct rl_grant grant; /* that answer */
	struct rl_text pass;   /* a baton or a ticket for the next ask, which then uses the turnstile; or without data */
	bool is_refused;       /* the name of a detached lock has a share of it that cannot become exclusive */
	bool maybe_held;       /* if it fails: the server may hold it for us, for all we know */
	bool is_transient;     /* the last ask or claim was refused for a reason that may go away by itself */
	bool too_few;          /* because too few replicas acknowledged it */
	rl_time failed_at;     /* since when asking has failed; 0: the last ask was answered */
};

/*
 * After an ask that found the lock taken. If an earlier lease of our own may be what holds it, this releases that and asks
 * once more. If the lock stays taken and a lost sending may still take it, the attempt gets another token. Returns as the
 * backend's ask(); `session` is that of the last ask.
 */
enum rl_status rl_attempt_release_own(struct rl_attempt *attempt, int64_t flag_ms, rl_time deadline,
	struct rl_session *session, struct rl_error *error);

/*
 * Gives the attempt another token for its next ask, and discards the old one: an answer to that was given up on, or a
 * sending was lost and may still take the lock, with a lease that began then.
 */
enum rl_status rl_attempt_renew_token(struct rl_attempt *attempt, struct rl_error *error);

/* Whether another try later may succeed where an ask or a claim has failed so. */
bool rl_attempt_may_retry(const struct rl_attempt *attempt, enum rl_status failure);

#endif
