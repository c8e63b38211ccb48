/*
 * From an address to a connection that is ready for use. It dials, shakes hands if there is TLS,
 * and sends a greeting: AUTH, SELECT, CLIENT SETNAME (rlock:HOST:PID, so that CLIENT LIST tells who
 * waits) and INFO for the server's version, its run_id and whether it evicts keys. The greeting
 * takes one round trip.
 *
 * Every step returns without waiting, so that several connections can be opened side by side, and a
 * server that is dead or frozen holds up no other.
 *
 *   rl_handshake_begin()
 *   rl_handshake_go_on()       while it is RL_NO: when rl_handshake_awaits() is ready, or at
 *                              rl_handshake_look_at()
 *   rl_handshake_too_late()    at rl_handshake_until()
 *   rl_handshake_take()        after RL_OK
 *   rl_handshake_end()         in any case
 *
 * rl_handshake_all() does all of this for callers that open one connection and wait for it.
 */
#ifndef RL_HANDSHAKE_H
#define RL_HANDSHAKE_H

#include "connection.h"
#include "dial.h"
#include "../base/poll.h"

struct rl_handshake {
	const struct rl_address *address;
	struct rl_dial dial;
	struct rl_connection *connection; /* once it is dialled */
	struct rl_tls *tls;               /* its transport, if the address asks for TLS */
	bool version_ok;
	bool greeted;      /* the handshake is over, the greeting out */
	unsigned answered; /* of the greeting */
	bool heard;        /* an answer has come */
	char denied[64];   /* the last refusal that was passed over; "": none */
	rl_time began, greeted_at;
	rl_time connect_timeout; /* for dialling and a handshake */
};

/*
 * RL_OK: the connection is ready to be taken. RL_NO: it is under way. Otherwise it failed:
 * RL_UNREACHABLE, RL_NO_MEMORY, or RL_REFUSED, which includes a server older than 6.2.
 * `version_ok`: it is not asked for INFO, as a sentinel is not.
 */
enum rl_status rl_handshake_begin(struct rl_handshake *handshake, const struct rl_address *address,
	bool version_ok, rl_time connect_timeout, struct rl_error *error);
/* Goes on with it. May be called at any time. */
enum rl_status rl_handshake_go_on(struct rl_handshake *handshake, struct rl_error *error);
/*
 * What to poll for. A descriptor of -1: nothing tells when to go on, look again in a millisecond.
 */
struct rl_pollfd rl_handshake_awaits(const struct rl_handshake *handshake);
/* When to go on even if nothing is ready; RL_FOREVER: no need to. */
rl_time rl_handshake_look_at(const struct rl_handshake *handshake);
/*
 * How long it may take if it has to be done by `deadline`: dialling and a TLS handshake have a
 * limit of their own.
 */
rl_time rl_handshake_until(const struct rl_handshake *handshake, rl_time deadline);
/* This moment has passed: RL_UNREACHABLE, with a message that says what was not done in time. */
enum rl_status rl_handshake_too_late(const struct rl_handshake *handshake, struct rl_error *error);
struct rl_connection *rl_handshake_take(struct rl_handshake *handshake);
/* Closes what was not taken. */
void rl_handshake_end(struct rl_handshake *handshake);

/* All of it, with waiting. */
enum rl_status rl_handshake_all(const struct rl_address *address, bool version_ok,
	rl_time connect_timeout, rl_time deadline, struct rl_connection **out, struct rl_error *error);

#endif
