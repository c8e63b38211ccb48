/*
 * An owner of locks: what PHP's class RLock wraps. This header is all that the glue sees of the
 * core's locks.
 *
 *   rl_owner_new()          chooses where the locks are, by its route; nothing is connected to yet
 *   rl_owner_acquire()      and the other calls below, any number of times
 *   rl_owner_end_all()      gives back what is still held
 *   rl_owner_free()
 *
 * An owner's locks are re-entrant, except for detached ones, which are a name's and not an owner's.
 * Two owners exclude each other, even in one process. An owner belongs to one thread. While a call
 * waits, whatever for, it runs the owner's wait hook (../../base/hook.h says when). That may use
 * the same owner: no pointer into the owner is kept across a wait, which is asserted for the lease
 * that is waited for (lease.h, 1).
 *
 * Every function with a `struct rl_error *` fills it whenever it returns neither RL_OK nor RL_NO.
 * Keys are binary. Durations are rl_time unless their names end in _ms.
 */
#ifndef RL_OWNER_H
#define RL_OWNER_H

#include "../renewal/renewal.h"
#include "../token.h"
#include "../waiter.h"
#include "../../base/error.h"
#include "../../base/hook.h"
#include "../../base/list.h"
#include "../../route/route.h"

struct rl_owner;
struct rl_guarded;

struct rl_stats {
	uint64_t acquired, busy, waits, renewals, timeouts, lost, reconnects, requests;
	rl_time waited;
};

/*
 * Takes the route over, also on failure. `prefix` and `terms` are copied; without `terms`, leases
 * are neither renewed nor watched. NULL: out of memory.
 */
struct rl_owner *rl_owner_new(struct rl_route *route, struct rl_text prefix,
	struct rl_wait_hook hook, const struct rl_renewal_terms *terms);
/*
 * Frees the owner without I/O: call rl_owner_end_all() before. Only what still waits in a queue
 * leaves that: a wait whose call will never return, as after a fatal error beside a suspended
 * fiber.
 */
void rl_owner_free(struct rl_owner *owner);

/*
 * After an alarm, or at any time. RL_OK: there is no news. Otherwise the verdict on one lease,
 * RL_TIMED_OUT or RL_LOST, each told once; error->key names the lock, until the owner's next call.
 * The lease has ended at all its levels, and rl_owner_check() repeats the verdict. This may ask the
 * server what became of a lease whose time is over, for 0.2 s at most. Call it until it returns
 * RL_OK.
 */
enum rl_status rl_owner_alarm(struct rl_owner *owner, struct rl_error *error);
/*
 * Raises the alarm again in a moment, for callers that cannot act on it now. False: there is no
 * news.
 */
bool rl_owner_alarm_later(struct rl_owner *owner);

/*
 * Around a call, or several that are one to whoever makes them: in between the owner's hook runs
 * while something is waited for. Once it has said that nobody wants the result, what is asked ends
 * with RL_INTERRUPTED, and is undone behind, within 0.1 s as far as the servers answer. An owner's
 * end runs no hook.
 */
void rl_owner_begin_call(struct rl_owner *owner);
void rl_owner_end_call(struct rl_owner *owner);

/*
 * When a call ends, whatever it consists of, that began at `began`, or whose wait was over then:
 * after the route's timeout.
 */
rl_time rl_owner_deadline(const struct rl_owner *owner, rl_time began);

const struct rl_stats *rl_owner_stats(struct rl_owner *owner);
/*
 * What all owners of this process have counted, in all threads, and those that are gone, too. A
 * forked child begins anew. Owners of other threads are counted up to their last rl_owner_tally().
 */
struct rl_stats rl_owner_totals(void);
/* After a call, where other threads may ask for the totals. */
void rl_owner_tally(struct rl_owner *owner);

enum rl_policy {
	RL_POLICY_FAIL_FAST,
	RL_POLICY_WAIT
};

/*
 * Extra asks during a wait, for holders whose release wakes no one (foreign clients): next() sets
 * how long to pause before retry number `attempt`, counted from 1; RL_FOREVER: no extra ask. False
 * ends the wait. It may do whatever a wait hook may do.
 */
struct rl_retry {
	bool (*next)(void *context, unsigned attempt, rl_time *pause);
	void *context;
};

struct rl_detached;

