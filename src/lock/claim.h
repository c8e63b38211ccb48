/*
 * A claim that rides along: a waiter that is handed the lock owns it at once, while its claim is out. The answer is
 * read before the next one on that connection, by any caller that reads there.
 *
 *   rl_claim_send()       the claim is out, and lease->claim is set
 *   rl_claim_session()    whatever is sent about the lock goes behind the claim on the same connection,
 *   rl_claim_await()      or after its answer. Once that grants the lock, lease->claim is gone
 *   rl_claim_abandon()    before the lease is freed
 *
 * Until the answer, the lease is safe for as long as the baton surely is, and no longer than the lease that the claim
 * asks for. docs/protocol-client.md says why.
 */
#ifndef RL_CLAIM_H
#define RL_CLAIM_H

#include "../call/call.h"
#include "lease.h"

#define RL_BATON_MAX 128 /* the longest baton with its fence */

/*
 * Sends the claim for a lease that is nobody's yet, and gives the session's connection back.
 * `asked_at`: what the baton's age counts from. RL_OK: lease->claim is out, and lease->safe_until is set.
 * Otherwise the lease is as before, and a request may have been sent whose answer nobody reads.
 */
enum rl_status rl_claim_send(struct rl_route *route, struct rl_lease *lease, struct rl_text baton, int64_t lease_ms,
	rl_time asked_at, struct rl_session *session, struct rl_error *error);

/* Reads the answer if it has come. */
void rl_claim_look(struct rl_lease *lease);
/* Whether the answer has been read, and the lock is not ours. */
bool rl_claim_was_refused(const struct rl_lease *lease);
/*
 * Waits for the answer, and sends the claim again if the connection was lost. RL_OK: the lease is
 * ours, and lease->claim gone; RL_NO: refused; RL_UNREACHABLE, RL_REFUSED, RL_NO_MEMORY: still not
 * known. A connection that was silent until the deadline is closed, so that nobody waits there again.
 */
enum rl_status rl_claim_await(struct rl_route *route, struct rl_lease *lease, rl_time deadline, struct rl_error *error);
/* The same for callers that can do without: does nothing if the answer has been waited for once and did not come. */
void rl_claim_await_once(struct rl_route *route, struct rl_lease *lease, rl_time deadline);
/*
 * Lends the connection that the claim is out on, for what must go behind it. False: the claim is not out, or the
 * connection is gone.
 */
bool rl_claim_session(struct rl_lease *lease, struct rl_session *session);

/* The answer does not matter any more. */
void rl_claim_abandon(struct rl_lease *lease);

#endif
