/*
 * What an owner consists of, and what the files that implement owner.h share: how a call begins and
 * finds its lease, and how a lease comes into the owner and leaves it. That is in held_leases.c and
 * ended_leases.c; run.c sends one step.
 *
 * The calls are in the rooms beside this one (CONTRIBUTING.md), most in a file of their name:
 * rl_owner_adopt() is in adopt.c. None of them frees a lease that a server may have granted: that
 * is the backend's to discard.
 */
#ifndef RL_OWNER_INTERNAL_H
#define RL_OWNER_INTERNAL_H

#include "backend.h"
#include "release.h"
#include "../../base/assert.h"
#include "../../base/list.h"
#include "../renewal/watch.h"
#include "verdict.h"
#include "past_verdicts.h"

struct rl_change;
struct rl_pending;
struct rl_wait;

struct rl_owner {
	struct rl_route *route;
	const struct rl_backend *backend;
	struct rl_text prefix;
	struct rl_wait_hook hook;
	struct rl_watch watch;  /* the renewal thread's part */
	struct rl_table leases; /* held, by name */
	struct rl_past_verdicts past_verdicts;
	struct rl_table_entry *discarded; /* leases whose release nobody waits for: the backend's */
	struct rl_wait *waits;            /* under way */
	struct rl_pending *pendings;      /* likewise */
	struct rl_change *changes;        /* likewise: of leases that are held */
	struct rl_detached *renewed;      /* whose grants are: detached_grant.h */
	struct rl_stats stats;
	struct rl_stats shown; /* to other threads, which read it by rl_thread_see() */
	/* In the list of all owners: stats.c. */
	RL_LINK(struct rl_owner, counted);
	bool ends; /* no call follows, so what is refused is asked for again now */
	char prefix_copy[];
};

/* The owner's counters are in the totals from the one until the other: stats.c. */
void rl_owner_begin_count(struct rl_owner *owner);
void rl_owner_end_count(struct rl_owner *owner);
/* Whether an owner of this thread has the lock `key`, prefix included, by this token. */
bool rl_owner_of_this_thread_has(struct rl_text key, struct rl_text token);

/*
 * Where no other call may follow, or too few replicas have followed this one: what was discarded is
 * released now, also if the call has used up its time.
 */
void rl_owner_release_discarded(struct rl_owner *owner, rl_time deadline);

/* Runs one step. RL_OK: it was answered. */
enum rl_status rl_owner_run(struct rl_owner *owner, struct rl_step *step, rl_time deadline,
	struct rl_outcome *outcome, struct rl_error *error);
/* The same, for any answer. */
enum rl_status rl_owner_run_item(struct rl_owner *owner, struct rl_batch_item *item,
	rl_time deadline, struct rl_error *error);
/*
 * The same for a step about a lease in hand, which is pinned meanwhile, once what is to be released
 * on its server has been. RL_AGAIN, whatever was answered: others have ended the lease, or made
 * another grant of it, and it may be freed. What was granted in its name then is given back.
 */
enum rl_status rl_owner_run_item_about(struct rl_owner *owner, struct rl_batch_item *item,
	rl_time deadline, struct rl_error *error);
/* The same, answered by an outcome, which is there after RL_AGAIN, too, if it was answered. */
enum rl_status rl_owner_run_about(struct rl_owner *owner, struct rl_step *step, rl_time deadline,
	struct rl_outcome *outcome, struct rl_error *error);
/*
 * Inspects a lock, once what is to be released on its server has been. RL_OK: the state is to be
 * cleared. `everywhere`: as in a step.
 */
enum rl_status rl_owner_inspect(struct rl_owner *owner, const struct rl_keys *keys,
	bool everywhere, rl_time deadline, struct rl_lock_state *state, struct rl_error *error);

/* Whether the lease is in the owner's table: for assertions. */
static inline bool rl_owner_has(const struct rl_owner *owner, const struct rl_lease *lease)
{
	return rl_table_find(&owner->leases, lease->entry.key) == &lease->entry;
}

