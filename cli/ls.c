/*
 * rlock ls: all locks whose keys match. The search asks with SCAN, in steps, so that no server is
 * blocked; on one with many keys it takes a while. What has been found is printed every second,
 * and a terminal is shown how far it is.
 */
#include "commands.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

#include "../src/lock/shown_name.h"
#include "shown.h"
#include "signals.h"
#include "table.h"
#include "tell.h"
#include "waits.h"

#define LIMIT          1000            /* for people, who read no more */
#define PROGRESS_AFTER (RL_SECOND)     /* nothing is shown before, and no lock printed */
#define PROGRESS       (RL_SECOND / 4) /* between two looks at the time */
#define REDRAW         (RL_SECOND)     /* --watch: from the end of a search to the next */

#define CLEAR_LINE   "\r\033[K"
#define CLEAR_SCREEN "\033[H\033[J"

struct ls {
	const struct cli_options *options;
	struct rl_owner *owner;
	struct rl_owner *all; /* of all prefixes, for sessions; NULL: it is the other */
	struct cli_table table;
	rl_time began, printed;
	int64_t count, limit;
	bool has_more;       /* than the limit */
	bool shows_progress; /* standard error is a terminal that has nothing else to show */
	bool has_progress;   /* there is some to be cleared */
	bool is_out_of_memory;
};

static void clear_progress(struct ls *ls)
{
	if (ls->has_progress) {
		fputs(CLEAR_LINE, stderr);
		ls->has_progress = false;
	}
}

static void print_found(struct ls *ls)
{
	clear_progress(ls);
	cli_table_print(&ls->table, stdout);
	fflush(stdout);
	ls->printed = rl_now();
}

/* Between requests. */
static bool go_on(void *context)
{
	struct ls *ls = context;
	rl_time now = rl_now();

	if (ls->table.count > 0 && !ls->options->watch && now - ls->printed >= PROGRESS_AFTER) {
		print_found(ls);
	}
	if (ls->shows_progress && now - ls->began >= PROGRESS_AFTER) {
		fprintf(stderr, CLEAR_LINE "searching for %" PRId64 " s, %" PRId64 " found",
			(now - ls->began) / RL_SECOND, ls->count);
		ls->has_progress = true;
	}
	return !cli_signals_ended_by();
}

static bool found(
	void *context, struct rl_text name, struct rl_text shown, const struct rl_holder *holder)
{
	struct ls *ls = context;

	if (!ls->options->foreign && cli_holder_is_foreign(holder)) {
		return true;
	}
	if (ls->count == ls->limit) {
		ls->has_more = true;
		return false;
	}
	if (ls->options->json) {
		struct cli_json object;

		clear_progress(ls);
		fputs(ls->count > 0 ? ",\n" : "\n", stdout);
		object = cli_holder_begin_json(stdout, shown, holder);
		cli_json_end(&object);
	} else if (!cli_table_add(&ls->table, shown, holder)) {
		ls->is_out_of_memory = true;
		return false;
	}
	ls->count++;
	return !ferror(stdout);
}

/* A session's lock is shown whatever the prefix; under that, it was told before. */
static bool found_by_key(
	void *context, struct rl_text key, struct rl_text shown, const struct rl_holder *holder)
{
	struct ls *ls = context;
	struct rl_text start = { key.data, ls->options->prefix.length };
	bool is_under_prefix = key.length >= start.length && rl_text_is(start, ls->options->prefix);

	if (is_under_prefix || !rl_shown_name_hides(key)
		|| fnmatch(ls->options->key.data, shown.data, 0) != 0) {
		return true;
	}
	return found(context, key, shown, holder);
}

static enum rl_status search_all(struct ls *ls, struct rl_error *error)
{
	const struct rl_holders locks = {
		.pattern = ls->options->key, .limit = SIZE_MAX, .found = found, .context = ls
	};
	const struct rl_holders sessions = { .pattern = rl_text_of(CLI_SHOWN_SESSIONS),
		.limit = SIZE_MAX,
		.found = found_by_key,
		.context = ls };
	enum rl_status status;

	rl_owner_begin_call(ls->owner);
	status = rl_owner_holders(ls->owner, &locks, error);
	if (status == RL_OK && ls->all && !ls->has_more && !ls->is_out_of_memory) {
		status = rl_owner_holders(ls->all, &sessions, error);
	}
	rl_owner_end_call(ls->owner);
	return status;
}

/* What was found is in the table or, for a program, has been printed. */
static int search(struct ls *ls)
{
	struct rl_error error;
	enum rl_status status;

	ls->began = ls->printed = rl_now();
	ls->count = 0;
	ls->has_more = false;
	status = search_all(ls, &error);
	clear_progress(ls);
	if (status == RL_INTERRUPTED) {
		return CLI_SIGNAL + cli_signals_ended_by();
	}
	if (ls->is_out_of_memory) {
		status = rl_fail(&error, RL_NO_MEMORY,
			"Out of memory: a lower --limit needs less");
	}
	return status == RL_OK ? CLI_OK : cli_owner_failed(ls->options, status, &error);
}

