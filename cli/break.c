/*
 * rlock break KEY [--fence N]: frees a lock, whoever holds it.
 */
#include "commands.h"
#include "shown.h"
#include "tell.h"

static int break_lock(const struct cli_options *options, struct rl_owner *owner)
{
	struct rl_error error;
	char name[CLI_NAME_SIZE];
	enum rl_status status = rl_owner_break(owner, options->key, options->fence, &error);

	cli_tell_name(name, options->key);
	if (status == RL_OK) {
		cli_tell(options, CLI_NEWS, "broken",
			"Broke \"%s\"; whoever held it will learn that the lock is lost", name);
		return CLI_OK;
	}
	if (status != RL_NO) {
		return cli_owner_failed(options, status, &error);
	}
	cli_tell(options, CLI_NEWS, "free",
		options->fence ? "Nobody holds \"%s\" under that fence" : "Nobody holds \"%s\"", name);
	return CLI_NOBODY;
}

int cli_break(const struct cli_options *options)
{
	struct cli_shown lock;
	int status = cli_shown_open(&lock, options);

	if (status == CLI_OK) {
		status = break_lock(&lock.options, lock.owner);
		cli_shown_close(&lock);
	}
	return status;
}
