/*
 * The memory of lost locks: check() says again what became of a key until it is taken anew.
 * The last 1,000 keys are remembered.
 */
#ifndef RL_LOSS_H
#define RL_LOSS_H

#include "../base/error.h"
#include "../base/table.h"

#define RL_LOSSES_MAX 1000

struct rl_loss {
	struct rl_table_entry entry;
	struct rl_loss *newer;
	enum rl_status verdict; /* RL_TIMED_OUT or RL_LOST */
	rl_time late_by;
};

struct rl_losses {
	struct rl_table table;
	struct rl_loss *oldest, *newest;
};

/* Without memory for it, it is simply not remembered: NULL. */
const struct rl_loss *rl_losses_add(struct rl_losses *losses, const char *key, size_t key_length,
	enum rl_status verdict, rl_time late_by);
const struct rl_loss *rl_losses_find(const struct rl_losses *losses, const char *key, size_t key_length);
void rl_losses_forget(struct rl_losses *losses, const char *key, size_t key_length);
void rl_losses_clear(struct rl_losses *losses);

#endif
