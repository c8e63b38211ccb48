#include "attempt.h"
#include "owner/internal.h"
#include "parking.h"

#define SECOND_MS    1000
#define SLEEP_MAX_MS 90000           /* longest time between two asks of a waiter that relies on another's */
#define STAY_MAX_MS  RL_LEASE_MAX_MS /* what for ever is called to others */

enum rl_status rl_attempt_release_own(struct rl_attempt *attempt, int64_t flag_ms, rl_time deadline,
	struct rl_session *session, struct rl_error *error)
{
	struct rl_owner *owner = attempt->owner;
	enum rl_status status = RL_OK;

	if (owner->backend->is_to_repeat(owner, attempt->lease)) {
		rl_session_end(session);
		owner->backend->repeat(owner, &attempt->lease->keys, deadline);
		status = owner->backend->ask(attempt, flag_ms, deadline, session, error);
	}
	if (status == RL_OK && !attempt->grant.ours && attempt->lease->copies_until) {
		status = rl_attempt_renew_token(attempt, error);
		if (status != RL_OK) {
			rl_session_end(session);
		}
	}
	return status;
}

enum rl_status rl_attempt_renew_token(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_owner *owner = attempt->owner;
	struct rl_lease *old = attempt->lease;
	struct rl_lease *lease;
	enum rl_status status = rl_lease_new_like(owner->prefix, old, &lease, error);

	if (status == RL_OK) {
		status = rl_token_renew(&lease->token, error);
		if (status != RL_OK) {
			rl_lease_free(lease);
		}
	}
	attempt->maybe_held = status != RL_OK;
	if (status == RL_OK) {
		attempt->lease = lease;
		owner->backend->discard(owner, old, true);
	}
	return status;
}

bool rl_attempt_may_retry(const struct rl_attempt *attempt, enum rl_status failure)
{
	return failure == RL_UNREACHABLE || (failure == RL_REFUSED && attempt->is_transient);
}

static int64_t at_most(int64_t most_ms, rl_time time)
{
	return time < most_ms * RL_MILLISECOND ? time / RL_MILLISECOND + 1 : most_ms;
}

/*
 * For how long a waiter can sleep. A detached lock's name must soon find what another process has taken, and whoever gives
 * up at once must soon hear that the lease has become longer.
 */
static int64_t longest_sleep(const struct rl_attempt *attempt, rl_time now, rl_time left)
{
	if (rl_token_is_detached(&attempt->lease->token) || attempt->policy == RL_POLICY_FAIL_FAST) {
		return at_most(SECOND_MS, left);
	}
	return at_most(SLEEP_MAX_MS, attempt->parking->look_at > now ? attempt->parking->look_at - now : left);
}

/*
 * For how long others may rely on it to look. Whoever gives up at once may leave at any time, and so may a strategy. For a
 * detached lock each looks for itself, so that none parks anew for another.
 */
static int64_t surely_stays(const struct rl_attempt *attempt, rl_time left)
{
	bool is_relied_on = attempt->policy == RL_POLICY_WAIT && !attempt->retry && !rl_token_is_detached(&attempt->lease->token);

	return is_relied_on ? at_most(STAY_MAX_MS, left) : 0;
}

struct rl_waiting rl_attempt_waiting(const struct rl_attempt *attempt, int64_t flag_ms)
{
	struct rl_waiting waiting = { .flag_ms = flag_ms, .is_parked = flag_ms && attempt->parking };
	rl_time now = rl_now(), left = attempt->until > now ? attempt->until - now : 0;

	if (waiting.is_parked) {
		waiting.stay_ms = surely_stays(attempt, left);
		waiting.sleep_ms = longest_sleep(attempt, now, left);
		waiting.came_us = attempt->parking->came_us;
		waiting.parked_us = attempt->parking->parked_us;
	}
	return waiting;
}

rl_time rl_attempt_busy_until(const struct rl_attempt *attempt)
{
	return attempt->grant.busy_ms < 0 ? RL_FOREVER : attempt->answered_at + attempt->grant.busy_ms * RL_MILLISECOND;
}
