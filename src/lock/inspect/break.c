/*
 * Administration: freeing a lock whoever holds it. We look first and then break just that grant, so
 * that a request sent twice can never break the lock of whoever came after. A lock that has changed
 * hands in between is still held: then we look again.
 */
#include "holder.h"
#include "../../base/poll.h"
#include "../waiter.h"

#include <stdlib.h>
#include <string.h>

#define SAME_MAX   5                     /* looks that see the same as the one before */
#define LOOK_PAUSE (10 * RL_MILLISECOND) /* before the next look at a lock that has changed hands */

/* What came of a look, and of breaking what it saw. */
struct round {
	bool broken; /* something was */
	/* what was seen had ended before it could be broken, or there may be more */
	bool again;
	char saw[RL_WAITER_HASH]; /* stands for what was seen */
};

/* RL_NO: what was seen has ended, or is another grant by now. */
static enum rl_status run_break(
	struct rl_owner *owner, struct rl_step *step, rl_time deadline, struct rl_error *error)
{
	struct rl_outcome outcome;
	enum rl_status status = rl_owner_run(owner, step, deadline, &outcome, error);

	return status == RL_OK && outcome.answer != RL_ANSWER_OURS && !step->doubt.copy_out ? RL_NO
																						: status;
}

/* --- an exclusive lock --- */

/*
 * Shares on the nodes of a majority go all at once, too: what L holds of them is alike everywhere.
 */
static enum rl_status break_grant(struct rl_owner *owner, struct rl_lease *names,
	const struct rl_lock_state *seen, rl_time deadline, struct rl_error *error)
{
	struct rl_text value = seen->value ? rl_lock_state_value(seen) : rl_text_of("");
	struct rl_step step = { RL_STEP_BREAK, .lease = names, .text = value };

	rl_lock_state_note(seen, names);
	return run_break(owner, &step, deadline, error);
}

/* --- shares --- */

#define SHARES    16 /* at once */
#define TOKEN_MAX 600

struct shares {
	int64_t fence; /* of the one that is to be broken; 0: all */
	bool held;     /* somebody has one: then a cooldown is not shown, and no fence breaks it */
	size_t count;
	struct {
		char token[TOKEN_MAX];
		size_t length;
		int64_t fence;
	} of[SHARES];
};

static bool note_share(void *context, const struct rl_share *share)
{
	struct shares *shares = context;

	shares->held |= share->holder.kind != RL_HOLDER_COOLDOWN;
	if ((shares->fence && shares->fence != share->holder.fence)
		|| share->token.length > TOKEN_MAX) {
		return true;
	}
	memcpy(shares->of[shares->count].token, share->token.data, share->token.length);
	shares->of[shares->count].length = share->token.length;
	shares->of[shares->count].fence = share->holder.fence;
	return ++shares->count < SHARES;
}

static enum rl_status break_share(struct rl_owner *owner, struct rl_lease *names,
	struct rl_text token, int64_t fence, rl_time deadline, struct rl_error *error)
{
	struct rl_step step = {
		RL_STEP_BREAK_SHARE, .lease = names, .text = token, .fence = fence
	};

	return run_break(owner, &step, deadline, error);
}

static bool is_cooldown(const struct shares *shares)
{
	return rl_text_equals((struct rl_text){ shares->of[0].token, shares->of[0].length }, "-");
}

/* RL_NO: there was none. `more`: not all that were told have been broken, or not all were told. */
static enum rl_status break_those(struct shares *shares, struct rl_owner *owner,
	struct rl_lease *names, rl_time deadline, struct round *round, struct rl_error *error)
{
	int64_t fence = shares->fence;
	bool *more = &round->again;
	struct rl_share_reader reader = { .tell = note_share, .context = shares };
	enum rl_status status = rl_holder_find_shares(
		owner, &names->keys, deadline, &reader, error);

	if (status == RL_NO && fence == 0) {
		/* their set was evicted */
		status = break_share(owner, names, rl_text_of("+"), 0, deadline, error);
		*more = status == RL_NO;
		round->broken = status == RL_OK;
		return status;
	}
	if (status == RL_OK && (shares->count == 0 || (fence && shares->held && is_cooldown(shares)))) {
		return RL_NO;
	}
	*more = shares->count == SHARES;
	rl_waiter_hash(round->saw, (struct rl_text){ (const char *)shares->of, sizeof shares->of });
	for (size_t i = 0; status == RL_OK && i < shares->count; i++) {
		struct rl_text token = { shares->of[i].token, shares->of[i].length };

		status = break_share(owner, names, token, shares->of[i].fence, deadline, error);
		round->broken |= status == RL_OK;
		if (status == RL_NO && fence == 0) {
			*more = true;
			status = RL_OK;
		}
	}
	return status;
}

