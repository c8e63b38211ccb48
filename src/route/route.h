/*
 * Which server a script is sent to: the one of the address (direct.h), the master that Sentinel
 * names (sentinel.h), the node that has the key's slot (cluster.h), or independent masters, which
 * are asked side by side (independent.h).
 *
 * Callers ask the route for the server of a key, and tell it of failures, from which it may learn
 * that this was the wrong server. They do not ask what kind of route it is, except whether it has
 * several nodes.
 */
#ifndef RL_ROUTE_H
#define RL_ROUTE_H

#include "advice.h"
#include "../redis/server.h"

/* What a route makes of a failure. */
enum rl_lesson {
	RL_LESSON_NONE,  /* nothing: the next try would go to the same server */
	RL_LESSON_AGAIN, /* it knows better now: locate again */
	RL_LESSON_LATER, /* it has to look for another server: locate again after a pause */
	/*
	 * another server, `elsewhere`, answers for the key this once, if the call is preceded by ASKING
	 */
	RL_LESSON_ONCE
};

struct rl_failure {
	enum rl_status status; /* RL_REFUSED or RL_UNREACHABLE */
	const struct rl_error *error;
	/* the refusal as the server said it; NULL: there was no answer */
	const char *words;
	const struct rl_server *server; /* where it was tried; NULL: no server was found */
	struct rl_server *elsewhere;    /* out: for RL_LESSON_ONCE, with a reference for the caller */
};

/* The most independent masters of one route. */
#define RL_NODES_MAX 15

struct rl_route;

/* What differs between the kinds of routes. */
struct rl_route_kind {
	/*
	 * Finds the server that answers for `key` now, and waits if that has to be found out, unless
	 * the deadline is 0. It is valid until the route is used again, or for as long as a connection
	 * of it is lent. The deadline moves as an exchange's does. RL_INTERRUPTED: nobody wants to know
	 * any more. NULL, of independent masters: nobody asks.
	 */
	enum rl_status (*locate)(struct rl_route *route, struct rl_text key, rl_time *deadline,
		struct rl_server **server, struct rl_error *error);
	/*
	 * Whether different servers answer for the two keys, by what the route knows without I/O. NULL:
	 * one server answers for all keys.
	 */
	bool (*apart)(const struct rl_route *route, struct rl_text one, struct rl_text other);
	/*
	 * Adds the servers that have keys, as they are known now, to the list, and waits until that is
	 * known. NULL: one server answers for all keys.
	 */
	enum rl_status (*list)(struct rl_route *route, rl_time deadline, struct rl_server_list *servers,
		struct rl_error *error);
	/* NULL: nothing. */
	enum rl_lesson (*learn)(struct rl_route *route, struct rl_text key, struct rl_failure *failure);
	/*
	 * Makes a route to the same servers that shares nothing with this one, for another thread. Does
	 * no I/O. NULL: out of memory.
	 */
	struct rl_route *(*duplicate)(const struct rl_route *route);
	void (*free)(struct rl_route *route);
	/* the last one is empty; NULL: none */
	const struct rl_advice *advice;
};

struct rl_route {
	const struct rl_route_kind *kind;
	/* Independent masters, which are asked side by side; 0 for all other routes. */
	size_t node_count;
	struct rl_server **nodes;
	/* a lock counts only once this many replicas have acknowledged it; 0: at once */
	int replicas;
	bool durable; /* and is in its append-only file, and in theirs */
	/* the same for all routes to the same servers, whatever their timeouts; holds secrets */
	const char *identity;
	const char *name;        /* for messages */
	rl_time connect_timeout; /* for one connection */
	rl_time timeout;         /* for a whole call */
	/* how long a waiter endures that no server can be reached */
	rl_time patience;
	char evicting[RL_SERVER_NAME_SIZE]; /* a server that may evict locks, the last of several */
	/* the user has not been warned of it; whoever warns resets this */
	bool tell_evicting;
	uint64_t requests, reconnects; /* counted by callers that send */
};

/* As the kind's locate(). */
enum rl_status rl_route_locate(struct rl_route *route, struct rl_text key, rl_time deadline,
	struct rl_server **server, struct rl_error *error);
/*
 * Adds all servers on which the route's keys are to the list: one, the masters of a cluster, or the
 * independent nodes. The caller clears the list, also after a failure.
 */
enum rl_status rl_route_list(struct rl_route *route, rl_time deadline,
	struct rl_server_list *servers, struct rl_error *error);
/* After a connection to the server was borrowed: notes whether the server may evict locks. */
void rl_route_note_eviction(struct rl_route *route, struct rl_server *server);
/* Tells the route that a request for the key has failed, and returns what to do about it. */
enum rl_lesson rl_route_learn(
	struct rl_route *route, struct rl_text key, struct rl_failure *failure);
/* The same, for callers that will not follow it elsewhere. */
enum rl_lesson rl_route_tell(
	struct rl_route *route, struct rl_text key, struct rl_failure failure);
/* As the kind's duplicate(), and the copy wants as many replicas. */
struct rl_route *rl_route_duplicate(const struct rl_route *route);
/* Whether both lead to the same servers and want as many replicas; their timeouts may differ. */
bool rl_route_is_like(const struct rl_route *a, const struct rl_route *b);
/*
 * Whether two that are alike use the same connections to the nodes of a majority: one may keep its
 * own, and then what is out on these is known to that one alone.
 */
bool rl_route_shares_nodes(const struct rl_route *a, const struct rl_route *b);

/* How many of this many nodes are a majority. */
size_t rl_route_majority_of(size_t nodes);

#endif
