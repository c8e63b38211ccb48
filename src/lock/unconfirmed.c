#include "unconfirmed.h"
#include "leftover.h"

#include <stdlib.h>

enum state {
	OUT,      /* the answer has not come */
	DONE,     /* nothing to tell */
	ANSWERED, /* the owner's next call tells what it means */
	TOLD      /* it has; the key is still its caller's to read */
};

struct rl_unconfirmed {
	struct rl_deferred deferred; /* while it is out */
	struct rl_owner *owner;      /* NULL: it has ended, nobody is told */
	struct rl_release release;
	enum state state;
	bool again;            /* done: lost, or refused; once more at the next contact */
	enum rl_answer answer; /* answered */
	rl_time answered_at;
	struct rl_unconfirmed *next; /* of the same owner */
};

static void free_record(struct rl_unconfirmed *record)
{
	rl_lease_free(record->release.lease);
	free(record);
}

/*
 * Called by whoever reads the connection: changes this record, and frees it only if nobody else has it. The owner may
 * be in the middle of a verdict on another lock, so it judges this one by itself, later.
 */
static void settle(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct rl_unconfirmed *record = (struct rl_unconfirmed *)deferred;

	if (!record->owner) {
		free_record(record);
		return;
	}
	/* Behind a claim that was not done it says nothing. */
	record->again = !reply || reply->type != RL_REPLY_INTEGER
		|| (record->release.lease->claim && !rl_claim_was_refused(record->release.lease));
	record->state = record->again ? DONE : ANSWERED;
	if (record->state == ANSWERED) {
		record->answer = (enum rl_answer)reply->integer;
		record->answered_at = rl_now();
	}
}

/* Sent in time is not done in time: a server that was slow may have found the lease ended. RL_OK: nothing is to be told. */
static enum rl_status tell(struct rl_unconfirmed *record, struct rl_error *error)
{
	enum rl_status verdict;

	if (record->state != ANSWERED) {
		return RL_OK;
	}
	verdict = rl_release_conclude(record->owner, &record->release, record->answer, record->answered_at, error);
	record->state = verdict == RL_OK ? DONE : TOLD;
	return verdict;
}

/* Reads what has come until the deadline, and drops what is over. */
static void settle_all(struct rl_owner *owner, rl_time deadline)
{
	struct rl_unconfirmed **link = &owner->unconfirmed, *record;

	while ((record = *link)) {
		bool parents = record->release.lease->generation != rl_generation();

		if (record->state == OUT && !parents) {
			rl_connection_settle(record->deferred.connection, deadline);
		}
		if (record->state == DONE || record->state == TOLD || (record->state == ANSWERED && parents)) {
			*link = record->next;
			rl_owner_discard(owner, record->release.lease, record->state == DONE && record->again);
			free(record);
		} else {
			link = &record->next;
		}
	}
}

static struct rl_unconfirmed *record_of(struct rl_owner *owner, struct rl_lease *lease, int64_t delay_ms)
{
	struct rl_unconfirmed *record = calloc(1, sizeof *record);

	if (record) {
		record->deferred.settle = settle;
		record->owner = owner;
		rl_release_begin(&record->release, lease, delay_ms);
	}
	return record;
}

/* RL_OK: the record is out with its connection. RL_NO: the lock's claim must be answered first. */
static enum rl_status send(struct rl_owner *owner, struct rl_unconfirmed *record, struct rl_error *error)
{
	struct rl_call *call = &record->release.step.call;
	rl_time deadline = rl_owner_deadline(owner);
	struct rl_session session;
	enum rl_status status = RL_OK;

	if (record->release.lease->claim && !rl_claim_session(record->release.lease, &session)) {
		return RL_NO;
	}
	if (!record->release.lease->claim) {
		status = rl_session_begin(&session, owner->route, call->keys[0], deadline, error);
	}
	if (status != RL_OK) {
		return status;
	}
	status = rl_call_send_text(owner->route, call, &session, deadline, error);
	if (status == RL_OK) {
		record->next = owner->unconfirmed;
		owner->unconfirmed = record;
		rl_connection_defer(session.connection, &record->deferred);
	}
	rl_session_end(&session);
	return status;
}

/* Sending took too long: then the answer counts. */
static enum rl_status await_answer(struct rl_owner *owner, struct rl_unconfirmed *record, struct rl_error *error)
{
	if (record->state == OUT) {
		rl_connection_settle(record->deferred.connection, rl_owner_deadline(owner));
	}
	if (record->state == ANSWERED) {
		return tell(record, error);
	}
	return rl_fail(error, RL_UNREACHABLE, "Redis at %s did not answer the release in time", owner->route->name);
}

enum rl_status rl_release_unconfirmed(struct rl_owner *owner, struct rl_lease *lease, int64_t delay_ms,
	struct rl_error *error)
{
	struct rl_unconfirmed *record;
	rl_time safe_until = lease->safe_until;
	enum rl_status status;

	if (lease->shares) {
		return rl_leftover_release(owner, lease, delay_ms, error);
	}
	record = record_of(owner, lease, delay_ms);
	if (!record) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	rl_owner_detach(owner, lease);
	status = send(owner, record, error);
	if (status == RL_OK) {
		return rl_now() < safe_until ? RL_OK : await_answer(owner, record, error);
	}
	status = rl_release_run(owner, &record->release, rl_owner_deadline(owner), error);
	rl_owner_discard(owner, lease, rl_release_is_open(&record->release, status));
	free(record);
	return status;
}

enum rl_status rl_unconfirmed_verdict(struct rl_owner *owner, struct rl_error *error)
{
	settle_all(owner, 0);
	for (struct rl_unconfirmed *record = owner->unconfirmed; record; record = record->next) {
		enum rl_status verdict = tell(record, error);

		if (verdict != RL_OK) {
			error->key = record->release.lease->entry.key;
			error->key_length = record->release.lease->entry.key_length;
			return verdict;
		}
	}
	return RL_OK;
}

void rl_unconfirmed_settle_all(struct rl_owner *owner, rl_time deadline, struct rl_release_summary *summary)
{
	rl_leftovers_settle(owner, deadline, summary);
	settle_all(owner, deadline);
	for (struct rl_unconfirmed *record = owner->unconfirmed; record; record = record->next) {
		struct rl_error error;
		enum rl_status verdict = tell(record, &error);

		if (verdict != RL_OK) {
			summary->untold++;
			rl_summary_note(summary, record->release.lease, verdict, &error);
		}
	}
}

void rl_unconfirmed_abandon(struct rl_owner *owner)
{
	while (owner->unconfirmed) {
		struct rl_unconfirmed *record = owner->unconfirmed;

		owner->unconfirmed = record->next;
		if (record->state == OUT) {
			record->owner = NULL; /* whoever reads or closes the connection frees it */
		} else {
			free_record(record);
		}
	}
}
