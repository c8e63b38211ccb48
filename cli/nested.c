#include "nested.h"

#include <stdlib.h>

#include "../src/base/number.h"

struct grant {
	const struct cli_options *options;
	int64_t fence; /* 0: none, as on a majority */
	bool is_in_the_way;
};

static bool says(const char *name, struct rl_text wanted)
{
	const char *value = getenv(name);

	return value && rl_text_equals(wanted, value);
}

/* A process that the command has left behind has these variables, too, when the lock is over. */
static bool note_holder(void *context, const struct rl_holder *holder)
{
	struct grant *grant = context;
	const struct cli_options *options = grant->options;
	bool fits_beside = holder->is_shared && options->shared && options->limit != 1;

	grant->is_in_the_way = holder->kind == RL_HOLDER_LEASE && holder->fence == grant->fence
		&& !fits_beside;
	return !grant->is_in_the_way;
}

bool cli_nested_in(struct rl_owner *owner, const struct cli_options *options)
{
	const char *fence = getenv("RLOCK_FENCE");
	struct grant grant = { .options = options };
	const struct rl_sharers request = { .found = note_holder, .context = &grant };
	struct rl_error ignored;

	if (!says("RLOCK_KEY", options->key) || !says("RLOCK_PREFIX", options->prefix)
		|| !says("RLOCK_SERVERS", rl_text_of(options->servers))
		|| (fence && !rl_number_read(rl_text_of(fence), INT64_MAX, &grant.fence))) {
		return false;
	}
	return rl_owner_sharers(owner, options->key, &request, &ignored) == RL_OK
		&& grant.is_in_the_way;
}
