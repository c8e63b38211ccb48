/*
 * Threads as Windows has them: no fork(), no signals.
 */
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00

#include "thread.h"

void rl_thread_lock(rl_mutex *mutex)
{
	AcquireSRWLockExclusive(mutex);
}

void rl_thread_unlock(rl_mutex *mutex)
{
	ReleaseSRWLockExclusive(mutex);
}

static DWORD WINAPI run(LPVOID argument)
{
	struct rl_thread *thread = argument;

	thread->run(thread->context);
	return 0;
}

bool rl_thread_start(struct rl_thread *thread, void (*body)(void *context), void *context)
{
	thread->run = body;
	thread->context = context;
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

bool rl_thread_is_alone(void)
{
	return false;
}
