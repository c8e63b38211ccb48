/*
 * Re-entrance: what is held goes a level deeper, and a share that is asked for exclusively becomes
 * exclusive.
 */
#include "reenter.h"
#include "prolongate.h"
#include "upgrade.h"

enum rl_status rl_reenter(struct rl_owner *owner, struct rl_lease *held, bool wants_share,
	int64_t lease_ms, rl_time deadline, struct rl_error *error)
{
	enum rl_status status;

	rl_lease_pin(held);
	status = held->tenure.is_share && !wants_share
		? rl_upgrade(owner, held, lease_ms, deadline, error)
		: rl_prolongate_reenter(owner, held, lease_ms, deadline, error);
	rl_lease_unpin(held);
	return status;
}
