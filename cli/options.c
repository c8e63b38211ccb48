#include "options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/base/error.h"
#include "../src/base/nearest.h"
#include "../src/base/number.h"
#include "../src/lock/token.h"

#define KEY_MAX     (1 << 20)  /* bytes, as in PHP */
#define SECONDS_MAX 1000000000 /* as in PHP */
#define STATUS_MAX  255

/* The defaults of the extension: then both meet on the same keys. */
#define SERVERS "redis://127.0.0.1:6379"
#define PREFIX  "lock@"
#define TTL_MS  30000
#define GRACE   (5 * RL_SECOND)

static enum cli_status refuse(const char *format, ...) RL_CHECK_FORMAT(1, 2);

static enum cli_status refuse(const char *format, ...)
{
	char message[RL_ERROR_MESSAGE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	rl_error_put_message(message, format, arguments);
	va_end(arguments);
	fprintf(stderr, "rlock: %s\nTry `rlock --help`.\n", message);
	return CLI_USAGE;
}

/* --- values --- */

/* These read the value of an option into the member that holds it. False: it cannot be meant. */

static bool set_time(void *member, const char *text)
{
	return rl_number_read_seconds(rl_text_of(text), SECONDS_MAX, member);
}

static bool set_wait(void *member, const char *text)
{
	rl_time *wait = member;

	if (strcmp(text, "inf") == 0) {
		*wait = RL_FOREVER;
		return true;
	}
	return set_time(wait, text);
}

static bool set_ttl_ms(void *member, const char *text)
{
	int64_t *ttl_ms = member;
	rl_time ttl;

	if (!set_time(&ttl, text)) {
		return false;
	}
	*ttl_ms = (ttl + RL_MILLISECOND - 1) / RL_MILLISECOND;
	return ttl >= 10 * RL_MILLISECOND;
}

static bool set_metadata(void *member, const char *text)
{
	struct rl_text *metadata = member;

	*metadata = rl_text_of(text);
	return metadata->length <= RL_METADATA_MAX;
}

static bool set_prefix(void *member, const char *text)
{
	struct rl_text *prefix = member;

	*prefix = rl_text_of(text);
	return prefix->length <= KEY_MAX;
}

static bool set_servers(void *member, const char *text)
{
	const char **servers = member;

	*servers = text;
	return true;
}

static bool set_status(void *member, const char *text)
{
	int64_t number;

	if (!rl_number_read(rl_text_of(text), STATUS_MAX, &number)) {
		return false;
	}
	*(int *)member = (int)number;
	return true;
}

static bool set_on_loss(void *member, const char *text)
{
	static const char *const names[] = { "term", "kill", "ignore" };
	enum cli_on_loss *on_loss = member;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(text, names[i]) == 0) {
			*on_loss = (enum cli_on_loss)i;
			return true;
		}
	}
	return false;
}

static bool set_limit(void *member, const char *text)
{
	int64_t *limit = member;

	return rl_number_read(rl_text_of(text), INT64_MAX, limit) && *limit > 0;
}

static bool set_fence(void *member, const char *text)
{
	int64_t *fence = member;

	return rl_number_read(rl_text_of(text), INT64_MAX / 10, fence) && *fence > 0;
}

static bool set_flag(void *member, const char *text)
{
	return *(bool *)member = true;
}

/* --- options --- */

struct option {
	const char *name;
	unsigned commands; /* that know it */
	const char *value; /* what it must be, for a message; NULL: it has none */
	bool (*set)(void *member, const char *text);
	size_t member; /* where it is in the options */
};

#define MEMBER(name) offsetof(struct cli_options, name)

#define ALL (CLI_RUN | CLI_LS | CLI_WHO | CLI_BREAK | CLI_WAIT | CLI_GRAPH | CLI_DOCTOR)

