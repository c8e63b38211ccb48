#include "advice.h"

#include <stdio.h>
#include <string.h>

/* On every route. */
static const struct rl_advice advice_to_all[] = {
	{ "NOPERM",
		"the user lacks a right: ACL LOG on the server tells which, \"Rights\" in docs/operations.md what to grant" },
	{ "unknown command",
		"rlock needs it: was it renamed, or is this a sentinel, whose address begins with sentinel://?" },
	{ "command called from script",
		"rlock's scripts need it: was one renamed? \"Rights\" in docs/operations.md lists them" },
	{ NULL, NULL }
};

static const char *find_advice(const struct rl_advice *advice, const struct rl_error *error)
{
	for (; advice && advice->said; advice++) {
		bool words = strchr(advice->said, ' ') != NULL;

		if (words ? strstr(error->message, advice->said) != NULL
				  : strcmp(error->code, advice->said) == 0) {
			return advice->advice;
		}
	}
	return NULL;
}

void rl_advice_add(const struct rl_advice *of_route, struct rl_error *error)
{
	const char *advice = find_advice(of_route, error);
	struct rl_error refusal = *error;
	size_t length = strlen(refusal.message);

	if (!advice && !(advice = find_advice(advice_to_all, error))) {
		return;
	}
	while (length > 0 && strchr(". ", refusal.message[length - 1])) {
		length--;
	}
	rl_fail(error, RL_REFUSED, "%.*s; %s", (int)length, refusal.message, advice);
	memcpy(error->code, refusal.code, sizeof error->code);
}
