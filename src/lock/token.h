/*
 * What the lock key holds.
 *
 *   rlock1:RANDOM:HOST:PID[:METADATA]   a grant, whose token is `rlock1:RANDOM:`
 *   rlock1@NAME:RANDOM:HOST:PID[:METADATA]
 *                                       a grant of a detached lock, whose token is `rlock1@NAME:`
 *   ~RANDOM                             a baton: passed to a waiter, not claimed yet
 *   -~RANDOM:[HOST:PID[:METADATA]]      nobody, until it expires (delayAfter); and who it was
 *   +shared                             a lock that is shared; two other keys tell by whom
 *   anything else                       a foreign client's lock
 *
 * RANDOM is 32 hex digits, fresh for every getLock(). HOST and PID are empty between handOver() and
 * adopt(). HOST is cut to 64 bytes, with ':', spaces and other bytes that are not printable ASCII
 * replaced by '_'. METADATA is the rest, any bytes, at most 64 KiB. NAME is in hex, two digits for
 * each byte; it is a secret, as RANDOM is.
 */
#ifndef RL_TOKEN_H
#define RL_TOKEN_H

#include "../base/error.h"
#include "../base/text.h"

#define RL_METADATA_MAX 65536
#define RL_RANDOM_HEX   32
#define RL_BATON_SIZE   (1 + RL_RANDOM_HEX + 1) /* '~', hex, NUL */

#define RL_HOLDER_MAX 255 /* bytes of the name that holds a detached lock */

/* A grant's value, of which the first part is the token that the server compares. */
struct rl_token {
	char *text; /* terminated; its metadata may contain NUL bytes, too */
	size_t length;
	size_t head_length;     /* of the token */
	size_t metadata_offset; /* 0: none */
};

/*
 * `name`: of a detached lock, 1 to RL_HOLDER_MAX bytes; otherwise without data. `metadata` without
 * data: none ("" is one). `nobody`: HOST and PID are left empty, since the lock is on its way to a
 * new owner. RL_NO_MEMORY, or RL_MISUSE when the system has no randomness.
 */
enum rl_status rl_token_make(struct rl_token *token, struct rl_text name, struct rl_text metadata,
	bool nobody, struct rl_error *error);
/* Another grant's: all but RANDOM is the same. */
enum rl_status rl_token_make_like(
	struct rl_token *token, const struct rl_token *other, struct rl_error *error);
void rl_token_free(struct rl_token *token);

/* These point into the token. Without metadata, the second has no data. */
struct rl_text rl_token_text(const struct rl_token *token);
struct rl_text rl_token_metadata(const struct rl_token *token);
/* The token itself, and its value without metadata. */
struct rl_text rl_token_head(const struct rl_token *token);
struct rl_text rl_token_holder(const struct rl_token *token);
/* What only this very grant's value begins with: the token, and of a detached lock RANDOM, too. */
struct rl_text rl_token_own(const struct rl_token *token);
bool rl_token_is_detached(const struct rl_token *token);

/*
 * The baton that the release of this grant may leave: the same however often it is sent. It makes
 * RANDOM public, which opens nothing any more at that moment.
 */
void rl_token_baton(const struct rl_token *token, char baton[RL_BATON_SIZE]);

enum rl_value_kind {
	RL_VALUE_TOKEN,
	RL_VALUE_DETACHED, /* of a detached lock */
	RL_VALUE_BATON,
	RL_VALUE_COOLDOWN,
	RL_VALUE_SHARED,
	RL_VALUE_FOREIGN
};

/* What the value of a lock's key says. Points into that value. */
struct rl_value {
	enum rl_value_kind kind;
	struct rl_text token;    /* of TOKEN and DETACHED: secret */
	struct rl_text owner;    /* "host:pid", of the one before in a cooldown; otherwise empty */
	struct rl_text metadata; /* without data: none */
};
struct rl_value rl_token_read_value(struct rl_text value);
/*
 * The same of what the record has of a share, behind its fence: who it is. False: something else.
 */
bool rl_token_read_holder(struct rl_value *value, struct rl_text text);

#endif
