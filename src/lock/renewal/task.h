/*
 * A task: what the renewal thread (thread.c) has to do for one lease, when, and what it knows of
 * it. The owner's side (watch.c) tells it, and hears what has become of it. All of this is only
 * touched with one mutex locked, except for what is marked otherwise.
 *
 * A task is made for a lease that its owner keeps, and linked. It is unlinked when the lease leaves
 * the owner, or when there is nothing more to do for it; and freed when the owner has let go of it
 * and no renewal of it is in flight.
 *
 * Asserted:
 *
 *   1. The mutex is locked by the thread that links or unlinks a task, tells the owner of it, or
 *      starts or wakes the renewal thread.
 *   2. A lease has one task at most, and the task is of that lease until the owner lets go of it.
 *   3. A task is in flight once at a time, and not while its owner has paused it.
 *   4. A lease whose time is over, by the clock or by the server, is not sent.
 *   5. What is freed is in no list.
 *   6. Tasks, those of a line, and those that are expected are counted right: none is taken off
 *      that was not added.
 */
#ifndef RL_RENEWAL_TASK_H
#define RL_RENEWAL_TASK_H

#include "../../base/list.h"
#include "../../base/thread.h"
#include "watch.h"

/* Servers where leases are renewed. The thread alone uses the route, and needs no mutex for it. */
struct rl_line {
	struct rl_line *next;
	struct rl_route *route;
	rl_watch_run *run;
	rl_time connect_timeout, timeout; /* the longest of the owners whose leases are renewed there */
	size_t tasks;
};

struct rl_task {
	/* In the list of all, until it is unlinked. */
	RL_LINK(struct rl_task, link);

	struct rl_watch *watch; /* NULL: the owner has let go of it, and a renewal is in flight */
	struct rl_lease *of;    /* never touched by the thread */
	struct rl_line *line;   /* NULL: watched, not renewed */
	struct rl_lease *lease; /* as much of it as an extend needs: a copy */
	int64_t length_ms;      /* asked for at each renewal */
	rl_time renew_at;       /* when it is due */
	rl_time early_at;       /* from then on it is renewed together with another that is due */
	rl_time renew_until;    /* from then on it is not renewed any more */
	/* counts them: answers to what was sent before the last one do not count */
	uint64_t pauses;
	bool paused;
	/* the owner has asked to change its mode: under which fence, and as what, it is not known */
	bool changes;
	bool as_share;  /* changes: what it is tried as next */
	bool in_flight; /* in the thread's batch */
	bool over;      /* lost, or its time has run out */
	bool is_news;
	rl_time tell_at;       /* news: when to raise the alarm again */
	enum rl_answer answer; /* over: what the server said; RL_ANSWER_OURS: only the clock says so */
	rl_time found_at;
	struct rl_task *next_news;
};

/* All that the thread looks after. */
struct rl_tasks {
	rl_mutex mutex;
	uintptr_t locked_by; /* a thread; 0: none */
	struct rl_task *first;
	size_t count;
	size_t expected; /* asks under way whose grants get one */
	struct rl_line *lines;
	uint64_t renewals; /* since the process began */
};

extern struct rl_tasks rl_tasks;

/* Between an alarm that the owner put off and the next. */
#define RL_ALARM_PAUSE RL_MILLISECOND

void rl_task_lock(void);
void rl_task_unlock(void);
/* Whether the calling thread has locked the mutex: for assertions. */
bool rl_task_is_locked(void);
/* There are none, and none is expected: the thread is not needed. */
bool rl_task_none(void);

/* A task of the lease, known to nobody yet. NULL: out of memory. */
struct rl_task *rl_task_new(const struct rl_lease *lease);
void rl_task_free(struct rl_task *task);

/* The thread looks after it from now on. */
void rl_task_link(struct rl_task *task);
/* The thread does not look after it any more. Does nothing the second time. */
void rl_task_unlink(struct rl_task *task);
/* When there is something to do for the task; or RL_FOREVER. */
rl_time rl_task_due(const struct rl_task *task);
/* Sets when the next renewal is due of a lease that began at `asked_at` and lasts `length_ms`. */
void rl_task_schedule(struct rl_task *task, rl_time asked_at, int64_t length_ms);
/* The lease is over: raises the owner's alarm, if it has one. */
void rl_task_tell(struct rl_task *task);
/* Raises the alarm again that the owner put off, if its time has come. */
void rl_task_tell_again(struct rl_task *task, rl_time now);

#endif
