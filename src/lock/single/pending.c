#include "pending.h"
#include "../claim.h"
#include "../../redis/refusal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- undos --- */

struct rl_undo {
	struct rl_undo *next;
	struct rl_lease *lease;
};

void rl_pending_forget(struct rl_lease *lease)
{
	rl_claim_abandon(lease);
	rl_lease_free(lease);
}

/* Takes the lease over. Without memory to remember it, its expiry must free it. */
static void add_undo(struct rl_undo **undos, struct rl_lease *lease)
{
	struct rl_undo *undo = malloc(sizeof *undo);

	if (!undo) {
		rl_pending_forget(lease);
		return;
	}
	*undo = (struct rl_undo){ .next = *undos, .lease = lease };
	*undos = undo;
}

static void drop_first_undo(struct rl_undo **undos)
{
	struct rl_undo *undo = *undos;

	*undos = undo->next;
	rl_pending_forget(undo->lease);
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
	enum rl_status claimed = rl_claim_await(route, lease, deadline, &ignored);

	if (claimed != RL_OK && claimed != RL_NO) {
		return false;
	}
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

void rl_pending_repeat_last(struct rl_owner *owner, rl_time deadline)
{
	rl_time least = rl_now() + UNDO_PATIENCE;

	if (owner->undos && undo(owner->route, owner->undos->lease, rl_time_later(deadline, least))) {
		drop_first_undo(&owner->undos);
	}
}

void rl_pending_discard(struct rl_owner *owner, struct rl_lease *lease, bool maybe_held)
{
	if (maybe_held || lease->sent_again || rl_lease_has_copies(lease)) {
		add_undo(&owner->undos, lease);
	} else {
		rl_pending_forget(lease);
	}
}

/* --- unconfirmed releases --- */

enum state {
	OUT,      /* the answer has not come */
	DONE,     /* nothing to tell */
	ANSWERED, /* the owner's next call tells what it means */
	REFUSED,  /* the owner's next call tells so */
	TOLD      /* it has; the key is still its caller's to read */
};

struct rl_unconfirmed {
	struct rl_deferred deferred; /* while it is out */
	struct rl_deferred net;      /* the same, of the request to free the lock that follows a hash */
	bool has_net;                /* that is out, and until it is answered, so is this */
	bool script_unknown;         /* the server did not know the hash: what counts is the answer to `net` */
	enum state state_then;       /* as soon as `net` is answered */
	struct rl_owner *owner;      /* NULL: it has ended, nobody is told */
	struct rl_release release;
	struct rl_session session; /* what it went out on; not ours while it is out */
	enum state state;
	bool again;                  /* lost, or refused: once more at the next contact */
	bool refused;                /* for whatever reason */
	struct rl_error refusal;     /* how */
	enum rl_answer answer;       /* answered */
	struct rl_unconfirmed *next; /* of the same owner */
};

static void free_record(struct rl_unconfirmed *record)
{
	rl_pending_forget(record->release.lease);
	free(record);
}

/* Once more may do: what waited for its answer would have tried again, or elsewhere. */
static bool is_transient(const struct rl_route *route, const struct rl_error *refusal)
{
	if (rl_route_was_wrong(refusal)) {
		return route->patience > route->timeout; /* of servers that replace each other */
	}
	return rl_refusal_passes_soon(refusal);
}

static void refuse(struct rl_unconfirmed *record, const struct rl_reply *reply)
{
	struct rl_error refusal;

	rl_connection_refusal(record->deferred.connection, reply, &refusal);
	rl_release_refuse(&record->refusal, &refusal);
	record->again = record->refused = true;
	record->state = is_transient(record->owner->route, &refusal) ? DONE : REFUSED;
}

static void understand(struct rl_unconfirmed *record, const struct rl_reply *reply)
{
	struct rl_lease *lease = record->release.lease;

	if (reply && reply->type == RL_REPLY_ERROR) {
		refuse(record, reply);
	} else if (!reply || reply->type != RL_REPLY_INTEGER || (lease->claim && !rl_claim_was_refused(lease))) {
		record->again = true; /* behind a claim that was not done it says nothing, either */
		record->state = DONE;
	} else {
		record->answer = (enum rl_answer)reply->integer;
		record->state = ANSWERED;
	}
}

/*
 * Called by any function that reads the connection: changes this record, and frees it only if nobody else has it. The
 * owner may be in the middle of a verdict on another lock, so it judges this one by itself, later.
 */
static void on_reply(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct rl_unconfirmed *record = (struct rl_unconfirmed *)deferred;

	if (!record->owner && !record->has_net) {
		free_record(record);
		return;
	}
	if (reply && rl_reply_is_error(reply, "NOSCRIPT")) {
		rl_connection_forget_run(deferred->connection);
		record->script_unknown = true;
	} else if (record->owner) {
		understand(record, reply);
	}
	if (record->has_net) {
		record->state_then = record->state;
		record->state = OUT;
	}
}

/* Not freed means lost: whether the lease only ended is not known. */
static void understand_net(struct rl_unconfirmed *record, const struct rl_reply *reply)
{
	if (!reply || reply->type != RL_REPLY_INTEGER) {
		record->again = true;
		record->state = DONE;
		return;
	}
	record->answer = reply->integer == 1 ? RL_ANSWER_OURS : RL_ANSWER_NO_FENCE;
	record->state = ANSWERED;
}

static void on_net_reply(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct rl_unconfirmed *record = (struct rl_unconfirmed *)((char *)deferred - offsetof(struct rl_unconfirmed, net));

	if (!record->owner) {
		free_record(record);
	} else if (record->script_unknown) {
		understand_net(record, reply);
	} else {
		record->state = record->state_then;
	}
}

static enum rl_status tell_refusal(struct rl_unconfirmed *record, struct rl_error *error)
{
	record->state = TOLD;
	*error = record->refusal;
	return RL_REFUSED;
}

/*
 * RL_OK: nothing is to be told. Sent in time is not done in time: a server that was slow may have found the lease
 * ended. So the moment counts at which the answer came, however late it is read; if that is not known, the last one
 * before which it had not come.
 */
static enum rl_status tell(struct rl_unconfirmed *record, struct rl_error *error)
{
	enum rl_status verdict;

	if (record->state == REFUSED) {
		return tell_refusal(record, error);
	}
	if (record->state != ANSWERED) {
		return RL_OK;
	}
	rl_release_note_closed(&record->release);
	verdict = rl_release_conclude(record->owner, &record->release, record->answer, record->deferred.came_at, error);
	record->state = verdict == RL_OK ? DONE : TOLD;
	return verdict;
}

static bool is_parents(const struct rl_unconfirmed *record)
{
	return record->release.lease->generation != rl_system_generation();
}

void rl_pending_forget_told(struct rl_owner *owner)
{
	for (struct rl_unconfirmed *record = owner->unconfirmed; record; record = record->next) {
		if (record->state == TOLD) {
			record->state = DONE;
		}
	}
}

/* Forgets what is over; what is to be repeated becomes an undo. Does no I/O. */
static void sort_out(struct rl_owner *owner)
{
	struct rl_unconfirmed **link = &owner->unconfirmed, *record;

	while ((record = *link)) {
		if (record->state == DONE || (record->state != OUT && is_parents(record))) {
			*link = record->next;
			rl_pending_discard(owner, record->release.lease, record->again);
			free(record);
		} else {
			link = &record->next;
		}
	}
}

/* Reads what has come until the deadline. */
static void read_all(struct rl_owner *owner, rl_time deadline)
{
	for (struct rl_unconfirmed *record = owner->unconfirmed; record; record = record->next) {
		if (record->state == OUT && !is_parents(record)) {
			rl_connection_read_deferred(record->deferred.connection, deadline);
		}
	}
}

/* Closes the connection, so that nobody waits for the answer: the release counts as unanswered. */
static void give_up(struct rl_unconfirmed *record)
{
	struct rl_session session = record->session;

	if (rl_session_resume(&session)) {
		session.connection->broken = true;
		rl_session_end(&session);
	}
}

/*
 * Whether a release of this lock by the same owner was lost or refused. One whose answer has not come is out on
 * another connection than the ask was that has just found the lock taken, and is given up.
 */
static bool is_to_send_again(struct rl_owner *owner, const struct rl_lease *lease)
{
	bool again = false;

	for (struct rl_unconfirmed *record = owner->unconfirmed; record; record = record->next) {
		if (!is_parents(record) && rl_lease_is_alike(record->release.lease, lease)) {
			if (record->state == OUT) {
				give_up(record);
			}
			again |= record->again;
		}
	}
	return again;
}

void rl_pending_repeat(struct rl_owner *owner, const struct rl_keys *near, rl_time deadline)
{
	sort_out(owner);
	run_undos(&owner->undos, owner->route, near, deadline);
}

bool rl_pending_has(struct rl_owner *owner, const struct rl_lease *taken)
{
	return is_to_send_again(owner, taken) || has_undo(owner->undos, taken);
}

static struct rl_unconfirmed *record_of(struct rl_owner *owner, struct rl_lease *lease, int64_t delay_ms)
{
	struct rl_unconfirmed *record = calloc(1, sizeof *record);

	if (record) {
		record->deferred.on_reply = on_reply;
		record->net.on_reply = on_net_reply;
		record->owner = owner;
		rl_release_begin(&record->release, lease, delay_ms);
	}
	return record;
}

/*
 * By its hash, which spares the server the work of hashing the text each time. Nobody hears in time if the script cache
 * was flushed, so a request to free the lock follows by its text.
 */
static enum rl_status send_hash(struct rl_owner *owner, struct rl_call *call, struct rl_session *session,
	rl_time deadline, struct rl_error *error)
{
	struct rl_call net;
	enum rl_status status = rl_call_queue(owner->route, call, session->connection, false, deadline, error);

	if (status != RL_OK) {
		return status;
	}
	rl_protocol_free(&net, call);
	status = rl_call_send_text(owner->route, &net, session, deadline, error);
	call->unanswered += net.unanswered;
	call->maybe_done |= net.maybe_done;
	return status;
}

/* Only a release without any terms does no more than free or pass on; and behind a claim L may still be the baton. */
static bool can_send_hash(const struct rl_lease *lease, const struct rl_step *step, const struct rl_connection *connection)
{
	return rl_protocol_is_plain_release(step) && !lease->claim && rl_connection_has_run(connection, step->call.script);
}

/* RL_OK: the record is out with its connection. */
static enum rl_status send_on(struct rl_owner *owner, struct rl_unconfirmed *record, struct rl_session *session,
	rl_time deadline, struct rl_error *error)
{
	struct rl_call *call = &record->release.step.call;
	struct rl_connection *connection = session->connection;
	enum rl_status status;

	record->has_net = can_send_hash(record->release.lease, &record->release.step, connection);
	status = record->has_net
		? send_hash(owner, call, session, deadline, error)
		: rl_call_send_text(owner->route, call, session, deadline, error);

	if (status != RL_OK) {
		return status;
	}
	record->session = *session;
	record->next = owner->unconfirmed;
	owner->unconfirmed = record;
	rl_connection_defer(connection, &record->deferred);
	if (record->has_net) {
		rl_connection_defer(connection, &record->net);
	} else {
		rl_connection_note_run(connection, call->script);
	}
	return RL_OK;
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
	status = send_on(owner, record, &session, deadline, error);
	rl_session_end(&session);
	return status;
}

/* Sending took too long: then the answer counts. */
static enum rl_status await_answer(struct rl_owner *owner, struct rl_unconfirmed *record, struct rl_error *error)
{
	if (record->state == OUT) {
		rl_connection_read_deferred(record->deferred.connection, rl_owner_deadline(owner));
	}
	if (record->state == ANSWERED) {
		return tell(record, error);
	}
	if (record->refused) {
		return tell_refusal(record, error);
	}
	return rl_fail(error, RL_UNREACHABLE, "Redis at %s did not answer the release in time", owner->route->name);
}

enum rl_status rl_pending_release(struct rl_owner *owner, struct rl_lease *lease, int64_t delay_ms,
	struct rl_error *error)
{
	struct rl_unconfirmed *record;
	rl_time safe_until = lease->safe_until;
	enum rl_status status;

	record = record_of(owner, lease, delay_ms);
	if (!record) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	rl_owner_remove(owner, lease);
	status = send(owner, record, error);
	if (status == RL_OK) {
		return rl_now() < safe_until ? RL_OK : await_answer(owner, record, error);
	}
	status = rl_release_run(owner, &record->release, rl_owner_deadline(owner), error);
	rl_pending_discard(owner, lease, rl_release_is_open(owner, &record->release, status));
	free(record);
	return status;
}

enum rl_status rl_pending_verdict(struct rl_owner *owner, struct rl_error *error)
{
	if (!owner->unconfirmed) {
		return RL_OK;
	}
	rl_pending_forget_told(owner);
	read_all(owner, 0);
	sort_out(owner);
	for (struct rl_unconfirmed *record = owner->unconfirmed; record; record = record->next) {
		enum rl_status verdict = tell(record, error);

		if (verdict != RL_OK) {
			error->key = record->release.lease->entry.key;
			return verdict;
		}
	}
	return RL_OK;
}

/* Once more, while somebody can be told what comes of it. */
static enum rl_status repeat(struct rl_unconfirmed *record, rl_time deadline, struct rl_error *error)
{
	enum rl_status verdict = rl_release_run(record->owner, &record->release, deadline, error);

	record->again = verdict == RL_REFUSED || rl_release_is_open(record->owner, &record->release, verdict);
	record->state = verdict == RL_OK ? DONE : TOLD;
	return verdict;
}

/* What the owner's end tells. A refusal that was told before is not told again. */
static enum rl_status tell_at_end(struct rl_unconfirmed *record, rl_time deadline, struct rl_error *error)
{
	if (record->state == TOLD || is_parents(record)) {
		return RL_OK;
	}
	return record->refused ? repeat(record, deadline, error) : tell(record, error);
}

void rl_pending_settle(struct rl_owner *owner, rl_time deadline, struct rl_release_summary *summary)
{
	read_all(owner, deadline);
	for (struct rl_unconfirmed *record = owner->unconfirmed; record; record = record->next) {
		struct rl_error error;
		enum rl_status verdict = tell_at_end(record, deadline, &error);

		if (verdict != RL_OK) {
			summary->untold += verdict == RL_TIMED_OUT || verdict == RL_LOST;
			rl_release_count(summary, record->release.lease, verdict, &error);
		}
	}
}

void rl_pending_abandon(struct rl_owner *owner)
{
	while (owner->unconfirmed) {
		struct rl_unconfirmed *record = owner->unconfirmed;

		owner->unconfirmed = record->next;
		if (record->state == OUT) {
			record->owner = NULL; /* the function that reads or closes the connection frees it */
		} else {
			free_record(record);
		}
	}
	while (owner->undos) {
		drop_first_undo(&owner->undos);
	}
}
