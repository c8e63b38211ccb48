#include "loss.h"

#include <stdlib.h>
#include <string.h>

const struct rl_loss *rl_losses_find(const struct rl_losses *losses, const char *key, size_t key_length)
{
	return (const struct rl_loss *)rl_table_find(&losses->table, (struct rl_text){ key, key_length });
}

static void unlink_loss(struct rl_losses *losses, struct rl_loss *loss)
{
	struct rl_loss *older = NULL;

	if (losses->oldest == loss) {
		losses->oldest = loss->newer;
	} else {
		for (older = losses->oldest; older->newer != loss; older = older->newer) {
		}
		older->newer = loss->newer;
	}
	if (losses->newest == loss) {
		losses->newest = older;
	}
}

static void drop(struct rl_losses *losses, struct rl_loss *loss)
{
	unlink_loss(losses, loss);
	rl_table_remove(&losses->table, &loss->entry);
	free(loss);
}

void rl_losses_forget(struct rl_losses *losses, const char *key, size_t key_length)
{
	struct rl_table_entry *entry = rl_table_find(&losses->table, (struct rl_text){ key, key_length });

	if (entry) {
		drop(losses, (struct rl_loss *)entry);
	}
}

const struct rl_loss *rl_losses_add(struct rl_losses *losses, const char *key, size_t key_length,
	enum rl_status verdict, rl_time late_by)
{
	struct rl_loss *loss;
	char *copy;

	rl_losses_forget(losses, key, key_length);
	if (losses->table.count >= RL_LOSSES_MAX) {
		drop(losses, losses->oldest);
	}
	loss = malloc(sizeof *loss + key_length);
	if (!loss || !rl_table_reserve(&losses->table)) {
		free(loss);
		return NULL;
	}
	copy = (char *)(loss + 1);
	memcpy(copy, key, key_length);
	*loss = (struct rl_loss){
		.entry = { .key = { copy, key_length } },
		.verdict = verdict,
		.late_by = late_by,
	};
	rl_table_add(&losses->table, &loss->entry);
	if (losses->newest) {
		losses->newest->newer = loss;
	} else {
		losses->oldest = loss;
	}
	losses->newest = loss;
	return loss;
}

void rl_losses_clear(struct rl_losses *losses)
{
	while (losses->oldest) {
		drop(losses, losses->oldest);
	}
	rl_table_free(&losses->table);
}
