/*
 * An owner from its making to its end. This room alone knows all others: it chooses where the locks
 * are, and ends what the others have under way.
 */
#include "../acquire/pending.h"
#include "../acquire/wait.h"
#include "../owner/detached_grant.h"
#include "../../base/random.h"

#include <stdlib.h>
#include <string.h>

struct rl_owner *rl_owner_new(struct rl_route *route, struct rl_text prefix,
	struct rl_wait_hook hook, const struct rl_renewal_terms *terms)
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
	rl_watch_init(&owner->watch, owner->backend->run, terms);
	/* Without randomness the tables still work; taking a lock will say what is wrong. */
	rl_random_fill(&owner->leases.seed, sizeof owner->leases.seed);
	owner->past_verdicts.table.seed = owner->leases.seed;
	rl_owner_begin_count(owner);
	return owner;
}

void rl_owner_free(struct rl_owner *owner)
{
	struct rl_table_entry *next;

	rl_hook_end();
	rl_pending_cancel_all(owner);
	rl_pending_finish(owner, rl_now());
	rl_wait_end_all(owner);
	rl_detached_grant_let_be(owner);
	for (struct rl_table_entry *entry = rl_table_take_all(&owner->leases); entry; entry = next) {
		next = entry->next;
		rl_watch_end((struct rl_lease *)entry);
		rl_lease_free((struct rl_lease *)entry);
	}
	rl_table_free(&owner->leases);
	rl_past_verdicts_clear(&owner->past_verdicts);
	rl_owner_drop_all_discarded(owner);
	rl_owner_end_count(owner);
	owner->route->kind->free(owner->route);
	free(owner);
}

void rl_owner_tidy(void)
{
	rl_pending_tidy();
}

const char *rl_owner_evicting_once(struct rl_owner *owner)
{
	bool tell = owner->route->tell_evicting;

	owner->route->tell_evicting = false;
	return tell ? owner->route->evicting : NULL;
}

struct rl_route *rl_owner_route(struct rl_owner *owner)
{
	return owner->route;
}

struct rl_text rl_owner_prefix(const struct rl_owner *owner)
{
	return owner->prefix;
}

const char *rl_owner_servers(const struct rl_owner *owner)
{
	return owner->route->name;
}