static const struct option known[] = {
	{ "wait", CLI_RUN | CLI_WAIT, "seconds from 0 to 1000000000, or \"inf\"", set_wait,
		MEMBER(wait) },
	{ "ttl", CLI_RUN, "seconds from 0.01 to 1000000000", set_ttl_ms, MEMBER(ttl_ms) },
	{ "max-hold", CLI_RUN, "seconds from 0 to 1000000000", set_time, MEMBER(max_hold) },
	{ "at-least", CLI_RUN, "seconds from 0 to 1000000000", set_time, MEMBER(at_least) },
	{ "metadata", CLI_RUN, "a text of at most 64 KiB", set_metadata, MEMBER(metadata) },
	{ "busy-exit", CLI_RUN, "a status from 0 to 255", set_status, MEMBER(busy_exit) },
	{ "on-loss", CLI_RUN, "\"term\", \"kill\" or \"ignore\"", set_on_loss, MEMBER(on_loss) },
	{ "grace", CLI_RUN, "seconds from 0 to 1000000000", set_time, MEMBER(grace) },
	{ "shared", CLI_RUN, NULL, set_flag, MEMBER(shared) },
	{ "limit", CLI_RUN | CLI_LS, "a whole number from 1 to 9223372036854775807", set_limit,
		MEMBER(limit) },
	{ "fence", CLI_BREAK, "a whole number from 1", set_fence, MEMBER(fence) },
	{ "watch", CLI_LS, NULL, set_flag, MEMBER(watch) },
	{ "waiting", CLI_LS, NULL, set_flag, MEMBER(waiting) },
	{ "foreign", CLI_LS, NULL, set_flag, MEMBER(foreign) },
	{ "dot", CLI_GRAPH, NULL, set_flag, MEMBER(dot) },
	{ "json", ALL, NULL, set_flag, MEMBER(json) },
	{ "quiet", ALL, NULL, set_flag, MEMBER(quiet) },
	{ "verbose", ALL, NULL, set_flag, MEMBER(verbose) },
	{ "servers", ALL, "one address or more", set_servers, MEMBER(servers) },
	{ "prefix", ALL, "a text of at most 1 MiB", set_prefix, MEMBER(prefix) },
};

static const struct option *find(enum cli_command command, struct rl_text name)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (known[i].commands & command && rl_text_equals(name, known[i].name)) {
			return &known[i];
		}
	}
	return NULL;
}

/* What flock and others have, and what does it here. */
static const struct {
	const char *name;
	unsigned commands;
	const char *instead;
} elsewhere[] = {
	{ "n", CLI_RUN, "without --wait it asks once" },
	{ "nonblock", CLI_RUN, "without --wait it asks once" },
	{ "w", CLI_RUN | CLI_WAIT, "--wait S is how long to wait" },
	{ "timeout", CLI_RUN, "--wait S is for the lock, --max-hold S for the command" },
	{ "timeout", CLI_WAIT, "--wait S is how long to wait" },
	{ "s", CLI_RUN, "--shared shares the lock" },
	{ "E", CLI_RUN, "--busy-exit N is the status if the lock stays taken" },
};

static const char *find_instead(enum cli_command command, struct rl_text name)
{
	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
		if (elsewhere[i].commands & command && rl_text_equals(name, elsewhere[i].name)) {
			return elsewhere[i].instead;
		}
	}
	return NULL;
}

/* `written`: with its dashes. */
static enum cli_status refuse_unknown(enum cli_command command, struct rl_text written)
{
	struct rl_nearest nearest = { .wanted = written };
	const char *instead;

	while (rl_text_skip(&nearest.wanted, "-")) {
	}
	instead = find_instead(command, nearest.wanted);
	if (instead) {
		return refuse(
			"There is no option %.*s here; %s", (int)written.length, written.data, instead);
	}
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (known[i].commands & command) {
			rl_nearest_try(&nearest, known[i].name);
		}
	}
	return refuse("There is no option %.*s here%s%s", (int)written.length, written.data,
		nearest.name ? "; the nearest is --" : "", nearest.name ? nearest.name : "");
}

