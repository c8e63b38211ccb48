/*
 * One descriptor for whoever watches a machine that is stepped from outside (struct rl_polls): it
 * is readable, level-triggered, while a step of the machine is due, and stays the same whatever the
 * machine waits for. For event loops, which watch descriptors and know nothing of ours.
 *
 *   rl_waitset_open()
 *   rl_waitset_clear()     before each step, since a step may close what is watched
 *   rl_waitset_watch()     after it
 *   rl_waitset_close()
 *
 * Nothing but the descriptor is of use to others: they watch it, and do not read from it. It is an
 * epoll that holds a timer, or a kqueue; other systems have none. After a fork() an epoll is the
 * parent's and the child's at once, so a child does nothing with it but close it.
 */
#ifndef RL_WAITSET_H
#define RL_WAITSET_H

#include "poll.h"

struct rl_waitset {
	int fd;    /* the one to watch; not inherited by programs */
	int timer; /* -1: it is a part of `fd` */
	int watched[RL_POLL_MAX];
	size_t count;
	uint64_t generation; /* of the process that opened it */
};

/* False: the system has no such thing, or refuses it (errno). */
bool rl_waitset_open(struct rl_waitset *set);
/* Watches nothing, and never becomes readable. */
void rl_waitset_clear(struct rl_waitset *set);
/* Watches what was cleared before for this. What cannot be watched is looked at soon. */
void rl_waitset_watch(struct rl_waitset *set, const struct rl_polls *polls);
/* Whether it is readable now. */
bool rl_waitset_is_ready(const struct rl_waitset *set);
void rl_waitset_close(struct rl_waitset *set);

#endif
