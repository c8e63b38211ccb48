#include "thread.h"
#include "../../base/assert.h"

#include <stdlib.h>

static void unlist_news(struct rl_task *task)
{
	struct rl_task **link = &task->watch->news;

	if (task->is_news) {
		while (*link != task) {
			link = &(*link)->next_news;
		}
		*link = task->next_news;
		task->is_news = false;
	}
}

static void hear_failure(struct rl_lease *lease, struct rl_task *task)
{
	if (task->lease->failure) {
		free(lease->failure);
		lease->failure = task->lease->failure;
		lease->failed_at = task->lease->failed_at;
		task->lease->failure = NULL; /* the owner's now */
	}
}

/*
 * The thread makes another grant only where one was unanswered. Otherwise the owner knows more:
 * answers that came late.
 */
static void update(struct rl_lease *lease, struct rl_task *task)
{
	hear_failure(lease, task);
	if (task->paused) {
		return; /* the owner alone sends, and knows more */
	}
	if (lease->tenure.unanswered_ms && !task->lease->tenure.unanswered_ms) {
		lease->tenure = task->lease->tenure;
	} else {
		lease->tenure.safe_until = task->lease->tenure.safe_until;
	}
}

static struct rl_line *find_line(const struct rl_route *route)
{
	struct rl_line *line = rl_tasks.lines;

	while (line && !rl_route_is_like(line->route, route)) {
		line = line->next;
	}
	return line;
}

static struct rl_line *make_line(const struct rl_route *route, rl_watch_run *run)
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
	line->run = run;
	line->next = rl_tasks.lines;
	rl_tasks.lines = line;
	return line;
}

/* NULL: out of memory. */
static struct rl_line *line_to(const struct rl_route *route, rl_watch_run *run)
{
	struct rl_line *line = find_line(route);

