/*
 * The renewal thread. What lives how long:
 *
 *   none      until an owner expects a lease that it is to look after, and in a child after fork()
 *   unused    it has sent nothing: it sleeps, looks at its tasks once a second, or when one is due
 *             sooner, and ends when there has been none for RL_RENEWAL_SLUMBER. Most requests are
 *             over before a third of their leases is: to them it is a mutex, and no system call
 *             more than a look at whether it has its descriptors still. No request's end waits
 *             for it.
 *   used      it has talked to a server, and keeps the connection: it ends RL_RENEWAL_LINGER after
 *             the last task, or at once at a request's end (rl_renewal_rest())
 *   ended     until somebody joins it, who then starts another
 *
 * So what outlives a request is a thread with three descriptors of its own (its sleeper's), and
 * nothing else. It knows no lease and no owner any more: owners take their tasks away, under the
 * mutex, before they are freed. Nor has it lines, with their addresses and what TLS has of them:
 * the request's end drops them. So it calls no library that a process' end takes down before it. It
 * blocks all signals, and is joined before this code may be unloaded (rl_renewal_stop()).
 *
 * A lease is renewed when a third of its length has gone by. Other leases on the same server that
 * have spent half of their third are renewed with it, so that the leases of a process fall into
 * step and cost one round trip together. A renewal that fails is tried again, with jitter, until
 * the lease is over by our own clock. A lease whose time is over is never renewed, and no lock is
 * ever taken anew: the clock keeps running while a machine is suspended, and is read before
 * anything is sent.
 *
 * A try may take a third of the shortest lease. That leaves time for another one, on a new
 * connection, if the old one is dead. To break off sooner would throw away answers that are only
 * late, as they are under load, and cost a new connection each time. A server that hangs must not
 * cost the leases on others: all servers have that third between them, and the lease that has been
 * due longest comes first.
 */
#include "thread.h"
#include "../../base/assert.h"
#include "../../base/poll.h"
#include "../../base/random.h"
#include "../../base/sleeper.h"
#include "../../base/socket.h"

#include <stdlib.h>

/* The thread's own, under the mutex of the tasks. */
static struct {
	struct rl_thread thread;
	struct rl_sleeper sleeper;
	bool exists;      /* it was started and not joined yet */
	bool ended;       /* it does nothing any more */
	bool busy;        /* it talks to a server */
	bool used;        /* it has talked to one, and may have connections */
	bool leave;       /* it shall end as soon as there is no task */
	bool stop;        /* it shall end */
	bool fresh;       /* a task has begun since it looked last */
	rl_time wakes_at; /* 0: it is awake, and will look at everything before it sleeps */
	uint64_t random;  /* of its jitter */
} thread;

/* So many are renewed in one batch. */
#define BATCH 1024

/* The longest pause between two tries. */
#define PAUSE RL_SECOND

/* One task in the batch under way. */
struct renewing {
	struct rl_step step;
	struct rl_lease lease; /* as it was then; the texts are the task's own */
	struct rl_task *task;
	uint64_t pauses;
};

/* What a survey of all tasks has found. */
struct survey {
	rl_time next;         /* when there is something to do */
	struct rl_line *line; /* where something is due; NULL: nowhere */
	rl_time due_since;    /* there */
	rl_time next_alarm;   /* unless something is renewed before */
	int64_t shortest_ms;  /* of all that is renewed */
};

/*
 * Marsaglia's xorshift: it need not be secret, and is not the system's, which keeps its stock by
 * thread.
 */
static uint64_t next_random(void)
{
	uint64_t random = thread.random;

	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	return thread.random = random;
}

/* --- the survey --- */

static bool is_renewed(const struct rl_task *task)
{
	return task->line && !task->paused && !task->over && !task->in_flight
		&& task->renew_at < task->renew_until;
}

static void run_out(struct rl_task *task, rl_time now)
{
	task->over = true;
	task->found_at = now;
	rl_task_tell(task);
}

