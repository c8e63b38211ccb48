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
	bool begun;      /* it has, or had, its turn */
	bool over;
	struct addrinfo *peers;
	int failure;
	size_t references;   /* of callers */
	uint64_t generation; /* of the process that began it */
	uint64_t request;    /* during which it was */
	struct rl_lookup *next;
	char port[16];
	char host[];
};

/* All that are under way or that somebody has. */
static struct {
	rl_mutex mutex; /* of all their members */
	struct rl_lookup *first;
	uint64_t request; /* the present one */
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
	rl_descriptor_unshare();
	look_up_here(context);
}

static void join(struct rl_lookup *lookup)
{
	if (lookup->has_thread) {
		rl_thread_join(&lookup->thread);
		lookup->has_thread = false;
	}
}

static bool is_under_way(const struct rl_lookup *lookup)
{
	return lookup->begun && !lookup->over;
}

/* Frees those that are over and that nobody has any more. */
static void tidy(void)
{
	struct rl_lookup **link = &lookups.first;

	while (*link) {
		struct rl_lookup *lookup = *link;

		if (is_under_way(lookup) || lookup->references > 0) {
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
		&& (lookup->over || lookup->request != lookups.request || strcmp(lookup->host, host) != 0
			|| strcmp(lookup->port, port) != 0)) {
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
		lookup->request = lookups.request;
		lookup->next = lookups.first;
		lookups.first = lookup;
	}
	return lookup;
}

/* Its request has some of its share left. */
static bool has_turn(const struct rl_lookup *lookup)
{
	size_t ours = 0, theirs = 0, share;

	for (const struct rl_lookup *other = lookups.first; other; other = other->next) {
		if (is_under_way(other)) {
			*(other->request == lookup->request ? &ours : &theirs) += 1;
		}
	}
	share = (RL_LOOKUP_MAX - theirs + RL_LOOKUP_REQUESTS - 1) / RL_LOOKUP_REQUESTS;
	return ours < share;
}

/*
 * Called with the mutex locked, which it also is in the end. Does nothing while too many others are
 * under way.
 */
static void take_turn(struct rl_lookup *lookup)
{
	static bool minds_forks;

	if (lookup->begun || !has_turn(lookup)) {
		return;
	}
	lookup->begun = true;
	lookup->has_thread = rl_system_at_fork(&minds_forks, lock, unlock, forget_all)
		&& rl_thread_start(&lookup->thread, look_up, lookup);
	if (!lookup->has_thread) {
		unlock();
		rl_socket_forget_resolver();
		look_up_here(lookup);
		lock();
	}
}

/* The same. */
static void begin(struct rl_lookup *lookup)
{
	if (resolve(lookup, AI_NUMERICHOST, &lookup->peers) == 0) {
		lookup->begun = lookup->over = true;
	} else {
		take_turn(lookup);
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
	} else if ((lookup = add(host, port_text))) {
		lookup->references = 1;
		begin(lookup);
	}
	unlock();
	return lookup;
}

bool rl_lookup_result(struct rl_lookup *lookup, struct addrinfo **peers, int *failure)
{
	bool over;

	lock();
	if (lookup->generation == rl_system_generation()) {
		take_turn(lookup);
	}
	over = lookup->over;
	*peers = lookup->peers;
	*failure = lookup->failure;
	unlock();
	return over;
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

void rl_lookup_begin_request(void)
{
	lock();
	lookups.request++;
	unlock();
}

bool rl_lookup_stop(void)
{
	bool done = true;

	lock();
	for (struct rl_lookup *lookup = lookups.first; lookup; lookup = lookup->next) {
		if (lookup->over) {
			join(lookup);
		}
		done = done && !is_under_way(lookup);
	}
	tidy();
	unlock();
	return done;
}
