#include "past_verdicts.h"

#include <stdlib.h>
#include <string.h>

const struct rl_past_verdict *rl_past_verdicts_find(
	const struct rl_past_verdicts *verdicts, struct rl_text name)
{
	return (const struct rl_past_verdict *)rl_table_find(&verdicts->table, name);
}

static void unlink_verdict(struct rl_past_verdicts *verdicts, struct rl_past_verdict *verdict)
{
	struct rl_past_verdict *older = NULL;

	if (verdicts->oldest == verdict) {
		verdicts->oldest = verdict->newer;
	} else {
		for (older = verdicts->oldest; older->newer != verdict; older = older->newer) {
		}
		older->newer = verdict->newer;
	}
	if (verdicts->newest == verdict) {
		verdicts->newest = older;
	}
}

static void drop(struct rl_past_verdicts *verdicts, struct rl_past_verdict *verdict)
{
	unlink_verdict(verdicts, verdict);
	rl_table_remove(&verdicts->table, &verdict->entry);
	free(verdict);
}

void rl_past_verdicts_forget(struct rl_past_verdicts *verdicts, struct rl_text name)
{
	struct rl_table_entry *entry = rl_table_find(&verdicts->table, name);

	if (entry) {
		drop(verdicts, (struct rl_past_verdict *)entry);
	}
}

void rl_past_verdicts_add(
	struct rl_past_verdicts *verdicts, struct rl_text name, enum rl_status status, rl_time late_by)
{
	struct rl_past_verdict *verdict;
	char *copy;

	rl_past_verdicts_forget(verdicts, name);
	if (verdicts->table.count >= RL_PAST_VERDICTS_MAX) {
		drop(verdicts, verdicts->oldest);
	}
	verdict = malloc(sizeof *verdict + name.length);
	if (!verdict || !rl_table_reserve(&verdicts->table)) {
		free(verdict);
		verdicts->last = NULL;
		return;
	}
	copy = (char *)(verdict + 1);
	memcpy(copy, name.data, name.length);
	*verdict = (struct rl_past_verdict){
		.entry = { .key = { copy, name.length } },
		.status = status,
		.late_by = late_by,
	};
	rl_table_add(&verdicts->table, &verdict->entry);
	if (verdicts->newest) {
		verdicts->newest->newer = verdict;
	} else {
		verdicts->oldest = verdict;
	}
	verdicts->last = verdicts->newest = verdict;
}

void rl_past_verdicts_clear(struct rl_past_verdicts *verdicts)
{
	while (verdicts->oldest) {
		drop(verdicts, verdicts->oldest);
	}
	rl_table_free(&verdicts->table);
}
