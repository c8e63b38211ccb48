#include "shown.h"

#include <stdlib.h>
#include <string.h>

#include "../src/lock/shown_name.h"
#include "tell.h"

#define LOOK_FOR RL_SECOND

/* --- by which names a lock is shown --- */

/* Where that begins which may stand for something else; NULL: nowhere. */
static const char *find_substitute(struct rl_text name)
{
	for (struct rl_text rest = name; rest.length > 0; rest.data++, rest.length--) {
		struct rl_text digits = rest;
		size_t count = 0;

		if (rl_text_skip(&digits, "\\x") || rl_text_equals(rest, "...")) {
			return rest.data;
		}
		if (rl_text_skip(&digits, "#")) {
			while (count < digits.length && strchr("0123456789abcdef", digits.data[count])) {
				count++;
			}
			if (count == 8) {
				return rest.data;
			}
		}
	}
	return NULL;
}

struct look {
	struct rl_text wanted;
	char *key; /* the first that is shown so */
	bool is_out_of_memory, are_several;
};

static bool compare(
	void *context, struct rl_text name, struct rl_text shown, const struct rl_holder *holder)
{
	struct look *look = context;
	char printable[RL_NAME_SIZE];

	if (!rl_text_is(shown, look->wanted)
		&& !rl_text_equals(look->wanted, rl_text_printable(printable, sizeof printable, shown))) {
		return true;
	}
	if (look->key) {
		look->are_several = true;
		return false;
	}
	look->key = rl_text_copy(name);
	look->is_out_of_memory = !look->key;
	return look->key;
}

/* A glob for what begins so. */
static char *make_pattern(const char *before, struct rl_text text, const char *behind)
{
	char *pattern = malloc(strlen(before) + 2 * text.length + strlen(behind) + 1), *to = pattern;

	if (!pattern) {
		return NULL;
	}
	to = rl_text_put(to, rl_text_of(before));
	for (size_t i = 0; i < text.length; i++) {
		if (strchr("*?[]\\", text.data[i])) {
			*to++ = '\\';
		}
		*to++ = text.data[i];
	}
	strcpy(to, behind);
	return pattern;
}

static enum rl_status search(struct rl_owner *owner, const char *pattern, struct look *look,
	struct rl_error *error)
{
	const struct rl_holders request = {
		.pattern = rl_text_of(pattern), .limit = SIZE_MAX, .found = compare, .context = look
	};
	enum rl_status status = rl_owner_holders(owner, &request, error);

	if (look->is_out_of_memory) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	return status;
}

/* --- opening --- */

/* The owner of all prefixes in place of the one before. */
static enum cli_status open_all(struct cli_shown *shown)
{
	struct rl_owner *all;
	enum cli_status status;

	shown->options.prefix = rl_text_of("");
	status = cli_owner_open(&shown->options, (struct rl_wait_hook){ 0 }, NULL, &all);
	if (status == CLI_OK) {
		cli_owner_free(shown->owner);
		shown->owner = all;
	}
	return status;
}

/* Under its own prefix, or as a session's lock. */
static enum cli_status find(struct cli_shown *shown, const char *substitute)
{
	struct rl_text key = shown->options.key, prefix = shown->options.prefix;
	struct look look = { .wanted = key };
	char *pattern = make_pattern(
		"", (struct rl_text){ key.data, (size_t)(substitute - key.data) }, "*");
	struct rl_error error;
	enum rl_status status = pattern
		? search(shown->owner, pattern, &look, &error)
		: rl_fail(&error, RL_NO_MEMORY, "Out of memory");
	enum cli_status result = CLI_OK;

	free(pattern);
	if (status == RL_OK && !look.key) {
		result = open_all(shown);
		status = result == CLI_OK ? search(shown->owner, CLI_SHOWN_SESSIONS, &look, &error)
								  : RL_OK;
	}
	shown->key = look.key;
	if (status != RL_OK) {
		return cli_owner_failed(&shown->options, status, &error);
	}
	if (look.are_several) {
		cli_tell(&shown->options, CLI_ERROR, "error",
			"Several locks are shown by this name; `rlock ls --json` shows more of it");
		return CLI_USAGE;
	}
	if (look.key) {
		shown->options.key = rl_text_of(look.key);
	} else if (result == CLI_OK && prefix.length > 0) {
		cli_owner_free(shown->owner);
		shown->owner = NULL;
		shown->options.prefix = prefix;
		result = cli_owner_open(&shown->options, (struct rl_wait_hook){ 0 }, NULL, &shown->owner);
	}
	return result;
}

enum cli_status cli_shown_open(struct cli_shown *shown, const struct cli_options *options)
{
	const char *substitute = find_substitute(options->key);
	enum cli_status status;

	*shown = (struct cli_shown){ .options = *options };
	status = cli_owner_open(options, (struct rl_wait_hook){ 0 }, NULL, &shown->owner);
	if (status == CLI_OK && substitute) {
		status = find(shown, substitute);
		if (status != CLI_OK) {
			cli_shown_close(shown);
		}
	}
	return status;
}

void cli_shown_close(struct cli_shown *shown)
{
	if (shown->owner) {
		cli_owner_close(shown->owner, rl_now());
	}
	free(shown->key);
}

/* --- elsewhere --- */

struct elsewhere {
	const struct cli_options *options;
	char *prefix; /* that was found */
	bool was_found;
	rl_time until;
};

static bool note_prefix(
	void *context, struct rl_text name, struct rl_text shown, const struct rl_holder *holder)
{
	struct elsewhere *elsewhere = context;
	struct rl_text prefix = { name.data, name.length - elsewhere->options->key.length };

	if (holder->kind == RL_HOLDER_FOREIGN || rl_text_is(prefix, elsewhere->options->prefix)) {
		return true;
	}
	rl_shown_name(elsewhere->prefix, RL_NAME_SIZE, prefix);
	elsewhere->was_found = true;
	return false;
}

static bool is_in_time(void *context)
{
	const struct elsewhere *elsewhere = context;

	return rl_now() < elsewhere->until;
}

bool cli_shown_elsewhere(const struct cli_options *options, char prefix[RL_NAME_SIZE])
{
	struct cli_options all = *options;
	struct elsewhere elsewhere = {
		.options = options, .prefix = prefix, .until = rl_now() + LOOK_FOR
	};
	const struct rl_wait_hook hook = { .run = is_in_time, .context = &elsewhere };
	char *pattern = make_pattern("*", options->key, "");
	struct rl_holders request = {
		.limit = SIZE_MAX, .found = note_prefix, .context = &elsewhere
	};
	struct rl_owner *owner;
	struct rl_error ignored;

	all.prefix = rl_text_of("");
	if (pattern && cli_owner_open(&all, hook, NULL, &owner) == CLI_OK) {
		request.pattern = rl_text_of(pattern);
		rl_owner_begin_call(owner);
		rl_owner_holders(owner, &request, &ignored);
		rl_owner_end_call(owner);
		cli_owner_free(owner);
	}
	free(pattern);
	return elsewhere.was_found;
}
