#include "renewal_state.h"

#include "../base/socket.h"

#include <stdlib.h>
#include <string.h>

struct rl_renewal rl_renewal = { .mutex = RL_MUTEX_INIT };

/* Between two looks at what somebody else is about to finish. */
#define NAP (RL_MILLISECOND / 20)

/* A request's end waits no longer for the thread's: the look-up of a name cannot be cut short. */
#define REST (100 * RL_MILLISECOND)

static void lock(void)
{
	rl_thread_lock(&rl_renewal.mutex);
}

static void unlock(void)
{
	rl_thread_unlock(&rl_renewal.mutex);
}

static void nap(void)
{
	unlock();
	rl_poll(NULL, 0, rl_now() + NAP);
	lock();
}

/* --- the thread's life --- */

/* After a fork() there is no thread here: what was its own is left as it is, in whatever state. */
static void forget_thread(void)
{
	if (rl_renewal.exists) {
		rl_sleeper_close(&rl_renewal.sleeper);
	}
	rl_renewal.exists = false;
	rl_renewal.records = NULL;
	rl_renewal.count = 0;
	rl_renewal.lines = NULL;
	unlock();
}

static bool mind_forks(void)
{
	static bool minded;

	minded = minded || rl_system_at_fork(lock, unlock, forget_thread);
	return minded;
}

static void join(void)
{
	rl_thread_join(&rl_renewal.thread);
	rl_sleeper_close(&rl_renewal.sleeper);
	rl_renewal.exists = false;
}

static bool start(void)
{
	if (rl_renewal.exists && rl_renewal.ended) {
		join();
	}
	if (rl_renewal.exists) {
		return true;
	}
	if (!mind_forks() || !rl_sleeper_open(&rl_renewal.sleeper)) {
		return false;
	}
	rl_renewal.ended = rl_renewal.busy = rl_renewal.leave = rl_renewal.stop = false;
	rl_renewal.wakes_at = 0;
	rl_system_random(&rl_renewal.random, sizeof rl_renewal.random);
	rl_renewal.random |= 1;
	rl_renewal.exists = rl_thread_start(&rl_renewal.thread, rl_renewer_run);
	if (!rl_renewal.exists) {
		rl_sleeper_close(&rl_renewal.sleeper);
	}
	return rl_renewal.exists;
}

static void wake_by(rl_time moment)
{
	if (moment < rl_renewal.wakes_at) {
		rl_renewal.wakes_at = moment;
		rl_sleeper_wake(&rl_renewal.sleeper);
	}
}

static void end_thread(bool always)
{
	rl_time until = always ? RL_FOREVER : rl_now() + REST;

	lock();
	while (rl_renewal.exists && (always || (rl_renewal.count == 0 && rl_now() < until))) {
		if (rl_renewal.ended) {
			join();
			break;
		}
		rl_renewal.leave = true;
		rl_renewal.stop = always;
		if (rl_renewal.busy) {
			rl_socket_cut_listed();
		}
		wake_by(0);
		nap();
	}
	unlock();
}

void rl_renewal_rest(void)
{
	end_thread(false);
}

void rl_renewal_stop(void)
{
	end_thread(true);
}

/* --- records --- */

