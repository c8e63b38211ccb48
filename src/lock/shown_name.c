#include "shown_name.h"
#include "waiter.h"
#include "../base/number.h"

#include <stdio.h>
#include <string.h>

static const char *const PREFIXES[] = { "PHPREDIS_SESSION:", "PHPREDIS_CLUSTER_SESSION:" };

/* What has the form of an id of PHP's own, or of a framework's. */
#define ID_MIN 22

#define HASH_LENGTH 9 /* "#" and eight digits */

/* A name in three parts; `id` is empty if there is none in it. */
struct parts {
	struct rl_text before, id, after;
};

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

static bool is_small(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_of_id(char c)
{
	return rl_number_is_digit(c) || is_small(c) || (c >= 'A' && c <= 'Z') || c == ',' || c == '-';
}

/* --- locks of the session module --- */

/* By one of the known prefixes, or as an id in front of "_LOCK" behind any other. */
static bool find_of_module(struct rl_text key, struct parts *parts)
{
	struct rl_text id = key;
	bool is_lock;

	parts->after = rl_text_of(cut_end(&id, "_WAITERS") ? "_WAITERS" : "");
	is_lock = cut_end(&id, "_LOCK");
	cut_end(&id, "}");
	if (skip_prefix(&id)) {
		is_lock = id.length > 0 && *id.data != '#'; /* which one that is shown has */
	} else {
		struct rl_text rest = id;

		while (rest.length > 0 && is_of_id(rest.data[rest.length - 1])) {
			rest.length--;
		}
		id = (struct rl_text){ id.data + rest.length, id.length - rest.length };
		is_lock = is_lock && id.length >= ID_MIN;
	}
	parts->id = id;
	parts->before = (struct rl_text){ key.data, (size_t)(id.data - key.data) };
	rl_text_skip(&parts->before, "{");
	return is_lock;
}

/* --- others' --- */

/* "nightly-import-2024": pieces that are words or numbers. */
static bool consists_of_words(struct rl_text run)
{
	while (run.length > 0) {
		struct rl_text piece = rl_text_cut(&run, rl_text_first_of(run, '-', ','));
		size_t digits = 0, small = 0;

		for (size_t i = 0; i < piece.length; i++) {
			digits += rl_number_is_digit(piece.data[i]);
			small += is_small(piece.data[i]);
		}
		if (piece.length >= ID_MIN || (digits > 0 && digits < piece.length)
			|| (digits == 0 && small + 1 < piece.length)) {
			return false;
		}
	}
	return true;
}

/* The first run of characters that may be an id. */
static bool find_run(struct rl_text key, struct parts *parts)
{
	for (size_t at = 0, length; at < key.length; at += length + 1) {
		struct rl_text run;

		for (length = 0; at + length < key.length && is_of_id(key.data[at + length]);) {
			length++;
		}
		run = (struct rl_text){ key.data + at, length };
		if (length >= ID_MIN && !consists_of_words(run)) {
			*parts = (struct parts){ .before = { key.data, at },
				.id = run,
				.after = { run.data + length, key.length - at - length } };
			return true;
		}
	}
	return false;
}

/* Frameworks lock "session:ID", "ci_session:ID:lock" and the like. */
static bool speaks_of_sessions(struct rl_text key)
{
	return rl_text_mentions(key, "sess") || rl_text_mentions(key, "Sess")
		|| rl_text_mentions(key, "SESS");
}

static bool find_of_others(struct rl_text key, bool is_foreign, struct parts *parts)
{
	parts->after = key;
	return (is_foreign || speaks_of_sessions(key)) && find_run(key, parts);
}

static bool find_id(struct rl_text key, struct parts *parts)
{
	return find_of_module(key, parts) || find_of_others(key, false, parts);
}

/* --- what is shown --- */

static const char *put_hash(char hash[HASH_LENGTH + 1], struct rl_text id)
{
	char digits[RL_WAITER_HASH];

	rl_waiter_hash(digits, id);
	snprintf(hash, HASH_LENGTH + 1, "#%.8s", digits);
	return hash;
}

/* What speaks of sessions may do so in front of the first id alone. */
static void show(char *buffer, size_t size, struct parts parts, bool has_id)
{
	char hash[HASH_LENGTH + 1];
	size_t used = 0;

	for (; has_id && used < size; has_id = find_run(parts.after, &parts)) {
		rl_text_printable(buffer + used, size - used, parts.before);
		used += strlen(buffer + used);
		rl_text_printable(buffer + used, size - used, rl_text_of(put_hash(hash, parts.id)));
		used += strlen(buffer + used);
	}
	rl_text_printable(buffer + used, size - used, parts.after);
}

bool rl_shown_name_under(
	char *buffer, size_t size, struct rl_text key, size_t prefix, bool is_foreign)
{
	struct parts parts;
	bool is_module = find_of_module(key, &parts);
	bool has_id = is_module || find_of_others(key, is_foreign, &parts);
	struct rl_text *first = has_id ? &parts.before : &parts.after;

	if (!is_module && first->length >= prefix) {
		first->data += prefix;
		first->length -= prefix;
	}
	show(buffer, size, parts, has_id);
	return has_id;
}

const char *rl_shown_name(char *buffer, size_t size, struct rl_text key)
{
	rl_shown_name_under(buffer, size, key, 0, false);
	return buffer;
}

bool rl_shown_name_hides(struct rl_text key)
{
	struct parts parts;

	return find_id(key, &parts);
}

bool rl_shown_name_is_data(struct rl_text key)
{
	struct rl_text rest = key;

	return !cut_end(&rest, "_LOCK") && !cut_end(&rest, "_WAITERS") && skip_prefix(&rest);
}

/* --- an id in other words --- */

/* The length of what spells the id at the start of a text, as paths do; 0: nothing. */
static size_t spells(const char *text, size_t length, struct rl_text id)
{
	size_t at = 0;

	for (size_t i = 0; i < id.length; i++) {
		unsigned char wanted = (unsigned char)id.data[i];

		if (at < length && text[at] == id.data[i]) {
			at++;
		} else if (length - at >= 3 && text[at] == '%'
			&& rl_number_hex(text[at + 1]) * 16 + rl_number_hex(text[at + 2]) == wanted) {
			at += 3;
		} else {
			return 0;
		}
	}
	return at;
}

size_t rl_shown_name_mask(struct rl_text key, char *text, size_t length)
{
	char hash[HASH_LENGTH + 1];
	struct parts parts;
	size_t used = 0;

	if (!find_id(key, &parts) || parts.id.length < HASH_LENGTH) {
		return length;
	}
	put_hash(hash, parts.id);
	for (size_t at = 0, spelt; at < length; at += spelt ? spelt : 1) {
		spelt = spells(text + at, length - at, parts.id);
		if (spelt) {
			memcpy(text + used, hash, HASH_LENGTH);
			used += HASH_LENGTH;
		} else {
			text[used++] = text[at];
		}
	}
	return used;
}
