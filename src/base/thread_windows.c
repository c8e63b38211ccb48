/*
 * Threads as Windows has them: no fork(), no signals.
 */
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00

#include "thread.h"

/* The clock of a wait stands still in suspend. */
#define PIECE RL_SECOND

void rl_mutex_lock(rl_mutex *mutex)
{
	AcquireSRWLockExclusive(mutex);
}

void rl_mutex_unlock(rl_mutex *mutex)
{
	ReleaseSRWLockExclusive(mutex);
}

static DWORD WINAPI run(LPVOID argument)
{
	((struct rl_thread *)argument)->run();
	return 0;
}

bool rl_thread_start(struct rl_thread *thread, void (*body)(void))
{
	thread->run = body;
	thread->handle = CreateThread(NULL, 0, run, thread, 0, NULL);
	return thread->handle != NULL;
}

void rl_thread_join(struct rl_thread *thread)
{
	WaitForSingleObject(thread->handle, INFINITE);
	CloseHandle(thread->handle);
}

uintptr_t rl_thread_id(void)
{
	return GetCurrentThreadId();
}

bool rl_thread_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
	(void)before;
	(void)in_parent;
	(void)in_child;
	return true;
}

bool rl_sleeper_open(struct rl_sleeper *sleeper)
{
	sleeper->event = CreateEventW(NULL, FALSE, FALSE, NULL);
	return sleeper->event != NULL;
}

void rl_sleeper_close(struct rl_sleeper *sleeper)
{
	CloseHandle(sleeper->event);
}

void rl_sleeper_sleep(struct rl_sleeper *sleeper, rl_time moment)
{
	rl_time now = rl_now(), left = moment > now ? moment - now : 0;

	if (left > PIECE) {
		left = PIECE;
	}
	WaitForSingleObject(sleeper->event, (DWORD)((left + RL_MILLISECOND - 1) / RL_MILLISECOND));
}

void rl_sleeper_wake(struct rl_sleeper *sleeper)
{
	SetEvent(sleeper->event);
}
