#include "majority.h"
#include "leftover.h"

#include <stdlib.h>
#include <string.h>

/* --- shares --- */

/* Hears of a grant that was not waited for: what that node holds is known then. */
struct rl_late_grant {
	struct rl_deferred deferred;
	struct rl_share *share; /* NULL: the lease is gone */
};

static void read_grant(struct rl_share *share, const struct rl_reply *reply);

static void settle_grant(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct rl_late_grant *late = (struct rl_late_grant *)deferred;

	if (late->share) {
		late->share->late = NULL;
		if (reply && reply->type == RL_REPLY_ARRAY) {
			read_grant(late->share, reply);
		}
	}
	free(late);
}

static struct rl_deferred *late_grant(struct rl_share *share)
{
	struct rl_late_grant *late = malloc(sizeof *late);

	share->state = RL_SHARE_UNKNOWN;
	if (!late) {
		return NULL;
	}
	*late = (struct rl_late_grant){ .deferred = { .on_reply = settle_grant }, .share = share };
	share->late = late;
	return &late->deferred;
}

bool rl_lease_share(struct rl_lease *lease, size_t node_count)
{
	lease->shares = calloc(node_count, sizeof *lease->shares);
	if (!lease->shares) {
		return false;
	}
	lease->share_count = node_count;
	for (size_t i = 0; i < node_count; i++) {
		memcpy(lease->shares[i].fence_text, "0", 2);
	}
	return true;
}

void rl_lease_unshare(struct rl_lease *lease)
{
	for (size_t i = 0; i < lease->share_count; i++) {
		if (lease->shares[i].late) {
			lease->shares[i].late->share = NULL;
		}
	}
	free(lease->shares);
}

uint32_t rl_lease_nodes(const struct rl_lease *lease)
{
	uint32_t nodes = 0;

	for (size_t i = 0; i < lease->share_count; i++) {
		nodes |= lease->shares[i].state == RL_SHARE_NONE ? 0 : (uint32_t)1 << i;
	}
	return nodes;
}

/* Those that were sent a grant's question, and have said neither yes nor no; and those where a sending was lost. */
static void mark_unheard(struct rl_lease *lease, const struct rl_broadcast *broadcast, uint32_t heard, rl_time deadline)
{
	uint32_t unheard = broadcast->sent & ~heard;

	for (size_t i = 0; i < lease->share_count; i++) {
		struct rl_share *share = &lease->shares[i];

		share->lost = broadcast->unanswered & (uint32_t)1 << i;
		/* That it is busy says nothing of the sending that was lost. */
		if (unheard & (uint32_t)1 << i || (share->lost && share->state == RL_SHARE_NONE)) {
			share->state = RL_SHARE_UNKNOWN;
		}
	}
	if (unheard | broadcast->unanswered) {
		lease->copies_until = deadline + broadcast->route->timeout; /* we know their clocks within that */
	}
}

/* The answer of acquire, {1, fence} or {0, left}, or of replace: {1, fence as text, left} or {why not}. */
static void read_grant(struct rl_share *share, const struct rl_reply *reply)
{
	const struct rl_reply *fence = reply->count > 1 ? &reply->elements[1] : NULL;

	if (reply->count == 0 || reply->elements[0].type != RL_REPLY_INTEGER || reply->elements[0].integer != 1) {
		share->state = RL_SHARE_NONE;
		return;
	}
	share->state = RL_SHARE_HELD;
	if (fence && fence->type == RL_REPLY_INTEGER) {
		rl_fence_print(share->fence_text, fence->integer);
	} else if (fence && fence->type == RL_REPLY_STRING && fence->length < RL_FENCE_SIZE) {
		memcpy(share->fence_text, fence->text, fence->length + 1);
	}
}

/* --- votes --- */

static bool is_ours(enum rl_answer answer)
{
	return answer == RL_ANSWER_OURS || answer == RL_ANSWER_PASSED;
}

/*
 * A node that never granted the lock has no vote on its end. One of which we have not heard whether it did has one
 * only by having the lock: what else it says is what it would say if it had never heard of us. And if a copy of the take
 * may have come there when the lease was over, having the lock tells nothing. `asked_at`: or the moment of the answer.
 */
static bool has_vote(const struct rl_lease *lease, size_t node, enum rl_answer answer, rl_time asked_at)
{
	const struct rl_share *share = &lease->shares[node];

	if (is_ours(answer) && (share->lost || share->state == RL_SHARE_UNKNOWN) && rl_lease_is_outlived(lease, asked_at)) {
		return false;
	}
	return share->state == RL_SHARE_HELD || (share->state == RL_SHARE_UNKNOWN && is_ours(answer));
}

