/*
 * Threads as POSIX has them.
 */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* pthread_setname_np */
#endif

#include "thread.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#ifdef __linux__
# include <sys/eventfd.h>
# include <sys/timerfd.h>
#endif

void rl_mutex_lock(rl_mutex *mutex)
{
	pthread_mutex_lock(mutex);
}

void rl_mutex_unlock(rl_mutex *mutex)
{
	pthread_mutex_unlock(mutex);
}

/*
 * Room for TLS and for resolving names, which the renewal thread does: musl's default of 128 KiB is
 * too tight for that. glibc's 8 MiB would be more than needed where memory is not overcommitted.
 */
#define STACK_SIZE (512 * 1024)

static void *run(void *argument)
{
	struct rl_thread *thread = argument;

#ifdef __linux__
	pthread_setname_np(pthread_self(), "rlock");
#endif
	thread->run();
	return NULL;
}

bool rl_thread_start(struct rl_thread *thread, void (*body)(void))
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int failure;

	thread->run = body;
	if (pthread_attr_init(&attributes) != 0) {
		return false;
	}
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* the new thread begins with ours */
	failure = pthread_create(&thread->handle, &attributes, run, thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return failure == 0;
}

void rl_thread_join(struct rl_thread *thread)
{
	pthread_join(thread->handle, NULL);
}

uintptr_t rl_thread_id(void)
{
	return (uintptr_t)pthread_self();
}

bool rl_thread_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
	return pthread_atfork(before, in_parent, in_child) == 0;
}

/* --- sleeping --- */

/* Without a timer of its own a sleep is cut into such pieces: poll's clock may stand still in suspend. */
#define PIECE RL_SECOND

#ifdef __linux__

static bool open_wake(int wake[2])
{
	wake[0] = wake[1] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return wake[0] >= 0;
}

static int open_timer(void)
{
	return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

static bool set_timer(int timer, rl_time moment)
{
	struct itimerspec at = { .it_interval = { 0 } };

	at.it_value.tv_sec = (time_t)(moment / RL_SECOND);
	at.it_value.tv_nsec = (long)(moment % RL_SECOND) + (moment == 0); /* 0 would be never */
	return timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL) == 0;
}

#else

static bool open_wake(int wake[2])
{
	if (pipe(wake) < 0) {
		return false;
	}
	for (int i = 0; i < 2; i++) {
		fcntl(wake[i], F_SETFD, FD_CLOEXEC);
		fcntl(wake[i], F_SETFL, O_NONBLOCK);
	}
	return true;
}

static int open_timer(void)
{
	return -1;
}

static bool set_timer(int timer, rl_time moment)
{
	(void)timer;
	(void)moment;
	return false;
}

#endif

bool rl_sleeper_open(struct rl_sleeper *sleeper)
{
	if (!open_wake(sleeper->wake)) {
		return false;
	}
	sleeper->timer = open_timer();
	return true;
}

void rl_sleeper_close(struct rl_sleeper *sleeper)
{
	if (sleeper->timer >= 0) {
		close(sleeper->timer);
	}
	close(sleeper->wake[0]);
	if (sleeper->wake[1] != sleeper->wake[0]) {
		close(sleeper->wake[1]);
	}
}

void rl_sleeper_sleep(struct rl_sleeper *sleeper, rl_time moment)
{
	struct rl_pollfd fds[] = {
		{ .fd = sleeper->wake[0], .want_read = true },
		{ .fd = sleeper->timer, .want_read = true },
	};
	rl_time piece = rl_now() + PIECE;
	char drained[64];

	if (sleeper->timer >= 0 && set_timer(sleeper->timer, moment)) {
		rl_poll(fds, 2, RL_FOREVER);
	} else {
		rl_poll(fds, 1, moment < piece ? moment : piece);
	}
	/* The timer is set anew before it is looked at again. */
	while (read(sleeper->wake[0], drained, sizeof drained) == (ssize_t)sizeof drained) {
	}
}

void rl_sleeper_wake(struct rl_sleeper *sleeper)
{
	static const uint64_t one = 1;

	/* If it is full, somebody has done so already. */
	if (write(sleeper->wake[1], &one, sizeof one) < 0) {
		return;
	}
}
