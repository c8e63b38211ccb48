/*
 * What is remembered of a name's grant, and the renewal of those grants that this process took so.
 *
 * A detached lock is its name's, whichever process says that, and so is not in the owner's table.
 * The thread renews the very grant that was taken here: its fence is asked for. Where the name has
 * made another one since, or has released it, the server says so (RL_ANSWER_BY_NAME), and the
 * renewal ends without a word. Nothing is released when it ends.
 */
#ifndef RL_DETACHED_GRANT_H
#define RL_DETACHED_GRANT_H

#include "internal.h"

/* Whether the grant is renewed, or was until its renewal ended without a word. */
bool rl_detached_grant_is_renewed(const struct rl_detached *detached);
/* Remembers a grant, instead of what was. */
void rl_detached_grant_remember(struct rl_detached *detached, struct rl_lease *grant);
/*
 * The same with a grant that is renewed from now on, unless `until` is 0 or has passed. The caller
 * has set its tenure and `length_ms`. What cannot be renewed stays the caller's.
 */
enum rl_status rl_detached_grant_renew(struct rl_owner *owner, struct rl_detached *detached,
	struct rl_lease *grant, rl_time asked_at, rl_time until, struct rl_error *error);
/*
 * The grant that is remembered, which is the caller's then, and not renewed any more; or NULL.
 * `*until`: until when it would have been; 0: not, or the name has ended that.
 */
struct rl_lease *rl_detached_grant_take(struct rl_detached *detached, rl_time *until);
/* No grant of the owner's is renewed any more. */
void rl_detached_grant_let_be(struct rl_owner *owner);

/*
 * Of those that are renewed and are of this lock. RL_OK: one is, and surely safe; RL_NO: none is;
 * or a verdict, and it is not renewed any more.
 */
enum rl_status rl_detached_grant_check(
	struct rl_owner *owner, struct rl_text key, rl_time deadline, struct rl_error *error);
/* The same of the one that the alarm was raised about. */
enum rl_status rl_detached_grant_alarmed(struct rl_owner *owner, const struct rl_lease *grant,
	rl_time deadline, struct rl_error *error);

#endif
