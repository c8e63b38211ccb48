#include "lookup.h"
#include "../base/descriptor.h"
#include "../base/socket.h"
#include "../base/text.h"
#include "../base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rl_lookup {
	struct rl_thread thread;
	bool has_thread; /* which has not been joined */
	bool over;
	struct addrinfo *peers;
	int failure;
	size_t references;   /* of callers */
	uint64_t generation; /* of the process that began it */
	struct rl_lookup *next;
	char port[16];
	char host[];
};

/* All that are under way or that somebody has. */
static struct {
	rl_mutex mutex; /* of all their members */
	struct rl_lookup *first;
} lookups = { .mutex = RL_MUTEX_INIT };

static void lock(void)
{
	rl_thread_lock(&lookups.mutex);
}

static void unlock(void)
{
	rl_thread_unlock(&lookups.mutex);
}

/* In a child there are none of the threads. Their look-ups are left as they are. */
static void forget_all(void)
{
	lookups.first = NULL;
	unlock();
}

static int resolve(const struct rl_lookup *lookup, int flags, struct addrinfo **peers)
{
	struct addrinfo hints = {
		.ai_flags = flags, .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM
	};
	int failure = getaddrinfo(lookup->host, lookup->port, &hints, peers);

	if (failure) {
		*peers = NULL;
	}
	return failure;
}

static void look_up_here(struct rl_lookup *lookup)
{
	struct addrinfo *peers;
	int failure = resolve(lookup, 0, &peers);

	lock();
	lookup->peers = peers;
	lookup->failure = failure;
	lookup->over = true;
	unlock();
}

/* getaddrinfo() opens sockets as it likes, and may have them for long. */
static void look_up(void *context)
{
	rl_descriptor_part();
	look_up_here(context);
}

static void join(struct rl_lookup *lookup)
{
	if (lookup->has_thread) {
		rl_thread_join(&lookup->thread);
		lookup->has_thread = false;
	}
}

/* Frees those that are over and that nobody has any more. */
static void tidy(void)
{
	struct rl_lookup **link = &lookups.first;

	while (*link) {
		struct rl_lookup *lookup = *link;

		if (!lookup->over || lookup->references > 0) {
			link = &lookup->next;
			continue;
		}
		*link = lookup->next;
		join(lookup);
		if (lookup->peers) {
			freeaddrinfo(lookup->peers);
		}
		free(lookup);
	}
}

static struct rl_lookup *find(const char *host, const char *port)
{
	struct rl_lookup *lookup = lookups.first;

	while (lookup
		&& (lookup->over || strcmp(lookup->host, host) != 0 || strcmp(lookup->port, port) != 0)) {
		lookup = lookup->next;
	}
	return lookup;
}

static struct rl_lookup *add(const char *host, const char *port)
{
	struct rl_lookup *lookup = calloc(1, sizeof *lookup + strlen(host) + 1);

	if (lookup) {
		strcpy(lookup->host, host);
		strcpy(lookup->port, port);
		lookup->generation = rl_system_generation();
		lookup->next = lookups.first;
		lookups.first = lookup;
	}
	return lookup;
}

static bool is_over(const struct rl_lookup *lookup)
{
	bool over;

	lock();
	over = lookup->over;
	unlock();
	return over;
}

/* Called with the mutex locked, and unlocks it. */
static void begin(struct rl_lookup *lookup)
{
	static bool minds_forks;
	bool aside;

	lookup->over = resolve(lookup, AI_NUMERICHOST, &lookup->peers) == 0;
	aside = lookup->over
		|| (rl_system_at_fork(&minds_forks, lock, unlock, forget_all)
			&& rl_thread_start(&lookup->thread, look_up, lookup));
	lookup->has_thread = aside && !lookup->over;
	unlock();
	if (!aside) {
		look_up_here(lookup);
	}
}

struct rl_lookup *rl_lookup_begin(const char *host, int port)
{
	struct rl_lookup *lookup;
	char port_text[16];

	snprintf(port_text, sizeof port_text, "%d", port);
	lock();
	tidy();
	lookup = find(host, port_text);
	if (lookup) {
		lookup->references++;
		unlock();
		return lookup;
	}
	lookup = add(host, port_text);
	if (!lookup) {
		unlock();
		return NULL;
	}
	lookup->references = 1;
	begin(lookup);
	return lookup;
}

bool rl_lookup_result(const struct rl_lookup *lookup, struct addrinfo **peers, int *failure)
{
	if (!is_over(lookup)) {
		return false;
	}
	*peers = lookup->peers;
	*failure = lookup->failure;
	return true;
}

void rl_lookup_end(struct rl_lookup *lookup)
{
	if (lookup->generation == rl_system_generation()) {
		lock();
		lookup->references--;
		tidy();
		unlock();
	}
}

bool rl_lookup_stop(void)
{
	bool done = true;

	lock();
	for (struct rl_lookup *lookup = lookups.first; lookup; lookup = lookup->next) {
		if (lookup->over) {
			join(lookup);
		}
		done = done && lookup->over;
	}
	tidy();
	unlock();
	return done;
}
