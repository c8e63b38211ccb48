/*
 * A share that was to become exclusive, and nobody wants it any more: it is a share again,
 * whatever becomes of the upgrade. That is sent behind the upgrade while that is still out, since
 * nobody may ever come to hear the answer.
 */
#ifndef RL_TAKE_BACK_H
#define RL_TAKE_BACK_H

#include "mode.h"

struct rl_take_back {
	struct rl_lease *copy; /* under no fence, since the upgrade raises that; or NULL */
	struct rl_step step;
};

/* Prepares what is sent behind the upgrade, where it may come to that. */
void rl_take_back_begin(struct rl_take_back *back, struct rl_lease *held);
/* The upgrade, or what was sent behind it, has come to `status` by `deadline`. */
void rl_take_back_run(struct rl_take_back *back, struct rl_owner *owner, struct rl_lease *lease,
	const struct rl_batch_item *item, enum rl_status status, rl_time deadline);
/* What was granted and told to nobody is taken back. */
void rl_take_back_granted(struct rl_owner *owner, struct rl_lease *lease);
void rl_take_back_end(struct rl_take_back *back);

#endif
