/*
 * The processes that descend from this one, where the system lists them (Linux); elsewhere there are none.
 */
#ifndef CLI_FAMILY_H
#define CLI_FAMILY_H

/* Descendants whose parents end become our children, so that they stay in the family. */
void cli_family_adopt(void);
/* Sends each of them the signal. With SIGKILL, those too that they start meanwhile. */
void cli_family_signal(int number);

#endif
