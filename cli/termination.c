#include "guard.h"

/* For a busy machine, on which we are late, and for SIGKILL to do its work; but no more than a tenth of the lease. */
static rl_time usable_margin(rl_time lease)
{
	rl_time margin = lease / 20 + 10 * RL_MILLISECOND;

	return margin < lease / 10 ? margin : lease / 10;
}

/* Renewals have two thirds of the lease to succeed in. */
static rl_time usable_grace(const struct cli_options *options)
{
	rl_time most = options->ttl_ms * RL_MILLISECOND / 3;

	if (options->on_loss == CLI_ON_LOSS_KILL) {
		return 0;
	}
	return options->grace < most ? options->grace : most;
}

void cli_guard_init(struct cli_guard *guard, const struct cli_options *options)
{
	*guard = (struct cli_guard){
		.ignores = options->on_loss == CLI_ON_LOSS_IGNORE,
		.grace = usable_grace(options),
		.margin = usable_margin(options->ttl_ms * RL_MILLISECOND),
	};
}

static enum cli_order tell(struct cli_guard *guard, rl_time now, rl_time kill_at)
{
	guard->kill_at = guard->next = kill_at;
	return now < kill_at ? CLI_ORDER_TELL : CLI_ORDER_KILL;
}

static enum cli_order look_while_held(struct cli_guard *guard, rl_time now, rl_time left)
{
	rl_time kill_at;

	if (left > 0) {
		guard->lease_end = now + left;
	}
	kill_at = guard->lease_end - guard->margin;
	if (now < kill_at && left == 0) {
		return tell(guard, now, now + guard->grace);
	}
	if (now >= kill_at - guard->grace) {
		return tell(guard, now, kill_at);
	}
	guard->next = kill_at - guard->grace;
	return CLI_ORDER_NONE;
}

enum cli_order cli_guard_look(struct cli_guard *guard, rl_time now, rl_time left)
{
	enum cli_order order = CLI_ORDER_NONE;

	if (guard->ignores || guard->given == CLI_ORDER_KILL) {
		guard->next = RL_FOREVER;
	} else if (guard->given == CLI_ORDER_TELL) {
		order = now >= guard->kill_at ? CLI_ORDER_KILL : CLI_ORDER_NONE;
	} else {
		order = look_while_held(guard, now, left);
	}
	if (order != CLI_ORDER_NONE) {
		guard->given = order;
	}
	if (order == CLI_ORDER_KILL) {
		guard->next = RL_FOREVER;
	}
	return order;
}
