/*
 * What an owner consists of, and what the files that implement owner.h share. owner.c has the owner's
 * life, how a call begins and finds its lease, the verdict on a lease that ended, and alarms. Each other
 * file is named after what a call does. Where functions below go together, one file has them all: acquire.c
 * the attempts and rl_owner_keep(), wait.c the wait, release.c the release of one lease and rl_owner_end_late(),
 * release_all.c that of many, inspect.c the looks, extend.c what makes a lease longer.
 */
#ifndef RL_OWNER_STATE_H
#define RL_OWNER_STATE_H

#include "claim.h"
#include "lease.h"
#include "loss.h"
#include "owner.h"
#include "renewal.h"
#include "step.h"
#include "tally.h"
#include "undo.h"

struct rl_unconfirmed;
struct wait;

struct rl_owner {
	struct rl_route *route;
	char *prefix;
	size_t prefix_length;
	struct rl_wait_hook hook;
	struct rl_owner_terms terms;
	struct rl_watch watch;  /* the renewal thread's part */
	struct rl_table leases; /* held, by name */
	struct rl_losses losses;
	const struct rl_loss *last_loss; /* remembered last; NULL: it could not be */
	struct rl_undo *undos;
	struct rl_leftover *leftovers;      /* of a majority: in the place of the two others */
	struct rl_unconfirmed *unconfirmed; /* releases whose answer is out, or a verdict not told yet */
	struct wait *waits;                 /* under way */
	struct rl_stats stats;
	rl_time deadline; /* of the call under way; 0: nothing has wanted to know it yet */
	bool goes_on;     /* the next call has the same */
};

/* The deadline of the call under way, which counts from when it is first asked for, whatever the call consists of. */
rl_time rl_owner_deadline(struct rl_owner *owner);
/* One that begins now, as for each step of a wait; what follows the last one shares that. */
rl_time rl_owner_deadline_anew(struct rl_owner *owner);
/* As rl_owner_deadline(), for a call that asks the server of this lock: what is still to be undone there goes before it. */
rl_time rl_owner_contact(struct rl_owner *owner, const struct rl_keys *keys);
/* Undoes what is to be undone, as far as it can be now, on the server of the lock `near`; NULL: anywhere. */
void rl_owner_undo(struct rl_owner *owner, const struct rl_keys *near, rl_time deadline);
/* Whether what an ask has found taken is still to be undone: it may be taken by nobody else. */
bool rl_owner_undoes(struct rl_owner *owner, const struct rl_lease *taken);
/*
 * Undoes what was discarded last, at once: it was granted, or may have been, and the server answers. A tenth of a second is
 * left for it even where the call's deadline has passed. Of a majority: sends whatever is to be released there.
 */
void rl_owner_undo_last(struct rl_owner *owner);

/*
 * Begins a call: RL_OK and the lease; RL_NO not held; RL_MISUSE inherited over fork; or a
 * verdict on an unconfirmed release that is due to be told.
 */
enum rl_status rl_owner_find(struct rl_owner *owner, const char *key, size_t key_length,
	struct rl_lease **lease, struct rl_error *error);
/* The same for a call that relies on it: if the renewal thread has found it lost, that is the verdict, and it has ended. */
enum rl_status rl_owner_use(struct rl_owner *owner, const char *key, size_t key_length,
	struct rl_lease **lease, struct rl_error *error);
/* Takes it out of the owner; the caller frees it. It is not renewed any more. */
void rl_owner_detach(struct rl_owner *owner, struct rl_lease *lease);
/*
 * Frees a lease that is out of the owner; but it is remembered, to be undone, if it may still be held (`doubtful`), or if
 * copies of a request may still come that take it anew.
 */
void rl_owner_discard(struct rl_owner *owner, struct rl_lease *lease, bool doubtful);

/*
 * Makes a granted lease the owner's. What the grant's answer came too late for, or cannot be
 * kept (RL_UNREACHABLE, RL_NO_MEMORY), is the caller's to undo.
 */
enum rl_status rl_owner_keep(struct rl_owner *owner, struct rl_lease *lease, rl_time asked_at, int64_t lease_ms,
	struct rl_error *error);

/* The name of a lock, printable and cut, for messages. */
const char *rl_owner_name(const struct rl_lease *lease, char buffer[RL_NAME_SIZE]);

/*
 * The verdict on a lease that the server did not know as ours any more: RL_TIMED_OUT or
 * RL_LOST, counted and remembered. `answer` is GONE, TAKEN or UNKNOWN; `now` is when it was given.
 */
enum rl_status rl_owner_judge(struct rl_owner *owner, const struct rl_lease *lease,
	enum rl_answer answer, rl_time now, struct rl_error *error);
/* The same on a lease whose time is over, of which no server has told anything. */
enum rl_status rl_owner_judge_unanswered(struct rl_owner *owner, const struct rl_lease *lease, struct rl_error *error);

/* Giving one lease back, which may take several sendings. */
struct rl_release {
	struct rl_lease *lease; /* detached; not freed by these functions */
	struct rl_step step;
	rl_time sent_at;       /* before the first sending */
	struct rl_tally tally; /* of a majority's nodes */
	uint32_t lost;         /* of them those that did not answer an earlier sending */
	uint32_t counted;      /* those that have voted */
};
void rl_release_begin(struct rl_release *release, struct rl_lease *lease, int64_t delay_ms);
/* RL_OK; a verdict; RL_UNREACHABLE, RL_REFUSED. */
enum rl_status rl_release_run(struct rl_owner *owner, struct rl_release *release, rl_time deadline,
	struct rl_error *error);
