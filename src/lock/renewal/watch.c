#include "renewal.h"

#include <stdlib.h>
#include <string.h>

static void unlist_news(struct rl_record *record)
{
	struct rl_record **link = &record->watch->news;

	if (record->is_news) {
		while (*link != record) {
			link = &(*link)->next_news;
		}
		*link = record->next_news;
		record->is_news = false;
	}
}

/* What changes with each extend, whoever sends it, and with the kind of the grant. */
static void tell(struct rl_record *record, const struct rl_lease *lease)
{
	record->lease->safe_until = lease->safe_until;
	record->lease->serial = lease->serial;
	record->lease->in_doubt = lease->in_doubt;
	record->lease->is_share = lease->is_share;
	memcpy(record->lease->fence_text, lease->fence_text, sizeof lease->fence_text);
}

static void hear(struct rl_lease *lease, const struct rl_record *record)
{
	lease->safe_until = record->lease->safe_until;
	lease->serial = record->lease->serial;
	lease->in_doubt = record->lease->in_doubt;
}

static struct rl_line *find_line(const struct rl_route *route)
{
	struct rl_line *line = rl_records.lines;

	while (line && !rl_route_is_like(line->route, route)) {
		line = line->next;
	}
	return line;
}

static struct rl_line *make_line(const struct rl_route *route, const struct rl_backend *backend)
{
	struct rl_line *line = calloc(1, sizeof *line);

	if (!line) {
		return NULL;
	}
	line->route = rl_route_duplicate(route);
	if (!line->route) {
		free(line);
		return NULL;
	}
	line->backend = backend;
	line->next = rl_records.lines;
	rl_records.lines = line;
	return line;
}

static rl_time later(rl_time a, rl_time b)
{
	return a > b ? a : b;
}

/* NULL: out of memory. */
static struct rl_line *line_to(const struct rl_route *route, const struct rl_backend *backend)
{
	struct rl_line *line = find_line(route);

	if (!line) {
		line = make_line(route, backend);
	}
	if (line) {
		line->connect_timeout = later(line->connect_timeout, route->connect_timeout);
		line->timeout = later(line->timeout, route->timeout);
	}
	return line;
}

/* In a child, what is the parent's to be told. */
static void drop_parents_news(struct rl_watch *watch)
{
	if (watch->generation != rl_system_generation()) {
		watch->generation = rl_system_generation();
		watch->news = NULL;
	}
}

static enum rl_status begin(struct rl_record *record, const struct rl_route *route, struct rl_error *error)
{
	if (!rl_renewal_start()) {
		return rl_fail(error, RL_MISUSE, "The system refuses the thread that is to look after the lease; "
										 "is there a limit on threads or open files?");
	}
	if (record->watch->renew) {
		record->line = line_to(route, record->watch->backend);
		if (!record->line) {
			return rl_fail(error, RL_NO_MEMORY, "Out of memory");
		}
	}
	drop_parents_news(record->watch);
	rl_record_link(record);
	rl_renewal_wake_by(rl_record_due(record));
	return RL_OK;
}

/* --- what owners do --- */

void rl_watch_init(struct rl_watch *watch, const struct rl_backend *backend, const struct rl_owner_terms *terms)
{
	*watch = (struct rl_watch){
		.backend = backend,
		.renew = terms->renew,
		.max_hold = terms->max_hold,
		.thread = rl_thread_id(),
		.generation = rl_system_generation(),
	};
	if (terms->alarmed) {
		watch->alarm = terms->alarm;
	}
}

enum rl_status rl_watch_begin(struct rl_watch *watch, const struct rl_route *route, struct rl_lease *lease,
	rl_time asked_at, struct rl_error *error)
{
	rl_time renew_until = watch->max_hold < RL_FOREVER - asked_at ? asked_at + watch->max_hold : RL_FOREVER;
	struct rl_record *record;
	enum rl_status status;

	if (!watch->renew && !watch->alarm.raise) {
		return RL_OK;
	}
	record = rl_record_new(lease);
	if (!record) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	tell(record, lease);
	record->watch = watch;
	record->of = lease;
	record->length_ms = lease->length_ms;
	record->renew_until = renew_until;
	record->answer = RL_ANSWER_OURS;
	rl_record_schedule(record, asked_at, lease->length_ms);
	rl_record_lock();
	status = begin(record, route, error);
	rl_record_unlock();
	if (status == RL_OK) {
		lease->record = record;
		lease->renew_until = watch->renew ? renew_until : 0;
	} else {
		rl_record_free(record);
	}
	return status;
}