/*
 * Of `--NAME=VALUE`, or `--NAME VALUE`, where the value is taken from `*next`. Values are not
 * repeated: they may be secret.
 */
static enum cli_status read_option(struct cli_options *options, const char *argument, char ***next)
{
	struct rl_text rest = rl_text_of(argument + 2);
	const char *equals = rl_text_find(rest, '=');
	struct rl_text name = rl_text_cut(&rest, equals);
	const struct option *option = find(options->command, name);
	const char *value = equals ? equals + 1 : NULL;

	if (!option) {
		return refuse_unknown(options->command, (struct rl_text){ argument, 2 + name.length });
	}
	if (!option->value && value) {
		return refuse("--%s takes no value", option->name);
	}
	if (option->value && !value && !(value = *(*next)++)) {
		return refuse("--%s wants %s", option->name, option->value);
	}
	return option->set((char *)options + option->member, value)
		? CLI_OK
		: refuse("--%s wants %s", option->name, option->value);
}

/* --- the whole line --- */

static void set_defaults(struct cli_options *options)
{
	const char *servers = getenv("RLOCK_SERVERS"), *prefix = getenv("RLOCK_PREFIX");

	*options = (struct cli_options){
		.command = options->command,
		.servers = servers ? servers : SERVERS,
		.prefix = rl_text_of(prefix ? prefix : PREFIX),
		.wait = options->command == CLI_WAIT ? RL_FOREVER : 0,
		.ttl_ms = TTL_MS,
		.max_hold = RL_FOREVER,
		.busy_exit = CLI_BUSY,
		.grace = GRACE,
	};
}

static enum cli_status set_key(struct cli_options *options, const char *text)
{
	if (options->command == CLI_DOCTOR && !options->key.data) {
		options->servers = text;
		options->key = rl_text_of("*");
		return CLI_OK;
	}
	if (options->key.data || options->command == CLI_GRAPH) {
		return refuse(options->command == CLI_RUN ? "Write `--` before the command"
												  : "There is one argument too many");
	}
	options->key = rl_text_of(text);
	if (options->key.length == 0) {
		return refuse("The key is empty");
	}
	return options->key.length <= KEY_MAX ? CLI_OK : refuse("The key is longer than 1 MiB");
}

static enum cli_status check(struct cli_options *options)
{
	if (!options->key.data && options->command & (CLI_LS | CLI_GRAPH | CLI_DOCTOR)) {
		options->key = rl_text_of("*");
	}
	if (!options->key.data) {
		return refuse("Which key?");
	}
	if (options->command == CLI_RUN && (!options->child || !options->child[0])) {
		return refuse("Which command? Write it behind `--`");
	}
	if (options->limit > 0 && options->command == CLI_RUN && !options->shared) {
		return refuse("--limit is how many may share the lock: say --shared, too");
	}
	if (options->json && options->dot) {
		return refuse("--json or --dot, not both");
	}
	if (options->watch && options->waiting) {
		return refuse("--watch shows holders, --waiting who waits");
	}
	if (options->watch && options->json) {
		return refuse("--watch is for people and --json for programs");
	}
	return CLI_OK;
}

enum cli_status cli_options_read(struct cli_options *options, char **argv)
{
	enum cli_status status = CLI_OK;
	bool only_keys = false;
	char **next = argv;

	set_defaults(options);
	while (status == CLI_OK && *next) {
		const char *argument = *next++;

		if (!only_keys && strcmp(argument, "--") == 0) {
			if (options->command == CLI_RUN) {
				options->child = next;
				break;
			}
			only_keys = true;
		} else if (!only_keys && strncmp(argument, "--", 2) == 0) {
			status = read_option(options, argument, &next);
		} else if (!only_keys && argument[0] == '-' && argument[1] != '\0') {
			status = refuse_unknown(options->command, rl_text_of(argument));
		} else {
			status = set_key(options, argument);
		}
	}
	return status == CLI_OK ? check(options) : status;
}
