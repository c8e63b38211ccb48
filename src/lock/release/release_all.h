/*
 * Giving back many leases as one.
 */
#ifndef RL_RELEASE_ALL_H
#define RL_RELEASE_ALL_H

#include "../owner/internal.h"

/* Leases that the server has refused to release, linked by their `next`. */
struct rl_refused {
	struct rl_table_entry *first;
	struct rl_error why; /* as it was told of the last one; or no message */
};

/*
 * Gives back leases that are out of the owner, linked by their `next`, and ends them; but those
 * that may be asked for again become `refused`, unless that is NULL.
 */
void rl_release_all_of(struct rl_owner *owner, struct rl_table_entry *entry, rl_time deadline,
	struct rl_release_summary *summary, struct rl_refused *refused);

#endif
