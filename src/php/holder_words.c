#include "holder_words.h"

#include "../base/number.h"
#include "../base/process_name.h"

#include <stdio.h>

/*
 * `web1:4711 ("import")`. That it has our name does not say that it is this process: in another
 * container processes may have the same.
 */
static void describe_owner(char *buffer, size_t size, const struct rl_holder *holder)
{
	bool has_our_name = holder->kind == RL_HOLDER_LEASE
		&& rl_text_is(holder->owner, rl_process_name());
	bool has_metadata = holder->metadata.length > 0;
	char owner[RL_NAME_SIZE], metadata[RL_NAME_SIZE];

	rl_text_printable(owner, sizeof owner, holder->owner);
	rl_text_printable(metadata, sizeof metadata, holder->metadata);
	snprintf(buffer, size, "%s%s%s%s%s%s",
		holder->is_ours    ? "this very process, "
			: has_our_name ? "a process of that name, "
						   : "",
		owner, has_metadata ? " (\"" : "", metadata, has_metadata ? "\")" : "",
		has_our_name ? "," : "");
}

void php_rlock_holder_words_put(
	char buffer[PHP_RLOCK_HOLDER_WORDS_SIZE], const struct rl_holder *holder)
{
	const size_t size = PHP_RLOCK_HOLDER_WORDS_SIZE;
	char owner[3 * RL_NAME_SIZE], seconds[RL_NUMBER_SECONDS_SIZE];
	const char *before = "", *who = owner, *does = "holds it";

	describe_owner(owner, sizeof owner, holder);
	if (holder->kind == RL_HOLDER_FOREIGN) {
		who = "a client of another library";
	} else if (holder->kind == RL_HOLDER_HAND_OVER) {
		who = "a hand-over";
		does = "keeps it";
	} else if (holder->kind == RL_HOLDER_COOLDOWN) {
		before = "a delay after its release by ";
		does = "keeps it";
	}
	if (holder->left_ms < 0) {
		snprintf(buffer, size, ": %s%s %s without an end", before, who, does);
	} else {
		snprintf(buffer, size, ": %s%s %s for another %s s", before, who, does,
			rl_number_put_seconds(seconds, holder->left_ms));
	}
}

void php_rlock_holder_words_ask(
	char buffer[PHP_RLOCK_HOLDER_WORDS_SIZE], struct rl_owner *owner, struct rl_text key)
{
	struct rl_holder holder;
	struct rl_error ignored;
	rl_time deadline = rl_owner_deadline(owner, rl_now());

	*buffer = '\0';
	if (rl_owner_holder_now(owner, key, deadline, &holder, &ignored) == RL_OK) {
		php_rlock_holder_words_put(buffer, &holder);
		rl_owner_holder_clear(&holder);
	}
}