/* --- taking --- */

struct ask {
	struct rl_lease *lease;
	struct rl_step step;
	size_t needed, granted, busy;
	uint32_t heard;                /* nodes that have answered */
	int64_t left_ms[RL_NODES_MAX]; /* of those where it is busy */
};

static const struct rl_call *call_ask(void *context, size_t node, size_t index)
{
	struct ask *ask = context;

	(void)index;
	return rl_step_for(&ask->step, node);
}

static bool hear_ask(void *context, size_t node, size_t index, const struct rl_reply *reply, bool again)
{
	struct ask *ask = context;
	struct rl_grant grant;

	(void)index;
	(void)again;
	if (!rl_grant_parse(reply, &grant)) {
		return false;
	}
	read_grant(&ask->lease->shares[node], reply);
	ask->heard |= (uint32_t)1 << node;
	if (grant.ours) {
		ask->granted++;
	} else {
		ask->left_ms[ask->busy++] = grant.busy_ms < 0 ? INT64_MAX : grant.busy_ms;
	}
	return true;
}

static bool decide_ask(void *context, size_t open)
{
	const struct ask *ask = context;

	return ask->granted >= ask->needed
		|| (ask->granted + open < ask->needed && ask->granted + ask->busy >= ask->needed);
}

static struct rl_deferred *late_ask(void *context, size_t node, size_t index)
{
	struct ask *ask = context;

	(void)index;
	return late_grant(&ask->lease->shares[node]);
}

