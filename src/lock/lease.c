#include "lease.h"
#include "../base/number.h"

#include <stdlib.h>
#include <string.h>

rl_time rl_lease_safe_until(rl_time asked_at, int64_t lease_ms)
{
	rl_time lease = lease_ms * RL_MILLISECOND;

	return asked_at + lease - (lease / 100 + 2 * RL_MILLISECOND);
}

int64_t rl_lease_for(rl_time safe)
{
	rl_time lease = safe > 0 ? (safe + 2 * RL_MILLISECOND) / 99 * 100 : 0;

	return (lease + RL_MILLISECOND - 1) / RL_MILLISECOND;
}

void rl_lease_begin(struct rl_lease *lease, rl_time asked_at, int64_t lease_ms)
{
	lease->length_ms = lease_ms;
	lease->safe_until = rl_lease_safe_until(asked_at, lease_ms);
}

int64_t rl_lease_told(int64_t left_ms)
{
	return left_ms < 0 || left_ms > RL_LEASE_MAX_MS ? RL_LEASE_MAX_MS : left_ms;
}

void rl_lease_set_fence(struct rl_lease *lease, int64_t fence)
{
	lease->fence = fence;
	rl_number_put(lease->fence_text, fence);
}

bool rl_lease_set_fence_text(struct rl_lease *lease, const char *text)
{
	static const char digits[] = "0123456789";
	size_t length = strlen(text), number = strspn(text, digits), adoptions = 0;

	if (text[number] == ':') {
		adoptions = 1 + strspn(text + number + 1, digits);
	}
	if (number == 0 || length >= sizeof lease->fence_text || number + adoptions != length) {
		return false;
	}
	memcpy(lease->fence_text, text, length + 1);
	lease->fence = strtoll(text, NULL, 10);
	return true;
}

enum rl_status rl_lease_keys(struct rl_text prefix, struct rl_text name, struct rl_keys *keys, struct rl_error *error)
{
	if (!rl_keys_make(keys, prefix, name)) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	if (rl_keys_clash(keys)) {
		rl_keys_free(keys);
		return rl_fail(error, RL_INVALID, "A lock's name cannot begin like rlock's own keys, \"rlock:f:{\"; use a prefix");
	}
	return RL_OK;
}

/* Takes the token over, also on failure. */
static enum rl_status make(struct rl_text prefix, struct rl_text name, struct rl_token *token, struct rl_lease **out,
	struct rl_error *error)
{
	struct rl_lease *lease = calloc(1, sizeof *lease);
	enum rl_status status = lease ? rl_lease_keys(prefix, name, &lease->keys, error)
								  : rl_fail(error, RL_NO_MEMORY, "Out of memory");

	if (status != RL_OK) {
		rl_token_free(token);
		free(lease);
		return status;
	}
	lease->token = *token;
	lease->entry.key = (struct rl_text){ lease->keys.text[RL_KEY_LOCK] + prefix.length, name.length };
	lease->depth = 1;
	lease->fence_text[0] = '0'; /* none */
	lease->generation = rl_system_generation();
	*out = lease;
	return RL_OK;
}

enum rl_status rl_lease_new(struct rl_text prefix, struct rl_text name, struct rl_text metadata, bool nobody,
	struct rl_lease **out, struct rl_error *error)
{
	struct rl_token token;
	enum rl_status status = rl_token_make(&token, metadata, nobody, error);

	return status == RL_OK ? make(prefix, name, &token, out, error) : status;
}

enum rl_status rl_lease_new_detached(struct rl_text prefix, struct rl_text name, struct rl_text holder,
	struct rl_text metadata, struct rl_lease **out, struct rl_error *error)
{
	struct rl_token token;
	enum rl_status status = rl_token_make_detached(&token, holder, metadata, error);

	return status == RL_OK ? make(prefix, name, &token, out, error) : status;
}

enum rl_status rl_lease_new_with(struct rl_text prefix, struct rl_text name, struct rl_text token, struct rl_lease **out,
	struct rl_error *error)
{
	struct rl_token copy;
	enum rl_status status = rl_token_copy(&copy, token, error);

	return status == RL_OK ? make(prefix, name, &copy, out, error) : status;
}

