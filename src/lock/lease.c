#include "lease.h"
#include "shown_name.h"
#include "../base/assert.h"

#include <stdlib.h>
#include <string.h>

rl_time rl_lease_safe_until(rl_time asked_at, int64_t lease_ms)
{
	rl_time lease = lease_ms * RL_MILLISECOND;

	return asked_at + lease - (lease / 100 + 2 * RL_MILLISECOND);
}

void rl_lease_begin(struct rl_lease *lease, rl_time asked_at, int64_t lease_ms)
{
	lease->length_ms = lease_ms;
	lease->tenure.safe_until = rl_lease_safe_until(asked_at, lease_ms);
}

int64_t rl_lease_told(int64_t left_ms)
{
	return left_ms < 0 || left_ms > RL_LEASE_MAX_MS ? RL_LEASE_MAX_MS : left_ms;
}

enum rl_status rl_lease_keys(
	struct rl_text prefix, struct rl_text name, struct rl_keys *keys, struct rl_error *error)
{
	if (!rl_keys_make(keys, prefix, name)) {
		return rl_fail_for_memory(error);
	}
	if (rl_keys_clash(keys)) {
		rl_keys_free(keys);
		return rl_fail(error, RL_INVALID,
			"A lock's name cannot begin like rlock's own keys, \"rlock:f:{\"; use a prefix");
	}
	return RL_OK;
}

/* What its terms ask for beside its keys. False: out of memory. */
static bool complete(struct rl_lease *lease, const struct rl_lease_terms *terms)
{
	if (terms->guarded.data) {
		char *copy = malloc(terms->guarded.length);

		if (!copy) {
			return false;
		}
		rl_text_put(copy, terms->guarded);
		lease->guarded = (struct rl_text){ copy, terms->guarded.length };
	}
	/* An exclusive lock needs the keys of shares when it turns out to be shared, not before. */
	return !terms->is_share || rl_keys_share(&lease->keys);
}

/* Takes the token over, also on failure. */
static enum rl_status make(const struct rl_lease_terms *terms, struct rl_token *token,
	struct rl_lease **out, struct rl_error *error)
{
	struct rl_lease *lease = calloc(1, sizeof *lease);
	enum rl_status status = lease ? rl_lease_keys(terms->prefix, terms->name, &lease->keys, error)
								  : rl_fail_for_memory(error);

	if (status != RL_OK) {
		rl_token_free(token);
		free(lease);
		return status;
	}
	lease->token = *token;
	lease->entry.key = (struct rl_text){
		lease->keys.of[RL_KEY_LOCK].data + terms->prefix.length, terms->name.length
	};
	lease->tenure.is_share = terms->is_share;
	lease->limit = terms->limit;
	lease->depth = 1;
	lease->generation = rl_system_generation();
	if (!complete(lease, terms)) {
		rl_lease_free(lease);
		return rl_fail_for_memory(error);
	}
	*out = lease;
	return RL_OK;
}

enum rl_status rl_lease_new(
	const struct rl_lease_terms *terms, struct rl_lease **out, struct rl_error *error)
{
	struct rl_token token;
	enum rl_status status = rl_token_make(
		&token, terms->holder, terms->metadata, terms->nobody, error);

	return status == RL_OK ? make(terms, &token, out, error) : status;
}

enum rl_status rl_lease_new_like(struct rl_text prefix, const struct rl_lease *lease,
	struct rl_lease **out, struct rl_error *error)
{
	struct rl_lease_terms terms = {
		.prefix = prefix,
		.name = lease->entry.key,
		.is_share = lease->tenure.is_share,
		.limit = lease->limit,
		.guarded = lease->guarded,
	};
	struct rl_token token;
	enum rl_status status = rl_token_make_like(&token, &lease->token, error);

	if (status == RL_OK) {
		status = make(&terms, &token, out, error);
	}
	if (status == RL_OK) {
		(*out)->generation = lease->generation;
	}
	return status;
}

