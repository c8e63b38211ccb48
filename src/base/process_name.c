#include "process_name.h"

#include <stdio.h>

struct name {
	char text[RL_PROCESS_NAME_SIZE];
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
	name.length = (size_t)snprintf(name.text, sizeof name.text, "%s:%ld", host, rl_system_pid());
	name.generation = rl_system_generation();
}

struct rl_text rl_process_name(void)
{
	if (name.length == 0 || name.generation != rl_system_generation()) {
		make_name();
	}
	return (struct rl_text){ name.text, name.length };
}
