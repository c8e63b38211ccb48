/*
 * Releases that nobody waits for, on one server. They are of two kinds:
 *
 *   unconfirmed   sent, and the answer is out. It is read before the next one on the same connection; a bad verdict is
 *                 told by the owner's next call. If it was lost or refused, the release becomes an undo
 *   undo          a take or a release of which nobody knows whether it was done: the answer was lost, and what was
 *                 written behind it may never have been read. It is (once more) released at the next contact with its
 *                 server, at the latest when the owner ends, with the delay that was asked for
 *
 * Every take has a token of its own, so neither ever frees another's. Where a copy of the take may still be on its
 * way, the release closes its token, so that the copy takes nothing.
 *
 * These are functions of the backend for one server, and backend.h says what each of them does.
 */
#ifndef RL_PENDING_H
#define RL_PENDING_H

#include "../owner/internal.h"

enum rl_status rl_pending_release(struct rl_owner *owner, struct rl_lease *lease, int64_t delay_ms,
	struct rl_error *error);
void rl_pending_discard(struct rl_owner *owner, struct rl_lease *lease, bool maybe_held);
void rl_pending_forget(struct rl_lease *lease);
void rl_pending_repeat(struct rl_owner *owner, const struct rl_keys *near, rl_time deadline);
void rl_pending_repeat_last(struct rl_owner *owner, rl_time deadline);
bool rl_pending_has(struct rl_owner *owner, const struct rl_lease *taken);
enum rl_status rl_pending_verdict(struct rl_owner *owner, struct rl_error *error);
void rl_pending_forget_told(struct rl_owner *owner);
void rl_pending_settle(struct rl_owner *owner, rl_time deadline, struct rl_release_summary *summary);
void rl_pending_abandon(struct rl_owner *owner);

#endif