/* Whether it may not have been done, and is to be repeated at the next contact. */
bool rl_release_is_open(const struct rl_release *release, enum rl_status status);
/* What the server's answer means, given `now`: RL_OK or a verdict. */
enum rl_status rl_release_conclude(struct rl_owner *owner, const struct rl_release *release,
	enum rl_answer answer, rl_time now, struct rl_error *error);

/* Counts what a majority's node has answered. `again`: to a second sending; the first one's answer was lost. */
void rl_release_count(struct rl_release *release, size_t node, enum rl_answer answer, bool again);

/* Counts what giving one lease back came to. */
void rl_summary_note(struct rl_release_summary *summary, const struct rl_lease *lease, enum rl_status status,
	const struct rl_error *error);

/*
 * Ends a lease whose deadline has passed and says what became of it: RL_TIMED_OUT if the server
 * still knew it as ours, too; RL_LOST if no server can tell, or none does until `deadline`.
 */
enum rl_status rl_owner_end_late(struct rl_owner *owner, struct rl_lease *lease, rl_time deadline, struct rl_error *error);
/* Ends a lease that is not ours any more, as the server said at `found_at`: the verdict. */
enum rl_status rl_owner_end_lost(struct rl_owner *owner, struct rl_lease *lease, enum rl_answer answer,
	rl_time found_at, struct rl_error *error);

/*
 * Before a call that asks the server about this lease: what became of its claim, if that was not
 * waited for. RL_OK: it is ours; a verdict, and the lease is freed; or still not known.
 */
enum rl_status rl_owner_settle(struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error);

/* inspect's answer. It points into the reply, or to `copy`. */
struct rl_state {
	const char *value; /* NULL: free, or of another type */
	size_t value_length;
	int64_t left_ms; /* -1: never expires; -2: free */
	int64_t fence;   /* 0: none */
	bool contended;
	char *copy;
};
/* False: it is none of ours. */
bool rl_state_parse(const struct rl_reply *reply, struct rl_state *state);

/* Begins a call that looks who holds it: a verdict, or RL_OK, and no hand-over to us is seen in flight. */
enum rl_status rl_owner_look(struct rl_owner *owner, const char *key, size_t key_length, struct rl_error *error);
/* Looks, as rl_owner_holder(). */
enum rl_status rl_keys_holder(struct rl_owner *owner, const struct rl_keys *keys,
	struct rl_holder *out, struct rl_error *error);

/* Asks the server, as rl_owner_is_locking(). */
enum rl_status rl_lease_ask(struct rl_owner *owner, const struct rl_lease *lease, int64_t *left_ms,
	struct rl_error *error);

/* Gives back leases that are out of the owner, linked by their `next`, and frees them. */
void rl_release_entries(struct rl_owner *owner, struct rl_table_entry *entry, rl_time deadline,
	struct rl_release_summary *summary);

/* The lease becomes the longer of what is left and `lease_ms`. After a verdict it is freed. */
enum rl_status rl_lengthen(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, struct rl_error *error);
/* Re-entrance: the same, and a level deeper. */
enum rl_status rl_reenter(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, struct rl_error *error);

/* A take under way. */
struct rl_attempt {
	struct rl_owner *owner;
	struct rl_wait_hook hook;
	struct rl_lease *lease; /* to be; not in the owner yet */
	int64_t lease_ms;
	enum rl_policy policy;
	const struct rl_retry *retry; /* or NULL */
	rl_time began;
	rl_time until;         /* end of the wait; RL_FOREVER */
	rl_time asked_at;      /* before the first byte of the last ask or claim */
	rl_time answered_at;   /* when its answer was read */
	struct rl_grant grant; /* that answer */
	const char *turn;      /* NULL, or the name of the cooldown that is over, after which it comes next */
	bool doubtful;         /* if it fails: it may be ours for all we know */
	bool may_pass;         /* the last ask or claim was refused for a reason that may pass by itself */
	bool too_few;          /* because too few replicas acknowledged it */
	rl_time failed_at;     /* since when asking has failed; 0: the last ask was answered */
};

/* Asks once. RL_OK: attempt->grant has the answer, and the session is the caller's to end. */
enum rl_status rl_attempt_ask(struct rl_attempt *attempt, int64_t flag_ms, rl_time deadline,
	struct rl_session *session, struct rl_error *error);

/*
 * What is asked from now on is asked by another token, and the old one is undone before: an answer was given up on, or a
 * sending was lost and may still take the lock, whose lease would have begun then.
 */
enum rl_status rl_attempt_renew_token(struct rl_attempt *attempt, struct rl_error *error);

/* Of an ask or a claim that failed: another one later may fare better. */
bool rl_attempt_may_pass(const struct rl_attempt *attempt, enum rl_status failure);

/* As rl_owner_acquire(), with a hook in place of the owner's. */
enum rl_status rl_acquire_hooked(struct rl_owner *owner, const struct rl_acquire *request, struct rl_wait_hook hook,
	struct rl_error *error);

/* How long the waiting flag is kept up: until well after a waiter's next ask. */
#define RL_FLAG_MS 1500

/*
 * Waits after an ask that found it taken. RL_OK: attempt->grant is ours; RL_NO: stayed busy, or the owner
 * has taken it meanwhile in another way; RL_INTERRUPTED; RL_UNREACHABLE; RL_REFUSED. Takes the session over.
 * `asked` is what the first ask came to: if not RL_OK, it failed as `error` says, and may fare better later.
 */
enum rl_status rl_wait(struct rl_attempt *attempt, struct rl_session *session, enum rl_status asked, struct rl_error *error);
/*
 * Ends the owner's waits that are still under way: their calls will never return, since a fatal error has left the
 * fibers in which they were made suspended for good. A baton that comes is passed on.
 */
void rl_waits_end(struct rl_owner *owner);

#endif
