/*
 * Taking several locks, all or none.
 *
 * They are taken one after the other in bytewise order, so that of two callers neither holds
 * what the other waits for and waits for what the other holds. While a later one is waited for,
 * the leases of the earlier ones are prolonged from within the wait, by a hook around the
 * owner's own. Where one of them is lost all the same, what was taken is given back and
 * everything begins anew, as long as there is time.
 *
 * The owner's hook may use the owner, and with it what is being taken here: so the leases are
 * looked up by name each time, and those that are not there any more count as lost.
 */
#include "kind.h"
#include "release_all.h"
#include "../../base/number.h"

#include <stdlib.h>
#include <string.h>

struct taking {
	struct rl_owner *owner;
	struct rl_acquire_key *keys; /* sorted, each once */
	size_t count;
	size_t taken; /* this many of them, from the first on */
	int64_t lease_ms;
	rl_time until;
	const struct rl_retry *strategy; /* or NULL */
	struct rl_retry retry;           /* around the strategy: it sees one wait, with one count of retries */
	unsigned retries;
	rl_time keep_at;     /* when to look next whether the leases must be prolonged */
	enum rl_status kept; /* what that came to; RL_NO: one is lost, begin anew */
	struct rl_error kept_error;
};

static int compare_keys(const void *a, const void *b)
{
	const struct rl_text *left = &((const struct rl_acquire_key *)a)->name, *right = &((const struct rl_acquire_key *)b)->name;
	size_t shorter = left->length < right->length ? left->length : right->length;
	int order = memcmp(left->data, right->data, shorter);

	return order ? order : (left->length > right->length) - (left->length < right->length);
}

/*
 * In the request's own list, which outlives this call: where the fiber of a wait is never resumed, nobody would free a
 * copy.
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

static struct rl_lease *taken_lease(const struct taking *taking, size_t i)
{
	struct rl_lease *lease = (struct rl_lease *)rl_table_find(&taking->owner->leases, taking->keys[i].name);
	rl_time found_at;

	if (lease && lease->generation == rl_system_generation()) {
		rl_watch_look(lease, &found_at);
	}
	return lease;
}

/* RL_OK; RL_NO: it is lost, and only this call had taken it; otherwise a verdict on a lock held before, or an error. */
static enum rl_status keep_one(struct taking *taking, size_t i, rl_time slack)
{
	struct rl_lease *lease = taken_lease(taking, i);
	struct rl_error *error = &taking->kept_error;
	enum rl_status status;
	bool only_ours;

	if (!lease) {
		return RL_NO;
	}
	if (lease->generation != rl_system_generation()
		|| lease->safe_until > rl_lease_safe_until(rl_now(), taking->lease_ms) - slack) {
		return RL_OK;
	}
	only_ours = lease->depth == 1;
	status = rl_prolongate_lease(taking->owner, lease, taking->lease_ms, error);
	if (status == RL_UNREACHABLE && rl_now() < lease->safe_until) {
		return RL_OK; /* another try may come in time */
	}
	if ((status == RL_TIMED_OUT || status == RL_LOST) && only_ours) {
		return RL_NO;
	}
	error->key = taking->keys[i].name;
	return status;
}

/* Prolongs the leases that have lost more than `slack` of their time. */
static enum rl_status keep_all(struct taking *taking, rl_time slack)
{
	enum rl_status status = RL_OK;

	for (size_t i = 0; i < taking->taken && status == RL_OK; i++) {
		status = keep_one(taking, i, slack);
	}
	return status;
}

/* As long as it may wait, each step has a deadline of its own; after that all share the last one. */
static void begin_step(struct taking *taking)
{
	if (rl_now() < taking->until) {
		rl_owner_deadline_anew(taking->owner);
	}
}

static rl_time lease_of(const struct taking *taking)
{
	return taking->lease_ms * RL_MILLISECOND;
}

static rl_time keep_interval(const struct taking *taking)
{
	return rl_time_earlier(lease_of(taking) / 6, 100 * RL_MILLISECOND);
}

/* False: one is lost, or cannot be kept. Ends at `latest` even if the step's deadline is later. */
static bool keep_if_due(struct taking *taking, rl_time latest)
{
	struct rl_owner *owner = taking->owner;
	rl_time deadline;

	if (taking->kept == RL_OK && rl_now() >= taking->keep_at) {
		begin_step(taking);
		deadline = rl_owner_deadline(owner);
		owner->deadline = rl_time_earlier(deadline, latest);
		taking->kept = keep_all(taking, lease_of(taking) / 3);
		owner->deadline = deadline;
		taking->keep_at = rl_now() + keep_interval(taking);
	}
	return taking->kept == RL_OK;
}

/* Prolonging ends with the wait, at the latest: the last ask begins then, and has the call's one deadline for itself. */
static bool run_hook(void *context)
{
	struct taking *taking = context;
	const struct rl_wait_hook *hook = &taking->owner->hook;

	if (hook->run && !hook->run(hook->context)) {
		return false;
	}
	return rl_now() >= taking->until || keep_if_due(taking, taking->until);
}

static bool hook_is_due(void *context)
{
	const struct taking *taking = context;
	const struct rl_wait_hook *hook = &taking->owner->hook;

	return hook->is_due(hook->context);
}

