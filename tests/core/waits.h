/*
 * What others do while a call waits. The program is linked so that the core's calls of
 * rl_socket_receive_patiently() come here, and those of rl_poll() by way of clock.c.
 */
#ifndef WAITS_H
#define WAITS_H

/* At the wait with this number from now on, from 0, `act` is called once. Below 0: at none. */
void waits_act_at(int wait, void (*act)(void *context), void *context);
/* Before each wait. */
void waits_begin(void);

#endif
