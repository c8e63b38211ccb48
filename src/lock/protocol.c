#include "protocol.h"
#include "../base/number.h"

#include <stdlib.h>
#include <string.h>

/* Some scripts tell a fence as text. */
static bool read_number(const struct rl_reply *reply, int64_t *number)
{
	if (reply->type == RL_REPLY_STRING) {
		return rl_number_read((struct rl_text){ reply->text, reply->length }, INT64_MAX, number);
	}
	*number = reply->integer;
	return reply->type == RL_REPLY_INTEGER;
}

static bool is_array(const struct rl_reply *reply, size_t least, size_t most)
{
	return reply->type == RL_REPLY_ARRAY && reply->count >= least && reply->count <= most;
}

static bool read_place(const struct rl_reply *reply, struct rl_grant *grant)
{
	if (reply->type != RL_REPLY_INTEGER || reply->integer < RL_PLACE_WAKE
		|| reply->integer > RL_PLACE_OWN) {
		return false;
	}
	if (grant->ours) {
		grant->is_exclusive = reply->integer == 1;
	} else {
		grant->place = (int)reply->integer;
	}
	return true;
}

bool rl_protocol_parse_grant(const struct rl_reply *reply, int64_t lease_ms, struct rl_grant *grant)
{
	*grant = (struct rl_grant){ 0 };
	if (reply->type == RL_REPLY_INTEGER && reply->integer > RL_ANSWER_NO_FENCE) {
		*grant = (struct rl_grant){ .ours = true, .fence = reply->integer, .left_ms = lease_ms };
		return true;
	}
	if (!is_array(reply, 2, 3) || !read_number(&reply->elements[0], &grant->fence)
		|| grant->fence < 0 || !read_number(&reply->elements[1], &grant->left_ms)) {
		return false;
	}
	grant->ours = grant->fence > 0;
	if (grant->left_ms > RL_LEASE_MAX_MS || grant->left_ms < 0) {
		grant->left_ms = -1;
	}
	return reply->count == 2 || read_place(&reply->elements[2], grant);
}

#define ENDED (-2) /* what is left of a lock that is free */

bool rl_protocol_parse_outcome(const struct rl_reply *reply, struct rl_outcome *outcome)
{
	const struct rl_reply *answer = reply->type == RL_REPLY_ARRAY ? reply->elements : reply;

	*outcome = (struct rl_outcome){ .fence = 0 };
	if ((answer != reply && !is_array(reply, 1, 3)) || answer->type != RL_REPLY_INTEGER
		|| answer->integer < (answer == reply ? RL_ANSWER_OURS : RL_ANSWER_OTHER)
		|| answer->integer > (answer == reply ? RL_ANSWER_NO_FENCE : RL_ANSWER_BY_NAME)) {
		return false;
	}
	outcome->answer = (enum rl_answer)answer->integer;
	if (answer == reply || reply->count == 1) {
		return true;
	}
	if (reply->count == 2) {
		outcome->had_no_value = true;
		return reply->elements[1].type == RL_REPLY_STRING;
	}
	if (!read_number(&reply->elements[1], &outcome->fence)
		|| outcome->fence < 0 || !read_number(&reply->elements[2], &outcome->left_ms)) {
		return false;
	}
	outcome->was_over = outcome->answer == RL_ANSWER_GONE;
	if (outcome->was_over && outcome->left_ms != ENDED) {
		outcome->answer = RL_ANSWER_OURS;
	}
	return true;
}
