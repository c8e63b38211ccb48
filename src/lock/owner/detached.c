#include "detached.h"
#include "detached_cache.h"
#include "kind.h"

/* --- at the server --- */

/* RL_OK: L holds a grant of this name, and `state`, to be cleared, tells which; RL_NO. */
static enum rl_status look(struct rl_owner *owner, struct rl_text key, struct rl_text holder,
	struct rl_lock_state *state, struct rl_error *error)
{
	char head[RL_HOLDER_HEAD];
	struct rl_keys keys;
	enum rl_status status = rl_lease_keys(owner->prefix, key, &keys, error);

	if (status != RL_OK) {
		return status;
	}
	status = rl_keys_share(&keys)
		? owner->backend->find(owner->route, &keys, rl_token_detached_head(head, holder), rl_owner_contact(owner, &keys), state, error)
		: rl_fail(error, RL_NO_MEMORY, "Out of memory");
	rl_keys_free(&keys);
	if (status != RL_OK) {
		return status;
	}
	if (!state->value || !rl_text_is(rl_token_read_value(state->value, state->value_length).holder, holder)) {
		rl_lock_state_clear(state);
		return RL_NO;
	}
	status = state->is_shared ? rl_kind_can_share(owner, error) : RL_OK;
	if (status != RL_OK) {
		rl_lock_state_clear(state);
	}
	return status;
}

static struct rl_text value_of(const struct rl_lock_state *state)
{
	return (struct rl_text){ state->value, state->value_length };
}

/*
 * Looks, and makes what is found a lease with the token found. RL_OK: it is the caller's, and out of the owner; RL_NO.
 */
static enum rl_status find(struct rl_owner *owner, struct rl_text key, struct rl_text holder,
	struct rl_lock_state *state, struct rl_lease **out, struct rl_error *error)
{
	rl_time asked_at = rl_now();
	enum rl_status status = look(owner, key, holder, state, error);

	if (status != RL_OK) {
		return status;
	}
	status = rl_lease_new_with(owner->prefix, key, value_of(state), out, error);
	if (status == RL_OK && (state->is_shared || state->was_shared)) {
		(*out)->is_share = state->is_shared;
		status = rl_lease_use_turnstile(*out, error);
		if (status != RL_OK) {
			rl_lease_free(*out);
		}
	}
	if (status != RL_OK) {
		rl_lock_state_clear(state);
		return status;
	}
	(*out)->safe_until = rl_lease_safe_until(asked_at, rl_lease_told(state->left_ms));
	return RL_OK;
}

/* How a call goes on that has found a grant which was over when it was to be used: another process says the name, too. */
static bool may_look_again(struct rl_owner *owner, enum rl_status status)
{
	return status == RL_NO && rl_now() < rl_owner_deadline(owner);
}

static enum rl_status fail_to_catch(struct rl_owner *owner, struct rl_error *error)
{
	return rl_fail(error, RL_UNREACHABLE,
		"Redis at %s: the lock changed hands after each look at it, until the deadline", owner->route->name);
}

/* --- taking over --- */

enum new_length {
	LONGER, /* of what is left and the given one */
	GIVEN
};

/* A grant that was taken over, wherever it was made. */
struct taken {
	struct rl_lease *lease; /* the caller's, and out of the owner */
	rl_time asked_at;
	int64_t lease_ms, most_ms; /* most_ms: as rl_replacement's most_left_ms */
};

/*
 * Gives a lease, which has the token found, a token of its own, and this length; 0: what is left. RL_OK; RL_NO: the grant
 * was over.
 */
static enum rl_status replace(struct rl_owner *owner, struct taken *taken, const struct rl_lock_state *found, int64_t lease_ms,
	struct rl_error *error)
{
	struct rl_replacement replacement = { .lease = taken->lease,
		.old = value_of(found),
		.was_found = true,
		.others = found->others,
		.lease_ms = lease_ms };
	enum rl_status status = rl_token_renew(&taken->lease->token, error);

	if (status == RL_OK) {
		status = owner->backend->replace(owner, &replacement, rl_owner_deadline(owner), error);
	}
	if (status != RL_OK) {
		return status;
	}
	taken->asked_at = replacement.asked_at;
	taken->lease_ms = rl_lease_told(replacement.left_ms);
	taken->most_ms = rl_lease_told(replacement.most_left_ms);
	return replacement.answer == RL_ANSWER_OURS ? RL_OK : RL_NO;
}

