/*
 * Who holds what: names are found by SCAN, each once, and looked at ten at a time. After each
 * request there is a pause of the same length, so that the server has half of its time for others.
 */
#include "holder.h"
#include "../../call/call.h"
#include "../../call/scan.h"
#include "../shown_name.h"

#include <stdlib.h>
#include <string.h>

#define TOGETHER  10 /* locks that are looked at in one round trip */
#define PAUSE_MAX (10 * RL_MILLISECOND)

/* That names may take: a SCAN that always finds others would never come to an end. */
#define NAMES_MAX_MIB 64
#define NAMES_MAX     ((size_t)NAMES_MAX_MIB * 1024 * 1024)

/* A name that has been found. */
struct name {
	struct rl_table_entry entry; /* among all that have been found */
	struct name *next;           /* that is still to be looked at */
	char text[];
};

struct search {
	struct rl_owner *owner;
	const struct rl_holders *terms;
	struct rl_scan *scan;
	struct rl_table found;
	size_t names_size;          /* in bytes */
	struct name *first, **last; /* to be looked at */
	size_t told;
	bool over; /* by the limit, or whoever is told */
	/* What is being looked at. */
	struct name *names[TOGETHER];
	struct rl_keys keys[TOGETHER];
	struct rl_step steps[TOGETHER];
	struct rl_batch_item items[TOGETHER];
	size_t count;
};

/* --- finding names --- */

static bool is_special(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '\\';
}

/*
 * A glob for the lock's keys: the prefix as it is, whatever is in it, and then the pattern for
 * names.
 */
static struct rl_scan *make_scan(struct rl_owner *owner, struct rl_text pattern)
{
	char *glob = malloc(2 * owner->prefix.length + pattern.length + 1), *to = glob;
	struct rl_scan *scan;

	if (!glob) {
		return NULL;
	}
	for (size_t i = 0; i < owner->prefix.length; i++) {
		if (is_special(owner->prefix.data[i])) {
			*to++ = '\\';
		}
		*to++ = owner->prefix.data[i];
	}
	memcpy(to, pattern.data, pattern.length);
	scan = rl_scan_new(
		owner->route, (struct rl_text){ glob, (size_t)(to - glob) + pattern.length });
	free(glob);
	return scan;
}

static struct name *make_name(struct rl_text key, size_t prefix)
{
	struct name *name = malloc(sizeof *name + key.length);

	if (name) {
		memcpy(name->text, key.data, key.length);
		name->entry.key = (struct rl_text){ name->text + prefix, key.length - prefix };
		name->next = NULL;
	}
	return name;
}

static bool note_key(void *context, struct rl_text key)
{
	struct search *search = context;
	size_t prefix = search->owner->prefix.length;
	struct rl_text text = { key.data + prefix, key.length - prefix };
	struct name *name;

	/* The prefix alone is no lock's key, nor are a session's data. */
	if (key.length <= prefix || rl_shown_name_is_data(key) || rl_table_find(&search->found, text)) {
		return true;
	}
	name = rl_table_reserve(&search->found) ? make_name(key, prefix) : NULL;
	if (!name) {
		return false;
	}
	rl_table_add(&search->found, &name->entry);
	search->names_size += sizeof *name + key.length;
	*search->last = name;
	search->last = &name->next;
	return true;
}

/* --- looking at them --- */

static struct name *take_first(struct search *search)
{
	struct name *name = search->first;

	search->first = name->next;
	if (!search->first) {
		search->last = &search->first;
	}
	return name;
}

static void add_look(struct search *search, struct name *name, const struct rl_keys *keys)
{
	size_t i = search->count++;

	search->names[i] = name;
	search->steps[i] = (struct rl_step){ RL_STEP_INSPECT, .keys = keys };
	search->items[i] = (struct rl_batch_item){ .step = &search->steps[i] };
}

/* Their keys; companions of other locks, which an empty prefix finds, too, are left out. */
static enum rl_status prepare(struct search *search, struct rl_error *error)
{
	while (search->first && search->count < TOGETHER) {
		struct name *name = take_first(search);
		struct rl_keys *keys = &search->keys[search->count];

		if (!rl_keys_make(keys, search->owner->prefix, name->entry.key)) {
			return rl_fail_for_memory(error);
		}
		if (!rl_keys_clash(keys)) {
			add_look(search, name, keys);
			if (!rl_keys_share(keys)) {
				return rl_fail_for_memory(error);
			}
		} else {
			rl_keys_free(keys);
		}
	}
	return RL_OK;
}

static void clear_looks(struct search *search)
{
	for (size_t i = 0; i < search->count; i++) {
		if (search->items[i].answered) {
			rl_lock_state_clear(&search->items[i].state);
		}
		rl_keys_free(&search->keys[i]);
	}
	search->count = 0;
}

