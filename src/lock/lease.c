#include "lease.h"

#include <stdlib.h>

rl_time rl_safe_until(rl_time asked_at, int64_t lease_ms)
{
	rl_time lease = lease_ms * RL_MILLISECOND;

	return asked_at + lease - (lease / 100 + 2 * RL_MILLISECOND);
}

enum rl_status rl_lease_new(const char *prefix, size_t prefix_length, const char *name, size_t name_length,
	const char *metadata, size_t metadata_length, struct rl_lease **out, struct rl_error *error)
{
	struct rl_lease *lease = calloc(1, sizeof *lease);
	enum rl_status status;

	if (!lease || !rl_keys_make(&lease->keys, prefix, prefix_length, name, name_length)) {
		free(lease);
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	status = rl_token_make(&lease->token, metadata, metadata_length, error);
	if (status != RL_OK) {
		rl_keys_free(&lease->keys);
		free(lease);
		return status;
	}
	lease->entry.key = lease->keys.text[RL_KEY_LOCK] + prefix_length;
	lease->entry.key_length = name_length;
	lease->depth = 1;
	lease->generation = rl_generation();
	*out = lease;
	return RL_OK;
}

void rl_lease_free(struct rl_lease *lease)
{
	if (lease) {
		rl_keys_free(&lease->keys);
		rl_token_free(&lease->token);
		free(lease);
	}
}
