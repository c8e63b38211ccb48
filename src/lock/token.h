/*
 * What the lock key holds.
 *
 *   rlock1:HOST:PID:RANDOM[:METADATA]   a grant; RANDOM is 32 hex digits, fresh for every take
 *   ~RANDOM:FENCE                       a baton: passed to a waiter, not claimed yet
 *   -~RANDOM                            nobody, until it expires (delayAfter)
 *   anything else                       a foreign client's lock
 *
 * HOST and PID are empty between handOver() and adopt(). HOST is cut to 64 bytes, with ':', spaces and non-printable bytes
 * replaced by '_'. METADATA is the rest, any bytes, at most 64 KiB.
 */
#ifndef RL_TOKEN_H
#define RL_TOKEN_H

#include "../base/error.h"
#include "../base/text.h"

#define RL_METADATA_MAX 65536
#define RL_RANDOM_HEX   32
#define RL_BATON_SIZE   (1 + RL_RANDOM_HEX + 1) /* '~', hex, NUL */

struct rl_token {
	char *text; /* terminated; its metadata may contain NUL bytes, too */
	size_t length;
	size_t metadata_offset; /* 0: none */
};

/*
 * RL_NO_MEMORY, or RL_MISUSE when the system has no randomness. `metadata` without data: none ("" is
 * one). `nobody`: HOST and PID are left empty, since the lock is on its way to a new owner.
 */
enum rl_status rl_token_make(struct rl_token *token, struct rl_text metadata, bool nobody, struct rl_error *error);
void rl_token_free(struct rl_token *token);

/* These point into the token. Without metadata, the second has no data. */
struct rl_text rl_token_text(const struct rl_token *token);
struct rl_text rl_token_metadata(const struct rl_token *token);

/*
 * Reads a turn, which is '+' and the name of the cooldown, into `turn`: the waiter comes next after it. False: this
 * is no turn.
 */
bool rl_token_read_turn(const char *value, size_t length, char turn[RL_BATON_SIZE]);
/*
 * The baton that the release of this token may leave: '~' and the token's own random part; the server
 * adds ":FENCE". So it is the same however often the release is sent. It makes public what was
 * secret in the token, which grants nothing any more at that moment.
 */
void rl_token_baton(const struct rl_token *token, char baton[RL_BATON_SIZE]);

enum rl_value_kind {
	RL_VALUE_TOKEN,
	RL_VALUE_BATON,
	RL_VALUE_COOLDOWN,
	RL_VALUE_FOREIGN
};

/* What the value of a lock's key says, apart from its secret. Points into that value. */
struct rl_value {
	enum rl_value_kind kind;
	const char *owner;
	size_t owner_length; /* "host:pid" of a token; otherwise empty */
	const char *metadata;
	size_t metadata_length; /* NULL: none */
};
struct rl_value rl_token_read_value(const char *value, size_t length);

/* The fence at the end of a baton, or 0 if it is not one. */
int64_t rl_token_baton_fence(const char *baton, size_t length);

#endif
