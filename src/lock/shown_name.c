#include "shown_name.h"
#include "waiter.h"

#include <stdio.h>
#include <string.h>

static const char *const PREFIXES[] = { "PHPREDIS_SESSION:", "PHPREDIS_CLUSTER_SESSION:" };

/* Under another prefix, what has the form of an id of PHP's own. */
#define ID_MIN 22

static bool cut_end(struct rl_text *text, const char *end)
{
	struct rl_text wanted = rl_text_of(end),
				   last = { text->data + text->length - wanted.length, wanted.length };

	if (text->length < wanted.length || !rl_text_is(last, wanted)) {
		return false;
	}
	text->length -= wanted.length;
	return true;
}

static bool skip_prefix(struct rl_text *text)
{
	rl_text_skip(text, "{");
	return rl_text_skip(text, PREFIXES[0]) || rl_text_skip(text, PREFIXES[1]);
}

static bool is_of_id(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ','
		|| c == '-';
}

/* False: there is none in it. */
static bool find_id(struct rl_text key, struct rl_text *id)
{
	size_t length = 0;
	bool is_lock;

	cut_end(&key, "_WAITERS");
	is_lock = cut_end(&key, "_LOCK");
	cut_end(&key, "}");
	*id = key;
	if (skip_prefix(id)) {
		return id->length > 0 && *id->data != '#'; /* which one that is shown has */
	}
	while (length < key.length && is_of_id(key.data[key.length - length - 1])) {
		length++;
	}
	*id = (struct rl_text){ key.data + key.length - length, length };
	return is_lock && length >= ID_MIN;
}

const char *rl_shown_name(char *buffer, size_t size, struct rl_text key)
{
	char hash[RL_WAITER_HASH];
	struct rl_text id, before;
	size_t length;

	if (!find_id(key, &id)) {
		return rl_text_printable(buffer, size, key);
	}
	before = (struct rl_text){ key.data, (size_t)(id.data - key.data) };
	rl_text_skip(&before, "{");
	rl_text_printable(buffer, size, before);
	length = strlen(buffer);
	rl_waiter_hash(hash, id);
	snprintf(buffer + length, size - length, "#%.8s%s", hash,
		cut_end(&key, "_WAITERS") ? "_WAITERS" : "");
	return buffer;
}

bool rl_shown_name_hides(struct rl_text key)
{
	struct rl_text id;

	return find_id(key, &id);
}

bool rl_shown_name_is_data(struct rl_text key)
{
	struct rl_text rest = key;

	return !cut_end(&rest, "_LOCK") && !cut_end(&rest, "_WAITERS") && skip_prefix(&rest);
}
