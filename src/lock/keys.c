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
	char *end = rl_text_put(to, keys->of[RL_KEY_FENCE]);

	rl_keys_name(to, key);
	keys->of[key] = (struct rl_text){ to, (size_t)(end - to) };
	return end;
}

bool rl_keys_make(struct rl_keys *keys, struct rl_text prefix, struct rl_text name)
{
	char made[MADE_LENGTH];
	struct rl_text whole, tag;
	size_t length;
	char *lock, *fence, *to;

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
	fence = rl_text_put(rl_text_put(lock, prefix), name);
	whole = (struct rl_text){ lock, length };
	keys->of[RL_KEY_LOCK] = whole;

	tag = rl_slot_tag(whole);
	if (!tag.data && !rl_text_find(whole, '}')) {
		tag = whole;
	} else if (!tag.data) {
		make_tag(made, rl_slot(whole));
		tag = (struct rl_text){ made, MADE_LENGTH };
	}
	to = rl_text_put(rl_text_put(fence, rl_text_of(HEAD)), tag);
	to = rl_text_put(rl_text_put(to, rl_text_of(TAIL)), whole);
	rl_keys_name(fence, RL_KEY_FENCE);
	keys->of[RL_KEY_FENCE] = (struct rl_text){ fence, (size_t)(to - fence) };
	copy_companion(keys, RL_KEY_WAKE, copy_companion(keys, RL_KEY_WAITING, to));
	keys->of[FIRST_SHARED].data = NULL;
	return true;
}

bool rl_keys_share(struct rl_keys *keys)
{
	size_t length = keys->of[RL_KEY_FENCE].length;
	char *to;

	if (keys->of[FIRST_SHARED].data) {
		return true;
	}
	to = malloc((RL_KEY_COUNT - FIRST_SHARED) * length);
	if (!to) {
		return false;
	}
	for (int key = FIRST_SHARED; key < RL_KEY_COUNT; key++) {
		to = copy_companion(keys, (enum rl_key)key, to);
	}
	return true;
}

bool rl_keys_clash(const struct rl_keys *keys)
{
	const char *lock = keys->of[RL_KEY_LOCK].data;

	return keys->of[RL_KEY_LOCK].length >= HEAD_LENGTH && memcmp(lock, HEAD, HEAD_LETTER) == 0
		&& memchr(LETTERS + RL_KEY_FENCE, lock[HEAD_LETTER], RL_KEY_COUNT - RL_KEY_FENCE)
		&& memcmp(lock + HEAD_LETTER + 1, &HEAD[HEAD_LETTER + 1], HEAD_LENGTH - HEAD_LETTER - 1)
		== 0;
}

void rl_keys_free(struct rl_keys *keys)
{
	free((char *)keys->of[RL_KEY_LOCK].data);
	free((char *)keys->of[FIRST_SHARED].data);
	keys->of[RL_KEY_LOCK].data = keys->of[FIRST_SHARED].data = NULL;
}
