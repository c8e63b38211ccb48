/*
 * Steps on the servers that their locks are on: one, or many at once, pipelined to each server that
 * they concern.
 */
#ifndef RL_SINGLE_BATCH_H
#define RL_SINGLE_BATCH_H

#include "../batch.h"

/*
 * One is tried for as long as there is time: RL_OK if it was answered. Of many, those that a
 * changed map has turned away are sent again; others that are refused, or not answered until the
 * deadline, are left to the caller: RL_OK in any case.
 */
enum rl_status rl_single_run(struct rl_batch *batch);

#endif
