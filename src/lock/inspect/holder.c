/*
 * Who holds a lock.
 */
#include "holder.h"
#include "../../base/number.h"
#include "../shown_name.h"

#include <stdlib.h>
#include <string.h>

static enum rl_holder_kind kind_of(const struct rl_value *value)
{
	switch (value->kind) {
		case RL_VALUE_TOKEN:
			return value->owner.length ? RL_HOLDER_LEASE : RL_HOLDER_HAND_OVER;
		case RL_VALUE_DETACHED:
			return RL_HOLDER_DETACHED;
		case RL_VALUE_BATON:
			return RL_HOLDER_HAND_OVER;
		case RL_VALUE_COOLDOWN:
			return RL_HOLDER_COOLDOWN;
		case RL_VALUE_SHARED:
			return RL_HOLDER_LEASE;
		case RL_VALUE_FOREIGN:
			break;
	}
	return RL_HOLDER_FOREIGN;
}

static bool is_ours(
	const struct rl_keys *keys, const struct rl_holder *holder, struct rl_text token)
{
	return holder->kind == RL_HOLDER_LEASE && rl_text_is(holder->owner, rl_process_name())
		&& rl_owner_of_this_thread_has(keys->of[RL_KEY_LOCK], token);
}

/* Whoever wrote them may have had a session's id in a path. They point into what is ours. */
static void mask_metadata(const struct rl_keys *keys, struct rl_text *metadata)
{
	if (metadata->data) {
		metadata->length = rl_shown_name_mask(
			keys->of[RL_KEY_LOCK], (char *)metadata->data, metadata->length);
	}
}

/* Of a lock that is not free. The state's value becomes the holder's. */
static void read_state(
	const struct rl_keys *keys, struct rl_lock_state *state, struct rl_holder *out)
{
	struct rl_value value;

	*out = (struct rl_holder){ .kind = RL_HOLDER_FOREIGN,
		.owner = { "", 0 },
		.left_ms = state->left_ms,
		.contended = state->contended };
	if (!state->value) {
		return; /* of another type */
	}
	out->value = state->value;
	state->value = NULL;
	value = rl_token_read_value((struct rl_text){ out->value, state->value_length });
	mask_metadata(keys, &value.metadata);
	out->kind = kind_of(&value);
	out->is_shared = value.kind == RL_VALUE_SHARED;
	out->owner = value.owner;
	out->metadata = value.metadata;
	out->is_ours = is_ours(keys, out, value.token);
	if (out->kind != RL_HOLDER_FOREIGN) {
		out->fence = state->fence;
	}
}

#define UNREADABLE "cannot be read: one of its keys has another type, or is not for this user"

bool rl_holder_is_unreadable(enum rl_status status, const struct rl_error *error)
{
	return status == RL_REFUSED
		&& (strstr(error->message, "WRONGTYPE")
			|| (strcmp(error->code, "NOPERM") == 0 && strstr(error->message, " key")));
}

struct rl_holder rl_holder_unreadable(void)
{
	return (struct rl_holder){ .kind = RL_HOLDER_FOREIGN,
		.owner = { "", 0 },
		.metadata = rl_text_of(UNREADABLE),
		.left_ms = -1 };
}

/* --- shares --- */

static enum rl_holder_kind kind_of_share(struct rl_text token)
{
	if (rl_text_equals(token, "-")) {
		return RL_HOLDER_COOLDOWN;
	}
	return rl_text_skip(&token, "rlock1@") ? RL_HOLDER_DETACHED : RL_HOLDER_LEASE;
}

/*
 * "FENCE:HOST:PID...". One without a fence is not rlock's: whoever may write the keys has put it
 * there, and it says as little as one that was evicted.
 */
static void read_record(struct rl_text record, struct rl_holder *out)
{
	struct rl_value value = { .kind = RL_VALUE_TOKEN };
	const char *colon = rl_text_find(record, ':');

	out->owner = rl_text_of("");
	if (!colon || !rl_number_read(rl_text_cut(&record, colon), INT64_MAX, &out->fence)) {
		out->fence = 0;
	} else if (rl_token_read_holder(&value, record)) {
		out->owner = value.owner;
		out->metadata = value.metadata;
	}
}

/* False: the scripts give no such answer. */
static bool read_share(const struct rl_reply *part, struct rl_share *share)
{
	if (part[0].type != RL_REPLY_STRING || part[1].type != RL_REPLY_INTEGER
		|| part[2].type != RL_REPLY_STRING) {
		return false;
	}
	*share = (struct rl_share){
		.token = { part[0].text, part[0].length }, .holder = { .left_ms = part[1].integer }
	};
	read_record((struct rl_text){ part[2].text, part[2].length }, &share->holder);
	share->holder.kind = kind_of_share(share->token);
	share->holder.is_shared = share->holder.kind != RL_HOLDER_COOLDOWN;
	return true;
}

/* False: the scripts give no such answer. */
static bool read_shares(void *context, const struct rl_reply *reply)
{
	struct rl_share_reader *reader = context;
	bool more = true;

	if (reply->type != RL_REPLY_ARRAY || (reply->count > 0 && reply->count % 3 != 1)) {
		return false;
	}
	for (size_t i = 1; more && i < reply->count; i += 3) {
		struct rl_share share;

		if (!read_share(reply->elements + i, &share)) {
			return false;
		}
		mask_metadata(reader->keys, &share.holder.metadata);
		share.holder.is_ours = is_ours(reader->keys, &share.holder, share.token);
		share.holder.contended = reply->elements[0].type == RL_REPLY_INTEGER
			&& reply->elements[0].integer == 1;
		reader->found++;
		more = reader->tell(reader->context, &share);
	}
	return true;
}