void rl_watch_end(struct rl_lease *lease)
{
	struct rl_record *record = lease->record;
	bool in_flight = false;

	if (!record) {
		return;
	}
	lease->record = NULL;
	if (lease->generation == rl_system_generation()) {
		rl_record_lock();
		hear(lease, record);
		unlist_news(record);
		rl_record_unlink(record);
		record->watch = NULL;
		in_flight = record->in_flight;
		if (rl_records.count == 0) {
			rl_renewal_wake_by(rl_now() + RL_RENEWAL_LINGER);
		}
		rl_record_unlock();
	}
	if (!in_flight) {
		rl_record_free(record);
	}
}

enum rl_answer rl_watch_look(struct rl_lease *lease, rl_time *found_at)
{
	struct rl_record *record = lease->record;
	enum rl_answer answer;

	if (!record) {
		return RL_ANSWER_OURS;
	}
	rl_record_lock();
	lease->safe_until = record->lease->safe_until;
	*found_at = record->found_at;
	answer = record->over ? record->answer : RL_ANSWER_OURS;
	rl_record_unlock();
	return answer;
}

void rl_watch_pause(struct rl_lease *lease)
{
	struct rl_record *record = lease->record;

	if (!record) {
		return;
	}
	rl_record_lock();
	if (!record->paused) {
		hear(lease, record); /* in a pause the owner alone sends, and what it has sent counts */
	}
	record->paused = true;
	record->pauses++;
	unlist_news(record);
	lease->in_doubt |= record->in_flight;
	rl_record_unlock();
}

void rl_watch_go_on(struct rl_lease *lease, rl_time asked_at, int64_t lease_ms)
{
	struct rl_record *record = lease->record;

	if (!record) {
		return;
	}
	rl_record_lock();
	record->paused = record->over = false;
	record->answer = RL_ANSWER_OURS;
	record->length_ms = lease->length_ms;
	tell(record, lease);
	rl_record_schedule(record, asked_at, lease_ms);
	rl_renewal_wake_by(rl_record_due(record));
	rl_record_unlock();
}

void rl_watch_go_on_as_before(struct rl_lease *lease, bool maybe_done)
{
	struct rl_record *record = lease->record;

	if (!record) {
		return;
	}
	rl_record_lock();
	record->paused = false;
	tell(record, lease);
	if (maybe_done) {
		record->renew_at = record->early_at = rl_now();
	}
	if (record->over) {
		rl_record_tell(record);
	}
	rl_renewal_wake_by(rl_record_due(record));
	rl_record_unlock();
}

struct rl_lease *rl_watch_news(struct rl_watch *watch)
{
	struct rl_record *record;
	struct rl_lease *lease = NULL;

	rl_record_lock();
	drop_parents_news(watch);
	record = watch->news;
	if (record) {
		lease = record->of;
		unlist_news(record);
	}
	rl_record_unlock();
	return lease;
}

bool rl_watch_alarm_later(struct rl_watch *watch)
{
	struct rl_record *record;

	rl_record_lock();
	drop_parents_news(watch);
	record = watch->news;
	if (record) {
		record->tell_at = rl_now() + RL_ALARM_PAUSE;
		rl_renewal_wake_by(record->tell_at);
	}
	rl_record_unlock();
	return record != NULL;
}

static uint64_t read_count(const uint64_t *renewals)
{
	uint64_t count;

	rl_record_lock();
	count = *renewals;
	rl_record_unlock();
	return count;
}

uint64_t rl_watch_renewals(struct rl_watch *watch)
{
	return read_count(&watch->renewals);
}

uint64_t rl_watch_all_renewals(void)
{
	return read_count(&rl_records.renewals);
}

static bool is_endless(const struct rl_record *record, const struct rl_line *line, const struct rl_keys *keys)
{
	return record->line == line && record->watch->thread == rl_thread_id() && !record->over
		&& record->renew_until == RL_FOREVER
		&& record->lease->keys.length[RL_KEY_LOCK] == keys->length[RL_KEY_LOCK]
		&& memcmp(record->lease->keys.text[RL_KEY_LOCK], keys->text[RL_KEY_LOCK], keys->length[RL_KEY_LOCK]) == 0;
}

static enum rl_status copy_token(const struct rl_token *from, struct rl_token *to)
{
	*to = *from;
	to->text = malloc(from->length);
	if (!to->text) {
		return RL_NO_MEMORY;
	}
	memcpy(to->text, from->text, from->length);
	return RL_OK;
}

enum rl_status rl_watch_is_endless(const struct rl_route *route, const struct rl_keys *keys, bool may_share, struct rl_token *token)
{
	const struct rl_record *record;
	const struct rl_line *line;
	enum rl_status status = RL_NO;

	rl_record_lock();
	line = find_line(route);
	for (record = line ? rl_records.first : NULL; record && status == RL_NO; record = record->next) {
		if (is_endless(record, line, keys) && !(may_share && record->lease->is_share)) {
			status = copy_token(&record->lease->token, token);
		}
	}
	rl_record_unlock();
	return status;
}