static void discard_late(struct rl_owner *owner, struct rl_lease **late)
{
	if (*late) {
		owner->backend->discard(owner, *late, false);
		*late = NULL;
	}
}

/*
 * Makes what has a token of its own last for at least this long. RL_OK; RL_NO: the grant is over.
 *
 * Of a majority, a prolongation under the former token may have reached some nodes before it was replaced there, and been
 * a success by them. One of them at least has answered, so no node gets less than the most.
 */
static enum rl_status grow(struct rl_owner *owner, struct taken *taken, int64_t lease_ms, struct rl_error *error)
{
	struct rl_extension extension;
	enum rl_status status;

	if (taken->lease_ms >= lease_ms) {
		return RL_OK;
	}
	lease_ms = taken->most_ms > lease_ms ? taken->most_ms : lease_ms;
	taken->lease->safe_until = rl_lease_safe_until(taken->asked_at, taken->lease_ms);
	status = rl_prolongate_run(owner, taken->lease, lease_ms, RL_EXTEND_ANEW, &extension, error);
	if (status != RL_OK) {
		return status;
	}
	taken->asked_at = extension.asked_at;
	taken->lease_ms = lease_ms;
	return extension.answer == RL_ANSWER_OURS ? RL_OK : RL_NO;
}

/*
 * Where the former token was used, the lease may have been prolonged since the look. So how much is left counts only once
 * that token is gone: it is kept at first.
 */
static enum rl_status replace_and_grow(struct rl_owner *owner, struct taken *taken, const struct rl_lock_state *found,
	int64_t lease_ms, struct rl_error *error)
{
	enum rl_status status = replace(owner, taken, found, 0, error);

	return status == RL_OK ? grow(owner, taken, lease_ms, error) : status;
}

/*
 * RL_NO: this name has no grant. After a failure it may have it under either token, which does not matter to callers:
 * the next one finds it.
 *
 * A try that came too late may have put its token on some nodes of a majority. What the name has counts there, until
 * the next try has replaced it or a look has told that the name has no majority. Then it is released.
 */
static enum rl_status take_over(struct rl_owner *owner, struct rl_text key, struct rl_text holder,
	int64_t lease_ms, enum new_length new_length, struct taken *taken, struct rl_error *error)
{
	struct rl_lease *late = NULL;
	enum rl_status status;

	do {
		struct rl_lock_state found;

		status = find(owner, key, holder, &found, &taken->lease, error);
		if (status == RL_OK) {
			status = new_length == LONGER ? replace_and_grow(owner, taken, &found, lease_ms, error)
										  : replace(owner, taken, &found, lease_ms, error);
			rl_lock_state_clear(&found);
			discard_late(owner, &late);
			late = status == RL_OK ? NULL : taken->lease;
		} else if (status == RL_NO) {
			discard_late(owner, &late);
			return RL_NO;
		}
	} while (may_look_again(owner, status));
	if (late) {
		owner->backend->forget(late);
	}
	return status == RL_NO ? fail_to_catch(owner, error) : status;
}

/* --- what is remembered --- */

/* RL_OK: the lease is remembered. RL_UNREACHABLE: it had run out when the answer came, and stays the caller's. */
static enum rl_status keep(struct rl_owner *owner, struct rl_lease *lease, rl_time asked_at, int64_t lease_ms,
	struct rl_error *error)
{
	enum rl_status status;

	rl_lease_begin(lease, asked_at, lease_ms);
	status = rl_owner_came_in_time(owner, lease, error);
	if (status == RL_OK) {
		rl_detached_cache_add(owner, lease);
	}
	return status;
}

/* It is not remembered any more; what may still be on its way for it takes the lock no more. */
static void drop(struct rl_owner *owner, struct rl_lease *lease)
{
	rl_detached_cache_remove(owner, lease);
	owner->backend->discard(owner, lease, false);
}

/* The server has told that the name has no grant. What is still in the cache would pass for one that came during a wait. */
static void drop_cached(struct rl_owner *owner, struct rl_text key, struct rl_text holder)
{
	struct rl_lease *lease = rl_detached_cache_find(owner, key, holder);

	if (lease) {
		drop(owner, lease);
	}
}

