#include "waits.h"

#include <stdlib.h>
#include <string.h>

#include "tell.h"

/* Room for one more in an array that doubles. NULL: out of memory. */
static void *make_room(void *items, size_t count, size_t *room, size_t size)
{
	size_t larger = *room ? 2 * *room : 16;

	if (count < *room) {
		return items;
	}
	items = realloc(items, larger * size);
	*room = items ? larger : *room;
	return items;
}

/* --- waiters --- */

static bool add_waiter(void *context, const struct rl_waiter *waiter)
{
	struct cli_waits *waits = context;
	struct cli_wait *items = make_room(waits->waits, waits->count, &waits->room, sizeof *items);
	struct cli_wait *wait;

	if (!items) {
		waits->is_out_of_memory = true;
		return false;
	}
	waits->waits = items;
	wait = &items[waits->count++];
	*wait = (struct cli_wait){ .waiter = *waiter };
	rl_text_printable(wait->process, sizeof wait->process, waiter->process);
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct cli_wait *one = a, *other = b;
	int64_t since = one->waiter.since_ms, other_since = other->waiter.since_ms;
	int order = one->lock && other->lock
		? strcmp(one->lock->name.data, other->lock->name.data)
		: memcmp(one->waiter.hash, other->waiter.hash, RL_WAITER_HASH);

	return order ? order : (since > other_since) - (since < other_since);
}

/* By their locks' keys, once these are known. */
static void sort(struct cli_waits *waits)
{
	if (waits->count > 0) {
		qsort(waits->waits, waits->count, sizeof waits->waits[0], compare);
	}
}

static enum rl_status find_waiters(struct cli_waits *waits, struct rl_owner *owner,
	struct rl_error *error)
{
	const struct rl_waiters request = { .found = add_waiter, .context = waits };
	enum rl_status status;

	*waits = (struct cli_waits){ .owner = owner };
	status = rl_owner_waiters(owner, &request, error);
	if (waits->is_out_of_memory) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	sort(waits);
	return status;
}

/* Leaves those alone that wait for this lock, or for one that was found. */
static void keep(struct cli_waits *waits, const char *hash)
{
	size_t kept = 0;

	for (size_t i = 0; i < waits->count; i++) {
		struct cli_wait *wait = &waits->waits[i];

		if (hash ? memcmp(wait->waiter.hash, hash, RL_WAITER_HASH) == 0 : wait->lock != NULL) {
			waits->waits[kept++] = *wait;
		}
	}
	waits->count = kept;
}

enum rl_status cli_waits_of(struct cli_waits *waits, struct rl_owner *owner, struct rl_text key,
	struct rl_error *error)
{
	enum rl_status status = find_waiters(waits, owner, error);
	char hash[RL_WAITER_HASH];

	if (status == RL_OK && !rl_owner_hash(owner, key, hash)) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	if (status == RL_OK) {
		keep(waits, hash);
	}
	return status;
}

/* --- the locks --- */

static bool waits_for(const struct cli_waits *waits, size_t i, const char *hash)
{
	return i < waits->count && memcmp(waits->waits[i].waiter.hash, hash, RL_WAITER_HASH) == 0;
}

/* Where waits for this hash begin, if there are any: they are in order. */
static size_t first_for(const struct cli_waits *waits, const char *hash)
{
	size_t first = 0, end = waits->count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (memcmp(waits->waits[middle].waiter.hash, hash, RL_WAITER_HASH) < 0) {
			first = middle + 1;
		} else {
			end = middle;
		}
	}
	return first;
}

/* One that is held; perhaps somebody waits for it. */
static bool add_lock(
	void *context, struct rl_text name, struct rl_text shown, const struct rl_holder *holder)
{
	struct cli_waits *waits = context;
	struct cli_waited_for *lock;
	char hash[RL_WAITER_HASH];

	if (!rl_owner_hash(waits->owner, name, hash)) {
		waits->is_out_of_memory = true;
		return false;
	}
	if (!waits_for(waits, first_for(waits, hash), hash)) {
		return true;
	}
	lock = calloc(1, sizeof *lock + name.length + shown.length + 2);
	if (!lock) {
		waits->is_out_of_memory = true;
		return false;
	}
	lock->name = (struct rl_text){ lock->text, name.length };
	memcpy(lock->text, name.data, name.length);
	lock->shown = (struct rl_text){ lock->text + name.length + 1, shown.length };
	memcpy(lock->text + name.length + 1, shown.data, shown.length);
	lock->next = waits->locks;
	waits->locks = lock;
	for (size_t i = first_for(waits, hash); waits_for(waits, i, hash); i++) {
		waits->waits[i].lock = lock;
	}
	return true;
}

