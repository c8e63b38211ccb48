/*
 * The seam to where a script is sent: one server, or the one that Sentinel or a cluster's slot
 * map names. What runs scripts asks the route for the server of a key, and tells it of
 * failures, from which it can learn that the server was the wrong one.
 */
#ifndef RL_ROUTE_H
#define RL_ROUTE_H

#include "../redis/server.h"

/* What a route makes of a failure. */
enum rl_lesson {
	RL_LESSON_NONE,  /* nothing: it would send the next try to the same server */
	RL_LESSON_AGAIN, /* it knows better now: locate again */
	RL_LESSON_LATER, /* it will look again: after a pause, locate again */
	RL_LESSON_ONCE   /* another server, `elsewhere`, answers this once, if it is told so */
};

struct rl_failure {
	enum rl_status status; /* RL_REFUSED or RL_UNREACHABLE */
	const struct rl_error *error;
	const char *words;              /* the refusal as the server said it; NULL: there was no answer */
	const struct rl_server *server; /* that it came from; NULL: none was found */
	struct rl_server *elsewhere;    /* out: for RL_LESSON_ONCE, with a reference that is the caller's */
};

/* What to do about a refusal, for people who do not know what the server's words mean. */
struct rl_advice {
	const char *said; /* the refusal's code, or at least two words of its text */
	const char *advice;
};

/* The most servers of a majority. */
#define RL_NODES_MAX 15

struct rl_route {
	/* The server that answers for `key` now; valid until the route's next call, or while a connection of it is lent. */
	enum rl_status (*locate)(struct rl_route *route, struct rl_text key, rl_time deadline,
		struct rl_server **server, struct rl_error *error);
	/* True: different servers answer for the two, as far as is known. NULL: one answers for all. Does no I/O. */
	bool (*apart)(const struct rl_route *route, struct rl_text one, struct rl_text other);
	enum rl_lesson (*learn)(struct rl_route *route, struct rl_text key, struct rl_failure *failure);
	/* A route to the same servers that shares nothing with this one, for another thread. Does no I/O. NULL: out of memory. */
	struct rl_route *(*duplicate)(const struct rl_route *route);
	void (*free)(struct rl_route *route);
	/* Independent masters that are all asked at once, so that locate() is not; 0 for all other routes. */
	size_t node_count;
	struct rl_server **nodes;
	int replicas;                       /* what is taken counts only when so many replicas have it, too; 0: at once */
	const char *identity;               /* the same for all routes to the same servers, whatever their timeouts; holds secrets */
	const char *name;                   /* for messages */
	const struct rl_advice *advice;     /* of its kind, up to one that is empty; NULL: none */
	rl_time connect_timeout;            /* for one connection */
	rl_time timeout;                    /* one call's whole deadline */
	rl_time patience;                   /* for how long a wait rides out that a server is not to be had */
	char evicting[RL_SERVER_NAME_SIZE]; /* a server that may evict locks, */
	bool tell_evicting;                 /* to be told once by who resets this */
	uint64_t requests, reconnects;      /* counted by what sends */
};

/* Of a server that has been connected to. */
void rl_route_note_eviction(struct rl_route *route, struct rl_server *server);
/* Adds to the message of a refusal what to do about it, if that is known. */
void rl_route_advise(const struct rl_route *route, struct rl_error *error);
/* As route->duplicate(), with the same wishes. */
struct rl_route *rl_route_duplicate(const struct rl_route *route);
/* Whether they lead to the same servers, with the same wishes; their timeouts may differ. */
bool rl_route_is_like(const struct rl_route *a, const struct rl_route *b);

/* How many of the nodes decide. */
size_t rl_route_majority_of(size_t node_count);

#endif
