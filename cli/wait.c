/*
 * rlock wait KEY: returns once the lock is free, and takes nothing. To stand in the queue would be
 * to take the lock, in front of whoever wants it: so this only looks, every now and then.
 */
#include "commands.h"

#include "../src/base/poll.h"
#include "holder.h"
#include "shown.h"
#include "tell.h"

#define PAUSE (RL_SECOND / 4)

static int look_until(const struct cli_options *options, struct rl_owner *owner, rl_time until)
{
	char name[CLI_NAME_SIZE], words[CLI_HOLDER_SIZE];
	struct rl_holder holder;
	struct rl_error error;

	for (;;) {
		enum rl_status status = rl_owner_holder(owner, options->key, &holder, &error);
		rl_time now = rl_now(), pause = PAUSE;

		if (status == RL_NO) {
			return CLI_OK;
		}
		if (status != RL_OK) {
			return cli_owner_failed(options, status, &error);
		}
		cli_holder_describe(words, &holder);
		if (holder.left_ms >= 0 && holder.left_ms < PAUSE / RL_MILLISECOND) {
			pause = (holder.left_ms + 1) * RL_MILLISECOND;
		}
		rl_owner_holder_clear(&holder);
		if (now >= until) {
			cli_tell(options, CLI_NEWS, "busy", "\"%s\" is not free: %s",
				cli_tell_name(name, options->key), words);
			return CLI_BUSY;
		}
		rl_poll(NULL, 0, rl_time_earlier(until, now + pause));
	}
}

int cli_wait(const struct cli_options *options)
{
	struct cli_shown lock;
	int status = cli_shown_open(&lock, options);

	if (status == CLI_OK) {
		rl_time until = options->wait == RL_FOREVER ? RL_FOREVER : rl_now() + options->wait;

		status = look_until(&lock.options, lock.owner, until);
		cli_shown_close(&lock);
	}
	return status;
}
