/*
 * Background threads, and the mutex for what they share, on POSIX and on Windows.
 */
#ifndef RL_THREAD_H
#define RL_THREAD_H

#include "system.h"

#ifdef _WIN32
# include "socket.h" /* before windows.h */
# include <windows.h>
typedef SRWLOCK rl_mutex;
# define RL_MUTEX_INIT SRWLOCK_INIT
typedef HANDLE rl_thread_handle;
#else
# include <pthread.h>
typedef pthread_mutex_t rl_mutex;
# define RL_MUTEX_INIT PTHREAD_MUTEX_INITIALIZER
typedef pthread_t rl_thread_handle;
#endif

void rl_thread_lock(rl_mutex *mutex);
void rl_thread_unlock(rl_mutex *mutex);

struct rl_thread {
	rl_thread_handle handle;
	void (*run)(void *context);
	void *context;
};

/*
 * Starts a thread that gets no signals: they are for the program's own threads. `thread` must stay
 * where it is until rl_thread_join(). False: the system refused.
 */
bool rl_thread_start(struct rl_thread *thread, void (*run)(void *context), void *context);
void rl_thread_join(struct rl_thread *thread);
/*
 * A number that one thread writes and others read meanwhile: none of them sees a part of it, and
 * each number comes by itself, in no order with others.
 */
static inline void rl_thread_show(uint64_t *number, uint64_t value)
{
#ifdef _WIN32
	*(volatile uint64_t *)number = value; /* aligned, it is one access */
#else
	__atomic_store_n(number, value, __ATOMIC_RELAXED);
#endif
}
static inline uint64_t rl_thread_see(const uint64_t *number)
{
#ifdef _WIN32
	return *(const volatile uint64_t *)number;
#else
	return __atomic_load_n(number, __ATOMIC_RELAXED);
#endif
}

/* Different for every running thread. */
uintptr_t rl_thread_id(void);
/*
 * Whether the calling thread is surely the only one of its process, so that no other thread gets
 * the process's signals or sets its flags. That stays so until the caller starts a thread.
 */
bool rl_thread_is_alone(void);

#endif
