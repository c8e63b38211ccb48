/*
 * A claim that rides along: who is handed the lock owns it at once; the claim is out, and its
 * answer is read before the next one on that connection, whoever reads that.
 *
 * Until then the lease is safe for as long as the baton surely is, and no longer than the lease
 * that the claim asks for. What is sent about the lock goes behind the claim: on its connection, or after
 * its answer. docs/protocol-client.md says why.
 */
#ifndef RL_CLAIM_H
#define RL_CLAIM_H

#include "../call/call.h"
#include "lease.h"

#define RL_BATON_MAX 128 /* of a baton with its fence; terminated or not */

/*
 * Sends the claim for a lease that is nobody's yet, and gives the session's connection back.
 * `asked_at`: what the baton's age counts from. RL_OK: lease->claim is out, and the lease's
 * safe_until is set. Else nothing but perhaps a request that nobody will hear of has happened.
 */
enum rl_status rl_claim_send(struct rl_route *route, struct rl_lease *lease, struct rl_text baton, int64_t lease_ms,
	rl_time asked_at, struct rl_session *session, struct rl_error *error);

/* Reads the answer if it has come. */
void rl_claim_look(struct rl_lease *lease);
/* It has been read: the lock is not ours. */
bool rl_claim_was_refused(const struct rl_lease *lease);
/*
 * Waits for the answer; sends the claim again if the connection was lost. RL_OK: the lease is
 * ours, and lease->claim gone; RL_NO: refused; RL_UNREACHABLE, RL_REFUSED, RL_NO_MEMORY: still not
 * known. A connection that was silent until the deadline is closed: nobody waits there again.
 */
enum rl_status rl_claim_await(struct rl_route *route, struct rl_lease *lease, rl_time deadline, struct rl_error *error);
/* The same for who need not know: not again, if it has been waited for in vain. */
void rl_claim_await_once(struct rl_route *route, struct rl_lease *lease, rl_time deadline);
/* Lends the connection that the claim is out on, for what is to go behind it. False: it is not out, or not to be had. */
bool rl_claim_session(struct rl_lease *lease, struct rl_session *session);

/* Nobody is interested any more. */
void rl_claim_abandon(struct rl_lease *lease);

#endif
