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

bool rl_undo_has(const struct rl_undo *undos, const struct rl_lease *lease)
{
	while (undos && (undos->lease->generation != rl_system_generation() || !rl_lease_is_alike(undos->lease, lease))) {
		undos = undos->next;
	}
	return undos != NULL;
}

static bool are_apart(const struct rl_route *route, const struct rl_keys *a, const struct rl_keys *b)
{
	struct rl_text first = { a->text[RL_KEY_LOCK], a->length[RL_KEY_LOCK] };
	struct rl_text second = { b->text[RL_KEY_LOCK], b->length[RL_KEY_LOCK] };

	return route->apart && route->apart(route, first, second);
}

/* False: it could not be sent; or with its first key alone, which closes nothing. */
static bool undo(struct rl_route *route, struct rl_lease *lease, rl_time deadline)
{
	struct rl_error ignored;
	struct rl_step step;
	enum rl_answer answer;
	enum rl_status claimed = rl_claim_await(route, lease, deadline, &ignored);

	if (claimed != RL_OK && claimed != RL_NO) {
		return false;
	}
	rl_step_release(&step, lease, lease->delay_ms);
	return rl_step_run(route, &step, deadline, &answer, &ignored) == RL_OK
		&& (step.call.key_count > 1 || !rl_lease_has_copies(lease));
}

void rl_undo_first(struct rl_undo **undos, struct rl_route *route, rl_time deadline)
{
	if (*undos && undo(route, (*undos)->lease, deadline)) {
		drop_first(undos);
	}
}

/* Other servers are left half of the time. */
static rl_time share_of(const struct rl_route *route, rl_time deadline)
{
	rl_time now = rl_now();

	return route->apart ? now + (deadline - now) / 2 : deadline;
}

void rl_undo_run(struct rl_undo **undos, struct rl_route *route, const struct rl_keys *near, rl_time deadline)
{
	const struct rl_keys *failed = NULL;

	while (*undos) {
		struct rl_lease *lease = (*undos)->lease;
		bool elsewhere = near && are_apart(route, near, &lease->keys);

		if (lease->generation != rl_system_generation()) {
			drop_first(undos);
		} else if (elsewhere || (failed && !are_apart(route, failed, &lease->keys))) {
			undos = &(*undos)->next;
		} else if (undo(route, lease, near ? deadline : share_of(route, deadline))) {
			drop_first(undos);
		} else {
			failed = &lease->keys;
			undos = &(*undos)->next;
		}
	}
}