struct rl_acquire {
	struct rl_text key;
	/* a share: any number of owners at once, while nobody has the lock exclusively */
	bool is_shared;
	/* of a share: granted if fewer than this many are held; 0: any number */
	int64_t limit;
	/* a detached lock, whose key this is; NULL: this owner is to hold it */
	struct rl_detached *detached;
	/* and it is renewed, until this long after it was taken; 0: not; RL_FOREVER */
	rl_time renewed_for;
	struct rl_guarded *guarded; /* a value that is read at once with that (guarded.h); or NULL */
	bool until_free;            /* rl_owner_wait_until_free()'s own */
	/* of the owner's call that this is a part of, and moves with it; NULL: a call of its own */
	rl_time *deadline;
	struct rl_text metadata; /* without data: none */
	int64_t lease_ms;        /* 1 to RL_LEASE_MAX_MS */
	rl_time wait;            /* 0: ask once; RL_FOREVER */
	enum rl_policy policy;
	const struct rl_retry *retry; /* or NULL */
};
/*
 * RL_OK: the lock is ours, or the holder's; RL_NO: it stayed busy, or guarded->is_absent; or a
 * verdict on a lease that we held and that turns out to have ended. RL_MISUSE: a share of a lock on
 * a majority.
 *
 * On a lock that is held already this goes a level deeper. A share of a lock that is held
 * exclusively changes nothing about that. An exclusive lock where a share is held asks once,
 * whatever `wait` says: if ours is the only share, all levels are exclusive, under a new fence;
 * otherwise RL_NO. If it is not known whether that was done (an error with error->unanswered), the
 * lock is not held any more.
 */
enum rl_status rl_owner_acquire(
	struct rl_owner *owner, const struct rl_acquire *terms, struct rl_error *error);

/*
 * Waits in the queue until the lock is free, and takes nothing: whoever waits behind is told, too.
 * RL_OK: it was free; RL_NO: it stayed busy; RL_MISUSE: this owner holds it. `retry` may be NULL.
 */
enum rl_status rl_owner_wait_until_free(struct rl_owner *owner, struct rl_text key, rl_time wait,
	const struct rl_retry *retry, struct rl_error *error);

/*
 * A lock that is asked for and waited for in steps, by who has something else to do meanwhile. Any
 * other call of the owner may come between the steps, except one that asks for the same lock; while
 * a share becomes exclusive, one about it waits for the answer first. No step waits for anything.
 */
struct rl_pending;
struct rl_stack;
/*
 * Asks, and returns: it does not wait for the answer. `terms` are not of a detached lock, and their
 * policy is RL_POLICY_WAIT; their retry strategy outlives what is returned, which the caller ends
 * by rl_pending_end(), and is only asked by rl_pending_go_on(). All of it runs on `stack`, which is
 * taken over, also on failure. RL_OK; RL_MISUSE: the lock is waited for so already, or the system
 * has no descriptor for it; or a verdict on a lease that we hold. A lock that is held goes a level
 * deeper, in steps, too.
 */
enum rl_status rl_pending_begin(struct rl_owner *owner, const struct rl_acquire *terms,
	struct rl_stack *stack, struct rl_pending **out, struct rl_error *error);
/*
 * Goes on as far as that can be done without waiting. False: it is under way. Otherwise `*status`:
 * RL_OK: the lock is ours, or was when this said so first; RL_NO: it stayed busy, or this has said
 * why it failed; or why it fails, said once. In a child of the process always RL_MISUSE.
 */
bool rl_pending_go_on(
	struct rl_pending *pending, enum rl_status *status, struct rl_error *error);
/*
 * Readable while rl_pending_go_on() has something to do, and when it is over; the same from
 * beginning to end. It is to be watched, and neither read from nor closed.
 */
int rl_pending_fd(const struct rl_pending *pending);
/* Nobody waits any more: the status is RL_NO from now on, unless it was RL_OK. */
void rl_pending_cancel(struct rl_pending *pending);
/* The same, and frees it; the owner may be gone. */
void rl_pending_end(struct rl_pending *pending);
/*
 * Cancels all that the owner asks for so, and serves it for a moment; what is not over then is
 * dropped.
 */
void rl_owner_end_pendings(struct rl_owner *owner);
/*
 * Ends what this thread asks for so, whoever's it is: nothing of it is left afterwards but what
 * rl_pending_end() frees.
 */
void rl_owner_end_pendings_of_thread(void);
/*
 * Before a call, also one that asks nothing: goes on with what was begun in this thread and is not
 * waited for any more, as far as that can be done without waiting.
 */
void rl_owner_tidy(void);

/*
 * Exclusive becomes shared, with what is left of the lease and the same fence, at all levels;
 * waiters for a share get it. RL_OK: it is a share now; RL_NO: not held exclusively; a verdict.
 * RL_MISUSE: on a majority. If it is not known whether that was done (an error with
 * error->unanswered), the lock is not held any more.
 */
