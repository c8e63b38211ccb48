/*
 * Asks all nodes what they hold: what more than half of them hold alike is the answer. Grants with
 * one token are alike: of a name's, each may have been made by another process.
 */
#include "majority.h"

#include <stdlib.h>
#include <string.h>

/* What the nodes say of one lock. */
struct lock {
	size_t count;               /* of nodes that have answered: */
	size_t nodes[RL_NODES_MAX]; /* which, and what they hold */
	struct rl_lock_state states[RL_NODES_MAX];
};

struct looking {
	const struct rl_batch_item *items;
	struct lock *locks;
	struct rl_words words;
	size_t needed;
};

static const struct rl_call *call_look(void *context, size_t node, size_t index)
{
	struct looking *looking = context;

	return rl_step_form(&looking->words, looking->items[index].step);
}

static bool read_look(
	void *context, size_t node, size_t index, const struct rl_reply *reply, bool resent)
{
	struct looking *looking = context;
	struct lock *lock = &looking->locks[index];

	if (rl_lock_state_read(&lock->states[lock->count], reply) != RL_OK) {
		return false;
	}
	lock->nodes[lock->count++] = node;
	return true;
}

/* The values are only compared: with a token both have its secret. */
static bool are_same(const struct rl_lock_state *a, const struct rl_lock_state *b)
{
	return a->value_length == b->value_length && !a->value == !b->value
		&& (!a->value || memcmp(a->value, b->value, a->value_length) == 0);
}

/* Without data: it is no grant of ours. */
static struct rl_text token_of(const struct rl_lock_state *state)
{
	return rl_token_read_value(rl_lock_state_value(state)).token;
}

/*
 * Free where nobody has it. Shares keep others out whoever has them: they were taken on single
 * servers.
 */
static bool are_alike(const struct rl_lock_state *a, const struct rl_lock_state *b)
{
	struct rl_text token = token_of(a);

	if (a->left_ms == -2 || b->left_ms == -2) {
		return a->left_ms == b->left_ms;
	}
	return token.data ? rl_text_is(token_of(b), token) : are_same(a, b);
}

/* The one that most see alike, and how many they are. */
static size_t most_seen(const struct lock *lock, size_t *which)
{
	size_t most = 0;

	for (size_t i = 0; i < lock->count; i++) {
		size_t alike = 0;

		for (size_t j = 0; j < lock->count; j++) {
			alike += are_alike(&lock->states[i], &lock->states[j]);
		}
		if (alike > most) {
			most = alike;
			*which = i;
		}
	}
	return most;
}

static bool is_decided(void *context, size_t index, size_t open)
{
	const struct looking *looking = context;
	const struct lock *lock = &looking->locks[index];
	size_t which = 0, most = most_seen(lock, &which);

	return most >= looking->needed
		|| (lock->count >= looking->needed && most + open < looking->needed);
}

/* The least time that any of those gives it; -1: for ever. */
static int64_t least_left(const struct lock *lock, const struct rl_lock_state *seen)
{
	int64_t least = -1;

	for (size_t i = 0; i < lock->count; i++) {
		const struct rl_lock_state *state = &lock->states[i];

		if (are_alike(state, seen) && state->left_ms >= 0
			&& (least < 0 || state->left_ms < least)) {
			least = state->left_ms;
		}
	}
	return least;
}

/* Which nodes say so, too, and which have said nothing yet. */
static void note_nodes(const struct lock *lock, struct rl_holdings *holdings,
	const struct rl_lock_state *seen, uint32_t all)
{
	*holdings = (struct rl_holdings){ .unknown = all };
	for (size_t i = 0; i < lock->count; i++) {
		uint32_t bit = rl_broadcast_bit(lock->nodes[i]);

		holdings->unknown &= ~bit;
		if (are_alike(&lock->states[i], seen)) {
			holdings->held |= bit;
			holdings->fences[lock->nodes[i]] = lock->states[i].fence;
		}
	}
}

/* What a majority sees alike; otherwise it is free. */
static void conclude(
	const struct looking *looking, struct lock *lock, uint32_t all, struct rl_lock_state *state)
{
	size_t which = 0;

	*state = (struct rl_lock_state){ .left_ms = -2 };
	if (most_seen(lock, &which) >= looking->needed) {
		*state = lock->states[which];
		state->fence = 0;
		if (state->left_ms != -2) {
			state->left_ms = least_left(lock, &lock->states[which]);
			note_nodes(lock, &state->holdings, &lock->states[which], all);
		}
		lock->states[which].value = NULL; /* the caller's now */
	}
}

static void clear(struct lock *lock)
{
	for (size_t i = 0; i < lock->count; i++) {
		rl_lock_state_clear(&lock->states[i]);
	}
}

static enum rl_status ask(
	struct looking *looking, const struct rl_batch *batch, rl_time deadline)
{
	struct rl_broadcast broadcast = {
		.route = batch->route,
		.nodes = rl_broadcast_all(batch->route),
		.count = batch->count,
		.call = call_look,
		.answered = read_look,
		.decided = is_decided,
		.context = looking,
		.everywhere = batch->items->step->everywhere,
	};

	return rl_broadcast_run(&broadcast, deadline, batch->error);
}

/* Of many, what stays open is looked at by itself, for which half of the time is left. */
enum rl_status rl_majority_inspect(struct rl_batch *batch)
{
	bool are_many = batch->count > 1;
	struct looking looking = {
		.items = batch->items,
		.locks = calloc(batch->count, sizeof *looking.locks),
		.needed = rl_route_majority_of(batch->route->node_count),
	};
	enum rl_status status;

	if (!looking.locks) {
		return rl_fail_for_memory(batch->error);
	}
	status = ask(&looking, batch,
		are_many ? rl_time_half_way(rl_now(), batch->deadline) : batch->deadline);
	for (size_t i = 0; i < batch->count; i++) {
		struct rl_batch_item *item = &batch->items[i];

		item->answered = is_decided(&looking, i, 0);
		if (item->answered) {
			conclude(&looking, &looking.locks[i], rl_broadcast_all(batch->route), &item->state);
		}
		clear(&looking.locks[i]);
	}
	free(looking.locks);
	return are_many ? RL_OK : status;
}
