#include "record.h"

#include <stdlib.h>

struct rl_records rl_records = { .mutex = RL_MUTEX_INIT };

void rl_record_lock(void)
{
	rl_thread_lock(&rl_records.mutex);
}

void rl_record_unlock(void)
{
	rl_thread_unlock(&rl_records.mutex);
}

struct rl_record *rl_record_new(const struct rl_lease *lease)
{
	struct rl_record *record = calloc(1, sizeof *record);
	struct rl_lease *copy = rl_lease_copy(lease);

	if (!record || !copy) {
		free(record);
		free(copy);
		return NULL;
	}
	record->lease = copy;
	return record;
}

void rl_record_free(struct rl_record *record)
{
	free(record->lease);
	free(record);
}

void rl_record_link(struct rl_record *record)
{
	record->next = rl_records.first;
	record->link = &rl_records.first;
	if (record->next) {
		record->next->link = &record->next;
	}
	rl_records.first = record;
	rl_records.count++;
	if (record->line) {
		record->line->records++;
	}
}

void rl_record_unlink(struct rl_record *record)
{
	if (!record->link) {
		return;
	}
	*record->link = record->next;
	if (record->next) {
		record->next->link = record->link;
	}
	rl_records.count--;
	if (record->line) {
		record->line->records--;
	}
	record->link = NULL;
	record->line = NULL;
}

rl_time rl_record_due(const struct rl_record *record)
{
	rl_time due = record->watch->alarm.raise ? RL_FOREVER : record->renew_until; /* to be let go */

	if (record->is_news) {
		return record->tell_at;
	}
	if (record->paused || record->over || record->in_flight) {
		return due;
	}
	if (record->line && record->renew_at < record->renew_until) {
		due = record->renew_at < due ? record->renew_at : due;
	}
	return record->watch->alarm.raise && record->lease->safe_until < due ? record->lease->safe_until : due;
}

void rl_record_schedule(struct rl_record *record, rl_time asked_at, int64_t length_ms)
{
	record->renew_at = asked_at + length_ms * RL_MILLISECOND / 3;
	record->early_at = asked_at + length_ms * RL_MILLISECOND / 6;
}

void rl_record_tell(struct rl_record *record)
{
	struct rl_watch *watch = record->watch;

	if (!watch->alarm.raise || record->is_news) {
		return;
	}
	record->is_news = true;
	record->tell_at = RL_FOREVER;
	record->next_news = watch->news;
	watch->news = record;
	watch->alarm.raise(watch->alarm.context);
}

void rl_record_tell_again(struct rl_record *record, rl_time now)
{
	if (record->is_news && now >= record->tell_at) {
		record->tell_at = RL_FOREVER;
		record->watch->alarm.raise(record->watch->alarm.context);
	}
}
