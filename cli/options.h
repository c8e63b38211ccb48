/*
 * What the command line says, read and checked before anything is done.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "../src/base/text.h"
#include "status.h"

/* Each is a bit, so that an option can say which commands know it. */
enum cli_command {
	CLI_RUN = 1,
	CLI_LS = 2,
	CLI_WHO = 4,
	CLI_BREAK = 8,
	CLI_WAIT = 16,
	CLI_GRAPH = 32,
	CLI_DOCTOR = 64
};

/* What becomes of the command when the lock is lost. */
enum cli_on_loss {
	CLI_ON_LOSS_TERM, /* SIGTERM, and SIGKILL after the grace */
	CLI_ON_LOSS_KILL, /* SIGKILL */
	CLI_ON_LOSS_IGNORE
};

struct cli_options {
	enum cli_command command;
	struct rl_text key; /* of ls: the pattern */
	char **child;       /* run: the command and its arguments, ended by NULL */
	const char *servers;
	struct rl_text prefix;
	rl_time wait; /* RL_FOREVER */
	int64_t ttl_ms;
	rl_time max_hold; /* RL_FOREVER */
	rl_time at_least;
	bool shared;
	int64_t limit;           /* of a share, 0: any number; of ls: that are shown at most */
	struct rl_text metadata; /* without data: none */
	int busy_exit;
	enum cli_on_loss on_loss;
	rl_time grace;
	int64_t fence; /* break: of the only grant to be broken; 0: of any */
	bool quiet, verbose, json, watch, waiting, dot, foreign;
};

/*
 * Reads the arguments behind the name of `options->command`, ended by NULL, and fills the rest.
 * CLI_OK or, after a message on standard error, CLI_USAGE.
 */
enum cli_status cli_options_read(struct cli_options *options, char **argv);

#endif
