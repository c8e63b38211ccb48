/*
 * A Lua script as the build embeds it: its text, and the SHA-1 by which EVALSHA calls it.
 */
#ifndef RL_SCRIPT_H
#define RL_SCRIPT_H

#include <stddef.h>

/* The most keys and arguments of any of them. */
#define RL_SCRIPT_KEYS 8
#define RL_SCRIPT_ARGS 8

struct rl_script {
	const char *text;
	size_t length;
	char sha1[41];
};

#endif
