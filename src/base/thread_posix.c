/*
 * Threads as POSIX has them.
 */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* pthread_setname_np */
#endif

#include "thread.h"

#include <signal.h>
#include <sys/stat.h>

void rl_thread_lock(rl_mutex *mutex)
{
	pthread_mutex_lock(mutex);
}

void rl_thread_unlock(rl_mutex *mutex)
{
	pthread_mutex_unlock(mutex);
}

/*
 * Room for TLS, which the renewal thread does, and for the look-up of a name: musl's default of 128
 * KiB is too tight for that. glibc's 8 MiB would be more than needed where memory is not
 * overcommitted.
 */
#define STACK_SIZE (512 * 1024)

static void *run(void *argument)
{
	struct rl_thread *thread = argument;

#ifdef __linux__
	pthread_setname_np(pthread_self(), "rlock");
#endif
	thread->run(thread->context);
	return NULL;
}

bool rl_thread_start(struct rl_thread *thread, void (*body)(void *context), void *context)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int failure;

	thread->run = body;
	thread->context = context;
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

/*
 * Linux has a folder for each thread in this one, which links to it; the folder has two more links.
 */
bool rl_thread_is_alone(void)
{
	struct stat tasks;

	return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 3;
}
