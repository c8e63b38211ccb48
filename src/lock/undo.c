#include "undo.h"
#include "claim.h"
#include "step.h"

#include <stdlib.h>

void rl_undo_add(struct rl_undo **undos, struct rl_lease *lease)
{
	struct rl_undo *undo = malloc(sizeof *undo);

	if (!undo) {
		rl_lease_free(lease);
		return;
	}
	*undo = (struct rl_undo){ .next = *undos, .lease = lease };
	*undos = undo;
}

static void drop_first(struct rl_undo **undos)
{
	struct rl_undo *undo = *undos;

	*undos = undo->next;
	rl_lease_free(undo->lease);
	free(undo);
}

void rl_undo_clear(struct rl_undo **undos)
{
	while (*undos) {
		drop_first(undos);
	}
}

void rl_undo_run(struct rl_undo **undos, struct rl_route *route, rl_time deadline)
{
	while (*undos) {
		struct rl_lease *lease = (*undos)->lease;
		struct rl_error ignored;
		struct rl_step step;
		enum rl_answer answer;

		if (lease->generation == rl_generation()) {
			enum rl_status claimed = rl_claim_await(route, lease, deadline, &ignored);

			if (claimed != RL_OK && claimed != RL_NO) {
				return;
			}
			rl_step_release(&step, lease, lease->delay_ms);
			if (rl_step_run(route, &step, deadline, &answer, &ignored) != RL_OK) {
				return;
			}
		}
		drop_first(undos);
	}
}
