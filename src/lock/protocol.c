#include "protocol.h"
#include "scripts.h"
#include "../base/number.h"

#include <stdlib.h>
#include <string.h>

/* --- forming calls --- */

/* The keys in the order in which scripts want them. */
static const enum rl_key EXCLUSIVE_KEYS[] = { RL_KEY_LOCK, RL_KEY_FENCE, RL_KEY_WAITING,
	RL_KEY_WAKE };
static const enum rl_key SHARED_KEYS[] = { RL_KEY_LOCK, RL_KEY_FENCE, RL_KEY_SHARES, RL_KEY_RECORD,
	RL_KEY_WAITING, RL_KEY_WAKE, RL_KEY_TURNSTILE, RL_KEY_ROOM };
#define GRANT_KEYS    2 /* L and the fence */
#define ALL_EXCLUSIVE (sizeof EXCLUSIVE_KEYS / sizeof EXCLUSIVE_KEYS[0])

static void begin(struct rl_step *step, const struct rl_script *script, const struct rl_keys *keys,
	const enum rl_key *wanted, size_t count)
{
	step->call = (struct rl_call){ .script = script, .key_count = count };
	step->lease = NULL;
	step->is_of_token = step->needs_fence = false;
	for (size_t i = 0; i < count; i++) {
		step->call.keys[i] = (struct rl_text){ keys->text[wanted[i]], keys->length[wanted[i]] };
	}
}

static void begin_exclusive(
	struct rl_step *step, const struct rl_script *script, const struct rl_keys *keys, size_t count)
{
	begin(step, script, keys, EXCLUSIVE_KEYS, count);
}

static void begin_shared(
	struct rl_step *step, const struct rl_script *script, const struct rl_keys *keys)
{
	begin(step, script, keys, SHARED_KEYS, sizeof SHARED_KEYS / sizeof SHARED_KEYS[0]);
}

static void add(struct rl_step *step, struct rl_text text)
{
	step->call.args[step->call.arg_count++] = text;
}

static void add_word(struct rl_step *step, const char *word)
{
	add(step, rl_text_of(word));
}

static void add_number(struct rl_step *step, int64_t number)
{
	char *text = step->numbers[step->call.arg_count];

	add(step, (struct rl_text){ text, rl_number_put(text, number) });
}

/* Filled in when it is sent, since only then it is known by whose clock. */
static void add_until(struct rl_step *step)
{
	step->call.until_arg = step->call.arg_count;
	add_word(step, "0");
}

static void add_fence(struct rl_step *step, const struct rl_lease *lease)
{
	step->lease = lease;
	step->fence_arg = step->call.arg_count;
	add_number(step, lease->fence);
	step->safe_until = lease->safe_until;
	step->holdings = lease->holdings;
}

static void add_token(struct rl_step *step, const struct rl_lease *lease)
{
	step->is_of_token = true;
	add(step, rl_token_head(&lease->token));
}

/* What L becomes if somebody waits: the same however often the step is sent. */
static void add_baton(struct rl_step *step, const struct rl_token *names)
{
	rl_token_baton(names, step->baton);
	add(step, (struct rl_text){ step->baton, RL_BATON_SIZE - 1 });
}

/* --- taking --- */

static void add_take(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms)
{
	step->call.replicated_up_to = INT64_MAX; /* a fence */
	add(step, rl_token_text(&lease->token));
	add_number(step, lease_ms);
	add_until(step);
}

void rl_protocol_acquire(
	struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms, struct rl_waiting waiting)
{
	begin_exclusive(step, &rl_script_acquire, &lease->keys, ALL_EXCLUSIVE);
	add_take(step, lease, lease_ms);
	add_number(step, waiting.flag_ms);
	if (waiting.heard.data) {
		add(step, waiting.heard);
	}
}

static void begin_enter(
	struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms, int64_t flag_ms)
{
	begin_shared(step, &rl_script_enter, &lease->keys);
	add_take(step, lease, lease_ms);
	add_number(step, flag_ms);
	if (lease->is_share) {
		add_number(step, lease->limit);
	} else {
		add_word(step, "x");
	}
}

