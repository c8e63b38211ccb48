/*
 * The four keys of one lock, all in one cluster slot.
 *
 *   L                     prefix . name: the lock itself, exactly what the user named, so that
 *                         other languages' clients meet us on it
 *   rlock:f:{TAG}:L       fence: the last grant's number, and what is kept with it
 *   rlock:w:{TAG}:L       waiting: a flag, somebody may be waiting
 *   rlock:q:{TAG}:L       wake: a list of at most one baton, or one turn
 *
 * TAG puts the companions into L's slot: L's own valid hash tag; or L if it has no '}'; or
 * the first three-character string (digits, then A-Z, then a-z) in L's slot. The full L is
 * always part of the name, so that no two locks share a companion; and an L that is itself the
 * name of a companion is told by rl_keys_clash() and refused. See docs/protocol.md.
 */
#ifndef RL_KEYS_H
#define RL_KEYS_H

#include "../base/text.h"

enum rl_key {
	RL_KEY_LOCK,
	RL_KEY_FENCE,
	RL_KEY_WAITING,
	RL_KEY_WAKE,
	RL_KEY_COUNT
};

struct rl_keys {
	char *text[RL_KEY_COUNT]; /* into one allocation, L's; binary, not terminated */
	size_t length[RL_KEY_COUNT];
};

/* False: out of memory. */
bool rl_keys_make(struct rl_keys *keys, struct rl_text prefix, struct rl_text name);
/* Whether L looks like a companion of some lock: taking it could break that one. */
bool rl_keys_clash(const struct rl_keys *keys);
void rl_keys_free(struct rl_keys *keys);

#endif
