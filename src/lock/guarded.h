/*
 * A value that a lock guards: it is read when the lock is acquired, and written when the lock is
 * given back, each by the same script, or in between, while the lock stays ours. PHP's sessions
 * are kept so. While the lock is held and renewed, the value lives at least as long as it.
 *
 * Such a lock is exclusive, taken once, and not a majority's. The value is read and written whole.
 */
#ifndef RL_GUARDED_H
#define RL_GUARDED_H

#include "../redis/reply.h"
#include "../base/text.h"

/* The longest value: what an answer of Redis may bring, less what stands around it. */
#define RL_GUARDED_MAX_BYTES (8 * 1024 * 1024 - 1024)

struct rl_guarded {
	struct rl_text key; /* of the value, in the cluster slot of the lock's */
	/* Acquiring: where nobody has the lock and there is no value, nothing is taken. */
	bool must_exist;
	int64_t life_ms; /* of the value, from then on; reading it, 0: as long as it does */
	/* Giving back. */
	enum {
		RL_GUARDED_WRITE,
		RL_GUARDED_TOUCH, /* it only lives for longer; where there was none, it is written */
		RL_GUARDED_DELETE /* also where the lock was lost */
	} how;
	struct rl_text value;
	bool keeps; /* the lock is not given back */
	/*
	 * Whether the last reading found one, or there is what was saved since. If that is gone by now,
	 * it stays so, and `is_absent`.
	 */
	bool was_there;
	/* Out, of an acquire and of a peek. */
	bool was_read; /* the answer told whether there is a value */
	char *found;   /* the caller frees it; NULL: there is none */
	size_t length; /* of that */
	/* Acquiring: nothing was taken, since there is no value. Giving back: nor was one by then. */
	bool is_absent;
};

/* Notes what an answer tells of the value. False: there is no memory for it. */
bool rl_guarded_keep(struct rl_guarded *guarded, const struct rl_reply *reply);

#endif