void rl_protocol_enter(
	struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms, struct rl_waiting waiting)
{
	begin_enter(step, lease, lease_ms, waiting.flag_ms);
	if (waiting.heard.data) {
		add(step, waiting.heard);
	}
}

void rl_protocol_reenter(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms)
{
	begin_enter(step, lease, lease_ms, 0);
	add_number(step, lease->fence);
}

static const struct rl_call *form_undo(struct rl_call *call)
{
	struct rl_take *take = (struct rl_take *)call; /* whose step begins with it */

	rl_protocol_take_back(&take->undo, take->lease);
	return &take->undo.call;
}

void rl_protocol_undo(struct rl_take *take, const struct rl_lease *lease)
{
	take->lease = lease;
	take->step.call.undo = form_undo;
}

/* --- what is held --- */

static const char *const HOW[] = {
	[RL_EXTEND_LONGER] = "longer", [RL_EXTEND_AGAIN] = "again", [RL_EXTEND_ANEW] = "anew"
};

void rl_protocol_extend(
	struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms, enum rl_extend how)
{
	if (lease->is_share) {
		begin_shared(step, &rl_script_extend_shared, &lease->keys);
	} else {
		begin_exclusive(step, &rl_script_extend, &lease->keys, GRANT_KEYS);
	}
	step->call.lock_key_alone_ok = how == RL_EXTEND_LONGER && !lease->is_share;
	step->call.replicated_up_to = how == RL_EXTEND_AGAIN ? RL_ANSWER_GONE
		: lease_ms                                       ? RL_ANSWER_OURS
														 : 0;
	add_token(step, lease);
	add_fence(step, lease);
	add_number(step, lease_ms);
	add_until(step);
	add_word(step, HOW[how]);
	step->needs_fence = how == RL_EXTEND_ANEW;
	if (how == RL_EXTEND_AGAIN) {
		add(step, rl_token_text(&lease->token));
	}
}

static void begin_replace(struct rl_step *step, const struct rl_lease *lease, struct rl_text old,
	int64_t lease_ms, const struct rl_token *successor)
{
	begin_exclusive(step, &rl_script_extend, &lease->keys, GRANT_KEYS);
	add(step, old);
	add_fence(step, lease);
	add_number(step, lease_ms);
	add_until(step);
	add_word(step, HOW[RL_EXTEND_ANEW]);
	add(step, rl_token_holder(successor));
}

/* Nobody counts yet on what is given away, so that replicas need not have it. */
void rl_protocol_hand_over(struct rl_step *step, const struct rl_lease *lease,
	const struct rl_token *successor, int64_t lease_ms)
{
	begin_replace(step, lease, rl_token_head(&lease->token), lease_ms, successor);
}

void rl_protocol_adopt(
	struct rl_step *step, const struct rl_lease *lease, struct rl_text old, int64_t lease_ms)
{
	begin_replace(step, lease, old, lease_ms, &lease->token);
	step->call.replicated_up_to = RL_ANSWER_OURS;
}

void rl_protocol_upgrade(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms)
{
	begin_shared(step, &rl_script_upgrade, &lease->keys);
	step->call.replicated_up_to = RL_ANSWER_OURS;
	add(step, rl_token_text(&lease->token));
	add_fence(step, lease);
	add_number(step, lease_ms);
	add_until(step);
}

void rl_protocol_downgrade(struct rl_step *step, const struct rl_lease *lease)
{
	begin_shared(step, &rl_script_downgrade, &lease->keys);
	step->call.replicated_up_to = RL_ANSWER_OURS;
	add(step, rl_token_head(&lease->token));
	add_fence(step, lease);
}

/* --- giving back --- */

static void begin_release(struct rl_step *step, const struct rl_lease *lease)
{
	if (lease->is_share) {
		begin_shared(step, &rl_script_leave, &lease->keys);
	} else {
		begin_exclusive(step, &rl_script_release, &lease->keys, ALL_EXCLUSIVE);
		step->call.lock_key_alone_ok = true;
	}
}