static bool next_retry(void *context, unsigned attempt, rl_time *pause)
{
	struct taking *taking = context;

	(void)attempt;
	return taking->strategy->next(taking->strategy->context, ++taking->retries, pause);
}

static enum rl_status take_next(struct taking *taking, struct rl_error *error)
{
	struct rl_acquire_key *key = &taking->keys[taking->taken];
	const struct rl_lease *held = taken_lease(taking, taking->taken);
	rl_time now = rl_now();
	rl_time left = taking->until > now ? taking->until - now : 0;
	struct rl_wait_hook hook = {
		.run = run_hook,
		.context = taking,
		.interval = taking->taken ? keep_interval(taking) : 0, /* the first wait has nothing to keep */
		.is_due = taking->owner->hook.is_due ? hook_is_due : NULL,
	};
	struct rl_acquire request = {
		.key = key->name,
		.lease_ms = taking->lease_ms,
		.wait = taking->until == RL_FOREVER ? RL_FOREVER : left,
		.policy = RL_POLICY_WAIT,
		.retry = taking->strategy ? &taking->retry : NULL,
		.hook = &hook,
	};
	enum rl_status status;

	key->was_share = held && held->is_share;
	begin_step(taking);
	rl_owner_go_on(taking->owner);
	status = rl_owner_acquire(taking->owner, &request, error);
	if (status == RL_OK) {
		taking->taken++;
	} else if (status != RL_NO && !error->key.data) {
		error->key = key->name;
	}
	return status;
}

static bool all_safe(const struct taking *taking)
{
	rl_time now = rl_now();

	for (size_t i = 0; i < taking->taken; i++) {
		const struct rl_lease *lease = taken_lease(taking, i);

		if (!lease || now >= lease->safe_until) {
			return false;
		}
	}
	return true;
}

static enum rl_status take_all(struct taking *taking, struct rl_error *error)
{
	char seconds[RL_NUMBER_SECONDS_SIZE];
	enum rl_status status = RL_OK;

	taking->kept = RL_OK;
	while (taking->taken < taking->count && status == RL_OK && keep_if_due(taking, RL_FOREVER)) {
		status = take_next(taking, error);
	}
	if (status == RL_OK && taking->kept == RL_OK) {
		begin_step(taking);
		taking->kept = keep_all(taking, lease_of(taking) / 10);
	}
	if (taking->kept != RL_OK && (status == RL_OK || status == RL_INTERRUPTED)) {
		*error = taking->kept_error;
		return taking->kept;
	}
	if (status == RL_OK && !all_safe(taking)) {
		return rl_fail(error, RL_UNREACHABLE,
			"Redis at %s granted all %zu locks, but a lease of %s s had run out before "
			"the last was taken; take a longer ttl",
			taking->owner->route->name, taking->count,
			rl_number_put_seconds(seconds, taking->lease_ms));
	}
	return status;
}

/* One level less. RL_OK; or what became of making it a share again. */
static enum rl_status give_level_back(struct taking *taking, size_t i, struct rl_lease *lease, struct rl_error *error)
{
	enum rl_status status;

	lease->depth--;
	if (!taking->keys[i].was_share || lease->is_share) {
		return RL_OK;
	}
	status = rl_kind_downgrade(taking->owner, lease, error);
	if (status != RL_OK) {
		error->key = taking->keys[i].name;
	}
	return status;
}

/*
 * Within the deadline of what failed; what cannot be sent then is undone at the next contact. RL_OK; or why a lock is not
 * what it was before.
 */
static enum rl_status give_back(struct taking *taking, struct rl_error *error)
{
	struct rl_table_entry *last_levels = NULL;
	struct rl_release_summary ignored = { 0 };
	struct rl_error failure;
	enum rl_status status = RL_OK;

	for (size_t i = 0; i < taking->taken; i++) {
		struct rl_lease *lease = taken_lease(taking, i);

		if (!lease || lease->generation != rl_system_generation()) {
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
	rl_release_all_of(taking->owner, last_levels, rl_owner_deadline(taking->owner), &ignored);
	taking->taken = 0;
	return status;
}

enum rl_status rl_owner_acquire_all(struct rl_owner *owner, const struct rl_acquire_all *request, struct rl_error *error)
{
	struct taking taking = { .owner = owner, .keys = request->keys, .lease_ms = request->lease_ms, .strategy = request->retry };
	rl_time now = rl_now();
	struct rl_error failure;
	enum rl_status status, given = RL_OK;
	bool anew;

	if (request->count == 0) {
		return RL_OK;
	}
	sort_keys(&taking, request->count);
	taking.retry = (struct rl_retry){ next_retry, &taking };
	taking.until = request->wait < RL_FOREVER - now ? now + request->wait : RL_FOREVER;
	rl_owner_deadline_anew(owner);
	do {
		status = take_all(&taking, error);
		anew = status == RL_NO && taking.kept == RL_NO && rl_now() < taking.until;
		if (status != RL_OK && status != RL_UNREACHABLE) {
			begin_step(&taking);
		}
		if (status != RL_OK) {
			given = give_back(&taking, &failure);
		}
	} while (anew && given == RL_OK);
	if (status == RL_NO && given != RL_OK) {
		*error = failure;
		return given;
	}
	return status;
}