/*
 * What was left open of many is looked at by itself, which finds its way, or says why not: of
 * several nodes, which of them do not answer.
 */
static enum rl_status ask(struct search *search, rl_time deadline, struct rl_error *error)
{
	struct rl_owner *owner = search->owner;
	struct rl_batch batch = {
		.route = owner->route,
		.items = search->items,
		.count = search->count,
		.deadline = deadline,
		.error = error,
	};
	enum rl_status status = owner->backend->run(&batch);

	for (size_t i = 0; status == RL_OK && i < search->count; i++) {
		struct rl_batch_item *item = &search->items[i];

		if (!item->answered) {
			status = rl_owner_run_item(owner, item, deadline, error);
			status = rl_holder_is_unreadable(status, error) ? RL_OK : status;
		}
	}
	return status;
}

/* RL_NO: it has ended meanwhile. */
static enum rl_status tell(
	struct search *search, size_t i, rl_time deadline, struct rl_error *error)
{
	const struct rl_holders *terms = search->terms;
	struct rl_text name = search->names[i]->entry.key, shown = name;
	struct rl_text key = { search->names[i]->text, search->owner->prefix.length + name.length };
	char hidden[RL_NAME_SIZE];
	struct rl_holder holder;
	enum rl_status status = RL_OK;

	if (search->items[i].answered) {
		status = rl_holder_complete(
			search->owner, &search->keys[i], &search->items[i].state, deadline, &holder, error);
	} else {
		holder = rl_holder_unreadable();
	}

	if (status == RL_OK) {
		if (rl_shown_name_under(hidden, sizeof hidden, key, search->owner->prefix.length,
				holder.kind == RL_HOLDER_FOREIGN)) {
			shown = rl_text_of(hidden);
		}
		search->over = !terms->found(terms->context, name, shown, &holder)
			|| ++search->told >= terms->limit;
		rl_owner_holder_clear(&holder);
	}
	return status;
}

static enum rl_status look_at_some(struct search *search, struct rl_error *error)
{
	rl_time deadline = rl_owner_deadline(search->owner, rl_now());
	enum rl_status status = prepare(search, error);

	if (status == RL_OK && search->count > 0) {
		status = ask(search, deadline, error);
	}
	for (size_t i = 0; (status == RL_OK || status == RL_NO) && !search->over && i < search->count;
		 i++) {
		status = tell(search, i, deadline, error);
	}
	clear_looks(search);
	return status == RL_NO ? RL_OK : status;
}

/* --- the search --- */

static struct search *begin(struct rl_owner *owner, const struct rl_holders *terms)
{
	struct search *search = calloc(1, sizeof *search);

	if (!search) {
		return NULL;
	}
	search->scan = make_scan(owner, terms->pattern);
	if (!search->scan) {
		free(search);
		return NULL;
	}
	search->owner = owner;
	search->terms = terms;
	search->found.seed = owner->leases.seed;
	search->last = &search->first;
	return search;
}

static void end(struct search *search)
{
	struct rl_table_entry *next;

	rl_scan_free(search->scan);
	for (struct rl_table_entry *entry = rl_table_take_all(&search->found); entry; entry = next) {
		next = entry->next;
		free((struct name *)entry);
	}
	rl_table_free(&search->found);
	free(search);
}

static enum rl_status scan_on(struct search *search, struct rl_error *error)
{
	enum rl_status status = rl_scan_next(search->scan, note_key, search, error);

	if (status == RL_OK && search->names_size > NAMES_MAX) {
		return rl_fail(error, RL_MISUSE,
			"Redis at %s has more than %d MiB of locks' names that match; "
			"look for fewer, with a narrower pattern",
			search->owner->route->name, NAMES_MAX_MIB);
	}
	return status;
}

static enum rl_status run(struct search *search, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	while (status == RL_OK && !search->over) {
		rl_time began = rl_now();

		status = search->first ? look_at_some(search, error) : scan_on(search, error);
		if (status == RL_OK && !search->over
			&& !rl_call_pause(rl_time_earlier(rl_now() - began, PAUSE_MAX), RL_FOREVER)) {
			return rl_fail_unwanted(error);
		}
	}
	return status == RL_NO ? RL_OK : status;
}

enum rl_status rl_owner_holders(
	struct rl_owner *owner, const struct rl_holders *terms, struct rl_error *error)
{
	enum rl_status status;
	struct search *search;

	owner->backend->release_discarded(owner, NULL, rl_owner_deadline(owner, rl_now()), NULL);
	search = begin(owner, terms);
	if (!search) {
		return rl_fail_for_memory(error);
	}
	status = run(search, error);
	end(search);
	return status;
}
