/*
 * An owner of locks: what PHP's class RLock wraps. This is the whole core as the glue sees it.
 *
 * An owner's locks are re-entrant; two owners exclude each other even in one process. An owner
 * belongs to one thread. While it waits it calls its wait hook, which may use the same owner:
 * no pointer into the owner is kept across that call.
 *
 * Every function that takes a `struct rl_error *` fills it whenever it returns neither RL_OK
 * nor RL_NO. Each may return a verdict on an earlier release that was not confirmed, or
 * RL_REFUSED if the server refused that: then error->key names the lock, and nothing else was sent or
 * done. Keys are binary. Durations are rl_time unless a name ends in _ms.
 */
#ifndef RL_OWNER_H
#define RL_OWNER_H

#include "../base/error.h"
#include "../route/route.h"
#include "token.h"

struct rl_owner;

/* Called in a wait when a signal came, and at least every `interval` (0: 0.1 s). False ends the wait (RL_INTERRUPTED). */
struct rl_wait_hook {
	bool (*run)(void *context);
	void *context;
	rl_time interval;
};

/*
 * Raised by the process's renewal thread, on that thread: when a lease of the owner was found lost, or its deadline has
 * passed. It may set atomic flags and do nothing else. It is not raised any more once the owner has been freed.
 */
struct rl_alarm {
	void (*raise)(void *context);
	void *context;
};

/* How an owner's leases are looked after. With `renew` or `alarmed`, there is a thread while there is a lease. */
struct rl_owner_terms {
	bool renew;       /* keep them alive */
	rl_time max_hold; /* for so long after the lock was taken, then no more; RL_FOREVER */
	bool alarmed;
	struct rl_alarm alarm; /* rl_owner_alarm() tells then what happened */
};

struct rl_stats {
	uint64_t acquired, busy, waits, renewals, timeouts, lost, reconnects, requests;
	rl_time waited;
};

/* Takes the route over. `prefix` and `terms` are copied; `terms` NULL: neither renewed nor alarmed. NULL: out of memory. */
struct rl_owner *rl_owner_new(struct rl_route *route, struct rl_text prefix, struct rl_wait_hook hook,
	const struct rl_owner_terms *terms);
/*
 * Closes without I/O: give back first with rl_owner_release_all(). Only a wait whose call will never return, as
 * after a fatal error beside a suspended fiber, leaves the queue now.
 */
void rl_owner_free(struct rl_owner *owner);

/*
 * After an alarm, or at any time: RL_OK nothing new; else the verdict on one lease, RL_TIMED_OUT or RL_LOST, each told
 * once; error->key names it, until the owner's next call. The lease has ended, at all levels, and rl_owner_check() goes on
 * saying so. May ask the server, for 0.2 s at most, what became of a lease that ran out. Call it until it says RL_OK.
 */
enum rl_status rl_owner_alarm(struct rl_owner *owner, struct rl_error *error);
/* Raises the alarm once more in a moment, for what cannot be told now. False: there is nothing to tell. */
bool rl_owner_alarm_later(struct rl_owner *owner);

/*
 * The renewal thread ends by itself 20 ms after the last lease that needs it. The first of these ends it now, unless
 * another lease needs it: at a request's end. It waits for that for 0.1 s at most. The second ends it in any case, and
 * returns when it has ended: before this code may be unloaded. Without a thread, both do nothing.
 */
void rl_renewal_rest(void);
void rl_renewal_stop(void);

/*
 * The owner's next call belongs to the one before, and shares its deadline. Without it each function here has a deadline
 * of its own, of the route's timeout, but for rl_owner_holder_now(), which always belongs to the call before. A wait comes on top.
 */
void rl_owner_go_on(struct rl_owner *owner);

const struct rl_stats *rl_owner_stats(struct rl_owner *owner);

enum rl_policy {
	RL_POLICY_FAIL_FAST,
	RL_POLICY_WAIT
};

/*
 * Tries of its own within a wait, for what wakes nobody: `*pause` before retry number `attempt`
 * (from 1); RL_FOREVER: none of its own. False: no more. It may do what a wait hook may do.
 */
struct rl_retry {
	bool (*next)(void *context, unsigned attempt, rl_time *pause);
	void *context;
};

struct rl_acquire {
	struct rl_text key;
	struct rl_text metadata; /* without data: none */
	int64_t lease_ms;        /* 1 to RL_LEASE_MAX_MS */
	rl_time wait;            /* 0: ask once; RL_FOREVER */
	enum rl_policy policy;
	const struct rl_retry *retry;    /* its end ends the wait; or NULL */
	const struct rl_wait_hook *hook; /* in place of the owner's; or NULL */
};
/* RL_OK ours; RL_NO stayed busy; a verdict if a lease that we held already turned out to have ended. */
enum rl_status rl_owner_acquire(struct rl_owner *owner, const struct rl_acquire *request, struct rl_error *error);

struct rl_acquire_all {
	const struct rl_text *keys;
	size_t count;
	int64_t lease_ms;
	rl_time wait; /* for all together */
	const struct rl_retry *retry;
};
/*
 * All or none. RL_OK all ours, and safe; RL_NO one stayed busy, and the depths are as before, as after any
 * failure. What is about one key has it in error->key, which points into the request or the owner.
 */
