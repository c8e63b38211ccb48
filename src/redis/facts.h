/*
 * What a server has said of itself when a connection to it was opened. What it did not say, or may
 * not, is unknown.
 */
#ifndef RL_FACTS_H
#define RL_FACTS_H

#include "../base/system.h"

#define RL_CLOCK_UNKNOWN INT64_MIN

#define RL_RUN_ID_SIZE  41
#define RL_VERSION_SIZE 24

struct rl_facts {
	char version[RL_VERSION_SIZE]; /* of Redis, or that with which it is compatible; "": unknown */
	char run_id[RL_RUN_ID_SIZE];   /* different for any two servers, and after a restart; "" */
	bool may_evict;                /* full memory evicts keys, locks among them */
	rl_time clock_ahead;           /* its clock less ours, at most; RL_CLOCK_UNKNOWN */
};

#endif
