#include "reentry.h"
#include "mode.h"

#include <stdlib.h>
#include <string.h>

struct rl_reentry {
	struct rl_stepping stepping; /* the first, so that a change is one of these */
	struct rl_owner *owner;
	struct rl_lease *copy; /* what the stepping is about */
	int64_t lease_ms;
	rl_time deadline;
	rl_time least;      /* SETTLING: until when the lease is safe whatever is answered */
	bool is_share;      /* as the terms say */
	bool is_exclusive;  /* the upgrade was granted, and nobody has been told */
	bool is_over;       /* and that is told */
	bool is_taken_over; /* what is out was another's */
	bool is_abandoned;
	bool is_blind;                    /* it was taken back before it was heard */
	RL_LINK(struct rl_reentry, link); /* in the thread's list of those */
	struct rl_text key;
	char text[]; /* this */
};

static RL_THREAD_LOCAL struct rl_reentry *abandoned;

/* NULL: it was given back meanwhile, or is another's by now. */
static struct rl_lease *find_held(const struct rl_reentry *reentry)
{
	struct rl_lease *held = (struct rl_lease *)rl_table_find(
		&reentry->owner->leases, reentry->key);
	bool is_same = held && held->token.length == reentry->copy->token.length
		&& memcmp(held->token.text, reentry->copy->token.text, held->token.length) == 0;

	return is_same ? held : NULL;
}

/* Whether it is still the grant that was asked about. */
static bool is_as_it_was(const struct rl_reentry *reentry, struct rl_lease *held)
{
	rl_watch_sync(held);
	return rl_tenure_is_alike(&held->tenure, &reentry->copy->tenure);
}

/* --- changes --- */

/* True: it is taken back. */
static bool upgraded(struct rl_reentry *reentry, struct rl_lease *held)
{
	struct rl_stepping *stepping = &reentry->stepping;

	stepping->status = rl_mode_upgraded(reentry->owner, held, &stepping->step, stepping->status,
		&stepping->outcome, 0, &stepping->error);
	reentry->is_exclusive = stepping->status == RL_OK;
	if (reentry->is_exclusive) {
		reentry->copy->tenure = held->tenure;
	}
	return reentry->is_exclusive && reentry->is_abandoned;
}

static void take_back(struct rl_reentry *reentry, struct rl_lease *held)
{
	reentry->is_exclusive = false;
	reentry->copy->tenure = held->tenure;
	reentry->stepping.step = (struct rl_step){ RL_STEP_DOWNGRADE, .lease = reentry->copy };
	rl_watch_change(held);
}

/*
 * Nobody wants the upgrade, and there was silence until the time was over in which it, or what
 * takes it back behind it, may be run: so it is taken back once more, and that is heard.
 */
static bool is_to_be_asked_again(const struct rl_reentry *reentry)
{
	const struct rl_stepping *stepping = &reentry->stepping;
	bool may_be_upgraded = reentry->is_blind
		|| (reentry->is_abandoned && stepping->step.operation == RL_STEP_UPGRADE);

	return may_be_upgraded && stepping->status == RL_UNREACHABLE && rl_now() >= reentry->deadline;
}

/*
 * On one connection that comes behind the upgrade, whatever becomes of it. Where it is not so, or
 * may come once more, nobody knows what the upgrade will find: then the lease is given up.
 */
static void judge_blind(struct rl_reentry *reentry)
{
	struct rl_stepping *stepping = &reentry->stepping;

	if (stepping->status == RL_OK && stepping->step.doubt.copy_out) {
		stepping->status = rl_fail(&stepping->error, RL_UNREACHABLE,
			"Redis at %s: the connection broke while a lock was made a share again",
			reentry->owner->route->name);
	}
	stepping->step.doubt.fate_unknown |= stepping->status != RL_OK;
}

/* Nobody else says that a lease was given up: check() does. */
static void note_loss(struct rl_reentry *reentry)
{
	if (reentry->stepping.status != RL_OK && !find_held(reentry)) {
		rl_past_verdicts_add(&reentry->owner->past_verdicts, reentry->key, RL_LOST, 0);
	}
}

static bool changed(struct rl_stepping *stepping)
{
	struct rl_reentry *reentry = (struct rl_reentry *)stepping;
	struct rl_lease *held = find_held(reentry);

	if (held && is_to_be_asked_again(reentry)) {
		reentry->is_blind = false;
		take_back(reentry, held);
		reentry->copy->tenure.fence = 0;
		return true;
	}
	if (reentry->is_blind) {
		judge_blind(reentry);
	}
	if (held && stepping->step.operation == RL_STEP_DOWNGRADE) {
		stepping->status = rl_mode_downgraded(reentry->owner, held, &stepping->step,
			stepping->status, &stepping->outcome, 0, &stepping->error);
	} else if (held && upgraded(reentry, held)) {
		take_back(reentry, held);
		return true;
	}
	if (held && reentry->is_abandoned) {
		note_loss(reentry);
	}
	return false;
}

/* --- asking --- */