void rl_protocol_release(struct rl_step *step, const struct rl_lease *lease, int64_t delay_ms)
{
	begin_release(step, lease);
	add_token(step, lease);
	add_fence(step, lease);
	add_baton(step, &lease->token);
	add_number(step, delay_ms);
}

static void add_any_grant(struct rl_step *step, const struct rl_lease *lease)
{
	add_number(step, 0);
	add_baton(step, &lease->token);
	add_number(step, lease->delay_ms);
}

void rl_protocol_take_back(struct rl_step *step, const struct rl_lease *lease)
{
	begin_release(step, lease);
	add(step, rl_token_own(&lease->token));
	add_any_grant(step, lease);
}

/* A ticket is shorter: it is the time at which it was made. */
static bool is_ticket(struct rl_text pass)
{
	return pass.length != RL_BATON_SIZE - 1;
}

void rl_protocol_pass_on(struct rl_step *step, const struct rl_lease *lease, struct rl_text pass)
{
	bool knows_shares = lease->keys.text[RL_KEY_SHARES] && (lease->is_share || is_ticket(pass));

	if (knows_shares) {
		begin_shared(step, &rl_script_leave, &lease->keys);
	} else {
		begin_exclusive(step, &rl_script_release, &lease->keys, ALL_EXCLUSIVE);
	}
	add(step, pass);
	add_any_grant(step, lease);
}

void rl_protocol_leave_turnstile(struct rl_step *step, const struct rl_lease *lease)
{
	begin_shared(step, &rl_script_leave, &lease->keys);
	add(step, rl_token_head(&lease->token));
	add_number(step, RL_NO_GRANT); /* a name may have a share meanwhile */
	add_baton(step, &lease->token);
	add_number(step, 0);
}

/* --- looking, and administration --- */

void rl_protocol_inspect(struct rl_step *step, const struct rl_keys *keys)
{
	begin_exclusive(step, &rl_script_inspect, keys, ALL_EXCLUSIVE);
}

/* Parts of an answer that tells all shares of a lock. */
#define SHARES_REPLY_NODES (64 * 1024)

void rl_protocol_sharers(struct rl_step *step, const struct rl_keys *keys)
{
	begin_shared(step, &rl_script_sharers, keys);
	step->call.reply_nodes = SHARES_REPLY_NODES;
}

void rl_protocol_break_share(struct rl_step *step, const struct rl_keys *keys, struct rl_text token,
	int64_t fence, const struct rl_token *names)
{
	begin_shared(step, &rl_script_leave, keys);
	add(step, token);
	add_number(step, fence);
	add_baton(step, names);
	add_number(step, 0);
	add_word(step, "break");
}

void rl_protocol_break(struct rl_step *step, const struct rl_lease *lease, struct rl_text seen)
{
	begin_exclusive(step, &rl_script_release, &lease->keys, ALL_EXCLUSIVE);
	add(step, seen);
	add_fence(step, lease);
	add_baton(step, &lease->token);
	add_number(step, 0);
	add_until(step);
}

/* --- answers --- */

/* Some scripts tell a fence as text. */
static bool read_number(const struct rl_reply *reply, int64_t *number)
{
	if (reply->type == RL_REPLY_STRING) {
		return rl_number_read((struct rl_text){ reply->text, reply->length }, INT64_MAX, number);
	}
	*number = reply->integer;
	return reply->type == RL_REPLY_INTEGER;
}

static bool is_array(const struct rl_reply *reply, size_t least, size_t most)
{
	return reply->type == RL_REPLY_ARRAY && reply->count >= least && reply->count <= most;
}

static bool read_place(const struct rl_reply *reply, struct rl_grant *grant)
{
	if (reply->type != RL_REPLY_INTEGER || reply->integer < RL_PLACE_WAKE
		|| reply->integer > RL_PLACE_OWN) {
		return false;
	}
	if (grant->ours) {
		grant->is_exclusive = reply->integer == 1;
	} else {
		grant->place = (int)reply->integer;
	}
	return true;
}

