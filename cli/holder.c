#include "holder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

const char *cli_holder_kind(const struct rl_holder *holder)
{
	struct rl_value value = rl_token_read_value(holder->value ? holder->value : "", holder->value_length);

	switch (value.kind) {
		case RL_VALUE_TOKEN:
			return value.owner_length > 0 ? "lease" : "hand-over";
		case RL_VALUE_BATON:
			return "hand-over";
		case RL_VALUE_COOLDOWN:
			return "cooldown";
		default:
			return "foreign";
	}
}

struct rl_text cli_holder_owner(const struct rl_holder *holder)
{
	return (struct rl_text){ holder->owner, holder->owner_length };
}

struct rl_text cli_holder_metadata(const struct rl_holder *holder)
{
	return (struct rl_text){ holder->metadata, holder->metadata_length };
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
		snprintf(buffer, CLI_HOLDER_LEFT_SIZE, "%" PRId64 ":%02" PRId64 " min", seconds / 60, seconds % 60);
	} else {
		snprintf(buffer, CLI_HOLDER_LEFT_SIZE, "%" PRId64 ":%02" PRId64 " h", seconds / 3600, seconds / 60 % 60);
	}
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

static void append_who(char *buffer, const struct rl_holder *holder)
{
	const char *kind = cli_holder_kind(holder);
	char owner[100];

	if (holder->owner_length > 0) {
		append(buffer, "held by %s", rl_text_printable(owner, sizeof owner, cli_holder_owner(holder)));
	} else if (strcmp(kind, "cooldown") == 0) {
		append(buffer, "to be left alone");
	} else if (strcmp(kind, "hand-over") == 0) {
		append(buffer, "being handed over");
	} else {
		append(buffer, "held by a client that is not rlock's");
	}
}

const char *cli_holder_describe(char buffer[CLI_HOLDER_SIZE], const struct rl_holder *holder)
{
	char left[CLI_HOLDER_LEFT_SIZE], metadata[200];

	buffer[0] = '\0';
	append_who(buffer, holder);
	if (holder->fence > 0) {
		append(buffer, ", fence %" PRId64, holder->fence);
	}
	append(buffer, holder->left_ms < 0 ? ", %s" : ", %s left", cli_holder_left(left, holder));
	if (holder->metadata) {
		append(buffer, ", \"%s\"", rl_text_printable(metadata, sizeof metadata, cli_holder_metadata(holder)));
	}
	return buffer;
}

void cli_holder_put_json(FILE *to, struct rl_text key, const struct rl_holder *holder)
{
	struct cli_json object = cli_json_begin(to);

	cli_json_text(&object, "key", key);
	cli_json_text(&object, "owner", cli_holder_owner(holder));
	cli_json_text(&object, "kind", rl_text_of(cli_holder_kind(holder)));
	if (holder->fence > 0) {
		cli_json_number(&object, "fence", holder->fence);
	} else {
		cli_json_null(&object, "fence");
	}
	if (holder->left_ms < 0) {
		cli_json_null(&object, "ttl");
	} else {
		cli_json_seconds(&object, "ttl", holder->left_ms);
	}
	cli_json_bool(&object, "contended", holder->contended);
	cli_json_text(&object, "metadata", cli_holder_metadata(holder));
	cli_json_end(&object);
}
