#include "keys.h"
#include "../route/slot.h"

#include <stdlib.h>
#include <string.h>

/* A companion is "rlock:X:{" TAG "}:" L, X being its letter. */
static const char HEAD[] = "rlock:_:{", TAIL[] = "}:";
#define HEAD_LENGTH (sizeof(HEAD) - 1)
#define HEAD_LETTER 6 /* its place */
#define TAIL_LENGTH (sizeof(TAIL) - 1)

static const char LETTERS[RL_KEY_COUNT] = {
	[RL_KEY_FENCE] = 'f',
	[RL_KEY_WAITING] = 'w',
	[RL_KEY_WAKE] = 'q',
	[RL_KEY_SHARES] = 's',
	[RL_KEY_RECORD] = 'h',
	[RL_KEY_TURNSTILE] = 't',
	[RL_KEY_ROOM] = 'r',
};

#define FIRST_SHARED RL_KEY_SHARES

#define MADE_LENGTH 3

/*
 * The first three digits (in the order of `digits`) that Redis Cluster puts into `slot`. Every
 * slot has some. The CRC of three bytes is the XOR of what each adds at its place, so that a
 * search through all of them costs less than a request.
 */
static void make_tag(char tag[MADE_LENGTH], uint16_t slot)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	enum {
		BASE = sizeof(digits) - 1
	};
	uint16_t at[MADE_LENGTH][BASE];

	for (int i = 0; i < BASE; i++) {
		at[2][i] = rl_slot_step(0, (unsigned char)digits[i]);
		at[1][i] = rl_slot_step(at[2][i], 0);
		at[0][i] = rl_slot_step(at[1][i], 0);
	}
	for (int i = 0; i < BASE; i++) {
		for (int j = 0; j < BASE; j++) {
			uint16_t wanted = slot ^ at[0][i] ^ at[1][j];

			for (int k = 0; k < BASE; k++) {
				if ((at[2][k] ^ wanted) % RL_SLOTS == 0) {
					tag[0] = digits[i];
					tag[1] = digits[j];
					tag[2] = digits[k];
					return;
				}
			}
		}
	}
}

void rl_keys_name(char *companion, enum rl_key key)
{
	companion[HEAD_LETTER] = LETTERS[key];
}

/* Companions differ in their letter alone: makes another one at `to`. Returns where it ends. */
static char *copy_companion(struct rl_keys *keys, enum rl_key key, char *to)
{
	keys->text[key] = to;
	keys->length[key] = keys->length[RL_KEY_FENCE];
	memcpy(to, keys->text[RL_KEY_FENCE], keys->length[key]);
	rl_keys_name(to, key);
	return to + keys->length[key];
}

bool rl_keys_make(struct rl_keys *keys, struct rl_text prefix, struct rl_text name)
{
	char made[MADE_LENGTH];
	struct rl_text whole, tag;
	size_t length;
	char *lock, *to;

	/* Redis has no keys as long as that; and so no sum below can wrap. */
	if (prefix.length > SIZE_MAX / 32 || name.length > SIZE_MAX / 32) {
		return false;
	}
	length = prefix.length + name.length;
	/* A tag is never longer than L, except one that is made. */
	lock = malloc(FIRST_SHARED * length
		+ (FIRST_SHARED - 1)
			* (HEAD_LENGTH + TAIL_LENGTH + (length > MADE_LENGTH ? length : MADE_LENGTH)));
	if (!lock) {
		return false;
	}
	to = rl_text_put(rl_text_put(lock, prefix), name);
	keys->text[RL_KEY_LOCK] = lock;
	keys->length[RL_KEY_LOCK] = length;

	whole = (struct rl_text){ lock, length };
	tag = rl_slot_tag(whole);
	if (!tag.data && !rl_text_find(whole, '}')) {
		tag = whole;
	} else if (!tag.data) {
		make_tag(made, rl_slot(whole));
		tag = (struct rl_text){ made, MADE_LENGTH };
	}
	keys->text[RL_KEY_FENCE] = to;
	to = rl_text_put(rl_text_put(to, rl_text_of(HEAD)), tag);
	to = rl_text_put(rl_text_put(to, rl_text_of(TAIL)), whole);
	keys->length[RL_KEY_FENCE] = (size_t)(to - keys->text[RL_KEY_FENCE]);
	rl_keys_name(keys->text[RL_KEY_FENCE], RL_KEY_FENCE);
	copy_companion(keys, RL_KEY_WAKE, copy_companion(keys, RL_KEY_WAITING, to));
	keys->text[FIRST_SHARED] = NULL;
	return true;
}

bool rl_keys_share(struct rl_keys *keys)
{
	size_t length = keys->length[RL_KEY_FENCE];
	char *to = keys->text[FIRST_SHARED] ? NULL : malloc((RL_KEY_COUNT - FIRST_SHARED) * length);

	if (keys->text[FIRST_SHARED] || !to) {
		return keys->text[FIRST_SHARED];
	}
	for (int key = FIRST_SHARED; key < RL_KEY_COUNT; key++) {
		to = copy_companion(keys, (enum rl_key)key, to);
	}
	return true;
}

bool rl_keys_clash(const struct rl_keys *keys)
{
	const char *lock = keys->text[RL_KEY_LOCK];
	size_t length = keys->length[RL_KEY_LOCK];

	return length >= HEAD_LENGTH && memcmp(lock, HEAD, HEAD_LETTER) == 0
		&& memchr(LETTERS + RL_KEY_FENCE, lock[HEAD_LETTER], RL_KEY_COUNT - RL_KEY_FENCE)
		&& memcmp(lock + HEAD_LETTER + 1, &HEAD[HEAD_LETTER + 1], HEAD_LENGTH - HEAD_LETTER - 1)
		== 0;
}

void rl_keys_free(struct rl_keys *keys)
{
	free(keys->text[RL_KEY_LOCK]);
	free(keys->text[FIRST_SHARED]);
	keys->text[RL_KEY_LOCK] = keys->text[FIRST_SHARED] = NULL;
}
