/*
 * Connects a socket to an address without waiting: non-blocking, closed on exec, so that a child
 * program can never keep a dead waiter's place in the queue.
 *
 * Of several A or AAAA records the next is tried, beside those before it, when one has failed or
 * after a while; the first that answers is taken. So one that is dead costs that while, and not
 * the deadline. Name resolution is the system's: it blocks for as long as it likes, and what it took is
 * gone from the deadline of whoever dials.
 */
#ifndef RL_DIAL_H
#define RL_DIAL_H

#include "address.h"

struct addrinfo;

/* So many records are tried at one time. */
#define RL_DIAL_MAX 4

/* A connect under way. It is not copied once it has begun. */
struct rl_dial {
	const struct rl_address *address;
	rl_time connect_timeout;       /* that all records share */
	struct addrinfo *peers, *next; /* TCP: all records, and the one to be tried next */
	int pending[RL_DIAL_MAX];      /* sockets */
	size_t count;
	int fd;          /* tells by being writable when to go on; -1: nothing tells, look again soon */
	rl_time look_at; /* when to go on in any case */
};

/* RL_OK it is connected; RL_NO it is under way; RL_UNREACHABLE. */
enum rl_status rl_dial_begin(struct rl_dial *dial, const struct rl_address *address, rl_time connect_timeout,
	struct rl_error *error);
/* The same, of one that is under way; also if nothing has told. */
enum rl_status rl_dial_go_on(struct rl_dial *dial, struct rl_error *error);
/* Time is up: RL_UNREACHABLE. */
enum rl_status rl_dial_too_late(const struct rl_dial *dial, struct rl_error *error);
/* The descriptor of one that is connected, now the caller's. */
int rl_dial_take(struct rl_dial *dial);
/* Closes what has not been taken. Needed also after a failure, but not before it has begun. */
void rl_dial_end(struct rl_dial *dial);

#endif
