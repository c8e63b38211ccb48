#include "pending.h"
#include "taking.h"
#include "../extend/mode.h"
#include "../extend/reentry.h"
#include "../shown_name.h"
#include "../../base/waitset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct rl_pending {
	struct rl_owner *owner;
	struct rl_text key;
	struct rl_acquire terms;    /* with copies of key and metadata */
	struct rl_reentry *reentry; /* NULL: there is none, or it has ended */
	struct rl_wait *wait;       /* likewise */
	bool is_over;
	bool is_asking;         /* the retry strategy: it may be PHP code, and use this */
	enum rl_status status;  /* over: what it has come to; an error, until that was told */
	struct rl_error *error; /* over: what explains it; or NULL */
	rl_time began;
	uint64_t generation;
	struct rl_waitset set;
	RL_LINK(struct rl_pending, link);
	char texts[]; /* these */
};

/* --- others of the same name --- */

enum rl_status rl_pending_refuse(
	const struct rl_owner *owner, struct rl_text key, struct rl_error *error)
{
	const struct rl_pending *pending = owner->pendings;
	char name[RL_NAME_SIZE];

	while (pending
		&& (!rl_text_is(pending->key, key) || pending->generation != rl_system_generation())) {
		pending = pending->link.next;
	}
	return pending ? rl_fail(error, RL_MISUSE,
			   "This RLock waits for the lock \"%s\" already, by requestLock(): poll that, or cancel it",
			   rl_shown_name(name, sizeof name, key))
				   : RL_OK;
}

/* --- over --- */

static void note(struct rl_pending *pending, enum rl_status status, const struct rl_error *error)
{
	pending->is_over = true;
	pending->status = status;
	RL_LIST_REMOVE(pending, link);
	if (status != RL_OK && status != RL_NO && !pending->error) {
		pending->error = malloc(sizeof *pending->error);
	}
	if (pending->error) {
		*pending->error = *error;
	}
}

static void count(struct rl_pending *pending, enum rl_status status)
{
	struct rl_stats *stats = &pending->owner->stats;

	stats->busy += status == RL_NO;
	if (pending->wait->has_waited) {
		stats->waits++;
		stats->waited += rl_now() - pending->began;
	}
}

/* --- waiting --- */

static enum rl_status begin_wait(struct rl_pending *pending, struct rl_error *error)
{
	struct rl_owner *owner = pending->owner;
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	enum rl_status status = rl_watch_expect(&owner->watch, owner->watch.renew, error);

	if (status != RL_OK) {
		return status;
	}
	rl_watch_expect_no_more(&owner->watch, owner->watch.renew);
	status = rl_taking_prepare(owner, &pending->terms, deadline, &pending->wait, error);
	if (status != RL_OK) {
		pending->wait = NULL;
		return status;
	}
	rl_wait_begin_asking(pending->wait);
	return RL_OK;
}

/* What was granted ran out before anybody could be told. RL_NO: and so did the wait. */
static enum rl_status ask_anew(struct rl_pending *pending, struct rl_error *error)
{
	struct rl_attempt *attempt = &pending->wait->attempt;
	enum rl_status status = RL_NO;

	attempt->doubt.fate_unknown = true;
	if (rl_now() < attempt->until) {
		status = rl_attempt_renew_token(attempt, error);
	}
	if (status == RL_OK) {
		attempt->grant = (struct rl_grant){ .ours = false };
		rl_wait_begin_asking(pending->wait);
	}
	return status;
}

static bool has_run_out(const struct rl_attempt *attempt)
{
	int64_t left_ms = rl_lease_told(attempt->grant.left_ms);

	return rl_now() >= rl_lease_safe_until(attempt->asked_at, left_ms);
}

static void end_wait(struct rl_pending *pending, enum rl_status status, struct rl_error *error)
{
	count(pending, status);
	if (status != RL_OK) {
		rl_attempt_drop(&pending->wait->attempt);
	}
	free(pending->wait);
	pending->wait = NULL;
	note(pending, status, error);
}

