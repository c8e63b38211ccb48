#include "process_name.h"

#include <stdio.h>

#define PROJECT "rlock:"

struct name {
	char text[sizeof PROJECT + RL_PROCESS_NAME_SIZE];
	size_t length;       /* 0: not made yet */
	uint64_t generation; /* of the process that it names */
};

static RL_THREAD_LOCAL struct name name;

static void make_name(void)
{
	char host[RL_HOST_MAX + 1];

	rl_system_hostname(host, sizeof host);
	for (char *byte = host; *byte; byte++) {
		if (*byte <= ' ' || *byte > '~' || *byte == ':') {
			*byte = '_';
		}
	}
	name.length = (size_t)snprintf(name.text, sizeof name.text, PROJECT "%s:%ld", host,
		rl_system_pid());
	name.generation = rl_system_generation();
}

struct rl_text rl_process_client_name(void)
{
	if (name.length == 0 || name.generation != rl_system_generation()) {
		make_name();
	}
	return (struct rl_text){ name.text, name.length };
}

struct rl_text rl_process_name(void)
{
	struct rl_text text = rl_process_client_name();

	rl_text_skip(&text, PROJECT);
	return text;
}