/*
 * RL_NO: the grant is over. It stays remembered: on a majority, what it still has is a part of the name's lock until
 * another token has replaced it, or a look has told that the name has no majority.
 */
static enum rl_status extend(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, enum rl_extend how,
	struct rl_extension *extension, struct rl_error *error)
{
	enum rl_status status = rl_prolongate_run(owner, lease, lease_ms, how, extension, error);

	return status == RL_OK && extension->answer != RL_ANSWER_OURS ? RL_NO : status;
}

static enum rl_status prolongate(struct rl_owner *owner, struct rl_text key, struct rl_text holder, int64_t lease_ms,
	struct rl_error *error)
{
	struct rl_lease *lease = rl_detached_cache_find(owner, key, holder);
	struct rl_extension extension;
	struct taken taken;
	enum rl_status status = lease ? extend(owner, lease, lease_ms, RL_EXTEND_ANEW, &extension, error) : RL_NO;

	if (status == RL_OK) {
		lease->length_ms = lease_ms;
		lease->safe_until = extension.safe_until;
		return rl_owner_came_in_time(owner, lease, error);
	}
	if (status != RL_NO) {
		return status;
	}
	status = take_over(owner, key, holder, lease_ms, GIVEN, &taken, error);
	if (status == RL_NO && lease) {
		drop(owner, lease);
	}
	if (status != RL_OK) {
		return status;
	}
	status = keep(owner, taken.lease, taken.asked_at, taken.lease_ms, error);
	if (status != RL_OK) {
		owner->backend->forget(taken.lease);
	}
	return status;
}

/* --- giving back --- */

/* Releasing may take several tries. */
struct giving_back {
	int64_t delay_ms;
	bool found;
	bool unanswered; /* a sending, which may have been what released it */
};

/* Takes the lease over, which is not remembered. RL_NO: the grant was over. */
static enum rl_status give_back(struct rl_owner *owner, struct giving_back *giving_back, struct rl_lease *lease,
	struct rl_error *error)
{
	struct rl_release release;
	enum rl_answer answer;
	enum rl_status status;

	rl_release_begin(&release, lease, giving_back->delay_ms);
	status = owner->backend->release(owner, &release, rl_owner_deadline(owner), &answer, error);
	if (status == RL_OK && answer != RL_ANSWER_OURS && answer != RL_ANSWER_PASSED) {
		giving_back->unanswered |= release.step.call.unanswered > 0;
		status = RL_NO;
	}
	owner->backend->discard(owner, lease, rl_release_is_open(owner, &release, status));
	return status;
}

/*
 * RL_NO: there was none, or it was over by then. Whoever took the lock may have sent that more than once: so the token
 * is closed.
 */
static enum rl_status find_and_give_back(struct rl_owner *owner, struct giving_back *giving_back, struct rl_text key,
	struct rl_text holder, struct rl_error *error)
{
	struct rl_lock_state state;
	struct rl_lease *lease;
	enum rl_status status = find(owner, key, holder, &state, &lease, error);

	giving_back->found = status == RL_OK;
	if (status != RL_OK) {
		return status;
	}
	lease->sent_again = true;
	if (owner->backend->note_holders(owner, lease, &state)) {
		status = give_back(owner, giving_back, lease, error);
	} else {
		owner->backend->forget(lease);
		status = rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	rl_lock_state_clear(&state);
	return status;
}

static enum rl_status release(struct rl_owner *owner, struct rl_text key, struct rl_text holder, int64_t delay_ms,
	struct rl_error *error)
{
	struct rl_lease *lease = rl_detached_cache_find(owner, key, holder);
	struct giving_back giving_back = { .delay_ms = delay_ms, .found = lease };
	enum rl_status status = RL_NO;

	if (lease) {
		rl_detached_cache_remove(owner, lease);
	}
	if (lease && !rl_lease_misses_nodes(lease)) {
		status = give_back(owner, &giving_back, lease, error);
	} else {
		status = find_and_give_back(owner, &giving_back, key, holder, error);
		if (lease) {
			owner->backend->discard(owner, lease, false);
		}
	}
	while (giving_back.found && may_look_again(owner, status)) {
		status = find_and_give_back(owner, &giving_back, key, holder, error);
	}
	if (status != RL_NO) {
		return status;
	}
	if (giving_back.found) {
		return fail_to_catch(owner, error);
	}
	return giving_back.unanswered ? RL_OK : RL_NO;
}

/* --- for acquire and wait --- */

/* RL_OK: the lease is exclusive now. RL_NO: it is over; or `refused`, since it is not the only share. */
static enum rl_status upgrade(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, bool *refused,
	struct rl_error *error)
{
	enum rl_answer answer;
	bool maybe_done;
	enum rl_status status = rl_kind_ask_upgrade(owner, lease, lease_ms, &answer, &maybe_done, error);

