#include "protocol.h"
#include "scripts.h"
#include "../base/number.h"

#include <string.h>

/* As text, since they are always the same. */
static const char WINDOW[] = "1000", WINDOW_AND_GRACE[] = "3601000";
#if RL_CLAIM_WINDOW_MS != 1000 || RL_GRACE_MS != 3600000
# error "these texts say something else"
#endif

static void begin(struct rl_step *step, const struct rl_script *script, const struct rl_keys *keys, size_t key_count)
{
	step->call = (struct rl_call){ .script = script, .key_count = key_count };
	step->lease = NULL;
	step->close_arg = 0;
	for (size_t i = 0; i < key_count; i++) {
		step->call.keys[i] = (struct rl_text){ keys->text[i], keys->length[i] };
	}
}

static void add_key(struct rl_step *step, const struct rl_keys *keys, enum rl_key key)
{
	step->call.keys[step->call.key_count++] = (struct rl_text){ keys->text[key], keys->length[key] };
}

static void add_text(struct rl_step *step, const char *data, size_t length)
{
	step->call.args[step->call.arg_count++] = (struct rl_text){ data, length };
}

static void add_number(struct rl_step *step, int64_t number)
{
	char *text = step->numbers[step->call.arg_count];

	add_text(step, text, rl_number_put(text, number));
}

/* Filled in when it is sent, since only then it is known by whose clock. */
static void add_until(struct rl_step *step)
{
	step->call.until_arg = step->call.arg_count;
	add_text(step, "0", 1);
}

static void acquire(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms, int64_t flag_ms)
{
	begin(step, &rl_script_acquire, &lease->keys, 4);
	step->call.replicated_up_to = INT64_MAX; /* a fence */
	add_text(step, lease->token.text, lease->token.length);
	add_number(step, lease_ms);
	add_number(step, lease_ms + RL_GRACE_MS);
	add_until(step);
	if (flag_ms) {
		add_number(step, flag_ms);
	}
}

static void enter(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms, int64_t flag_ms,
	struct rl_text pass)
{
	begin(step, &rl_script_enter, &lease->keys, RL_KEY_COUNT);
	step->call.replicated_up_to = INT64_MAX; /* a fence */
	add_text(step, lease->token.text, lease->token.length);
	add_number(step, lease_ms);
	add_number(step, lease_ms + RL_GRACE_MS);
	add_until(step);
	if (lease->is_share && !lease->limit && !flag_ms && !pass.data) {
		return; /* the other arguments have their defaults */
	}
	add_number(step, flag_ms);
	if (lease->is_share) {
		add_number(step, lease->limit);
	} else {
		add_text(step, "x", 1);
	}
	add_text(step, WINDOW, sizeof WINDOW - 1);
	if (pass.data) {
		add_text(step, pass.data, pass.length);
	}
}

void rl_protocol_ask(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms, int64_t flag_ms,
	struct rl_text pass)
{
	if (lease->uses_turnstile) {
		enter(step, lease, lease_ms, flag_ms, pass);
	} else {
		acquire(step, lease, lease_ms, flag_ms);
	}
}

void rl_protocol_claim(struct rl_step *step, const struct rl_lease *lease, struct rl_text baton, int64_t lease_ms)
{
	begin(step, &rl_script_claim, &lease->keys, 2);
	step->call.replicated_up_to = RL_ANSWER_OURS;
	add_text(step, lease->token.text, lease->token.length);
	add_text(step, baton.data, baton.length);
	add_number(step, rl_token_baton_fence(baton.data, baton.length));
	add_number(step, lease_ms);
	add_number(step, lease_ms + RL_GRACE_MS);
}

static void add_fence(struct rl_step *step, const struct rl_lease *lease)
{
	step->lease = lease;
	step->fence_arg = step->call.arg_count;
	add_text(step, lease->fence_text, strlen(lease->fence_text));
}

/*
 * step->baton is what L becomes if somebody waits; the same however often the step is sent. Without these terms a release
 * goes by the same: the baton has the name of the token, the window is RL_CLAIM_WINDOW_MS, and there is no delay.
 */
static void add_release_terms(struct rl_step *step, int64_t delay_ms)
{
	add_text(step, step->baton, RL_BATON_SIZE - 1);
	add_text(step, WINDOW, sizeof WINDOW - 1);
	add_text(step, WINDOW_AND_GRACE, sizeof WINDOW_AND_GRACE - 1);
	if (delay_ms) {
		add_number(step, delay_ms);
	}
}