static bool add_holder(void *context, const struct rl_holder *holder)
{
	struct cli_waited_for *lock = context;
	struct cli_holding *items = make_room(
		lock->holdings, lock->count, &lock->room, sizeof *items);

	if (!items) {
		lock->is_out_of_memory = true;
		return false;
	}
	lock->holdings = items;
	items += lock->count++;
	rl_text_printable(items->process, sizeof items->process, holder->owner);
	cli_holder_who(items->who, holder);
	items->fence = holder->fence;
	items->since_ms = cli_holder_since_ms(holder);
	items->is_its_own = holder->kind == RL_HOLDER_LEASE;
	items->is_shared = holder->is_shared;
	return true;
}

static enum rl_status find_holders(struct cli_waits *waits, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	for (struct cli_waited_for *lock = waits->locks;
		 lock && (status == RL_OK || status == RL_NO); lock = lock->next) {
		const struct rl_sharers request = { .found = add_holder, .context = lock };

		status = rl_owner_sharers(
			waits->owner, lock->name, &request, error);
		if (lock->is_out_of_memory) {
			return rl_fail(error, RL_NO_MEMORY, "Out of memory");
		}
	}
	return status == RL_NO ? RL_OK : status;
}

enum rl_status cli_waits_find(struct cli_waits *waits, struct rl_owner *owner,
	struct rl_text pattern, bool holders, struct rl_error *error)
{
	const struct rl_holders request = {
		.pattern = pattern,
		.limit = SIZE_MAX,
		.found = add_lock,
		.context = waits
	};
	enum rl_status status = find_waiters(waits, owner, error);

	if (status == RL_OK && waits->count > 0) {
		status = rl_owner_holders(owner, &request, error);
	}
	if (waits->is_out_of_memory) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	keep(waits, NULL);
	sort(waits);
	waits->has_holders = holders;
	return status == RL_OK && holders ? find_holders(waits, error) : status;
}

void cli_waits_clear(struct cli_waits *waits)
{
	while (waits->locks) {
		struct cli_waited_for *lock = waits->locks;

		waits->locks = lock->next;
		free(lock->holdings);
		free(lock);
	}
	free(waits->waits);
	*waits = (struct cli_waits){ 0 };
}

/* --- in words --- */

void cli_wait_put_json(struct cli_json *object, const struct cli_wait *wait)
{
	cli_json_text(object, "waiter", rl_text_of(wait->process));
	if (wait->waiter.since_ms > 0) {
		cli_json_seconds(object, "since", wait->waiter.since_ms);
	} else {
		cli_json_null(object, "since");
	}
	cli_json_bool(object, "shared", wait->waiter.is_shared);
}

void cli_wait_print(struct rl_text key, const struct cli_wait *wait)
{
	char name[CLI_NAME_SIZE], since[CLI_HOLDER_SINCE_SIZE];

	printf("%s waits for %s\"%s\" since %s", wait->process,
		wait->waiter.is_shared ? "a share of " : "", cli_tell_name(name, key),
		cli_since(since, wait->waiter.since_ms));
}

const char *cli_holding_name(const struct cli_holding *holding)
{
	return holding->process[0] ? holding->process : holding->who;
}

bool cli_wait_is_for_namesake(const struct cli_wait *wait, const struct cli_holding *holding)
{
	return strcmp(wait->process, holding->process) == 0;
}

static void print_holders(const struct cli_wait *wait)
{
	char since[CLI_HOLDER_SINCE_SIZE];

	for (size_t i = 0; i < wait->lock->count; i++) {
		const struct cli_holding *holding = &wait->lock->holdings[i];

		printf(", %s%s", holding->who,
			cli_wait_is_for_namesake(wait, holding) ? " (a process of that name)" : "");
		if (holding->since_ms) {
			printf(" since %s", cli_since(since, holding->since_ms));
		}
	}
}

static void put_holders(struct cli_json *object, const struct cli_waited_for *lock)
{
	cli_json_name(object, "holders");
	putchar('[');
	for (size_t i = 0; i < lock->count; i++) {
		fputs(i ? "," : "", stdout);
		cli_json_put_text(stdout, rl_text_of(lock->holdings[i].process));
	}
	putchar(']');
}

static void put_wait(const struct cli_wait *wait, bool has_holders)
{
	struct cli_json object = cli_json_begin(stdout);

	cli_json_key(&object, cli_wait_key(wait));
	cli_wait_put_json(&object, wait);
	if (has_holders) {
		put_holders(&object, wait->lock);
	}
	cli_json_end(&object);
}

void cli_waits_print(const struct cli_waits *waits, bool json)
{
	for (size_t i = 0; i < waits->count; i++) {
		const struct cli_wait *wait = &waits->waits[i];

		if (json) {
			fputs(i ? ",\n" : "\n", stdout);
			put_wait(wait, waits->has_holders);
			continue;
		}
		fputs(!waits->has_holders ? "" : wait->is_in_cycle ? "* "
														   : "  ",
			stdout);
		cli_wait_print(cli_wait_key(wait), wait);
		print_holders(wait);
		putchar('\n');
	}
}
