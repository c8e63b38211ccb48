#include "single.h"

/* If the script cache was flushed since the connection ran it, the lock ends with its lease. */
static bool send_release(struct rl_owner *owner, struct rl_release *release, rl_time deadline)
{
	struct rl_words words;
	struct rl_call *call = rl_step_form(&words, &release->step);
	bool sent = rl_call_send(owner->route, call, deadline);

	rl_step_note(&release->step, call);
	return sent;
}

const struct rl_backend rl_backend_single = {
	.passes_batons = true,
	.can_share = true,
	.ask = rl_single_ask,
	.run = rl_single_run,
	.send_release = send_release,
	.discard = rl_single_discard,
	.release_discarded = rl_single_release_discarded,
	.has_discarded = rl_single_has_discarded,
};
