/*
 * Taking several locks, all or none.
 *
 * Nothing is held while one of them is waited for, so that no two callers can wait for each other:
 * the first is waited for, and each of the others asked for once. If one of those is busy, what was
 * taken is given back, and the next round begins with waiting for the busy one, until the time is
 * over.
 *
 * The owner's hook may use the owner, and with it what is being taken here: so the leases are
 * looked up by name each time, and those that are not there any more count as lost.
 */
#include "pending.h"
#include "../extend/mode.h"
#include "../release/release_all.h"
#include "../shown_name.h"
#include "../../base/number.h"
#include "../../base/stack.h"

#include <stdlib.h>
#include <string.h>

struct taking {
	struct rl_owner *owner;
	struct rl_acquire_key *keys; /* sorted, each once */
	size_t count;
	size_t first; /* which of them this round waits for */
	size_t taken; /* this many from there on, around the end */
	int64_t lease_ms;
	rl_time until;
	rl_time deadline;                /* of the step under way */
	const struct rl_retry *strategy; /* or NULL */
	/* around the strategy: it sees one wait, with one count of retries */
	struct rl_retry retry;
	unsigned retries;
};

static int compare_keys(const void *a, const void *b)
{
	const struct rl_text *left = &((const struct rl_acquire_key *)a)->name,
						 *right = &((const struct rl_acquire_key *)b)->name;
	size_t shorter = left->length < right->length ? left->length : right->length;
	int order = memcmp(left->data, right->data, shorter);

	return order ? order : (left->length > right->length) - (left->length < right->length);
}

/*
 * In the list of the terms, which outlives this call: where the fiber of a wait is never resumed,
 * nobody would free a copy.
 */
static void sort_keys(struct taking *taking, size_t count)
{
	qsort(taking->keys, count, sizeof *taking->keys, compare_keys);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || compare_keys(&taking->keys[i], &taking->keys[taking->count - 1]) != 0) {
			taking->keys[taking->count++] = taking->keys[i];
		}
	}
}

/* The i-th of this round. */
static struct rl_acquire_key *key_at(const struct taking *taking, size_t i)
{
	return &taking->keys[(taking->first + i) % taking->count];
}

static struct rl_lease *taken_lease(const struct taking *taking, size_t i)
{
	struct rl_lease *lease = (struct rl_lease *)rl_table_find(
		&taking->owner->leases, key_at(taking, i)->name);
	rl_time found_at;

	if (lease && rl_lease_is_own(lease)) {
		rl_watch_found(lease, &found_at);
	}
	return lease;
}

/*
 * As long as it may wait, each lock has a deadline of its own; after that all share the last one.
 */
static void reset_deadline(struct taking *taking)
{
	if (rl_now() < taking->until) {
		taking->deadline = rl_owner_deadline(taking->owner, rl_now());
	}
}

static bool next_retry(void *context, unsigned attempt, rl_time *pause)
{
	struct taking *taking = context;

	return taking->strategy->next(taking->strategy->context, ++taking->retries, pause);
}

/* Only the first is waited for. */
static enum rl_status take_next(struct taking *taking, struct rl_error *error)
{
	struct rl_acquire_key *key = key_at(taking, taking->taken);
	const struct rl_lease *held = taken_lease(taking, taking->taken);
	struct rl_acquire terms = { .key = key->name,
		.deadline = &taking->deadline,
		.lease_ms = taking->lease_ms,
		.policy = RL_POLICY_WAIT };
	rl_time now = rl_now();
	enum rl_status status;

	if (taking->taken == 0 && now < taking->until) {
		terms.wait = taking->until == RL_FOREVER ? RL_FOREVER : taking->until - now;
		terms.retry = taking->strategy ? &taking->retry : NULL;
	}
	key->was_share = held && held->tenure.is_share;
	reset_deadline(taking);
	status = rl_owner_acquire(taking->owner, &terms, error);
	if (status == RL_OK) {
		taking->taken++;
	} else if (status != RL_NO && !error->key.data) {
		error->key = key->name;
	}
	return status;
}

/* Meanwhile one may have run out, or a hook may have given it back. */
static enum rl_status check_all(const struct taking *taking, struct rl_error *error)
{
	rl_time now = rl_now();
	char name[RL_NAME_SIZE], seconds[RL_NUMBER_SECONDS_SIZE];

	for (size_t i = 0; i < taking->taken; i++) {
		struct rl_text key = key_at(taking, i)->name;
		const struct rl_lease *lease = taken_lease(taking, i);

		if (!lease) {
			rl_fail(error, RL_MISUSE,
				"The lock \"%s\" was given back, or found to be lost, while the others were taken",
				rl_shown_name(name, sizeof name, key));
			error->key = key;
			return RL_MISUSE;
		}
		if (now >= lease->tenure.safe_until) {
			return rl_fail(error, RL_UNREACHABLE,
				"Redis at %s granted all %zu locks, but a lease of %s s had run out before "
				"the last was taken; take a longer ttl",
				taking->owner->route->name, taking->count,
				rl_number_put_seconds(seconds, taking->lease_ms));
		}
	}
	return RL_OK;
}