/*
 * The release of a lock that is gone answers that it was done if the baton or the cooldown of its own name is there. A
 * detached lock's token may be released twice, by the process that took it and by one that has found it. The latter
 * closes the token, for which it needs the token's own name; so the former takes another.
 */
static void name_baton(struct rl_step *step, const struct rl_lease *lease, bool closes)
{
	rl_token_baton(&lease->token, step->baton);
	if (rl_token_is_detached(&lease->token) && !closes) {
		for (char *first = step->baton + 1, *last = first + RL_RANDOM_HEX - 1; first < last; first++, last--) {
			char digit = *first;

			*first = *last;
			*last = digit;
		}
	}
}

void rl_protocol_release(struct rl_step *step, const struct rl_lease *lease, int64_t delay_ms)
{
	bool closes = lease->sent_again || lease->copies_until;

	if (lease->uses_turnstile) {
		begin(step, &rl_script_leave, &lease->keys, RL_KEY_COUNT);
	} else {
		begin(step, &rl_script_release, &lease->keys, 4);
		step->call.lock_key_alone_ok = true;
	}
	add_text(step, lease->token.text, lease->token.length);
	add_fence(step, lease);
	if (delay_ms || closes || rl_token_is_detached(&lease->token)) {
		name_baton(step, lease, closes);
		add_release_terms(step, delay_ms);
	}
	if (closes) {
		if (!delay_ms) {
			add_number(step, 0);
		}
		step->close_arg = lease->sent_again ? 0 : step->call.arg_count;
		add_number(step, 1);
	}
}

void rl_protocol_release_other(struct rl_step *step, const struct rl_token *token)
{
	rl_token_baton(token, step->baton);
	step->call.args[0] = rl_token_text(token);
}

static const struct rl_call *form_undo(struct rl_call *call)
{
	struct rl_take *take = (struct rl_take *)call; /* whose step begins with it */

	rl_protocol_release(&take->undo, take->lease, 0);
	return &take->undo.call;
}

void rl_protocol_undo(struct rl_take *take, const struct rl_lease *lease)
{
	take->lease = lease;
	take->step.call.undo = form_undo;
}

void rl_protocol_pass_on(struct rl_step *step, const struct rl_keys *keys, struct rl_text baton)
{
	begin(step, &rl_script_release, keys, 4);
	memcpy(step->baton, baton.data, RL_BATON_SIZE - 1);
	add_text(step, baton.data, baton.length);
	add_number(step, rl_token_baton_fence(baton.data, baton.length));
	add_release_terms(step, 0);
}

void rl_protocol_pass_ticket_on(struct rl_step *step, const struct rl_lease *lease, struct rl_text ticket)
{
	begin(step, &rl_script_leave, &lease->keys, RL_KEY_COUNT);
	rl_token_baton(&lease->token, step->baton);
	add_text(step, ticket.data, ticket.length);
	add_number(step, 0);
	add_release_terms(step, 0);
}

void rl_protocol_extend(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms, enum rl_extend how)
{
	bool again = how == RL_EXTEND_AGAIN;

	begin(step, lease->is_share ? &rl_script_extend_shared : &rl_script_extend, &lease->keys, 2);
	if (lease->is_share) {
		add_key(step, &lease->keys, RL_KEY_SHARES);
	}
	step->call.replicated_up_to = again ? RL_ANSWER_GONE : RL_ANSWER_OURS;
	step->call.lock_key_alone_ok = !lease->is_share;
	add_text(step, lease->token.text, lease->token.length);
	add_fence(step, lease);
	add_number(step, lease_ms);
	add_number(step, RL_GRACE_MS);
	add_number(step, lease->serial);
	add_number(step, how);
	if (again) {
		add_until(step);
	}
	if (again && lease->is_share) {
		add_number(step, lease->limit);
	}
}

void rl_protocol_upgrade(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms)
{
	begin(step, &rl_script_upgrade, &lease->keys, 2);
	add_key(step, &lease->keys, RL_KEY_WAKE);
	add_key(step, &lease->keys, RL_KEY_SHARES);
	add_key(step, &lease->keys, RL_KEY_TURNSTILE);
	step->call.replicated_up_to = RL_ANSWER_OURS;
	add_text(step, lease->token.text, lease->token.length);
	add_fence(step, lease);
	add_number(step, lease_ms);
	add_number(step, RL_GRACE_MS);
	add_number(step, lease->serial);
	add_until(step);
}

