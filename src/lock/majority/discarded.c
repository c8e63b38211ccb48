/*
 * Leases that are over: what a node may still hold of one is released there, without anybody
 * waiting. A release that could not be sent, or whose answer did not come, is sent again at the
 * next contact. Every take has a token of its own, so this never frees another.
 */
#include "late.h"

static bool is_over(const struct rl_late *late)
{
	return late->out == 0 && (!rl_lease_is_own(late->answers.lease) || late->to_send == 0);
}

/* Sends what is to be sent and can be at once; forgets what is over. */
static void send_all(struct rl_owner *owner)
{
	struct rl_table_entry **link = &owner->discarded;

	while (*link) {
		struct rl_late *late = rl_late_of((struct rl_lease *)*link);

		if (rl_lease_is_own(late->answers.lease)) {
			rl_majority_release_unheard(owner->route, late);
		}
		if (is_over(late)) {
			rl_owner_drop_discarded(link);
		} else {
			link = &(*link)->next;
		}
	}
}

bool rl_majority_has_discarded(struct rl_owner *owner, const struct rl_lease *taken)
{
	for (struct rl_table_entry *entry = owner->discarded; entry; entry = entry->next) {
		const struct rl_late *late = rl_late_of((struct rl_lease *)entry);

		if (late->release.copies_out & (late->out | late->to_send)
			&& rl_lease_is_alike(late->answers.lease, taken)) {
			return true;
		}
	}
	return false;
}

/* Without memory to remember it, its expiry must free it. */
static void keep(struct rl_owner *owner, struct rl_lease *lease)
{
	struct rl_late *late = rl_late_begin_release(owner->route, lease);

	if (!late) {
		rl_lease_free(lease);
		return;
	}
	late->kept = true;
	late->to_send |= rl_holding_nodes(lease) & ~late->out;
	rl_owner_add_discarded(owner, lease);
	rl_majority_release_unheard(owner->route, late);
}

/* The lease's holdings tell what may be held. */
void rl_majority_discard(struct rl_owner *owner, struct rl_lease *lease, bool maybe_held)
{
	const struct rl_late *late = rl_late_of(lease);

	if (rl_lease_is_own(lease) && (rl_holding_nodes(lease) || (late && late->out))) {
		keep(owner, lease);
	} else {
		rl_lease_free(lease);
	}
}

static uint32_t unsent(const struct rl_owner *owner)
{
	uint32_t nodes = 0;

	for (struct rl_table_entry *entry = owner->discarded; entry; entry = entry->next) {
		const struct rl_late *late = rl_late_of((struct rl_lease *)entry);

		nodes |= rl_lease_is_own(late->answers.lease) ? late->to_send & ~late->out : 0;
	}
	return nodes;
}

/*
 * There is no next contact: what could not be sent yet is sent now. A missing connection has a
 * tenth of a call's time, so that a node that is down costs each owner's end no more than that.
 */
static void open_missing(struct rl_owner *owner, rl_time deadline)
{
	rl_time now = rl_now(), until = now + owner->route->timeout / 10;
	uint32_t nodes = unsent(owner);

	if (nodes && now < deadline) {
		rl_broadcast_open(owner->route, nodes, rl_time_earlier(until, deadline));
	}
}

/*
 * All nodes have all locks, whatever is near. It is no error if some refuse: a minority keeps
 * nobody out.
 */
enum rl_status rl_majority_release_discarded(struct rl_owner *owner, const struct rl_keys *near,
	rl_time deadline, struct rl_error *error)
{
	if (owner->ends && !near) {
		open_missing(owner, deadline);
	}
	send_all(owner);
	return RL_OK;
}
