/*
 * What was found, line by line on standard output: for people, or with --json an array.
 */
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include "../src/base/error.h"

enum cli_finding {
	CLI_FINE,
	CLI_PRICE, /* locks work, but not all is as it should be */
	CLI_FAILS, /* they do not */
	CLI_SKIPPED
};

void cli_findings_begin(bool json);
/* The message is made printable. `advice`: what to do, without a full stop; or NULL. */
void cli_findings_tell(enum cli_finding finding, const char *check, const char *advice,
	const char *format, ...) RL_CHECK_FORMAT(4, 5);
/* Each message begins with the name of this server, unless it has it anyway; NULL: of none. */
void cli_findings_are_of(const char *server);
/* Whether locks work, by all that was told. */
bool cli_findings_end(void);

#endif