rl_time rl_record_due(const struct rl_record *record)
{
	rl_time due = record->watch->alarm.raise ? RL_FOREVER : record->renew_until; /* to be let go */

	if (record->is_news) {
		return record->tell_at;
	}
	if (record->held || record->over || record->in_flight) {
		return due;
	}
	if (record->line && record->renew_at < record->renew_until) {
		due = record->renew_at < due ? record->renew_at : due;
	}
	return record->watch->alarm.raise && record->lease.safe_until < due ? record->lease.safe_until : due;
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

static void copy_text(char **to, const char *from, size_t length, char **copy)
{
	*copy = *to;
	memcpy(*to, from, length);
	*to += length;
}

/* What changes with each extend, whoever sends it. */
static void tell(struct rl_record *record, const struct rl_lease *lease)
{
	record->lease.safe_until = lease->safe_until;
	record->lease.serial = lease->serial;
	record->lease.in_doubt = lease->in_doubt;
}

static void hear(struct rl_lease *lease, const struct rl_record *record)
{
	lease->safe_until = record->lease.safe_until;
	lease->serial = record->lease.serial;
	lease->in_doubt = record->lease.in_doubt;
}

static struct rl_record *make_record(const struct rl_lease *lease)
{
	size_t lock_length = lease->keys.length[RL_KEY_LOCK], fence_length = lease->keys.length[RL_KEY_FENCE];
	size_t shares_size = lease->share_count * sizeof *lease->shares;
	struct rl_record *record = malloc(sizeof *record + shares_size + lock_length + fence_length + lease->token.length);
	char *texts;

	if (!record) {
		return NULL;
	}
	memset(record, 0, sizeof *record);
	texts = (char *)(record + 1) + shares_size;
	if (lease->shares) {
		record->lease.shares = memcpy(record + 1, lease->shares, shares_size);
		record->lease.share_count = lease->share_count;
	}
	copy_text(&texts, lease->keys.text[RL_KEY_LOCK], lock_length, &record->lease.keys.text[RL_KEY_LOCK]);
	copy_text(&texts, lease->keys.text[RL_KEY_FENCE], fence_length, &record->lease.keys.text[RL_KEY_FENCE]);
	copy_text(&texts, lease->token.text, lease->token.length, &record->lease.token.text);
	record->lease.keys.length[RL_KEY_LOCK] = lock_length;
	record->lease.keys.length[RL_KEY_FENCE] = fence_length;
	record->lease.token.length = lease->token.length;
	memcpy(record->lease.fence_text, lease->fence_text, sizeof lease->fence_text);
	tell(record, lease);
	return record;
}

static struct rl_line *find_line(const struct rl_route *route)
{
	struct rl_line *line = rl_renewal.lines;

	while (line && !rl_route_is_like(line->route, route)) {
		line = line->next;
	}
	return line;
}

static struct rl_line *make_line(const struct rl_route *route)
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
	line->next = rl_renewal.lines;
	rl_renewal.lines = line;
	return line;
}

static rl_time later(rl_time a, rl_time b)
{
	return a > b ? a : b;
}

/* NULL: out of memory. */
static struct rl_line *line_to(const struct rl_route *route)
{
	struct rl_line *line = find_line(route);

	if (!line) {
		line = make_line(route);
	}
	if (line) {
		line->connect_timeout = later(line->connect_timeout, route->connect_timeout);
		line->timeout = later(line->timeout, route->timeout);
	}
	return line;
}

static void link_record(struct rl_record *record)
{
	record->next = rl_renewal.records;
	record->link = &rl_renewal.records;
	if (record->next) {
		record->next->link = &record->next;
	}
	rl_renewal.records = record;
	rl_renewal.count++;
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
	rl_renewal.count--;
	if (record->line) {
		record->line->records--;
	}
	record->link = NULL;
	record->line = NULL;
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
	if (!start()) {
		return rl_fail(error, RL_MISUSE, "The system refuses the thread that is to look after the lease; "
										 "is there a limit on threads or open files?");
	}
	if (record->watch->renew) {
		record->line = line_to(route);
		if (!record->line) {
			return rl_fail(error, RL_NO_MEMORY, "Out of memory");
		}
	}
	drop_parents_news(record->watch);
	link_record(record);
	rl_renewal.fresh = true;
	rl_renewal.leave = false;
	wake_by(rl_record_due(record));
	return RL_OK;
}

/* --- what owners do --- */

