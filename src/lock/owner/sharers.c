/*
 * Who holds one lock together with others.
 */
#include "holder.h"

static bool tell(void *context, const struct rl_share *share)
{
	const struct rl_sharers *request = context;

	return request->found(request->context, &share->holder);
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

static enum rl_status tell_all(struct rl_owner *owner, const struct rl_keys *keys, const struct rl_sharers *request,
	struct rl_error *error)
{
	struct rl_share_reader reader = { .tell = tell, .context = (void *)request };
	enum rl_status status = owner->backend->can_share ? rl_holder_find_shares(owner, keys, &reader, error) : RL_NO;

	return status == RL_NO ? tell_holder(owner, keys, request, error) : status;
}

enum rl_status rl_owner_sharers(struct rl_owner *owner, struct rl_text key, const struct rl_sharers *request,
	struct rl_error *error)
{
	enum rl_status status = rl_holder_begin(owner, key, error);
	struct rl_keys keys;

	if (status == RL_OK) {
		status = rl_holder_keys(owner, key, &keys, error);
	}
	if (status == RL_OK) {
		status = tell_all(owner, &keys, request, error);
		rl_keys_free(&keys);
	}
	return status;
}
