/*
 * Many steps at once, pipelined to each server that they concern.
 */
#ifndef RL_SINGLE_BATCH_H
#define RL_SINGLE_BATCH_H

#include "../batch.h"

/*
 * Sends all items and reads their answers. Items that a flushed script cache or a changed map has
 * turned away are sent again; others that are refused, or not answered until the deadline, are left
 * to the caller.
 */
void rl_single_run_batch(struct rl_batch *batch);

#endif
