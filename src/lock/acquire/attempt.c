#include "detached.h"
#include "schedule.h"
#include "../owner/internal.h"

/* the flag outlives the waiter's next ask by this, since that may be late */
#define FLAG_SLACK (3 * RL_SECOND / 2)

void rl_attempt_begin(struct rl_attempt *attempt, struct rl_asking *asking)
{
	attempt->asking = asking;
	rl_errand_begin(&asking->errand, attempt->owner->route, attempt);
	asking->undoing = NULL;
	asking->give_up = NULL;
}

void rl_attempt_begin_step(struct rl_attempt *attempt)
{
	attempt->deadline = rl_owner_deadline(attempt->owner, rl_now());
}

int64_t rl_attempt_flag_ms(const struct rl_attempt *attempt)
{
	rl_time next = rl_time_earlier(attempt->until - rl_now(), RL_LONGEST_GAP);

	return (next + FLAG_SLACK) / RL_MILLISECOND;
}

/* Begins a step that is no take. */
static enum rl_status begin(struct rl_attempt *attempt, const struct rl_step *step,
	rl_time deadline, rl_errand_then *then)
{
	struct rl_asking *asking = attempt->asking;

	return rl_errand_call(
		&asking->errand, rl_step_form(&asking->take.words, step), deadline, then);
}

/* --- undoing --- */

static enum rl_status undo_next(struct rl_attempt *attempt, struct rl_error *error);

/* What cannot be sent stays, and so does what is for the same server. */
static enum rl_status undone(void *context, enum rl_status status, struct rl_error *error)
{
	struct rl_attempt *attempt = context;
	struct rl_asking *asking = attempt->asking;
	struct rl_lease *lease = asking->undoing;
	struct rl_outcome outcome;

	asking->undoing = NULL;
	if (status == RL_OK
		&& rl_protocol_parse_outcome(asking->errand.request.reply, &outcome)) {
		rl_lease_free(lease);
		return undo_next(attempt, error);
	}
	if (status == RL_OK) {
		rl_call_nonsense(&asking->errand.request.exchange, error);
	}
	rl_owner_add_later(attempt->owner, lease);
	return attempt->owner->backend->ask(attempt, error);
}

/* Half of the time that is left, so that the ask has some. */
static enum rl_status undo_next(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_asking *asking = attempt->asking;
	const struct rl_backend *backend = attempt->owner->backend;
	struct rl_step step;
	rl_time now;

	if (attempt->owner->later && (now = rl_now()) < asking->deadline
		&& backend->undo_next(attempt->owner, &attempt->lease->keys, &asking->undoing, &step)) {
		return begin(attempt, &step, rl_time_half_way(now, asking->deadline), undone);
	}
	return backend->ask(attempt, error);
}

/* --- asking --- */

enum rl_status rl_attempt_ask(
	struct rl_attempt *attempt, const struct rl_ask *how, struct rl_error *error)
{
	struct rl_asking *asking = attempt->asking;

	asking->flag_ms = how->flag_ms;
	asking->deadline = how->deadline;
	asking->has_undone = asking->for_the_next = false;
	return how->undoes ? undo_next(attempt, error) : attempt->owner->backend->ask(attempt, error);
}

static enum rl_status taken_back(void *context, enum rl_status status, struct rl_error *error)
{
	struct rl_attempt *attempt = context;

	attempt->doubt.fate_unknown |= status != RL_OK;
	attempt->grant.ours = false;
	return status;
}

static enum rl_status take_back(struct rl_attempt *attempt)
{
	struct rl_step step = { RL_STEP_TAKE_BACK, .lease = attempt->lease };

	return begin(attempt, &step, attempt->deadline, taken_back);
}

enum rl_status rl_attempt_asked(
	struct rl_attempt *attempt, enum rl_status status, struct rl_error *error)
{
	struct rl_asking *asking = attempt->asking;
	struct rl_owner *owner = attempt->owner;

	asking->give_up = NULL;
	if (status != RL_OK || (attempt->grant.ours && !asking->for_the_next)) {
		return status;
	}
	if (attempt->grant.ours) {
		return take_back(attempt);
	}
	if (!asking->has_undone && owner->backend->is_to_repeat(owner, attempt->lease)) {
		asking->has_undone = true;
		return undo_next(attempt, error);
	}
	return rl_detached_upgrade(attempt);
}

void rl_attempt_give_up(struct rl_attempt *attempt)
{
	struct rl_asking *asking = attempt->asking;

	rl_errand_end(&asking->errand);
	if (asking->give_up) {
		asking->give_up(attempt);
		asking->give_up = NULL;
	}
	if (asking->undoing) {
		rl_owner_add_later(attempt->owner, asking->undoing);
		asking->undoing = NULL;
	}
}

void rl_attempt_drop(struct rl_attempt *attempt)
{
	struct rl_owner *owner = attempt->owner;
	bool maybe_held = rl_doubt_any(&attempt->doubt) || attempt->grant.ours;

	if (attempt->lease->generation != rl_system_generation()) {
		rl_lease_free(attempt->lease); /* its parent's */
		return;
	}
	rl_lease_forget_fences(attempt->lease);
	owner->backend->discard(owner, attempt->lease, maybe_held);
	if (maybe_held) {
		owner->backend->repeat(owner, NULL, 0, NULL);
	}
}

void rl_attempt_give_back(struct rl_attempt *attempt)
{
	struct rl_step step = { RL_STEP_TAKE_BACK, .lease = attempt->lease };
	struct rl_words words;

	rl_call_send(attempt->owner->route, rl_step_form(&words, &step), 0);
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
	attempt->doubt = (struct rl_doubt){ false };
	rl_lease_forget_fences(old);
	owner->backend->discard(owner, old, true);
	return RL_OK;
}

bool rl_attempt_may_retry(const struct rl_attempt *attempt, enum rl_status failure)
{
	return failure == RL_UNREACHABLE || (failure == RL_REFUSED && attempt->is_transient);
}

/* --- after a wait --- */

bool rl_attempt_is_first(const struct rl_attempt *attempt)
{
	return !attempt->grant.ours && attempt->grant.place == RL_PLACE_ROOM
		&& attempt->lease->keys.text[RL_KEY_ROOM];
}

/* Whatever it has come to. */
static enum rl_status passed_on(void *context, enum rl_status status, struct rl_error *error)
{
	return status;
}

enum rl_status rl_attempt_pass_on(
	struct rl_attempt *attempt, struct rl_text heard, struct rl_error *error)
{
	struct rl_step step = { RL_STEP_PASS_ON, .lease = attempt->lease, .text = heard };
	struct rl_ask ask = { .flag_ms = 0 };
	enum rl_status status = RL_OK;

	if (heard.data[0] == '~') {
		return begin(attempt, &step, attempt->deadline, passed_on);
	}
	if (!attempt->grant.ours && !attempt->detached) {
		ask.deadline = attempt->deadline;
		status = rl_attempt_ask(attempt, &ask, error);
		attempt->asking->for_the_next = true;
	}
	return status;
}

bool rl_attempt_asks_for_others(const struct rl_attempt *attempt)
{
	const struct rl_asking *asking = attempt->asking;
	const struct rl_request *request = &asking->errand.request;

	return asking->for_the_next && asking->give_up && request->has_exchange
		&& request->exchange.state == RL_EXCHANGE_AWAITING;
}

enum rl_status rl_attempt_leave_turnstile(struct rl_attempt *attempt)
{
	struct rl_step step = { RL_STEP_LEAVE_TURNSTILE, .lease = attempt->lease };

	return begin(attempt, &step, attempt->deadline, passed_on);
}