static int compare_times(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

/* When a majority will be free at the latest, if nobody gives back; 0: nobody has a majority now; -1: never. */
static int64_t busy_ms(struct ask *ask)
{
	int64_t left_ms;

	if (ask->busy < ask->needed) {
		return 0;
	}
	qsort(ask->left_ms, ask->busy, sizeof ask->left_ms[0], compare_times);
	left_ms = ask->left_ms[ask->needed - ask->granted - 1];
	return left_ms == INT64_MAX ? -1 : left_ms;
}

/*
 * A lease that was not granted is given back wherever it may be held, and the next try has a token
 * of its own: the release of the old one may come at any time.
 */
static enum rl_status take_back(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_owner *owner = attempt->owner;
	struct rl_lease *old = attempt->lease;
	struct rl_text metadata = rl_token_metadata(&old->token);
	enum rl_status status = rl_lease_new(owner->prefix, owner->prefix_length, old->entry.key.data, old->entry.key.length,
		metadata.data, metadata.length, false, &attempt->lease, error);

	if (status != RL_OK) {
		attempt->lease = old;
		attempt->doubtful = true;
		return status;
	}
	rl_majority_discard(owner, old, true);
	return RL_OK;
}

enum rl_status rl_majority_ask(struct rl_attempt *attempt, rl_time deadline, struct rl_error *error)
{
	struct rl_route *route = attempt->owner->route;
	struct ask ask = { .lease = attempt->lease, .needed = rl_route_majority_of(route->node_count) };
	struct rl_broadcast broadcast = {
		.route = route,
		.nodes = rl_broadcast_all(route),
		.count = 1,
		.call = call_ask,
		.answered = hear_ask,
		.decided = decide_ask,
		.late = late_ask,
		.context = &ask,
		.to_take = true,
	};
	struct rl_error ignored;
	enum rl_status status;

	if (!rl_lease_share(attempt->lease, route->node_count)) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	rl_step_acquire(&ask.step, attempt->lease, attempt->lease_ms, 0, NULL);
	status = rl_broadcast_run(&broadcast, deadline, error);
	mark_unheard(attempt->lease, &broadcast, ask.heard, deadline);
	attempt->asked_at = broadcast.sent_at;
	attempt->answered_at = rl_now();
	attempt->grant = (struct rl_grant){ .ours = status == RL_OK && ask.granted >= ask.needed };
	if (attempt->grant.ours) {
		return RL_OK;
	}
	attempt->grant.busy_ms = busy_ms(&ask);
	return status == RL_OK ? take_back(attempt, error) : (take_back(attempt, &ignored), status);
}

/* --- steps that are answered by a number --- */

struct poll {
	struct rl_step *step;
	struct rl_tally tally;
};

static const struct rl_call *call_step(void *context, size_t node, size_t index)
{
	struct poll *poll = context;

	(void)index;
	return rl_step_for(poll->step, node);
}

static bool read_answer(const struct rl_reply *reply, enum rl_answer *answer)
{
	*answer = (enum rl_answer)reply->integer;
	return reply->type == RL_REPLY_INTEGER && reply->integer >= RL_ANSWER_OTHER && reply->integer <= RL_ANSWER_PASSED;
}

static bool hear_step(void *context, size_t node, size_t index, const struct rl_reply *reply, bool again)
{
	struct poll *poll = context;
	enum rl_answer answer;

	(void)index;
	(void)again;
	if (!read_answer(reply, &answer)) {
		return false;
	}
	if (!poll->step->shared || has_vote(poll->step->shared, node, answer, rl_now())) {
		rl_tally_count(&poll->tally, answer);
	}
	return true;
}

static bool decide_step(void *context, size_t open)
{
	const struct poll *poll = context;
	enum rl_answer ignored;

	return rl_tally_decide(&poll->tally, open, &ignored);
}

static uint32_t nodes_of(const struct rl_route *route, const struct rl_step *step)
{
	return step->shared ? rl_lease_nodes(step->shared) : rl_broadcast_all(route);
}

/* What came of sending it, for who reads a call's members. */
static enum rl_status note(struct rl_step *step, const struct rl_broadcast *broadcast, enum rl_status status)
{
	if (step->call.unanswered == 0) {
		step->call.sent_at = broadcast->sent_at ? broadcast->sent_at : rl_now();
	}
	step->call.unanswered += broadcast->unanswered != 0;
	step->call.maybe_done = status != RL_OK && broadcast->sent;
	return status;
}

enum rl_status rl_majority_step(struct rl_route *route, struct rl_step *step, rl_time deadline,
	enum rl_answer *answer, struct rl_error *error)
{
	struct poll poll = { .step = step };
	struct rl_broadcast broadcast = {
		.route = route,
		.nodes = nodes_of(route, step),
		.count = 1,
		.call = call_step,
		.answered = hear_step,
		.decided = decide_step,
		.context = &poll,
	};
	enum rl_status status;

	rl_tally_begin(&poll.tally, route->node_count);
	status = note(step, &broadcast, rl_broadcast_run(&broadcast, deadline, error));
	if (status == RL_OK) {
		rl_tally_decide(&poll.tally, 0, answer);
	}
	return status;
}

/* --- many of them --- */

#define CHUNK 64

struct chunk {
	struct rl_batch_item *items[CHUNK];
	struct poll polls[CHUNK];
	size_t count;
};

static const struct rl_call *call_chunk(void *context, size_t node, size_t index)
{
	struct chunk *chunk = context;

	return call_step(&chunk->polls[index], node, 0);
}

static bool hear_chunk(void *context, size_t node, size_t index, const struct rl_reply *reply, bool again)
{
	struct chunk *chunk = context;

	return hear_step(&chunk->polls[index], node, 0, reply, again);
}

/* Or all that will answer have. */
static bool decide_chunk(void *context, size_t open)
{
	struct chunk *chunk = context;
	size_t i = 0;

	while (i < chunk->count && decide_step(&chunk->polls[i], open)) {
		i++;
	}
	return i == chunk->count || open == 0;
}

static void run_chunk(struct rl_batch *batch, struct chunk *chunk)
{
	struct rl_broadcast broadcast = {
		.route = batch->route,
		.count = chunk->count,
		.call = call_chunk,
		.answered = hear_chunk,
		.decided = decide_chunk,
		.context = chunk,
		.insist = true,
	};
	struct rl_error ignored;

	for (size_t i = 0; i < chunk->count; i++) {
		chunk->polls[i].step = chunk->items[i]->step;
		rl_tally_begin(&chunk->polls[i].tally, batch->route->node_count);
		broadcast.nodes |= nodes_of(batch->route, chunk->items[i]->step);
	}
	rl_broadcast_run(&broadcast, batch->deadline, &ignored);
	for (size_t i = 0; i < chunk->count; i++) {
		struct rl_batch_item *item = chunk->items[i];

		item->answered = rl_tally_decide(&chunk->polls[i].tally, 0, &item->answer);
		note(item->step, &broadcast, item->answered ? RL_OK : RL_UNREACHABLE);
	}
}

void rl_majority_batch(struct rl_batch *batch)
{
	struct chunk chunk;

	for (size_t i = 0; i < batch->count;) {
		for (chunk.count = 0; i < batch->count && chunk.count < CHUNK; i++) {
			if (rl_batch_wants(batch, i)) {
				chunk.items[chunk.count++] = &batch->items[i];
			}
		}
		if (chunk.count > 0) {
			run_chunk(batch, &chunk);
		}
	}
}

/* --- giving back --- */

struct giving {
	struct rl_owner *owner;
	struct rl_release *releases;
	size_t count;
};

void rl_release_count(struct rl_release *release, size_t node, enum rl_answer answer, bool again)
{
	struct rl_share *share = &release->lease->shares[node];
	uint32_t bit = (uint32_t)1 << node;

	again = again || release->lost & bit;
	if (!(release->counted & bit) && has_vote(release->lease, node, answer, release->sent_at)) {
		release->counted |= bit;
		/* An earlier sending, whose answer was lost, ended our use of it within the lease. */
		rl_tally_count(&release->tally,
			again && release->sent_at < release->lease->safe_until ? RL_ANSWER_OURS : answer);
	}
	share->state = RL_SHARE_NONE; /* whatever it had is gone, and what may be on its way to it finds its token closed */
}

static const struct rl_call *call_release(void *context, size_t node, size_t index)
{
	struct giving *giving = context;

	return rl_step_for(&giving->releases[index].step, node);
}

static bool hear_release(void *context, size_t node, size_t index, const struct rl_reply *reply, bool again)
{
	struct giving *giving = context;
	enum rl_answer answer;

	if (!read_answer(reply, &answer)) {
		return false;
	}
	rl_release_count(&giving->releases[index], node, answer, again);
	return true;
}

/* Several are decided when all that will answer have. */
static bool decide_release(void *context, size_t open)
{
	const struct giving *giving = context;
	enum rl_answer ignored;

	for (size_t i = 0; i < giving->count; i++) {
		if (!rl_tally_decide(&giving->releases[i].tally, open, &ignored)) {
			return open == 0 && giving->count > 1;
		}
	}
	return true;
}

static struct rl_deferred *late_release(void *context, size_t node, size_t index)
{
	struct giving *giving = context;

	return rl_leftover_late(giving->owner, giving->releases[index].lease, node);
}

enum rl_status rl_majority_release(struct rl_owner *owner, struct rl_release *releases, size_t count, rl_time deadline,
	struct rl_error *error)
{
	struct giving giving = { .owner = owner, .releases = releases, .count = count };
	struct rl_broadcast broadcast = {
		.route = owner->route,
		.count = count,
		.call = call_release,
		.answered = hear_release,
		.decided = decide_release,
		.late = late_release,
		.context = &giving,
	};
	enum rl_status status;

	for (size_t i = 0; i < count; i++) {
		broadcast.nodes |= rl_lease_nodes(releases[i].lease);
	}
	broadcast.heard_before = count == 1 ? rl_tally_votes(&releases[0].tally) : 0;
	status = rl_broadcast_run(&broadcast, deadline, error);
	for (size_t i = 0; i < count; i++) {
		releases[i].lost |= broadcast.sent & rl_lease_nodes(releases[i].lease);
	}
	return status;
}

void rl_majority_discard(struct rl_owner *owner, struct rl_lease *lease, bool doubtful)
{
	uint32_t nodes = doubtful ? rl_lease_nodes(lease) : 0;

	if (nodes || lease->leftover) {
		rl_leftover_keep(owner, lease, nodes);
		rl_leftovers_send(owner);
	} else {
		rl_lease_free(lease);
	}
}

/* --- giving away and taking over --- */

struct replacing {
	struct rl_lease *lease;
	struct poll poll;
	uint32_t voters, heard;
	int64_t left_ms; /* the least of those that hold it */
};

/* Whoever gives it away knows the fences of those that granted it; whoever takes it over knows none, and asks all. */
static uint32_t voters_on(const struct rl_route *route, const struct rl_lease *lease)
{
	uint32_t nodes = 0;

	for (size_t i = 0; i < lease->share_count; i++) {
		nodes |= strcmp(lease->shares[i].fence_text, "0") == 0 ? 0 : (uint32_t)1 << i;
	}
	return nodes ? nodes : rl_broadcast_all(route);
}

static const struct rl_call *call_replace(void *context, size_t node, size_t index)
{
	return call_step(&((struct replacing *)context)->poll, node, index);
}

static bool hear_replace(void *context, size_t node, size_t index, const struct rl_reply *reply, bool again)
{
	struct replacing *replacing = context;
	const struct rl_reply *part = reply->elements;
	bool ours;

	(void)index;
	(void)again;
	if (reply->type != RL_REPLY_ARRAY || reply->count == 0 || part[0].type != RL_REPLY_INTEGER) {
		return false;
	}
	ours = part[0].integer == RL_ANSWER_OURS;
	if (ours && (reply->count != 3 || part[1].type != RL_REPLY_STRING || part[2].type != RL_REPLY_INTEGER)) {
		return false;
	}
	read_grant(&replacing->lease->shares[node], reply);
	replacing->heard |= (uint32_t)1 << node;
	if (ours || replacing->voters & (uint32_t)1 << node) {
		rl_tally_count(&replacing->poll.tally, (enum rl_answer)part[0].integer);
	}
	if (ours && rl_lease_told(part[2].integer) < replacing->left_ms) {
		replacing->left_ms = rl_lease_told(part[2].integer);
	}
	return true;
}

static bool decide_replace(void *context, size_t open)
{
	return decide_step(&((struct replacing *)context)->poll, open);
}

static struct rl_deferred *late_replace(void *context, size_t node, size_t index)
{
	(void)index;
	return late_grant(&((struct replacing *)context)->lease->shares[node]);
}

enum rl_status rl_majority_replace(struct rl_route *route, struct rl_step *step, struct rl_lease *lease, rl_time deadline,
	enum rl_answer *answer, int64_t *left_ms, struct rl_error *error)
{
	struct replacing replacing = {
		.lease = lease, .poll = { .step = step }, .voters = voters_on(route, lease), .left_ms = INT64_MAX
	};
	struct rl_broadcast broadcast = {
		.route = route,
		.nodes = rl_broadcast_all(route),
		.count = 1,
		.call = call_replace,
		.answered = hear_replace,
		.decided = decide_replace,
		.late = late_replace,
		.context = &replacing,
		.everywhere = true, /* the new token is used elsewhere, where it may arrive before an answer that is out */
	};
	enum rl_status status;

	rl_tally_begin(&replacing.poll.tally, route->node_count);
	status = note(step, &broadcast, rl_broadcast_run(&broadcast, deadline, error));
	mark_unheard(lease, &broadcast, replacing.heard, deadline);
	if (status == RL_OK) {
		rl_tally_decide(&replacing.poll.tally, 0, answer);
		*left_ms = replacing.left_ms;
	}
	return status;
}

/* --- looking --- */

struct looking {
	struct rl_step *step;
	size_t needed, count;
	struct rl_state states[RL_NODES_MAX];
};

static const struct rl_call *call_look(void *context, size_t node, size_t index)
{
	struct looking *looking = context;

	(void)index;
	return rl_step_for(looking->step, node);
}

static bool hear_look(void *context, size_t node, size_t index, const struct rl_reply *reply, bool again)
{
	struct looking *looking = context;
	struct rl_state *state = &looking->states[looking->count];

	(void)node;
	(void)index;
	(void)again;
	if (!rl_state_parse(reply, state)) {
		return false;
	}
	if (state->value) {
		state->copy = malloc(state->value_length + 1);
		if (!state->copy) {
			return false;
		}
		memcpy(state->copy, state->value, state->value_length);
		state->value = state->copy;
	}
	looking->count++;
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

enum rl_status rl_majority_inspect(struct rl_route *route, struct rl_step *step, rl_time deadline,
	struct rl_state *state, struct rl_error *error)
{
	struct looking looking = { .step = step, .needed = rl_route_majority_of(route->node_count) };
	struct rl_broadcast broadcast = {
		.route = route,
		.nodes = rl_broadcast_all(route),
		.count = 1,
		.call = call_look,
		.answered = hear_look,
		.decided = decide_look,
		.context = &looking,
	};
	enum rl_status status = note(step, &broadcast, rl_broadcast_run(&broadcast, deadline, error));
	size_t which = 0;

	*state = (struct rl_state){ .left_ms = -2 };
	if (status == RL_OK && most_seen(&looking, &which) >= looking.needed) {
		*state = looking.states[which];
		looking.states[which].copy = NULL;
		state->fence = 0;
		if (state->left_ms != -2) {
			state->left_ms = least_left(&looking, state);
		}
	}
	for (size_t i = 0; i < looking.count; i++) {
		free(looking.states[i].copy);
	}
	return status;
}
