/*
 * What the renewal thread (renewer.c) and those who hand leases to it (renewal.c) share. All of
 * it is reached under the mutex, but for what is marked otherwise.
 */
#ifndef RL_RENEWAL_STATE_H
#define RL_RENEWAL_STATE_H

#include "../base/sleeper.h"
#include "../base/thread.h"
#include "renewal.h"

/* Where leases are renewed: the route belongs to the thread, which alone uses it, without the mutex. */
struct rl_line {
	struct rl_line *next;
	struct rl_route *route;
	rl_time connect_timeout, timeout; /* for the route: the longest of those whose leases are renewed there */
	size_t records;
};

struct rl_record {
	struct rl_record *next, **link; /* of all; link is NULL: the thread has let go of it */
	struct rl_watch *watch;         /* NULL: ended, freed when what is in flight has come down */
	struct rl_lease *of;            /* never touched by the thread */
	struct rl_line *line;           /* NULL: watched, not renewed */
	struct rl_lease lease;          /* as much of it as an extend needs; its texts lie behind this struct */
	int64_t length_ms;              /* asked for at each renewal */
	rl_time renew_at;               /* at the latest */
	rl_time early_at;               /* from then on it goes along with others */
	rl_time renew_until;            /* not from then on */
	uint64_t turn;                  /* rises when it is held: what was sent in an earlier turn does not count */
	bool held;
	bool in_flight; /* in the thread's batch */
	bool over;      /* lost, or its time has run out */
	bool is_news;
	rl_time tell_at;       /* news: once more */
	enum rl_answer answer; /* over: what the server said; RL_ANSWER_OURS: only the clock says so */
	rl_time found_at;
	struct rl_record *next_news;
};

struct rl_renewal {
	rl_mutex mutex;
	struct rl_record *records;
	size_t count;
	struct rl_line *lines;
	struct rl_thread thread;
	struct rl_sleeper sleeper;
	bool exists;      /* the thread: it was started and not joined yet */
	bool ended;       /* it does nothing any more */
	bool busy;        /* it talks to a server */
	bool leave;       /* it shall end as soon as there is no record */
	bool stop;        /* it shall end */
	bool fresh;       /* a record has begun since it looked last */
	rl_time wakes_at; /* 0: it is awake, and will look at everything before it sleeps */
	uint64_t random;  /* of its jitter */
};

extern struct rl_renewal rl_renewal;

/* The thread goes on for so long without a record: the next one may come soon. */
#define RL_RENEWAL_LINGER (20 * RL_MILLISECOND)

/* Between an alarm that could not be told and the next. */
#define RL_ALARM_PAUSE RL_MILLISECOND

/* The thread's body. */
void rl_renewer_run(void);

/* The thread need not look after it any more. Harmless if that was said before. */
void rl_record_unlink(struct rl_record *record);
/* When there is something to do for the record; RL_FOREVER: never. */
rl_time rl_record_due(const struct rl_record *record);
/* When the next renewal is due of a lease that counts for `length_ms` from `asked_at`. */
void rl_record_schedule(struct rl_record *record, rl_time asked_at, int64_t length_ms);
/* It is over: tells the owner, if it wants to know. */
void rl_record_tell(struct rl_record *record);
/* What was put off is told again, if its time has come. */
void rl_record_tell_again(struct rl_record *record, rl_time now);

#endif
