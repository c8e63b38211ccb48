/*
 * Making a lease that we hold longer, for the operations that find it held.
 */
#ifndef RL_PROLONGATE_H
#define RL_PROLONGATE_H

#include "internal.h"

/* What became of asking for a new lease. */
struct rl_extension {
	enum rl_answer answer;
	rl_time asked_at;
	rl_time safe_until; /* by it */
	bool sent_twice;
};

/*
 * Asks for a new lease on what the lease holds. RL_OK: the answer is in `out`, and the caller tells the renewal thread how
 * to go on. Otherwise that goes on as before, and it is in doubt how long the lease is.
 */
enum rl_status rl_prolongate_run(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, enum rl_extend how,
	struct rl_extension *out, struct rl_error *error);
/* Another may have had the lock already when the answer came: then the new lease has ended, too, and that is the verdict. */
enum rl_status rl_prolongate_came_in_time(struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error);
/*
 * Re-entrance: the lease becomes the longer of what is left and `lease_ms`, and a level deeper. After a verdict it has
 * ended.
 */
enum rl_status rl_prolongate_reenter(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms,
	struct rl_error *error);

#endif
