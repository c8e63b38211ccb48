/*
 * Asking the server whether we have a lock.
 */
#include "../owner/internal.h"

enum rl_status rl_owner_is_locking(struct rl_owner *owner, struct rl_text key,
	int64_t *left_ms, struct rl_error *error)
{
	struct rl_lease *lease;
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	enum rl_status status = rl_owner_find(owner, key, &lease, error);

	return status == RL_OK ? rl_owner_look(owner, lease, deadline, left_ms, error) : status;
}