/* A node that has not answered may have done it: what the grant's fence is there is not known. */
void rl_lease_note_grant(struct rl_lease *lease, int64_t fence, uint32_t nodes)
{
	struct rl_holdings *holdings = &lease->tenure.holdings;

	lease->tenure.fence = fence;
	lease->tenure.unanswered_ms = 0;
	lease->is_missed = false;
	for (size_t i = 0; i < RL_NODES_MAX; i++) {
		uint32_t bit = (uint32_t)1 << i;

		if (holdings->fences[i] && nodes & bit) {
			holdings->fences[i]++;
		} else if (holdings->fences[i]) {
			holdings->fences[i] = 0;
			holdings->held &= ~bit;
			holdings->unknown |= bit;
		}
	}
}

void rl_lease_forget_fences(struct rl_lease *lease)
{
	lease->tenure.fence = 0;
	memset(lease->tenure.holdings.fences, 0, sizeof lease->tenure.holdings.fences);
}

/* Moves `*to` behind the copy. */
static struct rl_text copy_text(char **to, struct rl_text from)
{
	struct rl_text copy = { *to, from.length };

	*to = rl_text_put(*to, from);
	return copy;
}

struct rl_lease *rl_lease_copy(const struct rl_lease *lease)
{
	struct rl_text lock = lease->keys.of[RL_KEY_LOCK], companion = lease->keys.of[RL_KEY_FENCE];
	struct rl_lease *copy = malloc(sizeof *copy + lock.length
		+ (RL_KEY_COUNT - RL_KEY_FENCE) * companion.length + lease->token.length
		+ lease->guarded.length);
	char *texts;

	if (!copy) {
		return NULL;
	}
	memset(copy, 0, sizeof *copy);
	texts = (char *)(copy + 1);
	copy->keys.of[RL_KEY_LOCK] = copy_text(&texts, lock);
	for (int key = RL_KEY_FENCE; key < RL_KEY_COUNT; key++) {
		char *name = texts;

		copy->keys.of[key] = copy_text(&texts, companion);
		rl_keys_name(name, (enum rl_key)key);
	}
	copy->token = lease->token;
	copy->token.text = texts;
	texts = rl_text_put(texts, (struct rl_text){ lease->token.text, lease->token.length });
	copy->tenure = lease->tenure;
	copy->limit = lease->limit;
	if (lease->guarded.data) {
		copy->guarded = copy_text(&texts, lease->guarded);
	}
	return copy;
}

const char *rl_lease_failure(const struct rl_lease *lease)
{
	rl_time extended_at = lease->tenure.safe_until - lease->length_ms * RL_MILLISECOND;

	return lease->failed_at > extended_at ? lease->failure : NULL;
}

static void let_go(struct rl_late_answers *late)
{
	if (late && late->out > 0) {
		late->lease = NULL;
	} else {
		free(late);
	}
}

void rl_lease_free(struct rl_lease *lease)
{
	if (lease && lease->pins > 0) {
		lease->is_freed = true;
	} else if (lease) {
		rl_assert(!lease->task); /* 5 */
		let_go(lease->late);
		rl_keys_free(&lease->keys);
		rl_token_free(&lease->token);
		free((char *)lease->guarded.data);
		free(lease->failure);
		free(lease);
	}
}

void rl_lease_unpin(struct rl_lease *lease)
{
	rl_assert(lease->pins > 0); /* 6 */
	if (--lease->pins == 0 && lease->is_freed) {
		rl_lease_free(lease);
	}
}

bool rl_tenure_is_alike(const struct rl_tenure *a, const struct rl_tenure *b)
{
	return a->fence == b->fence && a->is_share == b->is_share
		&& a->unanswered_ms == b->unanswered_ms
		&& memcmp(a->holdings.fences, b->holdings.fences, sizeof a->holdings.fences) == 0;
}

bool rl_lease_is_alike(const struct rl_lease *a, const struct rl_lease *b)
{
	return rl_text_is(a->entry.key, b->entry.key);
}

const char *rl_lease_name(const struct rl_lease *lease, char *buffer, size_t size)
{
	return rl_shown_name(buffer, size, lease->entry.key);
}