static void add_to(struct rl_task *task, rl_time now, struct survey *survey)
{
	if (!task->over && now >= task->lease->tenure.safe_until) {
		run_out(task, now);
	}
	rl_task_tell_again(task, now);
	if (now >= task->renew_until) {
		task->renew_at = RL_FOREVER;
	}
	if (!task->over && task->watch->alarm.raise) {
		survey->next_alarm = rl_time_earlier(survey->next_alarm, task->lease->tenure.safe_until);
	}
	survey->next = rl_time_earlier(survey->next, rl_task_due(task));
	if (!is_renewed(task)) {
		return;
	}
	if (task->length_ms < survey->shortest_ms) {
		survey->shortest_ms = task->length_ms;
	}
	if (now >= task->renew_at && (!survey->line || task->renew_at < survey->due_since)) {
		survey->line = task->line;
		survey->due_since = task->renew_at;
	}
}

/* It is held for longer than it is renewed, and nobody is to be alarmed at its end. */
static bool is_done_with(const struct rl_task *task, rl_time now)
{
	return now >= task->renew_until && !task->watch->alarm.raise;
}

static struct survey make_survey(rl_time now)
{
	struct survey survey = {
		.next = RL_FOREVER, .next_alarm = RL_FOREVER, .shortest_ms = INT64_MAX
	};

	for (struct rl_task *task = rl_tasks.first, *next; task; task = next) {
		next = task->link.next;
		if (is_done_with(task, now)) {
			rl_task_unlink(task);
		} else {
			add_to(task, now, &survey);
		}
	}
	return survey;
}

/* --- renewing --- */

static bool goes_along(const struct rl_task *task, const struct rl_line *line, rl_time now)
{
	return is_renewed(task) && task->line == line && now >= task->early_at;
}

static size_t count_due(const struct rl_line *line, rl_time now)
{
	size_t count = 0;

	for (struct rl_task *task = rl_tasks.first; task && count < BATCH; task = task->link.next) {
		count += goes_along(task, line, now);
	}
	return count;
}

/* A new grant that was asked for, and not answered, comes first. */
static void form(struct renewing *one, struct rl_task *task)
{
	int64_t unanswered_ms = task->lease->tenure.unanswered_ms;

	*one = (struct renewing){ .task = task, .pauses = task->pauses, .lease = *task->lease };
	one->step = (struct rl_step){
		.operation = RL_STEP_EXTEND,
		.how = unanswered_ms ? RL_EXTEND_ANEW : RL_EXTEND_LONGER,
		.lease = &one->lease,
		.lease_ms = unanswered_ms ? unanswered_ms : task->length_ms,
	};
	if (task->changes) {
		one->lease.tenure.fence = 0; /* whichever it is */
		one->lease.tenure.is_share = task->as_share;
	}
}

static void load(
	const struct rl_line *line, rl_time now, struct renewing *all, struct rl_batch *batch)
{
	size_t count = 0;

	for (struct rl_task *task = rl_tasks.first; count < batch->count; task = task->link.next) {
		struct renewing *one = &all[count];

		if (!goes_along(task, line, now)) {
			continue;
		}
		rl_assert(!task->in_flight && !task->paused);                   /* 3 */
		rl_assert(!task->over && now < task->lease->tenure.safe_until); /* 4 */
		task->in_flight = true;
		form(one, task);
		batch->items[count++] = (struct rl_batch_item){ .step = &one->step };
	}
}

/*
 * Connecting may have taken its time: what has ended or been held meanwhile is not sent any more.
 */
static bool is_wanted(void *context, size_t item)
{
	const struct renewing *one = (const struct renewing *)context + item;
	const struct rl_task *task = one->task;
	rl_time now = rl_now();
	bool wanted;

	rl_task_lock();
	wanted = task->watch && task->pauses == one->pauses && now < task->lease->tenure.safe_until
		&& now < task->renew_until;
	rl_task_unlock();
	return wanted;
}

/* What a batch was refused may be had one by one: from elsewhere, or in a moment. */
static void insist(const struct rl_line *line, struct rl_batch *batch)
{
	struct renewing *all = batch->context;

	for (size_t i = 0; i < batch->count; i++) {
		struct rl_batch_item *item = &batch->items[i];

		if (item->refused && !item->answered && rl_now() < batch->deadline && is_wanted(all, i)) {
			struct rl_batch alone = *batch;

			alone.items = item;
			alone.count = 1;
			alone.wanted = NULL;
			line->run(&alone);
		}
	}
}

