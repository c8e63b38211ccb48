/*
 * What the owner itself knows of the leases that it holds.
 */
#include "../owner/internal.h"

static struct rl_lease_view view_of(struct rl_lease *lease)
{
	rl_time found_at;
	bool is_ours = rl_watch_look(lease, &found_at) == RL_ANSWER_OURS;
	rl_time left = is_ours ? lease->tenure.safe_until - rl_now() : 0;
	struct rl_lease_view view = {
		.token = rl_token_text(&lease->token),
		.metadata = rl_token_metadata(&lease->token),
		.fence = lease->tenure.fence,
		.depth = lease->depth,
		.left = rl_time_later(left, 0),
		.waited = lease->waited,
		.is_shared = lease->tenure.is_share,
		.failure = rl_lease_failure(lease),
		.failed_at = lease->failed_at,
	};
	return view;
}

enum rl_status rl_owner_lease(struct rl_owner *owner, struct rl_text key,
	struct rl_lease_view *out, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_status status = rl_owner_find(owner, key, &lease, error);

	if (status != RL_OK) {
		return status;
	}
	*out = view_of(lease);
	return RL_OK;
}

bool rl_owner_leases(struct rl_owner *owner,
	bool (*held)(void *context, struct rl_text key, const struct rl_lease_view *view),
	void *context)
{
	for (size_t i = 0; i < owner->leases.size; i++) {
		for (struct rl_table_entry *entry = owner->leases.buckets[i]; entry; entry = entry->next) {
			struct rl_lease *lease = (struct rl_lease *)entry;
			struct rl_lease_view view = view_of(lease);

			if (lease->generation == rl_system_generation() && !held(context, entry->key, &view)) {
				return false;
			}
		}
	}
	return true;
}
