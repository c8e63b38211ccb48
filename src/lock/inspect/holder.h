/*
 * Looking who holds a lock, for the calls that must know before they act.
 */
#ifndef RL_OWNER_HOLDER_H
#define RL_OWNER_HOLDER_H

#include "../owner/internal.h"

/* RL_OK; RL_MISUSE: inherited over fork. */
enum rl_status rl_holder_begin(struct rl_owner *owner, struct rl_text key, struct rl_error *error);
/* The keys of a lock that may be shared. As rl_lease_keys(). */
enum rl_status rl_holder_keys(
	struct rl_owner *owner, struct rl_text key, struct rl_keys *keys, struct rl_error *error);
/* Looks, as rl_owner_holder(). The keys are those of a lock that may be shared. */
enum rl_status rl_holder_look(struct rl_owner *owner, const struct rl_keys *keys, rl_time deadline,
	struct rl_holder *out, struct rl_error *error);
/*
 * Who holds a lock that inspect has found in this state, which is cleared; asks who has the shares.
 * RL_NO: it is free.
 */
enum rl_status rl_holder_complete(struct rl_owner *owner, const struct rl_keys *keys,
	struct rl_lock_state *state, rl_time deadline, struct rl_holder *out, struct rl_error *error);

/*
 * Whether a lock's keys, and no others, cannot be read: one has another type, or this user may not.
 * In a list that is a row which says so, as a foreign lock with metadata.
 */
bool rl_holder_is_unreadable(enum rl_status status, const struct rl_error *error);
struct rl_holder rl_holder_unreadable(void);

/* One share of a lock, or the cooldown after some. It points into the server's answer. */
struct rl_share {
	struct rl_text token; /* "-": a cooldown */
	struct rl_holder holder;
};
struct rl_share_reader {
	/* Called for each, those that end first first. It must not use the owner. False ends it. */
	bool (*tell)(void *context, const struct rl_share *share);
	void *context;
	/* out */
	const struct rl_keys *keys; /* of the lock, for what a holder says */
	size_t found;               /* how many there are, or were told until it ended */
};
/* RL_OK; RL_NO: the lock is not held shared. */
enum rl_status rl_holder_find_shares(struct rl_owner *owner, const struct rl_keys *keys,
	rl_time deadline, struct rl_share_reader *reader, struct rl_error *error);

#endif
