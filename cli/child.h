/*
 * The command that runs under the lock: started, sent signals, and its end.
 *
 *   cli_child_start()
 *   cli_child_signal()       any number of times
 *   cli_child_has_ended()
 *   cli_child_reap()
 */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct cli_child {
	pid_t pid;
	bool shares_group; /* with us; otherwise it leads a process group of its own */
	bool was_killed;   /* it has ended, by a signal */
};

/*
 * Starts the command with this environment. 0, or the errno of what failed: ENOENT if there is no
 * such command. It is killed if we are, where the system offers that (Linux).
 */
int cli_child_start(struct cli_child *child, char **command, char **environment);
/* Sends a signal to the command and to all that it has started and that still belongs to it. */
void cli_child_signal(const struct cli_child *child, int number);
/* False: it runs. Until it is reaped, its number is nobody else's. */
bool cli_child_has_ended(struct cli_child *child);
/*
 * Whether something runs that it has started; what has left our session, as a daemon does, counts
 * only if `anywhere`.
 */
bool cli_child_has_family(bool anywhere);
/* After its end. Returns the exit status as a shell tells it; `*signal` is what ended it, or 0. */
int cli_child_reap(const struct cli_child *child, int *signal);

#endif