static int list_for_program(struct ls *ls)
{
	int status;

	putchar('[');
	status = search(ls);
	fputs(ferror(stdout) ? "" : "\n]\n", stdout);
	return status;
}

static void tell_more(const struct ls *ls)
{
	char prefix[CLI_NAME_SIZE], pattern[CLI_NAME_SIZE];

	if (ls->has_more) {
		cli_tell(ls->options, CLI_NEWS, "more",
			"There are more than %" PRId64 "; a pattern, or --limit N, shows others", ls->count);
	} else if (ls->count == 0) {
		cli_tell(ls->options, CLI_NEWS, "none",
			"No lock with the prefix \"%s\" matches \"%s\"; --prefix tells another",
			rl_text_printable(prefix, sizeof prefix, ls->options->prefix),
			cli_tell_name(pattern, ls->options->key));
	}
}

static int list(struct ls *ls)
{
	int status = search(ls);

	if ((status == CLI_OK || ls->count > 0) && !ferror(stdout)) {
		print_found(ls);
	}
	if (status == CLI_OK) {
		tell_more(ls);
	}
	cli_table_clear(&ls->table);
	return status;
}

/*
 * Until a signal ends it. When a search has failed, the message about it stands below the table of
 * the one before.
 */
static int watch(struct ls *ls)
{
	const char *clear = isatty(STDOUT_FILENO) ? CLEAR_SCREEN : "";
	int ended_by;

	while (!(ended_by = cli_signals_ended_by()) && !ferror(stdout)) {
		if (search(ls) == CLI_OK) {
			fputs(clear, stdout);
			cli_table_print(&ls->table, stdout);
			fflush(stdout);
		}
		cli_table_clear(&ls->table);
		cli_signals_wait(rl_now() + REDRAW);
	}
	return ended_by == SIGINT || ended_by == 0 ? CLI_OK : CLI_SIGNAL + ended_by;
}

static int64_t limit_of(const struct cli_options *options)
{
	if (options->limit > 0) {
		return options->limit;
	}
	return options->json ? INT64_MAX : LIMIT;
}

static void print_waits(const struct ls *ls, const struct cli_waits *waits)
{
	fputs(ls->options->json ? "[" : "", stdout);
	cli_waits_print(waits, ls->options->json);
	fputs(ls->options->json ? "\n]\n" : "", stdout);
	if (waits->count == 0 && !ls->options->json) {
		cli_tell(ls->options, CLI_NEWS, "none", "Nobody waits");
	}
}

static int list_waiting(struct ls *ls)
{
	struct cli_waits waits;
	struct rl_error error;
	enum rl_status status;

	rl_owner_begin_call(ls->owner);
	status = cli_waits_find(&waits, ls->owner, ls->options->key, false, &error);
	rl_owner_end_call(ls->owner);
	clear_progress(ls);
	if (status == RL_OK) {
		print_waits(ls, &waits);
	}
	cli_waits_clear(&waits);
	if (status == RL_INTERRUPTED) {
		return CLI_SIGNAL + cli_signals_ended_by();
	}
	return status == RL_OK ? CLI_OK : cli_owner_failed(ls->options, status, &error);
}

/* Ctrl-C may come while we print. */
static int list_once(struct ls *ls)
{
	int status = ls->options->waiting ? list_waiting(ls)
		: ls->options->json           ? list_for_program(ls)
									  : list(ls);

	return cli_signals_ended_by() ? CLI_SIGNAL + cli_signals_ended_by() : status;
}

int cli_ls(const struct cli_options *options)
{
	struct ls ls = { .options = options,
		.limit = limit_of(options),
		.shows_progress = isatty(STDERR_FILENO) && !options->quiet && !options->watch };
	const struct rl_wait_hook hook = { .run = go_on, .context = &ls, .interval = PROGRESS };
	struct cli_options all = *options;
	int status = cli_signals_start(options);

	if (status == CLI_OK) {
		status = cli_owner_open(options, hook, NULL, &ls.owner);
	}
	if (status == CLI_OK && options->prefix.length > 0) {
		all.prefix = rl_text_of("");
		status = cli_owner_open(&all, hook, NULL, &ls.all);
	}
	if (status == CLI_OK) {
		ls.began = ls.printed = rl_now();
		status = options->watch ? watch(&ls) : list_once(&ls);
	}
	if (ls.all) {
		cli_owner_free(ls.all);
	}
	if (ls.owner) {
		cli_owner_close(ls.owner, rl_now());
	}
	return status;
}