enum rl_status rl_owner_downgrade(
	struct rl_owner *owner, struct rl_text key, struct rl_error *error);

struct rl_acquire_key {
	struct rl_text name;
	bool was_share; /* the call notes here what it has made exclusive */
};
struct rl_acquire_all {
	struct rl_acquire_key *keys; /* the call sorts them */
	size_t count;
	int64_t lease_ms;
	rl_time wait; /* for all of them together */
	const struct rl_retry *retry;
};
/*
 * Takes all locks or none. RL_OK: all are ours, and safe. RL_NO: one stayed busy. After anything
 * but RL_OK, each lock is held as deep as before, and what was a share is one again: if that fails,
 * it is the call's error, and what is left is exclusive, or has ended as by rl_owner_downgrade().
 * An error about one key names it in error->key, which points into the terms or the owner.
 */
enum rl_status rl_owner_acquire_all(
	struct rl_owner *owner, const struct rl_acquire_all *terms, struct rl_error *error);

struct rl_release_terms {
	int64_t delay_ms; /* for this long afterwards nobody may take the lock */
	/* wait for the answer; otherwise only if the release may be late. Nobody hears it later */
	bool confirm;
	struct rl_guarded *guarded; /* a value that is written at once with that (guarded.h); or NULL */
	/* no call follows: what is refused is asked for again for as long as the call lasts */
	bool last;
};
/*
 * RL_OK: the lock was given back (not confirmed: sent in time), or left by one level; RL_NO: not
 * held; a verdict.
 */
enum rl_status rl_owner_release(struct rl_owner *owner, struct rl_text key,
	struct rl_release_terms terms, struct rl_error *error);

/*
 * Reads a value that a lock guards, whoever has the lock, and lets it live for guarded->life_ms
 * from now on; 0: as long as it does; -1: it is deleted. Not on a majority, where no value is
 * guarded.
 */
enum rl_status rl_owner_peek(
	struct rl_owner *owner, struct rl_guarded *guarded, struct rl_error *error);

/*
 * Writes a value as a release does, while the lock stays ours. RL_OK: as there; RL_NO: not held; a
 * verdict.
 */
enum rl_status rl_owner_save(struct rl_owner *owner, struct rl_text key,
	struct rl_guarded *guarded, struct rl_error *error);

/*
 * RL_OK: the lease is `lease_ms` from now; RL_NO: not held; RL_TIMED_OUT with error->held; RL_LOST.
 */
enum rl_status rl_owner_prolongate(
	struct rl_owner *owner, struct rl_text key, int64_t lease_ms, struct rl_error *error);

/*
 * Asks the server. RL_OK: the lock is ours; `left_ms`, or NULL, is told what is left of the lease,
 * -1 for ever. RL_NO.
 */
enum rl_status rl_owner_is_locking(struct rl_owner *owner, struct rl_text key, int64_t *left_ms,
	struct rl_error *error);

/*
 * Does no I/O while the lease is surely safe. RL_OK; a verdict, the same at each call; RL_MISUSE:
 * never held.
 */
enum rl_status rl_owner_check(struct rl_owner *owner, struct rl_text key, struct rl_error *error);

/* What we hold. All of it points into the owner, and is valid until its next call. */
struct rl_lease_view {
	struct rl_text token;
	struct rl_text metadata; /* without data: none */
	int64_t fence;           /* 0: none, or not known */
	unsigned depth;
	rl_time left;   /* 0 or more, by the local clock */
	rl_time waited; /* how long taking it took */
	bool is_shared;
	const char *failure; /* why the last renewal failed, at `failed_at`; NULL: it did not */
	rl_time failed_at;
};
/* Asks no server. RL_OK; RL_NO: not held; RL_MISUSE: inherited over fork(). */
enum rl_status rl_owner_lease(struct rl_owner *owner, struct rl_text key, struct rl_lease_view *out,
	struct rl_error *error);

/*
 * Gives our lock away, with a new lease unless `lease_ms` is 0. RL_OK: whoever has `token` can take
 * it; the caller frees the token. RL_NO: not held; a verdict. RL_MISUSE: it is a share.
 */
enum rl_status rl_owner_hand_over(struct rl_owner *owner, struct rl_text key, int64_t lease_ms,
	struct rl_token *token, struct rl_error *error);
/*
 * Takes a lock over by its token, with a new lease unless `lease_ms` is 0. RL_NO: the token does
 * not hold the lock.
 */
enum rl_status rl_owner_adopt(struct rl_owner *owner, struct rl_text key, struct rl_text token,
	int64_t lease_ms, struct rl_error *error);
