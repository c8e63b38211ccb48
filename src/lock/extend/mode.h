/*
 * The mode of a grant: exclusive, or a share.
 */
#ifndef RL_MODE_H
#define RL_MODE_H

#include "prolongate.h"

/* RL_OK: locks can be shared where this owner's are; RL_MISUSE. */
enum rl_status rl_mode_can_share(struct rl_owner *owner, struct rl_error *error);
/*
 * Asks for a change of mode. RL_OK: the item has the answer to the step; or that the lease is over,
 * and nothing was asked. Otherwise as rl_owner_run_item_about().
 */
enum rl_status rl_mode_ask(struct rl_owner *owner, struct rl_batch_item *item, rl_time deadline,
	struct rl_error *error);
/*
 * Runs a downgrade: asks for a share in place of the exclusive lock, and changes the lease if that
 * is granted (`*answer` OURS). If the step's fate is unknown, so is the mode of the grant.
 */
enum rl_status rl_mode_ask_downgrade(struct rl_owner *owner, struct rl_step *step,
	rl_time deadline, enum rl_answer *answer, struct rl_error *error);
/*
 * An exclusive lock becomes a share, at all levels. After a verdict, and after a failure with
 * error->unanswered, it has ended. RL_AGAIN: others have ended it, or made another grant of it.
 * `for_nobody`: an upgrade is taken back, which replicas need not have.
 */
enum rl_status rl_mode_downgrade(struct rl_owner *owner, struct rl_lease *lease, bool for_nobody,
	rl_time deadline, struct rl_error *error);
/*
 * What has come of asking for an upgrade or a downgrade by that step, in the same words as below;
 * whether the answer came in time is the caller's to see. `deadline` 0: for those who may not wait.
 */
enum rl_status rl_mode_upgraded(struct rl_owner *owner, struct rl_lease *lease,
	const struct rl_step *step, enum rl_status status, const struct rl_outcome *outcome,
	rl_time deadline, struct rl_error *error);
enum rl_status rl_mode_downgraded(struct rl_owner *owner, struct rl_lease *lease,
	const struct rl_step *step, enum rl_status status, const struct rl_outcome *outcome,
	rl_time deadline, struct rl_error *error);
#endif
