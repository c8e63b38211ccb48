/*
 * An exchange (src/redis/exchange.h) that a test steps by hand, and its server, which is the test
 * as well: nothing happens that the test does not do, and all of it can be looked at in between.
 *
 * At each step this is checked: it does not wait; and afterwards the exchange is over, which it is
 * only once, has told an answer, or waits for something.
 */
#ifndef STEPPED_H
#define STEPPED_H

#include "hostile.h"
#include "testing.h"

#include "redis/exchange.h"

#define STEPPED_TIME (10 * RL_SECOND) /* from the beginning until the deadline */

struct stepped {
	/*
	 * What it sends, a letter for each command: s, a script; S, one with a deadline; p, a plain
	 * command; -, one that is left out. Before them a: one ahead, whose answer nobody is told; A:
	 * one whose answer `ahead` is told. Behind them r: a rider.
	 */
	const char *commands;
	struct rl_deferred *ahead;
	size_t large; /* so long is an argument of each script and plain command */
	bool fails;   /* the last command cannot be written: there is no memory */
	bool rider_matters;
	struct rl_polls polls; /* what the last step has added */
	struct rl_exchange exchange;
	struct rl_rider rider;
	struct rl_error error;
	/*
	 * The answers so far, as "0=1 1!OOM ", and how it ended: "done", "failed", or "failed?" if it
	 * is unanswered.
	 */
	char told[256];
};

/* --- the exchange */

/* The server at this address. */
struct rl_server *stepped_server(const char *address);
/* Begins one with this server, on the terms that its loan and naming say. */
void stepped_begin(struct stepped *stepped, struct rl_server *server);
/* The same, on the connection of another. */
void stepped_follow(struct stepped *stepped, struct stepped *other);
/* Takes one step, which is watched. */
enum rl_status stepped_step(struct stepped *stepped);
/* Steps it until it waits for what has not come, or is over. False: it is over. */
bool stepped_go(struct stepped *stepped);
bool stepped_is_over(const struct stepped *stepped);
/* What it waits for has come, or would have by now. */
bool stepped_is_ready(const struct stepped *stepped);
/* The moment that it waits for at the latest. */
rl_time stepped_until(const struct stepped *stepped);
/* How many descriptors it waits for. */
size_t stepped_descriptors(const struct stepped *stepped);
void stepped_end(struct stepped *stepped);

/* --- its server */

struct stand {
	struct hostile hostile; /* nobody accepts there but the test */
	struct peer peer;       /* the connection that was accepted last */
	char heard[256];
};

struct rl_server *stand_server(const struct stand *stand);
/* Takes the next connection, which has been opened. */
void stand_accept(struct stand *stand);
/* Whether there is one. */
bool stand_is_knocked_at(const struct stand *stand);
/*
 * What has come since the last time: "h0 t1 H2 T3 p4 a r", by hash or text, with a deadline or
 * none; c and i: CLIENT SETNAME and INFO.
 */
const char *stand_heard(struct stand *stand);
/* Takes in everything that has come, which is too long to be looked at. How much that was. */
size_t stand_drain(struct stand *stand);
void stand_say(struct stand *stand, const char *bytes, size_t length);
void stand_hang_up(struct stand *stand);
/* Whether the other side has closed the connection. */
bool stand_is_left(struct stand *stand);

/* To the first connection; those that follow ask for the first answer alone. */
#define STAND_GREETING "+OK\r\n$0\r\n\r\n$0\r\n\r\n"

/* Opens the exchange's connection, up to its request. */
void stepped_open(struct stepped *stepped, struct stand *stand);

#endif
