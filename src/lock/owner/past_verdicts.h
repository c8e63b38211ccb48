/*
 * The verdicts that an owner remembers by the lock's name, so that check() says them again until
 * the lock is taken anew: those on the last 1,000 names.
 */
#ifndef RL_PAST_VERDICTS_H
#define RL_PAST_VERDICTS_H

#include "../../base/error.h"
#include "../../base/table.h"

#define RL_PAST_VERDICTS_MAX 1000

struct rl_past_verdict {
	struct rl_table_entry entry;
	struct rl_past_verdict *newer;
	enum rl_status status; /* RL_TIMED_OUT or RL_LOST */
	rl_time late_by;
};

struct rl_past_verdicts {
	struct rl_table table;
	struct rl_past_verdict *oldest, *newest;
	/* the last one of all; NULL: there was no memory to remember it */
	const struct rl_past_verdict *last;
};

/* In place of an earlier one on the same name. */
void rl_past_verdicts_add(
	struct rl_past_verdicts *verdicts, struct rl_text name, enum rl_status status, rl_time late_by);
const struct rl_past_verdict *rl_past_verdicts_find(
	const struct rl_past_verdicts *verdicts, struct rl_text name);
void rl_past_verdicts_forget(struct rl_past_verdicts *verdicts, struct rl_text name);
void rl_past_verdicts_clear(struct rl_past_verdicts *verdicts);

#endif