	*refused = status == RL_OK && answer == RL_ANSWER_OTHER;
	return status == RL_OK && answer != RL_ANSWER_OURS ? RL_NO : status;
}

/* The name has a share and wants the lock exclusively. After a failure the next call looks. */
static enum rl_status upgrade_known(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, bool *refused,
	struct rl_error *error)
{
	enum rl_status status = upgrade(owner, lease, lease_ms, refused, error);

	if (status != RL_OK && status != RL_NO) {
		rl_detached_cache_remove(owner, lease);
		owner->backend->forget(lease);
	}
	return status;
}

enum rl_status rl_detached_reenter(struct rl_owner *owner, const struct rl_acquire *request, struct rl_text holder, bool *refused,
	struct rl_error *error)
{
	struct rl_lease *lease = rl_detached_cache_find(owner, request->key, holder);
	struct rl_extension extension;
	enum rl_status status;

	*refused = false;
	if (!lease) {
		return RL_NO;
	}
	if (lease->is_share && !request->is_shared) {
		status = upgrade_known(owner, lease, request->lease_ms, refused, error);
	} else {
		status = extend(owner, lease, request->lease_ms, RL_EXTEND_LONGER, &extension, error); /* what is left, the server knows */
		if (status == RL_OK && extension.safe_until > lease->safe_until) {
			lease->safe_until = extension.safe_until;
		}
	}
	if (status != RL_OK) {
		return status;
	}
	if (rl_now() >= lease->safe_until) {
		return RL_NO;
	}
	owner->stats.acquired++;
	return RL_OK;
}

/* What the name has was taken over, and is a share where the lock is wanted exclusively. */
static enum rl_status upgrade_taken(struct rl_attempt *attempt, struct taken *taken, struct rl_error *error)
{
	struct rl_owner *owner = attempt->owner;
	enum rl_status status;

	taken->lease->length_ms = taken->lease_ms;
	taken->lease->safe_until = rl_lease_safe_until(taken->asked_at, taken->lease_ms);
	status = upgrade(owner, taken->lease, attempt->lease_ms, &attempt->is_refused, error);
	if (status == RL_OK) {
		taken->lease_ms = taken->lease->length_ms;
	} else if (attempt->is_refused && keep(owner, taken->lease, taken->asked_at, taken->lease_ms, error) == RL_OK) {
		return RL_NO;
	} else {
		owner->backend->forget(taken->lease);
	}
	return status;
}

enum rl_status rl_detached_join(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_owner *owner = attempt->owner;
	struct rl_text holder = rl_token_holder(&attempt->lease->token);
	struct taken taken;
	enum rl_status status;

	if (!holder.data || attempt->grant.ours) {
		return RL_OK;
	}
	status = attempt->grant.may_be_own
		? take_over(owner, attempt->lease->entry.key, holder, attempt->lease_ms, LONGER, &taken, error)
		: RL_NO;
	if (status == RL_OK && taken.lease->is_share && !attempt->lease->is_share) {
		status = upgrade_taken(attempt, &taken, error);
		if (attempt->is_refused) {
			return RL_OK;
		}
	}
	if (status == RL_NO) {
		drop_cached(owner, attempt->lease->entry.key, holder);
		return RL_OK;
	}
	if (status != RL_OK) {
		return status;
	}
	owner->backend->discard(owner, attempt->lease, attempt->maybe_held);
	attempt->maybe_held = false;
	attempt->lease = taken.lease;
	attempt->lease_ms = taken.lease_ms;
	attempt->asked_at = taken.asked_at;
	attempt->grant = (struct rl_grant){ .ours = true };
	return RL_OK;
}

enum rl_status rl_detached_keep(struct rl_owner *owner, struct rl_lease *lease, rl_time asked_at, int64_t lease_ms,
	struct rl_error *error)
{
	enum rl_status status = keep(owner, lease, asked_at, lease_ms, error);

