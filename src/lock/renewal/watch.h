/*
 * The owner's side of the background: its leases are renewed there, or only watched, so that their
 * loss is noticed while the program does something else.
 *
 *   rl_watch_expect()  before the owner asks for a lease
 *   rl_watch_begin()   when it keeps it
 *   rl_watch_found()    what the thread has learned of it by now
 *   rl_watch_pause()   before the owner makes another grant of it, and waits for that;
 *   rl_watch_change()  before it changes the mode; and then
 *   rl_watch_go_on()   or rl_watch_go_on_as_before()
 *   rl_watch_end()     before its release is sent
 *
 * One thread of the process (thread.c says how long it lives) does this for all owners. It knows
 * each lease by a task (task.h) with copies of all that it needs. It never touches
 * a lease, and of an owner only its struct rl_watch, under the tasks' mutex. Only the owner's
 * thread calls the functions below. A lease without a task costs nothing: for it they do nothing.
 */
#ifndef RL_WATCH_H
#define RL_WATCH_H

#include "../batch.h"
#include "../lease.h"
#include "renewal.h"

struct rl_task;

/* How the thread sends what it renews: the owner's backend's run(). */
typedef enum rl_status rl_watch_run(struct rl_batch *batch);

/* What an owner and the renewal thread have in common. */
struct rl_watch {
	rl_watch_run *run;
	bool renew;
	rl_time max_hold;
	struct rl_alarm alarm; /* raise is NULL: none */
	uintptr_t thread;      /* the owner's */
	uint64_t generation;   /* of the process that has the news */
	/* of leases that were found to have ended, which the owner has not heard yet */
	struct rl_task *news;
	uint64_t renewals;
};

/* Without `terms`, leases are neither renewed nor watched. */
void rl_watch_init(
	struct rl_watch *watch, rl_watch_run *run, const struct rl_renewal_terms *terms);

/*
 * Until when a lease of the owner's is renewed, by its terms, that was asked for at `asked_at`; 0:
 * it is not.
 */
rl_time rl_watch_until(const struct rl_watch *watch, rl_time asked_at);

/*
 * Before anything is sent that may be granted, and then is renewed (`renews`) or at least watched:
 * if the thread looks after such a lease, it runs by now, and until rl_watch_expect_no_more().
 * RL_OK, or RL_MISUSE when the system refuses a thread.
 */
enum rl_status rl_watch_expect(
	const struct rl_watch *watch, bool renews, struct rl_error *error);
void rl_watch_expect_no_more(const struct rl_watch *watch, bool renews);

/*
 * The thread looks after the lease from now on: it renews it until `renew_until`, unless that is 0,
 * and watches it if the owner's terms say so. The caller has set `safe_until` and `length_ms`.
 * RL_OK, RL_NO_MEMORY, or RL_MISUSE when the system refuses a thread.
 */
enum rl_status rl_watch_begin(struct rl_watch *watch, const struct rl_route *route,
	struct rl_lease *lease, rl_time asked_at, rl_time renew_until, struct rl_error *error);
/* The thread lets go of it. Sets `safe_until` to what the thread knew last. */
void rl_watch_end(struct rl_lease *lease);

/*
 * Sets `safe_until` to what the thread knows by now, and the whole tenure if a new grant was
 * unanswered and the thread has made it. RL_ANSWER_OURS: there is no bad news; otherwise what the
 * server answered, at `*found_at`.
 */
enum rl_answer rl_watch_found(struct rl_lease *lease, rl_time *found_at);

/* The same for callers that need no news. */
void rl_watch_sync(struct rl_lease *lease);
/* The owner has lengthened the lease. The caller has set `safe_until` and `length_ms`. */
void rl_watch_lengthened(struct rl_lease *lease, rl_time asked_at, int64_t lease_ms);
/*
 * Before the owner sends something that makes another grant of it: the thread sends nothing for it
 * from now on, and the answer to what it has sent does not count any more. Hears what it knows.
 */
void rl_watch_pause(struct rl_lease *lease);
/*
 * Before the owner sends something that makes a share of a lock, or the other way round. Its
 * answer may be heard late, or never: so the lease is renewed in whichever mode it is found, and
 * that it is not found says nothing. When its time is over is noticed as ever, also in a pause.
 */
void rl_watch_change(struct rl_lease *lease);
/* It lasts `lease_ms` from `asked_at`. The caller has set its tenure and `length_ms`. */
void rl_watch_go_on(struct rl_lease *lease, rl_time asked_at, int64_t lease_ms);
/* It was not done; or nobody knows, and `unanswered_ms` says so: then the thread asks at once. */
void rl_watch_go_on_as_before(struct rl_lease *lease);

/*
 * A lease that has ended and that the owner has not heard of yet; each is returned once. NULL:
 * there is none.
 */
struct rl_lease *rl_watch_news(struct rl_watch *watch);
/* Raises the alarm again in a moment, if there is news. False: there is none. */
bool rl_watch_alarm_later(struct rl_watch *watch);
uint64_t rl_watch_renewals(struct rl_watch *watch);
/* Of all owners of the process. */
uint64_t rl_watch_all_renewals(void);

/*
 * A lease of that lock that another owner of this very thread holds and renews without an end, so
 * that waiting for it would never end: as rl_lease_copy(). `shares`: how many shares that are held
 * so are in the way; 0: no number is. NULL: there is none, or no memory.
 */
struct rl_lease *rl_watch_find_endless(
	const struct rl_route *route, const struct rl_keys *keys, int64_t shares);

#endif
