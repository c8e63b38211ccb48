/*
 * The protocol's steps, one Lua script each; scripts/NAME.lua says what it takes and answers.
 * scripts.c is generated from them by dev/embed-scripts.
 */
#ifndef RL_SCRIPTS_H
#define RL_SCRIPTS_H

#include "../redis/script.h"

extern const struct rl_script rl_script_acquire;
extern const struct rl_script rl_script_extend;
extern const struct rl_script rl_script_release;
extern const struct rl_script rl_script_inspect;
/* Of locks that guard a value. */
extern const struct rl_script rl_script_open;
extern const struct rl_script rl_script_close;
extern const struct rl_script rl_script_peek;
/* Of locks that are shared. */
extern const struct rl_script rl_script_enter;
extern const struct rl_script rl_script_leave;
extern const struct rl_script rl_script_extend_shared;
extern const struct rl_script rl_script_upgrade;
extern const struct rl_script rl_script_downgrade;
extern const struct rl_script rl_script_sharers;

#endif
