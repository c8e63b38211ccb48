/*
 * How a lock is named to people. Some names have the id of a session in them, and whoever knows
 * that is logged in: in its place a short hash is shown. Such are the locks of PHP's sessions; what
 * speaks of a session and has what may be an id; and of what is not rlock's, all that may be one,
 * since it may be somebody's session data.
 */
#ifndef RL_SHOWN_NAME_H
#define RL_SHOWN_NAME_H

#include "../base/text.h"

/* The same name for the same key: printable, and cut. Returns `buffer`. */
const char *rl_shown_name(char *buffer, size_t size, struct rl_text key);
/* Whether it differs from the key by more than that. */
bool rl_shown_name_hides(struct rl_text key);
/*
 * The same without the first `prefix` bytes, unless it is a lock of PHP's sessions, which is known
 * by its prefix.
 */
bool rl_shown_name_under(
	char *buffer, size_t size, struct rl_text key, size_t prefix, bool is_foreign);
/* Whether the key of a lock, or what looks like one, holds a session's data. */
bool rl_shown_name_is_data(struct rl_text key);

/*
 * Puts the hash in place of the id that is in the key, wherever a text spells it, also
 * percent-encoded, as metadata do that are a path. Returns the length, which is not larger.
 */
size_t rl_shown_name_mask(struct rl_text key, char *text, size_t length);

#endif
