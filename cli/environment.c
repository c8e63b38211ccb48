#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* environ */
#endif

#include "environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static bool sets(const char *entry, const char *name)
{
	size_t length = strlen(name);

	return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

static bool is_replaced(const char *entry, const struct cli_variable *variables, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (sets(entry, variables[i].name)) {
			return true;
		}
	}
	return false;
}

char **cli_environment_make(const struct cli_variable *variables, size_t count)
{
	size_t entries = count + 1, bytes = 0, used = 0;
	char **result, *text;

	for (char **entry = environ; *entry; entry++) {
		entries++;
	}
	for (size_t i = 0; i < count; i++) {
		bytes += strlen(variables[i].name) + variables[i].value.length + sizeof "=";
	}
	result = malloc(entries * sizeof *result + bytes);
	if (!result) {
		return NULL;
	}
	for (char **entry = environ; *entry; entry++) {
		if (!is_replaced(*entry, variables, count)) {
			result[used++] = *entry;
		}
	}
	text = (char *)(result + entries);
	for (size_t i = 0; i < count; i++) {
		if (variables[i].value.data) {
			result[used++] = text;
			text = rl_text_put(text, rl_text_of(variables[i].name));
			*text++ = '=';
			text = rl_text_put(text, variables[i].value);
			*text++ = '\0';
		}
	}
	result[used] = NULL;
	return result;
}