static enum rl_status take_all(struct taking *taking, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	while (taking->taken < taking->count && status == RL_OK) {
		status = take_next(taking, error);
	}
	return status == RL_OK ? check_all(taking, error) : status;
}

/* One level less. RL_OK; or what became of making it a share again. */
static enum rl_status give_level_back(
	struct taking *taking, size_t i, struct rl_lease *lease, struct rl_error *error)
{
	enum rl_status status;

	lease->depth--;
	if (!key_at(taking, i)->was_share || lease->tenure.is_share) {
		return RL_OK;
	}
	status = rl_mode_downgrade(taking->owner, lease, false, taking->deadline, error);
	if (status == RL_AGAIN) {
		return RL_OK; /* others have given it back, or made it what it is */
	}
	if (status != RL_OK) {
		error->key = key_at(taking, i)->name;
	}
	return status;
}

/*
 * Within the deadline of what failed; what cannot be sent then is undone at the next contact. The
 * next round begins with the lock that was not taken. RL_OK; or why a lock is not what it was
 * before.
 */
static enum rl_status give_back(struct taking *taking, struct rl_error *error)
{
	struct rl_table_entry *last_levels = NULL;
	struct rl_release_summary ignored = { 0 };
	struct rl_error failure;
	enum rl_status status = RL_OK;

	for (size_t i = 0; i < taking->taken; i++) {
		struct rl_lease *lease = taken_lease(taking, i);

		if (!lease || !rl_lease_is_own(lease)) {
			continue;
		}
		if (lease->depth > 1) {
			enum rl_status given = give_level_back(taking, i, lease, &failure);

			if (status == RL_OK && given != RL_OK) {
				status = given;
				*error = failure;
			}
		} else {
			rl_owner_remove(taking->owner, lease);
			lease->entry.next = last_levels;
			last_levels = &lease->entry;
		}
	}
	rl_release_all_of(taking->owner, last_levels, taking->deadline, &ignored, NULL);
	taking->first = (taking->first + taking->taken) % taking->count;
	taking->taken = 0;
	return status;
}

/* Of what is held already a longer lease, and then no thread for the rest, would be a change. */
static enum rl_status check_thread(const struct rl_owner *owner, struct rl_error *error)
{
	enum rl_status status = rl_watch_expect(&owner->watch, owner->watch.renew, error);

	if (status == RL_OK) {
		rl_watch_expect_no_more(&owner->watch, owner->watch.renew);
	}
	return status;
}

/* What is waited for already, is not taken in another way. */
static enum rl_status check_keys(
	const struct rl_owner *owner, const struct rl_acquire_all *terms, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	for (size_t i = 0; i < terms->count && status == RL_OK; i++) {
		status = rl_pending_refuse(owner, terms->keys[i].name, error);
		if (status != RL_OK) {
			error->key = terms->keys[i].name;
		}
	}
	return status;
}

/* Not even that a lock is not what it was before comes before these. */
static bool is_told_first(enum rl_status status)
{
	return status == RL_LOST || status == RL_TIMED_OUT || status == RL_INTERRUPTED;
}

enum rl_status rl_owner_acquire_all(
	struct rl_owner *owner, const struct rl_acquire_all *terms, struct rl_error *error)
{
	struct taking taking = { .owner = owner,
		.keys = terms->keys,
		.lease_ms = terms->lease_ms,
		.strategy = terms->retry };
	rl_time now = rl_now();
	struct rl_error failure;
	enum rl_status status, given = RL_OK;
	bool anew;

	if (terms->count == 0) {
		return RL_OK;
	}
	status = check_keys(owner, terms, error);
	if (status == RL_OK) {
		status = check_thread(owner, error);
	}
	if (status != RL_OK) {
		return status;
	}
	sort_keys(&taking, terms->count);
	taking.retry = (struct rl_retry){ next_retry, &taking };
	taking.until = terms->wait < RL_FOREVER - now ? now + terms->wait : RL_FOREVER;
	taking.deadline = rl_owner_deadline(owner, now);
	do {
		status = take_all(&taking, error);
		anew = status == RL_NO && taking.taken > 0 && rl_now() < taking.until;
		if (status != RL_OK && status != RL_UNREACHABLE) {
			reset_deadline(&taking);
		}
		if (status == RL_INTERRUPTED) {
			rl_stack_serve_others();
		}
		if (status != RL_OK) {
			given = give_back(&taking, &failure);
		}
	} while (anew && given == RL_OK);
	if (given != RL_OK && !is_told_first(status)) {
		*error = failure;
		return given;
	}
	return status;
}
