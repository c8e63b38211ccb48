/*
 * Giving back everything at once: pipelined, so that thousands of locks cost a few round trips,
 * and all within one deadline.
 */
#include "../owner/regrant.h"
#include "release_all.h"

#include <stdlib.h>

/* This many at once. */
#define BATCH 128
/*
 * And this many where there is no memory, since what is held must be given back then, too: on the
 * stack, which a fiber has little of.
 */
#define FEW 2

struct releases {
	struct rl_release *releases;
	struct rl_batch_item *items;
	size_t count, room;
	bool answered; /* one at least, of these or of those before them */
};

struct many {
	struct rl_release releases[BATCH];
	struct rl_batch_item items[BATCH];
};

/*
 * Why a release has no answer when the time is over. A server that has answered others is not
 * frozen.
 */
static enum rl_status run_out_of_time(const struct rl_owner *owner, const struct rl_batch *batch,
	const struct rl_batch_item *item, bool answered, struct rl_error *error)
{
	if (item->refused || (!answered && batch->error->message[0])) {
		*error = *batch->error;
		return item->refused ? RL_REFUSED : RL_UNREACHABLE;
	}
	return rl_fail(error, RL_UNREACHABLE,
		answered ? "Redis at %s: the timeout was over before this lock was given back; "
				   "give the address a longer timeout if this many are held at once"
				 : "Redis at %s: too few answers within the timeout; is a server overloaded or frozen?",
		owner->route->name);
}

/* It may be asked for again as if for the first time: no sending of it can have been done. */
static bool is_only_refused(const struct rl_release *release, enum rl_status status)
{
	return status == RL_REFUSED && !release->step.doubt.copy_out;
}

/* Ends the lease; or keeps it among the refused. */
static void end_one(struct rl_owner *owner, const struct rl_release *release,
	enum rl_status status, const struct rl_error *error, struct rl_release_summary *summary,
	struct rl_refused *refused)
{
	struct rl_lease *lease = release->lease;

	if (refused && is_only_refused(release, status)) {
		refused->why = *error;
		lease->entry.next = refused->first;
		refused->first = &lease->entry;
	} else {
		rl_release_count(summary, lease, status, error);
		owner->backend->discard(owner, lease, rl_release_is_unconfirmed(release, status));
	}
}

/*
 * What the batch left open is tried one by one, until the server cannot be reached. At an owner's
 * end nothing is sent after the deadline: it would take a connection for each batch, and nobody
 * would hear the answers.
 */
static void give_back(struct rl_owner *owner, struct releases *all, rl_time deadline,
	struct rl_release_summary *summary, struct rl_refused *refused)
{
	struct rl_error why = { .held = false }, error;
	struct rl_batch batch = {
		.route = owner->route,
		.items = all->items,
		.releases = all->releases,
		.count = all->count,
		.deadline = deadline,
		.error = &why,
	};
	enum rl_status status = RL_OK;

	if (!refused || rl_now() < deadline) {
		owner->backend->run(&batch);
	}
	for (size_t i = 0; i < all->count; i++) {
		struct rl_release *release = &all->releases[i];
		enum rl_answer answer = all->items[i].outcome.answer;

		all->answered |= all->items[i].answered;
		if (all->items[i].answered) {
			status = RL_OK;
		} else if (rl_now() >= deadline) {
			status = run_out_of_time(owner, &batch, &all->items[i], all->answered, &error);
		} else if (status != RL_UNREACHABLE) {
			status = rl_release_run(owner, release, deadline, &answer, &error);
		}
		if (status == RL_OK) {
			status = rl_release_conclude(owner, release, answer, deadline, &error);
		}
		if (status == RL_REFUSED) {
			rl_release_tell_refusal(owner, &error);
		} else if (refused && rl_release_is_last_try(status, &refused->why, deadline)) {
			status = RL_REFUSED;
			error = refused->why;
		}
		end_one(owner, release, status, &error, summary, refused);
	}
}

static void release_in_batches(struct rl_owner *owner, struct rl_table_entry *entry,
	struct releases *all, rl_time deadline, struct rl_release_summary *summary,
	struct rl_refused *refused)
{
	while (entry) {
		for (all->count = 0; entry && all->count < all->room; entry = entry->next) {
			struct rl_release *release = &all->releases[all->count];

			rl_release_begin(release, (struct rl_lease *)entry, 0);
			all->items[all->count++] = (struct rl_batch_item){ .step = &release->step };
		}
		give_back(owner, all, deadline, summary, refused);
	}
}

static bool are_few(const struct rl_table_entry *entry)
{
	size_t count = 0;

	for (; entry && count <= FEW; entry = entry->next) {
		count++;
	}
	return count <= FEW;
}

/*
 * New grants that were not answered, so that each release asks for the fence that the lease has.
 */
static void confirm_grants(struct rl_owner *owner, struct rl_table_entry *entry, rl_time deadline)
{
	struct rl_error ignored;
	enum rl_answer answer;

	for (; entry && rl_now() < deadline; entry = entry->next) {
		rl_regrant_confirm_before_release(
			owner, (struct rl_lease *)entry, deadline, &answer, &ignored);
	}
}

void rl_release_all_of(struct rl_owner *owner, struct rl_table_entry *entry, rl_time deadline,
	struct rl_release_summary *summary, struct rl_refused *refused)
{
	struct rl_release releases[FEW];
	struct rl_batch_item items[FEW];
	struct releases all = { .releases = releases, .items = items, .room = FEW };
	struct many *many = are_few(entry) ? NULL : malloc(sizeof *many);

	if (many) {
		all = (struct releases){ .releases = many->releases, .items = many->items, .room = BATCH };
	}
	confirm_grants(owner, entry, deadline);
	release_in_batches(owner, entry, &all, deadline, summary, refused);
	free(many);
}

void rl_owner_release_all(struct rl_owner *owner, struct rl_release_summary *summary)
{
	rl_time deadline = rl_owner_deadline(owner, rl_now());

	*summary = (struct rl_release_summary){ 0 };
	if (rl_owner_finish_changes(owner, (struct rl_text){ NULL, 0 }, &summary->first_failure)
		== RL_MISUSE) {
		summary->failure = RL_MISUSE;
		return;
	}
	owner->backend->release_discarded(owner, NULL, deadline, NULL);
	rl_release_all_of(owner, rl_owner_remove_all(owner, NULL), deadline, summary, NULL);
	owner->backend->release_discarded(owner, NULL, deadline, NULL);
}
