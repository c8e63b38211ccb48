/*
 * One Redis server and our idle connections to it.
 *
 * A connection is lent to one call, or to one wait, at a time. It is kept afterwards only if it is
 * safe to reuse (rl_connection_is_usable). Servers with persistent connections live in a cache that
 * outlasts requests, where the address's identity finds them; the others live with their owner. A
 * server belongs to one thread.
 *
 *   rl_server_borrow()       for as long as it is RL_NO
 *   ...                      commands and answers
 *   rl_server_return()
 */
#ifndef RL_SERVER_H
#define RL_SERVER_H

#include "address.h"
#include "connection.h"
#include "cache.h"

struct rl_handshake;
struct rl_server;

/* Room for a server's name in a message; longer names are cut. */
#define RL_SERVER_NAME_SIZE 300

/* A server of its own. Takes the address over, also on failure. NULL: out of memory. */
struct rl_server *rl_server_new(struct rl_address *address);
/*
 * A sentinel: its connections are not asked what it is, and none stays idle. What it says may go
 * into `cache`, or NULL. Takes the address over, also on failure.
 */
struct rl_server *rl_server_of_sentinel(struct rl_cache *cache, struct rl_address *address);
/*
 * The cache's server for this address, which is made if there is none, with one more reference;
 * without a cache, a server of its own. Takes the address over, also on failure. The address's
 * timeouts count only when the server is freed: callers that share a server bring their own.
 */
struct rl_server *rl_server_cached(struct rl_cache *cache, struct rl_address *address);

/* One more reference. Returns the server. */
struct rl_server *rl_server_ref(struct rl_server *server);
void rl_server_unref(struct rl_server *server);

const struct rl_address *rl_server_address(const struct rl_server *server);
/* By the last connection to it; nothing is known before the first. */
const struct rl_facts *rl_server_facts(const struct rl_server *server);

/*
 * How a connection is asked for, and the connection.
 *
 * `side_by_side`: the caller asks several servers at once, and can do without one. Then a server
 * fails at once, as it did before, for a second after opening failed or an answer was overdue,
 * unless the caller insists. One that owes answers for longer than `timeout` fails in any case, and
 * so does one that owes too many. And an opening that is under way in the end is left to the
 * server, for the next such loan, with `timeout` for all of it.
 */
struct rl_loan {
	rl_time connect_timeout;
	/*
	 * Of the whole. If it has passed, and what has come leads further all the same, it moves:
	 * nobody had looked in between, and that time does not count.
	 */
	rl_time deadline;
	/*
	 * How long a connection that was idle may be silent, but for no more than half of the time.
	 * Then it fails, and the caller tries another one: a firewall may have forgotten it, and that
	 * is not the server's silence. 0: until the deadline.
	 */
	rl_time patience;
	bool side_by_side;
	bool insist;
	bool only_idle; /* none is opened for it: then it is RL_UNREACHABLE, and says nothing */
	/* side by side: rather this than another that owes answers, to come behind one; or NULL */
	const struct rl_connection *behind;
	rl_time timeout;
	/* out */
	bool has_moved;                   /* the deadline; for the caller to reset */
	bool is_reused;                   /* the connection was idle for a while */
	struct rl_connection *connection; /* NULL unless RL_OK */
	unsigned reconnected;             /* connections that were dead, or broke */
	/* its own */
	struct rl_handshake *opening; /* a connection that is being opened, or NULL */
	rl_time opens_by;             /* it pauses no longer; 0: it has not begun to */
};

/*
 * Lends an idle connection, or opens one. What is lent may turn out dead all the same; it may also
 * owe answers that nobody waits for. RL_NO: a connection is being opened, or will be after a pause;
 * the next call goes on with it, once what was added to `polls` has come. Otherwise it failed.
 *
 * A server that ends connections soon after they were opened, and before they were of use, or that
 * takes no writes, gets the third and later ones only after pauses: from 10 ms, doubling to 1 s,
 * but of no more than half of the caller's time, so that each call has a try. The name is resolved
 * anew each time.
 */
enum rl_status rl_server_borrow(struct rl_server *server, struct rl_loan *loan,
	struct rl_polls *polls, struct rl_error *error);
/* Ends a loan that is under way. Does nothing for one that is over. */
void rl_server_end_loan(struct rl_server *server, struct rl_loan *loan);

/* Whether both lead to the same Redis, by the last connection to each. */
bool rl_server_is_same(const struct rl_server *server, const struct rl_server *other);
/* Takes a connection back, and closes it unless it is safe to reuse. */
void rl_server_return(struct rl_server *server, struct rl_connection *connection);
/*
 * Closes the idle connections: after one of them was found broken, the others most likely are
 * broken, too.
 */
void rl_server_drop_idle(struct rl_server *server);

/* A list of servers, with a reference to each. One that is all zero is empty. */
struct rl_server_list {
	struct rl_server **servers;
	size_t count;
};

/* Takes a reference of its own. False: out of memory. */
bool rl_server_list_add(struct rl_server_list *list, struct rl_server *server);
bool rl_server_list_has(const struct rl_server_list *list, const struct rl_server *server);
void rl_server_list_clear(struct rl_server_list *list);

#endif
