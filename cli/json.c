#include "json.h"

#include <inttypes.h>

#include "../src/base/number.h"
#include "../src/lock/owner/owner.h"
#include "../src/lock/shown_name.h"

/* JSON counts in UTF-16. */
static void put_escaped(FILE *to, uint32_t code)
{
	if (code >= 0x10000) {
		code -= 0x10000;
		fprintf(to, "\\u%04x", (unsigned)(0xd800 | code >> 10));
		code = 0xdc00 | (code & 0x3ff);
	}
	fprintf(to, "\\u%04x", (unsigned)code);
}

static void put_character(FILE *to, struct rl_text character)
{
	char first = character.data[0];

	if (first == '"' || first == '\\') {
		fprintf(to, "\\%c", first);
	} else if (rl_text_is_unseen(character)) {
		put_escaped(to, rl_text_code_point(character));
	} else {
		fwrite(character.data, 1, character.length, to);
	}
}

void cli_json_put_text(FILE *to, struct rl_text text)
{
	putc('"', to);
	while (text.length > 0) {
		size_t length = rl_text_character(text);

		if (length > 0) {
			put_character(to, (struct rl_text){ text.data, length });
		} else {
			fputs("\\ufffd", to);
			length = 1;
		}
		text.data += length;
		text.length -= length;
	}
	putc('"', to);
}

struct cli_json cli_json_begin(FILE *to)
{
	putc('{', to);
	return (struct cli_json){ .to = to };
}

void cli_json_end(struct cli_json *object)
{
	putc('}', object->to);
}

void cli_json_name(struct cli_json *object, const char *name)
{
	fprintf(object->to, "%s\"%s\":", object->more ? "," : "", name);
	object->more = true;
}

void cli_json_text(struct cli_json *object, const char *name, struct rl_text text)
{
	if (!text.data) {
		cli_json_null(object, name);
		return;
	}
	cli_json_name(object, name);
	cli_json_put_text(object->to, text);
}

void cli_json_key(struct cli_json *object, struct rl_text key)
{
	char shown[RL_NAME_SIZE];

	if (rl_shown_name_hides(key)) {
		key = rl_text_of(rl_shown_name(shown, sizeof shown, key));
	}
	cli_json_text(object, "key", key);
}

void cli_json_number(struct cli_json *object, const char *name, int64_t number)
{
	cli_json_name(object, name);
	fprintf(object->to, "%" PRId64, number);
}

void cli_json_seconds(struct cli_json *object, const char *name, int64_t ms)
{
	char seconds[RL_NUMBER_SECONDS_SIZE];

	cli_json_name(object, name);
	fputs(rl_number_put_seconds(seconds, ms), object->to);
}

void cli_json_bool(struct cli_json *object, const char *name, bool value)
{
	cli_json_name(object, name);
	fputs(value ? "true" : "false", object->to);
}

void cli_json_null(struct cli_json *object, const char *name)
{
	cli_json_name(object, name);
	fputs("null", object->to);
}
