/*
 * Connects a socket to an address without waiting: non-blocking, closed on exec, so that a child
 * program can never keep a dead waiter's place in the queue.
 *
 * Of several A or AAAA records each is tried in turn. Name resolution is the system's; it
 * blocks and stands outside of every deadline.
 */
#ifndef RL_DIAL_H
#define RL_DIAL_H

#include "address.h"

struct addrinfo;

/* A connect under way. It is not copied once it has begun. */
struct rl_dial {
	const struct rl_address *address;
	struct addrinfo *peers, *peer; /* TCP: all of them, and the one that is tried */
	int fd;                        /* tells by being writable when to go on; -1: nothing tells, look again soon */
};

/* RL_OK it is connected; RL_NO it is under way; RL_UNREACHABLE. */
enum rl_status rl_dial_begin(struct rl_dial *dial, const struct rl_address *address, struct rl_error *error);
/* The same, of one that is under way. */
enum rl_status rl_dial_go_on(struct rl_dial *dial, struct rl_error *error);
/* Time is up: RL_UNREACHABLE. */
enum rl_status rl_dial_too_late(const struct rl_dial *dial, struct rl_error *error);
/* The descriptor of one that is connected, now the caller's. */
int rl_dial_take(struct rl_dial *dial);
/* Closes what has not been taken. Needed also after a failure, but not before it has begun. */
void rl_dial_end(struct rl_dial *dial);

#endif
