/*
 * From an address to a connection that is ready for use. It dials, shakes hands if there is TLS,
 * and sends a greeting: AUTH, SELECT, CLIENT SETNAME (rlock:HOST:PID, so that CLIENT LIST tells who
 * waits) and INFO for the server's version, its run_id and whether it evicts keys. The greeting
 * takes one round trip.
 *
 * Every step returns without waiting, so that several connections can be opened side by side, and a
 * server that is dead or frozen holds up no other.
 *
 * Before a server is given up that does not accept our certificates, or whose own we do not, it is
 * dialled once more with what is on disk by then.
 *
 *   rl_handshake_begin()
 *   rl_handshake_go_on()       while it is RL_NO, when what that has added has come
 *   rl_handshake_take()        after RL_OK
 *   rl_handshake_end()         in any case
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
	bool has_dialled_again; /* with certificates that were read anew */
	bool greeted;           /* the handshake is over, the greeting out */
	unsigned answered;      /* of the greeting, or left out of it */
	unsigned heard;         /* answers that have come */
	char denied[64];        /* the last refusal that was passed over; "": none */
	rl_time began, greeted_at;
	rl_time connect_timeout; /* for dialling and TLS */
	rl_time deadline;        /* for all of it */
	bool is_late;            /* it has begun after that */
	rl_time looked_at;       /* at the last step */
};

/*
 * RL_OK: the connection is ready to be taken. RL_NO: it is under way, and what it waits for is
 * added to `polls`. Otherwise it failed: RL_UNREACHABLE, RL_NO_MEMORY, or RL_REFUSED, which
 * includes a server older than 6.2. `version_ok`: it is not asked for INFO, as a sentinel is not.
 * After `deadline`, or if dialling and TLS have taken longer than `connect_timeout`, it fails,
 * and says what was not done in time. What has come is read before that is judged: if a step gets
 * further all the same, nobody had looked in between, and that time does not count.
 */
enum rl_status rl_handshake_begin(struct rl_handshake *handshake, const struct rl_address *address,
	bool version_ok, rl_time connect_timeout, rl_time deadline, struct rl_polls *polls,
	struct rl_error *error);
/* Goes on with it. May be called at any time. */
enum rl_status rl_handshake_go_on(
	struct rl_handshake *handshake, struct rl_polls *polls, struct rl_error *error);
struct rl_connection *rl_handshake_take(struct rl_handshake *handshake);
/* Closes what was not taken. */
void rl_handshake_end(struct rl_handshake *handshake);

#endif
