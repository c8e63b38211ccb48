#include "attempt.h"
#include "../owner/internal.h"

/* the flag outlives the waiter's next ask by this, since that may be late */
#define FLAG_SLACK (3 * RL_SECOND / 2)

void rl_attempt_begin_step(struct rl_attempt *attempt)
{
	attempt->deadline = rl_owner_deadline(attempt->owner, rl_now());
}

int64_t rl_attempt_flag_ms(const struct rl_attempt *attempt)
{
	rl_time next = rl_time_earlier(attempt->until - rl_now(), RL_LONGEST_GAP);

	return (next + FLAG_SLACK) / RL_MILLISECOND;
}

enum rl_status rl_attempt_release_own(struct rl_attempt *attempt, int64_t flag_ms, rl_time deadline,
	struct rl_session *session, struct rl_error *error)
{
	struct rl_owner *owner = attempt->owner;

	if (!owner->backend->is_to_repeat(owner, attempt->lease)) {
		return RL_OK;
	}
	rl_session_end(session);
	owner->backend->repeat(owner, &attempt->lease->keys, deadline, NULL);
	return owner->backend->ask(attempt, flag_ms, deadline, session, error);
}

enum rl_status rl_attempt_renew_token(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_owner *owner = attempt->owner;
	struct rl_lease *old = attempt->lease;
	enum rl_status status = rl_lease_new_like(owner->prefix, old, &attempt->lease, error);

	if (status != RL_OK) {
		attempt->lease = old;
		return status;
	}
	attempt->maybe_held = attempt->was_lost = false;
	rl_lease_forget_fences(old);
	owner->backend->discard(owner, old, true);
	return RL_OK;
}

bool rl_attempt_may_retry(const struct rl_attempt *attempt, enum rl_status failure)
{
	return failure == RL_UNREACHABLE || (failure == RL_REFUSED && attempt->is_transient);
}

bool rl_attempt_is_first(const struct rl_attempt *attempt)
{
	return !attempt->grant.ours && attempt->grant.place == RL_PLACE_ROOM
		&& attempt->lease->keys.text[RL_KEY_ROOM];
}

static enum rl_status run(struct rl_attempt *attempt, struct rl_step *step)
{
	struct rl_owner *owner = attempt->owner;
	struct rl_outcome ignored;
	struct rl_error error;

	rl_attempt_begin_step(attempt);
	return owner->backend->run(owner->route, step, attempt->deadline, &ignored, &error);
}

/* Takes the lock if it is free, and gives it back, which tells the next waiter. */
static void ask_for_the_next(struct rl_attempt *attempt)
{
	struct rl_owner *owner = attempt->owner;
	struct rl_session session;
	struct rl_error ignored;
	struct rl_step step = { RL_STEP_TAKE_BACK, .lease = attempt->lease };

	rl_attempt_begin_step(attempt);
	if (owner->backend->ask(attempt, 0, attempt->deadline, &session, &ignored) != RL_OK) {
		return;
	}
	rl_session_end(&session);
	if (attempt->grant.ours) {
		attempt->maybe_held |= run(attempt, &step) != RL_OK;
		attempt->grant.ours = false;
	}
}

void rl_attempt_pass_on(struct rl_attempt *attempt, struct rl_text heard)
{
	struct rl_step step = { RL_STEP_PASS_ON, .lease = attempt->lease, .text = heard };

	if (heard.data[0] == '~') {
		run(attempt, &step);
	} else if (!attempt->grant.ours && !attempt->detached) {
		ask_for_the_next(attempt);
	}
}

void rl_attempt_leave_turnstile(struct rl_attempt *attempt)
{
	struct rl_step step = { RL_STEP_LEAVE_TURNSTILE, .lease = attempt->lease };

	run(attempt, &step);
}
