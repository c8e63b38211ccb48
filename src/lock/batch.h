/*
 * What a backend's run() is given: one step, or many at once, so that thousands of locks cost few
 * round trips.
 */
#ifndef RL_BATCH_H
#define RL_BATCH_H

#include "lock_state.h"
#include "protocol.h"

struct rl_release;

struct rl_batch_item {
	struct rl_step *step;
	/* Reads the answer of SHARERS or PEEK. False: it makes no sense. */
	bool (*read)(void *context, const struct rl_reply *reply);
	void *context;
	/*
	 * What takes it back: if nobody wants the step any more while it is out (stack.h), this goes
	 * out behind it on the same connection, and is `step` then, whose answer is heard. NULL: there
	 * is nothing.
	 */
	struct rl_step *instead;
	/* out */
	bool is_unwanted;       /* nobody wants the answer, and it was waited for all the same */
	rl_time followed_until; /* so it was, and had this deadline; 0: it was not */
	/* otherwise step->doubt says whether it may have been done all the same */
	bool answered;
	union { /* other answers */
		struct rl_outcome outcome;
		struct rl_lock_state state; /* of INSPECT: to be cleared */
		struct rl_grant grant;      /* of REENTER */
	};
	bool refused; /* by the server, for now or for good */
	/* the batch's own */
	bool open;                /* to be sent, or sent again */
	bool done;                /* counts only once replicas have it */
	int64_t replicated_up_to; /* as that of the step's call */
	const void *goes_to;      /* the same for all items that go to one server */
};

/* At most RL_EXCHANGE_MAX items. */
struct rl_batch {
	struct rl_route *route;
	struct rl_batch_item *items;
	struct rl_release *releases; /* whose steps the items are of; or NULL */
	size_t count;
	rl_time deadline;
	/*
	 * The renewal thread's: called before an item is sent, which is left out if this returns false.
	 * NULL: all are sent.
	 */
	bool (*wanted)(void *context, size_t item);
	void *context;
	struct rl_error *error; /* out, if some were not answered: why the last of these was not */
};

/* Whether the item is to be sent. */
static inline bool rl_batch_wants(const struct rl_batch *batch, size_t item)
{
	return !batch->wanted || batch->wanted(batch->context, item);
}

#endif
