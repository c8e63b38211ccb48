/*
 * Who waits. A waiter has named its connection, and the list of clients says which are blocked.
 */
#include "../owner/internal.h"
#include "../waiter.h"
#include "../../base/number.h"
#include "../../call/query.h"

#include <stdio.h>

/* The value of "name=value" among words. */
static struct rl_text field(struct rl_text words, const char *name)
{
	while (words.length > 0) {
		struct rl_text word = rl_text_cut(&words, rl_text_find(words, ' '));

		if (rl_text_skip(&word, name)) {
			return word;
		}
	}
	return words;
}

static enum rl_status read_clients(void *context, struct rl_connection *connection,
	const struct rl_reply *reply, struct rl_error *error)
{
	const struct rl_waiters *terms = context;
	struct rl_text rest = { reply->text, reply->type == RL_REPLY_STRING ? reply->length : 0 };
	struct rl_waiter waiter;
	bool goes_on = true;
	char db[RL_NUMBER_SIZE + 3];

	snprintf(db, sizeof db, " db=%d ", connection->address->db);
	while (goes_on && rest.length > 0) {
		struct rl_text line = rl_text_cut(&rest, rl_text_find(rest, '\n'));

		if (rl_text_mentions(line, db) && rl_text_find(field(line, "flags="), 'b')
			&& rl_waiter_read_name(field(line, "name="), &waiter)) {
			goes_on = terms->found(terms->context, &waiter);
		}
	}
	return goes_on ? RL_OK : RL_NO;
}

static enum rl_status ask(struct rl_owner *owner, struct rl_server *server,
	const struct rl_waiters *terms, rl_time deadline, struct rl_error *error)
{
	const struct rl_text words[] = {
		{ "CLIENT", 6 }, { "LIST", 4 }, { "TYPE", 4 }, { "normal", 6 }
	};
	struct rl_query query = { .words = words,
		.count = sizeof words / sizeof words[0],
		.reply_nodes = 1, /* so that it may be long */
		.read = read_clients,
		.context = (void *)terms };

	return rl_query_run(&query, owner->route, server, deadline, error);
}

enum rl_status rl_owner_waiters(
	struct rl_owner *owner, const struct rl_waiters *terms, struct rl_error *error)
{
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	struct rl_server_list servers = { .servers = NULL };
	enum rl_status status;

	if (!owner->backend->passes_batons) {
		return rl_fail(error, RL_MISUSE,
			"On a majority of servers nobody can tell who waits: each waiter asks now and then");
	}
	status = rl_query_list(owner->route, deadline, &servers, error);
	for (size_t i = 0; status == RL_OK && i < servers.count; i++) {
		status = ask(owner, servers.servers[i], terms, deadline, error);
	}
	rl_server_list_clear(&servers);
	return status == RL_NO ? RL_OK : status;
}

bool rl_owner_hash(
	const struct rl_owner *owner, struct rl_text name, char hash[RL_WAITER_HASH])
{
	struct rl_keys keys;
	bool is_made = rl_keys_make(&keys, owner->prefix, name);

	if (is_made) {
		rl_waiter_hash(hash, keys.of[RL_KEY_LOCK]);
		rl_keys_free(&keys);
	}
	return is_made;
}
