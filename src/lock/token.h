/*
 * What the lock key holds.
 *
 *   rlock1:HOST:PID:RANDOM[:METADATA]   a grant; RANDOM is 32 hex digits, fresh for every take
 *   rlock1@NAME:HOST:PID:RANDOM[:METADATA]
 *                                       a grant of a detached lock, which whoever says NAME holds
 *   ~RANDOM:FENCE                       a baton: passed to a waiter, not claimed yet
 *   -~RANDOM[:HOST:PID[:METADATA]]      nobody, until it expires (delayAfter); and who it was
 *   +shared                             a lock that is shared; the shares' set has the tokens
 *   +kept                               the same, while it is kept for the first waiter
 *   anything else                       a foreign client's lock
 *
 * HOST and PID are empty between handOver() and adopt(). HOST is cut to 64 bytes, with ':', spaces and other bytes
 * that are not printable ASCII replaced by '_'. METADATA is the rest, any bytes, at most 64 KiB. NAME is in hex, two digits for each byte, so that
 * the parts behind it are found as in the other; it is a secret as RANDOM is.
 */
#ifndef RL_TOKEN_H
#define RL_TOKEN_H

#include "../base/error.h"
#include "../base/text.h"

#define RL_METADATA_MAX 65536
#define RL_RANDOM_HEX   32
#define RL_BATON_SIZE   (1 + RL_RANDOM_HEX + 1) /* '~', hex, NUL */
#define RL_BATON_MAX    128                     /* the longest baton with its fence */

#define RL_HOLDER_MAX 255                 /* bytes of the name that holds a detached lock */
#define RL_HOLDER_HEX (2 * RL_HOLDER_MAX) /* of which the token has this much at most */

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
/* The same of a detached lock. `holder`: the name, as rl_token_encode_holder() gives it. */
enum rl_status rl_token_make_detached(struct rl_token *token, struct rl_text holder, struct rl_text metadata,
	struct rl_error *error);
/* A copy of a value that is a token, as rl_token_read_value() says. */
enum rl_status rl_token_copy(struct rl_token *token, struct rl_text value, struct rl_error *error);
/* Another grant's token, with the same words: all but RANDOM stays. RL_MISUSE as above, and the token is as before. */
enum rl_status rl_token_renew(struct rl_token *token, struct rl_error *error);
void rl_token_free(struct rl_token *token);

/* These point into the token. Without metadata, the second has no data. */
struct rl_text rl_token_text(const struct rl_token *token);
struct rl_text rl_token_metadata(const struct rl_token *token);
bool rl_token_is_detached(const struct rl_token *token);
/* Of a detached lock: the name that holds it, in hex. Otherwise without data. */
struct rl_text rl_token_holder(const struct rl_token *token);

/* What the tokens of detached locks begin with that this name holds, as rl_token_encode_holder() gives it. */
#define RL_HOLDER_HEAD (7 + RL_HOLDER_HEX + 1)
struct rl_text rl_token_detached_head(char head[RL_HOLDER_HEAD], struct rl_text holder);
/* A name of 1 to RL_HOLDER_MAX bytes, as tokens have it; without data, if it has none. Points into `hex`. */
struct rl_text rl_token_encode_holder(char hex[RL_HOLDER_HEX], struct rl_text name);

/* Whether this is a ticket, '=NAME': the waiter is to ask next. */
bool rl_token_is_ticket(const char *value, size_t length);
/*
 * The baton that the release of this token may leave: '~' and the token's own random part; the server
 * adds ":FENCE". So it is the same however often the release is sent. It makes public what was
 * secret in the token, which grants nothing any more at that moment.
 */
void rl_token_baton(const struct rl_token *token, char baton[RL_BATON_SIZE]);

enum rl_value_kind {
	RL_VALUE_TOKEN,
	RL_VALUE_DETACHED, /* the token of a detached lock */
	RL_VALUE_BATON,
	RL_VALUE_COOLDOWN,
	RL_VALUE_KEPT,
	RL_VALUE_FOREIGN
};

/* What the value of a lock's key says, apart from RANDOM. Points into that value. */
struct rl_value {
	enum rl_value_kind kind;
	struct rl_text holder; /* of a detached lock: the name in hex, which is secret; otherwise without data */
	const char *owner;
	size_t owner_length; /* "host:pid" of a token, detached or not, or of the one before a cooldown; otherwise empty */
	const char *metadata;
	size_t metadata_length; /* NULL: none */
};
struct rl_value rl_token_read_value(const char *value, size_t length);

/* The fence at the end of a baton, or 0 if it is not one. */
int64_t rl_token_baton_fence(const char *baton, size_t length);

/* Room for one token on each node of a majority, without text yet. NULL: out of memory. */
struct rl_token *rl_tokens_new(void);
void rl_tokens_free(struct rl_token *tokens);

#endif
