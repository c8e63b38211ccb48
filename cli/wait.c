/*
 * rlock wait KEY: returns once the lock is free, and takes nothing.
 */
#include "commands.h"

#include "holder.h"
#include "shown.h"

static enum cli_status wait_for(const struct cli_options *options, struct rl_owner *owner)
{
	struct rl_error error;
	enum rl_status status = rl_owner_wait_until_free(
		owner, options->key, options->wait, NULL, &error);

	if (status == RL_OK) {
		return CLI_OK;
	}
	if (status != RL_NO) {
		return cli_owner_failed(options, status, &error);
	}
	cli_holder_tell_busy(options, owner);
	return CLI_BUSY;
}

int cli_wait(const struct cli_options *options)
{
	struct cli_shown lock;
	int status = cli_shown_open(&lock, options);

	if (status == CLI_OK) {
		status = wait_for(&lock.options, lock.owner);
		cli_shown_close(&lock);
	}
	return status;
}
