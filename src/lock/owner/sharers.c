/*
 * Who holds one lock together with others.
 */
#include "holder.h"

#include <stdlib.h>

struct listing {
	const struct rl_sharers *request;
	bool is_shared;
	enum rl_status status;
};

/* One share: its token, how much is left, its fence. */
static enum rl_status tell(const struct rl_sharers *request, const struct rl_reply *part, bool contended, bool *more)
{
	struct rl_lock_state state = {
		.value = rl_text_copy((struct rl_text){ part[0].text, part[0].length }),
		.value_length = part[0].length,
		.left_ms = part[1].integer,
		.fence = part[2].integer,
		.contended = contended,
		.is_shared = true,
	};
	struct rl_holder holder;

	if (!state.value) {
		return RL_NO_MEMORY;
	}
	rl_holder_read(&state, &holder);
	*more = request->found(request->context, &holder);
	rl_owner_holder_clear(&holder);
	return RL_OK;
}

static bool is_share(const struct rl_reply *part)
{
	return part[0].type == RL_REPLY_STRING && part[1].type == RL_REPLY_INTEGER && part[2].type == RL_REPLY_INTEGER;
}

static bool read_shares(void *context, const struct rl_reply *reply)
{
	struct listing *listing = context;
	const struct rl_reply *part = reply->elements;
	bool more = true;

	if (reply->type != RL_REPLY_ARRAY || reply->count % 3 != 1) {
		return reply->type == RL_REPLY_ARRAY && reply->count == 0;
	}
	listing->is_shared = reply->count > 1;
	for (size_t i = 1; more && listing->status == RL_OK && i < reply->count; i += 3) {
		if (!is_share(part + i)) {
			return false;
		}
		listing->status = tell(listing->request, part + i, part[0].integer == 1, &more);
	}
	return true;
}

static enum rl_status tell_shares(struct rl_owner *owner, const struct rl_keys *keys, struct listing *listing,
	struct rl_error *error)
{
	struct rl_step step;
	enum rl_status status;

	rl_protocol_sharers(&step, keys);
	status = owner->backend->query(owner->route, &step, rl_owner_contact(owner, keys), read_shares, listing, error);
	if (status == RL_OK && listing->status != RL_OK) {
		status = rl_fail(error, listing->status, "Out of memory");
	}
	return status;
}

static enum rl_status tell_holder(struct rl_owner *owner, const struct rl_keys *keys, const struct rl_sharers *request,
	struct rl_error *error)
{
	struct rl_holder holder;
	enum rl_status status = rl_holder_look(owner, keys, &holder, error);

	if (status == RL_OK) {
		request->found(request->context, &holder);
		rl_owner_holder_clear(&holder);
	}
	return status;
}

enum rl_status rl_owner_sharers(struct rl_owner *owner, struct rl_text key, const struct rl_sharers *request,
	struct rl_error *error)
{
	struct listing listing = { .request = request, .status = RL_OK };
	enum rl_status status = rl_holder_begin(owner, key, error);
	struct rl_keys keys;

	if (status == RL_OK) {
		status = rl_lease_keys(owner->prefix, key, &keys, error);
	}
	if (status != RL_OK) {
		return status;
	}
	if (!rl_keys_share(&keys)) {
		status = rl_fail(error, RL_NO_MEMORY, "Out of memory");
	} else if (owner->backend->can_share) {
		status = tell_shares(owner, &keys, &listing, error);
	}
	if (status == RL_OK && !listing.is_shared) {
		status = tell_holder(owner, &keys, request, error);
	}
	rl_keys_free(&keys);
	return status;
}