/*
 * Frees the lock whoever holds it, all shares of it, even if it changes hands meanwhile; or only
 * the grant, which may be one share of several, with this fence, unless it is 0. RL_NO: it is free,
 * or another grant.
 */
enum rl_status rl_owner_break(
	struct rl_owner *owner, struct rl_text key, int64_t fence, struct rl_error *error);

/*
 * Detached locks are held by a name, which any owner in any process may say: rl_owner_acquire()
 * takes them, with the longer of what is left and the lease if the name has the lock already. There
 * are no levels, no verdicts, and nothing but rl_owner_detached_release() gives them back. They may
 * be shares as any lock, and the functions below are for either kind.
 *
 * Whoever says the name keeps one of these. `grant` is what it had of the lock last, which another
 * process may have ended since; without it, or where it is not true any more, a call asks the
 * server first. It is freed by rl_owner_detached_forget(), also when its owner is gone.
 *
 * A grant that is taken so is renewed, until this is forgotten or the owner ends, and is not
 * released then. Its loss is told by rl_owner_alarm() and rl_owner_check(), unless the name itself
 * has ended it elsewhere.
 */
struct rl_detached {
	struct rl_text key, name; /* the name: 1 to RL_HOLDER_MAX bytes */
	struct rl_lease *grant;   /* NULL at first */
	/* In the owner's list, while the grant is renewed. */
	RL_LINK(struct rl_detached, renewed);
};
void rl_owner_detached_forget(struct rl_detached *detached);

/*
 * RL_OK: it is a share now; RL_NO: this name does not have it exclusively, and nothing has changed.
 * RL_MISUSE: on a majority.
 */
enum rl_status rl_owner_detached_downgrade(
	struct rl_owner *owner, struct rl_detached *detached, struct rl_error *error);
/*
 * RL_OK: the lease is `lease_ms` from now; RL_NO: it is not this name's, and nothing has changed.
 */
enum rl_status rl_owner_detached_prolongate(
	struct rl_owner *owner, struct rl_detached *detached, int64_t lease_ms, struct rl_error *error);
/*
 * RL_OK: given back, and for `delay_ms` nobody may take it; RL_NO: it is not this name's, and
 * nothing has changed.
 */
enum rl_status rl_owner_detached_release(
	struct rl_owner *owner, struct rl_detached *detached, int64_t delay_ms, struct rl_error *error);

/* What a name holds. */
struct rl_detached_view {
	int64_t left_ms; /* -1: for ever */
	int64_t fence;   /* 0: none, or not known */
};
/* Asks the server. RL_NO: it is not this name's. */
enum rl_status rl_owner_detached_look(struct rl_owner *owner, struct rl_detached *detached,
	struct rl_detached_view *out, struct rl_error *error);

enum rl_holder_kind {
	RL_HOLDER_LEASE,
	RL_HOLDER_DETACHED,
	/* given to a token that nobody has adopted yet, or to a waiter that has not claimed it yet */
	RL_HOLDER_HAND_OVER,
	RL_HOLDER_COOLDOWN, /* nobody may have it; the rest says who had it */
	RL_HOLDER_FOREIGN
};

struct rl_holder {
	enum rl_holder_kind kind;
	char *value;             /* what `owner` and `metadata` point into; holds a secret */
	struct rl_text owner;    /* "" for a foreign lock, or during a hand-over */
	struct rl_text metadata; /* without data: none */
	int64_t fence;           /* 0: none, or not known */
	int64_t left_ms;         /* -1: never expires */
	bool contended;
	bool is_shared; /* of rl_owner_holder(): the share that lasts longest */
	/* An owner of this very thread has it. `owner` does not say: another container may have the
	 * same name */
	bool is_ours;
};
/* RL_OK: somebody holds the lock, and `out` is to be cleared; RL_NO: it is free. */
enum rl_status rl_owner_holder(struct rl_owner *owner, struct rl_text key, struct rl_holder *out,
	struct rl_error *error);
/* The same as a part of a call that ends at `deadline`, and whose result it explains. */
enum rl_status rl_owner_holder_now(struct rl_owner *owner, struct rl_text key, rl_time deadline,
	struct rl_holder *out, struct rl_error *error);
void rl_owner_holder_clear(struct rl_holder *holder);

/*
 * All holders of one lock: one if it is exclusive, each share's otherwise. `found` is called for
 * each of them, when the server has answered; it must not use the owner, and what it is given is
 * valid during the call. False ends it early, which is RL_OK. RL_NO: the lock is free. On a
 * majority, where there are no shares, as rl_owner_holder().
 */
