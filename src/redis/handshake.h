/*
 * From an address to a connection that is ready for use: dialled, with TLS a handshake, then
 * greeted by AUTH, SELECT, CLIENT SETNAME and, unless the server is known already, INFO for the
 * version and for whether keys may be evicted: one round trip.
 *
 * It goes step by step and never waits, so that several can be opened at once and a server that
 * is dead or frozen holds up no other. rl_handshake_all() is the same for who has only one.
 */
#ifndef RL_HANDSHAKE_H
#define RL_HANDSHAKE_H

#include "connection.h"
#include "dial.h"

struct rl_handshake {
	const struct rl_address *address;
	struct rl_dial dial;
	struct rl_connection *connection; /* once it is dialled */
	struct rl_tls *tls;               /* its transport, if the address asks for TLS */
	bool version_ok;
	bool greeted;      /* the handshake is over, the greeting out */
	unsigned answered; /* of the greeting */
	bool heard;        /* an answer has come */
	rl_time began, greeted_at;
	rl_time connect_timeout; /* for dialling and a handshake */
};

/*
 * RL_OK: rl_handshake_take() has the connection; RL_NO: it is under way; else it failed:
 * RL_UNREACHABLE, RL_NO_MEMORY, or RL_REFUSED, also when the server is older than 6.2.
 */
enum rl_status rl_handshake_begin(struct rl_handshake *handshake, const struct rl_address *address, bool version_ok,
	rl_time connect_timeout, struct rl_error *error);
/* The same, of one that is under way. */
enum rl_status rl_handshake_go_on(struct rl_handshake *handshake, struct rl_error *error);
/* What tells that it can go on. A descriptor of -1: nothing does, look again in a millisecond. */
struct rl_pollfd rl_handshake_awaits(const struct rl_handshake *handshake);
/* When it has to go on even if that tells nothing; RL_FOREVER: not. */
rl_time rl_handshake_look_at(const struct rl_handshake *handshake);
/* Until when it may take, if it is to be done by `deadline`: dialling and a handshake have a limit of their own. */
rl_time rl_handshake_until(const struct rl_handshake *handshake, rl_time deadline);
/* That has passed: RL_UNREACHABLE. */
enum rl_status rl_handshake_too_late(const struct rl_handshake *handshake, struct rl_error *error);
struct rl_connection *rl_handshake_take(struct rl_handshake *handshake);
/* Closes what has not been taken. Needed also after a failure. */
void rl_handshake_end(struct rl_handshake *handshake);

/* All of it, waiting. */
enum rl_status rl_handshake_all(const struct rl_address *address, bool version_ok, rl_time connect_timeout, rl_time deadline,
	struct rl_connection **out, struct rl_error *error);

#endif