enum rl_status rl_holder_find_shares(struct rl_owner *owner, const struct rl_keys *keys,
	rl_time deadline, struct rl_share_reader *reader, struct rl_error *error)
{
	struct rl_step step = { RL_STEP_SHARERS, .keys = keys };
	struct rl_batch_item item = { .step = &step, .read = read_shares, .context = reader };
	enum rl_status status;

	reader->found = 0;
	reader->keys = keys;
	owner->backend->release_discarded(owner, keys, deadline, NULL);
	status = rl_owner_run_item(owner, &item, deadline, error);
	return status == RL_OK && reader->found == 0 ? RL_NO : status;
}

/*
 * Of those that are told, the last one lasts longest; a cooldown counts if there is nothing else. A
 * copy, since what it points into is the reply's.
 */
static bool keep_last(void *context, const struct rl_share *share)
{
	const struct rl_text owner = share->holder.owner, metadata = share->holder.metadata;
	struct rl_holder *last = context;

	if (last->value && share->holder.kind == RL_HOLDER_COOLDOWN) {
		return true;
	}
	rl_owner_holder_clear(last);
	*last = share->holder;
	last->value = malloc(owner.length + metadata.length + 1);
	if (!last->value) {
		return false;
	}
	last->owner.data = memcpy(last->value, owner.data, owner.length);
	if (metadata.data) {
		last->metadata.data = memcpy(last->value + owner.length, metadata.data, metadata.length);
	}
	return true;
}

/* RL_NO: there is none; the shares have ended, or their set was evicted. */
static enum rl_status find_last_share(struct rl_owner *owner, const struct rl_keys *keys,
	rl_time deadline, struct rl_holder *out, struct rl_error *error)
{
	struct rl_holder last = { .value = NULL };
	struct rl_share_reader reader = { .tell = keep_last, .context = &last };
	enum rl_status status = rl_holder_find_shares(owner, keys, deadline, &reader, error);

	if (status != RL_OK) {
		return status;
	}
	if (!last.value) {
		return rl_fail_for_memory(error);
	}
	rl_owner_holder_clear(out);
	*out = last;
	return RL_OK;
}

enum rl_status rl_holder_complete(struct rl_owner *owner, const struct rl_keys *keys,
	struct rl_lock_state *state, rl_time deadline, struct rl_holder *out, struct rl_error *error)
{
	enum rl_status status;

	if (state->left_ms == -2) {
		rl_lock_state_clear(state);
		return RL_NO;
	}
	read_state(keys, state, out);
	if (!out->is_shared || !owner->backend->can_share) {
		return RL_OK;
	}
	status = find_last_share(owner, keys, deadline, out, error);
	if (rl_holder_is_unreadable(status, error)) {
		int64_t left_ms = out->left_ms;

		rl_owner_holder_clear(out);
		*out = rl_holder_unreadable();
		out->left_ms = left_ms;
		return RL_OK;
	}
	if (status != RL_OK && status != RL_NO) {
		rl_owner_holder_clear(out);
		return status;
	}
	return RL_OK;
}

enum rl_status rl_holder_look(struct rl_owner *owner, const struct rl_keys *keys, rl_time deadline,
	struct rl_holder *out, struct rl_error *error)
{
	struct rl_lock_state state;
	enum rl_status status = rl_owner_inspect(owner, keys, false, deadline, &state, error);

	return status == RL_OK ? rl_holder_complete(owner, keys, &state, deadline, out, error) : status;
}

enum rl_status rl_holder_keys(
	struct rl_owner *owner, struct rl_text key, struct rl_keys *keys, struct rl_error *error)
{
	enum rl_status status = rl_lease_keys(owner->prefix, key, keys, error);

	if (status == RL_OK && !rl_keys_share(keys)) {
		rl_keys_free(keys);
		status = rl_fail_for_memory(error);
	}
	return status;
}

enum rl_status rl_owner_holder_now(struct rl_owner *owner, struct rl_text key, rl_time deadline,
	struct rl_holder *out, struct rl_error *error)
{
	struct rl_keys keys;
	enum rl_status status = rl_holder_keys(owner, key, &keys, error);

	if (status == RL_OK) {
		status = rl_holder_look(owner, &keys, deadline, out, error);
		rl_keys_free(&keys);
	}
	return status;
}

enum rl_status rl_holder_begin(struct rl_owner *owner, struct rl_text key, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_status status = rl_owner_find(owner, key, &lease, error);

	return status == RL_NO ? RL_OK : status;
}

enum rl_status rl_owner_holder(struct rl_owner *owner, struct rl_text key,
	struct rl_holder *out, struct rl_error *error)
{
	enum rl_status status = rl_holder_begin(owner, key, error);

	return status == RL_OK
		? rl_owner_holder_now(owner, key, rl_owner_deadline(owner, rl_now()), out, error)
		: status;
}

void rl_owner_holder_clear(struct rl_holder *holder)
{
	free(holder->value);
	holder->value = NULL;
}
