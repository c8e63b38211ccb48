/*
 * A host's addresses.
 *
 * The system's getaddrinfo() takes as long as it likes, and cannot be ended: with a name server
 * that is silent, many seconds. So a name is looked up in a thread of its own, for which nobody has
 * to wait. While that is under way, others that ask for the same name wait for the same look-up, so
 * there is at most one thread for each name and port. An IP address needs no thread.
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

/*
 * NULL: out of memory. Does not wait, unless the system refuses a thread: then it does for as long
 * as the look-up takes.
 */
struct rl_lookup *rl_lookup_begin(const char *host, int port);
/*
 * False: it is under way. Otherwise `*failure` is getaddrinfo()'s, or 0: then `*peers` are valid
 * until rl_lookup_end().
 */
bool rl_lookup_result(const struct rl_lookup *lookup, struct addrinfo **peers, int *failure);
/* The caller has no more use for it. If it is under way, its thread goes on. */
void rl_lookup_end(struct rl_lookup *lookup);
/* Joins the threads that are done. False: one is not, so the code must stay loaded. */
bool rl_lookup_stop(void);

#endif
