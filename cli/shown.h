/*
 * A lock by the name that `rlock ls` shows, which may not be its own: the locks of sessions have a
 * hash there, under whatever prefix; what cannot be printed is escaped; what is long is cut.
 *
 *   cli_shown_open()     the owner, with the key that is meant
 *   cli_shown_close()
 */
#ifndef CLI_SHOWN_H
#define CLI_SHOWN_H

#include "owner.h"

struct cli_shown {
	struct cli_options options; /* with the key and the prefix of the lock that is meant */
	struct rl_owner *owner;     /* for that prefix */
	char *key;                  /* a copy, or NULL */
};

/*
 * CLI_OK or, after a message, as cli_owner_open(); CLI_USAGE, too, if several locks are shown so. A
 * name that no lock is shown by stays what it is.
 */
enum cli_status cli_shown_open(struct cli_shown *shown, const struct cli_options *options);
void cli_shown_close(struct cli_shown *shown);

/* The locks of sessions, which are under any prefix, as a glob of whole keys. */
#define CLI_SHOWN_SESSIONS "*_LOCK"

/*
 * Whether a lock of this name is held under another prefix, which is put into `prefix`, printable.
 * It looks for a second at most.
 */
bool cli_shown_elsewhere(const struct cli_options *options, char prefix[RL_NAME_SIZE]);

#endif
