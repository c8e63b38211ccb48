/*
 * One descriptor for whoever watches a machine that is stepped from outside (struct rl_polls): it
 * is readable, level-triggered, while a step of the machine is due, and stays the same whatever the
 * machine waits for. For event loops, which watch descriptors and know nothing of ours.
 *
 *   rl_waitset_open()
 *   rl_waitset_update()     after each step; rl_waitset_fire() after the last
 *   rl_waitset_close()
 *
 * A copy of it may outlive the set, and is readable then, so that nobody waits for good for what is
 * over.
 *
 * A step often waits for the same as the one before: then nothing is told to the system. What is
 * closed has to be forgotten before, since a fork() may have left a copy of it open, which would be
 * watched for good.
 *
 * Nothing but the descriptor is of use to others: they watch it, and do not read from it. It is an
 * epoll that holds a timer, or a kqueue; other systems have none. After a fork() an epoll is the
 * parent's and the child's at once, so a child does nothing with it but close it.
 */
#ifndef RL_WAITSET_H
#define RL_WAITSET_H

#include "list.h"
#include "poll.h"

/* Used, and what it watches closed, by one thread. */
struct rl_waitset {
	int fd;    /* the one to watch; not inherited by programs */
	int timer; /* -1: it is a part of `fd` */
	rl_time fires_at;
	struct rl_pollfd watched[RL_POLL_MAX];
	size_t count;
	bool is_over;        /* nothing more is watched, and it is readable for good */
	uint64_t generation; /* of the process that opened it */
	RL_LINK(struct rl_waitset, link);
};

/* `link` is all zero. False: the system has no such thing, or refuses it (errno). */
bool rl_waitset_open(struct rl_waitset *set);
/* Watches this, and no more what it did before. What cannot be watched is looked at soon. */
void rl_waitset_update(struct rl_waitset *set, const struct rl_polls *polls);
/* It is readable from now on, and nothing else comes of it: it is only closed. Not in a child. */
void rl_waitset_fire(struct rl_waitset *set);
/* That descriptor is about to be closed: no set of this thread watches it any more. */
void rl_waitset_forget(int fd);
/* A copy of the descriptor that somebody has is readable from now on, for as long as it is open. */
void rl_waitset_close(struct rl_waitset *set);
/* At the process's end, when all sets are closed. */
void rl_waitset_stop(void);

#endif
