#include "single.h"

static bool are_apart(
	const struct rl_route *route, const struct rl_keys *a, const struct rl_keys *b)
{
	return route->kind->apart
		&& route->kind->apart(route, a->of[RL_KEY_LOCK], b->of[RL_KEY_LOCK]);
}

/*
 * What was granted to a name is found by its fence; what may have been granted, by RANDOM behind
 * the name.
 */
static enum rl_operation how_to_release(const struct rl_lease *lease)
{
	return rl_token_is_detached(&lease->token) && lease->tenure.fence ? RL_STEP_RELEASE
																	  : RL_STEP_TAKE_BACK;
}

/* `error` may be NULL. */
static enum rl_status release(
	struct rl_owner *owner, struct rl_lease *lease, rl_time deadline, struct rl_error *error)
{
	struct rl_error ignored;
	struct rl_step step = { how_to_release(lease), .lease = lease };
	struct rl_outcome outcome;
	enum rl_status status;

	lease->is_being_sent = true;
	status = rl_owner_run(owner, &step, deadline, &outcome, error ? error : &ignored);
	lease->is_being_sent = false;
	return status;
}

/* What is for the server of one that has failed is not tried now. */
static bool is_due(const struct rl_owner *owner, const struct rl_lease *lease,
	const struct rl_keys *near, const struct rl_lease *failed)
{
	return !lease->is_being_sent && !(near && are_apart(owner->route, near, &lease->keys))
		&& (!failed || are_apart(owner->route, &failed->keys, &lease->keys));
}

/* Others may free it meanwhile. */
static void note_failed(struct rl_lease **failed, struct rl_lease *lease)
{
	if (lease) {
		rl_lease_pin(lease);
	}
	if (*failed) {
		rl_lease_unpin(*failed);
	}
	*failed = lease;
}

/* Takes it out of the list, wherever it is there by now. */
static void drop(struct rl_owner *owner, struct rl_lease *lease)
{
	struct rl_table_entry **link = &owner->discarded;

	while (*link != &lease->entry) {
		link = &(*link)->next;
	}
	rl_owner_drop_discarded(link);
}

/* Which of them were sent nobody hears: they stay, too. */
static void send_all(struct rl_owner *owner)
{
	for (struct rl_table_entry *entry = owner->discarded; entry; entry = entry->next) {
		struct rl_lease *lease = (struct rl_lease *)entry;
		struct rl_step step = { how_to_release(lease), .lease = lease };
		struct rl_words words;

		if (rl_lease_is_own(lease)) {
			rl_call_send(owner->route, rl_step_form(&words, &step), 0);
		}
	}
}

/*
 * What cannot be sent stays, and with it what is for the same server; the others, and the call
 * itself, are left half of the time, and none is sent after it. After a fork they are the parent's
 * and dropped.
 *
 * Others may use the list while an answer is awaited, but leave in it what is being sent: from
 * there it goes on.
 */
enum rl_status rl_single_release_discarded(struct rl_owner *owner, const struct rl_keys *near,
	rl_time deadline, struct rl_error *error)
{
	struct rl_table_entry *entry = owner->discarded, *next;
	struct rl_lease *failed = NULL;
	enum rl_status status = RL_OK, released;

	if (deadline == 0) {
		send_all(owner);
	}
	for (; entry && rl_now() < deadline; entry = next) {
		struct rl_lease *lease = (struct rl_lease *)entry;

		next = entry->next;
		if (!is_due(owner, lease, near, failed)) {
			continue;
		}
		released = rl_lease_is_own(lease)
			? release(owner, lease, rl_time_half_way(rl_now(), deadline), error)
			: RL_OK;
		next = entry->next;
		if (released == RL_OK) {
			drop(owner, lease);
		} else {
			status = released;
			note_failed(&failed, lease);
		}
		if (released == RL_INTERRUPTED) {
			break;
		}
	}
	note_failed(&failed, NULL);
	if (entry && deadline && status == RL_OK && error) {
		status = rl_fail(error, RL_UNREACHABLE,
			"Redis at %s: the timeout was over before this lock was given back", owner->route->name);
	}
	return status;
}

/* A name's shares cannot be told apart, so this one is left to expire. */
static bool is_share_by_name(const struct rl_lease *lease)
{
	return lease->tenure.is_share && rl_token_is_detached(&lease->token) && !lease->tenure.fence;
}

void rl_single_discard(struct rl_owner *owner, struct rl_lease *lease, bool maybe_held)
{
	if (maybe_held && !is_share_by_name(lease)) {
		rl_owner_add_discarded(owner, lease);
	} else {
		rl_lease_free(lease);
	}
}

bool rl_single_has_discarded(struct rl_owner *owner, const struct rl_lease *taken)
{
	const struct rl_table_entry *entry = owner->discarded;

	while (entry
		&& (!rl_lease_is_own((const struct rl_lease *)entry)
			|| !rl_lease_is_alike((const struct rl_lease *)entry, taken))) {
		entry = entry->next;
	}
	return entry != NULL;
}
