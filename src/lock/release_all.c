/*
 * Giving back everything at once: pipelined, so that thousands of locks cost a few round trips,
 * and all within one deadline.
 */
#include "majority.h"
#include "unconfirmed.h"

#include <string.h>

/* So many releases, and their answers, fit into a socket's buffers. */
#define BATCH 128

struct batch {
	struct rl_release releases[BATCH];
	size_t count;
	size_t sent;          /* by the pipeline, from the first on */
	bool answered[BATCH]; /* there, with what `answers` has */
	enum rl_answer answers[BATCH];
};

static void send_pipelined(struct rl_owner *owner, struct batch *batch, struct rl_session *session, rl_time deadline)
{
	struct rl_error ignored;

	while (batch->sent < batch->count) {
		struct rl_call *call = &batch->releases[batch->sent].step.call;

		if (rl_call_send(owner->route, call, session, deadline, &ignored) != RL_OK) {
			break;
		}
		batch->sent++;
	}
}

static void read_pipelined(struct batch *batch, struct rl_session *session, rl_time deadline)
{
	const struct rl_reply *reply;
	struct rl_error ignored;
	size_t i;

	for (i = 0; i < batch->sent && rl_connection_read(session->connection, deadline, &reply, &ignored) == RL_OK; i++) {
		if (reply->type == RL_REPLY_ERROR) {
			continue; /* refused, so not done: a script cache that was flushed, say */
		}
		if (rl_read_answer(session, reply, &batch->answers[i], &ignored) != RL_OK) {
			break;
		}
		batch->answered[i] = true;
	}
	/* What was sent and not answered may have been done all the same. */
	for (; i < batch->sent; i++) {
		batch->releases[i].step.call.lost++;
		batch->releases[i].step.call.doubtful = true;
	}
}

/* What nodes said before counts on, also if it has to be asked again. */
static void pipeline_to_majority(struct rl_owner *owner, struct batch *batch, rl_time deadline)
{
	struct rl_error ignored;

	rl_majority_release(owner, batch->releases, batch->count, deadline, &ignored);
	for (size_t i = 0; i < batch->count; i++) {
		batch->answered[i] = rl_tally_decide(&batch->releases[i].tally, 0, &batch->answers[i]);
	}
}

static void pipeline(struct rl_owner *owner, struct batch *batch, rl_time deadline)
{
	struct rl_session session;
	struct rl_error ignored;

	batch->sent = 0;
	memset(batch->answered, 0, sizeof batch->answered);
	if (owner->route->node_count) {
		pipeline_to_majority(owner, batch, deadline);
		return;
	}
	if (rl_session_begin(&session, owner->route, batch->releases[0].step.call.keys[0], deadline, &ignored) == RL_OK) {
		send_pipelined(owner, batch, &session, deadline);
		read_pipelined(batch, &session, deadline);
		rl_session_end(&session);
	}
}

void rl_summary_note(struct rl_release_summary *summary, const struct rl_lease *lease, enum rl_status status,
	const struct rl_error *error)
{
	if (status == RL_OK) {
		summary->released++;
		return;
	}
	if (summary->first_key[0] == '\0') {
		rl_owner_name(lease, summary->first_key);
	}
	if (status == RL_TIMED_OUT) {
		summary->timed_out++;
	} else if (status == RL_LOST) {
		summary->lost++;
	} else if (summary->failed++ == 0) {
		summary->failure = status;
		summary->first_failure = *error;
	}
}

/* What the pipeline left open is tried one by one, until the server cannot be reached. */
static void give_back_batch(struct rl_owner *owner, struct batch *batch, rl_time deadline,
	struct rl_release_summary *summary)
{
	enum rl_status status = RL_OK;
	struct rl_error error;

	pipeline(owner, batch, deadline);
	for (size_t i = 0; i < batch->count; i++) {
		struct rl_release *release = &batch->releases[i];

		if (batch->answered[i]) {
			status = rl_release_conclude(owner, release, batch->answers[i], rl_now(), &error);
		} else if (status != RL_UNREACHABLE) {
			status = rl_release_run(owner, release, deadline, &error);
		}
		rl_summary_note(summary, release->lease, status, &error);
		rl_owner_discard(owner, release->lease, rl_release_is_open(release, status));
	}
}

/* What goes behind a claim must not overtake it on another connection. */
static void settle_claims(struct rl_owner *owner, struct rl_entry *entry, rl_time deadline)
{
	struct rl_error ignored;

	for (; entry; entry = entry->next) {
		rl_claim_await(owner->route, (struct rl_lease *)entry, deadline, &ignored);
	}
}

void rl_release_entries(struct rl_owner *owner, struct rl_entry *entry, rl_time deadline,
	struct rl_release_summary *summary)
{
	struct batch batch;

	settle_claims(owner, entry, deadline);
	while (entry) {
		for (batch.count = 0; entry && batch.count < BATCH; entry = entry->next) {
			rl_release_begin(&batch.releases[batch.count++], (struct rl_lease *)entry, 0);
		}
		give_back_batch(owner, &batch, deadline, summary);
	}
}

/* All that is held, out of the owner; but a parent's stay, to be refused. */
static struct rl_entry *detach_all(struct rl_owner *owner)
{
	struct rl_entry *entry = rl_table_take_all(&owner->leases), *next, *ours = NULL;

	for (; entry; entry = next) {
		next = entry->next;
		if (((struct rl_lease *)entry)->generation == rl_generation()) {
			entry->next = ours;
			ours = entry;
		} else {
			rl_table_add(&owner->leases, entry);
		}
	}
	return ours;
}

void rl_owner_release_all(struct rl_owner *owner, rl_time began, struct rl_release_summary *summary)
{
	rl_time deadline = began + owner->route->timeout;

	*summary = (struct rl_release_summary){ 0 };
	rl_owner_undo(owner, deadline);
	rl_release_entries(owner, detach_all(owner), deadline, summary);
	rl_unconfirmed_settle_all(owner, deadline, summary);
	rl_owner_undo(owner, deadline);
}