static enum rl_status break_shares(struct rl_owner *owner, struct rl_lease *names, int64_t fence,
	rl_time deadline, struct round *round, struct rl_error *error)
{
	struct shares *shares = calloc(1, sizeof *shares); /* too much for a fiber's stack */
	enum rl_status status;

	if (!shares) {
		return rl_fail_for_memory(error);
	}
	shares->fence = fence;
	status = break_those(shares, owner, names, deadline, round, error);
	free(shares);
	return status;
}

/* --- either --- */

/* A grant's fence changes with its length. */
static void note_state(const struct rl_lock_state *state, struct round *round)
{
	rl_waiter_hash(round->saw,
		state->value ? rl_lock_state_value(state) : rl_text_of(""));
	for (size_t i = 0; i < sizeof state->fence; i++) {
		round->saw[i] ^= (char)(state->fence >> 8 * i);
	}
}

static bool is_shared(const struct rl_lock_state *state)
{
	return rl_token_read_value(rl_lock_state_value(state)).kind == RL_VALUE_SHARED;
}

static enum rl_status look_and_break(struct rl_owner *owner, struct rl_lease *names, int64_t fence,
	rl_time deadline, struct round *round, struct rl_error *error)
{
	struct rl_lock_state state;
	enum rl_status status = rl_owner_inspect(owner, &names->keys, true, deadline, &state, error);

	*round = (struct round){ .again = false };
	if (status != RL_OK) {
		return status;
	}
	if (state.left_ms == -2) {
		status = RL_NO;
	} else if (is_shared(&state) && owner->backend->can_share) {
		status = break_shares(owner, names, fence, deadline, round, error);
	} else if (fence && state.fence != fence) {
		status = RL_NO;
	} else {
		status = break_grant(owner, names, &state, deadline, error);
		round->again = status == RL_NO;
		round->broken = status == RL_OK;
		note_state(&state, round);
	}
	rl_lock_state_clear(&state);
	return status;
}

static enum rl_status fail_to_catch(struct rl_owner *owner, struct rl_error *error)
{
	return rl_fail(error, RL_UNREACHABLE,
		"Redis at %s: the lock changed hands after each look at it, until the deadline; break it again",
		owner->route->name);
}

/* What stays the same and cannot be broken does not change hands. */
static enum rl_status fail_to_read(struct rl_owner *owner, struct rl_error *error)
{
	return rl_fail(error, RL_MISUSE,
		"Redis at %s: the lock does not end, though nobody takes it: one of its keys has a number that is not rlock's; delete them",
		owner->route->name);
}

enum rl_status rl_owner_break(
	struct rl_owner *owner, struct rl_text key, int64_t fence, struct rl_error *error)
{
	struct rl_lease_terms terms = {
		.prefix = owner->prefix, .name = key, .nobody = true, .is_share = true
	};
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	enum rl_status status = rl_holder_begin(owner, key, error);
	struct round round = { .again = true }, before;
	bool broken = false;
	size_t same = 0;

	while (status == RL_OK && round.again) {
		struct rl_lease *names; /* by whose RANDOM the request is known; each look needs another */

		status = rl_lease_new(&terms, &names, error);
		if (status != RL_OK) {
			break;
		}
		before = round;
		status = look_and_break(owner, names, fence, deadline, &round, error);
		rl_lease_free(names);
		broken |= round.broken;
		if (!round.again || (status != RL_OK && status != RL_NO)) {
			break;
		}
		same = !round.broken && memcmp(round.saw, before.saw, sizeof round.saw) == 0 ? same + 1 : 0;
		if (same == SAME_MAX) {
			return fail_to_read(owner, error);
		}
		if (rl_now() >= deadline) {
			return fail_to_catch(owner, error);
		}
		if (!round.broken && rl_polls_pause(rl_now() + LOOK_PAUSE) != RL_WANTED) {
			return rl_fail_unwanted(error);
		}
		status = RL_OK;
	}
	return status == RL_NO && broken ? RL_OK : status;
}
