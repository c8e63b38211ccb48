#include "lease.h"
#include "claim.h"
#include "../base/number.h"

#include <stdlib.h>
#include <string.h>

rl_time rl_safe_until(rl_time asked_at, int64_t lease_ms)
{
	rl_time lease = lease_ms * RL_MILLISECOND;

	return asked_at + lease - (lease / 100 + 2 * RL_MILLISECOND);
}

int64_t rl_lease_for(rl_time safe)
{
	rl_time lease = safe > 0 ? (safe + 2 * RL_MILLISECOND) / 99 * 100 : 0;

	return (lease + RL_MILLISECOND - 1) / RL_MILLISECOND;
}

int64_t rl_lease_told(int64_t left_ms)
{
	return left_ms < 0 || left_ms > RL_LEASE_MAX_MS ? RL_LEASE_MAX_MS : left_ms;
}

void rl_fence_print(char text[RL_FENCE_SIZE], int64_t fence)
{
	rl_number_put(text, fence);
}

void rl_lease_set_fence(struct rl_lease *lease, int64_t fence)
{
	lease->fence = fence;
	rl_fence_print(lease->fence_text, fence);
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

enum rl_status rl_lease_keys(const char *prefix, size_t prefix_length, const char *name, size_t name_length,
	struct rl_keys *keys, struct rl_error *error)
{
	if (!rl_keys_make(keys, prefix, prefix_length, name, name_length)) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	if (rl_keys_clash(keys)) {
		rl_keys_free(keys);
		return rl_fail(error, RL_INVALID, "A lock's name cannot begin like rlock's own keys, \"rlock:f:{\"; use a prefix");
	}
	return RL_OK;
}

enum rl_status rl_lease_new(const char *prefix, size_t prefix_length, const char *name, size_t name_length,
	const char *metadata, size_t metadata_length, bool nobody, struct rl_lease **out, struct rl_error *error)
{
	struct rl_lease *lease = calloc(1, sizeof *lease);
	enum rl_status status;

	if (!lease) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	status = rl_lease_keys(prefix, prefix_length, name, name_length, &lease->keys, error);
	if (status != RL_OK) {
		free(lease);
		return status;
	}
	status = rl_token_make(&lease->token, metadata, metadata_length, nobody, error);
	if (status != RL_OK) {
		rl_keys_free(&lease->keys);
		free(lease);
		return status;
	}
	lease->entry.key = (struct rl_text){ lease->keys.text[RL_KEY_LOCK] + prefix_length, name_length };
	lease->depth = 1;
	rl_lease_set_fence(lease, 0);
	lease->generation = rl_system_generation();
	*out = lease;
	return RL_OK;
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
		rl_claim_abandon(lease);
		rl_lease_unshare(lease);
		rl_keys_free(&lease->keys);
		rl_token_free(&lease->token);
		free(lease);
	}
}

bool rl_lease_is_alike(const struct rl_lease *a, const struct rl_lease *b)
{
	return rl_text_is(a->entry.key, b->entry.key);
}