static void renewed(struct rl_task *task, rl_time asked_at, const struct rl_outcome *outcome)
{
	int64_t left_ms = rl_lease_told(outcome->left_ms);
	rl_time safe_until = rl_lease_safe_until(asked_at, left_ms);

	if (task->lease->tenure.unanswered_ms) {
		rl_lease_note_grant(task->lease, outcome->fence, outcome->nodes);
	}
	task->lease->tenure.safe_until = rl_time_later(task->lease->tenure.safe_until, safe_until);
	rl_task_schedule(task, asked_at, left_ms);
	task->watch->renewals++;
	rl_tasks.renewals++;
}

/*
 * A loss stays one. But that the lease ran out and nobody has had the lock since is true only when
 * the server says so: the owner asks when it tells its user.
 */
static void found_lost(struct rl_task *task, enum rl_answer answer, rl_time now)
{
	bool may_change = answer == RL_ANSWER_GONE && now >= task->lease->tenure.safe_until;

	task->over = true;
	task->answer = may_change ? RL_ANSWER_OURS : answer;
	task->found_at = now;
	rl_task_tell(task);
}

/*
 * Its name has ended it, here or elsewhere. That it has given a share back leaves no trace, but
 * nobody has had the lock exclusively since.
 */
static bool is_by_name(const struct rl_task *task, enum rl_answer answer, rl_time now)
{
	const struct rl_lease *lease = task->lease;

	return answer == RL_ANSWER_BY_NAME
		|| (answer == RL_ANSWER_GONE && lease->tenure.is_share
			&& rl_token_is_detached(&lease->token) && now < lease->tenure.safe_until);
}

/* Nobody is told, unless he asks. */
static void end_quietly(struct rl_task *task, rl_time now)
{
	task->over = true;
	task->answer = RL_ANSWER_BY_NAME;
	task->found_at = now;
	rl_task_unlink(task);
}

/* For the message about the lease, if that is late in the end. */
static void note_failure(struct rl_task *task, const char *why, rl_time now)
{
	free(task->lease->failure);
	task->lease->failure = why[0] ? rl_text_copy(rl_text_of(why)) : NULL;
	task->lease->failed_at = now;
}

/*
 * While its mode changes, a lease may be the one or the other, or become it just now: so both are
 * tried, in turn.
 */
static void try_other_mode(struct rl_task *task, rl_time now, rl_time pause)
{
	bool both_tried = task->as_share != task->lease->tenure.is_share;

	task->as_share = !task->as_share;
	task->renew_at = task->early_at = both_tried ? now + pause : now;
}

static void conclude(const struct renewing *one, const struct rl_batch *batch, size_t number,
	rl_time now, rl_time pause)
{
	const struct rl_batch_item *item = &batch->items[number];
	struct rl_task *task = one->task;

	rl_assert(task->in_flight); /* 3 */
	task->in_flight = false;
	if (!task->watch) {
		rl_assert(!task->link.from && !task->is_news); /* 5 */
		rl_task_free(task);
		return;
	}
	if (task->pauses != one->pauses) {
		return;
	}
	if (!item->answered) {
		task->renew_at = task->early_at = now + pause;
		note_failure(task, batch->error->message, now);
	} else if (item->outcome.answer == RL_ANSWER_OURS) {
		renewed(task, one->step.sent_at, &item->outcome);
	} else if (task->changes) {
		try_other_mode(task, now, pause);
	} else if (is_by_name(task, item->outcome.answer, now)) {
		end_quietly(task, now);
	} else {
		found_lost(task, item->outcome.answer, now);
	}
}

/* Half of it is chance, so that clients that lost a server together do not come back together. */
static rl_time pause_after(int64_t shortest_ms)
{
	rl_time most = rl_time_earlier(shortest_ms * RL_MILLISECOND / 12, PAUSE);

	return most / 2 + (rl_time)(next_random() % (uint64_t)(most / 2 + 1));
}

static rl_time count_lines(void)
{
	rl_time count = 0;

	for (const struct rl_line *line = rl_tasks.lines; line; line = line->next) {
		count += line->tasks > 0;
	}
	return count;
}