bool rl_protocol_parse_grant(const struct rl_reply *reply, int64_t lease_ms, struct rl_grant *grant)
{
	*grant = (struct rl_grant){ 0 };
	if (reply->type == RL_REPLY_INTEGER && reply->integer > RL_ANSWER_NO_FENCE) {
		*grant = (struct rl_grant){ .ours = true, .fence = reply->integer, .left_ms = lease_ms };
		return true;
	}
	if (!is_array(reply, 2, 3) || !read_number(&reply->elements[0], &grant->fence)
		|| grant->fence < 0 || !read_number(&reply->elements[1], &grant->left_ms)) {
		return false;
	}
	grant->ours = grant->fence > 0;
	if (grant->left_ms > RL_LEASE_MAX_MS || grant->left_ms < 0) {
		grant->left_ms = -1;
	}
	return reply->count == 2 || read_place(&reply->elements[2], grant);
}

#define ENDED (-2) /* what is left of a lock that is free */

bool rl_protocol_parse_outcome(const struct rl_reply *reply, struct rl_outcome *outcome)
{
	const struct rl_reply *answer = reply->type == RL_REPLY_ARRAY ? reply->elements : reply;

	*outcome = (struct rl_outcome){ .fence = 0 };
	if ((answer != reply && !is_array(reply, 1, 3)) || answer->type != RL_REPLY_INTEGER
		|| answer->integer < (answer == reply ? RL_ANSWER_OURS : RL_ANSWER_OTHER)
		|| answer->integer > RL_ANSWER_NO_FENCE) {
		return false;
	}
	outcome->answer = (enum rl_answer)answer->integer;
	if (answer == reply || reply->count == 1) {
		return true;
	}
	if (reply->count != 3 || !read_number(&reply->elements[1], &outcome->fence)
		|| outcome->fence < 0 || !read_number(&reply->elements[2], &outcome->left_ms)) {
		return false;
	}
	outcome->was_over = outcome->answer == RL_ANSWER_GONE;
	if (outcome->was_over && outcome->left_ms != ENDED) {
		outcome->answer = RL_ANSWER_OURS;
	}
	return true;
}

/* A node that has not answered may have done it: what the grant's fence is there is not known. */
void rl_outcome_note_grant(const struct rl_outcome *outcome, struct rl_lease *lease)
{
	struct rl_holdings *holdings = &lease->holdings;

	lease->fence = outcome->fence;
	lease->pending_ms = 0;
	for (size_t i = 0; i < RL_NODES_MAX; i++) {
		uint32_t bit = (uint32_t)1 << i;

		if (holdings->fences[i] && outcome->nodes & bit) {
			holdings->fences[i]++;
		} else if (holdings->fences[i]) {
			holdings->fences[i] = 0;
			holdings->held &= ~bit;
			holdings->unknown |= bit;
		}
	}
}

enum rl_status rl_protocol_fail(const struct rl_session *session, struct rl_error *error)
{
	session->connection->broken = true;
	return rl_fail(error, RL_UNREACHABLE,
		"Redis at %s: the answer is not one that rlock's scripts give",
		session->connection->address->name);
}

enum rl_status rl_protocol_query(struct rl_route *route, struct rl_step *step, rl_time deadline,
	bool (*read)(void *context, const struct rl_reply *reply), void *context,
	struct rl_error *error)
{
	struct rl_session session;
	const struct rl_reply *reply;
	enum rl_status status = rl_call_run(route, &step->call, deadline, &session, &reply, error);

	if (status != RL_OK) {
		return status;
	}
	if (!read(context, reply)) {
		step->call.maybe_done = true; /* nonsense says nothing of what was done */
		status = rl_protocol_fail(&session, error);
	}
	rl_session_end(&session);
	return status;
}

static bool read_outcome(void *context, const struct rl_reply *reply)
{
	return rl_protocol_parse_outcome(reply, context);
}

enum rl_status rl_protocol_run(struct rl_route *route, struct rl_step *step, rl_time deadline,
	struct rl_outcome *outcome, struct rl_error *error)
{
	return rl_protocol_query(route, step, deadline, read_outcome, outcome, error);
}
