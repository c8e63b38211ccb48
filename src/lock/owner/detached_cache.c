#include "detached_cache.h"

static void forget(struct rl_owner *owner, struct rl_lease *lease)
{
	rl_detached_cache_remove(owner, lease);
	owner->backend->forget(lease);
}

static bool is_parents(const struct rl_lease *lease)
{
	return lease->generation != rl_system_generation();
}

static bool is_over(const struct rl_lease *lease)
{
	return is_parents(lease) || rl_now() >= lease->safe_until;
}

static struct rl_lease *find(struct rl_owner *owner, struct rl_text key)
{
	struct rl_lease *lease = (struct rl_lease *)rl_table_find(&owner->detached_cache, key);

	if (lease && is_over(lease)) {
		forget(owner, lease);
		return NULL;
	}
	return lease;
}

struct rl_lease *rl_detached_cache_find(struct rl_owner *owner, struct rl_text key, struct rl_text holder)
{
	struct rl_lease *lease = find(owner, key);

	return lease && rl_text_is(rl_token_holder(&lease->token), holder) ? lease : NULL;
}

/* Those that are over end first. */
static struct rl_lease *first_to_end(const struct rl_table *table)
{
	struct rl_lease *first = NULL;

	for (size_t i = 0; i < table->size; i++) {
		for (struct rl_table_entry *entry = table->buckets[i]; entry; entry = entry->next) {
			struct rl_lease *lease = (struct rl_lease *)entry;

			if (!first || lease->safe_until < first->safe_until) {
				first = lease;
			}
		}
	}
	return first;
}

void rl_detached_cache_add(struct rl_owner *owner, struct rl_lease *lease)
{
	struct rl_lease *former = find(owner, lease->entry.key);

	if (former && former->is_share && !rl_text_is(rl_token_holder(&former->token), rl_token_holder(&lease->token))) {
		forget(owner, former); /* another name's, which has its share still */
	} else if (former) {
		/* It has ended, since the lock is ours now. */
		rl_detached_cache_remove(owner, former);
		owner->backend->discard(owner, former, false);
	}
	if (owner->detached_cache.count >= RL_DETACHED_CACHE_MAX) {
		forget(owner, first_to_end(&owner->detached_cache));
	}
	if (rl_table_reserve(&owner->detached_cache)) {
		rl_table_add(&owner->detached_cache, &lease->entry);
	} else {
		owner->backend->forget(lease);
	}
}

void rl_detached_cache_remove(struct rl_owner *owner, struct rl_lease *lease)
{
	rl_table_remove(&owner->detached_cache, &lease->entry);
}

void rl_detached_cache_clear(struct rl_owner *owner)
{
	struct rl_table_entry *next;

	for (struct rl_table_entry *entry = rl_table_take_all(&owner->detached_cache); entry; entry = next) {
		next = entry->next;
		owner->backend->forget((struct rl_lease *)entry);
	}
	rl_table_free(&owner->detached_cache);
}
