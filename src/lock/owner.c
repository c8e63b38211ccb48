#include "leftover.h"
#include "majority.h"
#include "unconfirmed.h"
#include "../base/number.h"

#include <stdlib.h>
#include <string.h>

struct rl_owner *rl_owner_new(struct rl_route *route, const char *prefix, size_t prefix_length,
	struct rl_wait_hook hook, const struct rl_owner_terms *terms)
{
	struct rl_owner *owner = calloc(1, sizeof *owner);
	char *copy = malloc(prefix_length + 1);

	if (!owner || !copy) {
		free(owner);
		free(copy);
		route->free(route);
		return NULL;
	}
	memcpy(copy, prefix, prefix_length);
	owner->route = route;
	owner->prefix = copy;
	owner->prefix_length = prefix_length;
	owner->hook = hook;
	if (terms) {
		owner->terms = *terms;
	}
	rl_watch_init(&owner->watch, &owner->terms);
	/* Without randomness the tables still work; taking a lock will say what is wrong. */
	rl_system_random(&owner->leases.seed, sizeof owner->leases.seed);
	owner->losses.table.seed = owner->leases.seed;
	return owner;
}

void rl_owner_free(struct rl_owner *owner)
{
	struct rl_table_entry *next;

	rl_waits_end(owner);
	for (struct rl_table_entry *entry = rl_table_take_all(&owner->leases); entry; entry = next) {
		next = entry->next;
		rl_watch_end((struct rl_lease *)entry);
		rl_lease_free((struct rl_lease *)entry);
	}
	rl_table_free(&owner->leases);
	rl_losses_clear(&owner->losses);
	rl_unconfirmed_abandon(owner);
	rl_leftovers_abandon(owner);
	rl_undo_clear(&owner->undos);
	owner->route->free(owner->route);
	free(owner->prefix);
	free(owner);
}

const struct rl_stats *rl_owner_stats(struct rl_owner *owner)
{
	owner->stats.requests = owner->route->requests;
	owner->stats.reconnects = owner->route->reconnects;
	owner->stats.renewals = rl_watch_renewals(&owner->watch);
	return &owner->stats;
}

const char *rl_owner_evicting_once(struct rl_owner *owner)
{
	bool tell = owner->route->tell_evicting;

	owner->route->tell_evicting = false;
	return tell ? owner->route->evicting : NULL;
}

rl_time rl_owner_deadline(struct rl_owner *owner)
{
	return owner->deadline ? owner->deadline : rl_owner_deadline_anew(owner);
}

rl_time rl_owner_deadline_anew(struct rl_owner *owner)
{
	return owner->deadline = rl_now() + owner->route->timeout;
}

void rl_owner_go_on(struct rl_owner *owner)
{
	owner->goes_on = true;
}

void rl_owner_undo(struct rl_owner *owner, const struct rl_keys *near, rl_time deadline)
{
	if (owner->route->node_count) {
		rl_leftovers_send(owner);
		return;
	}
	rl_unconfirmed_sort_out(owner);
	rl_undo_run(&owner->undos, owner->route, near, deadline);
}

bool rl_owner_undoes(struct rl_owner *owner, const struct rl_lease *taken)
{
	if (owner->route->node_count) {
		return rl_leftovers_hold(owner, taken);
	}
	return rl_unconfirmed_is_lost(owner, taken) || rl_undo_has(owner->undos, taken);
}

/* How long it may take at least: waiting for replicas may have used up the call's deadline. */
#define UNDO_PATIENCE (100 * RL_MILLISECOND)

void rl_owner_undo_last(struct rl_owner *owner)
{
	rl_time deadline = rl_owner_deadline(owner), least = rl_now() + UNDO_PATIENCE;

	if (owner->route->node_count) {
		rl_leftovers_send(owner);
	} else {
		rl_undo_first(&owner->undos, owner->route, deadline > least ? deadline : least);
	}
}

rl_time rl_owner_contact(struct rl_owner *owner, const struct rl_keys *keys)
{
	rl_time deadline = rl_owner_deadline(owner);

	rl_owner_undo(owner, keys, deadline);
	return deadline;
}