static void form(struct rl_reentry *reentry, struct rl_lease *held)
{
	struct rl_stepping *stepping = &reentry->stepping;
	int64_t pending_ms = held->tenure.pending_ms;

	*stepping = (struct rl_stepping){ .key = reentry->key };
	if (pending_ms) {
		reentry->least = rl_anew_least(held, pending_ms);
		stepping->step = rl_anew_step(reentry->copy, pending_ms);
	} else if (held->tenure.is_share && !reentry->is_share) {
		stepping->changed = changed;
		stepping->step = (struct rl_step){
			RL_STEP_UPGRADE, .lease = reentry->copy, .lease_ms = reentry->lease_ms
		};
		reentry->is_blind = false;
		rl_watch_change(held);
	} else {
		stepping->step = (struct rl_step){ RL_STEP_EXTEND,
			.lease = reentry->copy,
			.lease_ms = reentry->lease_ms,
			.how = RL_EXTEND_LONGER };
	}
}

static void end_stepping(struct rl_reentry *reentry)
{
	if (reentry->copy) {
		rl_stepping_end(&reentry->stepping);
		free(reentry->copy); /* one piece */
	}
}

/* Asks for what is next, as it is held now. RL_OK, or RL_NO_MEMORY. */
static enum rl_status ask(
	struct rl_reentry *reentry, struct rl_lease *held, struct rl_error *error)
{
	struct rl_lease *copy;

	rl_watch_sync(held);
	copy = rl_lease_copy(held);
	if (!copy) {
		return rl_fail_for_memory(error);
	}
	end_stepping(reentry);
	reentry->copy = copy;
	copy->generation = held->generation;
	form(reentry, held);
	rl_stepping_begin(&reentry->stepping, reentry->owner, reentry->deadline);
	return RL_OK;
}

/* --- answers --- */

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

static enum rl_status deepen(
	struct rl_reentry *reentry, struct rl_lease *held, struct rl_error *error)
{
	struct rl_owner *owner = reentry->owner;
	rl_time now = rl_now();

	if (now >= held->tenure.safe_until) {
		return end_late(owner, held, now, error);
	}
	held->depth++;
	owner->stats.acquired++;
	return RL_OK;
}

static void lengthen(struct rl_reentry *reentry, struct rl_lease *held)
{
	rl_time sent_at = reentry->stepping.step.sent_at;
	int64_t left_ms = rl_lease_told(reentry->stepping.outcome.left_ms);
	struct rl_tenure *tenure = &held->tenure;

	tenure->safe_until = rl_time_later(tenure->safe_until, rl_lease_safe_until(sent_at, left_ms));
	if (reentry->lease_ms > held->length_ms) {
		held->length_ms = reentry->lease_ms;
	}
	rl_watch_lengthened(held, sent_at, left_ms);
}

/* False: there is more to be asked. So it is in the following, too. */
static bool answered(struct rl_reentry *reentry, struct rl_lease *held, enum rl_status *status,
	struct rl_error *error)
{
	const struct rl_stepping *stepping = &reentry->stepping;
	bool settles = stepping->step.how == RL_EXTEND_ANEW;

	if (!is_as_it_was(reentry, held)) {
		return false;
	}
	if (settles) {
		rl_watch_pause(held);
		rl_anew_answered(held, &stepping->step, reentry->least, &stepping->outcome);
	}
	if (stepping->outcome.answer != RL_ANSWER_OURS) {
		*status = rl_owner_end_lost(
			reentry->owner, held, stepping->outcome.answer, rl_now(), 0, error);
		return true;
	}
	if (!settles) {
		lengthen(reentry, held);
		*status = deepen(reentry, held, error);
	}
	return !settles;
}

static bool conclude(struct rl_reentry *reentry, struct rl_lease *held, enum rl_status *status,
	struct rl_error *error)
{
	const struct rl_stepping *stepping = &reentry->stepping;

	*status = stepping->status;
	if (reentry->is_taken_over) {
		reentry->is_taken_over = false;
		return false;
	}
	if (stepping->status != RL_OK) {
		*error = stepping->error;
		return true;
	}
	if (stepping->changed && !is_as_it_was(reentry, held)) {
		return false; /* another call has changed it again */
	}
	if (stepping->changed) {
		*status = deepen(reentry, held, error);
		return true;
	}
	return answered(reentry, held, status, error);
}

/* --- from outside --- */

enum rl_status rl_reentry_begin(struct rl_owner *owner, struct rl_lease *held,
	const struct rl_reentry_terms *terms, struct rl_reentry **out, struct rl_error *error)
{
	struct rl_reentry *reentry = calloc(1, sizeof *reentry + terms->key.length);

	if (!reentry) {
		return rl_fail_for_memory(error);
	}
	memcpy(reentry->text, terms->key.data, terms->key.length);
	reentry->key = (struct rl_text){ reentry->text, terms->key.length };
	reentry->owner = owner;
	reentry->lease_ms = terms->lease_ms;
	reentry->is_share = terms->is_share;
	reentry->deadline = rl_owner_deadline(owner, rl_now());
	if (ask(reentry, held, error) != RL_OK) {
		free(reentry);
		return RL_NO_MEMORY;
	}
	*out = reentry;
	return RL_OK;
}

