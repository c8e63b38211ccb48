#include "tell.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../src/base/error.h"
#include "json.h"
#include "../src/lock/shown_name.h"

/* What a pipe takes whole, and without waiting if poll(2) says that there is room. */
#define PIECE_MAX _POSIX_PIPE_BUF

static bool in_haste;

void cli_tell_in_haste(bool haste)
{
	in_haste = haste;
}

/* O_NONBLOCK would not do: it would be set for all that share standard error with us. */
static bool has_room(void)
{
	struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) == 1 && (out.revents & POLLOUT);
}

static void put_line(const char *line, size_t length)
{
	while (length > 0 && (!in_haste || has_room())) {
		ssize_t put = write(
			STDERR_FILENO, line, in_haste && length > PIECE_MAX ? PIECE_MAX : length);

		if (put < 0) {
			return; /* also when a signal has come: it is not to wait for the reader either */
		}
		line += put;
		length -= (size_t)put;
	}
}

static void tell_program(const struct cli_options *options, const char *event, const char *message)
{
	char *line = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&line, &length);
	struct cli_json object;

	if (!to) {
		return;
	}
	object = cli_json_begin(to);
	cli_json_text(&object, "event", rl_text_of(event));
	cli_json_key(&object, options->key);
	cli_json_text(&object, "message", rl_text_of(message));
	cli_json_end(&object);
	putc('\n', to);
	if (fclose(to) == 0) {
		put_line(line, length);
	}
	free(line);
}

static void tell_people(const char *message)
{
	char line[sizeof "rlock: \n" + RL_ERROR_MESSAGE_SIZE];
	int length = snprintf(line, sizeof line, "rlock: %s\n", message);

	put_line(line, (size_t)length);
}

void cli_tell(const struct cli_options *options, enum cli_weight weight, const char *event,
	const char *format, ...)
{
	enum cli_weight least = options->quiet ? CLI_ERROR : options->verbose ? CLI_DETAIL
																		  : CLI_NEWS;
	char message[RL_ERROR_MESSAGE_SIZE];
	va_list arguments;

	if (weight < least) {
		return;
	}
	va_start(arguments, format);
	rl_error_put_message(message, format, arguments);
	va_end(arguments);
	if (options->json) {
		tell_program(options, event, message);
	} else {
		tell_people(message);
	}
}

const char *cli_tell_name(char buffer[CLI_NAME_SIZE], struct rl_text key)
{
	return rl_shown_name(buffer, CLI_NAME_SIZE, key);
}
