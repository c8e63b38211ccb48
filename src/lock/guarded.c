#include "guarded.h"

#include <stdlib.h>
#include <string.h>

bool rl_guarded_keep(struct rl_guarded *guarded, const struct rl_reply *reply)
{
	free(guarded->found);
	guarded->found = NULL;
	guarded->was_read = true;
	guarded->was_there = reply->type == RL_REPLY_STRING;
	if (!guarded->was_there) {
		return true;
	}
	guarded->found = malloc(reply->length + 1);
	if (guarded->found) {
		memcpy(guarded->found, reply->text, reply->length + 1);
		guarded->length = reply->length;
	}
	return guarded->found != NULL;
}
