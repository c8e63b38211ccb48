/*
 * rlock who KEY: who holds one lock, each share of it, and who waits for it. An answer on standard
 * output, and nothing else there.
 */
#include "commands.h"
#include "shown.h"
#include "table.h"
#include "tell.h"
#include "waits.h"

struct who {
	const struct cli_options *options;
	struct cli_table table;
	struct cli_waits waits;
	bool knows_waits, is_out_of_memory;
};

/* Of a member that has been begun. */
static void put_waits(const struct cli_waits *waits)
{
	putchar('[');
	for (size_t i = 0; i < waits->count; i++) {
		struct cli_json object;

		fputs(i ? "," : "", stdout);
		object = cli_json_begin(stdout);
		cli_wait_put_json(&object, &waits->waits[i]);
		cli_json_end(&object);
	}
	putchar(']');
}

static void put_holder(const struct who *who, const struct rl_holder *holder)
{
	struct cli_json object = cli_holder_begin_json(stdout, who->options->key, holder);

	if (who->knows_waits) {
		cli_json_name(&object, "waiters");
		put_waits(&who->waits);
	} else {
		cli_json_null(&object, "waiters");
	}
	cli_json_end(&object);
	putchar('\n');
}

static bool found(void *context, const struct rl_holder *holder)
{
	struct who *who = context;

	if (who->options->json) {
		put_holder(who, holder);
		return true;
	}
	who->is_out_of_memory = !cli_table_add(&who->table, who->options->key, holder);
	return !who->is_out_of_memory;
}

static void print(struct who *who)
{
	cli_table_print(&who->table, stdout);
	for (size_t i = 0; i < who->waits.count; i++) {
		cli_wait_print(who->options->key, &who->waits.waits[i]);
		putchar('\n');
	}
}

/* Who waits is not always to be known: on a majority, or without the right. */
static void find_waits(struct who *who, struct rl_owner *owner)
{
	struct rl_error error;
	enum rl_status status = cli_waits_of(&who->waits, owner, who->options->key, &error);

	who->knows_waits = status == RL_OK;
	if (!who->knows_waits) {
		who->waits.count = 0;
		/* Who cannot be reached is told when who holds the lock is asked. */
		cli_tell(who->options, status == RL_UNREACHABLE ? CLI_DETAIL : CLI_NEWS, "waiters",
			"Who waits is not known: %s", error.message);
	}
}

/* Often it was asked with the wrong prefix. */
static void tell_free(const struct cli_options *options)
{
	char name[CLI_NAME_SIZE], prefix[RL_NAME_SIZE], other[RL_NAME_SIZE];

	cli_tell_name(name, options->key);
	if (cli_shown_elsewhere(options, other)) {
		cli_tell(options, CLI_NEWS, "free",
			"Nobody holds \"%s\" with the prefix \"%s\"; with \"%s\" somebody does: --prefix tells that",
			name, rl_text_printable(prefix, sizeof prefix, options->prefix), other);
	} else {
		cli_tell(options, CLI_NEWS, "free", "Nobody holds \"%s\"", name);
	}
}

static int look(struct who *who, struct rl_owner *owner)
{
	const struct cli_options *options = who->options;
	const struct rl_sharers request = { .found = found, .context = who };
	struct rl_error error;
	enum rl_status status;

	find_waits(who, owner);
	status = rl_owner_sharers(owner, options->key, &request, &error);
	if (who->is_out_of_memory) {
		status = rl_fail(&error, RL_NO_MEMORY, "Out of memory");
	}
	if (status == RL_OK) {
		if (!options->json) {
			print(who);
		}
		return CLI_OK;
	}
	if (status != RL_NO) {
		return cli_owner_failed(options, status, &error);
	}
	if (options->json) {
		puts("null");
	} else if (!options->quiet) {
		tell_free(options);
	}
	return CLI_NOBODY;
}

int cli_who(const struct cli_options *options)
{
	struct cli_shown lock;
	struct who who = { .options = &lock.options };
	int status = cli_shown_open(&lock, options);

	if (status == CLI_OK) {
		status = look(&who, lock.owner);
		cli_table_clear(&who.table);
		cli_waits_clear(&who.waits);
		cli_shown_close(&lock);
	}
	return status;
}
