/*
 * rlock who KEY: who holds one lock. An answer on standard output, and nothing else there.
 */
#include "commands.h"
#include "owner.h"
#include "table.h"
#include "tell.h"

static void print(const struct cli_options *options, const struct rl_holder *holder)
{
	struct cli_table table = { 0 };

	if (options->json) {
		cli_holder_put_json(stdout, options->key, holder);
		putc('\n', stdout);
	} else if (cli_table_add(&table, options->key, holder)) {
		cli_table_print(&table, stdout);
	}
	cli_table_clear(&table);
}

static int look(const struct cli_options *options, struct rl_owner *owner)
{
	struct rl_holder holder;
	struct rl_error error;
	char name[CLI_NAME_SIZE];
	enum rl_status status = rl_owner_holder(owner, options->key, &holder, &error);

	if (status == RL_OK) {
		print(options, &holder);
		rl_owner_holder_clear(&holder);
		return CLI_OK;
	}
	if (status != RL_NO) {
		return cli_owner_failed(options, status, &error);
	}
	if (options->json) {
		puts("null");
	} else {
		cli_tell(options, CLI_NEWS, "free", "Nobody holds \"%s\"", cli_tell_name(name, options->key));
	}
	return CLI_NOBODY;
}

int cli_who(const struct cli_options *options)
{
	struct rl_owner *owner;
	int status = cli_owner_open(options, (struct rl_wait_hook){ 0 }, NULL, &owner);

	if (status == CLI_OK) {
		status = look(options, owner);
		cli_owner_close(owner);
	}
	return status;
}
