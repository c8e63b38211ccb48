#include "stepping.h"

static enum rl_status over(void *context, enum rl_status status, struct rl_error *error)
{
	struct rl_stepping *stepping = context;
	struct rl_owner *owner = stepping->owner;

	stepping->status = owner->backend->heard(stepping, status);
	if (stepping->changed && stepping->changed(stepping)) {
		return owner->backend->begin(stepping, rl_owner_deadline(owner, rl_now()), over);
	}
	RL_LIST_REMOVE(stepping, link);
	stepping->is_over = true;
	return RL_OK;
}

void rl_stepping_begin(struct rl_stepping *stepping, struct rl_owner *owner, rl_time deadline)
{
	stepping->owner = owner;
	stepping->kept = NULL;
	rl_errand_begin(&stepping->errand, owner->route, stepping);
	stepping->status = owner->backend->begin(stepping, deadline, over);
	stepping->is_over = stepping->status != RL_NO;
	if (stepping->changed && !stepping->is_over) {
		RL_LIST_ADD(&owner->changes, stepping, link);
	}
}

bool rl_stepping_go_on(struct rl_stepping *stepping, struct rl_polls *polls)
{
	if (!stepping->is_over) {
		rl_errand_go_on(&stepping->errand, polls, &stepping->error);
	}
	return stepping->is_over;
}

void rl_stepping_end(struct rl_stepping *stepping)
{
	RL_LIST_REMOVE(stepping, link);
	rl_errand_end(&stepping->errand);
	if (stepping->owner->backend->end) {
		stepping->owner->backend->end(stepping);
	}
}

bool rl_stepping_may_be_done(const struct rl_stepping *stepping)
{
	return rl_request_may_be_done(&stepping->errand.request);
}

struct next {
	struct rl_stepping *stepping;
	const struct rl_step *step;
};

static struct rl_call *form_next(void *context)
{
	struct next *next = context;

	next->stepping->step = *next->step;
	return rl_step_form(&next->stepping->words, &next->stepping->step);
}

bool rl_stepping_follow(
	struct rl_stepping *stepping, const struct rl_step *next, rl_time deadline)
{
	struct next context = { stepping, next };
	bool follows = !stepping->is_over
		&& rl_errand_follow(&stepping->errand, form_next, &context, deadline);
	struct rl_polls unheard;

	if (follows) {
		rl_polls_begin(&unheard);
		rl_stepping_go_on(stepping, &unheard);
	}
	return follows;
}

/* A child of the process has the parent's. */
struct rl_stepping *rl_stepping_find(const struct rl_owner *owner, struct rl_text key)
{
	struct rl_stepping *change = owner->changes;

	while (change
		&& ((key.data && !rl_text_is(change->key, key))
			|| change->step.lease->generation != rl_system_generation())) {
		change = change->link.next;
	}
	return change;
}

void rl_owner_finish_changes(struct rl_owner *owner, struct rl_text key)
{
	struct rl_stepping *change;

	while ((change = rl_stepping_find(owner, key))) {
		rl_errand_run(&change->errand, RL_NO, &change->error);
	}
}