/* RL_OK and the lease; RL_NO not held; RL_MISUSE inherited over fork. */
enum rl_status rl_owner_find(
	struct rl_owner *owner, struct rl_text key, struct rl_lease **lease, struct rl_error *error);
/*
 * The same for a call that relies on it: if the renewal thread has found it lost, that is the
 * verdict, and it has ended.
 */
enum rl_status rl_owner_use(struct rl_owner *owner, struct rl_text key, rl_time deadline,
	struct rl_lease **lease, struct rl_error *error);
/*
 * The same for a call that sends something about it: changes of it that are under way (change.h)
 * are waited for. RL_INTERRUPTED: nobody wants to know any more.
 */
enum rl_status rl_owner_use_alone(struct rl_owner *owner, struct rl_text key, rl_time deadline,
	struct rl_lease **lease, struct rl_error *error);
/*
 * Waits for those of that lock; without data: for all. RL_INTERRUPTED: as before; RL_MISUSE: this
 * is part of one.
 */
enum rl_status rl_owner_finish_changes(
	struct rl_owner *owner, struct rl_text key, struct rl_error *error);

/*
 * Makes a granted lease the owner's. What the grant's answer came too late for, or cannot be
 * kept (RL_UNREACHABLE, RL_NO_MEMORY), is the caller's to discard.
 */
enum rl_status rl_owner_keep(struct rl_owner *owner, struct rl_lease *lease, rl_time asked_at,
	int64_t lease_ms, struct rl_error *error);
/*
 * RL_UNREACHABLE: the answer that granted or prolonged the lease came when that had already run
 * out.
 */
enum rl_status rl_owner_came_in_time(
	struct rl_owner *owner, const struct rl_lease *lease, struct rl_error *error);
/*
 * Takes a lease out of the owner; the caller hands it to the backend. It is not renewed any more.
 */
void rl_owner_remove(struct rl_owner *owner, struct rl_lease *lease);

/*
 * The same with all leases, which are chained by `next` in front of `behind`, except for a
 * parent's: those stay, to be refused.
 */
struct rl_table_entry *rl_owner_remove_all(struct rl_owner *owner, struct rl_table_entry *behind);

/* The same grant in this mode is to be released, too, wherever it may be. */
void rl_owner_discard_as(struct rl_owner *owner, const struct rl_lease *lease, bool is_share);
/* Leases whose release nobody waits for: adds one; takes one out and frees it, or all of them. */
void rl_owner_add_discarded(struct rl_owner *owner, struct rl_lease *lease);
void rl_owner_drop_discarded(struct rl_table_entry **link);
void rl_owner_drop_all_discarded(struct rl_owner *owner);

/* RL_OK: one can change hands by a token where this owner's are; RL_MISUSE. */
enum rl_status rl_owner_can_hand_over(struct rl_owner *owner, struct rl_error *error);
/*
 * Gives a lease back that is out of the owner, with what is still to be released on the same
 * server.
 */
enum rl_status rl_owner_give_back(
	struct rl_owner *owner, struct rl_release *release, rl_time deadline, struct rl_error *error);
/* Ends a lease that is not ours any more, as the server said at `found_at`: the verdict. */
enum rl_status rl_owner_end_lost(struct rl_owner *owner, struct rl_lease *lease,
	enum rl_answer answer, rl_time found_at, rl_time deadline, struct rl_error *error);
/*
 * Ends a lease whose deadline has passed and says what became of it: RL_TIMED_OUT if the server
 * still knew it as ours, too; RL_LOST if no server can tell, or none does until `deadline`. RL_OK:
 * a new grant of it was unanswered, and has been made. RL_AGAIN: others have ended it meanwhile.
 */
enum rl_status rl_owner_end_late(
	struct rl_owner *owner, struct rl_lease *lease, rl_time deadline, struct rl_error *error);

#endif