void rl_watch_init(struct rl_watch *watch, const struct rl_owner_terms *terms)
{
	*watch = (struct rl_watch){
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
	record = make_record(lease);
	if (!record) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	record->watch = watch;
	record->of = lease;
	record->length_ms = lease->length_ms;
	record->renew_until = renew_until;
	record->answer = RL_ANSWER_OURS;
	rl_record_schedule(record, asked_at, lease->length_ms);
	lock();
	status = begin(record, route, error);
	unlock();
	if (status == RL_OK) {
		lease->record = record;
		lease->renew_until = watch->renew ? renew_until : 0;
	} else {
		free(record);
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
		lock();
		hear(lease, record);
		unlist_news(record);
		rl_record_unlink(record);
		record->watch = NULL;
		in_flight = record->in_flight;
		if (rl_renewal.count == 0) {
			wake_by(rl_now() + RL_RENEWAL_LINGER);
		}
		unlock();
	}
	if (!in_flight) {
		free(record);
	}
}

enum rl_answer rl_watch_look(struct rl_lease *lease, rl_time *found_at)
{
	struct rl_record *record = lease->record;
	enum rl_answer answer;

	if (!record) {
		return RL_ANSWER_OURS;
	}
	lock();
	lease->safe_until = record->lease.safe_until;
	*found_at = record->found_at;
	answer = record->over ? record->answer : RL_ANSWER_OURS;
	unlock();
	return answer;
}

void rl_watch_hold(struct rl_lease *lease)
{
	struct rl_record *record = lease->record;

	if (!record) {
		return;
	}
	lock();
	record->held = true;
	record->turn++;
	unlist_news(record);
	hear(lease, record);
	lease->in_doubt |= record->in_flight;
	unlock();
}

void rl_watch_go_on(struct rl_lease *lease, rl_time asked_at, int64_t lease_ms)
{
	struct rl_record *record = lease->record;

	if (!record) {
		return;
	}
	lock();
	record->held = record->over = false;
	record->answer = RL_ANSWER_OURS;
	record->length_ms = lease->length_ms;
	tell(record, lease);
	rl_record_schedule(record, asked_at, lease_ms);
	wake_by(rl_record_due(record));
	unlock();
}

void rl_watch_go_on_as_before(struct rl_lease *lease, bool doubtful)
{
	struct rl_record *record = lease->record;

	if (!record) {
		return;
	}
	lock();
	record->held = false;
	tell(record, lease);
	if (doubtful) {
		record->renew_at = record->early_at = rl_now();
	}
	if (record->over) {
		rl_record_tell(record);
	}
	wake_by(rl_record_due(record));
	unlock();
}

struct rl_lease *rl_watch_news(struct rl_watch *watch)
{
	struct rl_record *record;
	struct rl_lease *lease = NULL;

	lock();
	drop_parents_news(watch);
	record = watch->news;
	if (record) {
		lease = record->of;
		unlist_news(record);
	}
	unlock();
	return lease;
}

bool rl_watch_put_off(struct rl_watch *watch)
{
	struct rl_record *record;

	lock();
	drop_parents_news(watch);
	record = watch->news;
	if (record) {
		record->tell_at = rl_now() + RL_ALARM_PAUSE;
		wake_by(record->tell_at);
	}
	unlock();
	return record != NULL;
}

uint64_t rl_watch_renewals(struct rl_watch *watch)
{
	uint64_t renewals;

	lock();
	renewals = watch->renewals;
	unlock();
	return renewals;
}

static bool is_endless(const struct rl_record *record, const struct rl_line *line, const struct rl_keys *keys)
{
	return record->line == line && record->watch->thread == rl_thread_id() && !record->over
		&& record->renew_until == RL_FOREVER
		&& record->lease.keys.length[RL_KEY_LOCK] == keys->length[RL_KEY_LOCK]
		&& memcmp(record->lease.keys.text[RL_KEY_LOCK], keys->text[RL_KEY_LOCK], keys->length[RL_KEY_LOCK]) == 0;
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

enum rl_status rl_renewal_is_endless(const struct rl_route *route, const struct rl_keys *keys, struct rl_token *token)
{
	const struct rl_record *record;
	const struct rl_line *line;
	enum rl_status status = RL_NO;

	lock();
	line = find_line(route);
	for (record = line ? rl_renewal.records : NULL; record && status == RL_NO; record = record->next) {
		if (is_endless(record, line, keys)) {
			status = copy_token(&record->lease.token, token);
		}
	}
	unlock();
	return status;
}
