#include "detached.h"
#include "schedule.h"
#include "../owner/internal.h"
#include "../../base/stack.h"

/* the flag outlives the waiter's next ask by this, since that may be late */
#define FLAG_SLACK (3 * RL_SECOND / 2)

void rl_attempt_reset_deadline(struct rl_attempt *attempt)
{
	attempt->deadline = rl_owner_deadline(attempt->owner, rl_now());
}

int64_t rl_attempt_flag_ms(const struct rl_attempt *attempt)
{
	rl_time next = rl_time_earlier(attempt->until - rl_now(), RL_LONGEST_GAP);

	return (next + FLAG_SLACK) / RL_MILLISECOND;
}

bool rl_attempt_may_retry(const struct rl_attempt *attempt, enum rl_status failure)
{
	return failure == RL_UNREACHABLE || (failure == RL_REFUSED && attempt->is_transient);
}

bool rl_attempt_is_first(const struct rl_attempt *attempt)
{
	return !attempt->grant.ours && attempt->grant.place == RL_PLACE_ROOM
		&& attempt->lease->keys.of[RL_KEY_ROOM].data;
}

/* --- asking --- */

/* RL_OK: the ask may go out. What cannot be sent stays. */
static enum rl_status release_discarded(
	struct rl_attempt *attempt, struct rl_ask_terms *how, struct rl_error *error)
{
	struct rl_owner *owner = attempt->owner;

	if (!owner->discarded) {
		return RL_OK;
	}
	owner->backend->release_discarded(owner, &attempt->lease->keys, how->deadline, NULL);
	rl_ask_extend_deadline(attempt, how);
	return rl_stack_wanted() == RL_WANTED ? RL_OK : rl_fail_unwanted(error);
}

enum rl_status rl_ask(struct rl_attempt *attempt, struct rl_ask_terms *how, struct rl_error *error)
{
	const struct rl_backend *backend = attempt->owner->backend;
	enum rl_status status = how->releases ? release_discarded(attempt, how, error) : RL_OK;

	if (status == RL_OK) {
		status = backend->ask(attempt, how, error);
	}
	if (status == RL_OK && !attempt->grant.ours
		&& backend->has_discarded(attempt->owner, attempt->lease)) {
		rl_ask_extend_deadline(attempt, how);
		status = release_discarded(attempt, how, error);
		if (status == RL_OK) {
			status = backend->ask(attempt, how, error);
		}
	}
	if (status == RL_OK && !attempt->grant.ours && attempt->detached
		&& attempt->grant.place == RL_PLACE_OWN) {
		rl_ask_end(attempt); /* what follows has the use of the connection */
		status = rl_detached_upgrade(attempt, how, error);
	}
	attempt->is_unwanted |= status == RL_INTERRUPTED;
	return status;
}

struct rl_exchange *rl_ask_exchange(struct rl_attempt *attempt)
{
	bool is_there = attempt->has_request && attempt->asked->request.has_exchange
		&& attempt->asked->request.exchange.connection;

	return is_there ? &attempt->asked->request.exchange : NULL;
}

void rl_ask_end(struct rl_attempt *attempt)
{
	if (attempt->has_request) {
		rl_request_end(&attempt->asked->request);
		attempt->has_request = false;
	}
}

enum rl_status rl_ask_replace_token(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_owner *owner = attempt->owner;
	struct rl_lease *old = attempt->lease;
	enum rl_status status = rl_lease_new_like(owner->prefix, old, &attempt->lease, error);

	if (status != RL_OK) {
		attempt->lease = old;
		return status;
	}
	attempt->doubt = (struct rl_doubt){ false };
	rl_lease_forget_fences(old);
	owner->backend->discard(owner, old, true);
	return RL_OK;
}

/* --- after a wait --- */

static enum rl_status run(struct rl_attempt *attempt, struct rl_step *step)
{
	struct rl_outcome outcome;
	struct rl_error ignored;

	return rl_owner_run(attempt->owner, step, attempt->deadline, &outcome, &ignored);
}

/*
 * Asks, so that a release that has told us is not lost to others, and gives back what is granted.
 * If nobody wants the lock any more, nobody may ever hear the answer: then the undo goes out right
 * behind.
 */
static void ask_for_others(struct rl_attempt *attempt)
{
	struct rl_step step = { RL_STEP_TAKE_BACK, .lease = attempt->lease };
	struct rl_ask_terms how = { .deadline = attempt->deadline, .is_unheard = attempt->is_unwanted };
	struct rl_error ignored;
	enum rl_status status = rl_ask(attempt, &how, &ignored);

	rl_ask_end(attempt);
	rl_ask_extend_deadline(attempt, &how);
	attempt->deadline = how.deadline;
	if (status == RL_OK && attempt->grant.ours) {
		attempt->doubt.fate_unknown |= run(attempt, &step) != RL_OK;
		attempt->grant.ours = false;
	}
}

void rl_ask_pass_on(struct rl_attempt *attempt, struct rl_text heard)
{
	struct rl_step step = { RL_STEP_PASS_ON, .lease = attempt->lease, .text = heard };

	if (heard.data[0] == '~') {
		run(attempt, &step);
	} else if (!attempt->grant.ours && !attempt->detached) {
		ask_for_others(attempt);
	}
}

void rl_ask_leave_turnstile(struct rl_attempt *attempt)
{
	struct rl_step step = { RL_STEP_LEAVE_TURNSTILE, .lease = attempt->lease };

	run(attempt, &step);
}

void rl_ask_give_back(struct rl_attempt *attempt)
{
	struct rl_step step = { RL_STEP_TAKE_BACK, .lease = attempt->lease };
	struct rl_words words;

	rl_call_send(attempt->owner->route, rl_step_form(&words, &step), 0);
}
