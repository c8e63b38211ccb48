/*
 * The renewal thread.
 *
 * A lease is renewed when a third of its length has gone by; what lies on the same server and
 * has spent half of that goes along, so that the leases of a process fall into step and cost one
 * round trip together. What fails is tried again, with jitter, until the lease is over by our own
 * clock. A lease whose time is over is never renewed, and none is ever taken anew: the clock goes
 * on while a machine is suspended, and is read before anything is sent.
 *
 * A try may take a third of the shortest lease. Then there is time for another one, on a new
 * connection, if the old one is dead. To break off sooner would throw away an answer that is only
 * late, as they are under load, and cost a new connection on top. Servers that hang must not cost
 * the leases on others: all share that third, and what has been due longest comes first.
 */
#include "renewal_state.h"

#include "../base/socket.h"
#include "batch.h"

#include <stdlib.h>

/* So many are renewed in one batch. */
#define BATCH 1024

/* The longest pause between two tries. */
#define PAUSE RL_SECOND

/* One record in the batch under way. */
struct renewing {
	struct rl_step step;
	struct rl_record *record;
	uint64_t turn;
};

/* What a look at all records has found. */
struct look {
	rl_time next;         /* when there is something to do */
	struct rl_line *line; /* where something is due; NULL: nowhere */
	rl_time due_since;    /* there */
	rl_time next_alarm;   /* unless something is renewed before */
	int64_t shortest_ms;  /* of all that is renewed */
};

static rl_time earlier(rl_time a, rl_time b)
{
	return a < b ? a : b;
}

/* Marsaglia's xorshift: it need not be secret, and is not the system's, which keeps its stock by thread. */
static uint64_t next_random(void)
{
	uint64_t random = rl_renewal.random;

	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	return rl_renewal.random = random;
}

/* --- looking --- */

static bool is_renewed(const struct rl_record *record)
{
	return record->line && !record->held && !record->over && !record->in_flight
		&& record->renew_at < record->renew_until;
}

static void look_at(struct rl_record *record, rl_time now, struct look *look)
{
	if (!record->held && !record->over && now >= record->lease.safe_until) {
		record->over = true;
		record->found_at = now;
		rl_record_tell(record);
	}
	rl_record_tell_again(record, now);
	if (now >= record->renew_until) {
		record->renew_at = RL_FOREVER;
	}
	if (!record->held && !record->over && record->watch->alarm.raise) {
		look->next_alarm = earlier(look->next_alarm, record->lease.safe_until);
	}
	look->next = earlier(look->next, rl_record_due(record));
	if (!is_renewed(record)) {
		return;
	}
	if (record->length_ms < look->shortest_ms) {
		look->shortest_ms = record->length_ms;
	}
	if (now >= record->renew_at && (!look->line || record->renew_at < look->due_since)) {
		look->line = record->line;
		look->due_since = record->renew_at;
	}
}

/* It is held for longer than it is renewed, and nobody is to be alarmed at its end. */
static bool is_done_with(const struct rl_record *record, rl_time now)
{
	return now >= record->renew_until && !record->watch->alarm.raise;
}

static struct look look_around(rl_time now)
{
	struct look look = { .next = RL_FOREVER, .next_alarm = RL_FOREVER, .shortest_ms = INT64_MAX };

	for (struct rl_record *record = rl_renewal.records, *next; record; record = next) {
		next = record->next;
		if (is_done_with(record, now)) {
			rl_record_unlink(record);
		} else {
			look_at(record, now, &look);
		}
	}
	return look;
}

/* --- renewing --- */

static bool goes_along(const struct rl_record *record, const struct rl_line *line, rl_time now)
{
	return is_renewed(record) && record->line == line && now >= record->early_at;
}

static size_t count_due(const struct rl_line *line, rl_time now)
{
	size_t count = 0;

	for (struct rl_record *record = rl_renewal.records; record && count < BATCH; record = record->next) {
		count += goes_along(record, line, now);
	}
	return count;
}

static void load(const struct rl_line *line, rl_time now, struct renewing *all, struct rl_batch *batch)
{
	size_t count = 0;

	for (struct rl_record *record = rl_renewal.records; count < batch->count; record = record->next) {
		struct renewing *one = &all[count];

		if (!goes_along(record, line, now)) {
			continue;
		}
		record->in_flight = true;
		*one = (struct renewing){ .record = record, .turn = record->turn };
		record->lease.serial++;
		rl_step_extend(&one->step, &record->lease, record->length_ms, false);
		batch->items[count++] = (struct rl_batch_item){ .step = &one->step };
	}
}

/* Connecting may have taken its time: what has ended or been held meanwhile is not sent any more. */
static bool is_wanted(void *context, size_t item)
{
	const struct renewing *one = (const struct renewing *)context + item;
	const struct rl_record *record = one->record;
	rl_time now = rl_now();
	bool wanted;

	rl_thread_lock(&rl_renewal.mutex);
	wanted = record->watch && record->turn == one->turn && now < record->lease.safe_until && now < record->renew_until;
	rl_thread_unlock(&rl_renewal.mutex);
	return wanted;
}

/* What a batch was refused may be had one by one: from elsewhere, or in a moment. */
static void insist(struct rl_batch *batch)
{
	struct renewing *all = batch->context;
	struct rl_error ignored;

	for (size_t i = 0; i < batch->count; i++) {
		struct rl_batch_item *item = &batch->items[i];

		if (item->refused && !item->answered && rl_now() < batch->deadline && is_wanted(all, i)) {
			item->answered =
				rl_step_run(batch->route, item->step, batch->deadline, &item->answer, &ignored) == RL_OK;
		}
	}
}

