/*
 * A server's answer, parsed by hiredis into space that we own and bound.
 *
 * hiredis' own reply objects cost an allocation each and trust the server: a hostile one can make
 * them nest or grow without end. Ours live in a fixed set of nodes that belongs to the connection,
 * and are valid until its next read.
 */
#ifndef RL_REPLY_H
#define RL_REPLY_H

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More than the answer of any of our scripts needs. Larger answers are refused. */
#define RL_REPLY_NODES     16
#define RL_REPLY_DEPTH     2
#define RL_REPLY_MAX_BYTES (1024 * 1024) /* received and not parsed yet */
/* all texts of one answer: a large cluster's map */
#define RL_REPLY_MAX_TEXT (8 * RL_REPLY_MAX_BYTES)

enum rl_reply_type {
	RL_REPLY_NIL,
	RL_REPLY_INTEGER,
	RL_REPLY_STRING,
	RL_REPLY_STATUS,
	RL_REPLY_ERROR,
	RL_REPLY_ARRAY
};

struct rl_reply {
	enum rl_reply_type type;
	int64_t integer; /* integer */
	char *text;      /* string, status, error: terminated */
	size_t length;
	const struct rl_reply *elements; /* array */
	size_t count;
};

struct rl_reply_space {
	struct rl_reply nodes[RL_REPLY_NODES];
	size_t used;
	size_t text_length; /* of all texts in them */
	size_t more;        /* how many nodes beyond these a reply may have */
	struct rl_reply_block *blocks;
};

/* Makes `reader` build its replies in `space`. */
void rl_reply_attach(redisReader *reader, struct rl_reply_space *space);
/*
 * From now on replies may have this many nodes more, two levels more, and texts as long as all of
 * them together: a cluster's map is larger than what scripts answer, and so are the keys that SCAN
 * finds. A reply of which a part has been read goes on. 0: as before, once that reply has been read
 * or the connection has failed; forgets it.
 */
void rl_reply_allow(struct rl_reply_space *space, size_t nodes);
/* Forgets the last reply. */
void rl_reply_reset(struct rl_reply_space *space);

/* The value of "name:value\r\n" in INFO's text, of `*length` bytes; NULL if it is not there. */
const char *rl_reply_info_field(const struct rl_reply *reply, const char *name, size_t *length);

/*
 * The words of an error reply, without what a server puts around an error that was raised inside a
 * script ("ERR Error running script (...): @user_script:1: -OOM ..." up to 6.2, and "... script:
 * SHA, on @user_script:1." from 7.0 on), and without the arguments of an unknown command. Points
 * into the reply.
 */
const char *rl_reply_error_words(const struct rl_reply *reply, size_t *length);
/*
 * The first of these words; but NOPERM if an ACL denied something, which inside a script is called
 * ERR.
 */
void rl_reply_error_code(const struct rl_reply *reply, char *code, size_t size);

/* Whether the reply is an error whose first word is `code`, as in "OOM command not allowed". */
bool rl_reply_is_error(const struct rl_reply *reply, const char *code);

#endif