/* The wait is over. */
static void conclude(struct rl_pending *pending)
{
	struct rl_attempt *attempt = &pending->wait->attempt;
	struct rl_error error;
	enum rl_status status = rl_wait_end(pending->wait, &error);

	rl_attempt_give_up(attempt);
	if (status == RL_OK && has_run_out(attempt)) {
		status = ask_anew(pending, &error);
		if (status == RL_OK) {
			return;
		}
	} else if (status == RL_OK) {
		status = rl_taking_keep(attempt, &error);
	}
	end_wait(pending, status, &error);
}

/* Whose code may do anything, and cancel this, too. */
static void ask_strategy(struct rl_pending *pending)
{
	const struct rl_retry *retry = pending->terms.retry;
	rl_time pause = 0;
	bool more;

	pending->is_asking = true;
	more = retry->next(retry->context, ++pending->wait->retries, &pause);
	pending->is_asking = false;
	if (pending->wait) {
		rl_wait_retry_after(pending->wait, more, pause);
	}
}

/* --- steps --- */

static void end_reentry(struct rl_pending *pending)
{
	if (pending->reentry) {
		rl_reentry_end(pending->reentry);
		pending->reentry = NULL;
	}
}

/* A lock that was given back meanwhile is asked for. */
static void go_on_reentering(struct rl_pending *pending, struct rl_polls *polls)
{
	struct rl_error error;
	enum rl_status status;
	bool is_gone;

	if (!rl_reentry_go_on(pending->reentry, &status, &is_gone, polls, &error)) {
		return;
	}
	end_reentry(pending);
	if (is_gone) {
		status = begin_wait(pending, &error);
	}
	if (!is_gone || status != RL_OK) {
		note(pending, status, &error);
	}
}

/* False: there is nothing more to be done now. */
static bool go_on_waiting(struct rl_pending *pending, struct rl_polls *polls)
{
	if (rl_wait_asks_strategy(pending->wait)) {
		ask_strategy(pending);
	}
	if (!pending->wait) {
		return false;
	}
	rl_polls_begin(polls);
	rl_wait_go_on(pending->wait, polls);
	if (pending->wait->state == RL_WAIT_OVER) {
		conclude(pending);
		return pending->wait != NULL;
	}
	return rl_wait_asks_strategy(pending->wait);
}

static void watch(struct rl_pending *pending, struct rl_polls *polls)
{
	if (pending->is_over) {
		rl_waitset_fire(&pending->set);
	} else {
		rl_waitset_watch(&pending->set, polls);
	}
}

static void step(struct rl_pending *pending)
{
	struct rl_polls polls;

	rl_polls_begin(&polls);
	if (pending->reentry) {
		go_on_reentering(pending, &polls);
	}
	while (pending->wait && go_on_waiting(pending, &polls)) {
	}
	watch(pending, &polls);
}

/*
 * The first step. What comes of it is told, and kept, by the next, which somebody hears: if that
 * can be taken at once, the moment is past.
 */
static void set_out(struct rl_pending *pending)
{
	struct rl_polls polls;

	rl_polls_begin(&polls);
	if (pending->reentry) {
		rl_reentry_set_out(pending->reentry, &polls);
	} else {
		rl_wait_go_on(pending->wait, &polls);
		if (pending->wait->state == RL_WAIT_OVER || rl_wait_asks_strategy(pending->wait)) {
			rl_polls_until(&polls, 0);
		}
	}
	watch(pending, &polls);
}

/* --- from outside --- */

static enum rl_status make(struct rl_owner *owner, const struct rl_acquire *request,
	struct rl_pending **out, struct rl_error *error)
{
	const struct rl_text key = request->key, metadata = request->metadata;
	struct rl_pending *pending = calloc(1, sizeof *pending + key.length + metadata.length);

	if (!pending) {
		return rl_fail_for_memory(error);
	}
	if (!rl_waitset_open(&pending->set)) {
		free(pending);
		return rl_fail(
			error, RL_MISUSE, "The system has no descriptor for this wait: %s", strerror(errno));
	}
	pending->owner = owner;
	pending->terms = *request;
	memcpy(pending->texts, key.data, key.length);
	pending->key = pending->terms.key = (struct rl_text){ pending->texts, key.length };
	if (metadata.data) {
		memcpy(pending->texts + key.length, metadata.data, metadata.length);
		pending->terms.metadata.data = pending->texts + key.length;
	}
	pending->began = rl_now();
	pending->generation = rl_system_generation();
	RL_LIST_ADD(&owner->pendings, pending, link);
	*out = pending;
	return RL_OK;
}

