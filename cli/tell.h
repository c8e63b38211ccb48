/*
 * What is told on standard error: a line for people, or with --json an object, which has at least
 * `event`, `key` and `message`. Standard output belongs to the command that is run, or to the
 * answer that was asked for.
 */
#ifndef CLI_TELL_H
#define CLI_TELL_H

#include "options.h"

enum cli_weight {
	CLI_DETAIL, /* told with --verbose */
	CLI_NEWS,   /* not told with --quiet */
	CLI_ERROR   /* told in any case */
};

/* The message is made printable. It begins with a capital and has no full stop. */
void cli_tell(const struct cli_options *options, enum cli_weight weight, const char *event,
	const char *format, ...) RL_CHECK_FORMAT(4, 5);
/*
 * While it is set, what standard error does not take at once is dropped: who minds a lock cannot
 * wait for a reader.
 */
void cli_tell_in_haste(bool haste);

#define CLI_NAME_SIZE 256

/* The key for a message: printable, and cut. Returns `buffer`. */
const char *cli_tell_name(char buffer[CLI_NAME_SIZE], struct rl_text key);

#endif