static void renewed(struct rl_record *record, const struct rl_step *step)
{
	rl_time safe_until = rl_step_extended_until(step, &record->lease, record->length_ms);

	if (safe_until > record->lease.safe_until) {
		record->lease.safe_until = safe_until;
	}
	record->lease.in_doubt = rl_step_leaves_doubt(step, &record->lease);
	rl_record_schedule(record, step->call.sent_at, record->length_ms);
	record->watch->renewals++;
}

static void lost(struct rl_record *record, enum rl_answer answer, rl_time now)
{
	record->over = true;
	record->answer = answer;
	record->found_at = now;
	rl_record_tell(record);
}

static void conclude(const struct renewing *one, const struct rl_batch_item *item, rl_time now, rl_time pause)
{
	struct rl_record *record = one->record;

	record->in_flight = false;
	if (!record->watch) {
		free(record);
		return;
	}
	record->lease.in_doubt |= one->step.call.maybe_done;
	if (record->turn != one->turn) {
		return;
	}
	if (!item->answered) {
		record->renew_at = record->early_at = now + pause;
	} else if (item->answer == RL_ANSWER_OURS) {
		renewed(record, &one->step);
	} else {
		lost(record, item->answer, now);
	}
}

/* Half of it is chance, so that those who lost a server together do not come back together. */
static rl_time pause_after(int64_t shortest_ms)
{
	rl_time most = earlier(shortest_ms * RL_MILLISECOND / 12, PAUSE);

	return most / 2 + (rl_time)(next_random() % (uint64_t)(most / 2 + 1));
}

static rl_time count_lines(void)
{
	rl_time count = 0;

	for (const struct rl_line *line = rl_renewal.lines; line; line = line->next) {
		count += line->records > 0;
	}
	return count;
}

static rl_time try_until(const struct look *look, rl_time now)
{
	rl_time share = look->shortest_ms * RL_MILLISECOND / 3 / count_lines();
	rl_time longest = earlier(share, look->line->timeout);

	return earlier(now + longest, look->next_alarm);
}

/* Called, and returns, with the mutex locked; what it does with the server it does without. */
static void renew(const struct look *look, rl_time now)
{
	static struct renewing spare; /* without memory they go one by one */
	static struct rl_batch_item spare_item;
	struct rl_batch batch = {
		.route = look->line->route,
		.count = count_due(look->line, now),
		.deadline = try_until(look, now),
		.wanted = is_wanted,
	};
	struct renewing *all = malloc(batch.count * sizeof *all);
	rl_time pause;

	batch.items = malloc(batch.count * sizeof *batch.items);
	if (!all || !batch.items) {
		free(all);
		free(batch.items);
		all = &spare;
		batch.items = &spare_item;
		batch.count = 1;
	}
	batch.context = all;
	load(look->line, now, all, &batch);
	look->line->route->connect_timeout = look->line->connect_timeout;
	look->line->route->timeout = look->line->timeout;
	rl_renewal.busy = true;
	rl_thread_unlock(&rl_renewal.mutex);

	rl_batch_run(&batch);
	insist(&batch);

	rl_thread_lock(&rl_renewal.mutex);
	rl_renewal.busy = false;
	now = rl_now();
	pause = pause_after(look->shortest_ms);
	for (size_t i = 0; i < batch.count; i++) {
		conclude(&all[i], &batch.items[i], now, pause);
	}
	if (all != &spare) {
		free(all);
		free(batch.items);
	}
}

/* --- the thread --- */

static void free_line(struct rl_line *line)
{
	line->route->free(line->route);
	free(line);
}

/* Forgets servers where nothing is renewed any more, while others go on. */
static void drop_unused_lines(void)
{
	struct rl_line **link = &rl_renewal.lines;

	if (rl_renewal.count == 0) {
		return; /* the next lease may come soon */
	}
	while (*link) {
		struct rl_line *line = *link;

		if (line->records == 0) {
			*link = line->next;
			free_line(line);
		} else {
			link = &line->next;
		}
	}
}

/* Records that are left are not renewed any more. */
static void free_lines(void)
{
	for (struct rl_record *record = rl_renewal.records; record; record = record->next) {
		record->line = NULL;
	}
	while (rl_renewal.lines) {
		struct rl_line *line = rl_renewal.lines;

		rl_renewal.lines = line->next;
		free_line(line);
	}
}

/* When to end for want of records. */
static rl_time idle_until(rl_time now, rl_time until)
{
	if (rl_renewal.count > 0) {
		return RL_FOREVER;
	}
	if (until == RL_FOREVER || rl_renewal.fresh) {
		rl_renewal.fresh = false;
		until = now + RL_RENEWAL_LINGER;
	}
	return rl_renewal.leave ? 0 : until;
}

static void sleep_until(rl_time moment)
{
	rl_renewal.wakes_at = moment;
	rl_thread_unlock(&rl_renewal.mutex);
	rl_sleeper_sleep(&rl_renewal.sleeper, moment);
	rl_thread_lock(&rl_renewal.mutex);
	rl_renewal.wakes_at = 0;
}

void rl_renewer_run(void)
{
	rl_time now, until = RL_FOREVER;
	struct look look;

	rl_socket_list_own(true);
	rl_thread_lock(&rl_renewal.mutex);
	for (;;) {
		now = rl_now();
		look = look_around(now);
		until = idle_until(now, until);
		if (rl_renewal.stop || now >= until) {
			break;
		}
		if (look.line) {
			renew(&look, now);
		} else {
			drop_unused_lines();
			sleep_until(earlier(look.next, until));
		}
	}
	free_lines();
	rl_socket_list_own(false);
	rl_renewal.ended = true;
	rl_thread_unlock(&rl_renewal.mutex);
}