enum rl_status rl_owner_acquire_all(struct rl_owner *owner, const struct rl_acquire_all *request, struct rl_error *error);

struct rl_release_terms {
	int64_t delay_ms; /* for so long afterwards nobody may take it */
	bool confirm;     /* wait for the answer; else only while it is surely in time */
};
/* RL_OK given back (not confirmed: sent in time), or a level less; RL_NO not held; a verdict. */
enum rl_status rl_owner_release(struct rl_owner *owner, struct rl_text key,
	struct rl_release_terms terms, struct rl_error *error);
/* A verdict on a release that was not confirmed, as any call would return it, without I/O; RL_OK: none is due. */
enum rl_status rl_owner_verdict(struct rl_owner *owner, struct rl_error *error);

/* RL_OK the lease is `lease_ms` from now; RL_NO not held; RL_TIMED_OUT with error->held; RL_LOST. */
enum rl_status rl_owner_prolongate(struct rl_owner *owner, struct rl_text key,
	int64_t lease_ms, struct rl_error *error);

/* Asks the server. RL_OK ours (left_ms: of our lease, -1: for ever; or NULL); RL_NO. */
enum rl_status rl_owner_is_locking(struct rl_owner *owner, struct rl_text key,
	int64_t *left_ms, struct rl_error *error);

/*
 * No I/O while surely safe; after a wait it is that once the claim has been answered, which is waited for. RL_OK; a
 * verdict, again at each call; RL_MISUSE if never held; RL_UNREACHABLE, RL_REFUSED: the claim was not answered, and the
 * lock is held for now.
 */
enum rl_status rl_owner_check(struct rl_owner *owner, struct rl_text key, struct rl_error *error);

/*
 * What we hold, without I/O; only after a wait the claim's answer is waited for, once. Pointers are the owner's, valid
 * until its next call.
 */
struct rl_lease_view {
	const char *token;
	size_t token_length;
	const char *metadata;
	size_t metadata_length; /* NULL: none */
	int64_t fence;          /* 0: none */
	unsigned depth;
	rl_time left; /* 0 or more, by the local clock */
};
/* RL_OK; RL_NO not held; RL_MISUSE inherited over fork. */
enum rl_status rl_owner_lease(struct rl_owner *owner, struct rl_text key,
	struct rl_lease_view *out, struct rl_error *error);

/*
 * Gives our lock away, with a new lease unless `lease_ms` is 0. RL_OK: `token` takes it, and is
 * the caller's to free; RL_NO not held; a verdict.
 */
enum rl_status rl_owner_hand_over(struct rl_owner *owner, struct rl_text key, int64_t lease_ms,
	struct rl_token *token, struct rl_error *error);
/* Takes a lock over by its token, with a new lease unless `lease_ms` is 0. RL_NO: the token does not hold it. */
enum rl_status rl_owner_adopt(struct rl_owner *owner, struct rl_text key, struct rl_text token,
	int64_t lease_ms, struct rl_error *error);
/* Frees it whoever holds it, also if it changes hands meanwhile. RL_NO: it is free. */
enum rl_status rl_owner_break(struct rl_owner *owner, struct rl_text key, struct rl_error *error);

struct rl_holder {
	char *value;
	size_t value_length; /* the allocation behind the two below; holds a secret */
	const char *owner;
	size_t owner_length; /* "" for a foreign lock */
	const char *metadata;
	size_t metadata_length; /* NULL: none */
	int64_t fence;          /* 0: none */
	int64_t left_ms;        /* -1: never expires */
	bool contended;
};
/* RL_OK someone holds it; RL_NO free. rl_owner_holder_clear() afterwards. */
enum rl_status rl_owner_holder(struct rl_owner *owner, struct rl_text key,
	struct rl_holder *out, struct rl_error *error);
/* The same, to be told beside what the call before came to: it tells no verdict itself. */
enum rl_status rl_owner_holder_now(struct rl_owner *owner, struct rl_text key,
	struct rl_holder *out, struct rl_error *error);
void rl_owner_holder_clear(struct rl_holder *holder);

#define RL_NAME_SIZE 80 /* of a lock's name in a message: printable, and cut */

/* What giving back everything came to. */
struct rl_release_summary {
	size_t released, timed_out, lost, failed;
	size_t untold;                /* of those timed out or lost: by releases that were not confirmed */
	char first_key[RL_NAME_SIZE]; /* the first that was late, lost or failed; else "" */
	enum rl_status failure;       /* of the first that failed; else RL_OK */
	struct rl_error first_failure;
};
/*
 * Gives back everything held within one deadline, counted from `began`, which several owners may
 * share; afterwards nothing is held, whatever came of it.
 */
void rl_owner_release_all(struct rl_owner *owner, rl_time began, struct rl_release_summary *summary);

/* The name of a server that was seen to evict keys when its memory is full, once; else NULL. */
const char *rl_owner_evicting_once(struct rl_owner *owner);

/* Held leases, those inherited over fork not counted. */
size_t rl_owner_held(struct rl_owner *owner);

#endif