	if (!line) {
		line = make_line(route, run);
	}
	if (line) {
		line->connect_timeout = rl_time_later(line->connect_timeout, route->connect_timeout);
		line->timeout = rl_time_later(line->timeout, route->timeout);
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

static bool needs_thread(const struct rl_watch *watch, bool renews)
{
	return renews || watch->alarm.raise;
}

static enum rl_status start_thread(struct rl_error *error)
{
	return rl_renewal_start()
		? RL_OK
		: rl_fail(error, RL_MISUSE,
			"The system refuses the thread that is to look after the lease; "
			"is there a limit on threads or open files?");
}

static enum rl_status begin(struct rl_task *task, const struct rl_route *route, bool renews,
	struct rl_error *error)
{
	enum rl_status status = start_thread(error);

	if (status != RL_OK) {
		return status;
	}
	if (renews) {
		task->line = line_to(route, task->watch->run);
		if (!task->line) {
			return rl_fail_for_memory(error);
		}
	}
	drop_parents_news(task->watch);
	rl_task_link(task);
	rl_renewal_wake_by(rl_task_due(task));
	return RL_OK;
}

/* --- what owners do --- */

void rl_watch_init(
	struct rl_watch *watch, rl_watch_run *run, const struct rl_renewal_terms *terms)
{
	*watch = (struct rl_watch){
		.run = run,
		.thread = rl_thread_id(),
		.generation = rl_system_generation(),
	};
	if (terms) {
		watch->renew = terms->renew;
		watch->max_hold = terms->max_hold;
		watch->alarm = terms->alarm;
	}
}

rl_time rl_watch_until(const struct rl_watch *watch, rl_time asked_at)
{
	if (!watch->renew) {
		return 0;
	}
	return watch->max_hold < RL_FOREVER - asked_at ? asked_at + watch->max_hold : RL_FOREVER;
}

enum rl_status rl_watch_expect(
	const struct rl_watch *watch, bool renews, struct rl_error *error)
{
	enum rl_status status;

	if (!needs_thread(watch, renews)) {
		return RL_OK;
	}
	rl_task_lock();
	status = start_thread(error);
	rl_tasks.expected += status == RL_OK;
	rl_task_unlock();
	return status;
}

void rl_watch_expect_no_more(const struct rl_watch *watch, bool renews)
{
	if (needs_thread(watch, renews)) {
		rl_task_lock();
		rl_assert(rl_tasks.expected > 0); /* 6 */
		rl_tasks.expected--;
		rl_renewal_idle();
		rl_task_unlock();
	}
}

enum rl_status rl_watch_begin(struct rl_watch *watch, const struct rl_route *route,
	struct rl_lease *lease, rl_time asked_at, rl_time renew_until, struct rl_error *error)
{
	struct rl_task *task;
	enum rl_status status;

	rl_assert(!lease->task); /* 2 */
	if (!needs_thread(watch, renew_until)) {
		return RL_OK;
	}
	task = rl_task_new(lease);
	if (!task) {
		return rl_fail_for_memory(error);
	}
	task->watch = watch;
	task->of = lease;
	task->length_ms = lease->length_ms;
	task->renew_until = renew_until ? renew_until : RL_FOREVER;
	task->answer = RL_ANSWER_OURS;
	rl_task_schedule(task, asked_at, lease->length_ms);
	rl_task_lock();
	status = begin(task, route, renew_until, error);
	rl_task_unlock();
	if (status == RL_OK) {
		lease->task = task;
		lease->renew_until = renew_until;
	} else {
		rl_task_free(task);
	}
	return status;
}

void rl_watch_end(struct rl_lease *lease)
{
	struct rl_task *task = lease->task;
	bool in_flight = false;

	if (!task) {
		return;
	}
	rl_assert(task->of == lease && task->watch); /* 2 */
	lease->task = NULL;
	if (rl_lease_is_own(lease)) {
		rl_task_lock();
		update(lease, task);
		unlist_news(task);
		rl_task_unlink(task);
		task->watch = NULL;
		in_flight = task->in_flight;
		rl_renewal_idle();
		rl_task_unlock();
	}
	if (!in_flight) {
		rl_task_free(task);
	}
}

enum rl_answer rl_watch_found(struct rl_lease *lease, rl_time *found_at)
{
	struct rl_task *task = lease->task;
	enum rl_answer answer;

	if (!task) {
		return RL_ANSWER_OURS;
	}
	rl_task_lock();
	update(lease, task);
	*found_at = task->found_at;
	answer = task->over ? task->answer : RL_ANSWER_OURS;
	rl_task_unlock();
	return answer;
}

void rl_watch_sync(struct rl_lease *lease)
{
	struct rl_task *task = lease->task;

	if (task) {
		rl_task_lock();
		update(lease, task);
		rl_task_unlock();
	}
}

void rl_watch_lengthened(struct rl_lease *lease, rl_time asked_at, int64_t lease_ms)
{
	struct rl_task *task = lease->task;
	rl_time *safe_until;

	if (!task) {
		return;
	}
	rl_task_lock();
	safe_until = &task->lease->tenure.safe_until;
	*safe_until = rl_time_later(*safe_until, lease->tenure.safe_until);
	task->length_ms = lease->length_ms;
	task->over = false; /* the server has just said so, though by the clock it may have been */
	task->answer = RL_ANSWER_OURS;
	unlist_news(task);
	rl_task_schedule(task, asked_at, lease_ms);
	rl_renewal_wake_by(rl_task_due(task));
	rl_task_unlock();
}

void rl_watch_pause(struct rl_lease *lease)
{
	struct rl_task *task = lease->task;

	if (!task) {
		return;
	}
	rl_task_lock();
	update(lease, task);
	task->paused = true;
	task->pauses++;
	unlist_news(task);
	rl_task_unlock();
}

void rl_watch_change(struct rl_lease *lease)
{
	struct rl_task *task = lease->task;

	if (!task) {
		return;
	}
	rl_task_lock();
	update(lease, task);
	task->changes = true;
	task->as_share = lease->tenure.is_share;
	task->pauses++;
	rl_task_unlock();
}

/* What it was renewed to meanwhile counts; what is in flight was asked about another grant. */
static void end_change(struct rl_lease *lease, struct rl_task *task)
{
	if (task->changes) {
		lease->tenure.safe_until = rl_time_later(
			lease->tenure.safe_until, task->lease->tenure.safe_until);
		task->changes = false;
		task->pauses++;
	}
}

void rl_watch_go_on(struct rl_lease *lease, rl_time asked_at, int64_t lease_ms)
{
	struct rl_task *task = lease->task;

	if (!task) {
		return;
	}
	rl_task_lock();
	end_change(lease, task);
	unlist_news(task);
	task->paused = task->over = false;
	task->answer = RL_ANSWER_OURS;
	task->length_ms = lease->length_ms;
	task->lease->tenure = lease->tenure;
	rl_task_schedule(task, asked_at, lease_ms);
	rl_renewal_wake_by(rl_task_due(task));
	rl_task_unlock();
}

void rl_watch_go_on_as_before(struct rl_lease *lease)
{
	struct rl_task *task = lease->task;

	if (!task) {
		return;
	}
	rl_task_lock();
	end_change(lease, task);
	task->paused = false;
	task->length_ms = lease->length_ms;
	task->lease->tenure = lease->tenure;
	if (lease->tenure.unanswered_ms) {
		task->renew_at = task->early_at = rl_now();
	}
	if (task->over) {
		rl_task_tell(task);
	}
	rl_renewal_wake_by(rl_task_due(task));
	rl_task_unlock();
}

struct rl_lease *rl_watch_news(struct rl_watch *watch)
{
	struct rl_task *task;
	struct rl_lease *lease = NULL;

	rl_task_lock();
	drop_parents_news(watch);
	task = watch->news;
	if (task) {
		lease = task->of;
		unlist_news(task);
	}
	rl_task_unlock();
	return lease;
}

bool rl_watch_alarm_later(struct rl_watch *watch)
{
	struct rl_task *task;

	rl_task_lock();
	drop_parents_news(watch);
	task = watch->news;
	if (task) {
		task->tell_at = rl_now() + RL_ALARM_PAUSE;
		rl_renewal_wake_by(task->tell_at);
	}
	rl_task_unlock();
	return task != NULL;
}

static uint64_t read_count(const uint64_t *renewals)
{
	uint64_t count;

	rl_task_lock();
	count = *renewals;
	rl_task_unlock();
	return count;
}

uint64_t rl_watch_renewals(struct rl_watch *watch)
{
	return read_count(&watch->renewals);
}

uint64_t rl_watch_all_renewals(void)
{
	return read_count(&rl_tasks.renewals);
}

/* That of a name may be ended by whoever says it. */
static bool is_endless(
	const struct rl_task *task, const struct rl_line *line, const struct rl_keys *keys)
{
	return task->line == line && task->watch->thread == rl_thread_id() && !task->over
		&& task->renew_until == RL_FOREVER && !rl_token_is_detached(&task->lease->token)
		&& rl_text_is(task->lease->keys.of[RL_KEY_LOCK], keys->of[RL_KEY_LOCK]);
}

struct rl_lease *rl_watch_find_endless(
	const struct rl_route *route, const struct rl_keys *keys, int64_t shares)
{
	const struct rl_task *task;
	const struct rl_line *line;
	struct rl_lease *lease = NULL;
	int64_t found = 0;

	rl_task_lock();
	line = find_line(route);
	for (task = line ? rl_tasks.first : NULL; task && !lease; task = task->link.next) {
		if (is_endless(task, line, keys) && (!task->lease->tenure.is_share || ++found == shares)) {
			lease = rl_lease_copy(task->lease);
		}
	}
	rl_task_unlock();
	if (lease) {
		lease->tenure.unanswered_ms = 0; /* which is its owner's to ask for */
	}
	return lease;
}
