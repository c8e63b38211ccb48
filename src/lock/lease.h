/*
 * A lease: what one owner holds of one lock, and until when that is safe.
 *
 * The server starts the lease when it runs our request, which is never before we sent it. So
 * counted from before the first byte, less a margin for clocks that run at different rates, ours
 * always ends first.
 *
 * A lease is in one place at a time:
 *
 *   an attempt           while it is asked for: not granted yet, known to nobody else
 *   the owner's table    held; `task` has the renewal thread's copy of it
 *   a detached lock      its name's, which others may end; perhaps with a task: detached_grant.h
 *   a release            being given back, on the stack of the call that does so
 *   the owner's `discarded`  over, or so we think, and no call waits for its release any more
 *
 * It is safe in the owner's table alone. Each lease has a token of its own, so that releasing it
 * once more, from any of these places and at any time, cannot free anybody else's.
 *
 * Asserted:
 *
 *   1. It is in one place: what is being given back, judged, or waited for is not in the table.
 *   2. Only in the table, or as a name's, does it have a task.
 *   3. In the table its depth is 1 or more.
 *   4. While a new grant of it is unanswered, nothing but that is asked for it (owner/regrant.h).
 *   5. It is freed with nothing attached that still points to it: no task, and no late answer.
 *   6. Whoever waits with one in hand has it pinned, since others may use the owner meanwhile: they
 *      may end it, but its memory stays. Afterwards it is looked at again (RL_AGAIN).
 */
#ifndef RL_LEASE_H
#define RL_LEASE_H

#include "../base/system.h"
#include "../base/table.h"
#include "../route/route.h"
#include "keys.h"
#include "token.h"

/* The longest that can be asked for. What a server says to be longer is as good as for ever. */
#define RL_LEASE_MAX_MS INT64_C(1000000000000)

struct rl_task;

/* What the nodes of a majority hold of a lease. Of one server: nothing. */
struct rl_holdings {
	uint32_t held;                /* nodes that hold it, a bit for each */
	uint32_t unknown;             /* others that were asked, and may */
	int64_t fences[RL_NODES_MAX]; /* each node counts by itself; 0: not known */
};

/*
 * What changes with each extend, whoever sends it, and with the mode of the grant. The owner and
 * the renewal thread have one each, and assign it to the other's.
 */
struct rl_tenure {
	rl_time safe_until; /* as far as its owner's thread knows: see rl_watch_found() */
	int64_t fence;      /* of the grant; 0: none, or not known */
	/*
	 * a new grant of this length was asked for and not answered: nothing else may be sent; 0: none
	 */
	int64_t unanswered_ms;
	bool is_share; /* others may have shares, too */
	struct rl_holdings holdings;
};

/* Answers about a lease that nobody waits for: the majority's. They may come when it is gone. */
struct rl_late_answers {
	struct rl_lease *lease; /* NULL: gone, and the last answer frees this */
	unsigned out;           /* how many there are */
};

struct rl_lease {
	struct rl_table_entry entry; /* in its owner's table, by the name that the user gave */
	struct rl_keys keys;
	struct rl_token token;
	struct rl_tenure tenure;
	int64_t limit; /* of a share: how many there may be at most; 0: any number */
	/* the key of the value that it guards (guarded.h), allocated; without data: none */
	struct rl_text guarded;
	unsigned depth;    /* how often it was taken, less how often it was released */
	int64_t length_ms; /* that it was last asked for */
	rl_time waited;    /* how long taking it took */
	/* the renewal thread renews it, but not from then on; 0: nobody renews it */
	rl_time renew_until;
	/* why the renewal thread could not renew it when it last failed; or NULL */
	char *failure;
	rl_time failed_at;            /* when that was */
	int64_t delay_ms;             /* being given back: for how long nobody may take it then */
	uint64_t generation;          /* of the process that took it */
	unsigned pins;                /* calls that wait with it in hand */
	bool is_freed;                /* by others, while it was pinned */
	bool is_missed;               /* the server, when it was asked, did not know it as ours */
	bool is_being_sent;           /* while it is discarded: whoever sends it goes on from there */
	struct rl_task *task;         /* the renewal thread's; or NULL */
	struct rl_late_answers *late; /* or NULL */
};

/* The keys of a lock. RL_INVALID: the name is another lock's companion; RL_NO_MEMORY. */
enum rl_status rl_lease_keys(
	struct rl_text prefix, struct rl_text name, struct rl_keys *keys, struct rl_error *error);

/* What a new lease is of. */
struct rl_lease_terms {
	struct rl_text prefix, name;
	/* of a detached lock: the name that holds it; otherwise without data */
	struct rl_text holder;
	struct rl_text metadata; /* without data: none */
	bool nobody;             /* the token names no owner */
	bool is_share;
	int64_t limit;
	struct rl_text guarded; /* as the lease's */
};
/*
 * Of depth 1, with keys and a fresh token. RL_OK; otherwise as rl_lease_keys() and rl_token_make().
 */
enum rl_status rl_lease_new(
	const struct rl_lease_terms *terms, struct rl_lease **out, struct rl_error *error);
/* The same process's, lock and mode, and a fresh token with the same words. */
enum rl_status rl_lease_new_like(struct rl_text prefix, const struct rl_lease *lease,
	struct rl_lease **out, struct rl_error *error);
/* It has become a new grant under this fence; of a majority, on these nodes, each under its own. */
void rl_lease_note_grant(struct rl_lease *lease, int64_t fence, uint32_t nodes);
/* It is released by its token alone: under a name, an earlier grant may still stand. */
void rl_lease_forget_fences(struct rl_lease *lease);
/* This process has taken it. Otherwise it is a copy in a child: nothing of the parent's is sent. */
static inline bool rl_lease_is_own(const struct rl_lease *lease)
{
	return lease->generation == rl_system_generation();
}
/*
 * NULL is none. It is out of the owner, whoever may hold it. If it is pinned, the last pin frees
 * it.
 */
void rl_lease_free(struct rl_lease *lease);
static inline void rl_lease_pin(struct rl_lease *lease)
{
	lease->pins++;
}
void rl_lease_unpin(struct rl_lease *lease);

/*
 * As much of a lease as an extend needs, in one allocation, for another thread. free() frees it.
 * NULL: out of memory.
 */
struct rl_lease *rl_lease_copy(const struct rl_lease *lease);

/* Of a lease asked for at `asked_at`: asked_at + lease - (lease / 100 + 2 ms). */
rl_time rl_lease_safe_until(rl_time asked_at, int64_t lease_ms);
/* It is granted for this long, asked for at `asked_at`. */
void rl_lease_begin(struct rl_lease *lease, rl_time asked_at, int64_t lease_ms);
/* What a server says is left, in ms: no expiry, which is below 0, becomes the longest lease. */
int64_t rl_lease_told(int64_t left_ms);
/* Why it was not renewed; NULL: no renewal has failed since it was last extended. */
const char *rl_lease_failure(const struct rl_lease *lease);

/* Whether both are of one grant, in one mode, of which as much is known. */
bool rl_tenure_is_alike(const struct rl_tenure *a, const struct rl_tenure *b);
/* Whether both are of one lock. */
bool rl_lease_is_alike(const struct rl_lease *a, const struct rl_lease *b);

/* The lock's name for messages: printable, and cut. Returns `buffer`. */
const char *rl_lease_name(const struct rl_lease *lease, char *buffer, size_t size);

#endif