enum rl_status rl_lease_use_turnstile(struct rl_lease *lease, struct rl_error *error)
{
	lease->uses_turnstile = rl_keys_share(&lease->keys);
	return lease->uses_turnstile ? RL_OK : rl_fail(error, RL_NO_MEMORY, "Out of memory");
}

enum rl_status rl_lease_new_like(struct rl_text prefix, const struct rl_lease *lease, struct rl_lease **out, struct rl_error *error)
{
	enum rl_status status = rl_lease_new_with(prefix, lease->entry.key, rl_token_text(&lease->token), out, error);

	if (status != RL_OK) {
		return status;
	}
	(*out)->is_share = lease->is_share;
	(*out)->limit = lease->limit;
	if (lease->uses_turnstile) {
		status = rl_lease_use_turnstile(*out, error);
	}
	if (status != RL_OK) {
		rl_lease_free(*out);
	}
	return status;
}

static void copy_text(char **to, const char *from, size_t length, char **copy)
{
	*copy = *to;
	memcpy(*to, from, length);
	*to += length;
}

struct rl_lease *rl_lease_copy(const struct rl_lease *lease)
{
	size_t lock_length = lease->keys.length[RL_KEY_LOCK], fence_length = lease->keys.length[RL_KEY_FENCE];
	size_t holdings_size = lease->holding_count * sizeof *lease->holdings;
	struct rl_lease *copy = malloc(sizeof *copy + holdings_size + lock_length + 2 * fence_length + lease->token.length);
	char *texts;

	if (!copy) {
		return NULL;
	}
	memset(copy, 0, sizeof *copy);
	texts = (char *)(copy + 1) + holdings_size;
	if (lease->holdings) {
		copy->holdings = memcpy(copy + 1, lease->holdings, holdings_size);
		copy->holding_count = lease->holding_count;
	}
	copy_text(&texts, lease->keys.text[RL_KEY_LOCK], lock_length, &copy->keys.text[RL_KEY_LOCK]);
	copy_text(&texts, lease->keys.text[RL_KEY_FENCE], fence_length, &copy->keys.text[RL_KEY_FENCE]);
	copy_text(&texts, lease->keys.text[RL_KEY_FENCE], fence_length, &copy->keys.text[RL_KEY_SHARES]);
	rl_keys_name(copy->keys.text[RL_KEY_SHARES], RL_KEY_SHARES);
	copy_text(&texts, lease->token.text, lease->token.length, &copy->token.text);
	copy->keys.length[RL_KEY_LOCK] = lock_length;
	copy->keys.length[RL_KEY_FENCE] = copy->keys.length[RL_KEY_SHARES] = fence_length;
	copy->token.length = lease->token.length;
	copy->is_share = lease->is_share;
	copy->limit = lease->limit;
	memcpy(copy->fence_text, lease->fence_text, sizeof lease->fence_text);
	return copy;
}

const char *rl_lease_failure(const struct rl_lease *lease)
{
	return lease->failed_at > lease->safe_until - lease->length_ms * RL_MILLISECOND ? lease->failure : NULL;
}

void rl_lease_set_copies(struct rl_lease *lease, rl_time until)
{
	lease->copies_until = until;
}

void rl_lease_close(struct rl_lease *lease)
{
	lease->sent_again = false;
	lease->copies_until = 0;
}

bool rl_lease_has_copies(const struct rl_lease *lease)
{
	return lease->copies_until && rl_now() < lease->copies_until + RL_SECOND;
}

bool rl_lease_is_outlived(const struct rl_lease *lease, rl_time at)
{
	return lease->copies_until && at >= lease->safe_until && lease->safe_until < lease->copies_until + RL_SECOND;
}

void rl_lease_free(struct rl_lease *lease)
{
	if (lease) {
		rl_keys_free(&lease->keys);
		rl_token_free(&lease->token);
		free(lease->failure);
		free(lease);
	}
}

bool rl_lease_misses_nodes(const struct rl_lease *lease)
{
	for (size_t i = 0; i < lease->holding_count; i++) {
		if (lease->holdings[i].is_taken) {
			return true;
		}
	}
	return false;
}

bool rl_lease_is_alike(const struct rl_lease *a, const struct rl_lease *b)
{
	return rl_text_is(a->entry.key, b->entry.key);
}

const char *rl_lease_name(const struct rl_lease *lease, char *buffer, size_t size)
{
	return rl_text_printable(buffer, size, lease->entry.key);
}
