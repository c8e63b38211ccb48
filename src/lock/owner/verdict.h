/*
 * The verdict on a lease that was over before it was given back: late (RL_TIMED_OUT) or lost
 * (RL_LOST). It is a status, which a call returns with a message, and the owner remembers it
 * (owner/past_verdicts.h).
 */
#ifndef RL_VERDICT_H
#define RL_VERDICT_H

#include "../protocol.h"

struct rl_owner;

/*
 * On a lease that the server did not know as ours any more: RL_TIMED_OUT or RL_LOST, counted and
 * remembered. `answer` is RL_ANSWER_GONE, _TAKEN or _NO_FENCE, and was given at `now`;
 * `deadline` is that of the call which tells it.
 */
enum rl_status rl_verdict_judge(struct rl_owner *owner, const struct rl_lease *lease,
	enum rl_answer answer, rl_time now, rl_time deadline, struct rl_error *error);
/*
 * On a lease whose time is over, of which no server has told anything, since asking had this
 * failure: the verdict. RL_INTERRUPTED, then: check() tells it. In a child of the process there is
 * none.
 */
enum rl_status rl_verdict_judge_unanswered(struct rl_owner *owner, const struct rl_lease *lease,
	enum rl_status failure, rl_time deadline, struct rl_error *error);
/* What is known of others if a lease is late and not lost, for a message. */
const char *rl_verdict_on_others(const struct rl_lease *lease);

#endif
