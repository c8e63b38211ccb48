#include "refusal.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *code;
	enum rl_refusal refusal;
} list[] = {
	{ "BUSY", RL_REFUSAL_PASSES },
	{ "CLUSTERDOWN", RL_REFUSAL_PASSES },
	{ "LATE", RL_REFUSAL_PASSES }, /* from our scripts: its clock is not what we took it for */
	{ "LOADING", RL_REFUSAL_MISPLACED },
	{ "MASTERDOWN", RL_REFUSAL_MISPLACED },
	{ "MISCONF", RL_REFUSAL_STARVES },
	{ "NOREPLICAS", RL_REFUSAL_PASSES },
	{ "NOSCRIPT", RL_REFUSAL_PASSES }, /* the server was made to forget it again and again */
	{ "OOM", RL_REFUSAL_STARVES },
	{ "READONLY", RL_REFUSAL_MISPLACED },
	{ "TRYAGAIN", RL_REFUSAL_PASSES },
	{ "UNBLOCKED", RL_REFUSAL_MISPLACED }, /* of a BLPOP: the server became a replica */
};

enum rl_refusal rl_refusal_of_code(const char *code)
{
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
		if (strcmp(code, list[i].code) == 0) {
			return list[i].refusal;
		}
	}
	return RL_REFUSAL_LASTS;
}

enum rl_refusal rl_refusal_of(const struct rl_error *refusal)
{
	/* These have no code of their own. The last is TRYAGAIN, said to a script that has begun. */
	if (refusal->cause == RL_CAUSE_TURNED_AWAY
		|| strstr(refusal->message, "max number of clients")
		|| strstr(refusal->message, "attempted to access a non local key")) {
		return RL_REFUSAL_PASSES;
	}
	return rl_refusal_of_code(refusal->code);
}

bool rl_refusal_is_at_the_door(const char *words)
{
	static const char full[] = "ERR max number of clients";

	return strncmp(words, full, strlen(full)) == 0
		|| (strncmp(words, "DENIED ", 7) == 0 && strstr(words, "protected mode"));
}

bool rl_refusal_passes_soon(const struct rl_error *refusal)
{
	enum rl_refusal kind = rl_refusal_of(refusal);

	return kind == RL_REFUSAL_PASSES || kind == RL_REFUSAL_MISPLACED;
}

/* Where an error names the command that it refuses, as Redis does; or NULL. */
static const char *named_command(const struct rl_reply *reply)
{
	static const char *const forms[] = {
		"ERR unknown command ", "ERR wrong number of arguments for "
	};

	for (size_t i = 0; reply->type == RL_REPLY_ERROR && i < sizeof forms / sizeof forms[0]; i++) {
		const char *name = reply->text + strlen(forms[i]);

		if (strncmp(reply->text, forms[i], strlen(forms[i])) == 0
			&& (*name == '\'' || *name == '`')) {
			return name + 1;
		}
	}
	return NULL;
}

bool rl_refusal_is_of_others(const struct rl_reply *reply)
{
	static const char ours[] =
		" ASKING AUTH BLPOP CLIENT CLUSTER DEL EVAL EVALSHA EXISTS GETRANGE INFO LINDEX LPOP MGET "
		"PEXPIRE PTTL RPUSH SCAN SELECT SENTINEL SET SETRANGE TIME WAIT WAITAOF ";
	const char *at = named_command(reply);
	char name[16] = " ";
	size_t length = 1;

	if (!at) {
		return false;
	}
	for (; isalpha((unsigned char)*at) && length < sizeof name - 2; at++) {
		name[length++] = (char)toupper((unsigned char)*at);
	}
	name[length] = ' ';
	return strstr(ours, name) == NULL;
}
