/*
 * A share that becomes exclusive.
 *
 * If nobody wants that any more while it is asked for, it is a share again, whatever becomes of the
 * upgrade. What undoes it is sent behind it while it is still out, since nobody may ever come to
 * hear the answer.
 */
#ifndef RL_UPGRADE_H
#define RL_UPGRADE_H

#include "../owner/internal.h"

/*
 * It is exclusive at all levels and a level deeper, with the longer of what is left and `lease_ms`.
 * RL_NO: it is not the only share. RL_INTERRUPTED: nobody wants it any more, and it is undone; or
 * it is another process's. After a verdict, and after a failure with error->unanswered, it has
 * ended. RL_AGAIN: others have ended it, or made another grant of it.
 */
enum rl_status rl_upgrade(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms,
	rl_time deadline, struct rl_error *error);

#endif
