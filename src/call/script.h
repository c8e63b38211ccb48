/*
 * A Lua script as the build embeds it: its text, and the SHA-1 by which EVALSHA calls it.
 */
#ifndef RL_SCRIPT_H
#define RL_SCRIPT_H

#include <stddef.h>

struct rl_script {
	const char *text;
	size_t length;
	char sha1[41];
};

#endif
