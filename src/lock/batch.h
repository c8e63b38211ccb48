/*
 * Many steps at once: pipelined to each server that they concern, so that thousands of locks
 * cost few round trips.
 */
#ifndef RL_BATCH_H
#define RL_BATCH_H

#include "protocol.h"

struct rl_batch_item {
	struct rl_step *step;
	/* out */
	bool answered;         /* there, with this */
	enum rl_answer answer; /* else step->call.maybe_done: it may have been done all the same */
	bool refused;          /* by the server, for now or for good */
	/* its own */
	bool open;           /* to be sent, or once more */
	const void *goes_to; /* with all that goes to the same server */
};

struct rl_batch {
	struct rl_route *route;
	struct rl_batch_item *items;
	size_t count;
	rl_time deadline;
	/* Asked before each is sent: not if false. NULL: all are. */
	bool (*wanted)(void *context, size_t item);
	void *context;
};

bool rl_batch_wants(const struct rl_batch *batch, size_t item);

/*
 * What a flushed script cache or a map that changed has turned away is sent again; what else is
 * refused, and what was not answered until the deadline, is left to the caller.
 */
void rl_batch_run(struct rl_batch *batch);

#endif
