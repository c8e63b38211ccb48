/*
 * Who holds one lock together with others.
 */
#include "holder.h"

struct telling {
	const struct rl_sharers *request;
	size_t told;
};

/* A cooldown after a share is nobody's. */
static bool tell(void *context, const struct rl_share *share)
{
	struct telling *telling = context;

	if (share->holder.kind == RL_HOLDER_COOLDOWN) {
		return true;
	}
	telling->told++;
	return telling->request->found(telling->request->context, &share->holder);
}

static enum rl_status tell_holder(struct rl_owner *owner, const struct rl_keys *keys,
	const struct rl_sharers *request, rl_time deadline, struct rl_error *error)
{
	struct rl_holder holder;
	enum rl_status status = rl_holder_look(owner, keys, deadline, &holder, error);

	if (status == RL_OK) {
		request->found(request->context, &holder);
		rl_owner_holder_clear(&holder);
	}
	return status;
}

static enum rl_status tell_all(struct rl_owner *owner, const struct rl_keys *keys,
	const struct rl_sharers *request, rl_time deadline, struct rl_error *error)
{
	struct telling telling = { .request = request };
	struct rl_share_reader reader = { .tell = tell, .context = &telling };
	enum rl_status status = owner->backend->can_share
		? rl_holder_find_shares(owner, keys, deadline, &reader, error)
		: RL_NO;

	if (status == RL_NO || (status == RL_OK && telling.told == 0)
		|| rl_holder_is_unreadable(status, error)) {
		return tell_holder(owner, keys, request, deadline, error);
	}
	return status;
}

enum rl_status rl_owner_sharers(struct rl_owner *owner, struct rl_text key,
	const struct rl_sharers *request, struct rl_error *error)
{
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	enum rl_status status = rl_holder_begin(owner, key, error);
	struct rl_keys keys;

	if (status == RL_OK) {
		status = rl_holder_keys(owner, key, &keys, error);
	}
	if (status == RL_OK) {
		status = tell_all(owner, &keys, request, deadline, error);
		rl_keys_free(&keys);
	}
	return status;
}
