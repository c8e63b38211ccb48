/*
 * What rlock says about itself, on one screen.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

void cli_help_print(FILE *to);
void cli_help_print_version(void);

#endif
