/*
 * Leases that are looked after in the background: renewed, or only watched, so that their loss
 * is noticed while the program does something else.
 *
 * One thread of the process does it for all owners. It lives while it is needed, and knows each
 * lease by a record of its own, which has copies of all that it needs and is reached under one
 * mutex; it never touches a lease, and of an owner only its struct rl_watch, under that mutex.
 * Everything here is for the owner's thread, but for rl_watch's fields. A lease without a
 * record is none of its business, and costs nothing.
 *
 * Who changes a lease at the server holds its record meanwhile: the thread sends nothing for it
 * then, and what it learns of an earlier sending does not count any more.
 */
#ifndef RL_WATCH_H
#define RL_WATCH_H

#include "../lease.h"
#include "../owner.h"
#include "../protocol.h"

struct rl_record;
struct rl_backend;

/* An owner's part in it. */
struct rl_watch {
	const struct rl_backend *backend; /* the owner's */
	bool renew;
	rl_time max_hold;
	struct rl_alarm alarm;  /* raise is NULL: none */
	uintptr_t thread;       /* the owner's */
	uint64_t generation;    /* of the process that the news is of */
	struct rl_record *news; /* found to have ended, not told yet */
	uint64_t renewals;
};

void rl_watch_init(struct rl_watch *watch, const struct rl_backend *backend, const struct rl_owner_terms *terms);

/*
 * From now on the lease is looked after, if the owner's terms say so. lease->safe_until and
 * lease->length_ms are set. RL_OK, RL_NO_MEMORY, or RL_MISUSE when the system refuses a thread.
 */
enum rl_status rl_watch_begin(struct rl_watch *watch, const struct rl_route *route, struct rl_lease *lease,
	rl_time asked_at, struct rl_error *error);
/* Not any more: before its release is sent. Sets lease->safe_until to the last that was known. */
void rl_watch_end(struct rl_lease *lease);

/*
 * What the thread knows of it by now, of which lease->safe_until is set. RL_ANSWER_OURS: no bad
 * news; else what the server answered, at `*found_at`.
 */
enum rl_answer rl_watch_look(struct rl_lease *lease, rl_time *found_at);

/*
 * Before something is sent that changes the lease: the thread sends nothing for it from now on, and
 * the answer to what it has sent does not count any more. Sets lease->safe_until and lease->serial to
 * the thread's: what is sent next has a higher serial, and overtakes what is out.
 * This and the two below are for leases without a record, too.
 */
void rl_watch_hold(struct rl_lease *lease);
/* It was extended by `lease_ms` from `asked_at`: lease->safe_until and lease->length_ms are set. */
void rl_watch_go_on(struct rl_lease *lease, rl_time asked_at, int64_t lease_ms);
/* It was not; or that is not known (`maybe_done`), and it is renewed at once, to know again. */
void rl_watch_go_on_as_before(struct rl_lease *lease, bool maybe_done);

/* A lease of which there is news to be told, once; or NULL. */
struct rl_lease *rl_watch_news(struct rl_watch *watch);
/* The alarm is raised once more in a moment, if there is news. False: there is none. */
bool rl_watch_put_off(struct rl_watch *watch);
uint64_t rl_watch_renewals(struct rl_watch *watch);

/*
 * Whether this very thread has L there, by another owner who renews it without an end. RL_OK:
 * `token` has a copy of its token, the caller's to free; RL_NO, RL_NO_MEMORY.
 */
enum rl_status rl_watch_is_endless(const struct rl_route *route, const struct rl_keys *keys, struct rl_token *token);

#endif
