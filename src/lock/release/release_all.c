/*
 * Giving back everything at once: pipelined, so that thousands of locks cost a few round trips,
 * and all within one deadline.
 */
#include "../owner/anew.h"
#include "release_all.h"

#include <stdlib.h>

/* This many at once. */
#define BATCH 128
/*
 * And this many where there is no memory, since what is held must be given back then, too: on the
 * stack, which a fiber has little of.
 */
#define FEW 8

struct releases {
	struct rl_release *releases;
	struct rl_batch_item *items;
	size_t count, room;
};

struct many {
	struct rl_release releases[BATCH];
	struct rl_batch_item items[BATCH];
};

/* What the batch left open is tried one by one, until the server cannot be reached. */
static void give_back(struct rl_owner *owner, struct releases *all, rl_time deadline,
	struct rl_release_summary *summary)
{
	struct rl_batch batch = {
		.route = owner->route, .items = all->items, .count = all->count, .deadline = deadline
	};
	enum rl_status status = RL_OK;
	struct rl_error error;

	owner->backend->release_many(owner, all->releases, &batch);
	for (size_t i = 0; i < all->count; i++) {
		struct rl_release *release = &all->releases[i];

		if (all->items[i].answered) {
			status = rl_release_conclude(
				owner, release, all->items[i].outcome.answer, rl_now(), &error);
		} else if (status != RL_UNREACHABLE) {
			status = rl_release_run(owner, release, deadline, &error);
		}
		rl_release_count(summary, release->lease, status, &error);
		owner->backend->discard(owner, release->lease, owner->backend->is_open(release, status));
	}
}

static void release_in_batches(struct rl_owner *owner, struct rl_table_entry *entry,
	struct releases *all, rl_time deadline, struct rl_release_summary *summary)
{
	while (entry) {
		for (all->count = 0; entry && all->count < all->room; entry = entry->next) {
			struct rl_release *release = &all->releases[all->count];

			rl_release_begin(release, (struct rl_lease *)entry, 0);
			all->items[all->count++] = (struct rl_batch_item){ .step = &release->step };
		}
		give_back(owner, all, deadline, summary);
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

void rl_release_all_of(struct rl_owner *owner, struct rl_table_entry *entry, rl_time deadline,
	struct rl_release_summary *summary)
{
	struct rl_release releases[FEW];
	struct rl_batch_item items[FEW];
	struct releases all = { .releases = releases, .items = items, .room = FEW };
	struct many *many = are_few(entry) ? NULL : malloc(sizeof *many);

	if (many) {
		all = (struct releases){ .releases = many->releases, .items = many->items, .room = BATCH };
	}
	release_in_batches(owner, entry, &all, deadline, summary);
	free(many);
}

/*
 * What was asked for and not answered, so that each release asks for the fence that the lease has.
 */
static void settle(struct rl_owner *owner)
{
	struct rl_error ignored;
	enum rl_answer answer;

	for (size_t i = 0; i < owner->leases.size; i++) {
		for (struct rl_table_entry *entry = owner->leases.buckets[i]; entry; entry = entry->next) {
			struct rl_lease *lease = (struct rl_lease *)entry;

			if (lease->pending_ms && lease->generation == rl_system_generation()) {
				rl_anew_settle_before_release(owner, lease, &answer, &ignored);
			}
		}
	}
}

void rl_owner_release_all(struct rl_owner *owner, rl_time began, struct rl_release_summary *summary)
{
	rl_time deadline = owner->deadline = began + owner->route->timeout;

	*summary = (struct rl_release_summary){ 0 };
	owner->backend->repeat(owner, NULL, deadline);
	settle(owner);
	rl_release_all_of(owner, rl_owner_remove_all(owner), deadline, summary);
	owner->backend->repeat_at_end(owner, deadline);
}
