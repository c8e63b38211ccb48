/*
 * What others do while a call waits. The program is linked so that the core's calls of
 * rl_socket_receive_patiently() come here, and those of rl_poll() by way of clock.c.
 */
#ifndef WAITS_H
#define WAITS_H

#include <stdbool.h>

/* At the wait with this number from now on, from 0, `act` is called once. Below 0: at none. */
void waits_act_at(int wait, void (*act)(void *context), void *context);
/* Before each wait. */
void waits_begin(void);
/* While this is on no answer is there at once, so that the core polls for each. */
void waits_are_long(bool on);

#endif
