/*
 * rlock wait KEY: returns once the lock is free, and takes nothing.
 */
#include "commands.h"

#include "holder.h"
#include "shown.h"
#include "tell.h"

static enum cli_status tell_busy(const struct cli_options *options, struct rl_owner *owner)
{
	char name[CLI_NAME_SIZE], words[CLI_HOLDER_SIZE];
	struct rl_holder holder;
	struct rl_error ignored;

	cli_tell_name(name, options->key);
	if (rl_owner_holder(owner, options->key, &holder, &ignored) != RL_OK) {
		cli_tell(options, CLI_NEWS, "busy", "\"%s\" was not free", name);
		return CLI_BUSY;
	}
	cli_holder_describe(words, &holder);
	rl_owner_holder_clear(&holder);
	cli_tell(options, CLI_NEWS, "busy", "\"%s\" is not free: %s", name, words);
	return CLI_BUSY;
}

static enum cli_status wait_for(const struct cli_options *options, struct rl_owner *owner)
{
	struct rl_error error;
	enum rl_status status = rl_owner_wait_until_free(
		owner, options->key, options->wait, NULL, &error);

	if (status == RL_OK) {
		return CLI_OK;
	}
	return status == RL_NO ? tell_busy(options, owner)
						   : cli_owner_failed(options, status, &error);
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
