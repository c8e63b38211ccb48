/*
 * A message is complete and printable, and never longer than its buffer.
 */
#include "error.h"

#include <stdio.h>
#include <string.h>

void rl_error_put_message(
	char message[RL_ERROR_MESSAGE_SIZE], const char *format, va_list arguments)
{
	/* One byte more than fits, so that a cut is seen. */
	char text[RL_ERROR_MESSAGE_SIZE + 1];

	if (vsnprintf(text, sizeof(text), format, arguments) < 0) {
		snprintf(text, sizeof(text), "%s", format);
	}
	rl_text_printable(message, RL_ERROR_MESSAGE_SIZE, rl_text_of(text));
}

enum rl_status rl_fail(struct rl_error *error, enum rl_status status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	rl_error_put_message(error->message, format, arguments);
	va_end(arguments);
	error->code[0] = '\0';
	error->key = (struct rl_text){ NULL, 0 };
	error->late_by = error->deadline = 0;
	error->held = error->unanswered = false;
	error->cause = RL_CAUSE_OTHER;
	return status;
}

enum rl_status rl_fail_for_memory(struct rl_error *error)
{
	return rl_fail(error, RL_NO_MEMORY, "Out of memory");
}

enum rl_status rl_fail_unwanted(struct rl_error *error)
{
	return rl_fail(error, RL_INTERRUPTED, "Nobody waits for it any more");
}

bool rl_error_is_closed(const struct rl_error *error)
{
	return error->cause == RL_CAUSE_CLOSED || error->cause == RL_CAUSE_TURNED_AWAY;
}
