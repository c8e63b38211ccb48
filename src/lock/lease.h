/*
 * A lease: what one owner holds of one lock, and until when that is safe.
 *
 * The server starts the lease when it runs our request, which is never before we sent it. So
 * counted from before the first byte, less a margin for clocks that run at different rates,
 * ours always ends first.
 */
#ifndef RL_LEASE_H
#define RL_LEASE_H

#include "../base/table.h"
#include "keys.h"
#include "token.h"

#define RL_FENCE_SIZE 48

/* The longest that can be asked for. What a server says to be longer is as good as for ever. */
#define RL_LEASE_MAX_MS INT64_C(1000000000000)

struct rl_claim;
struct rl_late_grant;

/* What one node of a majority holds of a lease. */
struct rl_share {
	enum {
		RL_SHARE_NONE,    /* nothing */
		RL_SHARE_UNKNOWN, /* it was asked */
		RL_SHARE_HELD
	} state;
	bool lost;                      /* a sending of the take was; it may come yet, like one that was not answered */
	char fence_text[RL_FENCE_SIZE]; /* each counts by itself */
	struct rl_late_grant *late;     /* hears of it when its answer comes; or NULL */
};

struct rl_leftover;
struct rl_record;

struct rl_lease {
	struct rl_table_entry entry; /* in its owner's table, by the name that the user gave */
	struct rl_keys keys;
	struct rl_token token;
	int64_t fence;                  /* 0: not known */
	char fence_text[RL_FENCE_SIZE]; /* as the server told it; behind the number it counts adoptions */
	int64_t serial;                 /* of the last extend that was sent */
	bool sent_again;                /* an extend that may set it anew was sent; its token is to be closed */
	bool in_doubt;                  /* the last extend was not answered: until one is, it may run at any time */
	unsigned depth;                 /* how often it was taken, less how often it was released */
	int64_t length_ms;              /* that it was last asked for */
	rl_time safe_until;             /* as far as its owner's thread knows: see rl_watch_look() */
	rl_time renew_until;            /* the renewal thread renews it, but not from then on; 0: nobody renews it */
	rl_time copies_until;           /* the deadline of a call that takes it, of which a sending was not answered; else 0 */
	int64_t delay_ms;               /* being given back: for how long nobody may take it then */
	uint64_t generation;            /* of the process that took it */
	struct rl_claim *claim;         /* out, or refused: claim.h; else NULL */
	struct rl_share *shares;        /* majority: one for each node; else NULL */
	size_t share_count;
	struct rl_leftover *leftover; /* majority: releases of it that nobody waits for; or NULL */
	struct rl_record *record;     /* the renewal thread's; NULL: none of its business */
};

/* Makes room for what each node of a majority holds. False: out of memory. */
bool rl_lease_share(struct rl_lease *lease, size_t node_count);
void rl_lease_unshare(struct rl_lease *lease);

void rl_fence_print(char text[RL_FENCE_SIZE], int64_t fence);
void rl_lease_set_fence(struct rl_lease *lease, int64_t fence);
/* As a script tells it: FENCE or FENCE:ADOPTIONS. False: it is neither. */
bool rl_lease_set_fence_text(struct rl_lease *lease, const char *text);

/* Of a lease asked for at `asked_at`: asked_at + lease - (lease / 100 + 2 ms). */
rl_time rl_safe_until(rl_time asked_at, int64_t lease_ms);
/* The other way round: the lease in ms that is safe for so long, margin included. */
int64_t rl_lease_for(rl_time safe);
/* Of what a server says is left, in ms: -1, for ever, is as good as the longest lease. */
int64_t rl_lease_told(int64_t left_ms);

/* The keys of a lock. RL_INVALID: the name is another lock's companion; RL_NO_MEMORY. */
enum rl_status rl_lease_keys(const char *prefix, size_t prefix_length, const char *name, size_t name_length,
	struct rl_keys *keys, struct rl_error *error);

/* A new one of depth 1, with keys and a fresh token (`nobody`: that names no owner). RL_OK; else as rl_lease_keys() and rl_token_make(). */
enum rl_status rl_lease_new(const char *prefix, size_t prefix_length, const char *name, size_t name_length,
	const char *metadata, size_t metadata_length, bool nobody, struct rl_lease **out, struct rl_error *error);
void rl_lease_free(struct rl_lease *lease);

/* Whether copies of a request that takes it may still run. They may until copies_until, by a clock that we know within a second. */
bool rl_lease_has_copies(const struct rl_lease *lease);
/* Whether the lease is over at `at`, and such copies may have run after its end. */
bool rl_lease_is_outlived(const struct rl_lease *lease, rl_time at);

/* Whether both are of one lock. */
bool rl_lease_is_alike(const struct rl_lease *a, const struct rl_lease *b);

#endif
