/*
 * The processes that descend from this one, where the system lists them (Linux); elsewhere there
 * are none.
 */
#ifndef CLI_FAMILY_H
#define CLI_FAMILY_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Before the command begins: descendants whose parents end become our children from now on, so that
 * they stay in the family. Children that we have already are not of it.
 */
void cli_family_adopt(void);
/*
 * Sends each of them the signal, except the process `told`, or the group -`told`, which has got it
 * already. SIGKILL goes to all, those too that they start meanwhile.
 */
void cli_family_signal(int number, pid_t told);
/* Whether one of them runs, of this session; 0: of any. */
bool cli_family_lives(pid_t session);

#endif
