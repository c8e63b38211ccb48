/*
 * When the command has to end, so that it is dead before another may have the lock.
 *
 *        told (TERM)          killed     our end  the server's
 *   ---------+-------------------+----------+--------+------> time
 *            |<----- grace ----->|<-margin->|
 *
 * Renewals move all of it on. If they fail for so long that the moment to tell comes, the command
 * is told, and that is final. If the lock is lost earlier, it is told at once. If that moment was
 * missed, since we were stopped, it is killed at once.
 */
#ifndef CLI_TERMINATION_H
#define CLI_TERMINATION_H

#include "options.h"

enum cli_order {
	CLI_ORDER_NONE,
	CLI_ORDER_TELL,
	CLI_ORDER_KILL
};

struct cli_termination {
	bool ignores;
	rl_time grace, margin;
	rl_time lease_end;    /* the latest that we know of */
	rl_time kill_at;      /* once told */
	enum cli_order given; /* the last order */
	rl_time next;         /* when to look again */
};

void cli_termination_init(struct cli_termination *termination, const struct cli_options *options);
/*
 * What is to be done now, once. `left` of the lease; 0: it is over or lost. Sets
 * `termination->next`.
 */
enum cli_order cli_termination_look(struct cli_termination *termination, rl_time now, rl_time left);

#endif
