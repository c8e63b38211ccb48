#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* memmem */
#endif

#include "faults.h"
#include "base/socket.h"

#include <netdb.h>

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void __real_free(void *block);
void __wrap_free(void *block);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __real_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);
int __real_getentropy(void *buffer, size_t size);
int __wrap_getentropy(void *buffer, size_t size);
int __real_gethostname(char *buffer, size_t size);
int __wrap_gethostname(char *buffer, size_t size);

static _Atomic long until_failure = -1; /* threads allocate, too */
static _Atomic bool struck, paused;
static bool no_getentropy;
static const char *hostname;
static _Atomic clockid_t last_clock = -1;

void faults_memory(long count)
{
	until_failure = count;
	struck = false;
}

void faults_memory_pause(bool on)
{
	paused = on;
}

bool faults_memory_struck(void)
{
	return struck;
}

static bool strikes(void)
{
	if (paused || until_failure < 0 || until_failure-- > 0) {
		return false;
	}
	struck = true;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return strikes() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return strikes() ? NULL : __real_calloc(count, size);
}

static const char *secret;
static unsigned found_freed;

void faults_watch_freed(const char *text)
{
	secret = text;
	found_freed = 0;
}

unsigned faults_found_freed(void)
{
	return found_freed;
}

static void look_for_secret(void *block)
{
	if (block && secret && memmem(block, malloc_usable_size(block), secret, strlen(secret))) {
		found_freed++;
	}
}

void __wrap_free(void *block)
{
	look_for_secret(block);
	__real_free(block);
}

/* What it moves, it leaves behind. */
void *__wrap_realloc(void *old, size_t size)
{
	look_for_secret(old);
	return strikes() ? NULL : __real_realloc(old, size);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	last_clock = clock;
	return __real_clock_gettime(clock, ts);
}

clockid_t faults_last_clock(void)
{
	return last_clock;
}

void faults_no_getentropy(bool on)
{
	no_getentropy = on;
}

int __wrap_getentropy(void *buffer, size_t size)
{
	if (no_getentropy) {
		errno = ENOSYS;
		return -1;
	}
	return __real_getentropy(buffer, size);
}

void faults_hostname(const char *name)
{
	hostname = name;
}

int __wrap_gethostname(char *buffer, size_t size)
{
	if (!hostname) {
		return __real_gethostname(buffer, size);
	}
	snprintf(buffer, size, "%s", hostname);
	return hostname[0] ? 0 : -1;
}

static atomic_long to_send = -1; /* threads send, too */
static atomic_bool sending_broke, sockets_are_full;

int __real_rl_socket_send(int fd, const char *bytes, size_t length, size_t *sent);
int __wrap_rl_socket_send(int fd, const char *bytes, size_t length, size_t *sent);

void faults_break_sending(long after)
{
	to_send = after;
	sending_broke = false;
}

bool faults_sending_broke(void)
{
	return sending_broke;
}

void faults_fill_sockets(bool on)
{
	sockets_are_full = on;
}

int __wrap_rl_socket_send(int fd, const char *bytes, size_t length, size_t *sent)
{
	long most = to_send;

	if (sockets_are_full) {
		return RL_SOCKET_NOT_NOW;
	}
	if (most < 0 || (size_t)most >= length) {
		if (most >= 0) {
			to_send = -1;
		}
		return __real_rl_socket_send(fd, bytes, length, sent);
	}
	if (most == 0) {
		to_send = -1;
		sending_broke = true;
		return EPIPE;
	}
	to_send = 0;
	return __real_rl_socket_send(fd, bytes, (size_t)most, sent);
}

bool in_child(bool (*body)(void *context), void *context)
{
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		_exit(body(context) ? 0 : 1);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
		&& WEXITSTATUS(status) == 0;
}

static const char *const *resolved;
static atomic_bool names_are_silent;
static atomic_uint names_looked_up;

void faults_silence_names(bool on)
{
	names_are_silent = on;
}

unsigned faults_names_looked_up(void)
{
	return names_looked_up;
}

void faults_resolve(const char *const *addresses)
{
	resolved = addresses;
}

int __real_getaddrinfo(
	const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out);
int __wrap_getaddrinfo(
	const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out);

int __wrap_getaddrinfo(
	const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
	struct addrinfo **last = out;
	int failure = 0;

	if (hints->ai_flags & AI_NUMERICHOST) {
		return __real_getaddrinfo(node, service, hints, out);
	}
	names_looked_up++;
	while (names_are_silent) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	if (!resolved) {
		return __real_getaddrinfo(node, service, hints, out);
	}
	for (size_t i = 0; resolved[i] && !failure; i++) {
		failure = __real_getaddrinfo(resolved[i], service, hints, last);
		while (!failure && *last) {
			last = &(*last)->ai_next;
		}
	}
	return resolved[0] ? failure : EAI_NONAME;
}
