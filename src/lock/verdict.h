/*
 * The verdict on a lease that was over before it was given back: late (RL_TIMED_OUT) or lost (RL_LOST). It is
 * remembered by the lock's name, so that check() says it again until the lock is taken anew. The last 1,000 names are
 * remembered.
 */
#ifndef RL_VERDICT_H
#define RL_VERDICT_H

#include "../base/table.h"
#include "protocol.h"

#define RL_VERDICTS_MAX 1000

struct rl_owner;

struct rl_verdict {
	struct rl_table_entry entry;
	struct rl_verdict *newer;
	enum rl_status status; /* RL_TIMED_OUT or RL_LOST */
	rl_time late_by;
};

/* Those that an owner remembers. */
struct rl_verdicts {
	struct rl_table table;
	struct rl_verdict *oldest, *newest;
	const struct rl_verdict *last; /* the last one of all; NULL: there was no memory to remember it */
};

/*
 * On a lease that the server did not know as ours any more: RL_TIMED_OUT or RL_LOST, counted and remembered.
 * `answer` is GONE, TAKEN or UNKNOWN, and was given at `now`.
 */
enum rl_status rl_verdict_judge(struct rl_owner *owner, const struct rl_lease *lease, enum rl_answer answer, rl_time now,
	struct rl_error *error);
/* On a lease whose time is over, of which no server has told anything. */
enum rl_status rl_verdict_judge_unanswered(struct rl_owner *owner, const struct rl_lease *lease, struct rl_error *error);

const struct rl_verdict *rl_verdict_find(const struct rl_verdicts *verdicts, struct rl_text name);
void rl_verdict_forget(struct rl_verdicts *verdicts, struct rl_text name);
void rl_verdict_clear(struct rl_verdicts *verdicts);

#endif