/* What is held goes a level deeper. */
static enum rl_status begin(struct rl_pending *pending, struct rl_error *error)
{
	struct rl_owner *owner = pending->owner;
	const struct rl_reentry_terms terms = { .key = pending->key,
		.is_share = pending->terms.is_shared,
		.lease_ms = pending->terms.lease_ms };
	struct rl_lease *held;
	enum rl_status status;

	pending->reentry = rl_reentry_take_over(owner, &terms);
	if (pending->reentry) {
		return RL_OK;
	}
	status = rl_owner_use(owner, pending->key, rl_now(), &held, error);
	if (status == RL_OK) {
		return rl_reentry_begin(owner, held, &terms, &pending->reentry, error);
	}
	return status == RL_NO ? begin_wait(pending, error) : status;
}

/* Who has a lost lock now is not asked, since that would wait. */
static enum rl_status explain(enum rl_status status, struct rl_error *error)
{
	if (status == RL_LOST) {
		error->unanswered = true;
	}
	return status;
}

enum rl_status rl_owner_request(struct rl_owner *owner, const struct rl_acquire *request,
	struct rl_pending **out, struct rl_error *error)
{
	enum rl_status status = request->is_shared ? rl_mode_can_share(owner, error) : RL_OK;

	if (status == RL_OK) {
		status = rl_pending_refuse(owner, request->key, error);
	}
	if (status == RL_OK) {
		status = make(owner, request, out, error);
	}
	if (status != RL_OK) {
		return status;
	}
	status = begin(*out, error);
	if (status == RL_OK) {
		set_out(*out);
	} else {
		rl_pending_end(*out);
	}
	return explain(status, error);
}

static bool is_ours(const struct rl_pending *pending)
{
	return pending->generation == rl_system_generation();
}

static enum rl_status fail_in_child(const struct rl_pending *pending, struct rl_error *error)
{
	char name[RL_NAME_SIZE];

	return rl_fail(error, RL_MISUSE,
		"The lock \"%s\" was requested before fork(), and the parent process waits for it",
		rl_shown_name(name, sizeof name, pending->key));
}

/* An error is told once. */
static enum rl_status tell(struct rl_pending *pending, struct rl_error *error)
{
	enum rl_status status = pending->status;

	if (status != RL_OK) {
		pending->status = RL_NO;
	}
	if (status != RL_OK && status != RL_NO && !pending->error) {
		return rl_fail_for_memory(error);
	}
	if (pending->error) {
		*error = *pending->error;
		free(pending->error);
		pending->error = NULL;
	}
	return explain(status, error);
}

bool rl_pending_go_on(
	struct rl_pending *pending, enum rl_status *status, struct rl_error *error)
{
	if (!is_ours(pending)) {
		*status = fail_in_child(pending, error);
		return true;
	}
	if (!pending->is_over && !pending->is_asking) {
		step(pending);
	}
	if (pending->is_over) {
		*status = tell(pending, error);
	}
	return pending->is_over;
}

int rl_pending_fd(const struct rl_pending *pending)
{
	return pending->set.fd;
}

/* In a child nothing is sent. */
static void abandon(struct rl_pending *pending)
{
	end_reentry(pending);
	if (pending->wait) {
		count(pending, RL_INTERRUPTED);
		rl_wait_abandon(pending->wait);
		pending->wait = NULL;
	}
	pending->is_over = true;
	pending->status = RL_NO;
	RL_LIST_REMOVE(pending, link);
}

void rl_pending_cancel(struct rl_pending *pending)
{
	if (!pending->is_over && is_ours(pending)) {
		abandon(pending);
		rl_waitset_fire(&pending->set);
	} else if (pending->status != RL_OK) {
		pending->status = RL_NO;
	}
}

void rl_pending_cancel_all(struct rl_owner *owner)
{
	while (owner->pendings) {
		struct rl_pending *pending = owner->pendings;

		abandon(pending);
		if (is_ours(pending)) {
			rl_waitset_fire(&pending->set);
		}
	}
}

void rl_pending_end(struct rl_pending *pending)
{
	if (!pending->is_over) {
		abandon(pending);
	}
	rl_waitset_close(&pending->set);
	free(pending->error);
	free(pending);
}