void rl_protocol_downgrade(struct rl_step *step, const struct rl_lease *lease)
{
	begin(step, &rl_script_downgrade, &lease->keys, RL_KEY_COUNT);
	step->call.replicated_up_to = RL_ANSWER_OURS;
	add_text(step, lease->token.text, lease->token.length);
	add_fence(step, lease);
	add_number(step, lease->serial);
	add_number(step, RL_GRACE_MS);
	add_text(step, WINDOW, sizeof WINDOW - 1);
}

bool rl_protocol_leaves_doubt(const struct rl_step *step, const struct rl_lease *lease)
{
	return step->call.key_count == 1 && (lease->in_doubt || step->call.unanswered > 0);
}

rl_time rl_protocol_extended_until(const struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms)
{
	rl_time safe_until = rl_lease_safe_until(step->call.sent_at, lease_ms);

	return lease->in_doubt && step->call.key_count == 1 ? rl_time_earlier(lease->safe_until, safe_until) : safe_until;
}

void rl_protocol_replace(struct rl_step *step, const struct rl_lease *lease, struct rl_text old, int64_t lease_ms,
	bool is_taken_over)
{
	begin(step, lease->is_share ? &rl_script_replace_shared : &rl_script_replace, &lease->keys, 2);
	if (lease->is_share) {
		add_key(step, &lease->keys, RL_KEY_SHARES);
	}
	/* What is given away is nobody's to count on yet: replicas must have only what was taken over. */
	step->call.replicated_up_to = is_taken_over ? RL_ANSWER_OURS : 0;
	add_text(step, old.data, old.length);
	add_text(step, lease->token.text, lease->token.length);
	add_number(step, lease_ms);
	add_number(step, RL_GRACE_MS);
	add_fence(step, lease);
	add_until(step);
}

void rl_protocol_inspect(struct rl_step *step, const struct rl_keys *keys, struct rl_text head)
{
	begin(step, &rl_script_inspect, keys, 4);
	if (keys->text[RL_KEY_SHARES]) {
		add_key(step, keys, RL_KEY_SHARES);
	}
	if (head.data) {
		add_text(step, head.data, head.length);
	}
}

/* Parts of an answer that tells all shares of a lock. */
#define SHARES_REPLY_NODES (64 * 1024)

void rl_protocol_break_shared(struct rl_step *step, const struct rl_keys *keys, int64_t fence, const struct rl_token *token)
{
	begin(step, &rl_script_break_shared, keys, 2);
	step->call.reply_nodes = SHARES_REPLY_NODES;
	add_key(step, keys, RL_KEY_SHARES);
	add_number(step, fence);
	add_number(step, RL_GRACE_MS);
	add_until(step);
	add_text(step, token->text, token->length);
}

void rl_protocol_break_share(struct rl_step *step, const struct rl_lease *lease, const struct rl_token *names)
{
	begin(step, &rl_script_leave, &lease->keys, RL_KEY_COUNT);
	rl_token_baton(names, step->baton);
	add_text(step, lease->token.text, lease->token.length);
	add_number(step, 0);
	add_release_terms(step, 0);
	add_number(step, 0);
	add_number(step, 1);
	add_until(step);
}

void rl_protocol_sharers(struct rl_step *step, const struct rl_keys *keys)
{
	begin(step, &rl_script_sharers, keys, 3);
	step->call.reply_nodes = SHARES_REPLY_NODES;
	add_key(step, keys, RL_KEY_TURNSTILE);
	add_key(step, keys, RL_KEY_SHARES);
}

void rl_protocol_break(struct rl_step *step, const struct rl_keys *keys, struct rl_text seen, int64_t fence,
	const struct rl_token *names)
{
	begin(step, &rl_script_break, keys, 4);
	rl_token_baton(names, step->baton);
	add_text(step, seen.data, seen.length);
	add_text(step, step->baton, RL_BATON_SIZE - 1);
	add_number(step, RL_CLAIM_WINDOW_MS);
	add_number(step, RL_GRACE_MS);
	add_until(step);
	if (fence) {
		add_number(step, fence);
	}
}

enum rl_status rl_protocol_fail(const struct rl_session *session, struct rl_error *error)
{
	session->connection->broken = true;
	return rl_fail(error, RL_UNREACHABLE, "Redis at %s: the answer is not one that rlock's scripts give",
		session->connection->address->name);
}

