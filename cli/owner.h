/*
 * From options to an owner of locks.
 *
 *   cli_owner_open()
 *   owner.h's calls
 *   cli_owner_failed()    if one of them failed: tells it
 *   cli_owner_close()
 */
#ifndef CLI_OWNER_H
#define CLI_OWNER_H

#include "../src/lock/owner/owner.h"
#include "options.h"

/*
 * CLI_OK or, after a message, CLI_USAGE if the servers cannot be read, or CLI_UNAVAILABLE. Connects
 * to nothing yet.
 */
enum cli_status cli_owner_open(const struct cli_options *options, struct rl_wait_hook hook,
	const struct rl_renewal_terms *terms, struct rl_owner **out);
/* One that holds nothing, beside another. */
void cli_owner_free(struct rl_owner *owner);
/*
 * The last one. Gives back what is held, withdraws what may have been granted unheard, and frees
 * the owner: all within one timeout from `began`.
 */
void cli_owner_close(struct rl_owner *owner, rl_time began);

/* Tells a failure that is no verdict, and returns the exit status for it. */
enum cli_status cli_owner_failed(const struct cli_options *options, enum rl_status failure,
	const struct rl_error *error);

#endif
