/*
 * JSON, written as it goes, one object on one line. Bytes that are no UTF-8 become U+FFFD: JSON has
 * no other text.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdio.h>

#include "../src/base/text.h"

struct cli_json {
	FILE *to;
	bool more; /* a member has been written */
};

/* As the item of an array. */
void cli_json_put_text(FILE *to, struct rl_text text);

/* An object, by itself or as the value of the member that cli_json_name() has begun. */
struct cli_json cli_json_begin(FILE *to);
void cli_json_end(struct cli_json *object);

void cli_json_name(struct cli_json *object, const char *name);
/* without data: null */
void cli_json_text(struct cli_json *object, const char *name, struct rl_text text);
/* "key": what of a lock's key may be shown. */
void cli_json_key(struct cli_json *object, struct rl_text key);
void cli_json_number(struct cli_json *object, const char *name, int64_t number);
void cli_json_seconds(struct cli_json *object, const char *name, int64_t ms);
void cli_json_bool(struct cli_json *object, const char *name, bool value);
void cli_json_null(struct cli_json *object, const char *name);

#endif
