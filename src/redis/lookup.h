/*
 * A host's addresses.
 *
 * The system's getaddrinfo() takes as long as it likes, and cannot be ended: with a name server
 * that is silent, many seconds. So a name is looked up in a thread of its own, for which nobody has
 * to wait. While that is under way, others that ask for the same name wait for the same look-up. An
 * IP address needs no thread.
 *
 * A program chooses the names, and a process may serve one program after the other, so:
 *
 * 1. At most RL_LOOKUP_MAX are under way at once, those included that nobody waits for any more. A
 *    request has its share, a part of what those before it have left, so that no silent names of
 *    one take the next one's turn. What is one too many waits.
 * 2. Nobody joins one that was begun before rl_lookup_begin_request(): the system finds names by
 *    the environment, too, which was another's then and may have been read at any time since.
 *
 *   rl_lookup_begin()
 *   rl_lookup_result()     until it is true
 *   rl_lookup_end()        in any case
 */
#ifndef RL_LOOKUP_H
#define RL_LOOKUP_H

#include <stdbool.h>

struct addrinfo;
struct rl_lookup;

#define RL_LOOKUP_MAX      128
#define RL_LOOKUP_REQUESTS 4 /* the share is the so manieth part, rounded up */

/*
 * NULL: out of memory. Does not wait, unless the system refuses a thread: then it does for as long
 * as the look-up takes.
 */
struct rl_lookup *rl_lookup_begin(const char *host, int port);
/*
 * False: it is under way, or waits for its turn. Otherwise `*failure` is getaddrinfo()'s, or 0:
 * then `*peers` are valid until rl_lookup_end().
 */
bool rl_lookup_result(struct rl_lookup *lookup, struct addrinfo **peers, int *failure);
/* The caller has no more use for it. If it is under way, its thread goes on. */
void rl_lookup_end(struct rl_lookup *lookup);
/* Another program's request begins: what is under way is not for it. */
void rl_lookup_begin_request(void);
/* Joins the threads that are done. False: one is not, so the code must stay loaded. */
bool rl_lookup_stop(void);

#endif
