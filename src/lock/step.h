/*
 * A step of the protocol: what is asked of servers about a lock. docs/protocol/ explains the
 * steps. (Below src/lock a step is what a machine does until it has to wait: base/machine.h.)
 *
 * A step says what, and not how. When it is sent, it is formed into the words for one server, which
 * knows the grant under a fence of its own. It refers to the lease and the texts that it was made
 * of, which must stay as they are until it is done with: another thread makes a copy first.
 */
#ifndef RL_STEP_H
#define RL_STEP_H

#include "../call/call.h"
#include "guarded.h"
#include "lease.h"

enum rl_operation {
	/* Taking. `lease_ms`; `flag_ms`, and as `text` what a list has brought, or no data. */
	RL_STEP_ACQUIRE,
	/* the same, and reads the value that `guarded` names */
	RL_STEP_OPEN,
	RL_STEP_ENTER, /* for a share; or for the lock exclusively, where it is held shared */

	/* What is held. `lease_ms`. */
	RL_STEP_EXTEND, /* and `how` */
	/* a share that has ended is had again if nobody has had the lock exclusively since */
	RL_STEP_REENTER,
	/* puts the token `successor`, a new grant, in the lease's place; 0 ms: what is left */
	RL_STEP_HAND_OVER,
	/*
	 * the same, where only the token `text` is known, in whose place ours is put: of a majority,
	 * only if more than half of the nodes hold that
	 */
	RL_STEP_ADOPT,
	RL_STEP_UPGRADE,
	RL_STEP_DOWNGRADE, /* without `lease_ms` */

	/* Giving back. */
	RL_STEP_RELEASE,
	RL_STEP_CLOSE,      /* the same, and writes what `guarded` says */
	RL_STEP_LEAVE_FREE, /* a grant whose holder only wanted to know that the lock is free */
	RL_STEP_TAKE_BACK,  /* a grant whose answer may have been lost: whatever its fence is */
	/* passes on `text`, which a list has brought to a waiter that has no use for it */
	RL_STEP_PASS_ON,
	RL_STEP_LEAVE_TURNSTILE, /* the waiter gives up its place there */

	RL_STEP_PEEK, /* reads what `guarded` says, and needs neither lease nor keys */

	/* Looking, and administration. The first two need no lease but `keys`. */
	RL_STEP_INSPECT,
	RL_STEP_SHARERS,
	RL_STEP_BREAK_SHARE, /* whose token is `text`, as sharers tells it, and its fence `fence` */
	RL_STEP_BREAK        /* `text`: what inspect saw in L, empty if it was no string */
};

enum rl_extend {
	RL_EXTEND_LONGER, /* the longer of what is left and the given lease; of 0 ms: it only looks */
	/* the same, and sets the lock anew if it is gone and nobody took it; not for shares */
	RL_EXTEND_AGAIN,
	RL_EXTEND_ANEW /* a new grant, also with a shorter lease */
};

struct rl_step {
	enum rl_operation operation;
	enum rl_extend how;
	/*
	 * The grant that it is about. Of shares and of ENTER, UPGRADE, DOWNGRADE, LEAVE_TURNSTILE and
	 * BREAK_SHARE the lease has the keys of a lock that may be shared. Its token names the request
	 * where the grant is another's.
	 */
	struct rl_lease *lease;     /* ADOPT notes what the nodes of a majority hold of it */
	const struct rl_keys *keys; /* of SHARERS those of a lock that may be shared */
	const struct rl_token *successor;
	const struct rl_guarded *guarded;
	struct rl_text text;
	int64_t lease_ms;
	int64_t flag_ms; /* releases must know for this long that it waits; 0: it does not */
	int64_t fence;
	bool is_repeated; /* it only asks what came of an earlier one: replicas do not matter */
	bool for_nobody;  /* nobody counts on what it does: replicas need not have it */
	bool everywhere;  /* INSPECT: what each node of a majority holds is wanted, too */
	/* Out, as in struct rl_call, over all sendings. */
	rl_time sent_at;
	struct rl_doubt doubt;
};

/* The lock's key. */
struct rl_text rl_step_key(const struct rl_step *step);

/* In place of a fence: one that no grant has. */
#define RL_NO_GRANT (-1)

/* How a server knows a grant. */
struct rl_grant_name {
	struct rl_text token; /* what L begins with */
	int64_t fence;        /* 0: any */
};

/*
 * A step as words for one server. They point into what the step refers to, and into themselves, so
 * that this must not be copied or moved.
 */
struct rl_words {
	struct rl_call call;
	struct rl_grant_name known_as;
	char numbers[RL_SCRIPT_ARGS][24]; /* arguments as text */
	char baton[RL_BATON_SIZE];
};

/* For the one server that the lock is on: it knows the lease as we do. Returns its call. */
struct rl_call *rl_step_form(struct rl_words *words, const struct rl_step *step);
/* For a server that knows it as this. */
struct rl_call *rl_step_form_as(
	struct rl_words *words, const struct rl_step *step, struct rl_grant_name known_as);
/* The step takes over what has come of sending its call. */
void rl_step_note(struct rl_step *step, const struct rl_call *call);

/*
 * A step that takes the lock, and the release that takes it back if its answer does not come in
 * time.
 */
struct rl_take {
	struct rl_words words;
	struct rl_words undo; /* formed when it is needed */
	struct rl_lease *lease;
};
struct rl_call *rl_step_form_take(struct rl_take *take, const struct rl_step *step);

#endif
