/*
 * The grants of detached locks that an owner remembers, so that it need not look for them at the server. At most one for
 * each lock, since only one can hold it.
 *
 * What is remembered may be over: any process that says the name may have released or prolonged the lock, under another
 * token. So the answer to whatever is sent decides, and what is forgotten costs one more request. That is why the number
 * of grants is bounded; and it is why they are forgotten once their time is up by our clock, and in a child process,
 * whose extends would have the same serials as its parent's.
 */
#ifndef RL_DETACHED_CACHE_H
#define RL_DETACHED_CACHE_H

#include "internal.h"

#define RL_DETACHED_CACHE_MAX 1000

/* The grant of this lock, if this name holds it. NULL: none is known. It stays remembered. */
struct rl_lease *rl_detached_cache_find(struct rl_owner *owner, struct rl_text key, struct rl_text holder);
/* Takes a lease over whose `safe_until` is set. Without memory, or room, one is forgotten: this one, or the one that ends first. */
void rl_detached_cache_add(struct rl_owner *owner, struct rl_lease *lease);
/* The lease is the caller's again. */
void rl_detached_cache_remove(struct rl_owner *owner, struct rl_lease *lease);
/*
 * Before the process may end, or forgets them: waits for the answers to claims that are on their way, and sends those
 * again that were lost with their connections.
 */
void rl_detached_cache_settle(struct rl_owner *owner, rl_time deadline);
/* Forgets all of them. */
void rl_detached_cache_clear(struct rl_owner *owner);

#endif
