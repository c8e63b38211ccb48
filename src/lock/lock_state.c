#include "lock_state.h"

#include <stdlib.h>
#include <string.h>

enum rl_status rl_lock_state_read(struct rl_lock_state *state, const struct rl_reply *reply)
{
	const struct rl_reply *part = reply->elements;

	*state = (struct rl_lock_state){ .left_ms = -2 };
	if (reply->type != RL_REPLY_ARRAY || reply->count < 4 || reply->count > 5 || part[1].type != RL_REPLY_INTEGER
		|| part[3].type != RL_REPLY_INTEGER || part[reply->count - 1].type != RL_REPLY_INTEGER) {
		return RL_UNREACHABLE;
	}
	state->left_ms = part[1].integer;
	state->fence = part[2].type == RL_REPLY_STRING ? strtoll(part[2].text, NULL, 10) : 0;
	state->contended = part[3].integer == 1;
	state->is_shared = reply->count == 5 && part[4].integer == 1;
	state->was_shared = reply->count == 5 && part[4].integer == 0;
	if (part[0].type != RL_REPLY_STRING) {
		return RL_OK;
	}
	state->value = malloc(part[0].length + 1);
	if (!state->value) {
		return RL_NO_MEMORY;
	}
	memcpy(state->value, part[0].text, part[0].length);
	state->value_length = part[0].length;
	return RL_OK;
}

bool rl_lock_state_shows(const struct rl_lock_state *state, struct rl_text token)
{
	return state->value && state->value_length == token.length && memcmp(state->value, token.data, token.length) == 0;
}

bool rl_lock_state_is_of(const struct rl_lock_state *state, const struct rl_lease *lease)
{
	/* Under another fence a late copy of what took the lock has taken it anew. A majority tells no fence. */
	return rl_lock_state_shows(state, rl_token_text(&lease->token))
		&& (!state->fence || !lease->fence || state->fence == lease->fence);
}

void rl_lock_state_clear(struct rl_lock_state *state)
{
	free(state->value);
	state->value = NULL;
	rl_tokens_free(state->others);
	state->others = NULL;
}
