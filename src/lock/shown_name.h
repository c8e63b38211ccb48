/*
 * How a lock is named to people. The locks of PHP's sessions have the session's id in their names,
 * and whoever knows that is logged in: in its place a short hash is shown.
 */
#ifndef RL_SHOWN_NAME_H
#define RL_SHOWN_NAME_H

#include "../base/text.h"

/* The same name for the same key: printable, and cut. Returns `buffer`. */
const char *rl_shown_name(char *buffer, size_t size, struct rl_text key);
/* Whether it differs from the key by more than that. */
bool rl_shown_name_hides(struct rl_text key);
/* Whether the key of a lock, or what looks like one, holds a session's data. */
bool rl_shown_name_is_data(struct rl_text key);

#endif
