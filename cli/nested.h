/*
 * A command that asks, through another rlock, for the very lock that it runs under: it would wait
 * for its own end.
 */
#ifndef CLI_NESTED_H
#define CLI_NESTED_H

#include "../src/lock/owner/owner.h"
#include "options.h"

/*
 * Whether the lock that the options ask for is held by the rlock around us, and is not to be had
 * beside that. Asks the server only if the environment names this lock; false if that fails.
 */
bool cli_nested_in(struct rl_owner *owner, const struct cli_options *options);

#endif
