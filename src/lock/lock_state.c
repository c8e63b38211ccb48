#include "lock_state.h"

#include <stdlib.h>
#include <string.h>

enum rl_status rl_lock_state_read(struct rl_lock_state *state, const struct rl_reply *reply)
{
	const struct rl_reply *part = reply->elements;

	*state = (struct rl_lock_state){ .left_ms = -2 };
	if (reply->type != RL_REPLY_ARRAY || reply->count != 4 || part[1].type != RL_REPLY_INTEGER
		|| part[3].type != RL_REPLY_INTEGER) {
		return RL_UNREACHABLE;
	}
	state->left_ms = part[1].integer;
	state->fence = part[2].type == RL_REPLY_STRING ? strtoll(part[2].text, NULL, 10) : 0;
	state->contended = part[3].integer == 1;
	if (part[0].type != RL_REPLY_STRING) {
		return RL_OK;
	}
	state->value = rl_text_copy((struct rl_text){ part[0].text, part[0].length });
	state->value_length = part[0].length;
	return state->value ? RL_OK : RL_NO_MEMORY;
}

struct rl_text rl_lock_state_value(const struct rl_lock_state *state)
{
	return (struct rl_text){ state->value, state->value ? state->value_length : 0 };
}

bool rl_lock_state_shows(const struct rl_lock_state *state, struct rl_text token)
{
	return state->value && state->value_length >= token.length
		&& memcmp(state->value, token.data, token.length) == 0;
}

void rl_lock_state_note(const struct rl_lock_state *state, struct rl_lease *lease)
{
	lease->tenure.fence = state->fence;
	lease->tenure.holdings = state->holdings;
}

void rl_lock_state_clear(struct rl_lock_state *state)
{
	free(state->value);
	state->value = NULL;
}
