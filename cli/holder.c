#include "holder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "tell.h"

/* What cannot be read has words about it. */
bool cli_holder_is_foreign(const struct rl_holder *holder)
{
	return holder->kind == RL_HOLDER_FOREIGN && !holder->metadata.data;
}

const char *cli_holder_kind(const struct rl_holder *holder)
{
	static const char *const kinds[] = {
		[RL_HOLDER_LEASE] = "lease",
		[RL_HOLDER_DETACHED] = "detached",
		[RL_HOLDER_HAND_OVER] = "hand-over",
		[RL_HOLDER_COOLDOWN] = "cooldown",
		[RL_HOLDER_FOREIGN] = "foreign",
	};

	return kinds[holder->kind];
}

const char *cli_holder_left(char buffer[CLI_HOLDER_LEFT_SIZE], const struct rl_holder *holder)
{
	int64_t tenths = holder->left_ms / 100, seconds = tenths / 10;

	if (holder->left_ms < 0) {
		return "for ever";
	}
	if (seconds < 60) {
		snprintf(buffer, CLI_HOLDER_LEFT_SIZE, "%" PRId64 ".%" PRId64 " s", seconds, tenths % 10);
	} else if (seconds < 3600) {
		snprintf(buffer, CLI_HOLDER_LEFT_SIZE, "%" PRId64 ":%02" PRId64 " min", seconds / 60,
			seconds % 60);
	} else {
		snprintf(buffer, CLI_HOLDER_LEFT_SIZE, "%" PRId64 ":%02" PRId64 " h", seconds / 3600,
			seconds / 60 % 60);
	}
	return buffer;
}

/* A fence that is no time is a small number: it counts from 1. */
#define LEAST_TIME_MS INT64_C(946684800000) /* the year 2000 */

int64_t cli_holder_since_ms(const struct rl_holder *holder)
{
	int64_t ms = holder->fence / 1000;

	return ms >= LEAST_TIME_MS ? ms : 0;
}

const char *cli_since(char buffer[CLI_HOLDER_SINCE_SIZE], int64_t since_ms)
{
	time_t since = (time_t)(since_ms / 1000);
	struct tm parts;

	if (since == 0 || !localtime_r(&since, &parts)) {
		return "-";
	}
	strftime(buffer, CLI_HOLDER_SINCE_SIZE,
		time(NULL) - since < 24 * 3600 ? "%H:%M:%S" : "%Y-%m-%d %H:%M", &parts);
	return buffer;
}

static void append(char *buffer, const char *format, ...) RL_CHECK_FORMAT(2, 3);

static void append(char *buffer, const char *format, ...)
{
	size_t length = strlen(buffer);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(buffer + length, CLI_HOLDER_SIZE - length, format, arguments);
	va_end(arguments);
}

const char *cli_holder_who(char buffer[CLI_HOLDER_WHO_SIZE], const struct rl_holder *holder)
{
	char owner[100];

	rl_text_printable(owner, sizeof owner, holder->owner);
	if (holder->kind == RL_HOLDER_HAND_OVER) {
		return strcpy(buffer, "being handed over");
	}
	if (holder->kind == RL_HOLDER_FOREIGN) {
		return strcpy(buffer, "held by a client that is not rlock's");
	}
	if (holder->kind == RL_HOLDER_COOLDOWN) {
		snprintf(buffer, CLI_HOLDER_WHO_SIZE, "nobody may have it now; %s had it",
			owner[0] ? owner : "somebody");
	} else {
		snprintf(buffer, CLI_HOLDER_WHO_SIZE, "%s by %s", holder->is_shared ? "shared" : "held",
			owner);
	}
	return buffer;
}

const char *cli_holder_describe(char buffer[CLI_HOLDER_SIZE], const struct rl_holder *holder)
{
	char since[CLI_HOLDER_SINCE_SIZE], left[CLI_HOLDER_LEFT_SIZE], metadata[200];

	cli_holder_who(buffer, holder);
	append(buffer, holder->is_shared ? ", perhaps with others," : "");
	if (cli_holder_since_ms(holder) > 0) {
		append(buffer, " since %s", cli_since(since, cli_holder_since_ms(holder)));
	}
	if (holder->fence > 0) {
		append(buffer, ", fence %" PRId64, holder->fence);
	}
	append(buffer, holder->left_ms < 0 ? ", %s" : ", %s left", cli_holder_left(left, holder));
	if (holder->metadata.data) {
		append(buffer, ", \"%s\"",
			rl_text_printable(metadata, sizeof metadata, holder->metadata));
	}
	return buffer;
}

void cli_holder_tell_busy(const struct cli_options *options, struct rl_owner *owner)
{
	char name[CLI_NAME_SIZE], words[CLI_HOLDER_SIZE];
	struct rl_holder holder;
	struct rl_error ignored;

	cli_tell_name(name, options->key);
	if (!options->quiet && rl_owner_holder(owner, options->key, &holder, &ignored) == RL_OK) {
		cli_tell(options, CLI_NEWS, "busy", "\"%s\" is busy: %s", name,
			cli_holder_describe(words, &holder));
		rl_owner_holder_clear(&holder);
	} else {
		cli_tell(options, CLI_NEWS, "busy", "\"%s\" was busy", name);
	}
}

struct cli_json cli_holder_begin_json(
	FILE *to, struct rl_text key, const struct rl_holder *holder)
{
	struct cli_json object = cli_json_begin(to);

	cli_json_key(&object, key);
	cli_json_text(&object, "owner", holder->owner);
	cli_json_text(&object, "kind", rl_text_of(cli_holder_kind(holder)));
	cli_json_bool(&object, "shared", holder->is_shared);
	if (holder->fence > 0) {
		cli_json_number(&object, "fence", holder->fence);
	} else {
		cli_json_null(&object, "fence");
	}
	if (cli_holder_since_ms(holder) > 0) {
		cli_json_seconds(&object, "since", cli_holder_since_ms(holder));
	} else {
		cli_json_null(&object, "since");
	}
	if (holder->left_ms < 0) {
		cli_json_null(&object, "ttl");
	} else {
		cli_json_seconds(&object, "ttl", holder->left_ms);
	}
	cli_json_bool(&object, "contended", holder->contended);
	cli_json_text(&object, "metadata", holder->metadata);
	return object;
}