struct rl_reentry *rl_reentry_take_over(
	struct rl_owner *owner, const struct rl_reentry_terms *terms)
{
	struct rl_reentry *reentry = (struct rl_reentry *)rl_stepping_find(owner, terms->key);

	if (reentry) {
		RL_LIST_REMOVE(reentry, link);
		reentry->is_abandoned = false;
		reentry->is_taken_over = true;
		reentry->lease_ms = terms->lease_ms;
		reentry->is_share = terms->is_share;
		reentry->deadline = rl_owner_deadline(owner, rl_now());
	}
	return reentry;
}

void rl_reentry_set_out(struct rl_reentry *reentry, struct rl_polls *polls)
{
	if (rl_stepping_go_on(&reentry->stepping, polls)) {
		rl_polls_until(polls, 0);
	}
}

bool rl_reentry_go_on(struct rl_reentry *reentry, enum rl_status *status, bool *is_gone,
	struct rl_polls *polls, struct rl_error *error)
{
	*is_gone = false;
	while (!reentry->is_over && rl_stepping_go_on(&reentry->stepping, polls)) {
		struct rl_lease *held = find_held(reentry);
		bool fails = reentry->stepping.status != RL_OK && !reentry->is_taken_over;

		*is_gone = !held && !fails;
		if (*is_gone) {
			*status = RL_OK;
		}
		reentry->is_over = *is_gone || conclude(reentry, held, status, error);
		if (!reentry->is_over) {
			*status = ask(reentry, held, error);
			reentry->is_over = *status != RL_OK;
		}
	}
	return reentry->is_over;
}

/* --- nobody wants it any more --- */

static void drop(struct rl_reentry *reentry)
{
	RL_LIST_REMOVE(reentry, link);
	end_stepping(reentry);
	free(reentry);
}

static bool is_ours(const struct rl_reentry *reentry)
{
	return reentry->copy->generation == rl_system_generation();
}

/* Takes back at once what was granted already. */
static void begin_to_take_back(struct rl_reentry *reentry, struct rl_polls *polls)
{
	struct rl_lease *held = find_held(reentry);

	if (held && !held->tenure.is_share && !held->tenure.pending_ms) {
		rl_stepping_end(&reentry->stepping);
		take_back(reentry, held);
		rl_stepping_begin(&reentry->stepping, reentry->owner,
			rl_owner_deadline(reentry->owner, rl_now()));
		rl_stepping_go_on(&reentry->stepping, polls);
	}
}

/*
 * Takes back what was asked for, behind it, since nobody may ever hear the answer. What was not
 * sent yet is not.
 */
static void take_back_behind(struct rl_reentry *reentry)
{
	struct rl_step step = { RL_STEP_DOWNGRADE, .lease = reentry->copy };
	struct rl_stepping *stepping = &reentry->stepping;
	struct rl_lease *held = find_held(reentry);
	rl_time deadline = rl_owner_deadline(reentry->owner, rl_now());

	if (held && stepping->step.operation == RL_STEP_UPGRADE) {
		reentry->copy->tenure.fence = 0;
		reentry->is_blind = rl_stepping_follow(stepping, &step, deadline);
		reentry->deadline = reentry->is_blind ? deadline : reentry->deadline;
	}
	if (held && !reentry->is_blind && !rl_stepping_may_be_done(stepping)) {
		rl_stepping_end(stepping);
		stepping->is_over = true;
		rl_watch_go_on_as_before(held);
	}
}

void rl_reentry_end(struct rl_reentry *reentry)
{
	struct rl_stepping *stepping = &reentry->stepping;
	struct rl_polls unheard;

	rl_polls_begin(&unheard);
	if (is_ours(reentry) && !reentry->is_over && stepping->changed) {
		rl_stepping_go_on(stepping, &unheard); /* what has come is heard */
		if (stepping->is_over) {
			note_loss(reentry);
		}
	}
	if (is_ours(reentry) && !reentry->is_over && stepping->is_over && reentry->is_exclusive) {
		begin_to_take_back(reentry, &unheard);
	} else if (is_ours(reentry) && stepping->changed && !stepping->is_over) {
		take_back_behind(reentry);
	}
	if (is_ours(reentry) && stepping->changed && !stepping->is_over) {
		reentry->is_abandoned = true;
		RL_LIST_ADD(&abandoned, reentry, link);
	} else {
		drop(reentry);
	}
}

void rl_reentry_tidy(void)
{
	struct rl_reentry *next;
	struct rl_polls unheard;

	for (struct rl_reentry *reentry = abandoned; reentry; reentry = next) {
		next = reentry->link.next;
		rl_polls_begin(&unheard);
		if (!is_ours(reentry) || rl_stepping_go_on(&reentry->stepping, &unheard)) {
			drop(reentry);
		}
	}
}

void rl_reentry_drop_all(struct rl_owner *owner)
{
	struct rl_reentry *next;

	for (struct rl_reentry *reentry = abandoned; reentry; reentry = next) {
		next = reentry->link.next;
		if (reentry->owner == owner) {
			drop(reentry);
		}
	}
}