struct rl_sharers {
	bool (*found)(void *context, const struct rl_holder *holder);
	void *context;
};
enum rl_status rl_owner_sharers(struct rl_owner *owner, struct rl_text key,
	const struct rl_sharers *request, struct rl_error *error);

/* Which locks to look for, and what to call for each. */
struct rl_holders {
	/* a glob of names, as SCAN's MATCH reads it; the prefix is not part of it */
	struct rl_text pattern;
	size_t limit; /* at most this many locks, 1 or more */
	/*
	 * Called once for each lock, in no order, while the search goes on. It must not use the owner.
	 * `shown` is what to call it, which is not its name if that has a session's id in it. All are
	 * valid during the call. False ends the search, which then is RL_OK.
	 */
	bool (*found)(void *context, struct rl_text name, struct rl_text shown,
		const struct rl_holder *holder);
	void *context;
};
/*
 * Who holds what: every lock under the owner's prefix whose name matches. On a majority, those that
 * a majority of nodes holds. RL_OK: all that were held from the beginning to the end have been
 * told, unless there are more than `limit`; of those that were taken or ended meanwhile, some.
 * Otherwise some may have been told before it failed. RL_MISUSE: their names take more than 64 MiB.
 *
 * Servers are asked with SCAN, for a hundred keys at a time, so that none is blocked, and what was
 * found is looked at ten at a time. So the time that it takes depends on how many keys the servers
 * have, of whatever kind. Each request has the deadline of a call.
 */
enum rl_status rl_owner_holders(
	struct rl_owner *owner, const struct rl_holders *terms, struct rl_error *error);

/* Which of the processes that are parked. */
struct rl_waiters {
	/*
	 * Called for each, whatever lock of whatever prefix it waits for. It must not use the owner,
	 * and the waiter is valid during the call. False ends it, which then is RL_OK.
	 */
	bool (*found)(void *context, const struct rl_waiter *waiter);
	void *context;
};
/*
 * Who waits at this moment, in no order, within one call's deadline. Each server is asked for the
 * list of its clients, which may be 8 MiB long. Waiters that may not park are not in it. RL_MISUSE:
 * on a majority, where none does.
 */
enum rl_status rl_owner_waiters(
	struct rl_owner *owner, const struct rl_waiters *terms, struct rl_error *error);
/* What waiters for this lock have as their hash. False: out of memory. */
bool rl_owner_hash(
	const struct rl_owner *owner, struct rl_text name, char hash[RL_WAITER_HASH]);

#define RL_NAME_SIZE 80 /* of a lock's name in a message: printable, and cut */

/* What giving everything back came to. */
struct rl_release_summary {
	size_t released, timed_out, lost, failed;
	char first_key[RL_NAME_SIZE]; /* the first that was late, lost or failed; otherwise "" */
	enum rl_status failure;       /* of the first that failed; otherwise RL_OK */
	struct rl_error first_failure;
};
/*
 * Gives back everything held within one deadline. Afterwards nothing is held, whatever came of it,
 * unless this is part of a call that changes a lock: its `failure` is RL_MISUSE.
 */
void rl_owner_release_all(struct rl_owner *owner, struct rl_release_summary *summary);
/*
 * The same of several owners, whose last call this is, within one deadline that counts from
 * `began`: each server is asked as one owner would ask it. What is refused is asked for again until
 * then, and so is what an earlier call could not release.
 */
void rl_owner_end_all(struct rl_owner *const *owners, size_t count, rl_time began,
	struct rl_release_summary *summary);
/*
 * The same of one that nothing is pending of, but its hook runs meanwhile, and may use it. What
 * that takes, or keeps from being given back, is left to rl_owner_end_all().
 */
void rl_owner_close(
	struct rl_owner *owner, rl_time began, struct rl_release_summary *summary);

/* The name of a server that evicts keys when its memory is full, told once; otherwise NULL. */
const char *rl_owner_evicting_once(struct rl_owner *owner);

/* For asking its servers what no lock is about. It stays the owner's. */
struct rl_route *rl_owner_route(struct rl_owner *owner);

/* For showing it. */
struct rl_text rl_owner_prefix(const struct rl_owner *owner);
const char *rl_owner_servers(const struct rl_owner *owner); /* without secrets */
/*
 * Calls `held` for each lease that is held, without I/O and in no order. It must not use the owner,
 * and what it is given is valid during the call. False: it has returned that, which ended it.
 */
bool rl_owner_leases(struct rl_owner *owner,
	bool (*held)(void *context, struct rl_text key, const struct rl_lease_view *view),
	void *context);

/* How many leases are held, not counting those inherited over fork(). */
size_t rl_owner_held(struct rl_owner *owner);

#endif
