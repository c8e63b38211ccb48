#include "task.h"
#include "../../base/assert.h"

#include <stdlib.h>

struct rl_tasks rl_tasks = { .mutex = RL_MUTEX_INIT };

void rl_task_lock(void)
{
	rl_thread_lock(&rl_tasks.mutex);
	rl_tasks.locked_by = rl_thread_id();
}

void rl_task_unlock(void)
{
	rl_tasks.locked_by = 0;
	rl_thread_unlock(&rl_tasks.mutex);
}

bool rl_task_is_locked(void)
{
	return rl_tasks.locked_by == rl_thread_id();
}

bool rl_task_none(void)
{
	return rl_tasks.count == 0 && rl_tasks.expected == 0;
}

struct rl_task *rl_task_new(const struct rl_lease *lease)
{
	struct rl_task *task = calloc(1, sizeof *task);
	struct rl_lease *copy = rl_lease_copy(lease);

	if (!task || !copy) {
		free(task);
		free(copy);
		return NULL;
	}
	task->lease = copy;
	return task;
}

void rl_task_free(struct rl_task *task)
{
	free(task->lease->failure);
	free(task->lease);
	free(task);
}

void rl_task_link(struct rl_task *task)
{
	rl_assert(rl_task_is_locked()); /* 1 */
	RL_LIST_ADD(&rl_tasks.first, task, link);
	rl_tasks.count++;
	if (task->line) {
		task->line->tasks++;
	}
}

void rl_task_unlink(struct rl_task *task)
{
	rl_assert(rl_task_is_locked()); /* 1 */
	if (!task->link.from) {
		return;
	}
	rl_assert(rl_tasks.count > 0 && (!task->line || task->line->tasks > 0)); /* 6 */
	RL_LIST_REMOVE(task, link);
	rl_tasks.count--;
	if (task->line) {
		task->line->tasks--;
	}
	task->line = NULL;
}

rl_time rl_task_due(const struct rl_task *task)
{
	rl_time due = task->watch->alarm.raise ? RL_FOREVER : task->renew_until; /* to be let go */

	if (task->is_news) {
		return task->tell_at;
	}
	if (task->over || task->in_flight) {
		return due;
	}
	if (task->line && !task->paused && task->renew_at < task->renew_until) {
		due = rl_time_earlier(due, task->renew_at);
	}
	return task->watch->alarm.raise ? rl_time_earlier(due, task->lease->tenure.safe_until) : due;
}

void rl_task_schedule(struct rl_task *task, rl_time asked_at, int64_t length_ms)
{
	task->renew_at = asked_at + length_ms * RL_MILLISECOND / 3;
	task->early_at = asked_at + length_ms * RL_MILLISECOND / 6;
}

void rl_task_tell(struct rl_task *task)
{
	struct rl_watch *watch = task->watch;

	rl_assert(rl_task_is_locked()); /* 1 */
	if (!watch->alarm.raise || task->is_news) {
		return;
	}
	task->is_news = true;
	task->tell_at = RL_FOREVER;
	task->next_news = watch->news;
	watch->news = task;
	watch->alarm.raise(watch->alarm.context);
}

void rl_task_tell_again(struct rl_task *task, rl_time now)
{
	if (task->is_news && now >= task->tell_at) {
		task->tell_at = RL_FOREVER;
		task->watch->alarm.raise(task->watch->alarm.context);
	}
}
