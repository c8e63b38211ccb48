/*
 * Opens a socket to an address by an absolute deadline: non-blocking, closed on exec, so that a
 * child program can never keep a dead waiter's place in the queue.
 *
 * Of several A or AAAA records each is tried in turn. Name resolution is the system's; it
 * blocks and stands outside the deadline.
 */
#ifndef RL_DIAL_H
#define RL_DIAL_H

#include "address.h"

/* RL_OK and a connected descriptor, or RL_UNREACHABLE. */
enum rl_status rl_dial(const struct rl_address *address, rl_time deadline, int *fd, struct rl_error *error);

#endif
