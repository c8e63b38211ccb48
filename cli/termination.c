#include "termination.h"

/*
 * For a busy machine, on which we are late, and for SIGKILL to do its work; but no more than a
 * tenth of the lease.
 */
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

void cli_termination_init(struct cli_termination *termination, const struct cli_options *options)
{
	*termination = (struct cli_termination){
		.ignores = options->on_loss == CLI_ON_LOSS_IGNORE,
		.grace = usable_grace(options),
		.margin = usable_margin(options->ttl_ms * RL_MILLISECOND),
	};
}

static enum cli_order tell(struct cli_termination *termination, rl_time now, rl_time kill_at)
{
	termination->kill_at = termination->next = kill_at;
	return now < kill_at ? CLI_ORDER_TELL : CLI_ORDER_KILL;
}

static enum cli_order look_while_held(
	struct cli_termination *termination, rl_time now, rl_time left)
{
	rl_time kill_at;

	if (left > 0) {
		termination->lease_end = now + left;
	}
	kill_at = termination->lease_end - termination->margin;
	if (now < kill_at && left == 0) {
		return tell(termination, now, now + termination->grace);
	}
	if (now >= kill_at - termination->grace) {
		return tell(termination, now, kill_at);
	}
	termination->next = kill_at - termination->grace;
	return CLI_ORDER_NONE;
}

enum cli_order cli_termination_look(struct cli_termination *termination, rl_time now, rl_time left)
{
	enum cli_order order = CLI_ORDER_NONE;

	if (termination->ignores || termination->given == CLI_ORDER_KILL) {
		termination->next = RL_FOREVER;
	} else if (termination->given == CLI_ORDER_TELL) {
		order = now >= termination->kill_at ? CLI_ORDER_KILL : CLI_ORDER_NONE;
	} else {
		order = look_while_held(termination, now, left);
	}
	if (order != CLI_ORDER_NONE) {
		termination->given = order;
	}
	if (order == CLI_ORDER_KILL) {
		termination->next = RL_FOREVER;
	}
	return order;
}
