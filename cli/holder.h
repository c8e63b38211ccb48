/*
 * A holder in words: the parts that messages, tables and JSON are made of.
 */
#ifndef CLI_HOLDER_H
#define CLI_HOLDER_H

#include "../src/lock/owner/owner.h"
#include "json.h"
#include "options.h"

/* Not rlock's, as far as can be read. */
bool cli_holder_is_foreign(const struct rl_holder *holder);
/*
 * "lease", "detached", "hand-over", "cooldown" or "foreign"; of a share as of any other: whether it
 * is one is told beside.
 */
const char *cli_holder_kind(const struct rl_holder *holder);

#define CLI_HOLDER_LEFT_SIZE 32

/* "24.9 s", "3:05 h", "for ever". Returns `buffer`. */
const char *cli_holder_left(char buffer[CLI_HOLDER_LEFT_SIZE], const struct rl_holder *holder);

/*
 * When it was acquired, in milliseconds since 1970 by the server's clock; for a cooldown, when the
 * lock was acquired that left it. The fence tells (docs/protocol/). 0: unknown, since there is no
 * fence, or the server does not let scripts read the clock.
 */
int64_t cli_holder_since_ms(const struct rl_holder *holder);

#define CLI_HOLDER_SINCE_SIZE 32

/* In local time, with the date unless it is within a day; 0: "-". Returns `buffer`. */
const char *cli_since(char buffer[CLI_HOLDER_SINCE_SIZE], int64_t since_ms);

#define CLI_HOLDER_WHO_SIZE 160

/* "held by web1:4711", "being handed over", ... Returns `buffer`. */
const char *cli_holder_who(char buffer[CLI_HOLDER_WHO_SIZE], const struct rl_holder *holder);

#define CLI_HOLDER_SIZE 400

/* "held by web1:4711, fence 17, 24.9 s left, "import"", printable. Returns `buffer`. */
const char *cli_holder_describe(char buffer[CLI_HOLDER_SIZE], const struct rl_holder *holder);

/* The key's lock could not be had: by whom, unless that is not known any more. */
void cli_holder_tell_busy(const struct cli_options *options, struct rl_owner *owner);

/* An object, which the caller ends. */
struct cli_json cli_holder_begin_json(
	FILE *to, struct rl_text key, const struct rl_holder *holder);

#endif
