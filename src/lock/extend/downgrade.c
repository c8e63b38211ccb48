/*
 * Making a share of an exclusive lock, without leaving it free in between.
 */
#include "kind.h"

enum rl_status rl_owner_downgrade(
	struct rl_owner *owner, struct rl_text key, struct rl_error *error)
{
	struct rl_lease *lease;
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	enum rl_status status = rl_owner_use(owner, key, deadline, &lease, error);

	if (status == RL_OK) {
		status = rl_kind_can_share(owner, error);
	}
	if (status != RL_OK) {
		return status;
	}
	return lease->tenure.is_share ? RL_NO : rl_kind_downgrade(owner, lease, deadline, error);
}
