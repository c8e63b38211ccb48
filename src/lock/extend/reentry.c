#include "reentry.h"

#include <stdlib.h>
#include <string.h>

bool rl_reentry_is_possible(
	const struct rl_owner *owner, struct rl_lease *held, bool wants_share)
{
	rl_watch_sync(held);
	return !owner->route->node_count && !held->tenure.pending_ms
		&& (wants_share || !held->tenure.is_share);
}

/* NULL: it was given back meanwhile, or is another grant by now. */
static struct rl_lease *find_held(const struct rl_reentry *reentry)
{
	struct rl_lease *held = (struct rl_lease *)rl_table_find(
		&reentry->owner->leases, reentry->key);
	bool is_same = held && held->token.length == reentry->copy->token.length
		&& memcmp(held->token.text, reentry->copy->token.text, held->token.length) == 0;

	return is_same ? held : NULL;
}

/*
 * The answer came when the lease had run out. What became of it meanwhile would have to be asked,
 * so the verdict is the one that always holds.
 */
static enum rl_status end_late(
	struct rl_owner *owner, struct rl_lease *held, rl_time deadline, struct rl_error *error)
{
	enum rl_status verdict;

	rl_owner_remove(owner, held);
	verdict = rl_verdict_judge_unanswered(owner, held, deadline, error);
	owner->backend->discard(owner, held, true);
	return verdict;
}

static enum rl_status enter(
	struct rl_reentry *reentry, struct rl_lease *held, struct rl_error *error)
{
	struct rl_owner *owner = reentry->owner;
	rl_time sent_at = reentry->words.call.sent_at, now = rl_now();
	int64_t left_ms = rl_lease_told(reentry->outcome.left_ms);
	struct rl_tenure *tenure = &held->tenure;

	tenure->safe_until = rl_time_later(tenure->safe_until, rl_lease_safe_until(sent_at, left_ms));
	rl_watch_lengthened(held, sent_at, left_ms);
	if (reentry->lease_ms > held->length_ms) {
		held->length_ms = reentry->lease_ms;
	}
	if (now >= tenure->safe_until) {
		return end_late(owner, held, now, error);
	}
	held->depth++;
	owner->stats.acquired++;
	return RL_OK;
}

static enum rl_status answered(void *context, enum rl_status status, struct rl_error *error)
{
	struct rl_reentry *reentry = context;
	struct rl_request *request = &reentry->errand.request;
	struct rl_lease *held = find_held(reentry);
	rl_time now = rl_now();

	if (status == RL_OK && !rl_protocol_parse_outcome(request->reply, &reentry->outcome)) {
		status = rl_call_nonsense(&request->exchange, error);
	}
	reentry->is_gone = !held;
	if (status != RL_OK || !held) {
		return status;
	}
	return reentry->outcome.answer == RL_ANSWER_OURS
		? enter(reentry, held, error)
		: rl_owner_end_lost(reentry->owner, held, reentry->outcome.answer, now, now, error);
}

enum rl_status rl_reentry_begin(struct rl_reentry *reentry, struct rl_owner *owner,
	const struct rl_lease *held, struct rl_text key, int64_t lease_ms, struct rl_error *error)
{
	struct rl_errand *errand = &reentry->errand;

	reentry->owner = owner;
	reentry->key = key;
	reentry->lease_ms = lease_ms;
	reentry->is_gone = false;
	reentry->copy = rl_lease_copy(held);
	if (!reentry->copy) {
		return rl_fail_for_memory(error);
	}
	reentry->step = (struct rl_step){ RL_STEP_EXTEND,
		.lease = reentry->copy,
		.lease_ms = lease_ms,
		.how = RL_EXTEND_LONGER };
	rl_errand_begin(errand, owner->route, reentry);
	rl_errand_call(errand, rl_step_form(&reentry->words, &reentry->step),
		rl_owner_deadline(owner, rl_now()), answered);
	return RL_OK;
}

enum rl_status rl_reentry_go_on(struct rl_reentry *reentry, struct rl_error *error)
{
	return rl_errand_go_on(&reentry->errand, error);
}

void rl_reentry_awaits(struct rl_reentry *reentry, struct rl_polls *polls)
{
	rl_errand_awaits(&reentry->errand, polls);
}

void rl_reentry_end(struct rl_reentry *reentry)
{
	if (reentry->copy) {
		rl_errand_end(&reentry->errand);
		free(reentry->copy); /* one piece */
		reentry->copy = NULL;
	}
}
