/*
 * Giving back many leases as one.
 */
#ifndef RL_RELEASE_ALL_H
#define RL_RELEASE_ALL_H

#include "../owner/internal.h"

/* Gives back leases that are out of the owner, linked by their `next`, and ends them. */
void rl_release_all_of(struct rl_owner *owner, struct rl_table_entry *entry, rl_time deadline,
	struct rl_release_summary *summary);

#endif