enum rl_status rl_protocol_read_grant(const struct rl_session *session, const struct rl_reply *reply,
	struct rl_grant *grant, struct rl_error *error)
{
	return rl_protocol_parse_grant(reply, grant) ? RL_OK : rl_protocol_fail(session, error);
}

/* Compares before it converts: an enum may be narrower than the number. */
static bool read_answer(const struct rl_reply *reply, enum rl_answer last, enum rl_answer *answer)
{
	if (reply->type != RL_REPLY_INTEGER || reply->integer < RL_ANSWER_OTHER || reply->integer > (int64_t)last) {
		return false;
	}
	*answer = (enum rl_answer)reply->integer;
	return true;
}

bool rl_protocol_parse_grant(const struct rl_reply *reply, struct rl_grant *grant)
{
	const struct rl_reply *part = reply->elements;
	size_t count = reply->type == RL_REPLY_ARRAY ? reply->count : 0;

	*grant = (struct rl_grant){ .ours = reply->type == RL_REPLY_INTEGER && reply->integer > 0 };
	if (grant->ours) {
		grant->fence = reply->integer;
		return true;
	}
	if (count == 0 || part[0].type != RL_REPLY_INTEGER) {
		return false;
	}
	if (count == 1) {
		grant->is_void = true;
		return part[0].integer == 2;
	}
	if (part[0].integer != 0 || part[1].type != RL_REPLY_INTEGER) {
		return false;
	}
	grant->busy_ms = part[1].integer > RL_LEASE_MAX_MS ? -1 : part[1].integer;
	for (size_t i = 2; i < count; i++) {
		if (part[i].type != RL_REPLY_INTEGER) {
			return false;
		}
	}
	grant->may_be_own = count > 2 && part[2].integer != 0;
	grant->is_shared = grant->is_first = count == 3 && part[2].integer == 1;
	return count <= 3;
}

bool rl_protocol_parse_upgraded(const struct rl_reply *reply, struct rl_upgraded *upgraded)
{
	const struct rl_reply *part = reply->elements;

	*upgraded = (struct rl_upgraded){ 0 };
	if (reply->type != RL_REPLY_ARRAY || reply->count == 0
		|| !read_answer(part, RL_ANSWER_NO_FENCE, &upgraded->answer)) {
		return false;
	}
	if (upgraded->answer != RL_ANSWER_OURS) {
		return true;
	}
	if (reply->count != 3 || part[1].type != RL_REPLY_INTEGER || part[2].type != RL_REPLY_INTEGER) {
		return false;
	}
	upgraded->fence = part[1].integer;
	upgraded->left_ms = part[2].integer;
	return true;
}

bool rl_protocol_parse_answer(const struct rl_reply *reply, enum rl_answer *answer)
{
	return read_answer(reply, RL_ANSWER_PASSED, answer);
}

bool rl_protocol_parse_replaced(const struct rl_reply *reply, struct rl_replaced *replaced)
{
	const struct rl_reply *part = reply->elements;

	*replaced = (struct rl_replaced){ 0 };
	if (reply->type != RL_REPLY_ARRAY || reply->count == 0
		|| !read_answer(part, RL_ANSWER_NO_FENCE, &replaced->answer)) {
		return false;
	}
	if (replaced->answer != RL_ANSWER_OURS) {
		return true;
	}
	if (reply->count != 3 || part[1].type != RL_REPLY_STRING || part[2].type != RL_REPLY_INTEGER) {
		return false;
	}
	replaced->fence_text = part[1].text;
	replaced->left_ms = part[2].integer;
	return true;
}

enum rl_status rl_protocol_read_answer(const struct rl_session *session, const struct rl_reply *reply,
	enum rl_answer *answer, struct rl_error *error)
{
	return rl_protocol_parse_answer(reply, answer) ? RL_OK : rl_protocol_fail(session, error);
}

enum rl_status rl_protocol_run(struct rl_route *route, struct rl_step *step, rl_time deadline,
	enum rl_answer *answer, struct rl_error *error)
{
	struct rl_session session;
	const struct rl_reply *reply;
	enum rl_status status;

	status = rl_call_run(route, &step->call, deadline, &session, &reply, error);
	if (status != RL_OK) {
		return status;
	}
	status = rl_protocol_read_answer(&session, reply, answer, error);
	step->call.maybe_done = status != RL_OK; /* nonsense says nothing of what was done */
	rl_session_end(&session);
	return status;
}
