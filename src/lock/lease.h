/*
 * A lease: what one owner holds of one lock, and until when that is safe.
 *
 * The server starts the lease when it runs our request, which is never before we sent it. So counted from before the
 * first byte, less a margin for clocks that run at different rates, ours always ends first.
 *
 * A lease is in one place at a time:
 *
 *   an attempt           while it is asked for: not granted yet, known to nobody else
 *   the owner's table    held; `claim` may still be out, and `task` has the renewal thread's copy of it
 *   a release            being given back, on the stack of the call that does so
 *   the owner's pending  over, or so we think, and no call waits for its release any more. For one server: among the
 *   releases             unconfirmed ones if it was sent and its answer is still to be told, among the undos if it is to
 *                        be sent (again). For a majority: one record says both, node by node
 *
 * It is safe in the owner's table alone. Each lease has a token of its own, so that releasing it once more, from any
 * of these places and at any time, cannot free anybody else's.
 */
#ifndef RL_LEASE_H
#define RL_LEASE_H

#include "../base/table.h"
#include "keys.h"
#include "token.h"

#define RL_FENCE_SIZE 48

/* The longest that can be asked for. What a server says to be longer is as good as for ever. */
#define RL_LEASE_MAX_MS INT64_C(1000000000000)

struct rl_task;
struct rl_late_grant;
struct rl_leftover;

/* What one node of a majority holds of a lease. */
struct rl_holding {
	enum {
		RL_HOLDING_NONE,    /* nothing */
		RL_HOLDING_UNKNOWN, /* it was asked */
		RL_HOLDING_HELD
	} state;
	bool is_taken;                  /* when it was asked, another token was there */
	bool has_copies;                /* a sending that takes the lock was not answered, and may still arrive */
	char fence_text[RL_FENCE_SIZE]; /* each node counts by itself */
	struct rl_late_grant *late;     /* hears of the grant when its answer comes; or NULL */
};

struct rl_lease {
	struct rl_table_entry entry; /* in its owner's table, by the name that the user gave */
	struct rl_keys keys;
	struct rl_token token;
	bool is_share;                  /* others may have shares, too */
	bool uses_turnstile;            /* it is or was a share, or waited where there were some: leave gives it back */
	int64_t limit;                  /* of a share: how many there may be at most; 0: any number */
	int64_t fence;                  /* 0: none, or not known */
	char fence_text[RL_FENCE_SIZE]; /* as the server told it; behind the number it counts adoptions */
	int64_t serial;                 /* of the last extend that was sent */
	bool sent_again;                /* an extend that may set it anew was sent; its token is to be closed */
	bool in_doubt;                  /* the last extend was not answered: until one is, it may run at any time */
	unsigned depth;                 /* how often it was taken, less how often it was released */
	int64_t length_ms;              /* that it was last asked for */
	rl_time waited;                 /* how long taking it took */
	rl_time safe_until;             /* as far as its owner's thread knows: see rl_watch_look() */
	rl_time renew_until;            /* the renewal thread renews it, but not from then on; 0: nobody renews it */
	char *failure;                  /* why the renewal thread could not renew it when it last failed; or NULL */
	rl_time failed_at;              /* when that was */
	rl_time copies_until;           /* the deadline of a call that takes it, of which a sending was not answered; or 0 */
	int64_t delay_ms;               /* being given back: for how long nobody may take it then */
	uint64_t generation;            /* of the process that took it */
	struct rl_task *task;           /* the renewal thread's; or NULL */
	struct rl_holding *holdings;    /* majority: one for each node; or NULL */
	size_t holding_count;
	struct rl_token *others;      /* majority: by node, the token that is released there instead of this one; NULL: nowhere */
	struct rl_leftover *leftover; /* majority: releases of it that nobody waits for; or NULL */
};

/* The keys of a lock. RL_INVALID: the name is another lock's companion; RL_NO_MEMORY. */
enum rl_status rl_lease_keys(struct rl_text prefix, struct rl_text name, struct rl_keys *keys, struct rl_error *error);

/*
 * A new lease of depth 1, with keys and a fresh token (`nobody`: one that names no owner). `metadata` may be without
 * data: none. RL_OK; otherwise as rl_lease_keys() and rl_token_make().
 */
enum rl_status rl_lease_new(struct rl_text prefix, struct rl_text name, struct rl_text metadata, bool nobody,
	struct rl_lease **out, struct rl_error *error);
/* The same of a detached lock, as rl_token_make_detached(). */
enum rl_status rl_lease_new_detached(struct rl_text prefix, struct rl_text name, struct rl_text holder,
	struct rl_text metadata, struct rl_lease **out, struct rl_error *error);
/* The same with this token, of which it takes a copy. */
enum rl_status rl_lease_new_with(struct rl_text prefix, struct rl_text name, struct rl_text token, struct rl_lease **out,
	struct rl_error *error);
/* Makes the keys of a lock that may be shared: such a lease is given back by leave. RL_NO_MEMORY. */
enum rl_status rl_lease_use_turnstile(struct rl_lease *lease, struct rl_error *error);
/* The same token, kind and keys: another lease of this lock. */
enum rl_status rl_lease_new_like(struct rl_text prefix, const struct rl_lease *lease, struct rl_lease **out, struct rl_error *error);
/* Frees a lease to which its backend has nothing attached any more: no holdings. */
void rl_lease_free(struct rl_lease *lease);

/*
 * As much of a lease as an extend needs, in one allocation, for another thread. free() frees it. NULL: out of memory.
 */
struct rl_lease *rl_lease_copy(const struct rl_lease *lease);

void rl_lease_set_fence(struct rl_lease *lease, int64_t fence);
/* As a script tells it: FENCE or FENCE:ADOPTIONS. False: it is neither. */
bool rl_lease_set_fence_text(struct rl_lease *lease, const char *text);

/* Of a lease asked for at `asked_at`: asked_at + lease - (lease / 100 + 2 ms). */
rl_time rl_lease_safe_until(rl_time asked_at, int64_t lease_ms);
/* The other way round: the lease in ms that is safe for this long, margin included. */
int64_t rl_lease_for(rl_time safe);
/* It is granted for this long, asked for at `asked_at`. */
void rl_lease_begin(struct rl_lease *lease, rl_time asked_at, int64_t lease_ms);
/* Why it was not renewed; NULL: no renewal has failed since it was last extended. */
const char *rl_lease_failure(const struct rl_lease *lease);
/* Of what a server says is left, in ms: -1, for ever, is as good as the longest lease. */
int64_t rl_lease_told(int64_t left_ms);

/* A sending of a call that takes the lock was not answered. Copies of it may run until then, by the server's clock. */
void rl_lease_set_copies(struct rl_lease *lease, rl_time until);
/* Its token has been closed, so that no copy takes the lock any more. */
void rl_lease_close(struct rl_lease *lease);
/* Whether such copies may still run. We know the server's clock within a second. */
bool rl_lease_has_copies(const struct rl_lease *lease);
/* Whether the lease is over at `at`, and such copies may have run after its end. */
bool rl_lease_is_outlived(const struct rl_lease *lease, rl_time at);

/* Majority: whether another token was on some of the nodes, which may be of the same name. */
bool rl_lease_misses_nodes(const struct rl_lease *lease);

/* Whether both are of one lock. */
bool rl_lease_is_alike(const struct rl_lease *a, const struct rl_lease *b);

/* The lock's name for messages: printable, and cut. Returns `buffer`. */
const char *rl_lease_name(const struct rl_lease *lease, char *buffer, size_t size);

#endif
