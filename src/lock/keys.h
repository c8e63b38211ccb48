/*
 * The keys of one lock, all in one cluster slot: four, and four more where it is shared.
 *
 *   L                     prefix . name: the lock itself, exactly what the user named, so that
 *                         other languages' clients meet us on it
 *   rlock:f:{TAG}:L       fence: the last grant's number
 *   rlock:w:{TAG}:L       waiting: a flag, somebody may be waiting
 *   rlock:q:{TAG}:L       wake: a list of at most one message to the waiter that is parked longest
 *   rlock:s:{TAG}:L       shares: who holds the lock together with others, and until when
 *   rlock:h:{TAG}:L       record: what else is known of each share
 *   rlock:t:{TAG}:L       turnstile: who is first among those that wait for such a lock
 *   rlock:r:{TAG}:L       room: a list of at most one message to the first one
 *
 * TAG puts the companions into L's slot: L's own valid hash tag; or L if it has no '}'; or
 * the first three-character string (digits, then A-Z, then a-z) in L's slot. The full L is
 * always part of the name, so that no two locks share a companion; and an L that is itself the
 * name of a companion is told by rl_keys_clash() and refused. See docs/protocol/ and
 * docs/protocol/shared-locks.md.
 */
#ifndef RL_KEYS_H
#define RL_KEYS_H

#include "../base/text.h"

enum rl_key {
	RL_KEY_LOCK,
	RL_KEY_FENCE,
	RL_KEY_WAITING,
	RL_KEY_WAKE,
	RL_KEY_SHARES,
	RL_KEY_RECORD,
	RL_KEY_TURNSTILE,
	RL_KEY_ROOM,
	RL_KEY_COUNT
};

struct rl_keys {
	/* into two allocations, L's and the shares' */
	struct rl_text of[RL_KEY_COUNT];
};

/* The first four; the shares' has no data. False: out of memory. */
bool rl_keys_make(struct rl_keys *keys, struct rl_text prefix, struct rl_text name);
/* Makes the others, too, unless that was done before. False: out of memory. */
bool rl_keys_share(struct rl_keys *keys);
/* Whether L looks like a companion of some lock: taking it could break that one. */
bool rl_keys_clash(const struct rl_keys *keys);
/* Makes a companion's name that of another companion of the same lock. */
void rl_keys_name(char *companion, enum rl_key key);
void rl_keys_free(struct rl_keys *keys);

#endif