const char *rl_owner_name(const struct rl_lease *lease, char buffer[RL_NAME_SIZE])
{
	return rl_text_printable(buffer, RL_NAME_SIZE, lease->entry.key);
}

enum rl_status rl_owner_verdict(struct rl_owner *owner, struct rl_error *error)
{
	if (owner->leftovers) {
		return rl_leftovers_verdict(owner, error);
	}
	return owner->unconfirmed ? rl_unconfirmed_verdict(owner, error) : RL_OK;
}

enum rl_status rl_owner_find(struct rl_owner *owner, const char *key, size_t key_length,
	struct rl_lease **lease, struct rl_error *error)
{
	char name[RL_NAME_SIZE];
	enum rl_status due = rl_owner_verdict(owner, error);
	rl_time found_at;

	if (!owner->goes_on) {
		owner->deadline = 0;
	}
	owner->goes_on = false;
	if (due != RL_OK) {
		return due;
	}
	*lease = (struct rl_lease *)rl_table_find(&owner->leases, (struct rl_text){ key, key_length });
	if (!*lease) {
		return RL_NO;
	}
	if ((*lease)->generation != rl_system_generation()) {
		return rl_fail(error, RL_MISUSE,
			"The lock \"%s\" was taken before fork() and belongs to the parent process; "
			"make a new RLock in the child",
			rl_owner_name(*lease, name));
	}
	rl_watch_look(*lease, &found_at);
	return RL_OK;
}

enum rl_status rl_owner_use(struct rl_owner *owner, const char *key, size_t key_length,
	struct rl_lease **lease, struct rl_error *error)
{
	enum rl_status status = rl_owner_find(owner, key, key_length, lease, error);
	enum rl_answer answer;
	rl_time found_at;

	if (status != RL_OK) {
		return status;
	}
	answer = rl_watch_look(*lease, &found_at);
	return answer == RL_ANSWER_OURS ? RL_OK : rl_owner_end_lost(owner, *lease, answer, found_at, error);
}

void rl_owner_detach(struct rl_owner *owner, struct rl_lease *lease)
{
	rl_watch_end(lease);
	rl_table_remove(&owner->leases, &lease->entry);
}

void rl_owner_discard(struct rl_owner *owner, struct rl_lease *lease, bool doubtful)
{
	if (lease->shares) {
		rl_majority_discard(owner, lease, doubtful);
	} else if (doubtful || lease->sent_again || rl_lease_has_copies(lease)) {
		rl_undo_add(&owner->undos, lease);
	} else {
		rl_lease_free(lease);
	}
}

enum rl_status rl_owner_settle(struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	if (lease->claim) {
		status = rl_claim_await(owner->route, lease, rl_owner_deadline(owner), error);
	}
	return status == RL_NO ? rl_owner_end_late(owner, lease, rl_owner_deadline(owner), error) : status;
}

enum rl_status rl_owner_lease(struct rl_owner *owner, const char *key, size_t key_length,
	struct rl_lease_view *out, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_status status = rl_owner_find(owner, key, key_length, &lease, error);
	rl_time left, found_at;

	if (status != RL_OK) {
		return status;
	}
	/* How much is left is known when its claim is answered. */
	rl_claim_await_once(owner->route, lease, rl_owner_deadline(owner));
	left = rl_watch_look(lease, &found_at) == RL_ANSWER_OURS ? lease->safe_until - rl_now() : 0;
	*out = (struct rl_lease_view){
		.token = lease->token.text,
		.token_length = lease->token.length,
		.fence = lease->fence,
		.depth = lease->depth,
		.left = left > 0 ? left : 0,
	};
	if (lease->token.metadata_offset) {
		out->metadata = lease->token.text + lease->token.metadata_offset;
		out->metadata_length = lease->token.length - lease->token.metadata_offset;
	}
	return RL_OK;
}

static const char *advice_on_late(const struct rl_lease *lease)
{
	if (!lease->renew_until) {
		return "Take it with a longer ttl, or prolongate it in time";
	}
	if (lease->safe_until >= lease->renew_until) {
		return "autoRenew ended with maxHold: allow it more, or release the lock sooner";
	}
	return "autoRenew could not renew it: the process was paused, or the server away, for longer than the lease";
}

