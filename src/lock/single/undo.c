#include "undo.h"

#include <stdlib.h>

struct rl_undo {
	struct rl_undo *next;
	struct rl_lease *lease;
};

/* Takes the lease over. Without memory to remember it, its expiry must free it. */
static void add_undo(struct rl_undo **undos, struct rl_lease *lease)
{
	struct rl_undo *undo = malloc(sizeof *undo);

	if (!undo) {
		rl_lease_free(lease);
		return;
	}
	*undo = (struct rl_undo){ .next = *undos, .lease = lease };
	*undos = undo;
}

static void drop_first_undo(struct rl_undo **undos)
{
	struct rl_undo *undo = *undos;

	*undos = undo->next;
	rl_lease_free(undo->lease);
	free(undo);
}

static bool has_undo(const struct rl_undo *undos, const struct rl_lease *lease)
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

	rl_protocol_release(&step, lease, lease->delay_ms);
	return rl_protocol_run(route, &step, deadline, &answer, &ignored) == RL_OK
		&& (step.call.key_count > 1 || !rl_lease_has_copies(lease));
}

/* Other servers, and the call itself, are left half of the time. */
static rl_time time_for(rl_time deadline)
{
	rl_time now = rl_now();

	return now + (deadline - now) / 2;
}

/*
 * Tries those on the server of the lock `near`, or all if that is NULL. What cannot be sent stays, and with it what is
 * for the same server; that must not keep the others from being tried. After a fork they are the parent's and dropped.
 */
static void run_undos(struct rl_undo **undos, struct rl_route *route, const struct rl_keys *near, rl_time deadline)
{
	const struct rl_keys *failed = NULL;

	while (*undos) {
		struct rl_lease *lease = (*undos)->lease;
		bool elsewhere = near && are_apart(route, near, &lease->keys);

		if (lease->generation != rl_system_generation()) {
			drop_first_undo(undos);
		} else if (elsewhere || (failed && !are_apart(route, failed, &lease->keys))) {
			undos = &(*undos)->next;
		} else if (undo(route, lease, time_for(deadline))) {
			drop_first_undo(undos);
		} else {
			failed = &lease->keys;
			undos = &(*undos)->next;
		}
	}
}

/* How long it may take at least: waiting for replicas may have used up the call's deadline. */
#define UNDO_PATIENCE (100 * RL_MILLISECOND)

void rl_undo_repeat_last(struct rl_owner *owner, rl_time deadline)
{
	rl_time least = rl_now() + UNDO_PATIENCE;

	if (owner->undos && undo(owner->route, owner->undos->lease, rl_time_later(deadline, least))) {
		drop_first_undo(&owner->undos);
	}
}

void rl_undo_discard(struct rl_owner *owner, struct rl_lease *lease, bool maybe_held)
{
	if (maybe_held || lease->sent_again || rl_lease_has_copies(lease)) {
		add_undo(&owner->undos, lease);
	} else {
		rl_lease_free(lease);
	}
}

void rl_undo_repeat(struct rl_owner *owner, const struct rl_keys *near, rl_time deadline)
{
	run_undos(&owner->undos, owner->route, near, deadline);
}

void rl_undo_repeat_at_end(struct rl_owner *owner, rl_time deadline)
{
	rl_undo_repeat(owner, NULL, deadline);
}

bool rl_undo_has(struct rl_owner *owner, const struct rl_lease *taken)
{
	return has_undo(owner->undos, taken);
}

void rl_undo_drop_all(struct rl_owner *owner)
{
	while (owner->undos) {
		drop_first_undo(&owner->undos);
	}
}