static rl_time try_until(const struct survey *survey, rl_time now)
{
	rl_time part = survey->shortest_ms * RL_MILLISECOND / 3 / count_lines();
	rl_time longest = rl_time_earlier(part, survey->line->timeout);

	return rl_time_earlier(now + longest, survey->next_alarm);
}

/* Called, and returns, with the mutex locked; what it does with the server it does without. */
static void send_out(struct rl_line *line, struct rl_batch *batch)
{
	line->route->connect_timeout = line->connect_timeout;
	line->route->timeout = line->timeout;
	thread.busy = thread.used = true;
	rl_task_unlock();

	line->run(batch);
	insist(line, batch);

	rl_task_lock();
	thread.busy = false;
}

/* The mutex is locked, except while it is sent. */
static void renew(const struct survey *survey, rl_time now)
{
	static struct renewing spare; /* without memory they go one by one */
	static struct rl_batch_item spare_item;
	struct rl_error error = { .held = false };
	struct rl_batch batch = {
		.route = survey->line->route,
		.count = count_due(survey->line, now),
		.deadline = try_until(survey, now),
		.wanted = is_wanted,
		.error = &error,
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
	load(survey->line, now, all, &batch);
	send_out(survey->line, &batch);
	now = rl_now();
	pause = pause_after(survey->shortest_ms);
	for (size_t i = 0; i < batch.count; i++) {
		conclude(&all[i], &batch, i, now, pause);
	}
	if (all != &spare) {
		free(all);
		free(batch.items);
	}
}

/* --- the thread --- */

static void free_line(struct rl_line *line)
{
	line->route->kind->free(line->route);
	free(line);
}

/* Forgets servers where nothing is renewed any more, while others go on. */
static void drop_unused_lines(void)
{
	struct rl_line **link = &rl_tasks.lines;

	if (rl_tasks.count == 0 && thread.used) {
		return; /* the next lease may come soon, and use its connection */
	}
	while (*link) {
		struct rl_line *line = *link;

		if (line->tasks == 0) {
			*link = line->next;
			free_line(line);
		} else {
			link = &line->next;
		}
	}
}

/* Tasks that are left are not renewed any more. */
static void free_lines(void)
{
	for (struct rl_task *task = rl_tasks.first; task; task = task->link.next) {
		task->line = NULL;
	}
	while (rl_tasks.lines) {
		struct rl_line *line = rl_tasks.lines;

		rl_tasks.lines = line->next;
		free_line(line);
	}
}

/* When to end for want of tasks. */
static rl_time idle_until(rl_time now, rl_time until)
{
	if (!rl_task_none()) {
		return RL_FOREVER;
	}
	if (until == RL_FOREVER || thread.fresh) {
		thread.fresh = false;
		until = now + (thread.used ? RL_RENEWAL_LINGER : RL_RENEWAL_SLUMBER);
	}
	return thread.leave ? 0 : until;
}

/* It looks again when the sleeper lets it, so that a task due later needs not wake it. */
static void sleep_until(rl_time now, rl_time moment)
{
	moment = rl_time_earlier(moment, now + RL_SLEEPER_LONGEST);
	thread.wakes_at = moment;
	rl_task_unlock();
	rl_sleeper_sleep(&thread.sleeper, moment);
	rl_task_lock();
	thread.wakes_at = 0;
}

/*
 * A program that becomes a daemon may close all descriptors, also the thread's, and others get
 * their numbers. Then the thread ends: what it would write may go into the program's files.
 */
static bool has_its_descriptors(rl_time now)
{
	if (rl_sleeper_is_whole(&thread.sleeper) && rl_socket_list_is_whole()) {
		return true;
	}
	rl_socket_forget_listed();
	for (struct rl_task *task = rl_tasks.first; task; task = task->link.next) {
		note_failure(task,
			"the program has closed the descriptors of rlock's thread, which has ended; "
			"take locks after such a step, or let it close none but its own",
			now);
		if (task->watch->alarm.raise && !task->paused && !task->over) {
			task->lease->tenure.safe_until = now; /* nobody would tell when it ends */
			run_out(task, now);
		}
	}
	return false;
}

static void run(void *context)
{
	rl_time now, until = RL_FOREVER;
	struct survey survey;

	rl_socket_list_own(true);
	rl_task_lock();
	for (;;) {
		now = rl_now();
		survey = make_survey(now);
		until = idle_until(now, until);
		if (thread.stop || now >= until || !has_its_descriptors(now)) {
			break;
		}
		if (survey.line) {
			renew(&survey, now);
		} else {
			drop_unused_lines();
			sleep_until(now, rl_time_earlier(survey.next, until));
		}
	}
	free_lines();
	rl_socket_list_own(false);
	rl_sleeper_close(&thread.sleeper);
	thread.ended = true;
	rl_task_unlock();
}

/* --- the thread's life, as others see it --- */

/* Between two looks at what somebody else is about to finish. */
#define NAP (RL_MILLISECOND / 20)

/*
 * A request's end waits no longer for the thread's: a connection that is being opened is not cut
 * short.
 */
#define REST (100 * RL_MILLISECOND)

/* On a stack of its own, too (stack.h): the other thread is about to be done. */
static void nap(void)
{
	rl_task_unlock();
	rl_poll(NULL, 0, rl_now() + NAP);
	rl_task_lock();
}

/* After a fork() there is no thread here: what was its own is left as it is, in whatever state. */
static void forget_thread(void)
{
	if (thread.exists && !thread.ended) {
		rl_sleeper_close(&thread.sleeper);
	}
	thread.exists = false;
	rl_tasks.first = NULL;
	rl_tasks.count = rl_tasks.expected = 0;
	rl_tasks.lines = NULL;
	rl_tasks.renewals = 0;
	rl_task_unlock();
}

static void join(void)
{
	rl_thread_join(&thread.thread);
	thread.exists = false;
}

/*
 * One that sleeps may have lost its descriptors since, and ends when it sees that. With a lease to
 * look after it has to tell so first.
 */
static void wait_for_its_end(void)
{
	while (thread.exists && !thread.ended && rl_task_none()
		&& !rl_sleeper_is_whole(&thread.sleeper)) {
		nap();
	}
	if (thread.exists && thread.ended) {
		join();
	}
}

bool rl_renewal_start(void)
{
	static bool minds_forks;

	rl_assert(rl_task_is_locked()); /* 1 */
	wait_for_its_end();
	thread.fresh = true;
	thread.leave = false;
	if (thread.exists) {
		return true;
	}
	if (!rl_system_at_fork(&minds_forks, rl_task_lock, rl_task_unlock, forget_thread)
		|| !rl_sleeper_open(&thread.sleeper)) {
		return false;
	}
	thread.ended = thread.busy = thread.used = thread.leave = thread.stop = false;
	thread.wakes_at = 0;
	rl_random_fill(&thread.random, sizeof thread.random);
	thread.random |= 1;
	thread.exists = rl_thread_start(&thread.thread, run, NULL);
	if (!thread.exists) {
		rl_sleeper_close(&thread.sleeper);
	}
	return thread.exists;
}

void rl_renewal_wake_by(rl_time moment)
{
	rl_assert(rl_task_is_locked()); /* 1 */
	if (moment < thread.wakes_at) {
		thread.wakes_at = moment;
		rl_sleeper_wake(&thread.sleeper);
	}
}

void rl_renewal_idle(void)
{
	rl_assert(rl_task_is_locked()); /* 1 */
	if (thread.used && rl_task_none()) {
		rl_renewal_wake_by(rl_now() + RL_RENEWAL_LINGER);
	}
}

static bool may_rest(rl_time until)
{
	return thread.used && rl_task_none() && rl_now() < until;
}

static void end_thread(bool always)
{
	rl_time until = always ? RL_FOREVER : rl_now() + REST;

	rl_task_lock();
	while (thread.exists && (always || may_rest(until))) {
		if (thread.ended) {
			join();
			break;
		}
		thread.leave = true;
		thread.stop = always;
		if (thread.busy) {
			rl_socket_cut_listed();
		}
		rl_renewal_wake_by(0);
		nap();
	}
	rl_task_unlock();
}

/* Where it has no connection, it does not touch a line without the mutex. */
void rl_renewal_rest(void)
{
	end_thread(false);
	rl_task_lock();
	if (!thread.used) {
		drop_unused_lines();
	}
	rl_task_unlock();
}

void rl_renewal_stop(void)
{
	end_thread(true);
}
