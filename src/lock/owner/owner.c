#include "../inspect/holders.h"
#include "../acquire/wait.h"

#include <stdlib.h>
#include <string.h>

struct rl_owner *rl_owner_new(struct rl_route *route, struct rl_text prefix,
	struct rl_wait_hook hook, const struct rl_owner_terms *terms)
{
	struct rl_owner *owner = calloc(1, sizeof *owner + prefix.length);

	if (!owner) {
		route->kind->free(route);
		return NULL;
	}
	if (prefix.length > 0) {
		memcpy(owner->prefix_copy, prefix.data, prefix.length);
	}
	owner->route = route;
	owner->backend = route->node_count ? &rl_backend_majority : &rl_backend_single;
	owner->prefix = (struct rl_text){ owner->prefix_copy, prefix.length };
	owner->hook = hook;
	if (terms) {
		owner->terms = *terms;
	}
	rl_watch_init(&owner->watch, owner->backend, &owner->terms);
	/* Without randomness the tables still work; taking a lock will say what is wrong. */
	rl_system_random(&owner->leases.seed, sizeof owner->leases.seed);
	owner->past_verdicts.table.seed = owner->leases.seed;
	rl_owner_begin_count(owner);
	return owner;
}

void rl_owner_free(struct rl_owner *owner)
{
	struct rl_table_entry *next;

	rl_wait_end_all(owner);
	rl_holders_end_all(owner);
	for (struct rl_table_entry *entry = rl_table_take_all(&owner->leases); entry; entry = next) {
		next = entry->next;
		rl_watch_end((struct rl_lease *)entry);
		rl_lease_free((struct rl_lease *)entry);
	}
	rl_table_free(&owner->leases);
	rl_past_verdicts_clear(&owner->past_verdicts);
	rl_owner_drop_all_later(owner);
	rl_owner_end_count(owner);
	owner->route->kind->free(owner->route);
	free(owner);
}

const char *rl_owner_evicting_once(struct rl_owner *owner)
{
	bool tell = owner->route->tell_evicting;

	owner->route->tell_evicting = false;
	return tell ? owner->route->evicting : NULL;
}

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

struct rl_text rl_owner_prefix(const struct rl_owner *owner)
{
	return owner->prefix;
}

const char *rl_owner_servers(const struct rl_owner *owner)
{
	return owner->route->name;
}
