/*
 * rlock who KEY: who holds one lock, each share of it. An answer on standard output, and nothing
 * else there.
 */
#include "commands.h"
#include "owner.h"
#include "table.h"
#include "tell.h"

struct who {
	const struct cli_options *options;
	struct cli_table table;
};

static bool found(void *context, const struct rl_holder *holder)
{
	struct who *who = context;

	if (who->options->json) {
		cli_holder_put_json(stdout, who->options->key, holder);
		putc('\n', stdout);
		return true;
	}
	return cli_table_add(&who->table, who->options->key, holder);
}

static int look(const struct cli_options *options, struct rl_owner *owner)
{
	struct who who = { .options = options };
	const struct rl_sharers request = { .found = found, .context = &who };
	struct rl_error error;
	char name[CLI_NAME_SIZE];
	enum rl_status status = rl_owner_sharers(owner, options->key, &request, &error);

	if (status == RL_OK) {
		if (!options->json) {
			cli_table_print(&who.table, stdout);
		}
		cli_table_clear(&who.table);
		return CLI_OK;
	}
	if (status != RL_NO) {
		return cli_owner_failed(options, status, &error);
	}
	if (options->json) {
		puts("null");
	} else {
		cli_tell(
			options, CLI_NEWS, "free", "Nobody holds \"%s\"", cli_tell_name(name, options->key));
	}
	return CLI_NOBODY;
}

int cli_who(const struct cli_options *options)
{
	struct rl_owner *owner;
	int status = cli_owner_open(options, (struct rl_wait_hook){ 0 }, NULL, &owner);

	if (status == CLI_OK) {
		status = look(options, owner);
		cli_owner_close(owner, rl_now());
	}
	return status;
}
