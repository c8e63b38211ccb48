/*
 * Connects a socket to an address without waiting. The socket is closed on exec, so that a child
 * program can never keep a dead waiter's place in the queue.
 *
 * If a name has several A or AAAA records, the next one is tried beside the earlier ones when one
 * of them has failed, or after a while. The first that answers is taken. So a dead one costs that
 * while, and not the whole deadline. The name is looked up aside (lookup.h), in the same time.
 *
 * It also sets TCP's options: no delay, and probes after 10 s of silence, for connections that are
 * parked in a wait.
 *
 *   rl_dial_begin()
 *   rl_dial_go_on()        for as long as it is RL_NO, when what that has added has come
 *   rl_dial_take()         after RL_OK
 *   rl_dial_end()          in any case
 */
#ifndef RL_DIAL_H
#define RL_DIAL_H

#include "address.h"
#include "../base/poll.h"

struct addrinfo;
struct rl_lookup;

/* At most this many records are tried at a time. */
#define RL_DIAL_MAX 4

/* A connect under way. It is not copied once it has begun. */
struct rl_dial {
	const struct rl_address *address;
	rl_time connect_timeout;       /* that all records share */
	struct rl_lookup *lookup;      /* TCP: of the host */
	struct addrinfo *peers, *next; /* all its records, and the one to be tried next */
	int sockets[RL_DIAL_MAX];      /* that are being connected */
	size_t count;                  /* the one that is connected is the first, and alone */
	rl_time look_at;               /* when to go on even if none is writable */
	rl_time nap;                   /* until the next look at a name that is being looked up */
};

/* RL_OK: connected. RL_NO: under way, and what it waits for is added. RL_UNREACHABLE. */
enum rl_status rl_dial_begin(struct rl_dial *dial, const struct rl_address *address,
	rl_time connect_timeout, struct rl_polls *polls, struct rl_error *error);
/* Goes on with it. May be called at any time. */
enum rl_status rl_dial_go_on(
	struct rl_dial *dial, struct rl_polls *polls, struct rl_error *error);
/* Time is up: RL_UNREACHABLE. */
enum rl_status rl_dial_too_late(const struct rl_dial *dial, struct rl_error *error);
/* The connected descriptor, which is the caller's from now on. */
int rl_dial_take(struct rl_dial *dial);
/* Closes what was not taken. */
void rl_dial_end(struct rl_dial *dial);

#endif
