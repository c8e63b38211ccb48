/*
 * Asks all nodes what they hold: what more than half of them hold alike is the answer.
 */
#include "majority.h"

#include <string.h>

struct looking {
	struct rl_step step;
	size_t needed, count;
	size_t nodes[RL_NODES_MAX]; /* that have answered, and what they hold */
	struct rl_state states[RL_NODES_MAX];
};

static const struct rl_call *call_look(void *context, size_t node, size_t index)
{
	struct looking *looking = context;

	(void)index;
	return rl_holding_call(&looking->step, node);
}

static bool hear_look(void *context, size_t node, size_t index, const struct rl_reply *reply, bool again)
{
	struct looking *looking = context;
	struct rl_state *state = &looking->states[looking->count];

	(void)index;
	(void)again;
	if (rl_state_read(state, reply) != RL_OK) {
		return false;
	}
	looking->nodes[looking->count++] = node;
	return true;
}

/* Free where nobody has it. The values are only compared: with a token both have its secret. */
static bool are_alike(const struct rl_state *a, const struct rl_state *b)
{
	if (a->left_ms == -2 || b->left_ms == -2) {
		return a->left_ms == b->left_ms;
	}
	return a->value_length == b->value_length && !a->value == !b->value
		&& (!a->value || memcmp(a->value, b->value, a->value_length) == 0);
}

/* The one that most see alike, and how many they are. */
static size_t most_seen(const struct looking *looking, size_t *which)
{
	size_t most = 0;

	for (size_t i = 0; i < looking->count; i++) {
		size_t alike = 0;

		for (size_t j = 0; j < looking->count; j++) {
			alike += are_alike(&looking->states[i], &looking->states[j]);
		}
		if (alike > most) {
			most = alike;
			*which = i;
		}
	}
	return most;
}

static bool decide_look(void *context, size_t open)
{
	const struct looking *looking = context;
	size_t which = 0, most = most_seen(looking, &which);

	return most >= looking->needed || (looking->count >= looking->needed && most + open < looking->needed);
}

/* The least time that any of those gives it; -1: for ever. */
static int64_t least_left(const struct looking *looking, const struct rl_state *seen)
{
	int64_t least = -1;

	for (size_t i = 0; i < looking->count; i++) {
		const struct rl_state *state = &looking->states[i];

		if (are_alike(state, seen) && state->left_ms >= 0 && (least < 0 || state->left_ms < least)) {
			least = state->left_ms;
		}
	}
	return least;
}

/* Which nodes say the same, and which have said nothing yet. */
static void note_nodes(const struct looking *looking, struct rl_state *seen, uint32_t all)
{
	seen->silent = all;
	for (size_t i = 0; i < looking->count; i++) {
		uint32_t bit = (uint32_t)1 << looking->nodes[i];

		seen->silent &= ~bit;
		seen->holders |= are_alike(&looking->states[i], seen) ? bit : 0;
	}
}

bool rl_majority_note_holders(struct rl_owner *owner, struct rl_lease *lease, const struct rl_state *state)
{
	if (!rl_holding_begin(lease, owner->route->node_count)) {
		return false;
	}
	for (size_t i = 0; i < lease->holding_count; i++) {
		uint32_t bit = (uint32_t)1 << i;

		lease->holdings[i].state = state->holders & bit ? RL_HOLDING_HELD
			: state->silent & bit                       ? RL_HOLDING_UNKNOWN
														: RL_HOLDING_NONE;
	}
	return true;
}

enum rl_status rl_majority_inspect(struct rl_route *route, const struct rl_keys *keys, rl_time deadline,
	struct rl_state *state, struct rl_error *error)
{
	struct looking looking = { .needed = rl_route_majority_of(route->node_count) };
	struct rl_broadcast broadcast = {
		.route = route,
		.nodes = rl_broadcast_all(route),
		.count = 1,
		.call = call_look,
		.answered = hear_look,
		.decided = decide_look,
		.context = &looking,
	};
	enum rl_status status;
	size_t which = 0;

	rl_protocol_inspect(&looking.step, keys);
	status = rl_broadcast_run(&broadcast, deadline, error);
	*state = (struct rl_state){ .left_ms = -2 };
	if (status == RL_OK && most_seen(&looking, &which) >= looking.needed) {
		*state = looking.states[which];
		state->fence = 0;
		if (state->left_ms != -2) {
			state->left_ms = least_left(&looking, &looking.states[which]);
			note_nodes(&looking, state, broadcast.nodes);
		}
		looking.states[which].value = NULL; /* the caller's now */
	}
	for (size_t i = 0; i < looking.count; i++) {
		rl_state_clear(&looking.states[i]);
	}
	return status;
}
