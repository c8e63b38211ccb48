/*
 * The environment of the command: ours, and some variables more.
 */
#ifndef CLI_ENVIRONMENT_H
#define CLI_ENVIRONMENT_H

#include "../src/base/text.h"

struct cli_variable {
	const char *name;
	struct rl_text value; /* without data: the command does not have the variable */
};

/* Ends in NULL, in one allocation, which the caller frees. NULL: out of memory. */
char **cli_environment_make(const struct cli_variable *variables, size_t count);

#endif