	owner->stats.acquired += status == RL_OK;
	return status;
}

/* --- the calls --- */

enum rl_status rl_owner_detached_prolongate(struct rl_owner *owner, struct rl_text key, struct rl_text holder,
	int64_t lease_ms, struct rl_error *error)
{
	char hex[RL_HOLDER_HEX];

	rl_owner_begin(owner);
	return prolongate(owner, key, rl_token_encode_holder(hex, holder), lease_ms, error);
}

enum rl_status rl_owner_detached_release(struct rl_owner *owner, struct rl_text key, struct rl_text holder,
	int64_t delay_ms, struct rl_error *error)
{
	char hex[RL_HOLDER_HEX];

	rl_owner_begin(owner);
	return release(owner, key, rl_token_encode_holder(hex, holder), delay_ms, error);
}

/* One that was found is given a token of this process first. RL_NO: it is over. */
static enum rl_status downgrade_found(struct rl_owner *owner, struct rl_lease *lease, const struct rl_lock_state *found,
	struct rl_error *error)
{
	struct taken taken = { .lease = lease };
	enum rl_answer answer;
	bool maybe_done;
	enum rl_status status = replace(owner, &taken, found, 0, error);

	if (status == RL_OK) {
		status = rl_kind_ask_downgrade(owner, lease, &answer, &maybe_done, error);
	}
	if (status == RL_OK && answer == RL_ANSWER_OURS) {
		status = keep(owner, lease, taken.asked_at, taken.lease_ms, error);
	} else if (status == RL_OK) {
		status = RL_NO;
	}
	if (status != RL_OK) {
		owner->backend->forget(lease);
	}
	return status;
}

/* RL_NO: the name does not have it, or has a share. */
static enum rl_status find_and_downgrade(struct rl_owner *owner, struct rl_text key, struct rl_text holder, bool *found,
	struct rl_error *error)
{
	struct rl_lock_state state;
	struct rl_lease *lease;
	enum rl_status status = find(owner, key, holder, &state, &lease, error);

	*found = status == RL_OK && !state.is_shared;
	if (status != RL_OK) {
		return status;
	}
	if (*found) {
		status = downgrade_found(owner, lease, &state, error);
	} else {
		owner->backend->forget(lease);
		status = RL_NO;
	}
	rl_lock_state_clear(&state);
	return status;
}

static enum rl_status downgrade(struct rl_owner *owner, struct rl_text key, struct rl_text holder, struct rl_error *error)
{
	struct rl_lease *lease = rl_detached_cache_find(owner, key, holder);
	enum rl_answer answer = RL_ANSWER_OTHER;
	enum rl_status status;
	bool maybe_done, found;

	if (lease && !lease->is_share) {
		status = rl_kind_ask_downgrade(owner, lease, &answer, &maybe_done, error);
		if (status != RL_OK) {
			rl_detached_cache_remove(owner, lease);
			owner->backend->forget(lease); /* the next call looks */
		}
		if (status != RL_OK || answer == RL_ANSWER_OURS) {
			return status;
		}
	}
	do {
		status = find_and_downgrade(owner, key, holder, &found, error);
	} while (found && may_look_again(owner, status));
	return status == RL_NO && found ? fail_to_catch(owner, error) : status;
}

enum rl_status rl_owner_detached_downgrade(struct rl_owner *owner, struct rl_text key, struct rl_text holder,
	struct rl_error *error)
{
	char hex[RL_HOLDER_HEX];
	enum rl_status status;

	rl_owner_begin(owner);
	status = rl_kind_can_share(owner, error);
	return status == RL_OK ? downgrade(owner, key, rl_token_encode_holder(hex, holder), error) : status;
}

enum rl_status rl_owner_detached_look(struct rl_owner *owner, struct rl_text key, struct rl_text name,
	struct rl_detached_view *out, struct rl_error *error)
{
	char hex[RL_HOLDER_HEX];
	struct rl_text holder = rl_token_encode_holder(hex, name);
	struct rl_lock_state state;
	enum rl_status status;

	rl_owner_begin(owner);
	status = look(owner, key, holder, &state, error);
	if (status == RL_OK) {
		*out = (struct rl_detached_view){ .left_ms = state.left_ms, .fence = state.fence };
		rl_lock_state_clear(&state);
	}
	return status;
}
