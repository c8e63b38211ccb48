/*
 * What rlock can be asked to do. Each returns the exit status, and has told what went wrong.
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"

int cli_run(const struct cli_options *options);
int cli_ls(const struct cli_options *options);
int cli_who(const struct cli_options *options);
int cli_break(const struct cli_options *options);
int cli_wait(const struct cli_options *options);
int cli_graph(const struct cli_options *options);
int cli_doctor(const struct cli_options *options);

#endif