enum rl_status rl_owner_judge(struct rl_owner *owner, const struct rl_lease *lease,
	enum rl_answer answer, rl_time now, struct rl_error *error)
{
	rl_time late_by = now - lease->safe_until;
	enum rl_status verdict = answer == RL_ANSWER_GONE && late_by > 0 ? RL_TIMED_OUT : RL_LOST;
	const char *server = owner->route->name;
	char name[RL_NAME_SIZE], seconds[RL_NUMBER_SECONDS_SIZE];

	rl_owner_name(lease, name);
	rl_number_put_seconds(seconds, late_by / RL_MILLISECOND);
	if (verdict == RL_TIMED_OUT) {
		owner->stats.timeouts++;
		rl_fail(error, verdict,
			"The lease of \"%s\" on Redis at %s ran out %s s ago; nobody else has had the lock. %s",
			name, server, seconds, advice_on_late(lease));
	} else {
		owner->stats.lost++;
		if (late_by > 0) {
			rl_fail(error, verdict,
				"The lease of \"%s\" on Redis at %s ran out %s s ago, and another has had the lock "
				"since%s. What was done after that may collide with theirs",
				name, server, seconds,
				answer == RL_ANSWER_TAKEN ? "" : ", or that can no longer be told");
		} else {
			late_by = 0;
			rl_fail(error, verdict, "The lock \"%s\" on Redis at %s was lost within its lease: %s", name, server,
				answer == RL_ANSWER_TAKEN
					? "another has it, or has had it"
					: "its key is gone (deleted, evicted, broken, or lost with the server's data)");
		}
	}
	error->late_by = late_by;
	owner->last_loss = rl_losses_add(&owner->losses, lease->entry.key.data, lease->entry.key.length, verdict, late_by);
	return verdict;
}

enum rl_status rl_owner_judge_unanswered(struct rl_owner *owner, const struct rl_lease *lease, struct rl_error *error)
{
	enum rl_status verdict = rl_owner_judge(owner, lease, RL_ANSWER_UNKNOWN, rl_now(), error);

	error->unanswered = true;
	return verdict;
}

enum rl_status rl_owner_end_lost(struct rl_owner *owner, struct rl_lease *lease, enum rl_answer answer,
	rl_time found_at, struct rl_error *error)
{
	enum rl_status verdict;

	rl_owner_detach(owner, lease);
	verdict = rl_owner_judge(owner, lease, answer, found_at, error);
	rl_owner_discard(owner, lease, lease->shares != NULL); /* nodes of a minority may still hold it */
	return verdict;
}

/* --- alarms --- */

/* What PHP code waits for at most, wherever it happens to be. */
#define ALARM_PATIENCE (200 * RL_MILLISECOND)

/* RL_OK: it has been extended since. */
static enum rl_status end_alarmed(struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error)
{
	rl_time found_at, now = rl_now(), timeout = owner->route->timeout;
	enum rl_answer answer = rl_watch_look(lease, &found_at);

	if (answer != RL_ANSWER_OURS) {
		return rl_owner_end_lost(owner, lease, answer, found_at, error);
	}
	if (now < lease->safe_until) {
		return RL_OK;
	}
	return rl_owner_end_late(owner, lease, now + (timeout < ALARM_PATIENCE ? timeout : ALARM_PATIENCE), error);
}

enum rl_status rl_owner_alarm(struct rl_owner *owner, struct rl_error *error)
{
	enum rl_status verdict = RL_OK;
	struct rl_lease *lease;

	while (verdict == RL_OK && (lease = rl_watch_news(&owner->watch))) {
		verdict = end_alarmed(owner, lease, error);
	}
	if (verdict != RL_OK) {
		error->key = owner->last_loss ? owner->last_loss->entry.key : (struct rl_text){ "", 0 };
	}
	return verdict;
}

bool rl_owner_alarm_later(struct rl_owner *owner)
{
	return rl_watch_put_off(&owner->watch);
}

size_t rl_owner_held(struct rl_owner *owner)
{
	size_t held = 0;

	for (size_t i = 0; i < owner->leases.size; i++) {
		for (struct rl_table_entry *entry = owner->leases.buckets[i]; entry; entry = entry->next) {
			held += ((struct rl_lease *)entry)->generation == rl_system_generation();
		}
	}
	return held;
}
