/*
 * Administration: freeing a lock whoever holds it. We look first and then break just that grant,
 * so that a request sent twice can never break the lock of whoever came after. A lock that has
 * changed hands in between is still held: then we look again.
 */
#include "holder.h"
#include "../../base/poll.h"

#define LOOK_PAUSE (10 * RL_MILLISECOND) /* before the next look at a lock that has changed hands */

/*
 * RL_NO: the lock holds something else by now, or nothing. `fence`: that of `seen`, if it matters; otherwise 0. Shares on
 * the nodes of a majority go all at once: what L holds of them is alike everywhere.
 */
static enum rl_status break_grant(struct rl_owner *owner, const struct rl_keys *keys, const struct rl_holder *seen,
	int64_t fence, struct rl_error *error)
{
	struct rl_text value = seen->of_shares ? rl_text_of("+shared")
		: seen->value                      ? (struct rl_text){ seen->value, seen->value_length }
										   : rl_text_of("");
	struct rl_token names;
	struct rl_step step;
	enum rl_answer answer;
	enum rl_status status = rl_token_make(&names, (struct rl_text){ NULL, 0 }, true, error);

	if (status != RL_OK) {
		return status;
	}
	rl_protocol_break(&step, keys, value, fence, &names);
	status = owner->backend->run(owner->route, &step, rl_owner_deadline(owner), &answer, error);
	rl_token_free(&names);
	if (status == RL_OK && answer == RL_ANSWER_OTHER && !step.call.unanswered) {
		status = RL_NO;
	}
	return status;
}

/* --- shares --- */

struct shares {
	struct rl_owner *owner;
	struct rl_text name;
	struct rl_lease *first; /* those that are to be broken */
	enum rl_status status;
	struct rl_error *error;
};

static enum rl_status add_share(struct shares *shares, const struct rl_reply *token)
{
	struct rl_lease *lease;
	enum rl_status status = rl_lease_new_with(shares->owner->prefix, shares->name,
		(struct rl_text){ token->text, token->length }, &lease, shares->error);

	if (status == RL_OK) {
		lease->entry.next = (struct rl_table_entry *)shares->first;
		shares->first = lease;
		status = rl_lease_use_turnstile(lease, shares->error);
	}
	return status;
}

static bool read_shares(void *context, const struct rl_reply *reply)
{
	struct shares *shares = context;
	bool makes_sense = reply->type == RL_REPLY_ARRAY;

	for (size_t i = 0; makes_sense && shares->status == RL_OK && i < reply->count; i++) {
		makes_sense = reply->elements[i].type == RL_REPLY_STRING
			&& rl_token_read_value(reply->elements[i].text, reply->elements[i].length).kind <= RL_VALUE_DETACHED;
		if (makes_sense) {
			shares->status = add_share(shares, &reply->elements[i]);
		}
	}
	return makes_sense;
}

static enum rl_status end_share(struct rl_owner *owner, const struct rl_lease *lease, struct rl_error *error)
{
	struct rl_token names;
	enum rl_answer answer;
	struct rl_step step;
	enum rl_status status = rl_token_make(&names, (struct rl_text){ NULL, 0 }, true, error);

	if (status != RL_OK) {
		return status;
	}
	rl_protocol_break_share(&step, lease, &names);
	status = owner->backend->run(owner->route, &step, rl_owner_deadline(owner), &answer, error);
	rl_token_free(&names);
	return status;
}

/*
 * Ends those that have been marked as lost, one by one; each has a token of its own, so that nobody else's is ended.
 * RL_NO: there was none.
 */
static enum rl_status end_shares(struct shares *shares)
{
	enum rl_status status = shares->first ? shares->status : RL_NO;

	while (shares->first) {
		struct rl_lease *lease = shares->first;

		shares->first = (struct rl_lease *)lease->entry.next;
		if (status == RL_OK) {
			status = end_share(shares->owner, lease, shares->error);
		}
		shares->owner->backend->forget(lease);
	}
	return status;
}

/* `fence`: of one share; 0: all. */
static enum rl_status break_shares(struct rl_owner *owner, struct rl_text name, const struct rl_keys *keys, int64_t fence,
	struct rl_error *error)
{
	struct shares shares = { .owner = owner, .name = name, .error = error };
	struct rl_token token;
	struct rl_step step;
	enum rl_status status = rl_token_make(&token, (struct rl_text){ NULL, 0 }, true, error), ended;

	if (status != RL_OK) {
		return status;
	}
	rl_protocol_break_shared(&step, keys, fence, &token);
	status = owner->backend->query(owner->route, &step, rl_owner_deadline(owner), read_shares, &shares, error);
	rl_token_free(&token);
	if (status != RL_OK) {
		shares.status = status;
	}
	ended = end_shares(&shares);
	return status == RL_OK ? ended : status;
}

/*
 * RL_NO: it is free, or not the grant with this fence. With `changed`, the grant that was seen had ended before it could
 * be broken.
 */
static enum rl_status look_and_break(struct rl_owner *owner, struct rl_text name, const struct rl_keys *keys, int64_t fence,
	bool *changed, struct rl_error *error)
{
	struct rl_holder holder;
	enum rl_status status = rl_holder_look(owner, keys, &holder, error);

	*changed = false;
	if (status != RL_OK) {
		return status;
	}
	if (holder.of_shares && owner->backend->can_share) {
		status = break_shares(owner, name, keys, fence, error);
		*changed = status == RL_NO && fence == 0;
	} else if (fence && holder.fence != fence) {
		status = RL_NO;
	} else {
		status = break_grant(owner, keys, &holder, fence, error);
		*changed = status == RL_NO;
	}
	rl_owner_holder_clear(&holder);
	return status;
}

enum rl_status rl_owner_break(struct rl_owner *owner, struct rl_text key, int64_t fence, struct rl_error *error)
{
	enum rl_status status = rl_holder_begin(owner, key, error);
	struct rl_keys keys;
	bool changed;

	if (status == RL_OK) {
		status = rl_lease_keys(owner->prefix, key, &keys, error);
	}
	if (status != RL_OK) {
		return status;
	}
	if (!rl_keys_share(&keys)) {
		rl_keys_free(&keys);
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	status = look_and_break(owner, key, &keys, fence, &changed, error);
	while (changed && rl_now() < rl_owner_deadline(owner)) {
		rl_poll(NULL, 0, rl_now() + LOOK_PAUSE);
		status = look_and_break(owner, key, &keys, fence, &changed, error);
	}
	rl_keys_free(&keys);
	if (changed) {
		return rl_fail(error, RL_UNREACHABLE,
			"Redis at %s: the lock changed hands after each look at it, until the deadline; break it again",
			owner->route->name);
	}
	return status;
}
